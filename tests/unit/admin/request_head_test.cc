#include "admin/request_head.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::admin {
namespace {

TEST(RequestHeadTest, MethodPathAndHostAreRead) {
  const auto head = ParseHead(
      "GET /metrics?name[]=up HTTP/1.1\r\nAccept: */*\r\n"
      "hOST:  127.0.0.1:9464 \r\n\r\n");
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->method, "GET");
  EXPECT_EQ(head->path, "/metrics");
  EXPECT_EQ(head->host, "127.0.0.1:9464");
}

struct BadHeadCase {
  const char* name;
  const char* text;
};
class BadHeadTest : public testing::TestWithParam<BadHeadCase> {};

TEST_P(BadHeadTest, IsNoRequest) {
  EXPECT_FALSE(ParseHead(GetParam().text).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Heads, BadHeadTest,
    testing::ValuesIn<BadHeadCase>({
        {"Nothing", "\r\n\r\n"},
        {"OneWord", "GET\r\n\r\n"},
        {"NoVersion", "GET /healthz\r\n\r\n"},
        {"AnotherProtocol", "GET /healthz SPDY/3\r\n\r\n"},
        {"Http2", "PRI * HTTP/2.0\r\n\r\n"},
        {"AnAbsoluteTarget", "GET http://x/healthz HTTP/1.1\r\n\r\n"},
        {"ALineWithoutAColon", "GET / HTTP/1.1\r\nnonsense\r\n\r\n"},
        {"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
        {"TlsHello", "\x16\x03\x01\r\n\r\n"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::admin
