#include "dataplane/downstream/tool_lists.h"

#include <utility>
#include <vector>

#include "shared/base/mutex.h"
#include "shared/base/status.h"

namespace gatehouse::downstream {
namespace {

constexpr absl::Duration kListTimeout = absl::Seconds(30);

// Collects what the upstreams list; the last one to answer merges.
class Gathering {
 public:
  Gathering(const relay::VirtualServerSnapshot& snapshot,
            ToolLists::Listed done)
      : prefix_(snapshot.prefix_names ? catalogue::Prefix::kUpstream
                                      : catalogue::Prefix::kNone),
        elsewhere_(snapshot.elsewhere),
        done_(std::move(done)),
        missing_(snapshot.upstreams.size()) {
    for (const relay::UpstreamTarget& target : snapshot.upstreams) {
      listed_.push_back(
          {target.upstream,
           absl::StatusOr<std::vector<std::string>>(
               MakeStatus(absl::StatusCode::kUnavailable, "not listed yet"))});
    }
  }

  void Take(size_t index, absl::StatusOr<std::vector<std::string>> tools) {
    {
      const MutexLock lock(mutex_);
      listed_[index].tools = std::move(tools);
      if (--missing_ > 0) return;
    }
    Merge();
  }

  // By the last one only, so without the lock.
  void Merge() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    done_(std::make_shared<const catalogue::Catalogue>(
        catalogue::Catalogue::Merge(prefix_, listed_, elsewhere_)));
  }

 private:
  const catalogue::Prefix prefix_;
  const std::vector<std::string> elsewhere_;
  const ToolLists::Listed done_;
  Mutex mutex_;
  std::vector<catalogue::UpstreamTools> listed_ ABSL_GUARDED_BY(mutex_);
  size_t missing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

relay::Beneficiary BeneficiaryOf(const Session& session,
                                 const relay::VirtualServerSnapshot& snapshot) {
  return {session.id(), mcp::Intersect(snapshot.permitted, session.declared())};
}

void ToolLists::List(
    std::shared_ptr<Session> session,
    std::shared_ptr<const relay::VirtualServerSnapshot> snapshot, Listed done) {
  const relay::Beneficiary beneficiary = BeneficiaryOf(*session, *snapshot);
  auto gathering = std::make_shared<Gathering>(
      *snapshot, [session = std::move(session),
                  version = snapshot->policy_version, done = std::move(done)](
                     std::shared_ptr<const catalogue::Catalogue> listed) {
        session->SetListed(listed, version);
        done(std::move(listed));
      });
  if (snapshot->upstreams.empty()) return gathering->Merge();
  for (size_t i = 0; i < snapshot->upstreams.size(); ++i) {
    upstreams_.ListTools(
        snapshot->upstreams[i], beneficiary, kListTimeout,
        [gathering, i](absl::StatusOr<std::vector<std::string>> tools) {
          gathering->Take(i, std::move(tools));
        });
  }
}

void ToolLists::Route(
    std::shared_ptr<Session> session,
    std::shared_ptr<const relay::VirtualServerSnapshot> snapshot,
    std::string name, Routed done) {
  if (const auto listed = session->Listed(snapshot->policy_version);
      listed != nullptr) {
    absl::StatusOr<catalogue::Destination> known = listed->Route(name);
    if (known.ok()) return done(std::move(known));
  }
  const bool first = session->AwaitListing(
      [name = std::move(name), done = std::move(done)](
          std::shared_ptr<const catalogue::Catalogue> fresh) {
        done(fresh->Route(name));
      });
  if (!first) return;
  List(session, std::move(snapshot),
       [session](std::shared_ptr<const catalogue::Catalogue> fresh) {
         for (const auto& waiter : session->TakeListingWaiters()) {
           waiter(fresh);
         }
       });
}

}  // namespace gatehouse::downstream
