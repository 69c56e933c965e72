#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "shared/base/fault.h"

namespace gatehouse {
namespace {

struct KillSwitch {
  std::string name;
  long at = 1;
};

KillSwitch ReadKillSwitch() {
  const char* text = getenv("GATEHOUSE_FAULT");  // NOLINT: read once, at start
  if (text == nullptr) return {};
  KillSwitch kill_switch{text, 1};
  if (const size_t colon = kill_switch.name.find(':');
      colon != std::string::npos) {
    kill_switch.at = strtol(kill_switch.name.c_str() + colon + 1, nullptr, 10);
    kill_switch.name.resize(colon);
  }
  return kill_switch;
}

std::string ReadMutants() {
  const char* text = getenv("GATEHOUSE_MUTANT");  // NOLINT: read once, at start
  return text == nullptr ? "" : std::string(",") + text + ",";
}

}  // namespace

void FaultPoint(std::string_view name) {
  static const KillSwitch kill_switch = ReadKillSwitch();
  static std::atomic<long> passed{0};
  if (name == kill_switch.name && ++passed == kill_switch.at) {
    kill(getpid(), SIGKILL);
  }
}

bool MutantEnabled(std::string_view name) {
  static const std::string mutants = ReadMutants();
  return !mutants.empty() &&
         mutants.find("," + std::string(name) + ",") != std::string::npos;
}

}  // namespace gatehouse
