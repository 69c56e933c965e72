#include "tools/demo/story.h"

#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/demo/story_checks.h"

namespace gatehouse::demo {
namespace {

// A tool of the demo upstream as the client sees it.
constexpr std::string_view kToolPrefix = "demo__";

constexpr ExpectedEnd kAnswered = {.state = "ANSWERED"};

// What the quickstart's script makes happen.
struct ExpectedScene {
  std::string_view title;
  std::string_view tool;  // the upstream's own name
  std::vector<ExpectedEnd> ends;
  int least_progress = 0;
  bool answer_must_not_pass = false;  // the client's, which breaks the schema
};

const std::vector<ExpectedScene>& ExpectedScenes() {
  static const auto* const scenes = new std::vector<ExpectedScene>{
      {.title = "A plain call, with progress",
       .tool = "count",
       .ends = {},
       .least_progress = 3},
      {.title = "A summary, which asks the client's model",
       .tool = "summarize",
       .ends = {kAnswered}},
      {.title = "A booking, which asks the user by a form",
       .tool = "book_table",
       .ends = {kAnswered}},
      {.title = "A greedy tool: three times 4,096 tokens",
       .tool = "greedy",
       .ends = {kAnswered,
                kAnswered,
                {.state = "REFUSED",
                 .shown = false,
                 .code = -31001,
                 .reason = "budget_exhausted"}}},
      {.title = "The user's folders, which the policy does not allow",
       .tool = "list_folders",
       .ends = {{.state = "REFUSED",
                 .shown = false,
                 .code = -32601,
                 .reason = "not_permitted"}}},
      {.title = "A form answered with a value of the wrong type",
       .tool = "book_table",
       .ends = {{.state = "INVALID",
                 .code = -32603,
                 .reason = "invalid_response"}},
       .answer_must_not_pass = true},
      {.title = "A sampling request that the user declines",
       .tool = "summarize",
       .ends = {{.state = "DECLINED", .code = -1, .reason = "declined"}}},
      {.title = "A question that nobody answers in time",
       .tool = "summarize",
       .ends = {{.state = "EXPIRED", .code = -32603, .reason = "expired"}}},
  };
  return *scenes;
}

std::string Milliseconds(int64_t us) {
  char buffer[32];
  snprintf(buffer, sizeof(buffer), "%.1f ms", static_cast<double>(us) / 1000);
  return buffer;
}

std::string Shortened(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  // Not within a character: continuation bytes go too.
  while (bytes > 0 &&
         (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) {
    --bytes;
  }
  return absl::StrCat(ToAbsl(text.substr(0, bytes)), "...");
}

class Teller {
 public:
  Teller(const Facts& facts, const std::vector<ctl::AuditEntry>& log,
         std::string* told)
      : facts_(facts), log_(log), lives_(LivesOf(log)), told_(told) {}

  absl::Status Tell() {
    GATEHOUSE_RETURN_IF_ERROR(Annotate(TellHandshake(), "the handshake"));
    const auto& expected = ExpectedScenes();
    if (facts_.scenes.size() != expected.size()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the client's tap saw ", facts_.scenes.size(),
                       " calls, the script has ", expected.size()));
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      Say(absl::StrCat("\n", i + 2, ". ", ToAbsl(expected[i].title)));
      GATEHOUSE_RETURN_IF_ERROR(Annotate(
          TellScene(facts_.scenes[i], expected[i]), expected[i].title));
    }
    if (next_life_ != lives_.size()) {
      return absl::FailedPreconditionError(absl::StrCat("the log speaks of ",
                                                        lives_.size(),
                                                        " input requests, the "
                                                        "upstream's tap saw ",
                                                        next_life_));
    }
    return TellLog();
  }

 private:
  void Say(std::string_view line) {
    absl::StrAppend(told_, ToAbsl(line), "\n");
  }

  absl::Status TellHandshake() {
    if (facts_.client_handshakes.empty() ||
        facts_.upstream_handshakes.empty()) {
      return absl::FailedPreconditionError("no initialize passed the taps");
    }
    GATEHOUSE_ASSIGN_OR_RETURN(
        const std::string declared,
        CapabilitiesOf(facts_.client_handshakes.front().request));
    Say("1. The handshake");
    Say(absl::StrCat("   the client declares            ", declared));
    for (const Handshake& handshake : facts_.upstream_handshakes) {
      GATEHOUSE_ASSIGN_OR_RETURN(const std::string offered,
                                 CapabilitiesOf(handshake.request));
      GATEHOUSE_ASSIGN_OR_RETURN(const json::Document document,
                                 json::Document::Parse(offered));
      if (document.root().Find("roots")) {
        return absl::FailedPreconditionError(
            "the upstream was offered roots, which the policy does not allow");
      }
      if (!document.root().Find("sampling") ||
          !document.root().Find("elicitation")) {
        return absl::FailedPreconditionError(absl::StrCat(
            "the upstream was not offered what both sides allow: ", offered));
      }
      Say(absl::StrCat("   the upstream is offered        ", offered));
    }
    Say("   (the policy allows no roots, so they are not even offered)");
    return absl::OkStatus();
  }

  static absl::StatusOr<std::string> CapabilitiesOf(
      const WireMessage& initialize) {
    GATEHOUSE_ASSIGN_OR_RETURN(const json::Document params,
                               json::Document::Parse(initialize.params));
    GATEHOUSE_ASSIGN_OR_RETURN(const json::Value capabilities,
                               params.root().Field("capabilities"));
    return std::string(capabilities.raw());
  }

  absl::Status TellScene(const Scene& scene, const ExpectedScene& expected) {
    if (scene.tool !=
        absl::StrCat(ToAbsl(kToolPrefix), ToAbsl(expected.tool))) {
      return absl::FailedPreconditionError(
          absl::StrCat("the client called ", scene.tool));
    }
    if (scene.progress_count < expected.least_progress) {
      return absl::FailedPreconditionError(absl::StrCat(
          "only ", scene.progress_count, " progress notifications came"));
    }
    if (scene.asked.size() != expected.ends.size()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the upstream asked ", scene.asked.size(),
                       " times, expected ", expected.ends.size()));
    }
    size_t next_shown = 0;
    for (size_t i = 0; i < expected.ends.size(); ++i) {
      GATEHOUSE_RETURN_IF_ERROR(
          TellInputRequest(scene, i, expected, &next_shown));
    }
    if (next_shown != scene.shown.size()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the client was asked ", scene.shown.size(), " times, and only ",
          next_shown, " were due: ", scene.shown.back().request.method));
    }
    GATEHOUSE_RETURN_IF_ERROR(CheckCallPassedUnchanged(scene));
    if (scene.progress_count > 0) {
      Say(absl::StrCat("   progress     ", scene.progress_count,
                       " notifications reached the client"));
    }
    Say(absl::StrCat("   the call     ended after ",
                     Milliseconds(scene.response.time_us - scene.call.time_us),
                     "; its result passed byte for byte"));
    return absl::OkStatus();
  }

  absl::Status TellInputRequest(const Scene& scene, size_t index,
                                const ExpectedScene& expected,
                                size_t* next_shown) {
    const AskedAndAnswered& asked = scene.asked[index];
    const ExpectedEnd& end = expected.ends[index];
    const AskedAndAnswered* shown = nullptr;
    // The next one that the client saw is this one, if it was to see it; what
    // it saw and was not to see is found when all are told.
    if (end.shown && *next_shown < scene.shown.size()) {
      shown = &scene.shown[(*next_shown)++];
    }
    if (next_life_ >= lives_.size()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the log has no record of ", asked.request.method));
    }
    const Life& life = lives_[next_life_++];
    GATEHOUSE_RETURN_IF_ERROR(
        CheckInputRequest(life, asked, shown, expected.tool, end));
    if (expected.answer_must_not_pass) {
      GATEHOUSE_RETURN_IF_ERROR(CheckRefusedAnswer(shown));
    }
    SayLife(life, asked, shown);
    return absl::OkStatus();
  }

  absl::Status CheckRefusedAnswer(const AskedAndAnswered* shown) const {
    if (shown == nullptr || !shown->answer) {
      return absl::FailedPreconditionError("the client gave no answer");
    }
    GATEHOUSE_ASSIGN_OR_RETURN(const json::Document result,
                               json::Document::Parse(shown->answer->result));
    GATEHOUSE_ASSIGN_OR_RETURN(const json::Value content,
                               result.root().Field("content"));
    return CheckNeverReachedUpstream(facts_, content.raw());
  }

  void SayLife(const Life& life, const AskedAndAnswered& asked,
               const AskedAndAnswered* shown) {
    Say(absl::StrCat("   asked        ", asked.request.method, " ",
                     Shortened(asked.request.params, 100)));
    if (shown != nullptr) {
      const ctl::AuditEntry* forwarded = life.Forwarded();
      Say(absl::StrCat(
          "   relayed      record ", forwarded->seq, ", ",
          Milliseconds(shown->request.time_us - forwarded->time_us),
          " before the client saw it"));
      Say(absl::StrCat("   the client   ", AnswerText(shown->answer)));
    }
    const ctl::AuditEntry* end = life.Ended();
    Say(absl::StrCat("   judged       ", end->to_state, ", record ", end->seq,
                     ", ", Milliseconds(asked.answer->time_us - end->time_us),
                     " before the upstream was told"));
    Say(absl::StrCat("   the upstream ", AnswerText(asked.answer)));
  }

  static std::string AnswerText(const std::optional<WireMessage>& answer) {
    if (!answer) return "never answered";
    if (answer->kind == mcp::MessageKind::kResult) {
      return absl::StrCat("result ", Shortened(answer->result, 100));
    }
    const auto error = ReadError(answer->error);
    if (!error.ok()) return absl::StrCat("error ", answer->error);
    return absl::StrCat("error ", error->code, error->reason.empty() ? "" : " ",
                        error->reason, ": ", error->message);
  }

  absl::Status TellLog() {
    GATEHOUSE_RETURN_IF_ERROR(CheckLogIsWhole(log_));
    Say(absl::StrCat("\n", ExpectedScenes().size() + 2,
                     ". The audit of all that: ", log_.size(),
                     " records, no gap, each leaf the hash of its body"));
    for (const ctl::AuditEntry& record : log_) {
      char line[256];
      const std::string time =
          absl::FormatTime("%H:%M:%E6S", absl::FromUnixMicros(record.time_us),
                           absl::UTCTimeZone());
      const std::string code =
          record.error_code == 0 ? "" : absl::StrCat(record.error_code);
      snprintf(line, sizeof(line),
               "   %3lld  %s  %-22s %-12s %-13s %-10s %-6s %s",
               static_cast<long long>(record.seq), time.c_str(),
               record.type.c_str(), record.kind.c_str(), record.tool.c_str(),
               record.to_state.c_str(), code.c_str(), record.reason.c_str());
      std::string text = line;
      text.resize(text.find_last_not_of(' ') + 1);
      Say(text);
    }
    return absl::OkStatus();
  }

  const Facts& facts_;
  const std::vector<ctl::AuditEntry>& log_;
  const std::vector<Life> lives_;
  std::string* const told_;
  size_t next_life_ = 0;
};

}  // namespace

absl::Status TellStory(const Facts& facts,
                       const std::vector<ctl::AuditEntry>& log,
                       std::string* told) {
  return Teller(facts, log, told).Tell();
}

}  // namespace gatehouse::demo
