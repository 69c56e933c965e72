// The messages that Gatehouse writes are read back by its own envelope.

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "shared/mcp/envelope.h"

namespace gatehouse::mcp {
namespace {

Envelope Read(const std::string& text) {
  const absl::StatusOr<Envelope> envelope = ParseEnvelope(text);
  EXPECT_TRUE(envelope.ok()) << envelope.status() << " in " << text;
  return envelope.value_or(Envelope());
}

TEST(MessagesTest, ARequestKeepsItsIdAndParams) {
  const std::string text = RequestMessage("\"a-1\"", "tools/call", "{ }");
  EXPECT_EQ(
      text,
      R"({"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{ }})");
  EXPECT_EQ(Read(text).kind, MessageKind::kRequest);
}

TEST(MessagesTest, EmptyParamsAreLeftOut) {
  EXPECT_EQ(RequestMessage("7", "ping", ""),
            R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  const std::string text = NotificationMessage("notifications/initialized", "");
  EXPECT_EQ(text, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(Read(text).kind, MessageKind::kNotification);
}

TEST(MessagesTest, AMethodIsQuoted) {
  EXPECT_EQ(Read(NotificationMessage("a\"b\n", "[]")).method, "a\"b\n");
}

// Invariant 9, bytes pass unchanged.
TEST(MessagesTest, AResultPassesByteForByte) {
  const std::string result = "{ \"n\": 12345678901234567890.10e+1 }";
  const std::string text = ResultMessage("1", result);
  EXPECT_EQ(Read(text).result, result);
  EXPECT_EQ(text, R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}");
}

TEST(MessagesTest, AnErrorHasItsParts) {
  EXPECT_EQ(ErrorMessage("1", -32602, "no \"x\"", R"({"reason":"a"})"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,)"
            R"("message":"no \"x\"","data":{"reason":"a"}}})");
}

// MCP: an error to an unreadable request has no id, not a null one.
TEST(MessagesTest, AnErrorWithoutAnIdHasNoIdMember) {
  const std::string text = ErrorMessage("", kParseError, "bad", "");
  EXPECT_EQ(text,
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}})");
  EXPECT_EQ(Read(text).kind, MessageKind::kError);
}

TEST(MessagesTest, ARawErrorPassesByteForByte) {
  EXPECT_EQ(RawErrorMessage("2", R"({ "code":-1, "x":[] })"),
            R"({"jsonrpc":"2.0","id":2,"error":{ "code":-1, "x":[] }})");
}

TEST(MessagesTest, AResultIsWrappedInItsOwnStringWithTheSameBytes) {
  for (const char* id : {"1", "\"a \\\" b\""}) {
    for (const char* result : {"{}", R"({ "content": [], "n": 1.0e3 })"}) {
      const std::string want = ResultMessage(id, result);
      EXPECT_EQ(IntoResultMessage(id, result), want);
      EXPECT_EQ(IntoResultMessage(id, std::string("  ") + result), want);
      EXPECT_EQ(IntoResultMessage(id, std::string(99, ' ') + result),
                std::string(99 + strlen(result) + 1 - want.size(), ' ') + want);
    }
  }
}

TEST(MessagesTest, AResponseIsToldFromWhatElseIsWritten) {
  for (const char* id : {"7", "\"a,\\\"b\"", "-12"}) {
    EXPECT_TRUE(IsResponse(ResultMessage(id, "{}")));
    EXPECT_FALSE(IsErrorResponse(ResultMessage(id, R"({"error":1})")));
    EXPECT_TRUE(IsErrorResponse(ErrorMessage(id, -1, "no", "")));
    EXPECT_TRUE(IsResponse(IntoResultMessage(id, std::string(80, ' ') + "{}")));
    EXPECT_FALSE(IsResponse(RequestMessage(id, "m", R"({"result":1})")));
  }
  EXPECT_TRUE(IsErrorResponse(ErrorMessage("", -32700, "no", "")));
  EXPECT_FALSE(IsResponse(NotificationMessage("m", "")));
  for (const char* other : {"", " ", "{}", R"({"jsonrpc":"2.0","id":)",
                            R"({"jsonrpc":"2.0","id":"\\)"}) {
    EXPECT_FALSE(IsResponse(other)) << other;
    EXPECT_FALSE(IsErrorResponse(other)) << other;
  }
}

}  // namespace
}  // namespace gatehouse::mcp
