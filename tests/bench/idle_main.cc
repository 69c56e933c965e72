// bench-idle: many MCP clients that do nothing, and what a worker pays for
// them in memory and time. Connections between two requests, or GET streams,
// a hundred sessions for each principal. Streams may then be told of a change:
// the time that one `policy apply` takes to reach all of them.
//
// Prints `measure<TAB>value` lines. Exits 1 and says why if a single one of
// them was refused or lost.

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "tests/bench/idle_stream.h"
#include "tests/bench/processes.h"
#include "tests/bench/session_maker.h"
extern char** environ;

namespace gatehouse::bench {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(120);
constexpr absl::Duration kChangePatience = absl::Seconds(30);
constexpr size_t kMakers = 32;      // connections that open sessions
constexpr size_t kOpenAtOnce = 64;  // streams
constexpr size_t kMaxPrincipals = 10'000;

struct Flags {
  std::string address;
  std::string path = "/mcp/bench";
  bool connections = false;  // instead of streams
  int count = 1000;
  std::string tokens;  // a file, a client's token a line
  double seconds = 10;
  pid_t worker = 0;
  pid_t control = 0;
  int changes = 0;
  // How to apply, and what, in turn.
  std::string gatehousectl;
  std::string control_address;
  std::string operator_token;  // a file
  std::vector<std::string> documents;
};

// Ends when told to, and kills what is still running then.
class Child {
 public:
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  // Its stdout is dropped, for ours is the result.
  absl::Status Start(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    const int error =
        posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return absl::OkStatus();
    pid_ = 0;
    return MakeStatus(absl::StatusCode::kUnavailable,
                      absl::StrCat(words[0], ": cannot be started"));
  }
  // Whether it has ended; FAILED_PRECONDITION if with another code than 0.
  absl::StatusOr<bool> Ended() {
    int status = 0;
    if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == 0) return false;
    pid_ = 0;
    if (status == 0) return true;
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "the apply command failed; its words are above");
  }

 private:
  pid_t pid_ = 0;
};

class IdleRun {
 public:
  IdleRun(const Flags& flags, std::vector<Peer> peers)
      : flags_(flags), peers_(std::move(peers)), streams_(peers_.size()) {}

  absl::Status Run() {
    GATEHOUSE_ASSIGN_OR_RETURN(const int64_t before, Resident());
    int64_t with_sessions = before;
    if (!flags_.connections) {
      GATEHOUSE_RETURN_IF_ERROR(MakeSessions());
      GATEHOUSE_ASSIGN_OR_RETURN(with_sessions, Resident());
    }
    const absl::Duration start = clock_.Steady();
    GATEHOUSE_RETURN_IF_ERROR(OpenAll());
    Line("open_s", absl::ToDoubleSeconds(clock_.Steady() - start));
    GATEHOUSE_RETURN_IF_ERROR(HoldStill());
    GATEHOUSE_ASSIGN_OR_RETURN(const int64_t after, Resident());
    const auto count = static_cast<double>(streams_.size());
    Line("worker_mib_before", static_cast<double>(before) / 1024);
    Line("worker_mib", static_cast<double>(after) / 1024);
    Line("kib_each", static_cast<double>(after - with_sessions) / count);
    Line("kib_each_with_session", static_cast<double>(after - before) / count);
    for (int i = 0; i < flags_.changes; ++i) {
      GATEHOUSE_RETURN_IF_ERROR(Change(i));
    }
    return absl::OkStatus();
  }

 private:
  static void Line(const char* measure, double value) {
    std::printf("%s\t%.3f\n", measure, value);
  }

  absl::StatusOr<int64_t> Resident() const {
    return ResidentKibOf({flags_.worker});
  }

  // Serves events of the streams until `deadline` or `done`; then whether it
  // was `done`. The status of the first stream that fails.
  absl::StatusOr<bool> Drive(absl::Duration deadline,
                             const std::function<bool()>& done) {
    while (!done()) {
      const absl::Duration left = deadline - clock_.Steady();
      if (left <= absl::ZeroDuration()) return false;
      for (const epoll_event& event : poller_.Wait(left)) {
        IdleStream& stream = streams_[event.data.u64];
        const bool was_open = stream.open();
        const int changes = stream.list_changes();
        stream.OnEvent(event.events);
        GATEHOUSE_RETURN_IF_ERROR(stream.status());
        if (!was_open && stream.open()) ++open_;
        if (stream.list_changes() > changes) {
          NoteChange(event.data.u64);
        }
      }
    }
    return true;
  }

  absl::Status MakeSessions() {
    Poller poller;
    std::vector<SessionMaker> makers;
    for (size_t i = 0; i < kMakers; ++i)
      makers.emplace_back(peers_, i, kMakers);
    for (size_t i = 0; i < kMakers; ++i) makers[i].Start(poller, i);
    const absl::Duration start = clock_.Steady();
    const auto done = [&makers] {
      return std::all_of(
          makers.begin(), makers.end(),
          [](const SessionMaker& maker) { return maker.done(); });
    };
    while (!done()) {
      const absl::Duration left = start + kPatience - clock_.Steady();
      if (left <= absl::ZeroDuration()) return Late("opening the sessions");
      for (const SessionMaker& maker : makers) {
        GATEHOUSE_RETURN_IF_ERROR(maker.status());
      }
      for (const epoll_event& event : poller.Wait(left)) {
        makers[event.data.u64].OnEvent(event.events);
      }
    }
    Line("sessions_per_s", static_cast<double>(peers_.size()) /
                               absl::ToDoubleSeconds(clock_.Steady() - start));
    return absl::OkStatus();
  }

  absl::Status OpenAll() {
    const auto kind = flags_.connections ? IdleStream::Kind::kConnection
                                         : IdleStream::Kind::kStream;
    const absl::Duration deadline = clock_.Steady() + kPatience;
    for (size_t started = 0; started < streams_.size();) {
      const size_t end = std::min(started + kOpenAtOnce, streams_.size());
      for (; started < end; ++started) {
        streams_[started].Open(kind, peers_[started], poller_, started);
        GATEHOUSE_RETURN_IF_ERROR(streams_[started].status());
      }
      GATEHOUSE_ASSIGN_OR_RETURN(const bool there, Drive(deadline, [this, end] {
                                   return open_ == end;
                                 }));
      if (!there) return Late("opening them");
    }
    return absl::OkStatus();
  }

  // Nothing is asked of anybody; what the processes do all the same.
  absl::Status HoldStill() {
    GATEHOUSE_ASSIGN_OR_RETURN(const absl::Duration worker,
                               CpuOf({flags_.worker}));
    GATEHOUSE_ASSIGN_OR_RETURN(const absl::Duration control,
                               CpuOf({flags_.control}));
    const absl::Duration start = clock_.Steady();
    int64_t pings = Pings();
    GATEHOUSE_RETURN_IF_ERROR(Drive(start + absl::Seconds(flags_.seconds), [] {
                                return false;
                              }).status());
    const double seconds = absl::ToDoubleSeconds(clock_.Steady() - start);
    GATEHOUSE_ASSIGN_OR_RETURN(const absl::Duration worker_end,
                               CpuOf({flags_.worker}));
    GATEHOUSE_ASSIGN_OR_RETURN(const absl::Duration control_end,
                               CpuOf({flags_.control}));
    pings = Pings() - pings;
    Line("held_s", seconds);
    Line("worker_cpu_percent",
         100 * absl::ToDoubleSeconds(worker_end - worker) / seconds);
    Line("control_cpu_percent",
         100 * absl::ToDoubleSeconds(control_end - control) / seconds);
    Line("pings_each",
         static_cast<double>(pings) / static_cast<double>(streams_.size()));
    return absl::OkStatus();
  }

  // One apply; when each stream heard of it, from the start of the command.
  absl::Status Change(int number) {
    changed_at_.assign(streams_.size(), absl::ZeroDuration());
    changed_ = 0;
    Child child;
    const absl::Duration start = clock_.Steady();
    GATEHOUSE_RETURN_IF_ERROR(
        child.Start({flags_.gatehousectl, "--control", flags_.control_address,
                     "--token-file", flags_.operator_token, "policy", "apply",
                     flags_.documents[static_cast<size_t>(number) %
                                      flags_.documents.size()]}));
    const absl::Duration deadline = start + kChangePatience;
    GATEHOUSE_ASSIGN_OR_RETURN(const bool told, Drive(deadline, [this] {
                                 return changed_ == streams_.size();
                               }));
    if (!told) {
      return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                        absl::StrCat("only ", changed_, " of ", streams_.size(),
                                     " streams heard of the change within ",
                                     absl::FormatDuration(kChangePatience)));
    }
    std::sort(changed_at_.begin(), changed_at_.end());
    const auto since = [start](absl::Duration at) {
      return absl::ToDoubleMilliseconds(at - start);
    };
    Line("changed_first_ms", since(changed_at_.front()));
    Line("changed_p50_ms", since(changed_at_[changed_at_.size() / 2]));
    Line("changed_last_ms", since(changed_at_.back()));
    return AwaitEnd(child, deadline);
  }

  absl::Status AwaitEnd(Child& child, absl::Duration deadline) {
    while (true) {
      GATEHOUSE_ASSIGN_OR_RETURN(const bool ended, child.Ended());
      if (ended) return absl::OkStatus();
      if (clock_.Steady() >= deadline) return Late("the apply command");
      GATEHOUSE_RETURN_IF_ERROR(
          Drive(clock_.Steady() + absl::Milliseconds(10), [] {
            return false;
          }).status());
    }
  }

  void NoteChange(size_t stream) {
    if (changed_at_.empty() || changed_at_[stream] != absl::ZeroDuration()) {
      return;
    }
    changed_at_[stream] = clock_.Steady();
    ++changed_;
  }

  int64_t Pings() const {
    int64_t pings = 0;
    for (const IdleStream& stream : streams_) pings += stream.pings();
    return pings;
  }

  static absl::Status Late(std::string_view what) {
    return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                      absl::StrCat(ToAbsl(what), " took too long"));
  }

  const Flags& flags_;
  SystemClock clock_;
  Poller poller_;
  std::vector<Peer> peers_;
  std::vector<IdleStream> streams_;
  size_t open_ = 0;
  std::vector<absl::Duration> changed_at_;  // by stream, of the last change
  size_t changed_ = 0;
};

// One peer for each stream or connection.
absl::StatusOr<std::vector<Peer>> MakePeers(const Flags& flags) {
  std::vector<std::string> tokens;
  if (!flags.tokens.empty()) {
    std::ifstream file(flags.tokens);
    for (std::string line;
         tokens.size() < kMaxPrincipals && std::getline(file, line);) {
      tokens.push_back(line);
    }
    if (tokens.empty()) {
      return MakeStatus(
          absl::StatusCode::kNotFound,
          absl::StrCat(flags.tokens, ": expected a token in each line"));
    }
  }
  std::vector<Peer> peers(static_cast<size_t>(flags.count));
  for (size_t i = 0; i < peers.size(); ++i) {
    peers[i].address = flags.address;
    peers[i].path = flags.connections ? "/nothing" : flags.path;
    if (!tokens.empty()) peers[i].token = tokens[i % tokens.size()];
  }
  return peers;
}

absl::Status Run(const Flags& flags) {
  RaiseDescriptorLimit();
  GATEHOUSE_ASSIGN_OR_RETURN(std::vector<Peer> peers, MakePeers(flags));
  IdleRun run(flags, std::move(peers));
  return run.Run();
}

}  // namespace
}  // namespace gatehouse::bench

int main(int argc, char** argv) {
  CLI::App app("Many MCP clients that do nothing, and what they cost.");
  gatehouse::bench::Flags flags;
  app.add_option("--address", flags.address, "127.0.0.1:PORT")->required();
  app.add_option("--path", flags.path)->capture_default_str();
  app.add_flag("--connections", flags.connections,
               "Kept-alive connections instead of streams");
  app.add_option("--count", flags.count)
      ->check(CLI::Range(1, 50'000))
      ->capture_default_str();
  app.add_option("--tokens", flags.tokens, "File with a token in each line");
  app.add_option("--seconds", flags.seconds, "How long they are left alone")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--worker", flags.worker, "Its process")->required();
  app.add_option("--control", flags.control, "Its process")->required();
  app.add_option("--changes", flags.changes, "How often to apply")
      ->check(CLI::Range(0, 100));
  app.add_option("--gatehousectl", flags.gatehousectl, "The program");
  app.add_option("--control-address", flags.control_address,
                 "Where it finds the control plane");
  app.add_option("--operator-token", flags.operator_token, "A file");
  app.add_option("--document", flags.documents,
                 "What it applies, in turn (repeatable)");
  CLI11_PARSE(app, argc, argv);
  signal(SIGPIPE, SIG_IGN);
  const absl::Status status =
      flags.changes > 0 &&
              (flags.gatehousectl.empty() || flags.documents.empty())
          ? gatehouse::MakeStatus(
                absl::StatusCode::kInvalidArgument,
                "--changes needs --gatehousectl and --document")
          : gatehouse::bench::Run(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench-idle: %s\n", status.ToString().c_str());
  return 1;
}
