#include "controlplane/rpc/fleet_service.h"

#include <utility>
#include <vector>

#include "controlplane/rpc/convert.h"
#include "controlplane/rpc/finish.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

struct Listed {
  WorkerRow worker;
  int64_t mail = 0;
  bool lease_holds = false;
};

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

}  // namespace gatehouse::rpc
