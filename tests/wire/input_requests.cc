#include "tests/wire/input_requests.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tests/wire/trace_files.h"

namespace gatehouse::wire {
namespace {

constexpr std::string_view kUrlElicitationRequired = "-32042";
constexpr std::string_view kMeta = "io.modelcontextprotocol/";

bool IsInputRequest(std::string_view method) {
  return method == "sampling/createMessage" || method == "elicitation/create" ||
         method == "roots/list";
}

// Follows a conversation, message by message, whichever way each goes.
class Conversation {
 public:
  void FromClient(const json::Value& message) {
    const std::string method = TextMember(message, "method");
    const std::optional<json::Value> params = message.Find("params");
    if (method.empty()) return TakeAnswer(message);
    if (!params.has_value()) return;
    if (method == "initialize") declared_ = RawMember(*params, "capabilities");
    ReadEnvelope(*params);
    if (const auto responses = params->Find("inputResponses")) {
      for (const json::Member& response : responses->Members()) {
        Answer(absl::StrCat("key ", std::string(response.name)),
               std::string(response.value.raw()), "");
      }
    }
  }

  void FromServer(const json::Value& message) {
    const std::string method = TextMember(message, "method");
    if (IsInputRequest(method)) {
      return Ask(absl::StrCat("id ", RawMember(message, "id")), message);
    }
    if (const auto error = message.Find("error")) return Notified(*error);
    const std::optional<json::Value> result = message.Find("result");
    if (!result.has_value()) return;
    if (result->Find("protocolVersion")) {
      revision_ = TextMember(*result, "protocolVersion");
    }
    const std::optional<json::Value> asked = result->Find("inputRequests");
    if (!asked.has_value()) return;
    for (const json::Member& request : asked->Members()) {
      Ask(absl::StrCat("key ", std::string(request.name)), request.value);
    }
  }

  std::vector<RecordedInputRequest> Take() { return std::move(asked_); }

 private:
  // Each modern request says what its client can do.
  void ReadEnvelope(const json::Value& params) {
    const std::optional<json::Value> meta = params.Find("_meta");
    if (!meta.has_value()) return;
    const std::string version =
        TextMember(*meta, absl::StrCat(std::string(kMeta), "protocolVersion"));
    if (version.empty()) return;
    revision_ = version;
    declared_ = RawMember(
        *meta, absl::StrCat(std::string(kMeta), "clientCapabilities"));
  }

  // What the user is to visit before the call can be made again.
  void Notified(const json::Value& error) {
    const std::optional<json::Value> data = error.Find("data");
    if (RawMember(error, "code") != kUrlElicitationRequired ||
        !data.has_value()) {
      return;
    }
    const std::optional<json::Value> elicitations = data->Find("elicitations");
    if (!elicitations.has_value()) return;
    for (const json::Value& params : elicitations->Elements()) {
      asked_.push_back({.method = "elicitation/create",
                        .params = std::string(params.raw()),
                        .revision = revision_,
                        .declared = declared_,
                        .notified = true});
    }
  }

  void Ask(const std::string& key, const json::Value& request) {
    open_[key] = asked_.size();
    asked_.push_back({.method = TextMember(request, "method"),
                      .params = RawMember(request, "params"),
                      .revision = revision_,
                      .declared = declared_});
  }

  void TakeAnswer(const json::Value& message) {
    Answer(absl::StrCat("id ", RawMember(message, "id")),
           RawMember(message, "result"), RawMember(message, "error"));
  }
  void Answer(const std::string& key, std::string result, std::string error) {
    const auto it = open_.find(key);
    if (it == open_.end()) return;
    asked_[it->second].result = std::move(result);
    asked_[it->second].error = std::move(error);
    open_.erase(it);
  }

  std::string declared_ = "{}";
  std::string revision_;
  std::map<std::string, size_t> open_;
  std::vector<RecordedInputRequest> asked_;
};

}  // namespace

absl::StatusOr<std::vector<RecordedInputRequest>> ReadInputRequests(
    const std::string& trace) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<json::Document> lines,
                             ReadLines(absl::StrCat(trace, ".jsonl")));
  Conversation conversation;
  for (const json::Document& document : lines) {
    const json::Value line = document.root();
    const std::string kind = TextMember(line, "ev");
    const std::optional<json::Value> content =
        line.Find(kind == "sse" ? "data" : "body");
    // A line without a kind is a probe's: no conversation.
    if (kind.empty() || !content.has_value() || !content->IsObject()) continue;
    if (kind == "request" || kind == "stdin") {
      conversation.FromClient(*content);
    } else {
      conversation.FromServer(*content);
    }
  }
  return conversation.Take();
}

}  // namespace gatehouse::wire
