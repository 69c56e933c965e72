// The rules about the list of folders. Defends invariants 1 and 4 of the
// design.

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

struct RootsCase {
  const char* name;
  std::string_view result;
  const char* want;
};

class RootsResultTest : public testing::TestWithParam<RootsCase> {};

TEST_P(RootsResultTest, ReachesTheListedOutcome) {
  const ResponseVerdict verdict =
      JudgeResponse(OpenPolicy(), Answered(kRoots, "", GetParam().result));
  EXPECT_EQ(Short(verdict), GetParam().want);
  if (verdict.result.has_value()) {
    EXPECT_EQ(*verdict.result, GetParam().result);
  }
}

const RootsCase kShapes[] = {
    {"no roots are an answer", R"({"roots":[]})", "answered"},
    {"a named root is an answer",
     R"({"roots":[{"uri":"file:///srv/p","name":"p","_meta":{}}],"x":1})",
     "answered"},
    {"missing roots are refused", R"({})", "invalid: invalid_response /roots"},
    {"roots that are an object are refused", R"({"roots":{}})",
     "invalid: invalid_response /roots"},
    {"a root that is a text is refused", R"({"roots":["file:///a"]})",
     "invalid: invalid_response /roots/0"},
    {"a root without a URI is refused", R"({"roots":[{"name":"a"}]})",
     "invalid: invalid_response /roots/0/uri"},
    {"a name that is a number is refused",
     R"({"roots":[{"uri":"file:///a","name":1}]})",
     "invalid: invalid_response /roots/0/name"},
    {"the second root counts too",
     R"({"roots":[{"uri":"file:///a"},{"uri":"http://a/"}]})",
     "invalid: invalid_response /roots/1/uri"},
};

INSTANTIATE_TEST_SUITE_P(Shapes, RootsResultTest, testing::ValuesIn(kShapes),
                         [](const auto& c) { return TestName(c.param.name); });

TEST(RootUriTest, IsAFolderOfThisMachineAndNothingElse) {
  struct UriCase {
    const char* uri;
    bool good;
  };
  const UriCase kUris[] = {
      {"file:///", true},
      {"file:///home/user/a%20b", true},
      {"file:///C:/Users/x", true},
      {"file:///a/..b/c..", true},
      {"file:///home/josé", true},
      {"FILE:///a", false},
      {"http://a/", false},
      {"file:/a", false},
      {"file://", false},
      {"file://localhost/a", false},
      {"file://user:pw@host/a", false},
      {"file:////host/share", false},
      {"file:///%2Fhost/share", false},
      {"file:///%5C%5Chost/share", false},
      {"file:///a/%252e%252e/b", false},
      {"file:///a/100%25", true},
      {"file:///a/../b", false},
      {"file:///..", false},
      {"file:///a/%2e%2E/b", false},
      {"file:///a/..%2fb", false},
      {"file:///a\\\\..\\\\b", false},
      {"file:///a%5c..%5cb", false},
      {"file:///a%00b", false},
      {"file:///a%zz", false},
      {"file:///a%2", false},
      {"file:///a?b", false},
      {"file:///a#b", false},
  };
  for (const UriCase& c : kUris) {
    const std::string result =
        absl::StrCat(R"({"roots":[{"uri":")", c.uri, R"("}]})");
    EXPECT_EQ(Short(JudgeResponse(OpenPolicy(), Answered(kRoots, "", result))),
              c.good ? "answered" : "invalid: invalid_response /roots/0/uri")
        << c.uri;
  }
}

}  // namespace
}  // namespace gatehouse::trust
