// What a judgement costs: a small form, requests of 4, 16, 32 and 64 KiB and
// results of 16 KiB to 1 MiB, of common shapes and of those that have
// the most for the rules to look at. Costs should grow with the size alone.
//
//   bench-judge [--benchmark_filter=...]

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <variant>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/judge.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

constexpr std::string_view kSampling = "sampling/createMessage";
constexpr std::string_view kElicitation = "elicitation/create";
constexpr std::string_view kText = R"({"type":"text","text":"What is it?"})";

policy::VirtualServer OpenPolicy() {
  policy::VirtualServer policy;
  policy.name = "dev";
  policy.upstreams = {{"files", policy::HttpTransport{"http://h/mcp", {}, {}}}};
  policy.sampling = policy.elicitation = true;
  policy.sampling_allow_tools = true;
  return policy;
}

// `items` of `make(i)`, with commas between, as many as fit `bytes`.
template <typename Make>
std::string Filled(size_t bytes, Make make) {
  std::string text;
  for (int i = 0;; ++i) {
    const std::string item = make(i);
    if (text.size() + item.size() + 1 > bytes) return text;
    absl::StrAppend(&text, text.empty() ? "" : ",", item);
  }
}

std::string Letters(size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "The quick brown fox jumps over it. ";
  text.resize(bytes);
  return text;
}

std::string SamplingOf(const std::string& messages) {
  return absl::StrCat(R"({"messages":[)", messages, R"(],"maxTokens":100})");
}

std::string UserMessage(const std::string& content) {
  return absl::StrCat(R"({"role":"user","content":)", content, "}");
}

// The shapes; each within `bytes`, but for a few of the frame.

std::string OneText(size_t bytes) {
  return SamplingOf(UserMessage(absl::StrCat(R"({"type":"text","text":")",
                                             Letters(bytes - 128), R"("})")));
}

std::string OneImage(size_t bytes) {
  return SamplingOf(UserMessage(
      absl::StrCat(R"({"type":"image","mimeType":"image/png","data":")",
                   std::string((bytes - 192) / 4 * 4, 'A'), R"("})")));
}

std::string ManyMessages(size_t bytes) {
  return SamplingOf(
      Filled(bytes - 64, [](int) { return UserMessage(std::string(kText)); }));
}

std::string ManyBlocks(size_t bytes) {
  return SamplingOf(UserMessage(absl::StrCat(
      "[", Filled(bytes - 128, [](int) { return std::string(kText); }), "]")));
}

// One message uses tools, the next answers all of them.
std::string ManyToolUses(size_t bytes) {
  const std::string uses = Filled(bytes / 5 * 2, [](int i) {
    return absl::StrCat(R"({"type":"tool_use","name":"n","input":{},"id":"c)",
                        i, R"("})");
  });
  int count = 0;
  for (size_t at = 0; (at = uses.find("tool_use", at)) != std::string::npos;
       ++at) {
    ++count;
  }
  std::string results;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&results, i == 0 ? "" : ",",
                    R"({"type":"tool_result","content":[],"toolUseId":"c)", i,
                    R"("})");
  }
  return SamplingOf(absl::StrCat(R"({"role":"assistant","content":[)", uses,
                                 "]},", UserMessage("[" + results + "]")));
}

// 32 properties that share the bytes as options of their choices.
std::string ManyOptions(size_t bytes) {
  const size_t each = (bytes - 256) / 32 - 64;
  std::string properties;
  for (int field = 0; field < 32; ++field) {
    absl::StrAppend(
        &properties, field == 0 ? "" : ",", "\"field ", field,
        R"(":{"type":"string","enum":[)",
        Filled(each, [](int i) { return absl::StrCat("\"option ", i, "\""); }),
        "]}");
  }
  return absl::StrCat(
      R"({"message":"m","requestedSchema":{"type":"object","properties":{)",
      properties, "}}}");
}

std::string SmallForm(size_t) {
  return R"({"message":"Whom shall I invite?","requestedSchema":{)"
         R"("type":"object","properties":{)"
         R"("name":{"type":"string","title":"Name","maxLength":80},)"
         R"("mail":{"type":"string","format":"email"},)"
         R"("age":{"type":"integer","minimum":18,"maximum":120},)"
         R"("role":{"type":"string","enum":["reader","writer"]}},)"
         R"("required":["name","mail"]}})";
}

void CountBytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(text.size()));
  state.counters["bytes"] = static_cast<double>(text.size());
}

void Request(benchmark::State& state, std::string_view method,
             std::string (*make)(size_t)) {
  const policy::VirtualServer policy = OpenPolicy();
  const std::string params = make(static_cast<size_t>(state.range(0)) << 10);
  RequestFacts facts;
  facts.method = method;
  facts.params = params;
  facts.declared = {
      .sampling = true, .sampling_tools = true, .elicitation_form = true};
  facts.parent = Parent::kOperation;
  facts.upstream = "files";
  facts.tool = "read";
  for (auto _ : state) {
    const RequestVerdict verdict = JudgeRequest(policy, facts);
    if (std::holds_alternative<Failure>(verdict)) {
      state.SkipWithError(std::get<Failure>(verdict).message.c_str());
    }
  }
  CountBytes(state, params);
}

std::string CompletionOf(const std::string& content) {
  return absl::StrCat(R"({"role":"assistant","model":"m","content":)", content,
                      "}");
}

std::string TextCompletion(size_t bytes) {
  return CompletionOf(absl::StrCat(R"({"type":"text","text":")",
                                   Letters(bytes - 128), R"("})"));
}

std::string ImageCompletion(size_t bytes) {
  return CompletionOf(
      absl::StrCat(R"({"type":"image","mimeType":"image/png","data":")",
                   std::string((bytes - 192) / 4 * 4, 'A'), R"("})"));
}

std::string CompletionOfManyBlocks(size_t bytes) {
  return CompletionOf(absl::StrCat(
      "[", Filled(bytes - 128, [](int) { return std::string(kText); }), "]"));
}

std::string CompletionOfEscapes(size_t bytes) {
  std::string text;
  while (text.size() + 128 < bytes) text += R"(a\u00e4\n)";
  return CompletionOf(
      absl::StrCat(R"({"type":"text","text":")", text, R"("})"));
}

void Response(benchmark::State& state, std::string (*make)(size_t)) {
  const policy::VirtualServer policy = OpenPolicy();
  const std::string request = OneText(1024);
  const std::string result = make(static_cast<size_t>(state.range(0)) << 10);
  ResponseFacts facts;
  facts.method = kSampling;
  facts.request_params = request;
  facts.result = result;
  for (auto _ : state) {
    const ResponseVerdict verdict = JudgeResponse(policy, facts);
    if (verdict.outcome != ResponseOutcome::kAnswered) {
      state.SkipWithError("refused");
    }
  }
  CountBytes(state, result);
}

void FormAnswer(benchmark::State& state) {
  const policy::VirtualServer policy = OpenPolicy();
  const std::string request = SmallForm(0);
  ResponseFacts facts;
  facts.method = kElicitation;
  facts.request_params = request;
  facts.result =
      R"({"action":"accept","content":{"name":"Ada","mail":"ada@example.com",)"
      R"("age":36,"role":"writer"}})";
  for (auto _ : state) {
    const ResponseVerdict verdict = JudgeResponse(policy, facts);
    if (verdict.outcome != ResponseOutcome::kAnswered) {
      state.SkipWithError("refused");
    }
  }
}

void RequestSizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(4)->Arg(16)->Arg(32)->Arg(64)->ArgName("KiB")->Unit(
      benchmark::kMicrosecond);
}
void ResultSizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->ArgName("KiB")->Unit(
      benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(Request, small_form, kElicitation, SmallForm)
    ->Arg(0)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(FormAnswer)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Request, one_text, kSampling, OneText)->Apply(RequestSizes);
BENCHMARK_CAPTURE(Request, one_image, kSampling, OneImage)->Apply(RequestSizes);
BENCHMARK_CAPTURE(Request, many_messages, kSampling, ManyMessages)
    ->Apply(RequestSizes);
BENCHMARK_CAPTURE(Request, many_blocks, kSampling, ManyBlocks)
    ->Apply(RequestSizes);
BENCHMARK_CAPTURE(Request, many_tool_uses, kSampling, ManyToolUses)
    ->Apply(RequestSizes);
BENCHMARK_CAPTURE(Request, many_options, kElicitation, ManyOptions)
    ->Apply(RequestSizes);
BENCHMARK_CAPTURE(Response, one_text, TextCompletion)->Apply(ResultSizes);
BENCHMARK_CAPTURE(Response, one_image, ImageCompletion)->Apply(ResultSizes);
BENCHMARK_CAPTURE(Response, text_of_escapes, CompletionOfEscapes)
    ->Apply(ResultSizes);
BENCHMARK_CAPTURE(Response, many_blocks, CompletionOfManyBlocks)
    ->Apply(ResultSizes);

}  // namespace
}  // namespace gatehouse::trust

BENCHMARK_MAIN();
