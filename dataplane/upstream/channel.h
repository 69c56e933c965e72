#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_CHANNEL_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_CHANNEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "dataplane/http/executor.h"
#include "dataplane/relay/upstream.h"
#include "dataplane/upstream/environment.h"
#include "dataplane/upstream/trouble.h"
#include "shared/mcp/revision.h"

namespace gatehouse::upstream {

// What a channel tells its session. Called on the session's serial queue.
class ChannelEvents {
 public:
  virtual ~ChannelEvents() = default;
  // One message as it came, unread. `stream` is the id of the request whose own
  // answer carried it; 0: a stream that belongs to no request.
  virtual void OnMessage(std::string text, int64_t stream) = 0;
  // Nothing more will come on the own stream of request `id`.
  virtual void OnRequestEnded(int64_t id, Trouble trouble) = 0;
  // Nothing new can be sent: the upstream forgot the session, or is gone.
  virtual void OnLost(Trouble trouble) = 0;
  // Another session needs the place of this one, which had nothing to do.
  virtual void OnPlaceWanted() = 0;
};

// How messages of one physical session travel: Streamable HTTP or the pipes of
// a process. Knows ids of our own requests and no more of JSON-RPC.
// Runs on the session's serial queue, the destructor excepted.
class Channel {
 public:
  using Sent = std::function<void(absl::Status)>;

  virtual ~Channel() = default;

  // True if a request's answer, and what belongs to it, come on a stream of its
  // own.
  virtual bool has_own_streams() const = 0;

  // Sends one of our requests. `traceparent` goes beside it where that can be
  // (a header of HTTP); empty: none.
  virtual void SendRequest(int64_t id, std::string text,
                           std::string_view traceparent) = 0;
  // Sends a notification or a response. `sent` (may be empty) is told whether
  // the upstream took it: OK, UNAVAILABLE, or RESOURCE_EXHAUSTED.
  virtual void SendAside(std::string text, Sent sent) = 0;
  // Request `id` has its answer, or needs none: its stream may linger so long,
  // unread, and is then cut.
  virtual void StopReading(int64_t id, absl::Duration linger) = 0;

  // The handshake settled on `revision`: from the next message on.
  virtual void Settle(mcp::Revision revision) = 0;
  // The session is open: hear what the upstream says outside requests.
  virtual void Listen() = 0;
  // Whether something is in flight: an idle process may lose its place.
  virtual void MarkInUse(bool in_use) = 0;
  // Ends the physical session; no event comes after it. At once: without
  // grace. Idempotent.
  virtual void Close(bool at_once) = 0;
};

using OpenedChannel = std::variant<std::shared_ptr<Channel>, Trouble>;

// Makes the channel to `target`: resolves its secrets, and spawns the process
// of a stdio upstream. The trouble otherwise: a secret or program that is
// missing, `runAs` where it cannot be had, a limit.
OpenedChannel OpenHttpChannel(std::shared_ptr<Environment> environment,
                              const relay::UpstreamTarget& target,
                              http::SerialQueue queue,
                              std::weak_ptr<ChannelEvents> events);
OpenedChannel OpenStdioChannel(std::shared_ptr<Environment> environment,
                               const relay::UpstreamTarget& target,
                               http::SerialQueue queue,
                               std::weak_ptr<ChannelEvents> events);

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_CHANNEL_H_
