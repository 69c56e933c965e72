#include "tools/gatehousectl/audit_reader.h"

#include "gatehouse/v1/audit_service.grpc.pb.h"
#include "shared/base/status.h"
#include "tools/gatehousectl/connection.h"
#include "tools/gatehousectl/paging.h"

namespace gatehouse::ctl {
namespace {

AuditEntry EntryOf(const v1::AuditRecord& record) {
  AuditEntry entry;
  entry.epoch = record.epoch();
  entry.seq = record.seq();
  entry.time_us =
      record.time().seconds() * 1'000'000 + record.time().nanos() / 1000;
  entry.type = record.type();
  entry.operation = record.operation();
  entry.input_request = record.input_request();
  entry.kind = record.kind();
  entry.upstream = record.upstream();
  entry.tool = record.tool();
  entry.from_state = record.from_state();
  entry.to_state = record.to_state();
  entry.reason = record.reason();
  entry.error_code = record.error_code();
  entry.budget = record.budget();
  entry.body = record.body();
  entry.leaf_hash = record.leaf_hash();
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<AuditEntry>> ReadAuditLog(
    const std::string& control, const std::string& token_file) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const Connection connection,
      Connection::Create({.control = control, .token_file = token_file}));
  const auto stub = v1::AuditService::NewStub(connection.channel());
  std::vector<AuditEntry> entries;
  const grpc::Status status = ForEachPage<v1::ListRecordsResponse>(
      connection, v1::ListRecordsRequest(),
      [&stub](auto* context, const auto& request, auto* response) {
        return stub->ListRecords(context, request, response);
      },
      [&entries](const v1::ListRecordsResponse& page) {
        for (const v1::AuditRecord& record : page.records()) {
          entries.push_back(EntryOf(record));
        }
      });
  if (!status.ok()) {
    return MakeStatus(static_cast<absl::StatusCode>(status.error_code()),
                      control + ": " + status.error_message());
  }
  return entries;
}

}  // namespace gatehouse::ctl
