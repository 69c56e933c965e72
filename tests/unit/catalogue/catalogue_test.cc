#include "dataplane/catalogue/catalogue.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gatehouse::catalogue {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

UpstreamTools Listed(std::string upstream, std::vector<std::string> tools) {
  return {std::move(upstream), std::move(tools)};
}

// A row: one upstream's tool and what the catalogue makes of it.
struct ToolCase {
  const char* name;
  Prefix prefix;
  const char* raw;
  const char* want;  // empty: not listed
  size_t want_problems;
};

class ToolTest : public testing::TestWithParam<ToolCase> {};

// Invariant 9: bytes pass unchanged; only the shown name is ours.
TEST_P(ToolTest, IsListedWithOnlyItsNameSpliced) {
  const Catalogue catalogue =
      Catalogue::Merge(GetParam().prefix, {Listed("files", {GetParam().raw})});
  if (std::string(GetParam().want).empty()) {
    EXPECT_THAT(catalogue.tools(), IsEmpty());
  } else {
    EXPECT_THAT(catalogue.tools(), ElementsAre(GetParam().want));
  }
  EXPECT_THAT(catalogue.problems(), SizeIs(GetParam().want_problems));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ToolTest,
    testing::ValuesIn<ToolCase>({
        {"ThePrefixIsTheUpstreamsName", Prefix::kUpstream, R"({"name":"read"})",
         R"({"name":"files__read"})", 0},
        {"WithoutPrefixTheTextStays", Prefix::kNone, R"({ "name" : "read" })",
         R"({ "name" : "read" })", 0},
        {"OrderSpaceNumbersAndUnknownMembersStay", Prefix::kUpstream,
         R"({ "zz":1.50, "name": "read" ,"_meta":{"name":"inner","n":1e400},)"
         R"("big":123456789012345678901234567890})",
         R"({ "zz":1.50, "name": "files__read" ,"_meta":{"name":"inner",)"
         R"("n":1e400},"big":123456789012345678901234567890})",
         0},
        {"AnEscapedNameIsTheDecodedOne", Prefix::kUpstream,
         R"({"name":"re\u0061d"})", R"({"name":"files__read"})", 0},
        {"ARequiredTaskHidesTheTool", Prefix::kUpstream,
         R"({"name":"slow","execution":{"taskSupport":"required"}})", "", 0},
        {"AnOptionalTaskDoesNot", Prefix::kNone,
         R"({"name":"slow","execution":{"taskSupport":"optional"}})",
         R"({"name":"slow","execution":{"taskSupport":"optional"}})", 0},
        {"AToolWithoutANameIsLeftOut", Prefix::kUpstream, R"({"title":"x"})",
         "", 1},
        {"AnEmptyNameIsLeftOut", Prefix::kUpstream, R"({"name":""})", "", 1},
        {"WhatIsNoObjectIsLeftOut", Prefix::kUpstream, R"(["name"])", "", 1},
        {"AMemberTwiceIsLeftOut", Prefix::kUpstream,
         R"({"name":"a","name":"b"})", "", 1},
        {"AnUnusualNameIsKeptWithAWarning", Prefix::kNone, R"({"name":"a b"})",
         R"({"name":"a b"})", 1},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(CatalogueTest, ALongShownNameIsKeptWithAWarning) {
  const std::string name(63, 'a');
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kUpstream, {Listed("files", {R"({"name":")" + name + R"("})"})});
  EXPECT_THAT(catalogue.tools(), SizeIs(1));
  ASSERT_THAT(catalogue.problems(), SizeIs(1));
  EXPECT_EQ(catalogue.problems()[0].tool, name);
}

TEST(CatalogueTest, ToolsStandInThePolicysOrderThenTheUpstreams) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kUpstream,
      {Listed("weather", {R"({"name":"z"})", R"({"name":"a"})"}),
       Listed("files", {R"({"name":"b"})"})});
  EXPECT_THAT(catalogue.tools(), ElementsAre(R"({"name":"weather__z"})",
                                             R"({"name":"weather__a"})",
                                             R"({"name":"files__b"})"));
}

TEST(CatalogueTest, AShownNameLeadsToItsUpstreamAndRealName) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kUpstream, {Listed("files", {R"({"name":"a__b"})"})});
  const auto destination = catalogue.Route("files__a__b");
  ASSERT_TRUE(destination.ok()) << destination.status();
  EXPECT_EQ(*destination, (Destination{"files", "a__b"}));
  EXPECT_EQ(catalogue.Route("a__b").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(CatalogueTest, ANameOfTwoUpstreamsLeadsNowhereAndSaysSo) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kNone, {Listed("a", {R"({"name":"send"})", R"({"name":"x"})"}),
                      Listed("b", {R"({"name":"send"})"})});
  EXPECT_THAT(catalogue.tools(), ElementsAre(R"({"name":"x"})"));
  EXPECT_THAT(catalogue.problems(), SizeIs(2));
  const auto destination = catalogue.Route("send");
  EXPECT_EQ(destination.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(destination.status().message()),
              HasSubstr("more than one upstream"));
}

TEST(CatalogueTest, TheSameNameIsNoClashUnderAPrefix) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kUpstream, {Listed("a", {R"({"name":"send"})"}),
                          Listed("b", {R"({"name":"send"})"})});
  EXPECT_THAT(catalogue.tools(), SizeIs(2));
  EXPECT_THAT(catalogue.problems(), IsEmpty());
}

TEST(CatalogueTest, ANameThatOneUpstreamListsTwiceIsListedOnce) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kNone,
      {Listed("a", {R"({"name":"x","v":1})", R"({"name":"x","v":2})"})});
  EXPECT_THAT(catalogue.tools(), ElementsAre(R"({"name":"x","v":1})"));
  EXPECT_THAT(catalogue.problems(), SizeIs(1));
  EXPECT_TRUE(catalogue.Route("x").ok());
}

TEST(CatalogueTest, AnUpstreamThatFailsIsLeftOutAndItsToolsAreUnavailable) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kUpstream, {{"down", absl::UnavailableError("not there")},
                          Listed("up", {R"({"name":"x"})"})});
  EXPECT_THAT(catalogue.tools(), SizeIs(1));
  ASSERT_THAT(catalogue.problems(), SizeIs(1));
  EXPECT_EQ(catalogue.problems()[0].upstream, "down");
  EXPECT_EQ(catalogue.Route("down__x").status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(catalogue.Route("up__y").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(CatalogueTest, AToolOfAnotherClusterIsNotListedAndSaysWhereItIsNot) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kUpstream, {Listed("here", {R"({"name":"x"})"})}, {"there"});
  EXPECT_THAT(catalogue.tools(), SizeIs(1));
  EXPECT_THAT(catalogue.problems(), IsEmpty());
  EXPECT_EQ(catalogue.Route("there__x").status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(catalogue.Route("nowhere__x").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(CatalogueTest, WithoutPrefixAnUnlistedUpstreamMayHaveAnyUnknownName) {
  const Catalogue catalogue = Catalogue::Merge(
      Prefix::kNone, {{"down", absl::UnavailableError("not there")}});
  EXPECT_EQ(catalogue.Route("x").status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace gatehouse::catalogue
