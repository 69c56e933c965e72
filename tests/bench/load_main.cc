// bench-load: MCP clients that call one tool as fast as they get answers, each
// on a connection and in a session of its own, and what came of it. One
// thread; its own cost is part of what it prints, so that anybody can see
// whether it stood in the way.
//
// Prints `measure<TAB>value` lines (the names are in Print below). Exits 1 and
// says why if a single answer was wrong: such a run is worth nothing.

#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "tests/bench/caller.h"
#include "tests/bench/processes.h"

namespace gatehouse::bench {
namespace {

// How long opening, the calls in flight at the end, and closing may take.
constexpr absl::Duration kPatience = absl::Seconds(20);

struct Flags {
  std::string address;
  std::string path = "/mcp";
  std::string tool = "small";
  int connections = 1;
  double seconds = 2;
  double warm_up = 0.3;
  std::vector<pid_t> under_test;
  std::vector<pid_t> upstream;
};

// What was used of the machine up to a moment.
struct Usage {
  absl::Duration at;
  absl::Duration under_test;
  absl::Duration upstream;
  absl::Duration own;
  absl::Duration machine;
};

class LoadRun {
 public:
  LoadRun(const Flags& flags, const ToolRow& tool) : flags_(flags) {
    const Peer peer{flags.address, flags.path, "", ""};
    for (int i = 0; i < flags.connections; ++i) {
      callers_.push_back(
          std::make_unique<Caller>(peer, tool, 2 * i, poller_, clock_));
    }
  }

  absl::Status Run() {
    for (auto& caller : callers_) caller->Open();
    GATEHOUSE_RETURN_IF_ERROR(UntilAll(Caller::Phase::kReady, "opening"));
    calling_ = true;
    for (auto& caller : callers_) caller->Call();
    GATEHOUSE_RETURN_IF_ERROR(CallFor(absl::Seconds(flags_.warm_up)));
    latencies_.clear();
    latencies_.reserve(1 << 20);
    bytes_ = 0;
    GATEHOUSE_ASSIGN_OR_RETURN(start_, Now());
    GATEHOUSE_RETURN_IF_ERROR(CallFor(absl::Seconds(flags_.seconds)));
    GATEHOUSE_ASSIGN_OR_RETURN(end_, Now());
    counted_ = latencies_.size();
    calling_ = false;
    GATEHOUSE_RETURN_IF_ERROR(
        UntilAll(Caller::Phase::kReady, "the last calls"));
    for (auto& caller : callers_) caller->End();
    return UntilAll(Caller::Phase::kEnded, "ending the sessions");
  }

  // Sorts what was measured, so it comes after Run().
  void Print() {
    latencies_.resize(counted_);
    std::sort(latencies_.begin(), latencies_.end());
    const double seconds = absl::ToDoubleSeconds(end_.at - start_.at);
    const double calls = static_cast<double>(counted_);
    Line("calls", calls);
    Line("calls_per_s", calls / seconds);
    Line("bytes_per_s", static_cast<double>(bytes_) / seconds);
    Line("p50_us", Percentile(0.50));
    Line("p99_us", Percentile(0.99));
    const auto per_call = [calls](absl::Duration used) {
      return calls == 0 ? 0 : absl::ToDoubleMicroseconds(used) / calls;
    };
    const absl::Duration under_test = end_.under_test - start_.under_test;
    const absl::Duration upstream = end_.upstream - start_.upstream;
    const absl::Duration own = end_.own - start_.own;
    Line("cpu_us_per_call", per_call(under_test));
    Line("upstream_cpu_us_per_call", per_call(upstream));
    Line("load_cpu_us_per_call", per_call(own));
    // In hundredths of one core. What is left over is others' work.
    Line("load_cpu_percent", 100 * absl::ToDoubleSeconds(own) / seconds);
    Line("upstream_cpu_percent",
         100 * absl::ToDoubleSeconds(upstream) / seconds);
    Line("others_cpu_percent",
         100 *
             absl::ToDoubleSeconds(end_.machine - start_.machine - own -
                                   under_test - upstream) /
             seconds);
  }

 private:
  static void Line(const char* measure, double value) {
    std::printf("%s\t%.3f\n", measure, value);
  }

  double Percentile(double part) const {
    if (latencies_.empty()) return 0;
    const auto at = static_cast<size_t>(part * (latencies_.size() - 1));
    return static_cast<double>(latencies_[at]) / 1000;
  }

  absl::StatusOr<Usage> Now() {
    Usage usage;
    usage.at = clock_.Steady();
    GATEHOUSE_ASSIGN_OR_RETURN(usage.under_test, CpuOf(flags_.under_test));
    GATEHOUSE_ASSIGN_OR_RETURN(usage.upstream, CpuOf(flags_.upstream));
    GATEHOUSE_ASSIGN_OR_RETURN(usage.own, CpuOf({getpid()}));
    GATEHOUSE_ASSIGN_OR_RETURN(usage.machine, MachineBusy());
    return usage;
  }

  // Serves events until `deadline` or `done`. The status of the first caller
  // that fails.
  absl::Status Drive(absl::Duration deadline,
                     const std::function<bool()>& done) {
    while (!done()) {
      const absl::Duration left = deadline - clock_.Steady();
      if (left <= absl::ZeroDuration()) return absl::OkStatus();
      for (const epoll_event& event : poller_.Wait(left)) {
        Caller& caller = *callers_[event.data.u64 / 2];
        caller.OnEvent(event.data.u64, event.events);
        if (caller.phase() == Caller::Phase::kFailed) return caller.status();
        if (calling_ && caller.phase() == Caller::Phase::kReady) {
          CountAndCallAgain(caller);
        }
      }
    }
    return absl::OkStatus();
  }

  void CountAndCallAgain(Caller& caller) {
    latencies_.push_back(absl::ToInt64Nanoseconds(caller.last_call().latency));
    bytes_ += caller.last_call().bytes;
    caller.Call();
  }

  absl::Status CallFor(absl::Duration time) {
    return Drive(clock_.Steady() + time, [] { return false; });
  }

  absl::Status UntilAll(Caller::Phase phase, const char* what) {
    const auto there = [this, phase] {
      return std::all_of(
          callers_.begin(), callers_.end(),
          [phase](const auto& caller) { return caller->phase() == phase; });
    };
    GATEHOUSE_RETURN_IF_ERROR(Drive(clock_.Steady() + kPatience, there));
    for (const auto& caller : callers_) {
      GATEHOUSE_RETURN_IF_ERROR(caller->status());
    }
    if (there()) return absl::OkStatus();
    return MakeStatus(
        absl::StatusCode::kDeadlineExceeded,
        absl::StrCat(flags_.address, ": ", what, " took longer than ",
                     absl::FormatDuration(kPatience)));
  }

  const Flags& flags_;
  SystemClock clock_;
  Poller poller_;
  std::vector<std::unique_ptr<Caller>> callers_;
  bool calling_ = false;
  std::vector<int64_t> latencies_;  // in ns
  size_t bytes_ = 0;
  size_t counted_ = 0;
  Usage start_;
  Usage end_;
};

absl::Status Run(const Flags& flags) {
  const ToolRow* const tool = FindTool(flags.tool);
  if (tool == nullptr) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("--tool: ", flags.tool,
                                   ": the fixed upstream has no such tool"));
  }
  RaiseDescriptorLimit();
  LoadRun run(flags, *tool);
  GATEHOUSE_RETURN_IF_ERROR(run.Run());
  run.Print();
  return absl::OkStatus();
}

}  // namespace
}  // namespace gatehouse::bench

int main(int argc, char** argv) {
  CLI::App app("Calls one tool of an MCP server again and again.");
  gatehouse::bench::Flags flags;
  app.add_option("--address", flags.address, "127.0.0.1:PORT")->required();
  app.add_option("--path", flags.path)->capture_default_str();
  app.add_option("--tool", flags.tool, "small, text, base64, members or ask")
      ->capture_default_str();
  app.add_option("--connections", flags.connections)
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--seconds", flags.seconds, "Measured time")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--warm-up", flags.warm_up, "Seconds before it")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option("--under-test", flags.under_test,
                 "Processes whose CPU time counts per call")
      ->delimiter(',');
  app.add_option("--upstream", flags.upstream, "The upstream's process")
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  signal(SIGPIPE, SIG_IGN);
  const absl::Status status = gatehouse::bench::Run(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench-load: %s\n", status.ToString().c_str());
  return 1;
}
