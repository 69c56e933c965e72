#include "dataplane/upstream/tool_lister.h"

#include <algorithm>
#include <utility>

#include "dataplane/upstream/messages.h"
#include "dataplane/upstream/trouble.h"
#include "shared/base/status.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::upstream {
namespace {

constexpr size_t kMaxPages = 200;
constexpr size_t kMaxTools = 10'000;
constexpr size_t kMaxBytes = 16 << 20;

absl::StatusCode CodeFor(Reason reason) {
  if (reason == Reason::kUpstreamTimeout) {
    return absl::StatusCode::kDeadlineExceeded;
  }
  if (reason == Reason::kUpstreamBusy) {
    return absl::StatusCode::kResourceExhausted;
  }
  if (reason == Reason::kUpstreamProtocolError) {
    return absl::StatusCode::kDataLoss;
  }
  if (reason == Reason::kOperationEnded) return absl::StatusCode::kCancelled;
  return absl::StatusCode::kUnavailable;
}

}  // namespace

ToolLister::ToolLister(relay::UpstreamTarget target,
                       relay::Beneficiary beneficiary, absl::Duration timeout,
                       Clock& clock, Starter starter, Done done)
    : target_(std::move(target)),
      beneficiary_(std::move(beneficiary)),
      clock_(clock),
      deadline_(clock.Steady() + timeout),
      starter_(std::move(starter)),
      done_(std::move(done)) {}

void ToolLister::Start() { AskForPage(std::nullopt); }

void ToolLister::AskForPage(const std::optional<std::string>& cursor) {
  const absl::Duration left = deadline_ - clock_.Steady();
  if (left <= absl::ZeroDuration()) return Fail(Reason::kUpstreamTimeout);
  starter_({.target = std::make_shared<const relay::UpstreamTarget>(target_),
            .beneficiary = beneficiary_,
            .method = "tools/list",
            .params = ToolsPageParams(cursor),
            .traceparent = "",
            .wants_progress = false,
            .timeout = left},
           shared_from_this());
}

void ToolLister::OnEnd(End end) {
  if (!end.result.empty()) return HandlePage(std::move(end.result));
  if (end.error.empty()) return Fail(end.failure.reason);
  if (cursors_.empty() && ErrorCodeOf(end.error) == mcp::kMethodNotFound) {
    return done_(std::vector<std::string>{});
  }
  Fail(Reason::kUpstreamProtocolError);
}

void ToolLister::HandlePage(std::string result) {
  absl::StatusOr<ToolsPage> page = ReadToolsPage(std::move(result));
  if (!page.ok()) return Fail(Reason::kUpstreamProtocolError);
  for (std::string& tool : page->tools) {
    bytes_ += tool.size();
    tools_.push_back(std::move(tool));
  }
  if (tools_.size() > kMaxTools || bytes_ > kMaxBytes) {
    return Fail(Reason::kUpstreamProtocolError);
  }
  if (!page->next_cursor.has_value()) return done_(std::move(tools_));
  // A cursor that comes again would have no end.
  if (cursors_.size() >= kMaxPages ||
      !cursors_.insert(*page->next_cursor).second) {
    return Fail(Reason::kUpstreamProtocolError);
  }
  AskForPage(page->next_cursor);
}

void ToolLister::Fail(Reason reason) {
  done_(
      MakeStatus(CodeFor(reason), FailureOf(reason, target_.upstream).message));
}

}  // namespace gatehouse::upstream
