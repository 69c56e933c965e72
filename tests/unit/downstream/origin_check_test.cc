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

// Defends against DNS rebinding (DESIGN §16).
TEST_P(OriginCheckTest, LetsInOnlyWhatIsListed) {
  const OriginCheck check("10.0.0.5", {"gateway.example", "other.example:81"},
                          {"https://app.example"});
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
        {"APageWhoseNameEndsInLoopback",
         {{"Host", "localhost"}, {"Origin", "http://localhost.evil.example"}},
         false},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::downstream
