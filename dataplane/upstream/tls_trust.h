#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_TLS_TRUST_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_TLS_TRUST_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "dataplane/http/tls_connector.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/mutex.h"

namespace gatehouse::upstream {

// Whom the worker's https upstreams are known by. What is configured alike is
// shared. The files that a policy names are read at each call, so that a
// renewed one serves the next physical session; the system's CAs are read once
// in the worker's life.
//
// Thread-safe. Reads disks: not on a reactor's thread.
class TlsTrust {
 public:
  // Errors name the field, and the file or reference, and never what is in it:
  // NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION (a key open to others),
  // INVALID_ARGUMENT (not what it should be, expired).
  absl::StatusOr<std::shared_ptr<const http::TlsConnector>> ConnectorFor(
      const relay::UpstreamTarget& target) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Mutex mutex_;
  // By digest of what each was made of.
  std::map<std::string, std::shared_ptr<const http::TlsConnector>> connectors_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_TLS_TRUST_H_
