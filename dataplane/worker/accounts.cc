#include "dataplane/worker/accounts.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/json/json.h"
#include "shared/mcp/feature_name.h"
#include "shared/mcp/trace_context.h"

namespace gatehouse::worker {
namespace {

constexpr std::array<std::string_view, 4> kFeatureNames = {
    "sampling", "elicitation", "roots", "other"};

size_t FeatureOf(std::string_view method) {
  const std::string_view name = mcp::FeatureName(method);
  for (size_t i = 0; i + 1 < kFeatureNames.size(); ++i) {
    if (name == kFeatureNames[i]) return i;
  }
  return kFeatureNames.size() - 1;
}

std::string_view EndName(relay::OperationEnd end) {
  switch (end) {
    case relay::OperationEnd::kCompleted:
      return "completed";
    case relay::OperationEnd::kClientCancelled:
      return "client_cancelled";
    case relay::OperationEnd::kUpstreamFailed:
      return "upstream_failed";
    case relay::OperationEnd::kTimedOut:
      return "timed_out";
    case relay::OperationEnd::kSessionEnded:
      return "session_ended";
    case relay::OperationEnd::kWorkerShutdown:
      return "worker_shutdown";
  }
  return "";
}

// The row of what an upstream is told; null of an error without a reason.
const ReasonRow* RowOfReply(const relay::UpstreamReply& reply) {
  const absl::StatusOr<json::Document> data = json::Document::Parse(reply.data);
  if (!data.ok()) return nullptr;
  const absl::StatusOr<json::Value> reason = data->root().Field("reason");
  if (!reason.ok()) return nullptr;
  const absl::StatusOr<std::string_view> name = reason->String();
  return name.ok() ? FindReason(*name, reply.code) : nullptr;
}

}  // namespace

void Accounts::OnOperationEnded(const relay::CallName& call,
                                relay::OperationEnd end,
                                const Failure* failure) {
  operations_[static_cast<size_t>(end)].Add();
  if (failure == nullptr) return;
  failures_[static_cast<size_t>(failure->reason)].Add();
  LogFailure(call, failure->reason);
}

void Accounts::OnCallRefused(const relay::CallName& call, Reason reason) {
  failures_[static_cast<size_t>(reason)].Add();
  LogFailure(call, reason);
}

void Accounts::LogFailure(const relay::CallName& call, Reason reason) const {
  log_.Info("call_failed", {{"virtualServer", call.virtual_server},
                            {"upstream", call.upstream},
                            {"tool", call.tool},
                            {"operation", call.operation},
                            {"reason", RowOf(reason).name},
                            {"traceId", mcp::TraceIdOf(call.traceparent)}});
}

void Accounts::OnInputRequestEnded(const relay::CallName& call,
                                   std::string_view method,
                                   std::string_view input_request,
                                   const relay::UpstreamReply* reply,
                                   absl::Duration took) {
  size_t outcome = kWithdrawn;
  std::string_view reason = "withdrawn";
  if (reply != nullptr && !reply->is_error) {
    outcome = kDelivered;
    reason = "delivered";
  } else if (reply != nullptr) {
    const ReasonRow* const row = RowOfReply(*reply);
    const Reason which = row == nullptr ? Reason::kClientError : row->reason;
    outcome = static_cast<size_t>(which);
    reason = RowOf(which).name;
  }
  const size_t feature = FeatureOf(method);
  input_requests_[feature][outcome].Add();
  input_request_seconds_.Add(took);
  if (!log_.Writes(admin::LogLevel::kInfo)) return;
  log_.Info("input_request_ended",
            {{"virtualServer", call.virtual_server},
             {"upstream", call.upstream},
             {"tool", call.tool},
             {"operation", call.operation},
             {"inputRequest", input_request},
             {"feature", kFeatureNames[feature]},
             {"outcome", reason},
             {"tookMs", absl::StrCat(absl::ToInt64Milliseconds(took))},
             {"traceId", mcp::TraceIdOf(call.traceparent)}});
}

void Accounts::OnSessionOpened(std::string_view virtual_server,
                               std::string_view revision) {
  sessions_opened_.Add();
  log_.Debug("session_opened",
             {{"virtualServer", virtual_server}, {"revision", revision}});
}

void Accounts::OnSessionEnded(std::string_view virtual_server) {
  sessions_ended_.Add();
  log_.Debug("session_ended", {{"virtualServer", virtual_server}});
}

void Accounts::AddTo(admin::MetricsPage& page) const {
  for (size_t i = 0; i < kEnds; ++i) {
    page.Counter(
        "gatehouse_worker_operations_ended_total",
        "operations by how they ended",
        static_cast<double>(operations_[i].value()),
        {{"end", std::string(EndName(static_cast<relay::OperationEnd>(i)))}});
  }
  for (const ReasonRow& row : AllReasons()) {
    const int64_t count = failures_[static_cast<size_t>(row.reason)].value();
    if (count == 0) continue;
    page.Counter("gatehouse_worker_calls_failed_total",
                 "calls that the gateway answered with an error of its own",
                 static_cast<double>(count),
                 {{"reason", std::string(row.counter)}});
  }
  const auto add = [&](size_t feature, size_t outcome, std::string_view name) {
    const int64_t count = input_requests_[feature][outcome].value();
    if (count == 0 && outcome != kDelivered) return;
    page.Counter("gatehouse_worker_input_requests_total",
                 "input requests of upstreams by what was answered",
                 static_cast<double>(count),
                 {{"feature", std::string(kFeatureNames[feature])},
                  {"outcome", std::string(name)}});
  };
  for (size_t feature = 0; feature < kFeatures; ++feature) {
    add(feature, kDelivered, "delivered");
    add(feature, kWithdrawn, "withdrawn");
    for (const ReasonRow& row : AllReasons()) {
      add(feature, static_cast<size_t>(row.reason), row.counter);
    }
  }
  page.Histogram("gatehouse_worker_input_request_seconds",
                 "time that an input request added to its call",
                 input_request_seconds_);
  page.Counter("gatehouse_worker_sessions_opened_total",
               "sessions of clients opened here",
               static_cast<double>(sessions_opened_.value()));
  page.Counter("gatehouse_worker_sessions_ended_total",
               "sessions that ended while this worker knew them",
               static_cast<double>(sessions_ended_.value()));
}

}  // namespace gatehouse::worker
