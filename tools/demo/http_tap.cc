#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <list>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tools/demo/http_reader.h"
#include "tools/demo/tap.h"

namespace gatehouse::demo {
namespace {

constexpr size_t kMaxConnections = 256;
constexpr absl::Duration kConnectTimeout = absl::Seconds(5);
constexpr absl::Duration kWriteTimeout = absl::Seconds(10);

// One direction of a connection: bytes are read for the recording, then passed.
class Lane final : public HttpObserver {
 public:
  Lane(bool to_server, std::string channel, RecordingWriter* recording)
      : to_server_(to_server),
        channel_(std::move(channel)),
        recording_(recording),
        reader_(to_server ? HttpReader::Side::kRequests
                          : HttpReader::Side::kResponses,
                this) {}

  void OnHead(const HttpHead& head) override { start_line_ = head.start_line; }
  void OnMessage(std::string_view text) override {
    const absl::Status status =
        recording_->Append({.to_server = to_server_,
                            .channel = channel_,
                            .http = start_line_,
                            .message = std::string(text)});
    if (!status.ok() && error_.ok()) error_ = status;
  }
  void OnEnd() override {}

  // What cannot be read or recorded is passed on all the same: a tap changes
  // nothing between its peers.
  absl::Status Pass(std::string_view bytes, int to) {
    if (recorded_) {
      absl::Status status = reader_.Feed(bytes);
      if (status.ok()) status = error_;
      if (!status.ok()) {
        recorded_ = false;
        fprintf(stderr, "tap: connection %s is no longer recorded: %s\n",
                channel_.c_str(), std::string(status.message()).c_str());
      }
    }
    return WriteAll(to, bytes, kWriteTimeout);
  }
  void Close() {
    if (recorded_) reader_.Close();
  }

 private:
  const bool to_server_;
  const std::string channel_;
  RecordingWriter* const recording_;
  HttpReader reader_;
  std::string start_line_;
  absl::Status error_;
  bool recorded_ = true;
};

// A client's connection and the tap's own to the target.
class Connection {
 public:
  Connection(Fd client, Fd server, const std::string& channel,
             RecordingWriter* recording)
      : client_(std::move(client)),
        server_(std::move(server)),
        to_server_(true, channel, recording),
        to_client_(false, channel, recording) {}

  void AddTo(std::vector<pollfd>* entries) const {
    entries->push_back({client_open_ ? client_.get() : -1, POLLIN, 0});
    entries->push_back({server_open_ ? server_.get() : -1, POLLIN, 0});
  }
  // Moves what can be moved; false once both directions are over.
  bool Move(const pollfd& client, const pollfd& server) {
    if (client.revents != 0) {
      client_open_ = MoveLane(client_.get(), server_.get(), &to_server_);
    }
    if (server.revents != 0) {
      server_open_ = MoveLane(server_.get(), client_.get(), &to_client_);
    }
    // A server that is gone has nothing more to say to anyone.
    return server_open_;
  }

 private:
  static bool MoveLane(int from, int to, Lane* lane) {
    const absl::StatusOr<std::string> bytes =
        ReadSome(from, SteadyNow() + absl::Seconds(1));
    if (bytes.ok() && !bytes->empty() && lane->Pass(*bytes, to).ok()) {
      return true;
    }
    lane->Close();
    shutdown(to, SHUT_WR);
    return false;
  }

  const Fd client_;
  const Fd server_;
  Lane to_server_;
  Lane to_client_;
  bool client_open_ = true;
  bool server_open_ = true;
};

class HttpTap {
 public:
  HttpTap(Fd listener, HostPort target, RecordingWriter recording)
      : listener_(std::move(listener)),
        target_(std::move(target)),
        recording_(std::move(recording)) {}

  absl::Status Run(int stop) {
    for (;;) {
      std::vector<pollfd> entries;
      const bool room = connections_.size() < kMaxConnections;
      entries.push_back({stop, POLLIN, 0});
      entries.push_back({room ? listener_.get() : -1, POLLIN, 0});
      for (const auto& connection : connections_) connection->AddTo(&entries);
      if (poll(entries.data(), entries.size(), -1) < 0) {
        if (errno == EINTR) continue;
        return absl::ErrnoToStatus(errno, "poll");
      }
      if (entries[0].revents != 0) return absl::OkStatus();
      MoveAll(entries);
      if (entries[1].revents != 0) Accept();
    }
  }

 private:
  void MoveAll(const std::vector<pollfd>& entries) {
    size_t at = 2;
    for (auto it = connections_.begin(); it != connections_.end(); at += 2) {
      const bool open = (*it)->Move(entries[at], entries[at + 1]);
      it = open ? std::next(it) : connections_.erase(it);
    }
  }

  void Accept() {
    Fd client(accept4(listener_.get(), nullptr, nullptr,
                      SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client.valid()) return;
    absl::StatusOr<Fd> server = Connect(target_, kConnectTimeout);
    if (!server.ok()) {
      fprintf(stderr, "tap: %s\n",
              std::string(server.status().message()).c_str());
      return;
    }
    connections_.push_back(
        std::make_unique<Connection>(std::move(client), *std::move(server),
                                     absl::StrCat(++count_), &recording_));
  }

  const Fd listener_;
  const HostPort target_;
  RecordingWriter recording_;
  std::list<std::unique_ptr<Connection>> connections_;
  int64_t count_ = 0;
};

}  // namespace

absl::Status RunHttpTap(const HttpTapOptions& options,
                        RecordingWriter recording, int stop) {
  GATEHOUSE_ASSIGN_OR_RETURN(Fd listener, Listen(options.listen));
  printf("{\"event\":\"ready\",\"listen\":\"%s:%d\"}\n",
         options.listen.host.c_str(), LocalPort(listener));
  fflush(stdout);
  HttpTap tap(std::move(listener), options.target, std::move(recording));
  return tap.Run(stop);
}

}  // namespace gatehouse::demo
