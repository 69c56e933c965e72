#include "tests/integration/wire/stage.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/integration/wire/pipe_upstream.h"
#include "tests/integration/wire/replay.h"

namespace gatehouse::testing {
namespace {

// Everything that this build serves is allowed, so that what the recording has
// can come out; tools under their own names.
std::string PolicyFor(const std::string& virtual_server,
                      const RecordedUpstream& upstream) {
  return absl::StrCat(
      "kind: VirtualServer\nname: ", virtual_server,
      "\nupstreams:\n  - name: up\n    ", upstream.PolicyMember(),
      "\ncatalogue: { prefix: none }\n"
      "clientFeatures: { sampling: true, elicitation: true, roots: true }\n"
      "trust:\n  sampling: { route: client, allowTools: true }\n"
      "  elicitation: { route: client, url: true }\n");
}

}  // namespace

WireStage::WireStage(std::vector<Play> plays, const std::string& token)
    : status_(Build(std::move(plays), token)) {}

WireStage::WireStage(std::vector<wire::ReplayRow> rows,
                     const std::string& token)
    : status_(Build(std::move(rows), token)) {}

absl::Status WireStage::Build(std::vector<wire::ReplayRow> rows,
                              const std::string& token) {
  std::vector<Play> plays;
  for (wire::ReplayRow& row : rows) {
    Play& play = plays.emplace_back();
    GATEHOUSE_ASSIGN_OR_RETURN(play.trace, wire::ReadTrace(row.trace));
    if (!row.tools.empty()) {
      GATEHOUSE_ASSIGN_OR_RETURN(play.tools, wire::ReadTrace(row.tools));
    }
    play.row = std::move(row);
  }
  return Build(std::move(plays), token);
}

absl::Status WireStage::Build(std::vector<Play> plays,
                              const std::string& token) {
  // From a copy that another user can reach, wherever the build lies.
  std::error_code error;
  bridge_ = dir_.path() + "/pipe-bridge";
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  std::filesystem::copy_file(TestProgramPath("gatehouse_test_pipe_bridge"),
                             bridge_, error);
  if (error) return absl::NotFoundError(bridge_ + ": cannot be copied there");
  std::filesystem::permissions(bridge_, std::filesystem::perms(0755));
  for (Play& play : plays) AddScene(std::move(play));
  Gatehouse::Options options;
  for (const auto& [name, scene] : scenes_) {
    absl::StrAppend(&options.policy, options.policy.empty() ? "" : "\n---\n",
                    PolicyFor(scene.virtual_server, *scene.upstream));
  }
  options.worker_env = {{"WIRE_AUTHORIZATION", "Bearer [token]"}};
  if (!token.empty()) options.clients = {{"recorded", token}};
  GATEHOUSE_ASSIGN_OR_RETURN(gatehouse_, Gatehouse::Start(std::move(options)));
  return absl::OkStatus();
}

void WireStage::AddScene(Play play) {
  Scene scene;
  scene.virtual_server = absl::StrCat("t", scenes_.size());
  if (absl::StartsWith(play.row.trace, "stdio.")) {
    scene.upstream = std::make_unique<RecordedPipeUpstream>(
        &loop_, play.trace, std::move(play.tools), bridge_);
  } else {
    scene.upstream = std::make_unique<RecordedHttpUpstream>(
        &loop_, play.trace, std::move(play.tools));
  }
  scene.trace = std::move(play.trace);
  scene.row = std::move(play.row);
  const std::string name = scene.row.trace;
  scenes_.emplace(name, std::move(scene));
}

std::vector<std::string> WireStage::Run(const std::string& trace,
                                        const wire::Trace* expected) {
  const auto it = scenes_.find(trace);
  if (it == scenes_.end()) return {trace + ": is not on this stage"};
  Scene& scene = it->second;
  scene.upstream->conversation().Restart();
  Replay replay({.loop = &loop_,
                 .worker = gatehouse_->worker_address(0),
                 .virtual_server = scene.virtual_server,
                 .upstream = scene.upstream.get(),
                 .trace = &scene.trace,
                 .expected = expected == nullptr ? &scene.trace : expected,
                 .row = &scene.row});
  return replay.Run();
}

std::string WireStage::EndOfLog() {
  constexpr size_t kShownBytes = 2000;
  const std::string log = gatehouse_->worker(0).log();
  return log.substr(log.size() - std::min(log.size(), kShownBytes));
}

}  // namespace gatehouse::testing
