#include "controlplane/main/log.h"

#include <unistd.h>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "shared/base/clock.h"
#include "shared/json/json.h"

namespace gatehouse {

void Log(std::string_view level, std::string_view event,
         const std::vector<std::pair<std::string, std::string>>& fields) {
  constexpr size_t kMaxFieldBytes = 4096;
  json::Writer writer;
  writer.StartObject();
  writer.Name("ts").String(absl::FormatTime(
      absl::RFC3339_full, SystemClock().Wall(), absl::UTCTimeZone()));
  writer.Name("level").String(level);
  writer.Name("event").String(event);
  for (const auto& [name, value] : fields) {
    writer.Name(name).String(std::string_view(value).substr(0, kMaxFieldBytes));
  }
  writer.EndObject();
  const std::string line = writer.Take() + "\n";
  // A log that cannot be written must not end the program.
  [[maybe_unused]] const ssize_t wrote =
      write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace gatehouse
