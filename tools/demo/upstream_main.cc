// gatehouse-demo-upstream: an honest MCP server on stdio whose tools ask.

#include <signal.h>

#include <CLI/CLI.hpp>

#include "tools/demo/upstream_server.h"

int main(int argc, char** argv) {
  CLI::App app(
      "An MCP server on stdio whose tools use sampling, a form, roots and "
      "progress.\nEach tool's result tells what it got.");
  double answer_timeout_s = 60;
  app.add_option("--answer-timeout", answer_timeout_s,
                 "Seconds that a tool waits for each answer")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  signal(SIGPIPE, SIG_IGN);
  gatehouse::demo::UpstreamServer server(
      {.in = 0, .out = 1, .answer_timeout = absl::Seconds(answer_timeout_s)});
  server.Run();
  return 0;
}
