#include "controlplane/broker/policy_book.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::broker {

absl::StatusOr<std::shared_ptr<const CompiledPolicy>> PolicyBook::Current(
    Transaction& tx, std::string_view virtual_server) {
  absl::StatusOr<PolicyRow> row = tx.GetLatestPolicy(virtual_server);
  if (absl::IsNotFound(row.status()) || (row.ok() && row->document.empty())) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      std::string("virtualServers/") +
                          std::string(virtual_server) +
                          ": there is no such virtual server; apply one");
  }
  GATEHOUSE_RETURN_IF_ERROR(row.status());
  const auto known = compiled_.find(virtual_server);
  if (known != compiled_.end() && known->second->version == row->version) {
    return known->second;
  }
  policy::ParseResult parsed = policy::ParseVirtualServer(row->document);
  if (!parsed.violations.empty()) {
    return MakeStatus(
        absl::StatusCode::kInternal,
        absl::StrCat("virtualServers/", row->virtual_server, " version ",
                     row->version, ": ", parsed.violations.front().path, ": ",
                     parsed.violations.front().message));
  }
  auto compiled = std::make_shared<CompiledPolicy>();
  compiled->virtual_server = std::move(parsed.virtual_server);
  compiled->version = row->version;
  compiled_.insert_or_assign(row->virtual_server, compiled);
  return std::shared_ptr<const CompiledPolicy>(std::move(compiled));
}

}  // namespace gatehouse::broker
