#include "tests/fault/stage.h"

#include <signal.h>

#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::testing {

const char* Stage::NameOf(Part part) {
  switch (part) {
    case Part::kControl:
      return "control plane";
    case Part::kWorker:
      return "worker";
    case Part::kUpstream:
      return "upstream";
  }
  return "";
}

absl::StatusOr<std::unique_ptr<Stage>> Stage::Start(
    Gatehouse::Options options) {
  std::unique_ptr<Stage> stage(new Stage());
  GATEHOUSE_RETURN_IF_ERROR(stage->StartUpstream());
  options.policy = FullPolicy(
      "dev", absl::StrCat("http://", stage->upstream_address_, "/mcp"));
  GATEHOUSE_ASSIGN_OR_RETURN(stage->gatehouse_,
                             Gatehouse::Start(std::move(options)));
  return stage;
}

Stage::~Stage() { StopClients(); }

absl::Status Stage::StartUpstream() {
  Program::Options program;
  program.argv = {TestProgramPath("gatehouse_test_http_upstream"),
                  upstream_address_, dir_.path() + "/record"};
  program.log_path = dir_.path() + "/upstream.log";
  GATEHOUSE_ASSIGN_OR_RETURN(upstream_, Program::Start(std::move(program)));
  GATEHOUSE_ASSIGN_OR_RETURN(const Message ready, upstream_->AwaitReady());
  upstream_address_ = ready.At("/listen");
  return absl::OkStatus();
}

void Stage::Kill(Part part) {
  switch (part) {
    case Part::kControl:
      return gatehouse_->KillControl();
    case Part::kWorker:
      return gatehouse_->KillWorker(0);
    case Part::kUpstream:
      return upstream_->Kill();
  }
}

absl::Status Stage::Restart(Part part) {
  switch (part) {
    case Part::kControl:
      return gatehouse_->StartControl();
    case Part::kWorker:
      return gatehouse_->StartWorker(0);
    case Part::kUpstream:
      return StartUpstream();
  }
  return absl::OkStatus();
}

std::unique_ptr<ScriptedClient> Stage::NewClient() {
  auto client = std::make_unique<ScriptedClient>(
      &loop_,
      ScriptedClient::Options{.address = gatehouse_->worker_address(0)});
  const auto note = [this](const Message& asked) {
    shown_signal_.Change([&] { shown_.push_back(asked.time()); });
  };
  client->OnAsked("sampling/createMessage", [note](const Message& asked) {
    note(asked);
    return SamplingReply(
        absl::StrCat("re: ", asked.At("/params/messages/0/content/text")));
  });
  client->OnAsked("elicitation/create", [note](const Message& asked) {
    note(asked);
    return FormReply(
        "accept",
        absl::StrCat("{\"echo\":",
                     json::Quote("re: " + asked.At("/params/message")), "}"));
  });
  return client;
}

std::string Stage::OneRound() { return RoundOf(*NewClient()); }

std::string Stage::OneSilentRound() {
  const auto client = NewClient();
  client->OnAsked("sampling/createMessage", nullptr);
  return RoundOf(*client);
}

std::string Stage::RoundOf(ScriptedClient& client) {
  const absl::StatusOr<Message> opened = client.Initialize();
  if (!opened.ok()) return opened.status().ToString();
  const absl::StatusOr<Message> answer = client.CallTool("up__round", "{}");
  client.Delete();
  if (!answer.ok()) return answer.status().ToString();
  const std::string text = answer->At("/result/content/0/text");
  return text.empty() ? answer->raw() : text;
}

void Stage::Drive() {
  std::unique_ptr<ScriptedClient> client;
  while (!stopping_) {
    if (client == nullptr) {
      client = NewClient();
      if (!client->Initialize().ok()) {
        client.reset();
        // Whatever is down comes back in its own time.
        Eventually(absl::Milliseconds(20), [this] { return stopping_.load(); });
        continue;
      }
    }
    // Longer than a reply deadline: an unanswered question ends before.
    const absl::StatusOr<Message> answer =
        client->CallTool("up__round", "{}", absl::Seconds(12));
    if (!answer.ok()) {
      client.reset();  // the worker is gone, or the session
    } else if (answer->At("/result/content/0/text") == "both right") {
      ++rounds_done_;
    }
  }
  if (client != nullptr) client->Delete();
}

void Stage::StartClients(int count) {
  stopping_ = false;
  for (int i = 0; i < count; ++i) {
    clients_.emplace_back([this] { Drive(); });
  }
}

void Stage::StopClients() {
  stopping_ = true;
  for (std::thread& client : clients_) client.join();
  clients_.clear();
}

Effects Stage::SeenEffects(std::vector<std::string>* violations) {
  Effects effects;
  shown_signal_.Read([&] { effects.shown = shown_; });
  std::istringstream lines(ReadFile(dir_.path() + "/record"));
  int64_t micros = 0;
  for (std::string kind; lines >> micros >> kind;) {
    if (kind == "verdict") {
      effects.delivered.push_back(absl::FromUnixMicros(micros));
    } else if (kind != "error") {
      violations->push_back(
          absl::StrCat("the upstream got a reply that was ", kind));
    }
  }
  return effects;
}

OracleReport Stage::ExamineNow(bool at_rest) {
  std::vector<std::string> violations;
  // Before the freeze: what was seen by now must be stored by then.
  const Effects effects = SeenEffects(&violations);
  const bool runs = gatehouse_->control().running();
  if (runs) gatehouse_->control().Signal(SIGSTOP);
  absl::StatusOr<OracleReport> report =
      Examine(gatehouse_->data_dir(), effects, at_rest);
  if (runs) gatehouse_->control().Signal(SIGCONT);
  OracleReport found;
  if (report.ok()) {
    found = *std::move(report);
  } else {
    found.violations.push_back(report.status().ToString());
  }
  found.violations.insert(found.violations.end(), violations.begin(),
                          violations.end());
  return found;
}

OracleReport Stage::ExamineAtRest(absl::Duration patience) {
  OracleReport report;
  Kill(Part::kWorker);
  if (const absl::Status restarted = Restart(Part::kWorker); !restarted.ok()) {
    report.violations.push_back(restarted.ToString());
    return report;
  }
  Eventually(patience, [&] {
    report = ExamineNow(/*at_rest=*/true);
    return report.violations.empty();
  });
  return report;
}

}  // namespace gatehouse::testing
