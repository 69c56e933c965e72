#include "dataplane/worker/log.h"

#include <unistd.h>

#include <string>

#include "absl/time/time.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::worker {
namespace {

constexpr size_t kMaxValueBytes = 4096;

// Printable ASCII passes; all else, which an upstream may have chosen, becomes
// '?': what the line shows is then never more than one line.
std::string Shown(std::string_view value) {
  std::string shown(value.substr(0, kMaxValueBytes));
  for (char& c : shown) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return shown;
}

}  // namespace

void Log::Line(std::string_view level, std::string_view event,
               std::initializer_list<Field> fields) const {
  json::Writer line;
  line.StartObject();
  line.Name("ts").String(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", clock_.Wall(),
                                          absl::UTCTimeZone()));
  line.Name("level").String(level).Name("event").String(event);
  for (const auto& [name, value] : fields) {
    line.Name(name).String(Shown(value));
  }
  std::string text = line.EndObject().Take();
  text.push_back('\n');
  // A log that cannot be written has nobody left to tell.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace gatehouse::worker
