#include "controlplane/rpc/fleet_service.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "controlplane/broker/upstreams.h"
#include "controlplane/rpc/convert.h"
#include "controlplane/rpc/finish.h"
#include "shared/base/status.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::rpc {
namespace {

struct Listed {
  WorkerRow worker;
  int64_t mail = 0;
  bool lease_holds = false;
};

absl::StatusOr<broker::UpstreamsQuery> QueryOf(
    const v1::ListUpstreamsRequest& request) {
  broker::UpstreamsQuery query;
  GATEHOUSE_ASSIGN_OR_RETURN(query.limit, PageSize(request.page_size()));
  if (!request.parent().empty() && request.parent() != "virtualServers/-") {
    GATEHOUSE_ASSIGN_OR_RETURN(
        query.virtual_server,
        IdOf(request.parent(), "virtualServers/", "parent"));
  }
  if (request.page_token().empty()) return query;
  absl::StatusOr<UpstreamName> last = UpstreamNameOf(request.page_token());
  if (!last.ok()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "page_token: not one that this service gave");
  }
  query.after_virtual_server = std::move(last->virtual_server);
  query.after_upstream = std::move(last->upstream);
  return query;
}

// Two rows of the table may share a name; a reader sees one.
std::vector<v1::RefusalCount> RefusalsOf(
    const std::vector<VerdictCountRow>& verdicts) {
  std::map<std::string_view, v1::RefusalCount> by_reason;
  for (const VerdictCountRow& row : verdicts) {
    const ReasonRow* const reason = FindReasonByCounter(row.counter);
    if (reason == nullptr) continue;  // admitted
    v1::RefusalCount& count = by_reason[reason->name];
    count.set_reason(std::string(reason->name));
    count.set_count(count.count() + row.count);
    count.set_malformed(reason->malformed);
    const auto time = ToProto(row.last_time);
    if (time.seconds() > count.last_time().seconds() ||
        (time.seconds() == count.last_time().seconds() &&
         time.nanos() > count.last_time().nanos())) {
      *count.mutable_last_time() = time;
    }
  }
  std::vector<v1::RefusalCount> refusals;
  for (auto& [name, count] : by_reason) refusals.push_back(std::move(count));
  std::stable_sort(refusals.begin(), refusals.end(),
                   [](const v1::RefusalCount& a, const v1::RefusalCount& b) {
                     return a.count() > b.count();
                   });
  return refusals;
}

void Fill(const broker::UpstreamFigures& figures, v1::UpstreamStatus& out) {
  const policy::Upstream& upstream = figures.upstream;
  out.set_name("virtualServers/" + figures.virtual_server + "/upstreams/" +
               upstream.name);
  const bool is_http =
      std::holds_alternative<policy::HttpTransport>(upstream.transport);
  out.set_transport(is_http ? "http" : "stdio");
  for (const std::string& cluster : upstream.clusters) {
    out.add_clusters(cluster);
  }
  for (const VerdictCountRow& row : figures.verdicts) {
    if (row.counter.empty()) out.set_admitted(row.count);
  }
  for (v1::RefusalCount& refusal : RefusalsOf(figures.verdicts)) {
    if (refusal.malformed())
      out.set_malformed(out.malformed() + refusal.count());
    *out.add_refusals() = std::move(refusal);
  }
}

}  // namespace

grpc::ServerBidiReactor<v1::AttachRequest, v1::AttachResponse>*
FleetService::Attach(grpc::CallbackServerContext*) {
  return AttachStream::Start(broker_, store_, workers_);
}

grpc::ServerUnaryReactor* FleetService::ListWorkers(
    grpc::CallbackServerContext* context, const v1::ListWorkersRequest* request,
    v1::ListWorkersResponse* response) {
  const absl::StatusOr<int> limit = PageSize(request->page_size());
  if (!limit.ok()) return Finish(context, limit.status());
  using Rows = std::vector<Listed>;
  return ReadAndFinish<Rows>(
      context, store_,
      [after = request->page_token(), limit = *limit](
          Transaction& tx, Rows& rows) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(std::vector<WorkerRow> workers,
                                   tx.ListWorkers(after, limit));
        for (WorkerRow& worker : workers) {
          Listed listed;
          listed.lease_holds =
              !worker.lost && worker.lease_expire_time > tx.Now();
          GATEHOUSE_ASSIGN_OR_RETURN(listed.mail, tx.CountMail(worker.id));
          listed.worker = std::move(worker);
          rows.push_back(std::move(listed));
        }
        return absl::OkStatus();
      },
      [this, response, limit = *limit](const Rows& rows) {
        for (const Listed& listed : rows) {
          const WorkerRow& row = listed.worker;
          v1::Worker& out = *response->add_workers();
          out.set_name("workers/" + row.id);
          out.set_cluster(row.cluster);
          out.set_address(row.address);
          out.set_version(row.build);
          out.set_epoch(row.epoch);
          *out.mutable_lease_expire_time() = ToProto(row.lease_expire_time);
          out.set_attached(listed.lease_holds && workers_.IsAttached(row.id));
          out.set_operations(row.operations);
          out.set_unacknowledged_mail(static_cast<int32_t>(listed.mail));
        }
        if (static_cast<int>(rows.size()) == limit) {
          response->set_next_page_token(rows.back().worker.id);
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* FleetService::ListUpstreams(
    grpc::CallbackServerContext* context,
    const v1::ListUpstreamsRequest* request,
    v1::ListUpstreamsResponse* response) {
  absl::StatusOr<broker::UpstreamsQuery> query = QueryOf(*request);
  if (!query.ok()) return Finish(context, query.status());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  using List = std::vector<broker::UpstreamFigures>;
  const auto limit = static_cast<size_t>(query->limit);
  broker_.ListUpstreams(
      *std::move(query),
      [response, reactor, limit](const absl::StatusOr<List>& list) {
        if (list.ok()) {
          for (const broker::UpstreamFigures& figures : *list) {
            Fill(figures, *response->add_upstreams());
          }
          if (list->size() == limit) {
            response->set_next_page_token(
                response->upstreams(response->upstreams_size() - 1).name());
          }
        }
        reactor->Finish(ToGrpc(list.status()));
      });
  return reactor;
}

}  // namespace gatehouse::rpc
