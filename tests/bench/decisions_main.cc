// bench-decisions: how many trust decisions a control plane takes in a second,
// asked as a worker asks: over the worker's own client, with a lease, a
// session, and for each input request an operation of its own.
//
// A chain is: AdmitInputRequests, SubmitInputResponse, the acknowledgement of
// the delivery, and CloseOperation, which nobody waits for. Its first two are
// the decisions that are counted. Prints `measure<TAB>value` lines; exits 1
// and says why at the first verdict that is not `relay`, then `deliver`.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "dataplane/control/grpc_control_client.h"
#include "dataplane/relay/snapshots.h"
#include "shared/base/clock.h"
#include "shared/base/digest.h"
#include "shared/base/mutex.h"
#include "shared/base/random.h"
#include "shared/base/status.h"
#include "tests/bench/processes.h"
#include "tests/bench/thread_timers.h"

namespace gatehouse::bench {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);
constexpr absl::Duration kGiveUp = absl::Seconds(10);
constexpr std::string_view kParams =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"Which )"
    R"(gate is nearest?"}}],"maxTokens":16})";
constexpr std::string_view kResult =
    R"({"role":"assistant","content":{"type":"text","text":"The east gate is )"
    R"(nearest."},"model":"bench","stopReason":"endTurn"})";

struct Flags {
  std::string control;
  std::string token_file;
  std::string virtual_server = "bench";
  std::string upstream = "fixed";
  int at_once = 1;
  double seconds = 2;
  double warm_up = 0.3;
  std::vector<pid_t> under_test;
};

// Nothing here comes by mail: each answer is asked for.
class NoMail final : public relay::MailObserver {
 public:
  void OnDeliveryReady(const relay::DeliveryReady&) override {}
  void OnSessionEnded(const std::string&) override {}
};

// A condition that callbacks bring about and the main thread waits for.
class Progress {
 public:
  void Change(const std::function<void()>& change) {
    const MutexLock lock(mutex_);
    change();
    changed_.notify_all();
  }
  // Whether `done` came to hold within `timeout`.
  bool Wait(absl::Duration timeout, const std::function<bool()>& done) {
    const MutexLock lock(mutex_);
    return changed_.wait_for(mutex_, absl::ToChronoNanoseconds(timeout), done);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
};

// Several chains at once over one control client.
//
// Its callbacks run on gRPC's threads; each chain is in one place at a time, so
// what is a chain's own needs no lock. Outlives the client.
class Decisions {
 public:
  Decisions(const Flags& flags, Clock& clock, Random& random,
            relay::ControlClient& control)
      : flags_(flags),
        clock_(clock),
        random_(random),
        control_(control),
        chains_(static_cast<size_t>(flags.at_once)) {}

  absl::Status Run() {
    GATEHOUSE_RETURN_IF_ERROR(OpenSession());
    running_ = flags_.at_once;
    for (Chain& chain : chains_) Admit(chain);
    WaitFor(absl::Seconds(flags_.warm_up));
    GATEHOUSE_ASSIGN_OR_RETURN(const absl::Duration cpu,
                               CpuOf(flags_.under_test));
    const absl::Duration start = clock_.Steady();
    measuring_ = true;
    WaitFor(absl::Seconds(flags_.seconds));
    measuring_ = false;
    elapsed_ = clock_.Steady() - start;
    GATEHOUSE_ASSIGN_OR_RETURN(cpu_, CpuOf(flags_.under_test));
    cpu_ -= cpu;
    ending_ = true;
    if (!progress_.Wait(kPatience, [this] { return running_ == 0; })) {
      return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                        "the last decisions took longer than 20s");
    }
    return failure_;
  }

  void Print() {
    std::vector<int64_t> taken;
    for (const Chain& chain : chains_) {
      taken.insert(taken.end(), chain.taken_ns.begin(), chain.taken_ns.end());
    }
    std::sort(taken.begin(), taken.end());
    const auto decisions = static_cast<double>(taken.size());
    if (taken.empty()) taken.push_back(0);
    const auto at = [&taken](double part) {
      return static_cast<double>(
                 taken[static_cast<size_t>(part * (taken.size() - 1))]) /
             1000;
    };
    std::printf("decisions_per_s\t%.3f\n",
                decisions / absl::ToDoubleSeconds(elapsed_));
    std::printf("p50_us\t%.3f\np99_us\t%.3f\n", at(0.50), at(0.99));
    std::printf(
        "cpu_us_per_decision\t%.3f\n",
        decisions == 0 ? 0 : absl::ToDoubleMicroseconds(cpu_) / decisions);
  }

 private:
  struct Chain {
    std::string operation;
    absl::Duration asked_at;
    std::vector<int64_t> taken_ns;
  };

  void WaitFor(absl::Duration time) {
    progress_.Wait(time, [this] { return !failure_.ok(); });
  }

  absl::Status OpenSession() {
    relay::NewSession session;
    session.session_id_sha256 = Sha256(NewId(random_, 256));
    session.virtual_server = flags_.virtual_server;
    session.issuer = "gatehouse";
    session.subject = "anonymous";
    session.revision = "2025-11-25";
    session.client_capabilities = "{\"sampling\":{}}";
    session.client_info = "{\"name\":\"bench\",\"version\":\"1\"}";
    control_.CreateSession(std::move(session),
                           [this](absl::StatusOr<relay::SessionInfo> made) {
                             progress_.Change([&] {
                               if (made.ok()) session_ = made->id;
                               opened_ = made.status();
                             });
                           });
    if (!progress_.Wait(kPatience, [this] { return opened_.has_value(); })) {
      return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                        "no session within 20s");
    }
    return *opened_;
  }

  void Admit(Chain& chain) {
    relay::AdmitRequest request;
    chain.operation = NewId(random_);
    request.operation = chain.operation;
    request.session = session_;
    request.virtual_server = flags_.virtual_server;
    request.upstream = flags_.upstream;
    request.tool = "ask";
    request.method = "tools/call";
    request.requests.push_back(
        {"1", "sampling/createMessage", std::string(kParams)});
    chain.asked_at = clock_.Steady();
    control_.Admit(
        std::move(request),
        [this,
         &chain](absl::StatusOr<std::vector<relay::AdmitVerdict>> verdicts) {
          Count(chain);
          if (!verdicts.ok()) return Stop(verdicts.status());
          if (verdicts->size() != 1 ||
              verdicts->front().kind != relay::AdmitVerdict::Kind::kRelay) {
            return Stop(Wrong("a request was not relayed"));
          }
          Submit(chain, verdicts->front().opaque_id);
        });
  }

  void Submit(Chain& chain, const std::string& opaque_id) {
    chain.asked_at = clock_.Steady();
    control_.Submit(
        opaque_id, session_, std::string(kResult), std::nullopt, kGiveUp,
        [this, &chain](absl::StatusOr<relay::SubmitVerdict> verdict) {
          Count(chain);
          if (!verdict.ok()) return Stop(verdict.status());
          if (verdict->outcome != relay::SubmitOutcome::kDeliver) {
            return Stop(Wrong("an answer was not delivered"));
          }
          control_.Acknowledge(verdict->input_request);
          control_.CloseOperation(chain.operation, session_,
                                  relay::OperationEnd::kCompleted);
          if (ending_) return Stop(absl::OkStatus());
          Admit(chain);
        });
  }

  void Count(Chain& chain) {
    if (!measuring_) return;
    chain.taken_ns.push_back(
        absl::ToInt64Nanoseconds(clock_.Steady() - chain.asked_at));
  }

  static absl::Status Wrong(std::string_view what) {
    return MakeStatus(absl::StatusCode::kInternal, what);
  }

  void Stop(const absl::Status& status) {
    progress_.Change([&] {
      if (failure_.ok()) failure_ = status;
      --running_;
    });
  }

  const Flags& flags_;
  Clock& clock_;
  Random& random_;
  relay::ControlClient& control_;
  std::string session_;
  std::vector<Chain> chains_;
  std::atomic<bool> measuring_ = false;
  std::atomic<bool> ending_ = false;
  absl::Duration elapsed_;
  absl::Duration cpu_;
  Progress progress_;                   // guards what follows
  std::optional<absl::Status> opened_;  // how CreateSession ended
  int running_ = 0;                     // chains
  absl::Status failure_;                // the first one
};

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (!std::getline(file, token) || token.empty()) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      absl::StrCat(path, ": expected a worker's token"));
  }
  return std::string(absl::StripAsciiWhitespace(token));
}

absl::Status Run(const Flags& flags) {
  SystemClock clock;
  SystemRandom random;
  relay::Snapshots snapshots(clock);
  NoMail mail;
  ThreadTimers timers(clock);
  Progress attached;
  bool is_attached = false;
  control::ControlClientOptions options;
  options.address = flags.control;
  GATEHOUSE_ASSIGN_OR_RETURN(options.token, ReadToken(flags.token_file));
  options.worker = "bench-decisions";
  options.log = [&](std::string_view event, std::string_view) {
    if (event != "attached") return;
    attached.Change([&is_attached] { is_attached = true; });
  };
  GATEHOUSE_ASSIGN_OR_RETURN(
      const auto control,
      control::GrpcControlClient::Create(std::move(options), snapshots, timers,
                                         clock, random));
  control->Attach("", mail);
  absl::Status status =
      attached.Wait(kPatience, [&is_attached] { return is_attached; })
          ? absl::OkStatus()
          : MakeStatus(absl::StatusCode::kUnavailable,
                       absl::StrCat(flags.control,
                                    ": no lease within 20s; does a control "
                                    "plane listen there?"));
  Decisions decisions(flags, clock, random, *control);
  if (status.ok()) status = decisions.Run();
  control->Flush(kPatience);
  control->Shutdown(kPatience);
  if (status.ok()) decisions.Print();
  return status;
}

}  // namespace
}  // namespace gatehouse::bench

int main(int argc, char** argv) {
  CLI::App app("Asks a control plane for decisions, as a worker does.");
  gatehouse::bench::Flags flags;
  app.add_option("--control", flags.control, "unix:/path or 127.0.0.1:PORT")
      ->required();
  app.add_option("--token-file", flags.token_file, "A worker's token")
      ->required();
  app.add_option("--at-once", flags.at_once, "Chains at the same time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--seconds", flags.seconds, "Measured time")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--under-test", flags.under_test,
                 "Processes whose CPU time counts per decision")
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = gatehouse::bench::Run(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench-decisions: %s\n", status.ToString().c_str());
  return 1;
}
