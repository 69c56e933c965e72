#include "dataplane/relay/strays.h"

#include <utility>
#include <vector>

#include "dataplane/relay/replies.h"

namespace gatehouse::relay {
namespace {

// What was asked outside of any call, as the operation sees it: only Reply says
// anything to the upstream.
class Asker final : public UpstreamCall {
 public:
  explicit Asker(StrayObserver::Reply reply) : reply_(std::move(reply)) {}

  void Reply(std::string_view, UpstreamReply reply,
             std::function<void(absl::Status)> written) override {
    reply_(std::move(reply), std::move(written));
  }
  void ReplyProgress(std::string_view, std::string) override {}
  void ExpectCompletion(std::string, std::function<void()>) override {}
  void Cancel(std::string_view) override {}

 private:
  const StrayObserver::Reply reply_;
};

}  // namespace

bool Strays::MayAsk(const std::string& who) {
  constexpr int kAskedAMinute = 64;
  constexpr size_t kMaxCounted = 20'000;  // more sessions than a worker has
  bool first = false;
  {
    const MutexLock lock(counts_->mutex);
    if (counts_->of.size() >= kMaxCounted && !counts_->of.contains(who)) {
      return false;
    }
    int& count = counts_->of[who];
    if (++count > kAskedAMinute) return false;
    first = count == 1;
  }
  if (first) {
    timers_.RunAfter(absl::Minutes(1), [counts = counts_, who] {
      const MutexLock lock(counts->mutex);
      counts->of.erase(who);
    });
  }
  return true;
}

StrayObserver::Cancel Strays::OnStrayInputRequest(
    const UpstreamTarget& target, const Beneficiary& beneficiary,
    RaisedInputRequest request, Attribution attribution,
    mcp::Revision upstream_revision, Reply reply) {
  if (!MayAsk(beneficiary.session + "/" + target.upstream)) {
    reply(NoVerdictReply(), nullptr);
    return nullptr;
  }
  if (attribution != Attribution::kAmbiguous) attribution = Attribution::kNone;
  if (operations_ != nullptr && request.method == "roots/list") {
    return AskForRoots(target, beneficiary, std::move(request), attribution,
                       upstream_revision, reply);
  }
  AdmitRequest admit;
  admit.session = beneficiary.session;
  admit.virtual_server = target.virtual_server;
  admit.upstream = target.upstream;
  admit.upstream_revision = upstream_revision;
  admit.attribution = attribution;
  admit.requests.push_back(std::move(request));
  control_.Admit(
      std::move(admit),
      [reply = std::move(reply)](
          absl::StatusOr<std::vector<AdmitVerdict>> verdicts) {
        // Nothing but a refusal can be said to it.
        const bool refused =
            verdicts.ok() && verdicts->size() == 1 &&
            verdicts->front().kind == AdmitVerdict::Kind::kRefuse;
        reply(refused ? std::move(verdicts->front().refusal) : NoVerdictReply(),
              nullptr);
      });
  return nullptr;  // nothing is open: it is refused at once
}

StrayObserver::Cancel Strays::AskForRoots(const UpstreamTarget& target,
                                          const Beneficiary& beneficiary,
                                          RaisedInputRequest request,
                                          Attribution attribution,
                                          mcp::Revision upstream_revision,
                                          const Reply& reply) {
  const std::string key = request.key;
  OperationSpec spec;
  spec.id = NewId(random_);
  spec.session = beneficiary.session;
  spec.call.target = std::make_shared<const UpstreamTarget>(target);
  spec.call.beneficiary = beneficiary;
  const absl::StatusOr<std::shared_ptr<Operation>> operation =
      operations_->StartOutside(std::move(spec), std::make_shared<Asker>(reply),
                                std::move(request), attribution,
                                upstream_revision);
  if (!operation.ok()) {
    reply(NoVerdictReply(), nullptr);
    return nullptr;
  }
  return [weak = std::weak_ptr<Operation>(*operation), key] {
    if (const auto asking = weak.lock()) asking->OnInputRequestCancelled(key);
  };
}

}  // namespace gatehouse::relay
