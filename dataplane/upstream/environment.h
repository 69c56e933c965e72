#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_ENVIRONMENT_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_ENVIRONMENT_H_

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "dataplane/http/client.h"
#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/relay/upstream.h"
#include "dataplane/upstream/process_table.h"
#include "dataplane/upstream/tls_trust.h"
#include "dataplane/upstream/upstreams.h"
#include "shared/base/clock.h"

namespace gatehouse::upstream {

// What every object of the upstream side is made with. Shared by them; borrows
// what MakeUpstreams was given. Thread-safe: its parts are.
struct Environment {
  Environment(UpstreamsOptions given, http::Reactor& r, http::Executor& e,
              http::Client& c, relay::StrayObserver& s, Clock& k)
      : options(std::move(given)),
        reactor(r),
        executor(e),
        client(c),
        strays(s),
        clock(k),
        processes(options.max_processes_per_upstream, options.max_processes,
                  k) {}

  // A line of ours for the operator.
  void Notice(const relay::UpstreamTarget& target,
              std::string_view line) const {
    if (!options.log) return;
    options.log(LogKind::kNotice, target.virtual_server, target.upstream, line);
  }

  const UpstreamsOptions options;
  http::Reactor& reactor;
  http::Executor& executor;
  http::Client& client;
  relay::StrayObserver& strays;
  Clock& clock;
  ProcessTable processes;
  TlsTrust trust;
  std::atomic<bool> shut_down = false;
};

// Names one upstream of one virtual server in the process table.
inline std::string ProcessKey(const relay::UpstreamTarget& target) {
  return target.virtual_server + "/" + target.upstream;
}

// One physical session serves one target with one set of features: true if a
// session opened for `a` also fits `b`.
inline bool SameTarget(const relay::UpstreamTarget& a,
                       const relay::UpstreamTarget& b) {
  return a.virtual_server == b.virtual_server && a.upstream == b.upstream &&
         a.http_url == b.http_url && a.headers_from == b.headers_from &&
         a.tls_ca == b.tls_ca && a.tls_cert == b.tls_cert &&
         a.tls_key == b.tls_key && a.command == b.command && a.env == b.env &&
         a.run_as == b.run_as;
}

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_ENVIRONMENT_H_
