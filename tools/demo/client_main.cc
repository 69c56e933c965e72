// gatehouse-demo-client: an MCP client that follows a script.

#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/demo/client_session.h"

namespace gatehouse::demo {
namespace {

struct ScriptedCall {
  std::string tool;
  std::string arguments;  // a JSON object
  AnswerPlan plan;
};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

absl::Status ReadAnswer(const json::Value& call, std::string_view name,
                        Answer* to) {
  const auto value = call.Find(name);
  if (!value) return absl::OkStatus();
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, value->String());
  GATEHOUSE_ASSIGN_OR_RETURN(*to, ParseAnswer(text));
  return absl::OkStatus();
}

absl::StatusOr<ScriptedCall> ReadCall(const json::Value& value) {
  ScriptedCall call;
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value tool, value.Field("tool"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view name, tool.String());
  call.tool = std::string(name);
  const auto arguments = value.Find("arguments");
  call.arguments = arguments ? std::string(arguments->raw()) : "{}";
  GATEHOUSE_RETURN_IF_ERROR(ReadAnswer(value, "sampling", &call.plan.sampling));
  GATEHOUSE_RETURN_IF_ERROR(ReadAnswer(value, "form", &call.plan.form));
  return call;
}

absl::StatusOr<std::vector<ScriptedCall>> ReadScript(const std::string& path) {
  GATEHOUSE_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document document,
                             json::Document::Parse(std::move(text)));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value calls,
                             document.root().Field("calls"));
  std::vector<ScriptedCall> result;
  for (const json::Value& element : calls.Elements()) {
    GATEHOUSE_ASSIGN_OR_RETURN(ScriptedCall call, ReadCall(element));
    result.push_back(std::move(call));
  }
  return result;
}

// `http://HOST:PORT/PATH`.
absl::Status ReadUrl(const std::string& url, ClientOptions* options) {
  constexpr std::string_view kScheme = "http://";
  const size_t slash = url.find('/', kScheme.size());
  if (url.rfind(kScheme, 0) != 0 || slash == std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(url, ": expected http://HOST:PORT/mcp/NAME"));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(
      options->server,
      ParseHostPort(url.substr(kScheme.size(), slash - kScheme.size())));
  options->path = url.substr(slash);
  return absl::OkStatus();
}

std::string CallParams(const ScriptedCall& call) {
  json::Writer params;
  params.StartObject().Name("name").String(call.tool);
  params.Name("arguments").Raw(call.arguments);
  // Whoever is not interested in progress just does not read it.
  params.Name("_meta").Raw(
      absl::StrCat("{\"progressToken\":", json::Quote(call.tool), "}"));
  return params.EndObject().Take();
}

// Prints each response as a JSON line.
absl::Status Run(const ClientOptions& options,
                 const std::vector<ScriptedCall>& calls) {
  ClientSession session(options);
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string opened, session.Open());
  printf("%s\n", opened.c_str());
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string tools,
                             session.Request("tools/list", "", {}));
  printf("%s\n", tools.c_str());
  for (const ScriptedCall& call : calls) {
    const auto response =
        session.Request("tools/call", CallParams(call), call.plan);
    if (!response.ok()) return Annotate(response.status(), call.tool);
    printf("%s\n", response->c_str());
  }
  return session.Close();
}

int Main(int argc, char** argv) {
  CLI::App app(
      "An MCP client over HTTP that calls tools and answers what it is asked "
      "by a script:\n{\"calls\":[{\"tool\":\"demo__summarize\",\"arguments\":"
      "{\"text\":\"...\"},\"sampling\":\"accept\"}]}\nAnswers: accept, "
      "decline, cancel (form), wrong-type, silent.");
  ClientOptions options;
  std::string url;
  std::string script;
  std::string token_file;
  ScriptedCall single{.tool = "", .arguments = "{}", .plan = {}};
  std::string sampling = "accept";
  std::string form = "accept";
  double timeout_s = 60;
  app.add_option("--url", url, "http://HOST:PORT/mcp/NAME")->required();
  app.add_option("--script", script, "A file of calls");
  app.add_option("--tool", single.tool, "One tool to call, without a script");
  app.add_option("--arguments", single.arguments, "Its arguments, JSON");
  app.add_option("--sampling", sampling, "How the model answers that call");
  app.add_option("--form", form, "How the user answers that call");
  app.add_option("--revision", options.revision, "MCP revision")
      ->capture_default_str();
  app.add_option("--token-file", token_file, "A bearer token for the worker");
  app.add_flag("--get-stream", options.open_get_stream, "Open a GET stream");
  app.add_option("--timeout", timeout_s, "Seconds for each request")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  signal(SIGPIPE, SIG_IGN);

  const absl::Status status = [&]() -> absl::Status {
    GATEHOUSE_RETURN_IF_ERROR(ReadUrl(url, &options));
    options.timeout = absl::Seconds(timeout_s);
    if (!token_file.empty()) {
      GATEHOUSE_ASSIGN_OR_RETURN(options.bearer_token, ReadFile(token_file));
      const size_t end = options.bearer_token.find_last_not_of(" \r\n");
      options.bearer_token.resize(end == std::string::npos ? 0 : end + 1);
    }
    std::vector<ScriptedCall> calls;
    if (!script.empty()) {
      GATEHOUSE_ASSIGN_OR_RETURN(calls, ReadScript(script));
    } else if (!single.tool.empty()) {
      GATEHOUSE_ASSIGN_OR_RETURN(single.plan.sampling, ParseAnswer(sampling));
      GATEHOUSE_ASSIGN_OR_RETURN(single.plan.form, ParseAnswer(form));
      calls.push_back(single);
    }
    return Run(options, calls);
  }();
  if (status.ok()) return 0;
  fprintf(stderr, "gatehouse-demo-client: %s\n",
          std::string(status.message()).c_str());
  return 1;
}

}  // namespace
}  // namespace gatehouse::demo

int main(int argc, char** argv) { return gatehouse::demo::Main(argc, argv); }
