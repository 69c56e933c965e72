#include <gtest/gtest.h>

#include <string>

#include "dataplane/http/client.h"

namespace gatehouse::http {
namespace {

struct UrlCase {
  const char* name;
  std::string text;
  const char* host;  // null: refused
  int port;
  const char* target;
  const char* authority;
};

class UrlTest : public testing::TestWithParam<UrlCase> {};

TEST_P(UrlTest, IsSplitOrRefused) {
  const auto url = ParseUrl(GetParam().text);
  if (GetParam().host == nullptr) {
    EXPECT_EQ(url.status().code(), absl::StatusCode::kInvalidArgument);
    return;
  }
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->host, GetParam().host);
  EXPECT_EQ(url->port, GetParam().port);
  EXPECT_EQ(url->target, GetParam().target);
  EXPECT_EQ(url->authority, GetParam().authority);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, UrlTest,
    testing::ValuesIn<UrlCase>({
        {"Plain", "http://host/mcp", "host", 80, "/mcp", "host"},
        {"WithPortAndQuery", "http://a.b:8080/x?y=1", "a.b", 8080, "/x?y=1",
         "a.b:8080"},
        {"WithoutPath", "http://host", "host", 80, "/", "host"},
        {"QueryWithoutPath", "http://host?q", "host", 80, "/?q", "host"},
        {"SixInBrackets", "http://[::1]:9/m", "::1", 9, "/m", "[::1]:9"},
        {"SchemeInCapitals", "HTTP://host/", "host", 80, "/", "host"},
        {"Tls", "https://host/", "host", 443, "/", "host"},
        {"TlsWithAPort", "HTTPS://host:8443/a", "host", 8443, "/a",
         "host:8443"},
        {"OtherScheme", "ftp://host/", nullptr, 0, "", ""},
        {"NoScheme", "host/mcp", nullptr, 0, "", ""},
        {"UserInfo", "http://u:p@host/", nullptr, 0, "", ""},
        {"Fragment", "http://host/#x", nullptr, 0, "", ""},
        {"EmptyHost", "http:///x", nullptr, 0, "", ""},
        {"BadHost", "http://ho%20st/", nullptr, 0, "", ""},
        {"BadPort", "http://host:0/", nullptr, 0, "", ""},
        {"PortOver", "http://host:65536/", nullptr, 0, "", ""},
        {"EmptyPort", "http://host:/", nullptr, 0, "", ""},
        {"PortWithSign", "http://host:+80/", nullptr, 0, "", ""},
        {"OpenBracket", "http://[::1/", nullptr, 0, "", ""},
        {"LineBreak", "http://host/\r\nX: y", nullptr, 0, "", ""},
        {"Space", "http://host/a b", nullptr, 0, "", ""},
        {"TooLong", "http://host/" + std::string(1024, 'x'), nullptr, 0, "",
         ""},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::http
