#include "tools/gatehousectl/mcp/line_writer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <utility>

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxWaitingBytes = 64 << 20;
// What a pipe that poll calls writable takes without blocking (PIPE_BUF).
constexpr size_t kPieceBytes = 4096;

}  // namespace

LineWriter::LineWriter(int fd, std::function<void(std::string why)> on_lost)
    : fd_(fd),
      on_lost_(std::move(on_lost)),
      wake_fd_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

LineWriter::~LineWriter() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(wake_fd_, &one, sizeof(one));
  thread_.join();
  close(wake_fd_);
}

void LineWriter::Write(std::string line) {
  line.push_back('\n');
  {
    const MutexLock lock(mutex_);
    if (lost_) return;
    if (waiting_bytes_ + line.size() <= kMaxWaitingBytes) {
      waiting_bytes_ += line.size();
      waiting_.push_back(std::move(line));
      changed_.notify_all();
      return;
    }
  }
  Lose("the host does not read its answers; 64 MiB of them wait already");
}

void LineWriter::Flush(absl::Duration at_most) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(at_most);
  const MutexLock lock(mutex_);
  while ((!waiting_.empty() || writing_) && !lost_) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) {
      return;
    }
  }
}

void LineWriter::Lose(std::string why) {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(lost_, true)) return;
    waiting_.clear();
    waiting_bytes_ = 0;
    changed_.notify_all();
  }
  on_lost_(std::move(why));
}

void LineWriter::Run() {
  for (;;) {
    std::string line;
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !ending_) changed_.wait(mutex_);
      if (ending_) return;
      line = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= line.size();
      writing_ = true;
    }
    const bool written = WriteAll(line);
    {
      const MutexLock lock(mutex_);
      writing_ = false;
      changed_.notify_all();
      if (ending_) return;
    }
    if (!written) Lose("the host has closed its end");
  }
}

bool LineWriter::WriteAll(const std::string& line) {
  for (size_t done = 0; done < line.size();) {
    pollfd ready[] = {{fd_, POLLOUT, 0}, {wake_fd_, POLLIN, 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return false;
    if (ready[1].revents != 0) return false;
    if ((ready[0].revents & POLLOUT) == 0) {
      if (ready[0].revents != 0) return false;
      continue;
    }
    const ssize_t n = write(fd_, line.data() + done,
                            std::min(line.size() - done, kPieceBytes));
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
    done += static_cast<size_t>(std::max<ssize_t>(n, 0));
  }
  return true;
}

}  // namespace gatehouse::ctl
