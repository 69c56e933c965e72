#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gatehouse/v1/audit_service.grpc.pb.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/paging.h"

namespace gatehouse::ctl {
namespace {

struct ListOptions {
  std::string operation;
  int last = 50;
};

// The newest `last` records (all, if 0), however long the log is.
grpc::Status ListLast(const Connection& connection, const ListOptions& options,
                      v1::ListRecordsResponse* result) {
  const auto stub = v1::AuditService::NewStub(connection.channel());
  v1::ListRecordsRequest first;
  if (!options.operation.empty()) {
    first.set_operation(ResourceName("operations/", options.operation));
  }
  return ForEachPage<v1::ListRecordsResponse>(
      connection, first,
      [&stub](auto* context, const auto& request, auto* response) {
        return stub->ListRecords(context, request, response);
      },
      [&options, result](v1::ListRecordsResponse page) {
        result->set_log_size(page.log_size());
        auto* records = result->mutable_records();
        records->MergeFrom(page.records());
        const int over = options.last == 0 ? 0 : records->size() - options.last;
        if (over > 0) records->DeleteSubrange(0, over);
      });
}

// `RELAYED > ANSWERED`; empty if the record speaks of no change.
std::string StateText(const v1::AuditRecord& record) {
  if (record.to_state().empty()) return "";
  if (record.from_state().empty()) return record.to_state();
  return absl::StrCat(record.from_state(), " > ", record.to_state());
}

std::string RecordsTable(const v1::ListRecordsResponse& response) {
  Table table({"SEQ", "TIME", "TYPE", "KIND", "TOOL", "STATE", "REASON", "RULE",
               "CODE", "INPUT REQUEST", "OPERATION"});
  for (const v1::AuditRecord& record : response.records()) {
    table.Add(
        {absl::StrCat(record.epoch(), "-", record.seq()),
         TimeText(record.time()), record.type(), record.kind(), record.tool(),
         StateText(record), record.reason(), record.rule(),
         record.error_code() == 0 ? "" : absl::StrCat(record.error_code()),
         record.input_request(), record.operation()});
  }
  return table.ToString();
}

Exit RunList(Session& session, const ListOptions& options) {
  const Connection* connection = session.connection("auditor");
  if (connection == nullptr) return Exit::kUsage;
  v1::ListRecordsResponse response;
  const grpc::Status status = ListLast(*connection, options, &response);
  if (!status.ok()) return session.Report(status);
  if (session.json()) {
    PrintJson(response);
  } else {
    Print(absl::StrCat(RecordsTable(response), response.records_size(), " of ",
                       response.log_size(), " records in the log\n"));
  }
  return Exit::kOk;
}

}  // namespace

void AddAuditCommands(CLI::App& app, Action* action) {
  CLI::App* audit = app.add_subcommand("audit", "The log of what was decided");
  audit->require_subcommand(1);
  CLI::App* list = audit->add_subcommand(
      "list",
      "The newest records, in the order of the log.\n"
      "  gatehousectl audit list --last 0          all of them\n"
      "  gatehousectl audit list --operation ID    of one client request\n"
      "Needs an auditor's token. A record is written before "
      "anyone can see what it speaks of.");
  auto options = std::make_shared<ListOptions>();
  list->add_option("--operation", options->operation,
                   "Only those that speak of operations/ID");
  list->add_option("--last", options->last, "How many; 0: all")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  list->callback([action, options] {
    *action = [options](Session& session) {
      return RunList(session, *options);
    };
  });
}

}  // namespace gatehouse::ctl
