#include "tests/integration/harness/conversation.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

extern char** environ;

namespace gatehouse::testing {
namespace {

struct Ends {
  int child_in = -1, child_out = -1;  // of a child with pipes
  int in = -1, out = -1;              // ours
};

std::vector<std::string> Environment(
    const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) {
      entries.push_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    entries.push_back(absl::StrCat(name, "=", value));
  }
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

bool MakePipes(Ends* ends) {
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return false;
  *ends = {in[0], out[1], in[1], out[0]};
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Conversation>> Conversation::Start(
    Options options) {
  if (access(options.argv[0].c_str(), X_OK) != 0) {
    return absl::NotFoundError(
        absl::StrCat(options.argv[0], ": is not there or not executable"));
  }
  std::vector<std::string> env_texts = Environment(options.env);
  const std::vector<char*> argv = Pointers(options.argv);
  const std::vector<char*> env = Pointers(env_texts);
  const std::string stderr_path =
      options.stderr_path.empty() ? "/dev/null" : options.stderr_path;
  Ends ends;
  pid_t pid = -1;
  if (options.terminal) {
    pid = forkpty(&ends.in, nullptr, nullptr, nullptr);
    ends.out = ends.in;
  } else if (MakePipes(&ends)) {
    pid = fork();
  }
  if (pid == 0) {  // async-signal-safe calls only
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!options.terminal) {
      dup2(ends.child_in, STDIN_FILENO);
      dup2(ends.child_out, STDOUT_FILENO);
      dup2(open(stderr_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644),
           STDERR_FILENO);
    }
    execve(argv[0], argv.data(), env.data());
    _exit(127);
  }
  if (pid < 0) return absl::InternalError("fork failed");
  if (!options.terminal) {
    close(ends.child_in);
    close(ends.child_out);
  } else {
    fcntl(ends.in, F_SETFD, FD_CLOEXEC);
  }
  return std::unique_ptr<Conversation>(
      new Conversation(pid, ends.in, ends.out));
}

Conversation::~Conversation() {
  if (!exit_code_.has_value()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (in_ >= 0 && in_ != out_) close(in_);
  close(out_);
}

absl::Status Conversation::Unheard(const std::string& what) const {
  const std::string text = absl::StrCat(what, "; heard:\n", heard_);
  return ended_ ? absl::UnavailableError(text)
                : absl::DeadlineExceededError(text);
}

absl::Status Conversation::Say(const std::string& text) {
  const absl::Time deadline = absl::Now() + kPatience;
  for (size_t done = 0; done < text.size();) {
    pollfd ready = {in_, POLLOUT, 0};
    const auto left = absl::ToInt64Milliseconds(deadline - absl::Now());
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) {
      return Unheard("it does not listen");
    }
    const ssize_t n = write(in_, text.data() + done,
                            std::min<size_t>(text.size() - done, 4096));
    if (n <= 0) return Unheard("it does not listen any more");
    done += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

void Conversation::CloseInput() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

bool Conversation::HearMore(absl::Time deadline) {
  if (ended_) return false;
  pollfd ready = {out_, POLLIN, 0};
  const auto left = absl::ToInt64Milliseconds(deadline - absl::Now());
  if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) return false;
  char buffer[16 << 10];
  const ssize_t n = read(out_, buffer, sizeof(buffer));
  // A terminal whose other side is closed gives EIO.
  if (n <= 0) {
    ended_ = true;
    return false;
  }
  heard_.append(buffer, static_cast<size_t>(n));
  return true;
}

absl::StatusOr<std::string> Conversation::AwaitLine(absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  for (;;) {
    const size_t end = heard_.find('\n', given_);
    if (end != std::string::npos) {
      std::string line = heard_.substr(given_, end - given_);
      given_ = end + 1;
      return line;
    }
    if (!HearMore(deadline)) return Unheard("no further line");
  }
}

absl::Status Conversation::Await(const std::string& text,
                                 absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  for (;;) {
    const size_t at = heard_.find(text, given_);
    if (at != std::string::npos) {
      given_ = at + text.size();
      return absl::OkStatus();
    }
    if (!HearMore(deadline)) return Unheard(absl::StrCat("never: ", text));
  }
}

absl::StatusOr<int> Conversation::AwaitExit(absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (HearMore(deadline)) {
  }
  int status = 0;
  const bool gone =
      exit_code_.has_value() || Eventually(deadline - absl::Now(), [&] {
        return waitpid(pid_, &status, WNOHANG) == pid_;
      });
  if (!gone) return Unheard("it does not end");
  if (!exit_code_.has_value()) {
    exit_code_ =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return *exit_code_;
}

}  // namespace gatehouse::testing
