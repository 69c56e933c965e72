// `gatehousectl stdio`: for hosts that only launch commands.

#include <cstdio>
#include <memory>

#include "shared/base/status.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/mcp/stdio_server.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/worker_flags.h"

namespace gatehouse::ctl {

void AddWorkerFlags(CLI::App* command, WorkerTarget* target) {
  command->add_option("NAME", target->name, "The virtual server")->required();
  command->add_option("--url", target->url, "Where the worker is")
      ->envname("GATEHOUSE_WORKER_URL")
      ->capture_default_str();
  command
      ->add_option("--token-file", target->token_file,
                   "A client's token, where the worker wants one (not the "
                   "control plane's)")
      ->envname("GATEHOUSE_CLIENT_TOKEN_FILE");
  command->add_option("--ca", target->ca_file,
                      "Authorities in PEM to trust for https (default: the "
                      "system's)");
}

void AddStdioCommand(CLI::App& app, Action* action) {
  CLI::App* stdio = app.add_subcommand(
      "stdio",
      "A stdio MCP server that is a virtual server of a worker, for hosts that "
      "only\nlaunch commands. In the host's configuration:\n"
      "  {\"mcpServers\": {\"dev\": {\"command\": \"gatehousectl\", \"args\": "
      "[\"stdio\", \"dev\"]}}}\n"
      "Sampling, forms, roots and notifications pass both ways. Ends when the "
      "host\ncloses its stdin.");
  auto target = std::make_shared<WorkerTarget>();
  AddWorkerFlags(stdio, target.get());
  stdio->callback([action, target] {
    *action = [target](Session& session) {
      const absl::Status status =
          ServeStdio(*target, [](std::string_view text) {
            fprintf(stderr, "gatehousectl: %s\n", Visible(text).c_str());
          });
      if (!status.ok()) return session.UsageError(ToStd(status.message()));
      return Exit::kOk;
    };
  });
}

}  // namespace gatehouse::ctl
