#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONVERSATION_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONVERSATION_H_

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// A program under test that is talked to: over pipes, as a host talks to a
// stdio server, or over a terminal of its own, as a person does. It dies with
// the test. Owns the process. Thread-compatible; start it from the test's main
// thread, as Program.
class Conversation {
 public:
  struct Options {
    std::vector<std::string> argv;                // argv[0] by path
    std::map<std::string, std::string> env = {};  // besides the test's own
    bool terminal = false;  // stdin, stdout and stderr are one terminal
    // With pipes: where stderr goes; empty: nowhere.
    std::string stderr_path = {};
  };

  static absl::StatusOr<std::unique_ptr<Conversation>> Start(Options options);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // All of it, within kPatience.
  absl::Status Say(const std::string& text);
  // With pipes: no more will be said.
  void CloseInput();
  // The next whole line that was not given yet, without its LF.
  // DEADLINE_EXCEEDED or UNAVAILABLE, with all that was heard, if none comes.
  absl::StatusOr<std::string> AwaitLine(absl::Duration timeout = kPatience);
  // Until `text` is heard, behind what was awaited before.
  absl::Status Await(const std::string& text,
                     absl::Duration timeout = kPatience);
  // Its exit code once all was heard; 128 + N if it ended by signal N.
  absl::StatusOr<int> AwaitExit(absl::Duration timeout = kPatience);

  // Everything so far.
  const std::string& heard() const { return heard_; }
  pid_t pid() const { return pid_; }

 private:
  Conversation(pid_t pid, int in, int out) : pid_(pid), in_(in), out_(out) {}
  // False at the end of what it says, or once the deadline is over.
  bool HearMore(absl::Time deadline);
  absl::Status Unheard(const std::string& what) const;

  const pid_t pid_;
  int in_;   // what is said; -1 once closed
  int out_;  // what is heard; the same as in_ with a terminal
  std::string heard_;
  size_t given_ = 0;  // of it
  bool ended_ = false;
  std::optional<int> exit_code_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_CONVERSATION_H_
