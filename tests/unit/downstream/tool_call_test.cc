#include "dataplane/downstream/tool_call.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::downstream {
namespace {

struct RewriteCase {
  const char* name;
  const char* params;
  const char* token;
  const char* upstream;
};
class ToolCallTest : public testing::TestWithParam<RewriteCase> {};

// Defends invariant 9: what is not ours to change passes byte for byte.
TEST_P(ToolCallTest, ChangesTheNameAndTakesTheTokenAndNothingElse) {
  const auto call = ToolCall::Parse(GetParam().params);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->name(), "files__read");
  EXPECT_EQ(call->progress_token(), GetParam().token);
  EXPECT_EQ(call->UpstreamParams("read"), GetParam().upstream);
}

INSTANTIATE_TEST_SUITE_P(
    Params, ToolCallTest,
    testing::ValuesIn<RewriteCase>({
        {"NumbersAndSpaceStay",
         R"({ "name" : "files__read", "arguments":{"n":9007199254740993.10} })",
         "", R"({ "name" : "read", "arguments":{"n":9007199254740993.10} })"},
        {"AbsentArgumentsStayAbsent", R"({"name":"files__read"})", "",
         R"({"name":"read"})"},
        {"TheTokenIsTakenAndOtherMetaStays",
         R"({"name":"files__read","_meta":{"a/b":1.0,"progressToken":"7"}})",
         "\"7\"", R"({"name":"read","_meta":{"a/b":1.0}})"},
        {"ANumberIsAToken",
         R"({"_meta":{"progressToken":7},"name":"files__read"})", "7",
         R"({"_meta":{},"name":"read"})"},
        {"AnEscapedNameIsTheSameName", R"({"name":"files_\u005fread"})", "",
         R"({"name":"read"})"},
        {"ATaskIsLeftOut",
         R"({"name":"files__read","task":{"ttl":1},"x":[1e2]})", "",
         R"({"name":"read","x":[1e2]})"},
        // Defends invariant 1: answers reach an upstream by the judge only.
        {"AnswersToARoundThatNobodyAskedAreLeftOut",
         R"({"name":"files__read","inputResponses":{"a":{"action":"accept"}},)"
         R"("request\u0053tate":"s","y":1})",
         "", R"({"name":"read","y":1})"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ToolCallTraceTest, AValidTraceparentIsReadAndStaysInTheBody) {
  constexpr char kValid[] =
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const std::string params = std::string(R"({"name":"a","_meta":{)") +
                             R"("traceparent":")" + kValid + R"("}})";
  const absl::StatusOr<ToolCall> call = ToolCall::Parse(params);
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->traceparent(), kValid);
  EXPECT_EQ(call->UpstreamParams("a"), params);
}

TEST(ToolCallTraceTest, AnInvalidOneIsIgnoredAndNoFault) {
  for (const char* value :
       {"1", "{}", "\"\"", "\"00-zz-00f067aa0ba902b7-01\"", "null"}) {
    const absl::StatusOr<ToolCall> call = ToolCall::Parse(
        std::string(R"({"name":"a","_meta":{"traceparent":)") + value + "}}");
    ASSERT_TRUE(call.ok()) << value;
    EXPECT_EQ(call->traceparent(), "") << value;
  }
}

TEST(ToolCallFormTest, WhatIsNoCallIsRefused) {
  for (const char* params :
       {"", "[]", "{}", R"({"name":1})", R"({"name":"a","arguments":[]})",
        R"({"name":"a","_meta":1})", R"({"name":"a","name":"b"})",
        R"({"name":"a","_meta":{"x":1,"\u0078":2}})",
        R"({"name":"a","_meta":{"progressToken":1.5}})"}) {
    EXPECT_FALSE(ToolCall::Parse(params).ok()) << params;
  }
}

}  // namespace
}  // namespace gatehouse::downstream
