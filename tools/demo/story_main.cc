// gatehouse-demo-story: what happened, read from the taps and the log alone.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "shared/base/status.h"
#include "tools/demo/recording.h"
#include "tools/demo/story.h"
#include "tools/demo/story_facts.h"
#include "tools/gatehousectl/audit_reader.h"

namespace gatehouse::demo {
namespace {

struct Sources {
  std::string client_tap;
  std::string upstream_tap;
  std::string control;
  std::string token_file;
};

absl::Status Run(const Sources& sources, std::string* told) {
  GATEHOUSE_ASSIGN_OR_RETURN(const auto at_client,
                             ReadRecording(sources.client_tap));
  GATEHOUSE_ASSIGN_OR_RETURN(const auto at_upstream,
                             ReadRecording(sources.upstream_tap));
  GATEHOUSE_ASSIGN_OR_RETURN(
      const auto log, ctl::ReadAuditLog(sources.control, sources.token_file));
  GATEHOUSE_ASSIGN_OR_RETURN(const Facts facts,
                             ReadFacts(at_client, at_upstream));
  return TellStory(facts, log, told);
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Tells the quickstart's story from two tap recordings and ListRecords,\n"
      "and exits 1 at the first thing that is not as it should be.");
  Sources sources;
  app.add_option("--client-tap", sources.client_tap,
                 "Recording between client and worker")
      ->required();
  app.add_option("--upstream-tap", sources.upstream_tap,
                 "Recording between worker and upstream")
      ->required();
  app.add_option("--control", sources.control, "unix:PATH or HOST:PORT")
      ->required();
  app.add_option("--token-file", sources.token_file, "An auditor's token")
      ->required();
  CLI11_PARSE(app, argc, argv);
  std::string told;
  const absl::Status status = Run(sources, &told);
  fwrite(told.data(), 1, told.size(), stdout);
  if (status.ok()) return 0;
  fflush(stdout);
  fprintf(stderr, "\nNOT SO: %s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace
}  // namespace gatehouse::demo

int main(int argc, char** argv) { return gatehouse::demo::Main(argc, argv); }
