#ifndef GATEHOUSE_TESTS_UNIT_UPSTREAM_UPSTREAM_RIG_H_
#define GATEHOUSE_TESTS_UNIT_UPSTREAM_UPSTREAM_RIG_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "dataplane/http/client.h"
#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/server.h"
#include "dataplane/relay/upstream.h"
#include "dataplane/upstream/upstreams.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse::upstream {

// Waits until `holds`, called under the mutex, or ten seconds. Thread-safe.
class Watched {
 public:
  bool Await(const std::function<bool()>& holds);
  void Change(const std::function<void()>& change);

 private:
  Mutex mutex_;
  CondVar changed_;
};

// An observer that keeps what it was told.
class RecordingObserver final : public relay::CallObserver {
 public:
  void OnProgress(std::string params) override;
  void OnNotification(std::string method, std::string params) override;
  void OnInputRequests(std::vector<relay::RaisedInputRequest> requests,
                       relay::Attribution attribution,
                       mcp::Revision revision) override;
  void OnInputRequestCancelled(std::string key) override;
  void OnEnd(End end) override;

  // Each waits up to ten seconds; false if it did not come.
  bool AwaitEnd();
  bool AwaitAsked(size_t count = 1);
  bool AwaitWithdrawn();
  bool ended();

  // Read after the matching wait.
  struct Asked {
    relay::RaisedInputRequest request;
    relay::Attribution attribution;
    mcp::Revision revision;
  };
  std::vector<std::string> progress;
  std::vector<std::string> notifications;
  std::vector<Asked> asked;
  std::vector<std::string> withdrawn;
  std::vector<End> ends;

 private:
  Watched watched_;
};

// Answers every stray with one error, as the control plane would.
class RecordingStrays final : public relay::StrayObserver {
 public:
  Cancel OnStrayInputRequest(const relay::UpstreamTarget&,
                             const relay::Beneficiary&,
                             relay::RaisedInputRequest request,
                             relay::Attribution attribution, mcp::Revision,
                             Reply reply) override;
  bool AwaitStrays(size_t count);
  bool AwaitCancelled(size_t count);

  // `roots/list` alone is left open.
  std::vector<std::pair<std::string, relay::Attribution>> strays;
  size_t cancelled = 0;

 private:
  Watched watched_;
};

// A legacy upstream over HTTP whose tools misbehave by name; see its .cc.
class FakeHttpUpstream {
 public:
  explicit FakeHttpUpstream(std::string revision = "2025-11-25",
                            bool offers_get = false);
  ~FakeHttpUpstream();

  std::string url() const;
  struct Seen {
    std::string method;  // of HTTP
    http::Headers headers;
    std::string body;
  };
  // Waits until one whose body (or HTTP method) contains `text` came.
  bool AwaitSeen(const std::string& text, size_t count = 1);
  std::vector<Seen> seen();
  std::vector<Seen> SeenWith(const std::string& text);
  // Writes an event to the open GET stream, once there is one.
  bool SayOnGet(const std::string& message);

 private:
  void Handle(std::shared_ptr<http::Exchange> exchange);
  void HandleGet(const std::shared_ptr<http::Exchange>& exchange);
  void HandleCall(const std::shared_ptr<http::Exchange>& exchange,
                  const std::string& id, const std::string& params);
  void FinishAsked(const std::string& body);

  const std::string revision_;
  const bool offers_get_;
  Watched watched_;
  std::vector<Seen> seen_;
  std::shared_ptr<http::Exchange> get_;
  std::map<std::string, std::shared_ptr<http::Exchange>> held_;  // by call id
  bool forgot_ = false;  // once: the session is unknown
  std::unique_ptr<http::Server> server_;
};

// Everything that Upstreams stand on, for one test.
class UpstreamRig {
 public:
  explicit UpstreamRig(UpstreamsOptions options = {});
  ~UpstreamRig();

  relay::UpstreamTarget HttpTarget(const FakeHttpUpstream& upstream) const;
  // `script` is for /bin/sh; as root it runs as `nobody`.
  relay::UpstreamTarget StdioTarget(const std::string& script) const;

  struct Started {
    std::shared_ptr<relay::UpstreamCall> call;
    std::shared_ptr<RecordingObserver> observer;
  };
  Started Call(const relay::UpstreamTarget& target, const std::string& tool,
               mcp::ClientFeatures offered = {},
               absl::Duration timeout = absl::Seconds(30),
               const std::string& session = "s");
  absl::StatusOr<std::vector<std::string>> ListTools(
      const relay::UpstreamTarget& target, mcp::ClientFeatures offered = {});

  relay::Upstreams& upstreams() { return *upstreams_; }
  RecordingStrays& strays() { return strays_; }
  std::string log();

 private:
  SystemClock clock_;
  RecordingStrays strays_;
  Watched watched_;
  std::string log_;
  http::Reactor reactor_;
  http::Executor executor_;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<relay::Upstreams> upstreams_;
};

// What a client that declared all may be asked for.
mcp::ClientFeatures AllFeatures();

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_TESTS_UNIT_UPSTREAM_UPSTREAM_RIG_H_
