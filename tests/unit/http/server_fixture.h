#ifndef GATEHOUSE_TESTS_UNIT_HTTP_SERVER_FIXTURE_H_
#define GATEHOUSE_TESTS_UNIT_HTTP_SERVER_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "dataplane/http/server.h"
#include "tests/unit/http/test_socket.h"

namespace gatehouse::http {

// A server on loopback. `/echo` answers at once with the body; every other
// request is kept for the test to answer.
class ServerTest : public testing::Test {
 protected:
  void TearDown() override {
    if (server_ != nullptr) server_->Stop();
  }

  void StartServer(ServerOptions options = {}) {
    auto server = Server::Create(
        std::move(options), [this](std::shared_ptr<Exchange> exchange) {
          if (exchange->request().path == "/echo") {
            Response response;
            response.headers = {{"Content-Type", "text/plain"}};
            response.body = exchange->request().body;
            exchange->Respond(std::move(response));
            return;
          }
          waiter_.Change([&] { kept_.push_back(std::move(exchange)); });
        });
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    ASSERT_TRUE(server_->Start().ok());
  }

  TestSocket Connect(int receive_buffer = 0) {
    TestSocket peer = TestSocket::Connect(server_->port(), receive_buffer);
    EXPECT_TRUE(peer.connected());
    return peer;
  }

  static std::string Post(const std::string& path, const std::string& body,
                          const std::string& more = "") {
    return "POST " + path + " HTTP/1.1\r\nHost: h\r\n" + more +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  // The next kept request; null if none comes in time.
  std::shared_ptr<Exchange> NextKept() {
    if (!waiter_.Await([&] { return !kept_.empty(); })) return nullptr;
    std::shared_ptr<Exchange> exchange;
    waiter_.Change([&] {
      exchange = std::move(kept_.front());
      kept_.pop_front();
    });
    return exchange;
  }

  Waiter waiter_;
  std::deque<std::shared_ptr<Exchange>> kept_;
  std::unique_ptr<Server> server_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_TESTS_UNIT_HTTP_SERVER_FIXTURE_H_
