#include "tests/integration/harness/raw_peer.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "tests/integration/harness/connection.h"

namespace gatehouse::testing {

RawPeer::RawPeer(const std::string& address, int receive_buffer)
    : reader_(HttpReader::Side::kResponses,
              {.on_head =
                   [this](const HttpHead& head) {
                     answers_.push_back({head, "", false});
                   },
               .on_body =
                   [this](std::string_view bytes) {
                     answers_.back().body.append(bytes);
                   },
               .on_end =
                   [this] {
                     answers_.back().whole = true;
                     if (answers_.back().head.Status() == 100) {
                       continued_ = true;
                       answers_.pop_back();
                     }
                   }}) {
  const absl::StatusOr<int> fd = ConnectTo(address, receive_buffer);
  if (fd.ok()) {
    fd_ = *fd;
  } else {
    closed_ = true;
  }
}

RawPeer::~RawPeer() {
  if (fd_ >= 0) close(fd_);
}

bool RawPeer::WaitFor(short events, absl::Time deadline) {
  const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
  pollfd watched = {fd_, events, 0};
  if (left < 0) return false;
  return poll(&watched, 1, static_cast<int>(std::min<int64_t>(left, 60'000))) >
         0;
}

void RawPeer::Read() {
  std::array<char, 64 << 10> buffer;
  while (!closed_) {
    const ssize_t n = recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
      reader_.Feed(std::string_view(buffer.data(), static_cast<size_t>(n)));
    } else if (n < 0 && errno == EAGAIN) {
      return;
    } else if (n == 0 || errno != EINTR) {
      closed_ = true;
      if (!answers_.empty() && !answers_.back().whole) reader_.FeedEnd();
    }
  }
}

bool RawPeer::Send(std::string_view bytes, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (!bytes.empty()) {
    if (closed_ || !WaitFor(POLLIN | POLLOUT, deadline)) return false;
    const ssize_t n =
        send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
      Read();  // the answer that says why
      return false;
    }
    Read();
  }
  return true;
}

bool RawPeer::Drip(std::string_view bytes) {
  // An answer that waits would be lost in the reset that late bytes get.
  Read();
  if (closed_) return false;
  const ssize_t n =
      send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && errno != EAGAIN && errno != EINTR) {
    Read();
    closed_ = true;
  }
  return !closed_;
}

std::optional<RawAnswer> RawPeer::Answer(bool head_only,
                                         absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  Read();
  while (!closed_ &&
         (answers_.empty() || (!head_only && !answers_.front().whole))) {
    if (!WaitFor(POLLIN, deadline)) return std::nullopt;
    Read();
  }
  if (answers_.empty()) return std::nullopt;
  RawAnswer answer = answers_.front();
  // The rest of one that goes on still belongs to it.
  if (answer.whole || closed_) answers_.pop_front();
  return answer;
}

bool RawPeer::AwaitClose(absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  Read();
  while (!closed_) {
    if (!WaitFor(POLLIN, deadline)) return false;
    Read();
  }
  return true;
}

bool RawPeer::Poll() {
  Read();
  return !closed_;
}

}  // namespace gatehouse::testing
