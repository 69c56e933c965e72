// Where an elicitation in URL mode may send the user. Defends invariant 2 of
// the design (default deny) and the promise of DESIGN 6: an absolute https URL
// without anything before its host, on the policy's list if it has one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "shared/json/json.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

policy::VirtualServer PolicyWith(std::vector<std::string> hosts) {
  policy::VirtualServer policy = OpenPolicy();
  policy.elicitation_url = true;
  policy.elicitation_url_hosts = std::move(hosts);
  return policy;
}

std::string ParamsWith(std::string_view url) {
  json::Writer writer;
  writer.StartObject();
  writer.Name("mode").String("url");
  writer.Name("elicitationId").String("e1");
  writer.Name("message").String("m");
  writer.Name("url").String(url);
  return writer.EndObject().Take();
}

struct UrlCase {
  const char* name;
  std::string_view url;
  const char* want = "invalid_request /url";
};

class UrlModeTest : public testing::TestWithParam<UrlCase> {};

TEST_P(UrlModeTest, ReachesTheListedOutcome) {
  const std::string params = ParamsWith(GetParam().url);
  EXPECT_EQ(Short(JudgeRequest(PolicyWith({}), Asked(kElicitation, params))),
            GetParam().want);
}

const UrlCase kUrls[] = {
    {"https", "https://login.example.com/a?b=c#d", "admitted"},
    {"a scheme in capitals", "HTTPS://login.example.com/", "admitted"},
    {"a port and a dot behind the name", "https://example.com.:8443/",
     "admitted"},
    {"an address", "https://192.0.2.7/", "admitted"},
    {"http to the user's own machine", "http://127.0.0.1:8080/", "admitted"},
    {"http to localhost", "http://localhost:8080/cb", "admitted"},
    {"http to a name", "http://login.example.com/"},
    {"http to a name that begins like localhost", "http://localhost.example/"},
    {"javascript", "javascript:alert(1)"},
    {"a data URL", "data:text/html,x"},
    {"a file", "file:///etc/passwd"},
    {"a relative one", "/login"},
    {"one without a host", "https:///a"},
    {"a user name that reads like a host",
     "https://bank.example@evil.example/"},
    {"a user name and a password", "https://u:p@example.com/"},
    {"a backslash", "https://example.com\\@evil.example/"},
    {"a space", "https://example.com/a b"},
    {"a line end", "https://example.com/a\nb"},
    {"letters that are not ASCII", "https://ex\xc3\xa4mple.com/"},
    {"a port of none", "https://example.com:/"},
    {"nothing", ""},
};

INSTANTIATE_TEST_SUITE_P(Urls, UrlModeTest, testing::ValuesIn(kUrls),
                         [](const auto& c) { return TestName(c.param.name); });

struct HostCase {
  const char* name;
  std::string_view url;
  const char* want = "not_permitted /url";
};

class UrlHostsTest : public testing::TestWithParam<HostCase> {};

TEST_P(UrlHostsTest, OnlyListedHostsAreLedTo) {
  const std::string params = ParamsWith(GetParam().url);
  EXPECT_EQ(Short(JudgeRequest(
                PolicyWith({"login.example.com", "*.accounts.example"}),
                Asked(kElicitation, params))),
            GetParam().want);
}

const HostCase kHosts[] = {
    {"a listed host", "https://login.example.com/x", "admitted"},
    {"a listed host in capitals", "https://LOGIN.example.com", "admitted"},
    {"a name under a listed domain", "https://a.b.accounts.example/",
     "admitted"},
    {"the listed domain itself", "https://accounts.example/"},
    {"a host that ends like a listed one", "https://evillogin.example.com/"},
    {"a host that begins like a listed one",
     "https://login.example.com.evil.example/"},
    {"a listed host in the path", "https://evil.example/login.example.com"},
    {"the user's own machine", "http://localhost/"},
};

INSTANTIATE_TEST_SUITE_P(Hosts, UrlHostsTest, testing::ValuesIn(kHosts),
                         [](const auto& c) { return TestName(c.param.name); });

TEST(UrlFlagsTest, PunycodeAndMixedScriptsAreFlaggedNotRefused) {
  const auto flags_of = [](std::string_view url) {
    const std::string params = ParamsWith(url);
    const RequestVerdict verdict =
        JudgeRequest(PolicyWith({}), Asked(kElicitation, params));
    EXPECT_EQ(Short(verdict), "admitted") << url;
    const auto* admitted = std::get_if<AdmittedRequest>(&verdict);
    return admitted == nullptr ? std::vector<std::string_view>()
                               : admitted->flags;
  };
  EXPECT_THAT(flags_of("https://example.com/"), IsEmpty());
  // All Cyrillic; then a Cyrillic letter among Latin ones.
  EXPECT_THAT(flags_of("https://xn--80ak6aa92e.example/"),
              ElementsAre("punycode_host"));
  EXPECT_THAT(flags_of("https://xn--pple-43d.example/"),
              ElementsAre("punycode_host", "mixed_script_host"));
}

// What the client says to it is its consent, and nothing beside it.
TEST(UrlAnswerTest, NothingBesideTheActionIsDelivered) {
  const std::string params = ParamsWith("https://example.com/");
  for (const std::string_view answer :
       {R"({"action":"accept"})", R"({"action":"accept","content":{"x":[]}})",
        R"({"_meta":7,"action":"accept"})"}) {
    const ResponseVerdict verdict =
        JudgeResponse(PolicyWith({}), Answered(kElicitation, params, answer));
    EXPECT_EQ(Short(verdict), "answered") << answer;
    EXPECT_EQ(verdict.result.value_or(""), R"({"action":"accept"})");
  }
}

}  // namespace
}  // namespace gatehouse::trust
