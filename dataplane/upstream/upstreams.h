#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_UPSTREAMS_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_UPSTREAMS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "dataplane/http/client.h"
#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/relay/upstream.h"
#include "shared/base/clock.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::upstream {

// What a line for the worker's log is.
enum class LogKind {
  kNotice,  // ours: what went wrong and what to do about it
  kStderr,  // a line that a stdio upstream wrote to its stderr, as it came
};

// Told how upstreams do, by the policy's names, for whoever counts. Called on
// any thread; quick, and calls nothing of ours back. Thread-safe. Ownership:
// borrowed; outlives the upstreams.
class UpstreamObserver {
 public:
  enum class SessionEvent {
    kOpened,
    kFailed,  // the handshake; it was never open
    kClosed,  // after it was open, for whatever cause
  };
  // What became of a `notifications/elicitation/complete`.
  enum class Completion {
    kTold,       // to the client's side, under our id
    kUnknown,    // of nothing that was shown, or said before; dropped
    kMalformed,  // dropped
  };
  virtual ~UpstreamObserver() = default;
  virtual void OnSession(std::string_view virtual_server,
                         std::string_view upstream, SessionEvent event) = 0;
  // What also makes a kNotice of the log; malformed messages among it.
  virtual void OnTrouble(std::string_view virtual_server,
                         std::string_view upstream, Reason reason) = 0;
  virtual void OnElicitationComplete(std::string_view virtual_server,
                                     std::string_view upstream,
                                     Completion completion) = 0;
  virtual void OnProcessStarted(std::string_view virtual_server,
                                std::string_view upstream) = 0;
};

struct UpstreamsOptions {
  std::string version = "0.0.0";  // of Gatehouse, told in `clientInfo`

  // Called on any thread, must not block. Never gets a secret's value, only the
  // reference that names it. Empty: nothing is logged.
  std::function<void(LogKind kind, std::string_view virtual_server,
                     std::string_view upstream, std::string_view line)>
      log;
  UpstreamObserver* observer = nullptr;  // null: nobody counts

  // An upstream told a physical session of that downstream session that its
  // tools are others now. Called on any thread, must not block. Empty: nobody
  // wants to know.
  std::function<void(const std::string& session)> tools_changed;

  // Of the handshake, all of it: over HTTP, and with a process, which may have
  // to be fetched or compiled before it can say anything.
  absl::Duration open_timeout = absl::Seconds(10);
  absl::Duration process_open_timeout = absl::Minutes(1);
  absl::Duration idle_end = absl::Minutes(5);      // unused, then it ends
  absl::Duration cancel_grace = absl::Seconds(5);  // for a cancelled call
  absl::Duration stop_grace = absl::Seconds(2);    // per step of a process
  int max_processes_per_upstream = 8;
  int max_processes = 64;
  size_t max_message_bytes = 16 << 20;  // of one message from an upstream
  size_t max_calls_per_session = 4096;  // waiting or under way; then busy
};

// The upstream side of a worker: physical sessions with legacy upstreams over
// Streamable HTTP and stdio, opened at first need (DESIGN §2, §9).
//
// Thread-safe; nothing in it blocks: each beneficiary and target has a serial
// queue of its own on `executor`. Ownership: everything is borrowed. Call
// Shutdown, then stop the reactor and the executor, before any of it goes.
std::unique_ptr<relay::Upstreams> MakeUpstreams(
    UpstreamsOptions options, http::Reactor& reactor, http::Executor& executor,
    http::Client& client, relay::StrayObserver& strays, Clock& clock);

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_UPSTREAMS_H_
