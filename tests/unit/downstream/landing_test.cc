// GET / tells a newcomer what runs here, and tells a stranger no names.

#include "dataplane/downstream/landing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gatehouse::downstream {
namespace {

using testing::HasSubstr;
using testing::Not;

struct LandingCase {
  const char* name;
  Landing landing;
  std::vector<std::string> says;
  std::vector<std::string> hides;
};
class LandingTest : public testing::TestWithParam<LandingCase> {};

TEST_P(LandingTest, SaysWhatIsDue) {
  const http::Response response = LandingAnswer(GetParam().landing);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(http::FindHeader(response.headers, "Content-Type"),
            "text/plain; charset=utf-8");
  for (const std::string& text : GetParam().says) {
    EXPECT_THAT(response.body, HasSubstr(text));
  }
  for (const std::string& text : GetParam().hides) {
    EXPECT_THAT(response.body, Not(HasSubstr(text)));
  }
}

std::vector<std::string> ManyNames() {
  std::vector<std::string> names;
  for (int i = 100; i < 153; ++i) names.push_back(absl::StrCat("server-", i));
  return names;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LandingTest,
    testing::ValuesIn<LandingCase>({
        {"OnOpenLoopbackEachUrlIsListed",
         {"1.2", false, "127.0.0.1:8800", std::vector<std::string>{"a", "b"}},
         {"Gatehouse 1.2", "\n  http://127.0.0.1:8800/mcp/a\n",
          "\n  http://127.0.0.1:8800/mcp/b\n", "gatehousectl call a",
          "\"args\": [\"stdio\", \"a\", \"--url\", \"http://127.0.0.1:8800\"]",
          "README.md"},
         {"TOKEN"}},
        {"WhereClientsNeedATokenOnlyThePatternIsTold",
         {"1.2", true, "gw.example", std::nullopt},
         {"https://gw.example/mcp/NAME", "Authorization: Bearer TOKEN",
          "--token-file"},
         {"http://"}},
        {"WithoutAPolicyItSaysHowToApplyOne",
         {"1.2", false, "localhost:1", std::vector<std::string>{}},
         {"gatehousectl policy apply FILE", "http://localhost:1/mcp/NAME"},
         {}},
        {"OfVeryManyFiftyAreListed",
         {"1.2", false, "h", ManyNames()},
         {"/mcp/server-149\n", "  and 3 more\n"},
         {"server-150"}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::downstream
