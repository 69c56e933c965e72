// gatehouse-worker: reads its options and runs the worker until a signal.

#include <signal.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "admin/options.h"
#include "admin/signals.h"
#include "dataplane/worker/options.h"
#include "dataplane/worker/worker.h"
#include "shared/base/fault.h"
#include "shared/base/random.h"
#include "shared/base/status.h"

namespace gatehouse::worker {
namespace {

constexpr int kCouldNotStart = 2;

absl::Status Serve(const Options& options) {
  SystemRandom random;
  GATEHOUSE_ASSIGN_OR_RETURN(Settings settings, Resolve(options, random));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::unique_ptr<admin::Signals> signals,
                             admin::Signals::Take());
  Worker worker(std::move(settings), *signals);
  GATEHOUSE_RETURN_IF_ERROR(worker.Start());
  FaultPoint("worker_started");
  std::optional<int> signal;
  while (!signal.has_value() || *signal == SIGHUP) {
    signal = signals->Await(absl::InfiniteDuration());
    if (signal == SIGHUP) worker.Reload();
  }
  worker.Drain();
  worker.Stop();
  return absl::OkStatus();
}

int Run(int argc, char** argv) {
  Options options;
  admin::OptionTable table = TableOf(options);
  if (const std::optional<int> code = table.ReadAndPrint(argc, argv)) {
    return *code;
  }
  const absl::Status status = Serve(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "gatehouse-worker: %s\n",
               table.Explained(ToStd(status.message())).c_str());
  return kCouldNotStart;
}

}  // namespace
}  // namespace gatehouse::worker

int main(int argc, char** argv) { return gatehouse::worker::Run(argc, argv); }
