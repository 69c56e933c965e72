#include "dataplane/upstream/tls_trust.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/http/tls_credentials.h"
#include "dataplane/upstream/secret_reference.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr std::string_view kFile = "file:";
// Renewed files leave some behind; sessions keep what they use.
constexpr size_t kMaxConnectors = 64;

absl::StatusOr<std::string> ReadKey(const std::string& reference) {
  // A key in a file must not be open to others; other secrets are the policy
  // author's affair.
  return std::string_view(reference).substr(0, kFile.size()) == kFile
             ? http::ReadKeyFile(reference.substr(kFile.size()))
             : ResolveSecretText(reference);
}

absl::StatusOr<http::TlsIdentity> ReadIdentity(
    const relay::UpstreamTarget& target) {
  http::TlsIdentity identity;
  if (!target.tls_ca.empty()) {
    auto ca = http::ReadPemFile(target.tls_ca);
    if (!ca.ok()) return Annotate(ca.status(), "ca");
    identity.ca = *std::move(ca);
    if (identity.ca.empty()) {
      return MakeStatus(absl::StatusCode::kInvalidArgument,
                        absl::StrCat("ca: ", target.tls_ca,
                                     ": is empty; put certificates into it"));
    }
  }
  if (!target.tls_cert.empty()) {
    auto cert = http::ReadPemFile(target.tls_cert);
    if (!cert.ok()) return Annotate(cert.status(), "cert");
    identity.cert = *std::move(cert);
    auto key = ReadKey(target.tls_key);
    if (!key.ok()) return Annotate(key.status(), "key");
    identity.key = *std::move(key);
  }
  return identity;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const http::TlsConnector>>
TlsTrust::ConnectorFor(const relay::UpstreamTarget& target) {
  GATEHOUSE_ASSIGN_OR_RETURN(const http::TlsIdentity identity,
                             ReadIdentity(target));
  const std::string digest =
      Sha256(absl::StrCat(identity.ca.size(), "/", identity.cert.size(), "/",
                          identity.ca, identity.cert, identity.key));
  {
    const MutexLock lock(mutex_);
    const auto known = connectors_.find(digest);
    if (known != connectors_.end()) return known->second;
  }
  GATEHOUSE_ASSIGN_OR_RETURN(auto made, http::TlsConnector::Create(identity));
  const MutexLock lock(mutex_);
  if (connectors_.size() >= kMaxConnectors) connectors_.clear();
  // Whoever came first has the one whose connections are shared.
  return connectors_.emplace(digest, std::move(made)).first->second;
}

}  // namespace gatehouse::upstream
