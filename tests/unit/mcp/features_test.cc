// Invariant 2, default deny: what is not named, by policy and client both, is
// not offered.

#include "shared/mcp/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "shared/json/json.h"

namespace gatehouse::mcp {
namespace {

constexpr Revision k0326 = Revision::k2025_03_26;
constexpr Revision k0618 = Revision::k2025_06_18;
constexpr Revision k1125 = Revision::k2025_11_25;
constexpr Revision k0728 = Revision::k2026_07_28;

absl::StatusOr<ClientFeatures> Parse(std::string text, Revision revision) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::move(text));
  EXPECT_TRUE(document.ok()) << document.status();
  return ParseClientCapabilities(document->root(), revision);
}

// One letter a feature: s(ampling), t(ools), f(orm), u(rl), r(oots),
// c(hanged); so that a row reads as one word.
std::string Letters(const ClientFeatures& features) {
  std::string letters;
  if (features.sampling) letters += 's';
  if (features.sampling_tools) letters += 't';
  if (features.elicitation_form) letters += 'f';
  if (features.elicitation_url) letters += 'u';
  if (features.roots) letters += 'r';
  if (features.roots_list_changed) letters += 'c';
  return letters;
}

ClientFeatures FromLetters(const std::string& letters) {
  const auto has = [&](char c) { return letters.find(c) != std::string::npos; };
  return {has('s'), has('t'), has('f'), has('u'), has('r'), has('c')};
}

struct DeclarationCase {
  const char* name;
  const char* text;
  Revision revision;
  const char* want;
};

class DeclarationTest : public testing::TestWithParam<DeclarationCase> {};

TEST_P(DeclarationTest, MeansTheListedFeatures) {
  const absl::StatusOr<ClientFeatures> features =
      Parse(GetParam().text, GetParam().revision);
  ASSERT_TRUE(features.ok()) << features.status();
  EXPECT_EQ(Letters(*features), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Declarations, DeclarationTest,
    testing::ValuesIn<DeclarationCase>(
        {{"NothingIsNothing", "{}", k1125, ""},
         {"AnEmptyObjectIsADeclaration", R"({"sampling":{},"roots":{}})", k1125,
          "sr"},
         {"EmptyElicitationMeansForm", R"({"elicitation":{}})", k1125, "f"},
         {"UrlAloneIsNotForm", R"({"elicitation":{"url":{}}})", k1125, "u"},
         {"BothModes", R"({"elicitation":{"form":{},"url":{}}})", k1125, "fu"},
         {"AnUnknownModeAloneIsNoMode", R"({"elicitation":{"voice":{}}})",
          k1125, ""},
         {"ANullModeCountsAsAbsent", R"({"elicitation":{"url":null}})", k1125,
          "f"},
         {"ANullModeBesideAnother", R"({"elicitation":{"url":{},"form":null}})",
          k1125, "u"},
         {"AnOptionWithinAMode", R"({"elicitation":{"form":{"x":true}}})",
          k1125, "f"},
         {"SamplingTools", R"({"sampling":{"tools":{},"context":{}}})", k1125,
          "st"},
         {"SamplingToolsNull", R"({"sampling":{"tools":null}})", k1125, "s"},
         {"NullCapabilitiesCountAsAbsent",
          R"({"sampling":null,"elicitation":null,"roots":null})", k1125, ""},
         {"RootsListChanged", R"({"roots":{"listChanged":true}})", k1125, "rc"},
         {"RootsListChangedFalse", R"({"roots":{"listChanged":false}})", k1125,
          "r"},
         {"ExtensionsTasksAndExperimentsHaveNoPlace",
          R"({"extensions":{"x/y":{}},"tasks":{},"experimental":{"e":1},)"
          R"("other":7})",
          k1125, ""},
         {"NamesAreExact", R"({"Sampling":{},"ROOTS":{}})", k1125, ""},
         {"BeforeNovemberElicitationMeansForm", R"({"elicitation":{"url":{}}})",
          k0618, "f"},
         {"BeforeNovemberThereAreNoSamplingTools",
          R"({"sampling":{"tools":{}}})", k0618, "s"},
         {"InMarchThereIsNoElicitation",
          R"({"elicitation":{},"sampling":{},"roots":{"listChanged":true}})",
          k0326, "src"}}),
    [](const auto& row) { return std::string(row.param.name); });

struct WrongCase {
  const char* name;
  const char* text;
  const char* want;
};

class WrongDeclarationTest : public testing::TestWithParam<WrongCase> {};

TEST_P(WrongDeclarationTest, IsRefusedNotRepaired) {
  const absl::StatusOr<ClientFeatures> features = Parse(GetParam().text, k1125);
  EXPECT_EQ(features.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(features.status().message()),
              testing::StartsWith(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, WrongDeclarationTest,
    testing::ValuesIn<WrongCase>(
        {{"AnArray", "[]", "expected an object"},
         {"SamplingTrue", R"({"sampling":true})", "/sampling: "},
         {"ElicitationText", R"({"elicitation":"form"})", "/elicitation: "},
         {"RootsArray", R"({"roots":[]})", "/roots: "},
         {"ToolsTrue", R"({"sampling":{"tools":true}})", "/sampling/tools: "},
         {"UrlOne", R"({"elicitation":{"url":1}})", "/elicitation/url: "},
         {"ListChangedText", R"({"roots":{"listChanged":"true"}})",
          "/roots/listChanged: "}}),
    [](const auto& row) { return std::string(row.param.name); });

struct MaskCase {
  const char* name;
  const char* policy;
  const char* declared;
  const char* want;
};

class OfferMaskTest : public testing::TestWithParam<MaskCase> {};

TEST_P(OfferMaskTest, IsWhatBothSay) {
  const MaskCase& row = GetParam();
  EXPECT_EQ(
      Letters(Intersect(FromLetters(row.policy), FromLetters(row.declared))),
      row.want);
}

INSTANTIATE_TEST_SUITE_P(
    Masks, OfferMaskTest,
    testing::ValuesIn<MaskCase>(
        {{"AllOfAllIsAll", "stfurc", "stfurc", "stfurc"},
         {"AnEmptyPolicyOffersNothing", "", "stfurc", ""},
         {"AnEmptyDeclarationOffersNothing", "stfurc", "", ""},
         {"EachIsCutAlone", "sfr", "stfurc", "sfr"},
         {"DifferentModesMeetNowhere", "f", "u", ""},
         {"ToolsWithoutSamplingAreNothing", "stf", "tf", "f"},
         {"ListChangedWithoutRootsIsNothing", "c", "rc", ""}}),
    [](const auto& row) { return std::string(row.param.name); });

struct OfferCase {
  const char* name;
  const char* features;
  Revision revision;
  const char* want;
};

class OfferTest : public testing::TestWithParam<OfferCase> {};

TEST_P(OfferTest, IsWrittenAsTheRevisionHasIt) {
  const OfferCase& row = GetParam();
  const std::string text =
      ClientCapabilitiesJson(FromLetters(row.features), row.revision);
  EXPECT_EQ(text, row.want);
}

INSTANTIATE_TEST_SUITE_P(
    Offers, OfferTest,
    testing::ValuesIn<OfferCase>(
        {{"Nothing", "", k1125, "{}"},
         {"EverythingInNovember", "stfurc", k1125,
          R"({"roots":{"listChanged":true},"sampling":{"tools":{}},)"
          R"("elicitation":{"form":{},"url":{}}})"},
         {"EverythingInJune", "stfurc", k0618,
          R"({"roots":{"listChanged":true},"sampling":{},"elicitation":{}})"},
         {"EverythingInMarch", "stfurc", k0326,
          R"({"roots":{"listChanged":true},"sampling":{}})"},
         {"UrlAloneInNovember", "u", k1125, R"({"elicitation":{"url":{}}})"},
         {"UrlAloneCannotBeOfferedInJune", "u", k0618, "{}"},
         {"PartsWithoutTheirWhole", "tc", k1125, "{}"},
         {"EverythingInTheModernRevision", "stfurc", k0728,
          R"({"roots":{},"sampling":{"tools":{}},)"
          R"("elicitation":{"form":{},"url":{}}})"},
         {"FormAloneInTheModernRevision", "f", k0728,
          R"({"elicitation":{"form":{}}})"},
         {"UrlAloneInTheModernRevision", "u", k0728,
          R"({"elicitation":{"url":{}}})"},
         {"PartsWithoutTheirWholeInTheModernRevision", "tc", k0728, "{}"},
         {"UrlAloneCannotBeOfferedInMarch", "fu", k0326, "{}"}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(OfferTest, WhatIsWrittenIsReadBack) {
  for (const Revision revision : {k1125, k0728}) {
    for (const std::string letters :
         {"", "s", "st", "f", "u", "fu", "r", "stfur"}) {
      const absl::StatusOr<ClientFeatures> features = Parse(
          ClientCapabilitiesJson(FromLetters(letters), revision), revision);
      ASSERT_TRUE(features.ok()) << features.status();
      EXPECT_EQ(Letters(*features), letters);
    }
  }
}

// A client of one revision, an upstream of another: what is offered is what the
// client declared as far as the upstream's revision can say it, never more.
struct CrossingCase {
  const char* name;
  const char* declared;
  Revision client;
  Revision upstream;
  const char* want;
};

class CrossingOfferTest : public testing::TestWithParam<CrossingCase> {};

TEST_P(CrossingOfferTest, NeverSaysMoreThanTheClientDid) {
  const CrossingCase& row = GetParam();
  const absl::StatusOr<ClientFeatures> declared =
      Parse(row.declared, row.client);
  ASSERT_TRUE(declared.ok()) << declared.status();
  EXPECT_EQ(ClientCapabilitiesJson(Intersect(FromLetters("stfurc"), *declared),
                                   row.upstream),
            row.want);
}

constexpr char kEverything[] =
    R"({"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},)"
    R"("elicitation":{"form":{},"url":{}}})";

INSTANTIATE_TEST_SUITE_P(
    Crossings, CrossingOfferTest,
    testing::ValuesIn<CrossingCase>(
        {{"ContextIsNeverOffered", kEverything, k1125, k1125,
          R"({"roots":{"listChanged":true},"sampling":{"tools":{}},)"
          R"("elicitation":{"form":{},"url":{}}})"},
         {"AJuneClientsFormIsNamedInNovember", R"({"elicitation":{}})", k0618,
          k1125, R"({"elicitation":{"form":{}}})"},
         {"AJuneClientHasNoToolsToOffer", kEverything, k0618, k1125,
          R"({"roots":{"listChanged":true},"sampling":{},)"
          R"("elicitation":{"form":{}}})"},
         {"AMarchClientHasNoElicitationToOffer", kEverything, k0326, k1125,
          R"({"roots":{"listChanged":true},"sampling":{}})"},
         {"AMarchUpstreamIsOfferedNone", kEverything, k1125, k0326,
          R"({"roots":{"listChanged":true},"sampling":{}})"},
         {"AModernClientSaysNothingOfChangedRoots", kEverything, k0728, k1125,
          R"({"roots":{},"sampling":{"tools":{}},)"
          R"("elicitation":{"form":{},"url":{}}})"},
         {"AModernUpstreamIsToldNothingOfChangedRoots", kEverything, k1125,
          k0728,
          R"({"roots":{},"sampling":{"tools":{}},)"
          R"("elicitation":{"form":{},"url":{}}})"},
         {"UrlAloneIsNothingForAJuneUpstream", R"({"elicitation":{"url":{}}})",
          k1125, k0618, "{}"}}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace gatehouse::mcp
