#include "tests/bench/processes.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::bench {
namespace {

absl::Duration FromTicks(int64_t ticks) {
  return absl::Seconds(1) * ticks / static_cast<int64_t>(sysconf(_SC_CLK_TCK));
}

absl::Status Unreadable(const std::string& path) {
  return MakeStatus(
      absl::StatusCode::kNotFound,
      absl::StrCat(path, ": cannot be read; has the process ended?"));
}

// The numbers of /proc/PID/FILE, from the `skip`-th field after the name in
// parentheses (or from the start) on.
absl::StatusOr<std::vector<int64_t>> Numbers(pid_t pid, const char* file,
                                             int skip) {
  const std::string path = absl::StrCat("/proc/", pid, "/", file);
  std::ifstream stream(path);
  std::string line;
  if (!std::getline(stream, line)) return Unreadable(path);
  const size_t name_end = line.rfind(')');
  std::istringstream fields(
      name_end == std::string::npos ? line : line.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < skip; ++i) fields >> skipped;
  std::vector<int64_t> numbers;
  for (int64_t number = 0; fields >> number;) numbers.push_back(number);
  if (numbers.size() < 2) return Unreadable(path);
  return numbers;
}

}  // namespace

absl::StatusOr<absl::Duration> CpuOf(const std::vector<pid_t>& pids) {
  absl::Duration sum;
  for (const pid_t pid : pids) {
    // After the name: state and ten more, then utime and stime.
    GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers,
                               Numbers(pid, "stat", 11));
    sum += FromTicks(numbers[0] + numbers[1]);
  }
  return sum;
}

absl::StatusOr<int64_t> ResidentKibOf(const std::vector<pid_t>& pids) {
  int64_t sum = 0;
  for (const pid_t pid : pids) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers,
                               Numbers(pid, "statm", 0));
    sum += numbers[1] * sysconf(_SC_PAGESIZE) / 1024;
  }
  return sum;
}

absl::StatusOr<absl::Duration> MachineBusy() {
  std::ifstream stream("/proc/stat");
  std::string name;
  int64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0;
  if (!(stream >> name >> user >> nice >> system >> idle >> wait >> irq >>
        soft)) {
    return Unreadable("/proc/stat");
  }
  return FromTicks(user + nice + system + irq + soft);
}

}  // namespace gatehouse::bench
