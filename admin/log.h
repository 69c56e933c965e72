#ifndef GATEHOUSE_ADMIN_LOG_H_
#define GATEHOUSE_ADMIN_LOG_H_

#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse::admin {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// `debug`, `info`, `warning`, `error`.
std::string_view ToString(LogLevel level);
// INVALID_ARGUMENT, with the four, for any other word.
absl::StatusOr<LogLevel> ParseLogLevel(std::string_view word);

// The log of a program: one JSON object a line, `ts` (UTC), `level`, `event`,
// then the fields in order. A field with an empty value is left out; a value
// over 4 KiB is cut, and what is neither printable ASCII nor a line's end or a
// tab becomes `?`, since a peer may have chosen it.
//
// Who writes sees to it that no field holds content, tokens, secrets of
// sessions or URLs. A line that belongs to a request has its trace as
// `traceId`.
//
// Thread-safe; never waits for whoever reads the log. What a pipe or terminal
// does not take at once is dropped, counted, and told in a line
// `log_lines_dropped` when it takes something again. Borrows the clock and the
// descriptor.
class Log {
 public:
  using Field = std::pair<std::string_view, std::string_view>;
  using Fields = std::initializer_list<Field>;

  // Lines below `least` are dropped.
  Log(Clock& clock, LogLevel least, int descriptor = STDERR_FILENO)
      : clock_(clock), least_(least), descriptor_(descriptor) {}

  // Whether a line of this level is written: ask before making costly fields.
  bool Writes(LogLevel level) const { return level >= least_; }

  void Debug(std::string_view event, Fields fields) const {
    Line(LogLevel::kDebug, event, fields);
  }
  void Info(std::string_view event, Fields fields) const {
    Line(LogLevel::kInfo, event, fields);
  }
  void Warning(std::string_view event, Fields fields) const {
    Line(LogLevel::kWarning, event, fields);
  }
  void Error(std::string_view event, Fields fields) const {
    Line(LogLevel::kError, event, fields);
  }
  void Line(LogLevel level, std::string_view event, Fields fields) const;

 private:
  Clock& clock_;
  const LogLevel least_;
  std::string Text(LogLevel level, std::string_view event, Fields fields) const;
  // Whether all of it was taken, without a wait.
  bool WriteLocked(std::string_view text) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int descriptor_;
  mutable Mutex mutex_;
  mutable int64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  mutable bool torn_ ABSL_GUARDED_BY(mutex_) = false;  // in the midst of a line
};

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_LOG_H_
