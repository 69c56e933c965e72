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

// A reason that never travels in one of the two directions has kInternal
// there, so that a mistake is still an honest error.
constexpr std::array kRows = {
    ReasonRow{Reason::kDeclined, "declined", kUserDeclined, kUserDeclined, 200,
              "declined", "the user declined the sampling request"},
    ReasonRow{Reason::kDenied, "denied", kUserDeclined, kUserDeclined, 200,
              "denied", "a reviewer denied the request or its answer"},
    ReasonRow{Reason::kNotPermitted, "not_permitted", kNoSuchMethod, kInternal,
              200, "not_permitted",
              "the virtual server's policy does not permit the feature"},
    ReasonRow{Reason::kNotPermittedDetail, "not_permitted", kBadParams,
              kInternal, 200, "not_permitted_detail",
              "the policy permits the feature but not this part of it: tools, "
              "context, a field or a host"},
    ReasonRow{Reason::kCapabilityNotDeclared, "capability_not_declared",
              kNoSuchMethod, kInternal, 200, "capability_not_declared",
              "the client has not declared the feature"},
    ReasonRow{Reason::kSubCapabilityNotDeclared, "capability_not_declared",
              kBadParams, kInternal, 200, "sub_capability_not_declared",
              "the client has declared the feature but not this part of it"},
    ReasonRow{Reason::kInvalidRequest, "invalid_request", kBadParams, kInternal,
              200, "invalid_request",
              "the input request is malformed; `path` says where (its upstream "
              "learns this reason, a client `upstream_protocol_error`)"},
    ReasonRow{Reason::kNoOperation, "no_operation", kBadParams, kInternal, 200,
              "no_operation",
              "no call of the client was in flight that could have caused it"},
    ReasonRow{Reason::kUnattributable, "unattributable", kBadParams, kInternal,
              200, "unattributable",
              "several calls were in flight and it names none of them"},
    ReasonRow{Reason::kNotInitialized, "not_initialized", kBadParams, kInternal,
              200, "not_initialized",
              "it was asked before the session was initialized"},
    ReasonRow{Reason::kTooLarge, "too_large", kBadParams, kInternal, 200,
              "too_large", "the input request is larger than the limit"},
    ReasonRow{
        Reason::kNotRepresentable, "not_representable", kBadParams, kInternal,
        200, "not_representable",
        "the two revisions differ and converting it would lose something"},
    ReasonRow{Reason::kBudgetExhausted, "budget_exhausted", kBudgetCode,
              kBudgetCode, 200, "budget_exhausted",
              "the call's budget of requests, tokens or rounds is used up"},
    ReasonRow{Reason::kRateLimited, "rate_limited", kRateCode, kRateCode, 200,
              "rate_limited", "too many input requests in this time"},
    ReasonRow{Reason::kTooManyOpen, "too_many_open", kRateCode, kRateCode, 200,
              "too_many_open", "too many input requests wait for an answer"},
    ReasonRow{Reason::kPrivacyBlocked, "privacy_blocked", kPrivacyCode,
              kPrivacyCode, 200, "privacy_blocked",
              "the privacy policy refuses its content"},
    ReasonRow{Reason::kRevoked, "revoked", kRevokedCode, kRevokedCode, 200,
              "revoked", "the policy changed while it was open"},
    ReasonRow{Reason::kExpired, "expired", kInternal, kInternal, 200, "expired",
              "nobody answered in time"},
    ReasonRow{Reason::kInvalidResponse, "invalid_response", kInternal,
              kInternal, 200, "invalid_response",
              "the client's answer was refused; `path` says where"},
    ReasonRow{Reason::kResponseTooLarge, "too_large", kInternal, kInternal, 200,
              "response_too_large",
              "the client's answer is larger than the "
              "limit"},
    ReasonRow{Reason::kClientError, "client_error", kInternal, kInternal, 200,
              "client_error",
              "the client answered with an error; towards an upstream its code "
              "is kept if it lies outside the reserved ranges"},
    ReasonRow{Reason::kOperationEnded, "operation_ended", kInternal, kInternal,
              200, "operation_ended", "the call that it belonged to has ended"},
    ReasonRow{Reason::kTrustUnavailable, "trust_unavailable", kInternal,
              kInternal, 200, "trust_unavailable",
              "the control plane could not be asked"},
    ReasonRow{Reason::kDuplicateId, "duplicate_id", kInternal, kBadRequest, 400,
              "duplicate_id",
              "a request with this id is in flight in the same session"},
    ReasonRow{Reason::kUnknownTool, "unknown_tool", kInternal, kBadParams, 200,
              "unknown_tool", "the virtual server lists no tool of that name"},
    ReasonRow{Reason::kUpstreamUnavailable, "upstream_unavailable", kInternal,
              kInternal, 200, "upstream_unavailable",
              "the upstream cannot be reached or has ended"},
    ReasonRow{Reason::kUpstreamTimeout, "upstream_timeout", kInternal,
              kInternal, 200, "upstream_timeout",
              "the upstream did not answer in time"},
    ReasonRow{Reason::kUpstreamProtocolError, "upstream_protocol_error",
              kInternal, kInternal, 200, "upstream_protocol_error",
              "the upstream sent what the protocol does not allow"},
    ReasonRow{Reason::kUpstreamBusy, "upstream_busy", kInternal, kInternal, 200,
              "upstream_busy", "the upstream has no place for another call"},
    ReasonRow{Reason::kUpstreamNotHere, "upstream_not_here", kInternal,
              kInternal, 200, "upstream_not_here",
              "the upstream is served by other workers than this one"},
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

std::string DataOf(const Failure& failure) {
  json::Writer writer;
  writer.StartObject().Name("reason").String(RowOf(failure.reason).name);
  if (!failure.path.empty()) writer.Name("path").String(failure.path);
  for (const auto& [name, value] : failure.details) {
    writer.Name(name).Raw(value);
  }
  return writer.EndObject().Take();
}

}  // namespace gatehouse
