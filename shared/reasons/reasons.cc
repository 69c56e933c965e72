#include "shared/reasons/reasons.h"

#include <algorithm>
#include <array>

#include "shared/base/check.h"
#include "shared/json/json.h"

namespace gatehouse {
namespace {

// The JSON-RPC codes of the table. -31001 to -31099 are Gatehouse's own: they
// lie outside the range that JSON-RPC and MCP reserve.
constexpr int32_t kUserDeclined = -1;
constexpr int32_t kBudgetCode = -31001;
constexpr int32_t kRateCode = -31002;
constexpr int32_t kPrivacyCode = -31003;
constexpr int32_t kRevokedCode = -31004;
constexpr int32_t kBadRequest = -32600;
constexpr int32_t kNoSuchMethod = -32601;
constexpr int32_t kBadParams = -32602;
constexpr int32_t kInternal = -32603;

constexpr int32_t kMissingCapability = -32021;  // MCP's, from 2026-07-28 on

// A row, built up from what most of them have. What never travels in one of the
// two directions has kInternal there, so that a mistake is still an honest
// error.
struct Row : ReasonRow {
  constexpr Row(Reason its_reason, std::string_view its_name,
                std::string_view its_meaning)
      : ReasonRow{its_reason, its_name, kInternal,  kInternal, kInternal,
                  its_name,   true,     true,       200,       its_name,
                  false,      "",       its_meaning} {}
  constexpr Row ToUpstream(int32_t code) const {
    Row row = *this;
    row.to_upstream = code;
    return row;
  }
  constexpr Row ToClient(int32_t code) const {
    Row row = *this;
    row.to_client = row.to_modern_client = code;
    return row;
  }
  constexpr Row ToModernClient(int32_t code) const {
    Row row = *this;
    row.to_modern_client = code;
    return row;
  }
  constexpr Row ToBoth(int32_t code) const {
    return ToUpstream(code).ToClient(code);
  }
  constexpr Row ToClientAs(std::string_view its_name) const {
    Row row = *this;
    row.name_to_client = its_name;
    return row;
  }
  constexpr Row UpstreamOnly() const {
    Row row = *this;
    row.reaches_client = false;
    return row;
  }
  constexpr Row ClientOnly() const {
    Row row = *this;
    row.reaches_upstream = false;
    return row;
  }
  constexpr Row Http(int status) const {
    Row row = *this;
    row.http_status = status;
    return row;
  }
  constexpr Row Counter(std::string_view label) const {
    Row row = *this;
    row.counter = label;
    return row;
  }
  constexpr Row Malformed() const {
    Row row = *this;
    row.malformed = true;
    return row;
  }
  constexpr Row Later(std::string_view why) const {
    Row row = *this;
    row.later = why;
    return row;
  }
};

constexpr std::string_view kNoReviewers =
    "no build holds a request for a reviewer yet";
constexpr std::string_view kNoModernClients =
    "no build serves modern clients yet";

constexpr std::array<ReasonRow, static_cast<size_t>(Reason::kWorkerBusy) + 1>
    kRows = {
        Row(Reason::kDeclined, "declined",
            "the user declined the sampling request")
            .ToBoth(kUserDeclined),
        Row(Reason::kDenied, "denied",
            "a reviewer denied the sampling request or its answer")
            .ToBoth(kUserDeclined)
            .Later(kNoReviewers),
        Row(Reason::kRootsDenied, "denied",
            "a reviewer denied the list of roots")
            .Counter("roots_denied")
            .Later(kNoReviewers),
        Row(Reason::kNotPermitted, "not_permitted",
            "the virtual server's policy does not permit the feature")
            .ToUpstream(kNoSuchMethod),
        Row(Reason::kNotPermittedDetail, "not_permitted",
            "the policy permits the feature but not this part of it: tools, "
            "context, a field or a host")
            .ToUpstream(kBadParams)
            .Counter("not_permitted_detail"),
        Row(Reason::kCapabilityNotDeclared, "capability_not_declared",
            "the client has not declared the feature")
            .ToUpstream(kNoSuchMethod),
        Row(Reason::kSubCapabilityNotDeclared, "capability_not_declared",
            "the client has declared the feature but not this part of it")
            .ToUpstream(kBadParams)
            .Counter("sub_capability_not_declared"),
        Row(Reason::kInvalidRequest, "invalid_request",
            "the input request is malformed; `path` says where (its upstream "
            "learns this reason, a client `upstream_protocol_error`)")
            .ToUpstream(kBadParams)
            .ToClientAs("upstream_protocol_error")
            .Malformed(),
        Row(Reason::kNoOperation, "no_operation",
            "no call of the client was in flight that could have caused it")
            .ToUpstream(kBadParams)
            .UpstreamOnly(),
        Row(Reason::kUnattributable, "unattributable",
            "several calls were in flight and it names none of them")
            .ToUpstream(kBadParams)
            .UpstreamOnly(),
        Row(Reason::kNotInitialized, "not_initialized",
            "it was asked before the session was initialized")
            .ToUpstream(kBadParams)
            .UpstreamOnly()
            .Later("what comes before a call is refused as no_operation"),
        Row(Reason::kTooLarge, "too_large",
            "the input request is larger than the limit")
            .ToUpstream(kBadParams)
            .Malformed(),
        Row(Reason::kNotRepresentable, "not_representable",
            "the two revisions differ and converting it would lose something")
            .ToUpstream(kBadParams),
        Row(Reason::kBudgetExhausted, "budget_exhausted",
            "the call's budget of requests, tokens or rounds is used up")
            .ToBoth(kBudgetCode),
        Row(Reason::kRateLimited, "rate_limited",
            "too many input requests in this time")
            .ToBoth(kRateCode)
            .Later("no build enforces rates yet"),
        Row(Reason::kTooManyOpen, "too_many_open",
            "too many input requests wait for an answer")
            .ToBoth(kRateCode),
        Row(Reason::kPrivacyBlocked, "privacy_blocked",
            "the privacy policy refuses its content")
            .ToBoth(kPrivacyCode)
            .Later("no build enforces a privacy policy yet"),
        Row(Reason::kRevoked, "revoked", "the policy changed while it was open")
            .ToBoth(kRevokedCode)
            .Later("a policy that changes does not end what is open yet"),
        Row(Reason::kExpired, "expired", "nobody answered in time"),
        Row(Reason::kInvalidResponse, "invalid_response",
            "the client's answer was refused; `path` says where")
            .ToModernClient(kBadParams),
        Row(Reason::kResponseTooLarge, "too_large",
            "the client's answer is larger than the limit")
            .ToModernClient(kBadParams)
            .Counter("response_too_large"),
        Row(Reason::kClientError, "client_error",
            "the client answered with an error; towards an upstream its code "
            "is kept if it lies outside the reserved ranges and ours"),
        Row(Reason::kOperationEnded, "operation_ended",
            "the call that it belonged to has ended"),
        Row(Reason::kTrustUnavailable, "trust_unavailable",
            "the control plane could not be asked"),
        Row(Reason::kDuplicateId, "duplicate_id",
            "a request with this id is in flight in the same session")
            .ToClient(kBadRequest)
            .ClientOnly()
            .Http(400),
        Row(Reason::kUnknownTool, "unknown_tool",
            "the virtual server lists no tool of that name")
            .ToClient(kBadParams)
            .ClientOnly(),
        Row(Reason::kUnknownHandle, "unknown_handle",
            "the `requestState` is unknown, expired, used, another's or of "
            "another call")
            .ToClient(kBadParams)
            .ClientOnly()
            .Later(kNoModernClients),
        Row(Reason::kMissingClientCapability, "missing_client_capability",
            "the call failed after an input request that needed a capability "
            "which it did not declare; `requiredCapabilities` names it")
            .ToClient(kMissingCapability)
            .ClientOnly()
            .Http(400)
            .Later(kNoModernClients),
        Row(Reason::kMultiRoundUnavailable, "multi_round_unavailable",
            "an input request of a legacy upstream would need the call to be "
            "parked, and `parkCalls` is off")
            .ClientOnly()
            .Later(kNoModernClients),
        Row(Reason::kUpstreamUnavailable, "upstream_unavailable",
            "the upstream cannot be reached or has ended")
            .ClientOnly(),
        Row(Reason::kUpstreamTimeout, "upstream_timeout",
            "the upstream did not answer in time")
            .ClientOnly(),
        Row(Reason::kUpstreamProtocolError, "upstream_protocol_error",
            "the upstream sent what the protocol does not allow")
            .ClientOnly(),
        Row(Reason::kUpstreamBusy, "upstream_busy",
            "the upstream has no place for another call")
            .ClientOnly(),
        Row(Reason::kUpstreamNotHere, "upstream_not_here",
            "the upstream is served by other workers than this one")
            .ClientOnly(),
        Row(Reason::kWorkerBusy, "worker_busy",
            "the worker is full or shuts down; come again after `Retry-After`")
            .ClientOnly()
            .Http(503),
};

// The table is indexed by the enum, so a hole, a double or a wrong order does
// not compile; that the last row is the last reason is for the unit test.
constexpr bool IsInOrder() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].reason) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());

}  // namespace

const ReasonRow& RowOf(Reason reason) {
  const auto index = static_cast<size_t>(reason);
  GATEHOUSE_CHECK(index < kRows.size());
  return kRows[index];
}

const std::vector<ReasonRow>& AllReasons() {
  static const auto* rows =
      new std::vector<ReasonRow>(kRows.begin(), kRows.end());
  return *rows;
}

const ReasonRow* FindReason(std::string_view name, int64_t to_upstream) {
  const ReasonRow* found = nullptr;
  for (const ReasonRow& row : kRows) {
    if (row.name != name) continue;
    if (row.to_upstream == to_upstream) return &row;
    if (found == nullptr) found = &row;
  }
  return found;
}

const ReasonRow* FindReasonByCounter(std::string_view counter) {
  for (const ReasonRow& row : kRows) {
    if (row.counter == counter) return &row;
  }
  return nullptr;
}

int32_t CodeOf(const Failure& failure, Receiver receiver) {
  const ReasonRow& row = RowOf(failure.reason);
  switch (receiver) {
    case Receiver::kUpstream:
      return failure.code.value_or(row.to_upstream);
    case Receiver::kLegacyClient:
      return row.to_client;
    case Receiver::kModernClient:
      return row.to_modern_client;
  }
  return kInternal;
}

std::string DataOf(const Failure& failure, Receiver receiver) {
  const ReasonRow& row = RowOf(failure.reason);
  json::Writer writer;
  writer.StartObject().Name("reason").String(
      receiver == Receiver::kUpstream ? row.name : row.name_to_client);
  if (!failure.path.empty()) writer.Name("path").String(failure.path);
  for (const auto& [name, value] : failure.details) {
    writer.Name(name).Raw(value);
  }
  return writer.EndObject().Take();
}

}  // namespace gatehouse
