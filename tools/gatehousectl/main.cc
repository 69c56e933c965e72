// gatehousectl: what an operator types.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "tools/gatehousectl/command.h"

namespace gatehouse::ctl {
namespace {

constexpr char kAbout[] =
    "Asks and tells Gatehouse's control plane.\n\n"
    "  gatehousectl status\n"
    "  gatehousectl policy check demo.yaml && gatehousectl policy apply "
    "demo.yaml\n"
    "  gatehousectl audit list --operation ID --json\n\n"
    "Without --control it looks where ./tools/up keeps its control plane.";

constexpr char kFooter[] =
    "Exit codes: 0 done; 1 refused or failed; 2 the command line, or a file it "
    "names;\n3 the control plane does not answer; 4 no token, or not one that "
    "may do this.";

void AddGlobalFlags(CLI::App& app, Globals* globals) {
  app.add_option("--control", globals->control,
                 "unix:PATH or HOST:PORT of the control plane")
      ->envname("GATEHOUSE_CONTROL")
      ->default_str(DefaultControl());
  app.add_option("--token-file", globals->token_file,
                 "File with the token (default: tokens/operator.token beside "
                 "the socket, or auditor.token for the log)")
      ->envname("GATEHOUSE_TOKEN_FILE");
  app.add_option("--timeout", globals->timeout_s, "Seconds for each call")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_flag("--json", globals->json,
               "One JSON object, the proto's mapping, in place of tables");
}

int Main(int argc, char** argv) {
  CLI::App app(kAbout, "gatehousectl");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();  // the global flags may stand after the command
  app.set_version_flag("--version", "gatehousectl " GATEHOUSE_VERSION);
  Globals globals;
  AddGlobalFlags(app, &globals);
  Action action;
  AddStatusCommand(app, &action);
  AddPolicyCommands(app, &action);
  AddSessionsCommands(app, &action);
  AddWorkersCommands(app, &action);
  AddAuditCommands(app, &action);
  AddExplainCommand(app, &action);
  AddUpstreamsCommands(app, &action);
  AddStdioCommand(app, &action);
  AddCallCommand(app, &action);
  AddCompletionCommand(app, &action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has codes of its own; help and version are its only successes.
    return app.exit(error) == 0 ? 0 : static_cast<int>(Exit::kUsage);
  }
  if (globals.control.empty()) globals.control = DefaultControl();
  Session session(globals);
  return static_cast<int>(action(session));
}

}  // namespace
}  // namespace gatehouse::ctl

int main(int argc, char** argv) { return gatehouse::ctl::Main(argc, argv); }
