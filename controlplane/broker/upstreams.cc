// What each upstream asked, and how it fared: counted, listed and forgotten
// with its policy (DESIGN §17).

#include "controlplane/broker/upstreams.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "controlplane/broker/decision.h"
#include "controlplane/broker/run.h"
#include "shared/base/status.h"

namespace gatehouse::broker {
namespace {

constexpr int kPoliciesPage = 16;
constexpr int kCountsPage = 256;

// The upstreams of one policy, from the place on, until the list is full.
absl::Status AddUpstreams(Transaction& tx, const policy::VirtualServer& policy,
                          const UpstreamsQuery& query,
                          std::vector<UpstreamFigures>& list) {
  std::vector<policy::Upstream> upstreams = policy.upstreams;
  std::sort(upstreams.begin(), upstreams.end(),
            [](const policy::Upstream& a, const policy::Upstream& b) {
              return a.name < b.name;
            });
  for (policy::Upstream& upstream : upstreams) {
    if (std::tie(policy.name, upstream.name) <=
        std::tie(query.after_virtual_server, query.after_upstream)) {
      continue;
    }
    if (list.size() >= static_cast<size_t>(query.limit)) break;
    GATEHOUSE_ASSIGN_OR_RETURN(
        std::vector<VerdictCountRow> verdicts,
        tx.ListVerdictCountsOfUpstream(policy.name, upstream.name));
    list.push_back({policy.name, std::move(upstream), std::move(verdicts)});
  }
  return absl::OkStatus();
}

absl::Status AddUpstreamsOf(Decision& decision, const std::string& name,
                            const UpstreamsQuery& query,
                            std::vector<UpstreamFigures>& list) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::shared_ptr<const CompiledPolicy> policy,
                             decision.policies.Current(decision.tx, name));
  return AddUpstreams(decision.tx, policy->virtual_server, query, list);
}

// The rest of the virtual server where the last page ended; it may be gone.
absl::Status AddRestOfLast(Decision& decision, const UpstreamsQuery& query,
                           std::vector<UpstreamFigures>& list) {
  if (query.after_virtual_server.empty()) return absl::OkStatus();
  const absl::Status status =
      AddUpstreamsOf(decision, query.after_virtual_server, query, list);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::Status AddAll(Decision& decision, const UpstreamsQuery& query,
                    std::vector<UpstreamFigures>& list) {
  GATEHOUSE_RETURN_IF_ERROR(AddRestOfLast(decision, query, list));
  std::string after = query.after_virtual_server;
  while (list.size() < static_cast<size_t>(query.limit)) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        const std::vector<PolicyRow> page,
        decision.tx.ListCurrentPolicies(after, kPoliciesPage));
    for (const PolicyRow& row : page) {
      GATEHOUSE_RETURN_IF_ERROR(
          AddUpstreamsOf(decision, row.virtual_server, query, list));
      if (list.size() >= static_cast<size_t>(query.limit)) break;
    }
    if (page.size() < kPoliciesPage) break;
    after = page.back().virtual_server;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CountVerdict(Transaction& tx, const policy::VirtualServer& policy,
                          std::string_view upstream, const Reason* refused) {
  if (policy::FindUpstream(policy, upstream) == nullptr) {
    return absl::OkStatus();
  }
  return tx.CountVerdict(
      policy.name, upstream,
      refused == nullptr ? std::string_view() : RowOf(*refused).counter);
}

absl::Status ForgetVerdicts(Transaction& tx, std::string_view virtual_server,
                            const policy::VirtualServer* next) {
  // By what is stored, not by the last policy: that may be one that this build
  // cannot read and that is being replaced for it.
  VerdictCountRow after;
  after.virtual_server = std::string(virtual_server);
  while (true) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<VerdictCountRow> page,
                               tx.ListVerdictCounts(after, kCountsPage));
    for (const VerdictCountRow& row : page) {
      if (row.virtual_server != virtual_server) return absl::OkStatus();
      if (next != nullptr &&
          policy::FindUpstream(*next, row.upstream) != nullptr) {
        continue;
      }
      GATEHOUSE_RETURN_IF_ERROR(
          tx.DeleteVerdictCountsOfUpstream(virtual_server, row.upstream));
    }
    if (page.size() < kCountsPage) return absl::OkStatus();
    after = page.back();
  }
}

void Broker::ListUpstreams(UpstreamsQuery query,
                           Done<std::vector<UpstreamFigures>> done) {
  using List = std::vector<UpstreamFigures>;
  Run<List>(
      [query = std::move(query)](Decision& decision, List& list) {
        return query.virtual_server.empty()
                   ? AddAll(decision, query, list)
                   : AddUpstreamsOf(decision, query.virtual_server, query,
                                    list);
      },
      std::move(done));
}

}  // namespace gatehouse::broker
