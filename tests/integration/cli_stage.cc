#include "tests/integration/cli_stage.h"

#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"

namespace gatehouse::testing {

void CliStage::SetUp() { StartWith({}); }

// From a copy that the other user can reach, wherever the build lies.
std::string CliStage::Policy() const {
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  const std::string program = dir_.path() + "/demo-upstream";
  std::filesystem::copy_file(BinaryPath("gatehouse-demo-upstream"), program,
                             std::filesystem::copy_options::skip_existing);
  const std::string stdio =
      absl::StrCat("stdio: { command: [\"", program, "\"]",
                   geteuid() == 0 ? ", runAs: nobody" : "", " }\n");
  return absl::StrCat(
      "kind: VirtualServer\nname: dev\nupstreams:\n  - name: demo\n    ", stdio,
      "  - name: other\n    ", stdio,
      "clientFeatures: { sampling: true, elicitation: true, roots: true }\n"
      "trust:\n  sampling: { route: client }\n"
      "  elicitation: { route: client }\nreplyDeadline: ",
      reply_deadline_, "\n");
}

void CliStage::StartWith(Gatehouse::Options options) {
  options.policy = Policy();
  Start(std::move(options));
}

std::unique_ptr<Conversation> CliStage::Run(std::vector<std::string> words,
                                            bool terminal) {
  words.insert(words.begin(), BinaryPath("gatehousectl"));
  words.insert(words.end(), {"--url", WorkerUrl()});
  auto program = Conversation::Start({.argv = std::move(words),
                                      .env = {},
                                      .terminal = terminal,
                                      .stderr_path = dir_.path() + "/stderr"});
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : nullptr;
}

std::pair<int, std::string> CliStage::RunToEnd(std::vector<std::string> words) {
  return ToEnd(Run(std::move(words)));
}

std::pair<int, std::string> CliStage::Control(std::vector<std::string> words) {
  words.insert(words.begin(), BinaryPath("gatehousectl"));
  words.insert(words.end(),
               {"--control", "unix:" + gatehouse_->socket(), "--token-file",
                gatehouse_->data_dir() + "/tokens/operator.token"});
  auto program = Conversation::Start(
      {.argv = std::move(words), .stderr_path = dir_.path() + "/stderr"});
  EXPECT_TRUE(program.ok()) << program.status();
  return ToEnd(program.ok() ? *std::move(program) : nullptr);
}

std::string CliStage::FrontPage(const std::string& method) {
  const std::string address = gatehouse_->worker_address(0);
  const std::string port = address.substr(address.rfind(':') + 1);
  auto program = Conversation::Start(
      {.argv = {"/bin/bash", "-c",
                absl::StrCat(
                    "exec 3<>/dev/tcp/127.0.0.1/", port, " && printf '", method,
                    " / HTTP/1.1\\r\\nHost: localhost\\r\\n"
                    "Connection: close\\r\\n\\r\\n' >&3 && cat <&3")}});
  EXPECT_TRUE(program.ok()) << program.status();
  return ToEnd(program.ok() ? *std::move(program) : nullptr).second;
}

std::pair<int, std::string> CliStage::ToEnd(
    std::unique_ptr<Conversation> program) {
  if (program == nullptr) return {-1, ""};
  program->CloseInput();
  const absl::StatusOr<int> exit = program->AwaitExit();
  EXPECT_TRUE(exit.ok()) << exit.status();
  return {exit.value_or(-1), program->heard()};
}

size_t CliStage::OpenSessions() {
  const auto sessions = gatehouse_->Api("operator").Sessions();
  EXPECT_TRUE(sessions.ok()) << sessions.status();
  return sessions.ok() ? sessions->size() : 0;
}

}  // namespace gatehouse::testing
