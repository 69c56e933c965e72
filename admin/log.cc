#include "admin/log.h"

#include <array>
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

void Log::Line(LogLevel level, std::string_view event, Fields fields) const {
  if (!Writes(level)) return;
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
  // A log that cannot be written has nobody left to tell.
  [[maybe_unused]] const ssize_t written =
      write(descriptor_, text.data(), text.size());
}

}  // namespace gatehouse::admin
