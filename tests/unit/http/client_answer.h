#ifndef GATEHOUSE_TESTS_UNIT_HTTP_CLIENT_ANSWER_H_
#define GATEHOUSE_TESTS_UNIT_HTTP_CLIENT_ANSWER_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "dataplane/http/client.h"
#include "tests/unit/http/test_socket.h"

namespace gatehouse::http {

// Writes down one answer; checks the order of the calls.
class Answer : public ClientObserver {
 public:
  void OnHeaders(int status, const Headers& headers) override {
    waiter_.Change([&] {
      EXPECT_EQ(status_, 0);
      EXPECT_FALSE(ended_);
      status_ = status;
      headers_ = headers;
    });
  }
  void OnBody(std::string_view bytes) override {
    waiter_.Change([&] {
      EXPECT_NE(status_, 0);
      EXPECT_FALSE(ended_);
      body_.append(bytes);
    });
  }
  void OnEnd(absl::Status status) override {
    waiter_.Change([&] {
      EXPECT_FALSE(ended_);
      ended_ = true;
      end_ = std::move(status);
    });
  }

  // How it ended; INTERNAL if it has not in time.
  absl::Status AwaitEnd() {
    if (!waiter_.Await([&] { return ended_; })) {
      return absl::InternalError("no OnEnd in time");
    }
    return end_;
  }
  bool AwaitBody(const std::string& want) {
    return waiter_.Await([&] { return body_ == want; });
  }
  bool AwaitHeaders() {
    return waiter_.Await([&] { return status_ != 0; });
  }
  bool ended() {
    bool ended = false;
    waiter_.Change([&] { ended = ended_; });
    return ended;
  }
  // After AwaitEnd.
  int status() const { return status_; }
  const std::string& body() const { return body_; }
  const Headers& headers() const { return headers_; }

 private:
  Waiter waiter_;
  int status_ = 0;
  Headers headers_;
  std::string body_;
  bool ended_ = false;
  absl::Status end_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_TESTS_UNIT_HTTP_CLIENT_ANSWER_H_
