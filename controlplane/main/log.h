#ifndef GATEHOUSE_CONTROLPLANE_MAIN_LOG_H_
#define GATEHOUSE_CONTROLPLANE_MAIN_LOG_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gatehouse {

// One JSON object a line on standard error: `ts`, `level`, `event`, then the
// fields. Control characters are escaped; a line is cut at 4 KiB. Thread-safe
// (one write a line). Never content, tokens or secrets.
void Log(std::string_view level, std::string_view event,
         const std::vector<std::pair<std::string, std::string>>& fields = {});

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_MAIN_LOG_H_
