#include "dataplane/downstream/origin_check.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::downstream {
namespace {

struct OriginCase {
  const char* name;
  http::Headers headers;
  bool allowed;
};
class OriginCheckTest : public testing::TestWithParam<OriginCase> {};

// Defends DESIGN §16, `Origin` and `Host` are checked: no name that an attacker
// points at this machine, and no page of theirs, gets in.
TEST_P(OriginCheckTest, LetsInOnlyWhatIsListed) {
  const OriginCheck check(
      "10.0.0.5",
      {"gateway.example", "other.example:81", "tls.example:443",
       "[2001:DB8:0::5]"},
      {"https://app.example", "http://port.example:8080/", "null", "*",
       "http://plain.example:80", "app-extension://abcdef"});
  EXPECT_EQ(check.Allows(GetParam().headers), GetParam().allowed);
}

INSTANTIATE_TEST_SUITE_P(
    Headers, OriginCheckTest,
    testing::ValuesIn<OriginCase>({
        {"LoopbackName", {{"Host", "localhost:8800"}}, true},
        {"LoopbackAddress", {{"Host", "127.0.0.1:8800"}}, true},
        {"LoopbackAddressOfVersion6", {{"Host", "[::1]:8800"}}, true},
        {"TheAddressServed", {{"Host", "10.0.0.5:8800"}}, true},
        {"AListedName", {{"Host", "Gateway.Example:8800"}}, true},
        {"AListedNameWithItsPort", {{"Host", "other.example:81"}}, true},
        {"AListedNameWithAnotherPort", {{"Host", "other.example:82"}}, false},
        {"AStrangersName", {{"Host", "evil.example"}}, false},
        {"ANameThatOnlyStartsLikeLoopback",
         {{"Host", "127.evil.example"}},
         false},
        {"ANameInOtherCase", {{"Host", "GATEWAY.example"}}, true},
        {"ANameWithTheDotThatEndsIt", {{"Host", "gateway.example.:81"}}, true},
        {"ANameWithTwoDotsAtItsEnd", {{"Host", "gateway.example.."}}, false},
        {"ANameWithAnEmptyPort", {{"Host", "gateway.example:"}}, true},
        {"AListedPortThatMayBeLeftOut", {{"Host", "tls.example"}}, true},
        {"AListedPortThatMayNot", {{"Host", "other.example"}}, false},
        {"LocalhostWithTheDotThatEndsIt", {{"Host", "localhost.:81"}}, true},
        {"AnAddressOfVersion6InAnotherSpelling",
         {{"Host", "[2001:db8::0:5]:81"}},
         true},
        {"LoopbackOfVersion6InAnotherSpelling",
         {{"Host", "[0:0:0:0:0:0:0:1]"}},
         true},
        {"AnotherAddressOfVersion6", {{"Host", "[2001:db8::6]"}}, false},
        {"AnAddressOfVersion6WithoutBrackets", {{"Host", "::1"}}, false},
        {"AnAddressOfVersion6WithoutItsEnd", {{"Host", "[::1"}}, false},
        {"AStrangersNameWithOurPort", {{"Host", "evil.test:8080"}}, false},
        {"AStrangersNameUnderOurs",
         {{"Host", "gateway.example.evil.test"}},
         false},
        {"ALoopbackNumberOfAnotherForm", {{"Host", "127.1"}}, false},
        {"APortThatIsNone", {{"Host", "gateway.example:8a"}}, false},
        {"AHostWithUserinfo", {{"Host", "a@gateway.example"}}, false},
        {"AnEmptyHost", {{"Host", ""}}, false},
        {"NoHost", {}, false},
        {"TwoHosts", {{"Host", "localhost"}, {"Host", "localhost"}}, false},
        {"ALoopbackPage",
         {{"Host", "localhost"}, {"Origin", "http://localhost:3000"}},
         true},
        {"AListedPage",
         {{"Host", "localhost"}, {"Origin", "https://app.example"}},
         true},
        {"AListedPageByPlainHttp",
         {{"Host", "localhost"}, {"Origin", "http://app.example"}},
         false},
        {"AStrangersPage",
         {{"Host", "localhost"}, {"Origin", "http://evil.example"}},
         false},
        {"APageWithoutOrigin",
         {{"Host", "localhost"}, {"Origin", "null"}},
         false},
        {"TwoOrigins",
         {{"Host", "localhost"},
          {"Origin", "http://localhost"},
          {"Origin", "http://localhost"}},
         false},
        {"AListedPageInOtherCase",
         {{"Host", "localhost"}, {"Origin", "HTTPS://App.Example"}},
         true},
        {"AListedPageWithItsSchemesPort",
         {{"Host", "localhost"}, {"Origin", "https://app.example:443"}},
         true},
        {"APageListedWithItsSchemesPort",
         {{"Host", "localhost"}, {"Origin", "http://plain.example"}},
         true},
        {"AListedPageWithAnotherPort",
         {{"Host", "localhost"}, {"Origin", "https://app.example:8443"}},
         false},
        {"AnOriginListedWithAPathAllowsNothing",
         {{"Host", "localhost"}, {"Origin", "http://port.example:8080"}},
         false},
        {"AListedOriginOfAnotherScheme",
         {{"Host", "localhost"}, {"Origin", "app-extension://abcdef"}},
         true},
        {"AnotherOfThatScheme",
         {{"Host", "localhost"}, {"Origin", "app-extension://abcdeg"}},
         false},
        {"AStarIsNoOrigin", {{"Host", "localhost"}, {"Origin", "*"}}, false},
        {"ALoopbackPageOfVersion6",
         {{"Host", "localhost"}, {"Origin", "http://[::1]:3000"}},
         true},
        {"APageWithUserinfo",
         {{"Host", "localhost"}, {"Origin", "http://localhost@evil.test"}},
         false},
        {"AnEmptyOrigin", {{"Host", "localhost"}, {"Origin", ""}}, false},
        {"APageWhoseNameEndsInLoopback",
         {{"Host", "localhost"}, {"Origin", "http://localhost.evil.example"}},
         false},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::downstream
