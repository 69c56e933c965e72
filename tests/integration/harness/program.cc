#include "tests/integration/harness/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace gatehouse::testing {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(
    const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) {
      entries.push_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    entries.push_back(absl::StrCat(name, "=", value));
  }
  return entries;
}

// Runs between fork and exec: async-signal-safe calls only.
[[noreturn]] void Become(char* const* argv, char* const* env, const char* out,
                         const char* err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out_fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err_fd = open(err, O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  execve(argv[0], argv, env);
  _exit(127);
}

std::string Tail(const std::string& text) {
  constexpr size_t kMost = 4000;
  return text.size() <= kMost ? text : text.substr(text.size() - kMost);
}

int64_t StatusField(const std::string& status, const std::string& name) {
  const size_t at = status.find(absl::StrCat("\n", name, ":"));
  return at == std::string::npos
             ? 0
             : std::atoll(status.c_str() + at + name.size() + 2);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Program>> Program::Start(Options options) {
  if (access(options.argv[0].c_str(), X_OK) != 0) {
    return absl::NotFoundError(
        absl::StrCat(options.argv[0], ": is not there or not executable"));
  }
  std::vector<std::string> argv_texts = options.argv;
  std::vector<std::string> env_texts = Environment(options.env);
  const std::vector<char*> argv = Pointers(argv_texts);
  const std::vector<char*> env = Pointers(env_texts);
  const std::string out = options.log_path + ".out";
  // Or the ready line of a process before it could be taken for its own.
  unlink(out.c_str());
  const pid_t pid = fork();
  if (pid == 0) {
    Become(argv.data(), env.data(), out.c_str(), options.log_path.c_str());
  }
  if (pid < 0) return absl::InternalError("fork failed");
  return std::unique_ptr<Program>(new Program(pid, std::move(options)));
}

Program::~Program() { Kill(); }

bool Program::Reap(int wait_flags) {
  if (exit_code_.has_value()) return true;
  int status = 0;
  if (waitpid(pid_, &status, wait_flags) != pid_) return false;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

absl::StatusOr<Message> Program::AwaitReady(absl::Duration timeout) {
  std::optional<Message> ready;
  Eventually(timeout, [&] {
    std::istringstream lines(ReadFile(options_.log_path + ".out"));
    for (std::string line; std::getline(lines, line);) {
      if (lines.eof()) break;  // not yet whole
      Message message(line);
      if (message.At("/event") == "ready") ready = message;
    }
    return ready.has_value() || Reap(WNOHANG);
  });
  if (ready.has_value()) return *ready;
  return absl::UnavailableError(absl::StrCat(
      options_.argv[0], ": is not ready",
      exit_code_ ? absl::StrCat(", exited with ", *exit_code_) : std::string(),
      "; its log ends:\n", Tail(log())));
}

void Program::Signal(int signal) {
  if (!exit_code_.has_value()) kill(pid_, signal);
}

void Program::Kill() {
  Signal(SIGKILL);
  Reap(0);
}

absl::StatusOr<int> Program::Stop(absl::Duration timeout) {
  Signal(SIGTERM);
  return AwaitExit(timeout);
}

absl::StatusOr<int> Program::AwaitExit(absl::Duration timeout) {
  if (!Eventually(timeout, [&] { return Reap(WNOHANG); })) {
    return absl::DeadlineExceededError(
        absl::StrCat(options_.argv[0], ": did not end in time"));
  }
  return *exit_code_;
}

bool Program::running() { return !Reap(WNOHANG); }

std::string Program::log() const { return ReadFile(options_.log_path); }

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  return out ? absl::OkStatus()
             : absl::UnavailableError(absl::StrCat(path, ": cannot write"));
}

std::string BinaryPath(const std::string& name) {
  const char* folder = std::getenv("GATEHOUSE_BIN");
  return absl::StrCat(folder == nullptr ? "bin" : folder, "/", name);
}

std::string TestProgramPath(const std::string& name) {
  return absl::StrCat(BinaryPath(".."), "/tests/", name);
}

TempDir::TempDir() {
  std::string path =
      (std::filesystem::temp_directory_path() / "gatehouse-test-XXXXXX")
          .string();
  path_ = mkdtemp(path.data());
}

TempDir::~TempDir() {
  if (::testing::Test::HasFailure()) {
    std::cerr << "logs and data are left in " << path_ << "\n";
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ProcessFacts FactsOf(pid_t pid) {
  const std::string proc = absl::StrCat("/proc/", pid);
  const std::string status = ReadFile(proc + "/status");
  ProcessFacts facts;
  facts.threads = static_cast<int>(StatusField(status, "Threads"));
  facts.resident_kib = StatusField(status, "VmRSS");
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(proc + "/fd", error)) {
    (void)entry;
    ++facts.descriptors;
  }
  std::error_code task_error;
  for (const auto& task :
       std::filesystem::directory_iterator(proc + "/task", task_error)) {
    std::istringstream pids(ReadFile(task.path().string() + "/children"));
    for (pid_t child; pids >> child;) facts.children.push_back(child);
  }
  return facts;
}

}  // namespace gatehouse::testing
