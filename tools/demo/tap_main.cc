// gatehouse-demo-tap: stands between two MCP peers and records what passes.

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/demo/tap.h"

namespace gatehouse::demo {
namespace {

int Fail(const absl::Status& status) {
  fprintf(stderr, "gatehouse-demo-tap: %s\n",
          std::string(status.message()).c_str());
  return 1;
}

// A descriptor that is readable once SIGTERM or SIGINT came. SIGCHLD is
// blocked too, for the wait on the child.
Fd StopSignal() {
  signal(SIGPIPE, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  return Fd(signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
}

int RunStdio(const std::string& record,
             const std::vector<std::string>& command) {
  auto recording = RecordingWriter::Open(record);
  if (!recording.ok()) return Fail(recording.status());
  const Fd stop = StopSignal();
  const absl::StatusOr<int> code =
      RunStdioTap(command, *std::move(recording), stop.get());
  return code.ok() ? *code : Fail(code.status());
}

int RunHttp(const std::string& record, const std::string& listen,
            const std::string& target) {
  auto recording = RecordingWriter::Open(record);
  if (!recording.ok()) return Fail(recording.status());
  const auto listen_on = ParseHostPort(listen);
  if (!listen_on.ok()) return Fail(listen_on.status());
  const auto pass_to = ParseHostPort(target);
  if (!pass_to.ok()) return Fail(pass_to.status());
  const Fd stop = StopSignal();
  const absl::Status status =
      RunHttpTap({.listen = *listen_on, .target = *pass_to},
                 *std::move(recording), stop.get());
  return status.ok() ? 0 : Fail(status);
}

int Main(int argc, char** argv) {
  CLI::App app("Passes bytes between two MCP peers and records each message.");
  app.require_subcommand(1);
  std::string record;
  std::string listen;
  std::string target;
  std::vector<std::string> command;

  CLI::App* stdio = app.add_subcommand(
      "stdio",
      "Between our standard streams and a command's: stdio --record "
      "FILE -- COMMAND [ARGUMENT...]");
  stdio->add_option("--record", record, "Where to record")->required();
  stdio->add_option("command", command, "Program, by absolute path")
      ->required();

  CLI::App* http = app.add_subcommand("http", "Between HTTP peers");
  http->add_option("--record", record, "Where to record")->required();
  http->add_option("--listen", listen, "HOST:PORT; port 0 takes any")
      ->default_val("127.0.0.1:0");
  http->add_option("--target", target, "HOST:PORT of the server")->required();

  CLI11_PARSE(app, argc, argv);
  return stdio->parsed() ? RunStdio(record, command)
                         : RunHttp(record, listen, target);
}

}  // namespace
}  // namespace gatehouse::demo

int main(int argc, char** argv) { return gatehouse::demo::Main(argc, argv); }
