#include "admin/port.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "admin/loopback.h"
#include "admin/request_head.h"
#include "shared/base/status.h"

namespace gatehouse::admin {
namespace {

constexpr int kBacklog = 64;
constexpr size_t kMaxConnections = 32;
constexpr size_t kMaxHeadBytes = 4096;
constexpr absl::Duration kConnectionDeadline = absl::Seconds(2);
// With no descriptor left the listener stays ready, and asking again at once
// would not help.
constexpr absl::Duration kAcceptPause = absl::Milliseconds(100);

std::string_view Phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Answer";
  }
}

std::string Written(const Answer& answer, bool with_body) {
  std::string text = absl::StrCat(
      "HTTP/1.1 ", answer.status, " ", ToAbsl(Phrase(answer.status)),
      "\r\nContent-Type: ", answer.content_type,
      "\r\nContent-Length: ", answer.body.size(),
      "\r\nCache-Control: no-store\r\nConnection: close\r\n",
      answer.status == 405 ? "Allow: GET, HEAD\r\n" : "", "\r\n");
  if (with_body) text += answer.body;
  return text;
}

// One connection: reads a head, writes an answer, waits for the peer's end.
// Its socket is non-blocking; it is closed with this object.
struct Connection {
  Connection(int fd, absl::Duration until) : socket(fd), deadline(until) {}
  ~Connection() { close(socket); }
  Connection(const Connection&) = delete;

  bool writing() const { return !out.empty(); }

  const int socket;
  const absl::Duration deadline;  // on the steady scale
  std::string head;
  std::string out;  // still to be written
  bool answered = false;
  bool done = false;
};

class PollPort final : public Port {
 public:
  PollPort(int listener, int stop, std::map<std::string, Page> pages,
           Clock& clock)
      : listener_(listener),
        stop_(stop),
        pages_(std::move(pages)),
        clock_(clock),
        address_(BoundAddress(listener)),
        thread_([this] { Loop(); }) {}
  ~PollPort() override {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = write(stop_, &one, sizeof(one));
    thread_.join();
    connections_.clear();
    close(listener_);
    close(stop_);
  }
  const std::string& address() const override { return address_; }

 private:
  void Loop();
  int PollTimeout() const;
  void Accept();
  void Read(Connection& connection);
  void Write(Connection& connection);
  Answer AnswerTo(const RequestHead& head) const;
  void Give(Connection& connection, const Answer& answer, bool with_body);

  const int listener_;
  const int stop_;  // an eventfd
  const std::map<std::string, Page> pages_;
  Clock& clock_;
  const std::string address_;

  // The thread's.
  std::vector<std::unique_ptr<Connection>> connections_;  // the oldest first
  absl::Duration accept_after_;                           // on the steady scale
  std::thread thread_;  // last: it uses all of the above
};

void PollPort::Loop() {
  std::vector<pollfd> fds;
  for (;;) {
    const bool accepts = clock_.Steady() >= accept_after_;
    fds = {{stop_, POLLIN, 0},
           {listener_, static_cast<short>(accepts ? POLLIN : 0), 0}};
    for (const auto& connection : connections_) {
      const auto events =
          static_cast<short>(connection->writing() ? POLLOUT : POLLIN);
      fds.push_back({connection->socket, events, 0});
    }
    if (poll(fds.data(), fds.size(), PollTimeout()) < 0 && errno != EINTR) {
      return;
    }
    if (fds[0].revents != 0) return;
    for (size_t i = 2; i < fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      Connection& connection = *connections_[i - 2];
      connection.writing() ? Write(connection) : Read(connection);
    }
    const absl::Duration now = clock_.Steady();
    std::erase_if(connections_, [now](const auto& connection) {
      return connection->done || connection->deadline <= now;
    });
    if (fds[1].revents != 0) Accept();
  }
}

int PollPort::PollTimeout() const {
  const absl::Duration now = clock_.Steady();
  absl::Duration next = absl::InfiniteDuration();
  if (!connections_.empty()) next = connections_.front()->deadline;
  if (accept_after_ > now) next = std::min(next, accept_after_);
  if (next == absl::InfiniteDuration()) return -1;
  // A millisecond more, since poll cuts what is less than one.
  return static_cast<int>(
      std::max<int64_t>(0, absl::ToInt64Milliseconds(next - now) + 1));
}

void PollPort::Accept() {
  const int fd =
      accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  const absl::Duration now = clock_.Steady();
  if (fd < 0) {
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      accept_after_ = now + kAcceptPause;
    }
    return;
  }
  // Idle ones may not keep a probe out.
  if (connections_.size() >= kMaxConnections) {
    connections_.erase(connections_.begin());
  }
  connections_.push_back(
      std::make_unique<Connection>(fd, now + kConnectionDeadline));
}

void PollPort::Read(Connection& connection) {
  char buffer[1024];
  const ssize_t got = read(connection.socket, buffer, sizeof(buffer));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // What comes after the head is thrown away, since a close with unread bytes
  // would take the answer back.
  if (connection.answered && got > 0) return;
  if (got <= 0) {
    connection.done = true;
    return;
  }
  connection.head.append(buffer, static_cast<size_t>(got));
  const size_t end = connection.head.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (connection.head.size() <= kMaxHeadBytes) return;
    return Give(connection, Says(431, "the head is over 4 KiB"), true);
  }
  const auto head =
      ParseHead(std::string_view(connection.head).substr(0, end + 4));
  if (!head.has_value()) {
    return Give(connection, Says(400, "expected an HTTP/1.1 request"), true);
  }
  Give(connection, AnswerTo(*head), head->method != "HEAD");
}

Answer PollPort::AnswerTo(const RequestHead& head) const {
  if (!head.host.empty() && !IsLoopbackHost(head.host)) {
    return Says(403, "Host: not allowed here; name 127.0.0.1 or localhost");
  }
  const auto page = pages_.find(head.path);
  if (page == pages_.end()) {
    std::string known = "not here; there are";
    for (const auto& [path, handler] : pages_)
      absl::StrAppend(&known, " ", path);
    return Says(404, std::move(known));
  }
  if (head.method != "GET" && head.method != "HEAD") {
    return Says(405, "only GET and HEAD are served");
  }
  return page->second();
}

void PollPort::Give(Connection& connection, const Answer& answer,
                    bool with_body) {
  connection.answered = true;
  connection.out = Written(answer, with_body);
  Write(connection);
}

void PollPort::Write(Connection& connection) {
  const ssize_t wrote = send(connection.socket, connection.out.data(),
                             connection.out.size(), MSG_NOSIGNAL);
  if (wrote < 0) {
    connection.done = errno != EAGAIN && errno != EINTR;
    return;
  }
  connection.out.erase(0, static_cast<size_t>(wrote));
  if (connection.out.empty()) shutdown(connection.socket, SHUT_WR);
}

absl::StatusOr<int> Listen(std::string_view address) {
  GATEHOUSE_ASSIGN_OR_RETURN(const LoopbackAddress loopback,
                             ParseLoopback(address));
  const int fd = socket(loopback.storage.ss_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (fd >= 0 &&
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
      bind(fd, reinterpret_cast<const sockaddr*>(&loopback.storage),
           loopback.size) == 0 &&
      listen(fd, kBacklog) == 0) {
    return fd;
  }
  const std::string why = strerror(errno);
  if (fd >= 0) close(fd);
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat(ToAbsl(address), ": cannot listen: ", why,
                                 "; choose another port or end its owner"));
}

}  // namespace

Answer Says(int status, std::string_view line) {
  Answer answer;
  answer.status = status;
  answer.body = std::string(line) + "\n";
  return answer;
}

absl::StatusOr<std::unique_ptr<Port>> Port::Open(
    std::string_view address, std::map<std::string, Page> pages, Clock& clock) {
  GATEHOUSE_ASSIGN_OR_RETURN(const int listener, Listen(address));
  const int stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop < 0) {
    close(listener);
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      "the admin port: no descriptor is left");
  }
  return std::unique_ptr<Port>(
      std::make_unique<PollPort>(listener, stop, std::move(pages), clock));
}

}  // namespace gatehouse::admin
