// `gatehousectl call`: one call, with a client in the terminal.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/mcp/answers.h"
#include "tools/gatehousectl/mcp/call_arguments.h"
#include "tools/gatehousectl/mcp/call_client.h"
#include "tools/gatehousectl/mcp/result_text.h"
#include "tools/gatehousectl/mcp/terminal.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/worker_flags.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxArgumentsBytes = 4 << 20;
constexpr int kMaxPages = 100;
constexpr absl::Duration kListPatience = absl::Seconds(60);

struct CallOptions {
  WorkerTarget target;
  std::string tool;  // empty: list them
  std::vector<std::string> words;
  std::vector<std::string> roots;
  double wait_s = 3600;
  bool no_answers = false;
};

void Say(std::string_view text) {
  fprintf(stderr, "gatehousectl: %s\n", Visible(text).c_str());
}

// Says how a request ended that brought no result.
Exit Report(const CallReply& reply, bool json) {
  switch (reply.kind) {
    case CallReply::Kind::kResult:
      return Exit::kOk;
    case CallReply::Kind::kError:
      if (json) Print(VisibleJson(reply.json) + "\n");
      Say(ErrorText(reply.json));
      return Exit::kRefused;
    case CallReply::Kind::kInterrupted:
      Say("interrupted; the worker was told");
      return Exit::kRefused;
    case CallReply::Kind::kTrouble:
      break;
  }
  Say(reply.trouble.message);
  switch (reply.trouble.kind) {
    case WorkerTrouble::Kind::kUnreachable:
      return Exit::kUnreachable;
    case WorkerTrouble::Kind::kNotPermitted:
      return Exit::kNotPermitted;
    case WorkerTrouble::Kind::kRefused:
    case WorkerTrouble::Kind::kNoVirtualServer:
    case WorkerTrouble::Kind::kSessionLost:
    case WorkerTrouble::Kind::kBroken:
      break;
  }
  return Exit::kRefused;
}

// All pages of tools/list: the tools, raw; how it ended otherwise.
struct ToolsReply {
  std::vector<std::string> tools;
  CallReply last;
};
ToolsReply ListTools(CallClient& client, Answers& answers) {
  ToolsReply all;
  std::string params;
  for (int page = 0; page < kMaxPages; ++page) {
    all.last =
        client.Request("tools/list", params, kListPatience, {&answers, {}});
    if (all.last.kind != CallReply::Kind::kResult) return all;
    json::Limits limits;
    limits.max_bytes = 16 << 20;
    const auto result = json::Document::Parse(all.last.json, limits);
    if (!result.ok()) return all;
    const auto tools = result->root().Find("tools");
    for (const json::Value& tool :
         tools ? tools->Elements() : std::vector<json::Value>()) {
      all.tools.emplace_back(tool.raw());
    }
    const auto cursor = result->root().Find("nextCursor");
    if (!cursor.has_value() || !cursor->IsString()) return all;
    params = absl::StrCat("{\"cursor\":", ToAbsl(cursor->raw()), "}");
  }
  return all;
}

std::optional<json::Value> SchemaOf(const std::vector<std::string>& tools,
                                    const std::string& name) {
  for (const std::string& text : tools) {
    const auto tool = json::Document::Parse(text);
    if (!tool.ok()) continue;
    const auto its_name = tool->root().Find("name");
    if (its_name && its_name->IsString() && *its_name->String() == name) {
      return tool->root().Find("inputSchema");
    }
  }
  return std::nullopt;
}

Exit RunList(CallClient& client, Answers& answers, bool json) {
  const ToolsReply reply = ListTools(client, answers);
  const Exit exit = Report(reply.last, json);
  if (exit != Exit::kOk) return exit;
  Print(json ? ToolsJson(reply.tools) : ToolsTable(reply.tools));
  return Exit::kOk;
}

// The words of the command line; `-` stands for a JSON object on stdin.
absl::StatusOr<std::vector<std::string>> ReadWords(
    std::vector<std::string> words) {
  if (words.size() != 1 || words.front() != "-") return words;
  std::string text(kMaxArgumentsBytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::cin.gcount()));
  if (text.size() > kMaxArgumentsBytes) {
    return absl::InvalidArgumentError("(stdin): over 4 MiB");
  }
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{') {
    return absl::InvalidArgumentError("(stdin): expected a JSON object");
  }
  return std::vector<std::string>{text.substr(start)};
}

void TellNotification(const mcp::Envelope& notification) {
  const std::string text = NotificationText(notification);
  if (!text.empty()) Say(text);
}

Exit RunTool(CallClient& client, Answers& answers, const CallOptions& options,
             const std::vector<std::string>& words, bool json) {
  std::optional<json::Value> schema;
  if (ArePairs(words)) {
    const ToolsReply listed = ListTools(client, answers);
    const Exit exit = Report(listed.last, json);
    if (exit != Exit::kOk) return exit;
    schema = SchemaOf(listed.tools, options.tool);
  }
  const auto arguments = CallArguments(words, schema);
  if (!arguments.ok()) {
    return Session::UsageError(ToStd(arguments.status().message()));
  }
  json::Writer params;
  params.StartObject().Name("name").String(options.tool);
  params.Name("arguments").Raw(*arguments);
  params.Name("_meta").Raw(R"({"progressToken":"call"})");
  const CallReply reply = client.Request(
      "tools/call", params.EndObject().Take(), absl::Seconds(options.wait_s),
      {&answers, TellNotification});
  const Exit exit = Report(reply, json);
  if (exit != Exit::kOk) return exit;
  Print(json ? VisibleJson(reply.json) + "\n" : ResultText(reply.json));
  if (!IsErrorResult(reply.json)) return Exit::kOk;
  Say("the tool says that it failed");
  return Exit::kRefused;
}

absl::StatusOr<std::vector<std::string>> ReadRoots(
    const std::vector<std::string>& given) {
  std::vector<std::string> roots;
  for (const std::string& path : given) {
    std::error_code error;
    const auto whole = std::filesystem::canonical(path, error);
    if (error || !std::filesystem::is_directory(whole, error)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--root ", path, ": no folder is there"));
    }
    roots.push_back(whole.string());
  }
  return roots;
}

Exit RunCall(Session& session, const CallOptions& options) {
  auto link = Resolve(options.target);
  if (!link.ok()) return session.UsageError(ToStd(link.status().message()));
  const auto roots = ReadRoots(options.roots);
  if (!roots.ok()) return session.UsageError(ToStd(roots.status().message()));
  const auto words = ReadWords(options.words);
  if (!words.ok()) return session.UsageError(ToStd(words.status().message()));
  // Both: what is asked must be seen, and what is typed must come from a
  // person.
  const bool person = !options.no_answers && isatty(STDIN_FILENO) != 0 &&
                      isatty(STDERR_FILENO) != 0;
  Inbox inbox;
  Terminal terminal(STDIN_FILENO, STDERR_FILENO, inbox.wake_fds());
  Answers answers(person ? &terminal : nullptr, *roots);
  CallClient client(*std::move(link), options.target.ToString(), &inbox);
  const absl::Status started = client.Start();
  if (!started.ok()) {
    Say(ToStd(started.message()));
    return Exit::kRefused;
  }
  Exit exit = Report(client.Open(answers), session.json());
  if (exit == Exit::kOk) {
    exit = options.tool.empty()
               ? RunList(client, answers, session.json())
               : RunTool(client, answers, options, *words, session.json());
  }
  client.Close();
  return exit;
}

}  // namespace

void AddCallCommand(CLI::App& app, Action* action) {
  CLI::App* call = app.add_subcommand(
      "call",
      "Calls one tool through a worker, as an MCP client whose user is you.\n"
      "  gatehousectl call demo                            lists the tools\n"
      "  gatehousectl call demo demo__count to=3           pairs, typed by the "
      "tool's schema\n"
      "  gatehousectl call demo demo__count '{\"to\": 3}'    or one JSON "
      "object; - reads it from stdin\n"
      "  gatehousectl call demo t list:='[1, 2]'           := is followed by "
      "JSON\n"
      "In a terminal it shows what upstreams ask of you and of your model, and "
      "you answer\nor decline; without one nothing can be asked. Progress goes "
      "to stderr. Exit codes:\n0 the result; 1 a result that says isError, or "
      "an error; 2 the command line; 3 the\nworker does not answer; 4 it wants "
      "a token.");
  auto options = std::make_shared<CallOptions>();
  AddWorkerFlags(call, &options->target);
  call->add_option("TOOL", options->tool, "The tool, as it is listed");
  call->add_option("ARGUMENTS", options->words,
                   "Its arguments: a JSON object, pairs key=value, or -");
  call->add_option("--root", options->roots,
                   "A folder of yours that upstreams may ask for; repeatable")
      ->take_all();
  call->add_option("--wait", options->wait_s,
                   "Seconds of the worker's silence to bear")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  call->add_flag("--no-answers", options->no_answers,
                 "Be asked nothing, in a terminal too");
  call->callback([action, options] {
    *action = [options](Session& session) {
      return RunCall(session, *options);
    };
  });
}

}  // namespace gatehouse::ctl
