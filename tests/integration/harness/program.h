#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_PROGRAM_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_PROGRAM_H_

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/integration/harness/message.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// A program under test: one child process. It dies with the test, whatever
// ends the test. Owns the process; the destructor kills it and leaves no
// zombie. Thread-compatible; start it from the test's main thread, since the
// kernel ties the child to the thread that made it.
class Program {
 public:
  struct Options {
    std::vector<std::string> argv;           // argv[0] by path
    std::map<std::string, std::string> env;  // besides the test's own
    std::string log_path;  // stderr goes there, stdout to log_path.out
  };

  static absl::StatusOr<std::unique_ptr<Program>> Start(Options options);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The line `{"event":"ready",…}` of its stdout. UNAVAILABLE with the end of
  // its log if it exits or says nothing in time.
  absl::StatusOr<Message> AwaitReady(absl::Duration timeout = kPatience);

  void Signal(int signal);
  // SIGKILL, waited for.
  void Kill();
  // SIGTERM, then its exit code; DEADLINE_EXCEEDED if it does not end in time.
  absl::StatusOr<int> Stop(absl::Duration timeout = kPatience);
  // Waits for an end that something else causes; 128 + N if by signal N.
  absl::StatusOr<int> AwaitExit(absl::Duration timeout = kPatience);

  bool running();
  pid_t pid() const { return pid_; }
  std::string log() const;

 private:
  Program(pid_t pid, Options options)
      : pid_(pid), options_(std::move(options)) {}
  bool Reap(int wait_flags);

  const pid_t pid_;
  const Options options_;
  std::optional<int> exit_code_;
};

// A text file, whole; empty if it cannot be read.
std::string ReadFile(const std::string& path);
absl::Status WriteFile(const std::string& path, const std::string& text);

// $GATEHOUSE_BIN/NAME, where the build puts the programs.
std::string BinaryPath(const std::string& name);
// A program of the tests themselves, beside them in the build.
std::string TestProgramPath(const std::string& name);

// A fresh directory under the system's temporary one, removed at the end with
// all that is in it, unless the test failed: then it stays and is named.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What /proc says of a process.
struct ProcessFacts {
  int threads = 0;
  int descriptors = 0;
  int64_t resident_kib = 0;
  std::vector<pid_t> children;
};
ProcessFacts FactsOf(pid_t pid);

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_PROGRAM_H_
