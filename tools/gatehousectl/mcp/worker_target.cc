#include "tools/gatehousectl/mcp/worker_target.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/http/tls_connector.h"
#include "dataplane/http/tls_credentials.h"
#include "shared/base/status.h"
#include "tools/gatehousectl/token_file.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxNameBytes = 32;

bool IsVirtualServerName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && name.front() >= 'a' &&
         name.front() <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
             std::string_view::npos;
}

absl::StatusOr<std::shared_ptr<const http::TlsConnector>> MakeTls(
    const std::string& ca_file) {
  http::TlsIdentity identity;
  if (!ca_file.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(identity.ca, http::ReadPemFile(ca_file));
  }
  return http::TlsConnector::Create(identity);
}

}  // namespace

std::string WorkerTarget::ToString() const {
  std::string_view base = url;
  while (base.ends_with('/')) base.remove_suffix(1);
  return absl::StrCat(ToAbsl(base), "/mcp/", name);
}

absl::StatusOr<WorkerLink::Options> Resolve(const WorkerTarget& target) {
  if (!IsVirtualServerName(target.name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        target.name,
        ": a virtual server's name matches [a-z][a-z0-9-]{0,31}; the worker's "
        "address is given with --url"));
  }
  if (target.url.find("/mcp/") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(target.url,
                     ": give the worker's address without /mcp/…, such as "
                     "http://127.0.0.1:8800; the name comes before it"));
  }
  WorkerLink::Options options;
  const auto url = http::ParseUrl(target.ToString());
  if (!url.ok()) return Annotate(url.status(), target.url);
  options.url = *url;
  if (!target.token_file.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        options.bearer_token,
        ReadTokenFile(
            target.token_file,
            "--token-file names a file with the one token of a client"));
  }
  if (options.url.tls) {
    auto tls = MakeTls(target.ca_file);
    if (!tls.ok()) return Annotate(tls.status(), "--ca");
    options.tls = *std::move(tls);
  }
  return options;
}

}  // namespace gatehouse::ctl
