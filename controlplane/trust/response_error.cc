#include "controlplane/trust/response_error.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
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

Ruling ErrorIsWellFormed(const json::Value& error) {
  if (!error.IsObject()) return ObjectTo(error, "expected an error object");
  const std::optional<json::Value> code = error.Find("code");
  if (!code.has_value() || !code->IsIntegerLexeme()) {
    return ObjectToMember(error, "code", "expected an integer");
  }
  return RequiredString(error, "message");
}

ResponseVerdict Invalid(const Objection& objection, std::string_view method) {
  ResponseVerdict verdict;
  verdict.outcome = ResponseOutcome::kInvalid;
  verdict.failure = ToFailure(objection, Reason::kInvalidResponse, method);
  return verdict;
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
         (code < kLeastReserved || code > kMostReserved);
}

ResponseVerdict Failed(std::string_view method, const json::Value& error) {
  const absl::StatusOr<int64_t> code = error.Find("code")->Integer();
  Failure failure;
  failure.reason = Reason::kClientError;
  failure.code = code.ok() && MayPassOn(*code) ? static_cast<int32_t>(*code)
                                               : mcp::kInternalError;
  if (code.ok()) failure.details = {{"clientCode", absl::StrCat(*code)}};
  const std::string text = MaskedText(*StringMember(error, "message"));
  failure.message =
      absl::StrCat(ToAbsl(method), ": the client answered with an error",
                   text.empty() ? "" : ": ", text);
  ResponseVerdict verdict;
  verdict.outcome = ResponseOutcome::kFailed;
  verdict.failure = std::move(failure);
  return verdict;
}

}  // namespace

ResponseVerdict JudgeError(const KindRow& row, std::string_view error) {
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(error));
  if (!document.ok()) {
    Objection objection;
    objection.path = json::PointerOf(document.status());
    objection.what = "the client's error cannot be read as JSON";
    return Invalid(objection, row.method);
  }
  const json::Value root = document->root();
  if (const Ruling ruling = ErrorIsWellFormed(root)) {
    return Invalid(*ruling, row.method);
  }
  const absl::StatusOr<int64_t> code = root.Find("code")->Integer();
  if (row.kind == RequestKind::kSampling && code.ok() &&
      *code == kUserRejected) {
    return Declined(row.method);
  }
  return Failed(row.method, root);
}

}  // namespace gatehouse::trust
