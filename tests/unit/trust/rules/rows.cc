#include "tests/unit/trust/rules/rows.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

using Default = std::pair<std::string_view, std::string_view>;

// An object of `members` and of those defaults that they do not name.
std::string Object(std::string_view members,
                   std::initializer_list<Default> defaults) {
  std::string text(members);
  for (const auto& [name, value] : defaults) {
    const std::string label = absl::StrCat("\"", ToAbsl(name), "\":");
    if (members.find(label) != std::string_view::npos) continue;
    absl::StrAppend(&text, text.empty() ? "" : ",", label, ToAbsl(value));
  }
  return absl::StrCat("{", text, "}");
}

constexpr std::string_view kTools =
    R"("tools":[{"name":"add","inputSchema":{"type":"object"}}])";

policy::VirtualServer EverythingAllowed() {
  policy::VirtualServer policy = OpenPolicy();
  policy.elicitation_url = true;
  return policy;
}

}  // namespace

std::string Ask::Judge(Trace* trace) const {
  policy::VirtualServer policy = EverythingAllowed();
  RequestFacts facts = Asked(method_, params_, upstream_, client_);
  if (change_) change_(policy, facts);
  if (!IsAnswered()) return Short(JudgeRequest(policy, facts, trace));
  ResponseFacts answer;
  answer.method = method_;
  answer.request_params = params_;
  answer.upstream_revision = upstream_;
  answer.client_revision = client_;
  if (result_.has_value()) answer.result = *result_;
  if (error_.has_value()) answer.error = *error_;
  answer.oversized_bytes = oversized_;
  return Short(JudgeResponse(policy, answer, trace));
}

Ask Sampling(std::string_view members) {
  return Ask(
      kSampling,
      Object(members,
             {{"messages",
               R"([{"role":"user","content":{"type":"text","text":"t"}}])"},
              {"maxTokens", "100"}}));
}

Ask Messages(std::string_view messages) {
  return Sampling(absl::StrCat("\"messages\":[", ToAbsl(messages), "]"));
}

Ask Elicit(std::string_view members) {
  return Ask(kElicitation, Object(members, {{"message", R"("m")"},
                                            {"requestedSchema",
                                             R"({"type":"object","properties":)"
                                             R"({"f":{"type":"string"}}})"}}));
}

Ask FieldOf(std::string_view schema) {
  return Elicit(
      absl::StrCat(R"("requestedSchema":{"type":"object","properties":{"f":)",
                   ToAbsl(schema), "}}"));
}

Ask Url(std::string_view members) {
  return Ask(kElicitation,
             Object(members, {{"mode", R"("url")"},
                              {"message", R"("m")"},
                              {"url", R"("https://example.com/a")"},
                              {"elicitationId", R"("e1")"}}));
}

Ask Roots(std::string_view params) { return Ask(kRoots, std::string(params)); }

Ask Filled(std::string_view schema, std::string_view value) {
  return FieldOf(schema).Answered(absl::StrCat(
      R"({"action":"accept","content":{"f":)", ToAbsl(value), "}}"));
}

Ask Completion(std::string_view members) {
  return Sampling().Answered(Object(
      members,
      {{"role", R"("assistant")"}, {"model", R"("m")"}, {"content", kText}}));
}

Ask ToolCompletion(std::string_view request_members, std::string_view members) {
  const std::string request =
      absl::StrCat(ToAbsl(kTools), request_members.empty() ? "" : ",",
                   ToAbsl(request_members));
  return Sampling(request).Answered(Object(members, {{"role", R"("assistant")"},
                                                     {"model", R"("m")"},
                                                     {"content", Use("1")}}));
}

std::string Use(std::string_view id) {
  return absl::StrCat(R"({"type":"tool_use","name":"add","input":{},"id":")",
                      ToAbsl(id), "\"}");
}

std::string Result(std::string_view id) {
  return absl::StrCat(R"({"type":"tool_result","content":[],"toolUseId":")",
                      ToAbsl(id), "\"}");
}

Rows AllRows() {
  Rows all;
  for (const auto rows :
       {CommonRows, SamplingRows, MessageRows, FormRows, FieldRows, UrlRows,
        AnswerRows, CompletionRows, FilledFormRows}) {
    for (Row& row : rows()) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace gatehouse::trust
