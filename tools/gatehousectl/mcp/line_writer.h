#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_LINE_WRITER_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_LINE_WRITER_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "shared/base/mutex.h"

namespace gatehouse::ctl {

// Writes lines to a pipe, file or terminal from a thread of its own, so that a
// reader who is slow holds up nobody else.
//
// Thread-safe. The descriptor is borrowed. Bound: 64 MiB of lines that wait;
// over it, and once the reader is gone, `on_lost` is called once, on the
// calling or the writing thread, and lines are dropped.
class LineWriter {
 public:
  LineWriter(int fd, std::function<void(std::string why)> on_lost);
  ~LineWriter();  // ends without writing what waits
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Adds the line feed.
  void Write(std::string line) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until all is written, at most so long.
  void Flush(absl::Duration at_most) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  // False if the reader is gone, or if the writer is to end.
  bool WriteAll(const std::string& line);
  void Lose(std::string why) ABSL_LOCKS_EXCLUDED(mutex_);

  const int fd_;
  const std::function<void(std::string why)> on_lost_;
  const int wake_fd_;  // readable once the writer is to end

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::string> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t waiting_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool lost_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_LINE_WRITER_H_
