#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/upstream/channel.h"
#include "dataplane/upstream/process.h"
#include "dataplane/upstream/secret_reference.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

// The pipes of one process. Requests have no streams of their own here.
class StdioChannel final : public Channel,
                           public std::enable_shared_from_this<StdioChannel> {
 public:
  StdioChannel(std::shared_ptr<Environment> environment,
               relay::UpstreamTarget target, http::SerialQueue queue,
               std::weak_ptr<ChannelEvents> events)
      : environment_(std::move(environment)),
        target_(std::move(target)),
        key_(ProcessKey(target_)),
        queue_(std::move(queue)),
        events_(std::move(events)) {}
  ~StdioChannel() override { Close(/*at_once=*/true); }

  // Spawns; the trouble if that failed.
  std::optional<Trouble> Start(ProcessOptions options);

  bool has_own_streams() const override { return false; }
  void SendRequest(int64_t id, std::string text,
                   std::string_view traceparent) override;
  void SendAside(std::string text, Sent sent) override;
  void StopReading(int64_t, absl::Duration) override {}
  void Settle(mcp::Revision) override {}
  void Listen() override {}
  void MarkInUse(bool in_use) override;
  void Close(bool at_once) override;

  // From the link, on the queue.
  void HandleLine(std::string line);
  void HandleExit(const std::string& how);

 private:
  const std::shared_ptr<Environment> environment_;
  const relay::UpstreamTarget target_;
  const std::string key_;
  const http::SerialQueue queue_;
  const std::weak_ptr<ChannelEvents> events_;
  std::weak_ptr<Process> process_;  // the process table owns it
  int64_t place_ = 0;
  bool closed_ = false;
};

// Carries what the process says from the reactor's thread to the queue, within
// a bound: what comes faster than it is handled ends the process.
class Link final : public ProcessObserver,
                   public std::enable_shared_from_this<Link> {
 public:
  Link(std::shared_ptr<Environment> environment, relay::UpstreamTarget target,
       std::string key, int64_t place, http::SerialQueue queue,
       std::weak_ptr<StdioChannel> channel)
      : environment_(std::move(environment)),
        target_(std::move(target)),
        key_(std::move(key)),
        place_(place),
        queue_(std::move(queue)),
        channel_(std::move(channel)) {}

  void OnLine(std::string_view line) override {
    if (flooded_) return;
    const size_t size = line.size() + kLineCost;
    if (waiting_bytes_ + size > 2 * environment_->options.max_message_bytes) {
      flooded_ = true;
      queue_.Post([channel = channel_] {
        if (const auto held = channel.lock()) {
          held->HandleExit("wrote faster than it can be read");
        }
      });
      return;
    }
    waiting_bytes_ += size;
    queue_.Post([self = shared_from_this(), size, text = std::string(line)] {
      self->waiting_bytes_ -= size;
      if (const auto held = self->channel_.lock()) held->HandleLine(text);
    });
  }

  // A process may say what it likes, but not fill the log with it.
  void OnStderrLine(std::string_view line) override {
    const auto& log = environment_->options.log;
    if (!log || line.empty()) return;
    const absl::Duration now = environment_->clock.Steady();
    if (now - stderr_second_ >= absl::Seconds(1)) {
      if (stderr_lines_ > kStderrLinesPerSecond) {
        environment_->Notice(
            target_, absl::StrCat(stderr_lines_ - kStderrLinesPerSecond,
                                  " lines of its stderr were left out"));
      }
      stderr_second_ = now;
      stderr_lines_ = 0;
    }
    if (++stderr_lines_ > kStderrLinesPerSecond) return;
    log(LogKind::kStderr, target_.virtual_server, target_.upstream, line);
  }

  void OnExit(std::string_view how) override {
    queue_.Post([self = shared_from_this(), text = std::string(how)] {
      if (const auto held = self->channel_.lock()) held->HandleExit(text);
      self->environment_->processes.Remove(self->place_);
    });
  }

 private:
  static constexpr size_t kLineCost = 128;  // of a line that waits
  static constexpr int kStderrLinesPerSecond = 100;

  const std::shared_ptr<Environment> environment_;
  const relay::UpstreamTarget target_;
  const std::string key_;
  const int64_t place_;
  const http::SerialQueue queue_;
  const std::weak_ptr<StdioChannel> channel_;
  std::atomic<size_t> waiting_bytes_ = 0;
  // Of the reactor's thread.
  absl::Duration stderr_second_ = -absl::InfiniteDuration();  // its begin
  int stderr_lines_ = 0;                                      // in it
  std::atomic<bool> flooded_ = false;
};

std::optional<Trouble> StdioChannel::Start(ProcessOptions options) {
  const absl::StatusOr<int64_t> place = environment_->processes.Reserve(key_);
  if (!place.ok()) {
    const bool busy =
        place.status().code() == absl::StatusCode::kResourceExhausted;
    return Trouble{busy ? Reason::kUpstreamBusy : Reason::kUpstreamUnavailable,
                   std::string(ToStd(place.status().message()))};
  }
  place_ = *place;
  absl::StatusOr<std::shared_ptr<Process>> process =
      Process::Spawn(environment_->reactor, std::move(options),
                     std::make_shared<Link>(environment_, target_, key_, place_,
                                            queue_, weak_from_this()));
  if (!process.ok()) {
    environment_->processes.Remove(place_);
    closed_ = true;
    return Trouble{
        Reason::kUpstreamUnavailable,
        absl::StrCat("cannot start its process: ", process.status().message())};
  }
  process_ = *process;
  environment_->processes.Adopt(place_, *std::move(process));
  if (auto* const observer = environment_->options.observer) {
    observer->OnProcessStarted(target_.virtual_server, target_.upstream);
  }
  return std::nullopt;
}

void StdioChannel::SendRequest(int64_t, std::string text, std::string_view) {
  // If the process is gone, its exit is on its way and tells the session.
  SendAside(std::move(text), nullptr);
}

void StdioChannel::SendAside(std::string text, Sent sent) {
  const std::shared_ptr<Process> process = process_.lock();
  const bool written =
      !closed_ && process != nullptr && process->WriteLine(text);
  if (!sent) return;
  sent(written ? absl::OkStatus()
               : absl::UnavailableError("the upstream's process is gone"));
}

void StdioChannel::MarkInUse(bool in_use) {
  if (in_use) return environment_->processes.MarkBusy(place_);
  environment_->processes.MarkIdle(place_, [queue = queue_, weak = events_] {
    queue.Post([weak] {
      if (const auto events = weak.lock()) events->OnPlaceWanted();
    });
  });
}

void StdioChannel::Close(bool at_once) {
  if (closed_) return;
  closed_ = true;
  environment_->processes.MarkStopping(place_);
  if (const std::shared_ptr<Process> process = process_.lock()) {
    process->Stop(at_once ? absl::ZeroDuration()
                          : environment_->options.stop_grace);
  }
}

void StdioChannel::HandleLine(std::string line) {
  if (closed_ || line.empty()) return;
  if (const auto events = events_.lock()) events->OnMessage(std::move(line), 0);
}

void StdioChannel::HandleExit(const std::string& how) {
  if (closed_) return;
  environment_->processes.RecordCrash(key_);
  Close(/*at_once=*/true);
  if (const auto events = events_.lock()) {
    events->OnLost({Reason::kUpstreamUnavailable,
                    absl::StrCat("its process ended: ", how)});
  }
}

// A program's name without a slash is looked for where a system keeps its own.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  constexpr std::array<const char*, 3> kFolders = {"/usr/local/bin/",
                                                   "/usr/bin/", "/bin/"};
  for (const char* const folder : kFolders) {
    std::string path = absl::StrCat(folder, name);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

// DESIGN §16: a stdio upstream is a stranger.
std::optional<Trouble> CheckUser(const std::string& run_as) {
  const bool root = geteuid() == 0;
  if (root && run_as.empty()) {
    return Trouble{Reason::kUpstreamUnavailable,
                   "refused: the worker is root and the policy names no "
                   "`runAs`; name a user without rights"};
  }
  if (!root && !run_as.empty()) {
    return Trouble{Reason::kUpstreamUnavailable,
                   "refused: the policy names `runAs`, but the worker is not "
                   "root and cannot change its user; drop `runAs` or start "
                   "the worker as root"};
  }
  return std::nullopt;
}

}  // namespace

OpenedChannel OpenStdioChannel(std::shared_ptr<Environment> environment,
                               const relay::UpstreamTarget& target,
                               http::SerialQueue queue,
                               std::weak_ptr<ChannelEvents> events) {
  if (std::optional<Trouble> trouble = CheckUser(target.run_as)) {
    return *std::move(trouble);
  }
  if (target.command.empty()) {
    return Trouble{Reason::kUpstreamUnavailable, "its command is empty"};
  }
  ProcessOptions options;
  options.command = target.command;
  options.command[0] = FindProgram(target.command[0]);
  options.run_as = target.run_as;
  options.max_line_bytes = environment->options.max_message_bytes;
  for (const auto& [name, value] : target.env) {
    if (!IsSecretReference(value)) {
      options.env[name] = value;
      continue;
    }
    absl::StatusOr<std::string> secret = ResolveSecret(value);
    if (!secret.ok()) {
      return Trouble{
          Reason::kUpstreamUnavailable,
          absl::StrCat("env ", name, ": ", secret.status().message())};
    }
    options.env[name] = *std::move(secret);
  }
  const auto channel = std::make_shared<StdioChannel>(
      std::move(environment), target, std::move(queue), std::move(events));
  if (std::optional<Trouble> trouble = channel->Start(std::move(options))) {
    return *std::move(trouble);
  }
  return std::static_pointer_cast<Channel>(channel);
}

}  // namespace gatehouse::upstream
