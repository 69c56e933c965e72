// Invariant 8, honest errors: each failure has its own code and a stable
// `data.reason`. The expected table stands here a second time on purpose: a
// code or a name that peers have seen never changes by accident.

#include "shared/reasons/reasons.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "shared/json/json.h"

namespace gatehouse {
namespace {

struct Expected {
  const char* name;
  int32_t to_upstream;
  int32_t to_client;
  int http_status = 200;
};

// No default: a new reason does not compile until it has its line here.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
Expected ExpectedOf(Reason reason) {
  switch (reason) {
    case Reason::kDeclined:
      return {"declined", -1, -1};
    case Reason::kDenied:
      return {"denied", -1, -1};
    case Reason::kNotPermitted:
      return {"not_permitted", -32601, -32603};
    case Reason::kNotPermittedDetail:
      return {"not_permitted", -32602, -32603};
    case Reason::kCapabilityNotDeclared:
      return {"capability_not_declared", -32601, -32603};
    case Reason::kSubCapabilityNotDeclared:
      return {"capability_not_declared", -32602, -32603};
    case Reason::kInvalidRequest:
      return {"invalid_request", -32602, -32603};
    case Reason::kNoOperation:
      return {"no_operation", -32602, -32603};
    case Reason::kUnattributable:
      return {"unattributable", -32602, -32603};
    case Reason::kNotInitialized:
      return {"not_initialized", -32602, -32603};
    case Reason::kTooLarge:
      return {"too_large", -32602, -32603};
    case Reason::kNotRepresentable:
      return {"not_representable", -32602, -32603};
    case Reason::kBudgetExhausted:
      return {"budget_exhausted", -31001, -31001};
    case Reason::kRateLimited:
      return {"rate_limited", -31002, -31002};
    case Reason::kTooManyOpen:
      return {"too_many_open", -31002, -31002};
    case Reason::kPrivacyBlocked:
      return {"privacy_blocked", -31003, -31003};
    case Reason::kRevoked:
      return {"revoked", -31004, -31004};
    case Reason::kExpired:
      return {"expired", -32603, -32603};
    case Reason::kInvalidResponse:
      return {"invalid_response", -32603, -32603};
    case Reason::kResponseTooLarge:
      return {"too_large", -32603, -32603};
    case Reason::kClientError:
      return {"client_error", -32603, -32603};
    case Reason::kOperationEnded:
      return {"operation_ended", -32603, -32603};
    case Reason::kTrustUnavailable:
      return {"trust_unavailable", -32603, -32603};
    case Reason::kDuplicateId:
      return {"duplicate_id", -32603, -32600, 400};
    case Reason::kUnknownTool:
      return {"unknown_tool", -32603, -32602};
    case Reason::kUpstreamUnavailable:
      return {"upstream_unavailable", -32603, -32603};
    case Reason::kUpstreamTimeout:
      return {"upstream_timeout", -32603, -32603};
    case Reason::kUpstreamProtocolError:
      return {"upstream_protocol_error", -32603, -32603};
    case Reason::kUpstreamBusy:
      return {"upstream_busy", -32603, -32603};
    case Reason::kUpstreamNotHere:
      return {"upstream_not_here", -32603, -32603};
  }
  return {"", 0, 0};
}
#pragma GCC diagnostic pop

constexpr Reason kLast = Reason::kUpstreamNotHere;

// A number beyond the last reason falls out of the switch above: so a reason
// added behind kLast is found even before kLast is moved.
TEST(ReasonsTest, TheWalkReachesTheLastReason) {
  EXPECT_STRNE(ExpectedOf(kLast).name, "");
  EXPECT_STREQ(
      ExpectedOf(static_cast<Reason>(static_cast<int>(kLast) + 1)).name, "");
}

TEST(ReasonsTest, EveryReasonHasExactlyOneRowAndItIsTheContract) {
  std::map<Reason, int> rows;
  for (const ReasonRow& row : AllReasons()) ++rows[row.reason];
  ASSERT_EQ(rows.size(), static_cast<size_t>(kLast) + 1);
  for (int i = 0; i <= static_cast<int>(kLast); ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(rows[reason], 1) << i;
    const ReasonRow& row = RowOf(reason);
    const Expected want = ExpectedOf(reason);
    EXPECT_EQ(row.reason, reason);
    EXPECT_EQ(row.name, want.name);
    EXPECT_EQ(row.to_upstream, want.to_upstream) << row.name;
    EXPECT_EQ(row.to_client, want.to_client) << row.name;
    EXPECT_EQ(row.http_status, want.http_status) << row.name;
  }
}

TEST(ReasonsTest, CountersAreDistinctAndMeaningsAreSentences) {
  std::set<std::string_view> counters;
  for (const ReasonRow& row : AllReasons()) {
    EXPECT_TRUE(counters.insert(row.counter).second) << row.counter;
    EXPECT_GT(row.meaning.size(), 20u) << row.name;
    EXPECT_NE(row.meaning.back(), '.') << row.name;
  }
}

// JSON-RPC and MCP reserve -32768 to -32000; in it only their own codes.
TEST(ReasonsTest, OwnCodesLieOutsideTheReservedRange) {
  const std::set<int32_t> standard = {-32600, -32601, -32602, -32603};
  for (const ReasonRow& row : AllReasons()) {
    for (const int32_t code : {row.to_upstream, row.to_client}) {
      const bool is_reserved = code >= -32768 && code <= -32000;
      EXPECT_TRUE(!is_reserved || standard.count(code) == 1) << row.name;
    }
  }
}

TEST(ReasonsDeathTest, ANumberThatIsNoReasonEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(RowOf(static_cast<Reason>(1000)), "check failed");
}

TEST(DataOfTest, HasTheReasonFirstThenThePathThenTheDetails) {
  Failure failure;
  failure.reason = Reason::kNotPermittedDetail;
  failure.message = "not part of data";
  EXPECT_EQ(DataOf(failure), R"({"reason":"not_permitted"})");
  failure.path = "/a\"b";
  failure.details = {{"limit", "4096"}, {"which", "\"tokens\""}};
  EXPECT_EQ(DataOf(failure),
            R"({"reason":"not_permitted","path":"/a\"b","limit":4096,)"
            R"("which":"tokens"})");
}

TEST(DataOfTest, IsJsonForEveryReason) {
  for (const ReasonRow& row : AllReasons()) {
    Failure failure;
    failure.reason = row.reason;
    const absl::StatusOr<json::Document> data =
        json::Document::Parse(DataOf(failure));
    ASSERT_TRUE(data.ok()) << data.status();
    EXPECT_EQ(*data->root().Find("reason")->String(), row.name);
  }
}

TEST(FindReasonTest, NameAndCodeTogetherNameOneRow) {
  for (const ReasonRow& row : AllReasons()) {
    EXPECT_EQ(FindReason(row.name, row.to_upstream), &RowOf(row.reason))
        << row.counter;
  }
  // A peer's own code was passed on: the name alone has to do.
  EXPECT_EQ(FindReason("client_error", 4711), &RowOf(Reason::kClientError));
  EXPECT_EQ(FindReason("no_such_reason", -32603), nullptr);
}

}  // namespace
}  // namespace gatehouse
