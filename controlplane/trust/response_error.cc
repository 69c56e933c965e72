#include "controlplane/trust/response_error.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/kind.h"
#include "controlplane/trust/ruling.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::trust {
namespace {

// What the specification's examples use for "User rejected sampling request".
constexpr int64_t kUserRejected = -1;
// The codes that JSON-RPC and MCP keep for themselves.
constexpr int64_t kLeastReserved = -32768;
constexpr int64_t kMostReserved = -32000;
// Those of our own (shared/reasons): from a client they would pass for ours.
constexpr int64_t kLeastOwn = -31099;
constexpr int64_t kMostOwn = -31001;

// Nothing: it does not fit 64 bits.
std::optional<int64_t> CodeOf(const json::Value& error) {
  const std::optional<json::Value> member = error.Find("code");
  if (!member.has_value()) return std::nullopt;
  const absl::StatusOr<int64_t> code = member->Integer();
  if (!code.ok()) return std::nullopt;
  return *code;
}

ResponseVerdict Declined(std::string_view method) {
  ResponseVerdict verdict;
  verdict.outcome = ResponseOutcome::kDeclined;
  Failure failure;
  failure.reason = Reason::kDeclined;
  failure.code = static_cast<int32_t>(kUserRejected);
  failure.message =
      absl::StrCat(ToAbsl(method), ": the user declined the request");
  verdict.failure = std::move(failure);
  return verdict;
}

bool MayPassOn(int64_t code) {
  return code >= std::numeric_limits<int32_t>::min() &&
         code <= std::numeric_limits<int32_t>::max() &&
         (code < kLeastReserved || code > kMostReserved) &&
         (code < kLeastOwn || code > kMostOwn);
}

ResponseVerdict Failed(std::string_view method, const json::Value& error) {
  const std::optional<int64_t> code = CodeOf(error);
  Failure failure;
  failure.reason = Reason::kClientError;
  failure.code = code.has_value() && MayPassOn(*code)
                     ? static_cast<int32_t>(*code)
                     : mcp::kInternalError;
  if (code.has_value()) failure.details = {{"clientCode", absl::StrCat(*code)}};
  if (const auto data = error.Find("data")) {
    std::string masked = MaskedData(*data);
    if (!masked.empty()) {
      failure.details.emplace_back("clientData", std::move(masked));
    }
  }
  const std::string text =
      MaskedText(StringMember(error, "message").value_or(""));
  failure.message =
      absl::StrCat(ToAbsl(method), ": the client answered with an error",
                   text.empty() ? "" : ": ", text);
  ResponseVerdict verdict;
  verdict.outcome = ResponseOutcome::kFailed;
  verdict.failure = std::move(failure);
  return verdict;
}

}  // namespace

ResponseVerdict VerdictOfError(const KindRow& row, const json::Value& error) {
  if (row.kind == RequestKind::kSampling && CodeOf(error) == kUserRejected) {
    return Declined(row.method);
  }
  return Failed(row.method, error);
}

}  // namespace gatehouse::trust
