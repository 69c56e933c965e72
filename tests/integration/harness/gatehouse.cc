#include "tests/integration/harness/gatehouse.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"

namespace gatehouse::testing {
namespace {

std::string WithoutSpace(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

}  // namespace

Gatehouse::Gatehouse(Options options) : options_(std::move(options)) {
  // Open to all, so that what keeps strangers out is Gatehouse's own doing.
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  std::filesystem::create_directories(dir_.path() + "/policy");
  size_t number = 0;
  std::string rest = options_.policy;
  while (!rest.empty()) {
    const size_t end = rest.find("\n---\n");
    WriteFile(absl::StrCat(dir_.path(), "/policy/", number++, ".yaml"),
              rest.substr(0, end))
        .IgnoreError();
    rest = end == std::string::npos ? "" : rest.substr(end + 5);
  }
  std::string tokens;
  for (const auto& [name, token] : options_.clients) {
    absl::StrAppend(&tokens, name, " ", HexEncode(Sha256(token)), "\n");
  }
  WriteFile(dir_.path() + "/client-tokens", tokens).IgnoreError();
  workers_.resize(options_.workers);
  worker_addresses_.resize(options_.workers, "127.0.0.1:0");
  worker_admins_.resize(options_.workers);
}

absl::StatusOr<std::unique_ptr<Gatehouse>> Gatehouse::Start(Options options) {
  auto gatehouse = std::make_unique<Gatehouse>(std::move(options));
  GATEHOUSE_RETURN_IF_ERROR(gatehouse->StartControl());
  for (size_t i = 0; i < gatehouse->workers_.size(); ++i) {
    GATEHOUSE_RETURN_IF_ERROR(gatehouse->StartWorker(i));
  }
  return gatehouse;
}

absl::Status Gatehouse::StartControl() {
  Program::Options program;
  program.argv = {
      BinaryPath(options_.faulty_control ? "gatehouse-control-faulty"
                                         : "gatehouse-control"),
      "--data-dir",
      data_dir(),
      "--listen",
      "127.0.0.1:0",
      "--policy",
      dir_.path() + "/policy",
      "--admin",
      "127.0.0.1:0"};
  program.argv.insert(program.argv.end(), options_.control_flags.begin(),
                      options_.control_flags.end());
  program.env = options_.control_env;
  program.log_path = dir_.path() + "/control.log";
  GATEHOUSE_ASSIGN_OR_RETURN(control_, Program::Start(std::move(program)));
  GATEHOUSE_ASSIGN_OR_RETURN(const Message ready, control_->AwaitReady());
  control_address_ = ready.At("/listen");
  control_admin_ = ready.At("/admin");
  return absl::OkStatus();
}

absl::Status Gatehouse::StartWorker(size_t index) {
  Program::Options program;
  program.argv = {BinaryPath(options_.faulty_worker ? "gatehouse-worker-faulty"
                                                    : "gatehouse-worker"),
                  "--control",
                  index < options_.control_addresses.size()
                      ? options_.control_addresses[index]
                      : absl::StrCat("unix:", socket()),
                  "--token-file",
                  data_dir() + "/tokens/worker.token",
                  "--listen",
                  worker_addresses_[index],
                  "--name",
                  absl::StrCat("w", index + 1),
                  "--admin",
                  "127.0.0.1:0"};
  program.argv.insert(program.argv.end(), options_.worker_flags.begin(),
                      options_.worker_flags.end());
  if (index < options_.clusters.size()) {
    program.argv.insert(program.argv.end(),
                        {"--cluster", options_.clusters[index]});
  }
  if (!options_.clients.empty()) {
    program.argv.insert(program.argv.end(),
                        {"--client-tokens", dir_.path() + "/client-tokens"});
  }
  program.env = options_.worker_env;
  program.log_path = absl::StrCat(dir_.path(), "/worker", index + 1, ".log");
  GATEHOUSE_ASSIGN_OR_RETURN(workers_[index],
                             Program::Start(std::move(program)));
  GATEHOUSE_ASSIGN_OR_RETURN(const Message ready,
                             workers_[index]->AwaitReady());
  worker_addresses_[index] = ready.At("/listen");
  worker_admins_[index] = ready.At("/admin");
  return absl::OkStatus();
}

void Gatehouse::KillControl() { control_->Kill(); }

void Gatehouse::KillWorker(size_t index) { workers_[index]->Kill(); }

std::string Gatehouse::Token(const std::string& role) const {
  return WithoutSpace(
      ReadFile(absl::StrCat(data_dir(), "/tokens/", role, ".token")));
}

ControlApi Gatehouse::Api(const std::string& role) const {
  return ControlApi(absl::StrCat("unix:", socket()), Token(role));
}

std::string PolicyText(
    const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& upstreams,
    const std::string& rest) {
  std::string text =
      absl::StrCat("kind: VirtualServer\nname: ", name, "\nupstreams:\n");
  for (const auto& [upstream, url] : upstreams) {
    absl::StrAppend(&text, "  - name: ", upstream, "\n    http: { url: \"", url,
                    "\" }\n");
  }
  return absl::StrCat(text, rest);
}

std::string FullPolicy(const std::string& name, const std::string& url,
                       const std::string& more) {
  return PolicyText(
      name, {{"up", url}},
      absl::StrCat(
          "clientFeatures: { sampling: true, elicitation: true, roots: true }\n"
          "trust:\n  sampling: { route: client, allowTools: true }\n"
          "  elicitation: { route: client }\n",
          more.find("replyDeadline") == std::string::npos
              ? "replyDeadline: 5s\n"
              : "",
          more));
}

}  // namespace gatehouse::testing
