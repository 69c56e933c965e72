#ifndef GATEHOUSE_TESTS_INTEGRATION_CLI_STAGE_H_
#define GATEHOUSE_TESTS_INTEGRATION_CLI_STAGE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/harness/conversation.h"
#include "tests/integration/harness/fixture.h"

namespace gatehouse::testing {

// Virtual server `dev` with the demo upstream twice, as `demo` and `other`,
// over stdio, and everything permitted; gatehousectl as its client.
class CliStage : public GatehouseTest {
 protected:
  void SetUp() override;
  // Other options of the workers; before what needs them.
  void StartWith(Gatehouse::Options options);

  // A gatehousectl command towards the worker, over pipes or a terminal.
  std::unique_ptr<Conversation> Run(std::vector<std::string> words,
                                    bool terminal = false);
  // What the pipes' one said on stderr.
  std::string Stderr() const { return ReadFile(dir_.path() + "/stderr"); }
  // The same, run to its end: exit code and all that it said on stdout.
  std::pair<int, std::string> RunToEnd(std::vector<std::string> words);
  std::string WorkerUrl() const {
    return "http://" + gatehouse_->worker_address(0);
  }
  size_t OpenSessions();

  const TempDir dir_;

 private:
  std::string Policy() const;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_CLI_STAGE_H_
