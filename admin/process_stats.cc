#include "admin/process_stats.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <optional>

namespace gatehouse::admin {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

// How many entries a folder of /proc/self has.
std::optional<int64_t> Entries(const char* path) {
  DIR* const folder = opendir(path);
  if (folder == nullptr) return std::nullopt;
  int64_t entries = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') ++entries;
  }
  closedir(folder);
  return entries;
}

void AddMemory(MetricsPage& page) {
  std::ifstream file("/proc/self/statm");
  int64_t size_pages = 0;
  int64_t resident_pages = 0;
  if (!(file >> size_pages >> resident_pages)) return;
  const auto bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  page.Gauge("process_resident_memory_bytes", "memory that is in RAM",
             bytes * static_cast<double>(resident_pages));
  page.Gauge("process_virtual_memory_bytes", "address space",
             bytes * static_cast<double>(size_pages));
}

void AddDescriptors(MetricsPage& page) {
  if (const auto open = Entries("/proc/self/fd"); open.has_value()) {
    // Less the one that this read through.
    page.Gauge("process_open_fds", "open descriptors",
               static_cast<double>(*open - 1));
  }
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    page.Gauge("process_max_fds", "descriptors that may be open",
               static_cast<double>(limit.rlim_cur));
  }
}

}  // namespace

void AddProcessStats(MetricsPage& page) {
  AddMemory(page);
  AddDescriptors(page);
  if (const auto threads = Entries("/proc/self/task"); threads.has_value()) {
    page.Gauge("process_threads", "threads", static_cast<double>(*threads));
  }
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    page.Counter("process_cpu_seconds_total", "processor time used",
                 Seconds(usage.ru_utime) + Seconds(usage.ru_stime));
  }
}

}  // namespace gatehouse::admin
