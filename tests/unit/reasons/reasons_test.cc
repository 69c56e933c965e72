// Invariant 8, honest errors: each failure has its own code and a stable
// `data.reason`. The contract stands here a second time on purpose: a code or a
// name that peers have seen never changes by accident.

#include "shared/reasons/reasons.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/json/json.h"

namespace gatehouse {
namespace {

constexpr std::optional<int32_t> kNever = std::nullopt;

// A row of the design's §7, which may stand for several reasons: the code that
// a legacy upstream gets, a legacy and a modern client, and the reason that the
// upstream reads (a client reads the same unless `client_name` says otherwise).
struct ContractRow {
  const char* what;
  std::vector<Reason> reasons;
  std::optional<int32_t> upstream;
  std::optional<int32_t> client;
  std::optional<int32_t> modern_client;
  const char* name;
  const char* client_name = "";
  int http_status = 200;
};

using R = Reason;

const std::vector<ContractRow>& Contract() {
  static const auto* const rows = new std::vector<ContractRow>{
      // Both columns, in the order of the design's table.
      {"user declined sampling", {R::kDeclined}, -1, -1, -1, "declined"},
      {"reviewer denied it", {R::kDenied}, -1, -1, -1, "denied"},
      {"roots denied by a reviewer",
       {R::kRootsDenied},
       -32603,
       -32603,
       -32603,
       "denied"},
      {"feature off",
       {R::kNotPermitted},
       -32601,
       -32603,
       -32603,
       "not_permitted"},
      {"the client has not declared it",
       {R::kCapabilityNotDeclared},
       -32601,
       -32603,
       -32603,
       "capability_not_declared"},
      {"sub-capability not declared",
       {R::kSubCapabilityNotDeclared},
       -32602,
       -32603,
       -32603,
       "capability_not_declared"},
      {"tools, context, credential field or host refused by policy",
       {R::kNotPermittedDetail},
       -32602,
       -32603,
       -32603,
       "not_permitted"},
      {"malformed",
       {R::kInvalidRequest},
       -32602,
       -32603,
       -32603,
       "invalid_request",
       "upstream_protocol_error"},
      {"no parent", {R::kNoOperation}, -32602, kNever, kNever, "no_operation"},
      {"ambiguous parent",
       {R::kUnattributable},
       -32602,
       kNever,
       kNever,
       "unattributable"},
      {"before initialized",
       {R::kNotInitialized},
       -32602,
       kNever,
       kNever,
       "not_initialized"},
      {"an input request too large",
       {R::kTooLarge},
       -32602,
       -32603,
       -32603,
       "too_large"},
      {"cannot be converted without loss",
       {R::kNotRepresentable},
       -32602,
       -32603,
       -32603,
       "not_representable"},
      {"budget",
       {R::kBudgetExhausted},
       -31001,
       -31001,
       -31001,
       "budget_exhausted"},
      {"rate", {R::kRateLimited}, -31002, -31002, -31002, "rate_limited"},
      {"too many open",
       {R::kTooManyOpen},
       -31002,
       -31002,
       -31002,
       "too_many_open"},
      {"privacy policy refuses it",
       {R::kPrivacyBlocked},
       -31003,
       -31003,
       -31003,
       "privacy_blocked"},
      {"the policy changed while it was open",
       {R::kRevoked},
       -31004,
       -31004,
       -31004,
       "revoked"},
      {"nobody answered in time",
       {R::kExpired},
       -32603,
       -32603,
       -32603,
       "expired"},
      {"the client's result was refused",
       {R::kInvalidResponse},
       -32603,
       -32603,
       -32602,
       "invalid_response"},
      {"the client's result was too large",
       {R::kResponseTooLarge},
       -32603,
       -32603,
       -32602,
       "too_large"},
      {"the client answered with another error",
       {R::kClientError},
       -32603,
       -32603,
       -32603,
       "client_error"},
      // Not applicable to a client there, for a modern upstream's round ends
      // with its call. A call that its session ends is told so all the same.
      {"the operation ended",
       {R::kOperationEnded},
       -32603,
       -32603,
       -32603,
       "operation_ended"},
      {"the control plane could not be asked",
       {R::kTrustUnavailable},
       -32603,
       -32603,
       -32603,
       "trust_unavailable"},
      // "To a client besides".
      {"a capability that the call did not declare",
       {R::kMissingClientCapability},
       kNever,
       -32021,
       -32021,
       "missing_client_capability",
       "",
       400},
      {"parkCalls is off",
       {R::kMultiRoundUnavailable},
       kNever,
       -32603,
       -32603,
       "multi_round_unavailable"},
      {"a handle that is unknown, expired, used or another's",
       {R::kUnknownHandle},
       kNever,
       -32602,
       -32602,
       "unknown_handle"},
      {"an id already in flight",
       {R::kDuplicateId},
       kNever,
       -32600,
       -32600,
       "duplicate_id",
       "",
       400},
      {"unknown, hidden or quarantined tool",
       {R::kUnknownTool},
       kNever,
       -32602,
       -32602,
       "unknown_tool"},
      {"upstream unreachable or crashed",
       {R::kUpstreamUnavailable},
       kNever,
       -32603,
       -32603,
       "upstream_unavailable"},
      {"upstream timed out",
       {R::kUpstreamTimeout},
       kNever,
       -32603,
       -32603,
       "upstream_timeout"},
      {"upstream spoke nonsense",
       {R::kUpstreamProtocolError},
       kNever,
       -32603,
       -32603,
       "upstream_protocol_error"},
      {"upstream busy",
       {R::kUpstreamBusy},
       kNever,
       -32603,
       -32603,
       "upstream_busy"},
      {"upstream elsewhere",
       {R::kUpstreamNotHere},
       kNever,
       -32603,
       -32603,
       "upstream_not_here"},
      {"worker full or draining",
       {R::kWorkerBusy},
       kNever,
       -32603,
       -32603,
       "worker_busy",
       "",
       503},
      // An unknown virtual server has no row: it is a 404 whose body is no
      // JSON-RPC (HandshakeTest). A decline or dismissal of an elicitation has
      // none: it is a result (TerminalStatesTest).
  };
  return *rows;
}

Failure FailureWith(Reason reason) {
  Failure failure;
  failure.reason = reason;
  return failure;
}

std::string ReasonIn(const std::string& data) {
  const auto document = json::Document::Parse(data);
  if (!document.ok()) return "";
  return std::string(*document->root().Find("reason")->String());
}

TEST(ReasonsTest, EveryRowOfTheContractIsARowOfTheTable) {
  for (const ContractRow& want : Contract()) {
    for (const Reason reason : want.reasons) {
      SCOPED_TRACE(want.what);
      const ReasonRow& row = RowOf(reason);
      EXPECT_EQ(row.reason, reason);
      EXPECT_EQ(row.name, want.name);
      EXPECT_EQ(row.reaches_upstream, want.upstream.has_value());
      EXPECT_EQ(row.reaches_client, want.client.has_value());
      EXPECT_EQ(row.http_status, want.http_status);
      const Failure failure = FailureWith(reason);
      // What never travels is an honest internal error if it does after all.
      EXPECT_EQ(CodeOf(failure, Receiver::kUpstream),
                want.upstream.value_or(-32603));
      EXPECT_EQ(CodeOf(failure, Receiver::kLegacyClient),
                want.client.value_or(-32603));
      EXPECT_EQ(CodeOf(failure, Receiver::kModernClient),
                want.modern_client.value_or(-32603));
      const std::string client_name =
          std::string(want.client_name).empty() ? want.name : want.client_name;
      EXPECT_EQ(ReasonIn(DataOf(failure)), want.name);
      EXPECT_EQ(ReasonIn(DataOf(failure, Receiver::kLegacyClient)),
                client_name);
      EXPECT_EQ(ReasonIn(DataOf(failure, Receiver::kModernClient)),
                client_name);
    }
  }
}

TEST(ReasonsTest, EveryRowOfTheTableStandsOnceInTheContract) {
  std::map<Reason, int> times;
  for (const ContractRow& row : Contract()) {
    for (const Reason reason : row.reasons) ++times[reason];
  }
  EXPECT_EQ(times.size(), AllReasons().size());
  for (const ReasonRow& row : AllReasons()) {
    EXPECT_EQ(times[row.reason], 1) << row.name << " " << row.counter;
  }
}

TEST(ReasonsTest, CountersAreDistinctAndMeaningsAreSentences) {
  std::set<std::string_view> counters;
  for (const ReasonRow& row : AllReasons()) {
    EXPECT_TRUE(counters.insert(row.counter).second) << row.counter;
    EXPECT_EQ(FindReasonByCounter(row.counter), &RowOf(row.reason));
    EXPECT_GT(row.meaning.size(), 20u) << row.name;
    EXPECT_NE(row.meaning.back(), '.') << row.name;
    EXPECT_TRUE(row.reaches_upstream || row.reaches_client) << row.name;
  }
  EXPECT_EQ(FindReasonByCounter(""), nullptr);
}

// Malformed is what the upstream can mend in the request itself; what nobody
// permits, declared, counted or waited for is not. Rows that share a name are
// one reason to whoever reads counts, so they must agree where both are of
// requests.
TEST(ReasonsTest, MalformedAreTheReasonsOfBadRequestsOnly) {
  std::set<std::string_view> malformed;
  for (const ReasonRow& row : AllReasons()) {
    if (!row.malformed) continue;
    malformed.insert(row.counter);
    EXPECT_EQ(row.to_upstream, -32602) << row.counter;
  }
  EXPECT_EQ(malformed,
            (std::set<std::string_view>{"invalid_request", "too_large"}));
}

// JSON-RPC and MCP reserve -32768 to -32000; in it only their own codes.
TEST(ReasonsTest, OwnCodesLieOutsideTheReservedRange) {
  const std::set<int32_t> standard = {-32600, -32601, -32602, -32603, -32021};
  for (const ReasonRow& row : AllReasons()) {
    for (const int32_t code :
         {row.to_upstream, row.to_client, row.to_modern_client}) {
      const bool is_reserved = code >= -32768 && code <= -32000;
      EXPECT_TRUE(!is_reserved || standard.count(code) == 1) << row.name;
    }
  }
}

TEST(ReasonsDeathTest, ANumberThatIsNoReasonEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(RowOf(static_cast<Reason>(1000)), "check failed");
}

// A client's own code goes on to the upstream that asked, and to nobody else.
TEST(CodeOfTest, AClientsOwnCodeReachesTheUpstreamOnly) {
  for (const int32_t code : {-1, -31001, 7, 2'000'000'000}) {
    Failure failure = FailureWith(Reason::kClientError);
    failure.code = code;
    EXPECT_EQ(CodeOf(failure, Receiver::kUpstream), code);
    EXPECT_EQ(CodeOf(failure, Receiver::kLegacyClient), -32603);
    EXPECT_EQ(CodeOf(failure, Receiver::kModernClient), -32603);
  }
}

TEST(DataOfTest, HasTheReasonFirstThenThePathThenTheDetails) {
  Failure failure = FailureWith(Reason::kNotPermittedDetail);
  failure.message = "not part of data";
  EXPECT_EQ(DataOf(failure), R"({"reason":"not_permitted"})");
  failure.path = "/a\"b";
  failure.details = {{"limit", "4096"}, {"which", "\"tokens\""}};
  EXPECT_EQ(DataOf(failure),
            R"({"reason":"not_permitted","path":"/a\"b","limit":4096,)"
            R"("which":"tokens"})");
}

TEST(DataOfTest, PathAndDetailsAreTheSameForEveryReceiver) {
  Failure failure = FailureWith(Reason::kInvalidRequest);
  failure.path = "/messages/0";
  failure.details = {{"limit", "3"}};
  for (const Receiver receiver :
       {Receiver::kLegacyClient, Receiver::kModernClient}) {
    EXPECT_EQ(DataOf(failure, receiver),
              R"({"reason":"upstream_protocol_error","path":"/messages/0",)"
              R"("limit":3})");
  }
}

TEST(FindReasonTest, NameAndCodeTogetherNameOneRow) {
  std::set<std::pair<std::string_view, int32_t>> seen;
  for (const ReasonRow& row : AllReasons()) {
    ASSERT_TRUE(seen.insert({row.name, row.to_upstream}).second) << row.counter;
    EXPECT_EQ(FindReason(row.name, row.to_upstream), &RowOf(row.reason))
        << row.counter;
  }
  // A peer's own code was passed on: the name alone has to do.
  EXPECT_EQ(FindReason("client_error", 4711), &RowOf(Reason::kClientError));
  EXPECT_EQ(FindReason("no_such_reason", -32603), nullptr);
}

}  // namespace
}  // namespace gatehouse
