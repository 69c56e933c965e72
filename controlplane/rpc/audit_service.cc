#include "controlplane/rpc/audit_service.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controlplane/audit/record.h"
#include "controlplane/rpc/convert.h"
#include "controlplane/rpc/finish.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

// With a filter, at most so many leaves are looked through for one page.
constexpr int kMaxScanned = 10'000;
constexpr int kScanPage = 500;

struct Place {
  int64_t epoch = 0;
  int64_t seq = -1;
};

struct Page {
  std::vector<AuditLeafRow> leaves;
  Place last;
  bool more = false;
  int64_t log_size = 0;
};

absl::StatusOr<Place> PlaceOf(const std::string& token) {
  Place place;
  if (token.empty()) return place;
  const std::vector<std::string> parts = absl::StrSplit(token, '-');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &place.epoch) ||
      !absl::SimpleAtoi(parts[1], &place.seq)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "page_token: not one that this service gave");
  }
  return place;
}

std::string BudgetJson(const audit::Budget& budget) {
  return absl::StrCat(
      "{\"slotsDelta\":", budget.slots_delta,
      ",\"reservedDelta\":", budget.reserved_delta,
      ",\"chargedDelta\":", budget.charged_delta, ",\"slots\":", budget.slots,
      ",\"reserved\":", budget.reserved, ",\"charged\":", budget.charged, "}");
}

void SetNames(const audit::Record& record, v1::AuditRecord& out) {
  if (!record.operation_id.empty()) {
    out.set_operation("operations/" + record.operation_id);
  }
  if (!record.input_request_id.empty()) {
    out.set_input_request("inputRequests/" + record.input_request_id);
  }
  if (!record.worker_id.empty()) out.set_worker("workers/" + record.worker_id);
  if (record.virtual_server.empty()) return;
  out.set_upstream("virtualServers/" + record.virtual_server);
  if (!record.upstream.empty()) {
    out.set_upstream(out.upstream() + "/upstreams/" + record.upstream);
  }
}

absl::Status ToProto(const AuditLeafRow& leaf, v1::AuditRecord& out) {
  out.set_name(absl::StrCat("auditRecords/", leaf.epoch, "-", leaf.seq));
  out.set_epoch(leaf.epoch);
  out.set_seq(leaf.seq);
  out.set_body(leaf.body);
  out.set_leaf_hash(leaf.leaf_hash);
  absl::StatusOr<audit::Record> record = audit::Decode(leaf.body);
  if (!record.ok()) return Annotate(record.status(), out.name());
  *out.mutable_time() = rpc::ToProto(record->time);
  out.set_type(std::string(audit::RecordTypeName(record->type)));
  SetNames(*record, out);
  out.set_kind(record->kind);
  if (record->from_state.has_value()) {
    out.set_from_state(std::string(audit::StateName(*record->from_state)));
  }
  if (record->to_state.has_value()) {
    out.set_to_state(std::string(audit::StateName(*record->to_state)));
  }
  out.set_reason(record->reason.empty() ? record->cause : record->reason);
  out.set_rule(record->rule);
  out.set_policy_version(record->policy_version.value_or(0));
  if (record->budget.has_value()) out.set_budget(BudgetJson(*record->budget));
  out.set_error_code(static_cast<int32_t>(record->error_code.value_or(0)));
  out.set_tool(record->tool);
  return absl::OkStatus();
}

bool Matches(const AuditLeafRow& leaf, const std::string& operation_id) {
  if (operation_id.empty()) return true;
  const absl::StatusOr<audit::Record> record = audit::Decode(leaf.body);
  return record.ok() && record->operation_id == operation_id;
}

absl::Status ReadPage(Transaction& tx, const Place& after, int limit,
                      const std::string& operation_id, Page& page) {
  GATEHOUSE_ASSIGN_OR_RETURN(const AuditHeadRow head, tx.GetAuditHead());
  page.log_size = head.size;
  page.last = after;
  for (int scanned = 0; scanned < kMaxScanned;) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        std::vector<AuditLeafRow> leaves,
        tx.ListAuditLeaves(page.last.epoch, page.last.seq, kScanPage));
    for (AuditLeafRow& leaf : leaves) {
      page.last = Place{leaf.epoch, leaf.seq};
      if (!Matches(leaf, operation_id)) continue;
      page.leaves.push_back(std::move(leaf));
      if (static_cast<int>(page.leaves.size()) == limit) {
        page.more = true;
        return absl::OkStatus();
      }
    }
    if (static_cast<int>(leaves.size()) < kScanPage) return absl::OkStatus();
    scanned += kScanPage;
  }
  page.more = true;
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* AuditService::ListRecords(
    grpc::CallbackServerContext* context, const v1::ListRecordsRequest* request,
    v1::ListRecordsResponse* response) {
  const absl::StatusOr<int> limit = PageSize(request->page_size());
  if (!limit.ok()) return Finish(context, limit.status());
  const absl::StatusOr<Place> after = PlaceOf(request->page_token());
  if (!after.ok()) return Finish(context, after.status());
  std::string operation_id;
  if (!request->operation().empty()) {
    absl::StatusOr<std::string> parsed =
        IdOf(request->operation(), "operations/", "operation");
    if (!parsed.ok()) return Finish(context, parsed.status());
    operation_id = *std::move(parsed);
  }
  return ReadAndFinish<Page>(
      context, store_,
      [after = *after, limit = *limit, operation_id](Transaction& tx,
                                                     Page& page) {
        return ReadPage(tx, after, limit, operation_id, page);
      },
      [response](const Page& page) -> absl::Status {
        response->set_log_size(page.log_size);
        for (const AuditLeafRow& leaf : page.leaves) {
          GATEHOUSE_RETURN_IF_ERROR(ToProto(leaf, *response->add_records()));
        }
        if (page.more) {
          response->set_next_page_token(
              absl::StrCat(page.last.epoch, "-", page.last.seq));
        }
        return absl::OkStatus();
      });
}

}  // namespace gatehouse::rpc
