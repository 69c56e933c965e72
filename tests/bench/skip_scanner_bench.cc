// What it costs to look over a result of 1 MiB: the skip scanner, the envelope
// that is read by it and whole, and RapidJSON's SAX reader with the flags of
// shared/json, which is the cheapest that RapidJSON has.
//
//   bench-skip-scanner [--benchmark_filter=...]

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "rapidjson/memorystream.h"
#include "rapidjson/reader.h"
#include "shared/json/skip_scanner.h"
#include "shared/mcp/envelope.h"

namespace gatehouse {
namespace {

constexpr size_t kResultBytes = 1 << 20;

enum Kind { kLongText, kEscapedText, kBase64, kSmallMembers, kBrackets };
constexpr const char* kNames[] = {"long text", "text with escapes", "base64",
                                  "many small members", "nothing but brackets"};

std::string Filled(std::string_view pattern) {
  std::string text;
  while (text.size() < kResultBytes) text.append(pattern);
  return text;
}

std::string ResultOf(Kind kind) {
  const auto content = [](const std::string& text) {
    return R"({"content":[{"type":"text","text":")" + text + R"("}]})";
  };
  switch (kind) {
    case kLongText:
      return content(Filled("The quick brown fox jumps over the lazy dog. "));
    case kEscapedText:
      return content(Filled(R"({\"name\":\"value\",\n  \"size\":17},\n)"));
    case kBase64:
      return content(Filled("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"));
    case kSmallMembers: {
      std::string members = R"("m":0)";
      for (int i = 0; members.size() < kResultBytes; ++i) {
        members.append(",\"m").append(std::to_string(i)).append("\":");
        members.append(i % 2 == 0 ? "\"v\"" : std::to_string(i));
      }
      return R"({"content":[],"structuredContent":{)" + members + "}}";
    }
    case kBrackets:
      return R"({"content":[)" + Filled("[],") + "0]}";
  }
  return "";
}

std::string MessageOf(benchmark::State& state) {
  const auto kind = static_cast<Kind>(state.range(0));
  state.SetLabel(kNames[kind]);
  return R"({"jsonrpc":"2.0","id":1,"result":)" + ResultOf(kind) + "}";
}

void CountBytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(text.size()));
}

void SkipScan(benchmark::State& state) {
  const std::string text = MessageOf(state);
  for (auto _ : state) {
    const auto found = json::SkipScan(text, "result");
    if (!found.ok()) state.SkipWithError("refused");
    benchmark::DoNotOptimize(found->members().data());
  }
  CountBytes(state, text);
}

void Envelope(benchmark::State& state, bool skip_results) {
  const std::string text = MessageOf(state);
  mcp::EnvelopeLimits limits;
  limits.skip_results = skip_results;
  for (auto _ : state) {
    const auto envelope = mcp::ParseEnvelope(text, limits);
    if (!envelope.ok()) state.SkipWithError("refused");
    benchmark::DoNotOptimize(envelope->result.data());
  }
  CountBytes(state, text);
}

void RapidJsonSax(benchmark::State& state) {
  const std::string text = MessageOf(state);
  for (auto _ : state) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::BaseReaderHandler<> handler;
    rapidjson::Reader reader;
    const auto result =
        reader.Parse<rapidjson::kParseIterativeFlag |
                     rapidjson::kParseValidateEncodingFlag>(stream, handler);
    if (result.IsError()) state.SkipWithError("refused");
  }
  CountBytes(state, text);
}

BENCHMARK(SkipScan)
    ->DenseRange(kLongText, kBrackets)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Envelope, skipping, true)
    ->DenseRange(kLongText, kBrackets)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Envelope, whole, false)
    ->DenseRange(kLongText, kBrackets)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(RapidJsonSax)
    ->DenseRange(kLongText, kBrackets)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gatehouse

BENCHMARK_MAIN();
