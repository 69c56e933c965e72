#include "tools/demo/story_checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::demo {
namespace {

constexpr std::string_view kTerminalStates[] = {
    "REFUSED", "ANSWERED", "DECLINED",  "DISMISSED", "DENIED", "INVALID",
    "FAILED",  "EXPIRED",  "CANCELLED", "REVOKED",   "LOST",   "NOTIFIED"};

absl::Status NotSo(std::string message) {
  return absl::FailedPreconditionError(message);
}

std::string_view KindOf(std::string_view method) {
  if (method == "sampling/createMessage") return "sampling";
  if (method == "elicitation/create") return "elicitation";
  if (method == "roots/list") return "roots";
  return "";
}

// The params without what a gateway may add: `_meta`.
absl::StatusOr<std::string> WithoutMeta(const std::string& params) {
  if (params.empty()) return std::string("{}");
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document document,
                             json::Document::Parse(params));
  return json::Canonical(document.root(), {"_meta"});
}

absl::Status CheckShown(const Life& life, const AskedAndAnswered& asked,
                        const AskedAndAnswered& shown) {
  const ctl::AuditEntry* forwarded = life.Forwarded();
  if (forwarded == nullptr) {
    return NotSo(absl::StrCat(
        "the client was asked, and the log has no `forwarded` record of ",
        life.input_request));
  }
  if (forwarded->time_us > shown.request.time_us) {
    return NotSo(absl::StrCat(
        "record ", forwarded->seq, " (forwarded) was written ",
        forwarded->time_us - shown.request.time_us,
        " us after the client was asked: the effect came before its record"));
  }
  if (shown.request.method != asked.request.method) {
    return NotSo(absl::StrCat("the upstream asked ", asked.request.method,
                              ", the client saw ", shown.request.method));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string before,
                             WithoutMeta(asked.request.params));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string after,
                             WithoutMeta(shown.request.params));
  if (before != after) {
    return NotSo(absl::StrCat("the request was altered on its way: asked ",
                              before, ", shown ", after));
  }
  if (shown.request.id == asked.request.id) {
    return NotSo("the client was asked under the upstream's own id");
  }
  return absl::OkStatus();
}

absl::Status CheckWireError(const WireMessage& answer,
                            const ctl::AuditEntry& end,
                            const ExpectedEnd& expected) {
  if (answer.kind != mcp::MessageKind::kError) {
    return NotSo(absl::StrCat("the upstream got a result, expected error ",
                              expected.code, ": ", answer.result));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const ErrorParts error, ReadError(answer.error));
  if (error.code != expected.code || error.reason != expected.reason) {
    return NotSo(absl::StrCat("the upstream got error ", error.code, " `",
                              error.reason, "`, expected ", expected.code, " `",
                              ToAbsl(expected.reason), "`"));
  }
  if (end.error_code != error.code || end.reason != error.reason) {
    return NotSo(absl::StrCat("the log says ", end.error_code, " `", end.reason,
                              "`, the wire ", error.code, " `", error.reason,
                              "`"));
  }
  return absl::OkStatus();
}

// The answer as the upstream got it, against what the client gave.
absl::Status CheckDelivered(const WireMessage& answer,
                            const AskedAndAnswered* shown) {
  if (answer.kind != mcp::MessageKind::kResult) {
    return NotSo(
        absl::StrCat("the upstream got an error, expected the client's "
                     "answer: ",
                     answer.error));
  }
  if (shown == nullptr || !shown->answer) {
    return NotSo("an answer was delivered that the client never gave");
  }
  if (answer.result != shown->answer->result) {
    return NotSo(absl::StrCat(
        "the answer was altered on its way: the client "
        "gave ",
        shown->answer->result, ", the upstream got ", answer.result));
  }
  if (answer.time_us < shown->answer->time_us) {
    return NotSo("the upstream had the answer before the client gave it");
  }
  return absl::OkStatus();
}

absl::Status CheckEnd(const Life& life, const AskedAndAnswered& asked,
                      const AskedAndAnswered* shown,
                      const ExpectedEnd& expected) {
  const ctl::AuditEntry* end = life.Ended();
  if (end == nullptr) {
    return NotSo(absl::StrCat("the log has no end of ", life.input_request));
  }
  if (end->to_state != expected.state) {
    return NotSo(absl::StrCat(life.input_request, " ended ", end->to_state,
                              " in the log, expected ",
                              ToAbsl(expected.state)));
  }
  if (!asked.answer) {
    return NotSo("the upstream was never answered");
  }
  if (end->time_us > asked.answer->time_us) {
    return NotSo(absl::StrCat(
        "record ", end->seq, " (", end->type, ") was written ",
        end->time_us - asked.answer->time_us,
        " us after the upstream was answered: the effect came before its "
        "record"));
  }
  if (expected.code != 0) {
    return CheckWireError(*asked.answer, *end, expected);
  }
  return CheckDelivered(*asked.answer, shown);
}

}  // namespace

const ctl::AuditEntry* Life::Forwarded() const {
  for (const ctl::AuditEntry& record : records) {
    if (record.to_state == "RELAYED") return &record;
  }
  return nullptr;
}

const ctl::AuditEntry* Life::Ended() const {
  for (const ctl::AuditEntry& record : records) {
    if (record.to_state == record.from_state) continue;
    if (std::find(std::begin(kTerminalStates), std::end(kTerminalStates),
                  record.to_state) != std::end(kTerminalStates)) {
      return &record;
    }
  }
  return nullptr;
}

absl::Status CheckLogIsWhole(const std::vector<ctl::AuditEntry>& log) {
  for (size_t i = 0; i < log.size(); ++i) {
    const ctl::AuditEntry& record = log[i];
    if (record.epoch != log[0].epoch || record.seq != static_cast<int64_t>(i)) {
      return NotSo(absl::StrCat("the log has a gap: record ", i, " is ",
                                record.epoch, "-", record.seq));
    }
    if (Sha256(std::string(1, '\0') + record.body) != record.leaf_hash) {
      return NotSo(absl::StrCat("record ", i, " is not what was hashed"));
    }
  }
  if (log.empty()) return NotSo("the log is empty");
  return absl::OkStatus();
}

std::vector<Life> LivesOf(const std::vector<ctl::AuditEntry>& log) {
  std::vector<Life> lives;
  for (const ctl::AuditEntry& record : log) {
    if (record.input_request.empty()) continue;
    auto it = std::find_if(lives.begin(), lives.end(), [&](const Life& life) {
      return life.input_request == record.input_request;
    });
    if (it == lives.end()) {
      lives.push_back({record.input_request, {}});
      it = std::prev(lives.end());
    }
    it->records.push_back(record);
  }
  return lives;
}

absl::Status CheckInputRequest(const Life& life, const AskedAndAnswered& asked,
                               const AskedAndAnswered* shown,
                               std::string_view upstream_tool,
                               const ExpectedEnd& expected) {
  const ctl::AuditEntry& first = life.records.front();
  if (first.kind != KindOf(asked.request.method) ||
      first.tool != upstream_tool) {
    return NotSo(absl::StrCat("the log speaks of ", first.kind, " by tool ",
                              first.tool, ", the upstream asked ",
                              asked.request.method, " by ",
                              ToAbsl(upstream_tool)));
  }
  if ((shown != nullptr) != expected.shown) {
    return NotSo(expected.shown ? "the client was never asked"
                                : "the client was asked what the judge should "
                                  "have refused");
  }
  if (shown != nullptr) {
    GATEHOUSE_RETURN_IF_ERROR(CheckShown(life, asked, *shown));
  } else if (life.Forwarded() != nullptr) {
    return NotSo("the log says forwarded, and the client was never asked");
  }
  return CheckEnd(life, asked, shown, expected);
}

absl::Status CheckCallPassedUnchanged(const Scene& scene) {
  if (!scene.forwarded || !scene.forwarded->answer) {
    return NotSo("the call, or its result, never passed the upstream's tap");
  }
  const WireMessage& theirs = *scene.forwarded->answer;
  if (theirs.result != scene.response.result) {
    return NotSo(absl::StrCat(
        "the tool's result was altered: the upstream "
        "gave ",
        theirs.result, ", the client got ", scene.response.result));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document ours,
                             json::Document::Parse(scene.call.params));
  GATEHOUSE_ASSIGN_OR_RETURN(
      const json::Document passed,
      json::Document::Parse(scene.forwarded->request.params));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value given,
                             ours.root().Field("arguments"));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value got,
                             passed.root().Field("arguments"));
  if (given.raw() != got.raw()) {
    return NotSo(
        absl::StrCat("the arguments were altered: ", ToAbsl(given.raw()),
                     " became ", ToAbsl(got.raw())));
  }
  return absl::OkStatus();
}

absl::Status CheckNeverReachedUpstream(const Facts& facts,
                                       std::string_view content) {
  for (const RecordedMessage& message : facts.to_upstream) {
    if (message.message.find(content) != std::string::npos) {
      return NotSo(absl::StrCat("the upstream saw what the judge refused: ",
                                message.message));
    }
  }
  return absl::OkStatus();
}

}  // namespace gatehouse::demo
