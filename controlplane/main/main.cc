// gatehouse-control: reads its options and runs the control plane until a
// signal.

#include <signal.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "admin/log.h"
#include "admin/options.h"
#include "admin/signals.h"
#include "controlplane/main/control_plane.h"
#include "controlplane/main/options.h"
#include "shared/base/status.h"

namespace gatehouse {
namespace {

absl::Status Serve(const Options& options) {
  GATEHOUSE_ASSIGN_OR_RETURN(const admin::LogLevel level,
                             admin::ParseLogLevel(options.log_level));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::unique_ptr<admin::Signals> signals,
                             admin::Signals::Take());
  ControlPlane control(options, level);
  GATEHOUSE_RETURN_IF_ERROR(control.Start());
  std::optional<int> signal;
  while (!signal.has_value() || *signal == SIGHUP) {
    signal = signals->Await(absl::InfiniteDuration());
    if (signal == SIGHUP) control.Reload();
  }
  control.Stop(*signal);
  return absl::OkStatus();
}

}  // namespace
}  // namespace gatehouse

int main(int argc, char** argv) {
  gatehouse::Options options;
  gatehouse::admin::OptionTable table = gatehouse::TableOf(options);
  if (const std::optional<int> code = table.ReadAndPrint(argc, argv)) {
    return *code;
  }
  int code = 2;  // a mistake in the options
  absl::Status status = gatehouse::Check(options);
  if (status.ok()) {
    code = 1;
    status = gatehouse::Serve(options);
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "gatehouse-control: %s\n",
               table.Explained(gatehouse::ToStd(status.message())).c_str());
  return code;
}
