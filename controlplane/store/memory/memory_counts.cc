// Verdicts on input requests, counted by upstream.

#include <utility>

#include "controlplane/store/memory/memory_query.h"
#include "controlplane/store/memory/memory_transaction.h"

namespace gatehouse::memory {
namespace {

Tables::Counted KeyOf(const VerdictCountRow& row) {
  return {row.virtual_server, row.upstream, row.counter};
}

}  // namespace

absl::Status MemoryTransaction::CountVerdict(std::string_view virtual_server,
                                             std::string_view upstream,
                                             std::string_view counter) {
  VerdictCountRow row;
  row.virtual_server = std::string(virtual_server);
  row.upstream = std::string(upstream);
  row.counter = std::string(counter);
  const Tables::Counted key = KeyOf(row);
  if (const VerdictCountRow* stored = tables_.verdict_counts.Find(key)) {
    row.count = stored->count;
  }
  ++row.count;
  row.last_time = Now();
  tables_.verdict_counts.Put(journal_, key, std::move(row));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<VerdictCountRow>>
MemoryTransaction::ListVerdictCounts(const VerdictCountRow& after, int limit) {
  return First(Select(tables_.verdict_counts,
                      [key = KeyOf(after)](const VerdictCountRow& row) {
                        return KeyOf(row) > key;
                      }),
               limit);
}

absl::StatusOr<std::vector<VerdictCountRow>>
MemoryTransaction::ListVerdictCountsOfUpstream(std::string_view virtual_server,
                                               std::string_view upstream) {
  return Select(tables_.verdict_counts, [&](const VerdictCountRow& row) {
    return row.virtual_server == virtual_server && row.upstream == upstream;
  });
}

absl::Status MemoryTransaction::DeleteVerdictCountsOfUpstream(
    std::string_view virtual_server, std::string_view upstream) {
  GATEHOUSE_ASSIGN_OR_RETURN(
      const std::vector<VerdictCountRow> rows,
      ListVerdictCountsOfUpstream(virtual_server, upstream));
  for (const VerdictCountRow& row : rows) {
    tables_.verdict_counts.Erase(journal_, KeyOf(row));
  }
  return absl::OkStatus();
}

}  // namespace gatehouse::memory
