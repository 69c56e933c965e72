#include "dataplane/http/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "dataplane/http/guard.h"
#include "dataplane/http/server.h"
#include "tests/unit/http/test_socket.h"

namespace gatehouse::http {
namespace {

TEST(RequestParserTest, CallsTheHandlerOnceForAHeadThatHttplibTakes) {
  RequestParser parser;
  int calls = 0;
  EXPECT_TRUE(parser.Parse("POST /mcp/desk HTTP/1.1\r\nHost: h\r\n\r\n",
                           [&calls] { ++calls; }));
  EXPECT_EQ(calls, 1);
}

// What the guard lets pass, the parser behind it must take: it would answer a
// long line with a 400 that says nothing.
TEST(RequestParserTest, TakesALineAsLongAsTheGuardDoes) {
  const std::string name = "Authorization: ";
  const size_t value = GuardLimits().max_line_bytes - name.size() - 2;
  const std::string head = "GET /mcp/desk HTTP/1.1\r\nHost: h\r\n" + name +
                           std::string(value, 'x') + "\r\n\r\n";
  ASSERT_TRUE(
      std::holds_alternative<RequestHead>(GuardHead(head, GuardLimits())));
  RequestParser parser;
  int calls = 0;
  EXPECT_TRUE(parser.Parse(head, [&calls] { ++calls; }));
  EXPECT_EQ(calls, 1);
}

TEST(RequestParserTest, SaysThatHttplibRefused) {
  RequestParser parser;
  int calls = 0;
  EXPECT_FALSE(parser.Parse("nonsense\r\n\r\n", [&calls] { ++calls; }));
  EXPECT_EQ(calls, 0);
}

// Defends invariant 8: no error says what stood behind it.
TEST(RequestParserTest, AnExceptionOfAHandlerIsA500WithoutItsText) {
  auto server = Server::Create({}, [](std::shared_ptr<Exchange>) {
    throw std::runtime_error("secret of the inside");
  });
  ASSERT_TRUE(server.ok()) << server.status();
  ASSERT_TRUE((*server)->Start().ok());
  TestSocket peer = TestSocket::Connect((*server)->port());
  ASSERT_TRUE(peer.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const std::string answer = peer.ReadToEnd();
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(answer, testing::HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(answer, testing::Not(testing::HasSubstr("secret")));
  EXPECT_THAT(answer, testing::Not(testing::HasSubstr("EXCEPTION")));
  (*server)->Stop();
}

}  // namespace
}  // namespace gatehouse::http
