#include "tools/gatehousectl/mcp/terminal.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxLineBytes = 1 << 20;

}  // namespace

void Terminal::Print(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t n = write(out_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody is there to read it
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void Terminal::DropTyped() {
  typed_.clear();
  tcflush(in_, TCIFLUSH);
}

bool Terminal::Fill() {
  char buffer[4096];
  const ssize_t n = read(in_, buffer, sizeof(buffer));
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  if (typed_.size() < kMaxLineBytes ||
      std::string_view(buffer, static_cast<size_t>(n)).find('\n') !=
          std::string_view::npos) {
    typed_.append(buffer, static_cast<size_t>(n));
  }
  return true;
}

Terminal::Read Terminal::ReadLine(std::string_view prompt,
                                  const std::function<bool()>& ended,
                                  std::string* line) {
  Print(prompt);
  for (;;) {
    if (ended()) return Read::kWithdrawn;
    const size_t end = typed_.find('\n');
    if (end != std::string::npos) {
      *line = typed_.substr(0, end);
      typed_.erase(0, end + 1);
      if (!line->empty() && line->back() == '\r') line->pop_back();
      return Read::kLine;
    }
    pollfd ready[] = {
        {in_, POLLIN, 0}, {wake_fds_[0], POLLIN, 0}, {wake_fds_[1], POLLIN, 0}};
    if (poll(ready, 3, -1) < 0 && errno != EINTR) return Read::kEnd;
    if (ready[0].revents != 0 && !Fill()) return Read::kEnd;
  }
}

}  // namespace gatehouse::ctl
