// Splicing and canonical text. Invariant 9, bytes pass unchanged: an edit
// changes what it names and nothing beside it.

#include <gtest/gtest.h>

#include <string>

#include "shared/json/json.h"

namespace gatehouse::json {
namespace {

Document Read(std::string text) {
  absl::StatusOr<Document> document = Document::Parse(std::move(text));
  EXPECT_TRUE(document.ok()) << document.status();
  return *std::move(document);
}

TEST(SpliceTest, MakesEditsInAnyOrderAndKeepsTheRest) {
  EXPECT_EQ(Splice("0123456789", {{8, 1, "eight"}, {0, 2, ""}, {4, 0, "+"}}),
            "23+4567eight9");
  EXPECT_EQ(Splice("abc", {}), "abc");
  EXPECT_EQ(Splice("abc", {{3, 0, "d"}}), "abcd");
  EXPECT_EQ(Splice("ab", {{1, 0, "x"}, {1, 0, "y"}}), "axyb");
}

TEST(SpliceDeathTest, OverlappingEditsEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Splice("abcdef", {{0, 3, ""}, {2, 1, ""}}), "check failed");
  EXPECT_DEATH(Splice("abc", {{2, 2, ""}}), "check failed");
}

struct SetCase {
  const char* name;
  const char* text;
  const char* want;
};

class SetMemberTest : public testing::TestWithParam<SetCase> {};

TEST_P(SetMemberTest, ReplacesOrAddsAndTouchesNothingElse) {
  const Document document = Read(GetParam().text);
  const Edit edit = SetMember(document.root(), "id", "[1]");
  const std::string spliced = Splice(document.text(), {edit});
  EXPECT_EQ(spliced, GetParam().want);
  EXPECT_EQ(Read(spliced).root().Find("id")->raw(), "[1]");
}

INSTANTIATE_TEST_SUITE_P(
    Places, SetMemberTest,
    testing::ValuesIn<SetCase>(
        {{"IntoAnEmptyObject", "{}", R"({"id":[1]})"},
         {"IntoAnEmptyObjectWithSpace", "{ }", R"({ "id":[1]})"},
         {"BehindTheLastMember", R"( {"a":1e400 } )",
          R"( {"a":1e400 ,"id":[1]} )"},
         {"WhereItStands", R"({"b": 1.0 , "id" : {"id":2} , "a":0})",
          R"({"b": 1.0 , "id" : [1] , "a":0})"},
         {"WhereItsEscapedNameStands", R"({"\u0069d":"x"})",
          R"({"\u0069d":[1]})"}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(SetMemberTest, QuotesTheName) {
  const Document document = Read(R"({"a":{}})");
  const Edit edit = SetMember(*document.root().Find("a"), "x\"y", "null");
  EXPECT_EQ(Splice(document.text(), {edit}), R"({"a":{"x\"y":null}})");
}

struct CanonicalCase {
  const char* name;
  const char* text;
  const char* want;
};

class CanonicalTest : public testing::TestWithParam<CanonicalCase> {};

TEST_P(CanonicalTest, IsWrittenInOneForm) {
  EXPECT_EQ(Canonical(Read(GetParam().text).root()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, CanonicalTest,
    testing::ValuesIn<CanonicalCase>(
        {{"MembersAreSortedByBytes", R"({"b":1,"a":{"z":0,"Z":1},"":[]})",
          R"({"":[],"a":{"Z":1,"z":0},"b":1})"},
         {"SpaceIsDropped", " [ 1 , { \"a\" : null } ] ", R"([1,{"a":null}])"},
         {"NumberLexemesAreKept", "[1.0,1,1e0,-0,1e400]",
          "[1.0,1,1e0,-0,1e400]"},
         {"StringsAreInTheirShortestForm", R"("\u0061\/\u00e9\u000a\u001F\"")",
          "\"a/\u00e9\\n\\u001f\\\"\""},
         {"EscapedNamesSortAsWhatTheyMean", R"({"b":1,"\u0061":2})",
          R"({"a":2,"b":1})"},
         {"ElementsKeepTheirOrder", "[3,1,2,[],{}]", "[3,1,2,[],{}]"},
         {"AScalarAlone", " true ", "true"}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(CanonicalTest, LeavesOutMembersOfTheRootOnly) {
  const Document document = Read(R"({"_meta":1,"a":{"_meta":2},"b":0})");
  EXPECT_EQ(Canonical(document.root(), {"_meta", "b"}), R"({"a":{"_meta":2}})");
  EXPECT_EQ(Canonical(*document.root().Find("a"), {"_meta"}), "{}");
}

}  // namespace
}  // namespace gatehouse::json
