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
  // The document, for those who apply another one like it.
  std::string Policy() const;
  // Other options of the workers; before what needs them.
  void StartWith(Gatehouse::Options options);

  // A gatehousectl command towards the control plane, as the operator, run to
  // its end: exit code and stdout.
  std::pair<int, std::string> Control(std::vector<std::string> words);
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

  // What GET / of the worker brings, head and all; `method` for others.
  std::string FrontPage(const std::string& method = "GET");

  const TempDir dir_;
  std::string reply_deadline_ = "20s";

 private:
  std::pair<int, std::string> ToEnd(std::unique_ptr<Conversation> program);
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_CLI_STAGE_H_
