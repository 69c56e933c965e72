#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_TOOL_LISTER_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_TOOL_LISTER_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/clock.h"

namespace gatehouse::upstream {

// Reads all pages of one upstream's `tools/list`, one after the other, within
// one deadline for all of them and a bound on pages, tools and bytes. An
// upstream that has no such method has no tools.
//
// Each page is a call of its own, whose observer this is; it runs where the
// call's observer runs, one page at a time. Kept alive by the call under way.
//
// `done` is told once: DEADLINE_EXCEEDED, UNAVAILABLE, RESOURCE_EXHAUSTED
// (busy), CANCELLED (the session ended) or DATA_LOSS (broke the protocol); the
// message is fit for a client.
class ToolLister final : public relay::CallObserver,
                         public std::enable_shared_from_this<ToolLister> {
 public:
  using Done = std::function<void(absl::StatusOr<std::vector<std::string>>)>;
  using Starter = std::function<void(relay::CallSpec,
                                     std::shared_ptr<relay::CallObserver>)>;

  ToolLister(relay::UpstreamTarget target, relay::Beneficiary beneficiary,
             absl::Duration timeout, Clock& clock, Starter starter, Done done);

  void Start();

  void OnProgress(std::string) override {}
  void OnNotification(std::string, std::string) override {}
  // A listing is never eligible, so none comes.
  void OnInputRequests(std::vector<relay::RaisedInputRequest>,
                       relay::Attribution, mcp::Revision) override {}
  void OnInputRequestCancelled(std::string) override {}
  void OnEnd(End end) override;

 private:
  void AskForPage(const std::optional<std::string>& cursor);
  void HandlePage(std::string result);
  void Fail(Reason reason);

  const relay::UpstreamTarget target_;
  const relay::Beneficiary beneficiary_;
  Clock& clock_;
  const absl::Duration deadline_;  // steady time
  const Starter starter_;
  const Done done_;
  std::vector<std::string> tools_;
  size_t bytes_ = 0;
  std::set<std::string> cursors_;  // asked for; their number is the pages'
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_TOOL_LISTER_H_
