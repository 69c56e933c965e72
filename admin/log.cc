#include "admin/log.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::admin {
namespace {

constexpr size_t kMaxValueBytes = 4096;
constexpr std::array kLevels = {LogLevel::kDebug, LogLevel::kInfo,
                                LogLevel::kWarning, LogLevel::kError};

// JSON escapes what ends a line, so that it stays one.
std::string Shown(std::string_view value) {
  std::string shown(value.substr(0, kMaxValueBytes));
  for (char& c : shown) {
    if ((c < 0x20 || c > 0x7e) && c != '\n' && c != '\t') c = '?';
  }
  return shown;
}

}  // namespace

std::string_view ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

absl::StatusOr<LogLevel> ParseLogLevel(std::string_view word) {
  for (const LogLevel level : kLevels) {
    if (word == ToString(level)) return level;
  }
  return MakeStatus(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(ToAbsl(word), ": expected debug, info, warning or error"));
}

bool Log::WriteLocked(std::string_view text) const {
  while (!text.empty()) {
    pollfd ready = {descriptor_, POLLOUT, 0};
    if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return false;
    // So much a pipe that is ready takes without a wait.
    const ssize_t wrote = write(descriptor_, text.data(),
                                std::min<size_t>(text.size(), PIPE_BUF));
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<size_t>(wrote));
    torn_ = !text.empty();
  }
  return true;
}

std::string Log::Text(LogLevel level, std::string_view event,
                      Fields fields) const {
  json::Writer line;
  line.StartObject();
  line.Name("ts").String(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", clock_.Wall(),
                                          absl::UTCTimeZone()));
  line.Name("level").String(ToString(level)).Name("event").String(event);
  for (const auto& [name, value] : fields) {
    if (!value.empty()) line.Name(name).String(Shown(value));
  }
  std::string text = line.EndObject().Take();
  text.push_back('\n');
  return text;
}

void Log::Line(LogLevel level, std::string_view event, Fields fields) const {
  if (!Writes(level)) return;
  const std::string text = Text(level, event, fields);
  const MutexLock lock(mutex_);
  if (torn_ && !WriteLocked("\n")) {
    ++dropped_;
    return;
  }
  if (dropped_ > 0 && WriteLocked(Text(LogLevel::kWarning, "log_lines_dropped",
                                       {{"count", absl::StrCat(dropped_)}}))) {
    dropped_ = 0;
  }
  if (dropped_ > 0 || !WriteLocked(text)) ++dropped_;
}

}  // namespace gatehouse::admin
