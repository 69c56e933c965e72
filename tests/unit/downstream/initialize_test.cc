#include "dataplane/downstream/initialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gatehouse::downstream {
namespace {

std::string Params(const std::string& revision) {
  return R"({"protocolVersion":")" + revision +
         R"(","capabilities":{"sampling":{}},"clientInfo":{"name":"c","x":1}})";
}

struct NegotiationCase {
  const char* name;
  const char* asked;
  const char* got;
};
class NegotiationTest : public testing::TestWithParam<NegotiationCase> {};
TEST_P(NegotiationTest, AnswersAServedRevisionOrTheLatest) {
  const auto handshake = ParseHandshake(Params(GetParam().asked));
  ASSERT_TRUE(handshake.ok()) << handshake.status();
  EXPECT_EQ(mcp::ToString(handshake->revision), GetParam().got);
}
INSTANTIATE_TEST_SUITE_P(Revisions, NegotiationTest,
                         testing::ValuesIn<NegotiationCase>(
                             {{"March", "2025-03-26", "2025-03-26"},
                              {"June", "2025-06-18", "2025-06-18"},
                              {"November", "2025-11-25", "2025-11-25"},
                              {"TooOld", "2024-11-05", "2025-11-25"},
                              {"NoRevision", "1999-01-01", "2025-11-25"},
                              {"Modern", "2026-07-28", "2025-11-25"}}),
                         [](const auto& c) {
                           return std::string(c.param.name);
                         });

TEST(HandshakeTest, WhatTheClientDeclaresIsKeptAsItWroteIt) {
  const auto handshake = ParseHandshake(Params("2025-11-25"));
  ASSERT_TRUE(handshake.ok());
  EXPECT_EQ(handshake->capabilities, R"({"sampling":{}})");
  EXPECT_EQ(handshake->client_info, R"({"name":"c","x":1})");
}

TEST(HandshakeTest, WhatLacksAMemberIsRefusedWithItsPath) {
  for (const char* params :
       {"", "[]", "{}", R"({"protocolVersion":1})",
        R"({"protocolVersion":"2025-11-25","capabilities":{}})",
        R"({"protocolVersion":"2025-11-25","clientInfo":{}})",
        R"({"protocolVersion":"2025-11-25","capabilities":[],"clientInfo":{}})",
        R"({"protocolVersion":"2025-11-25","capabilities":{"sampling":1},)"
        R"("clientInfo":{}})"}) {
    EXPECT_FALSE(ParseHandshake(params).ok()) << params;
  }
}

TEST(HandshakeTest, ToolsAreAllThatIsAdvertised) {
  EXPECT_EQ(HandshakeResult(mcp::Revision::k2025_06_18, "dev", "0.1.0"),
            R"({"protocolVersion":"2025-06-18","capabilities":)"
            R"({"tools":{"listChanged":true}},"serverInfo":)"
            R"({"name":"gatehouse","title":"dev",)"
            R"("version":"0.1.0"}})");
}

}  // namespace
}  // namespace gatehouse::downstream
