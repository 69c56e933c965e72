// `gatehousectl explain`: what the judge says of a request, and why.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gatehouse/v1/trust_service.grpc.pb.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/explain_input.h"
#include "tools/gatehousectl/output.h"

namespace gatehouse::ctl {
namespace {

// A little more than what the control plane takes, for what stands around it.
constexpr size_t kMaxRequestBytes = (1 << 20) + (64 << 10);
constexpr size_t kMaxResponseBytes = (2 << 20) + (64 << 10);
constexpr size_t kMaxCapabilitiesBytes = 64 << 10;

struct ExplainOptions {
  std::string file;
  std::string server;
  std::string upstream;
  std::string upstream_revision;
  std::string client_revision;
  std::string capabilities;  // a file, or JSON
  std::string response_file;
  std::string tool;
  bool outside_a_call = false;
};

absl::StatusOr<std::string> ReadCapabilities(const std::string& given) {
  const size_t start = given.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && given[start] == '{') return given;
  return ReadJsonFile(given, kMaxCapabilitiesBytes);
}

absl::StatusOr<v1::ExplainInputRequestRequest> RequestOf(
    const ExplainOptions& options) {
  v1::ExplainInputRequestRequest out;
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string text,
                             ReadJsonFile(options.file, kMaxRequestBytes));
  absl::StatusOr<InputRequestText> request = ReadInputRequest(text);
  if (!request.ok()) return Annotate(request.status(), options.file);
  out.set_method(std::move(request->method));
  out.set_params(std::move(request->params));
  if (!options.response_file.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        const std::string answer,
        ReadJsonFile(options.response_file, kMaxResponseBytes));
    absl::StatusOr<InputResponseText> response = ReadInputResponse(answer);
    if (!response.ok()) {
      return Annotate(response.status(), options.response_file);
    }
    if (response->result.has_value()) {
      out.set_result(*std::move(response->result));
    } else {
      out.set_error(*std::move(response->error));
    }
  }
  if (!options.capabilities.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(std::string capabilities,
                               ReadCapabilities(options.capabilities));
    out.set_client_capabilities(std::move(capabilities));
  }
  out.set_virtual_server(ResourceName("virtualServers/", options.server));
  out.set_upstream(options.upstream);
  out.set_upstream_revision(options.upstream_revision);
  out.set_client_revision(options.client_revision);
  out.set_tool(options.tool);
  out.set_attribution(options.outside_a_call ? v1::ATTRIBUTION_NONE
                                             : v1::ATTRIBUTION_OWN_STREAM);
  return out;
}

// `/messages/1 invalid_request {"limit":3}: what is wrong`.
std::string FaultText(const std::string& path, const std::string& reason,
                      const std::string& details, const std::string& message) {
  return absl::StrCat(path.empty() ? "(all of it)" : path, " ", reason,
                      details.empty() ? "" : " ", details, ": ", message);
}

void PrintLine(std::string_view text) { Print(Visible(text) + "\n"); }

// One rule a line: `+` kept, `-` broken.
void PrintRules(const v1::Explanation& explanation) {
  for (const v1::EvaluatedRule& rule : explanation.rules()) {
    if (rule.outcome() == v1::RULE_BROKEN) {
      PrintLine(absl::StrCat("  - ", rule.rule(), "  ",
                             FaultText(rule.path(), rule.reason(),
                                       rule.details(), rule.message())));
    } else {
      PrintLine(absl::StrCat("  + ", rule.rule()));
    }
  }
}

// Where the fault is that the error names; empty: nowhere in particular.
std::string PathOf(const v1::RefuseVerdict& refusal) {
  const auto data = json::Document::Parse(refusal.data());
  if (!data.ok()) return "";
  const auto path = data->root().Find("path");
  if (!path.has_value() || !path->IsString()) return "";
  return std::string(*path->String());
}

void PrintExplanation(const v1::Explanation& explanation,
                      std::string_view title, std::string_view receiver) {
  PrintLine(title);
  PrintRules(explanation);
  PrintLine(absl::StrCat(ToAbsl(title), ": ", explanation.verdict()));
  if (explanation.has_refusal()) {
    const v1::RefuseVerdict& refusal = explanation.refusal();
    const std::string path = PathOf(refusal);
    if (!path.empty()) PrintLine(absl::StrCat("  at ", path));
    PrintLine(absl::StrCat("  the upstream would get ", refusal.code(), " ",
                           refusal.reason(), ": ", refusal.message()));
    PrintLine(absl::StrCat("  data ", refusal.data()));
  } else {
    PrintLine(absl::StrCat("  ", ToAbsl(receiver), " would get"));
    PrintLine(absl::StrCat("  ", explanation.to_send()));
  }
  for (const std::string& flag : explanation.flags()) {
    PrintLine(absl::StrCat("  a reviewer should look: ", flag));
  }
}

bool IsRefused(const v1::ExplainInputRequestResponse& response) {
  if (response.request().has_refusal()) return true;
  const std::string& answer = response.response().verdict();
  return answer == "invalid" || answer == "failed";
}

Exit RunExplain(Session& session, const ExplainOptions& options) {
  const absl::StatusOr<v1::ExplainInputRequestRequest> request =
      RequestOf(options);
  if (!request.ok()) {
    return Session::UsageError(ToStd(request.status().message()));
  }
  const Connection* connection = session.connection();
  if (connection == nullptr) return Exit::kUsage;
  const auto stub = v1::TrustService::NewStub(connection->channel());
  grpc::ClientContext context;
  connection->Prepare(&context);
  v1::ExplainInputRequestResponse response;
  const grpc::Status status =
      stub->ExplainInputRequest(&context, *request, &response);
  if (!status.ok()) {
    const Exit exit = session.Report(status);
    // Nothing was judged: what is wrong is the command line, not the request.
    return exit == Exit::kRefused ? Exit::kUsage : exit;
  }
  if (session.json()) {
    PrintJson(response);
  } else {
    PrintLine(absl::StrCat(request->virtual_server(), " version ",
                           response.policy_version(), " on ",
                           request->method()));
    PrintExplanation(response.request(), "request", "the client");
    if (response.has_response()) {
      PrintExplanation(response.response(), "response", "the upstream");
    }
  }
  return IsRefused(response) ? Exit::kRefused : Exit::kOk;
}

}  // namespace

void AddExplainCommand(CLI::App& app, Action* action) {
  CLI::App* explain = app.add_subcommand(
      "explain",
      "Judges an upstream's request, and an answer to it, without any effect, "
      "and prints\nevery rule that was asked, in order: + kept, - broken. The "
      "first broken one decides.\n"
      "  gatehousectl explain request.json --server dev\n"
      "  gatehousectl explain - --server dev --capabilities "
      "'{\"sampling\":{}}' < request.json\n"
      "  gatehousectl explain request.json --server dev --response "
      "answer.json\n"
      "The budget is not asked. Exit codes: 0 admitted, and its answer "
      "delivered; 1 refused,\nor its answer was invalid or an error; 2 the "
      "command line, a file it names, or a virtual server that is not there.");
  auto options = std::make_shared<ExplainOptions>();
  explain
      ->add_option("FILE", options->file,
                   "The request: a JSON-RPC message, or its method and params; "
                   "- is stdin")
      ->required();
  explain
      ->add_option("--server", options->server,
                   "The virtual server whose policy judges")
      ->required();
  explain->add_option("--upstream", options->upstream,
                      "Which of its upstreams asks (default: the first)");
  explain->add_option("--upstream-revision", options->upstream_revision,
                      "The MCP revision that it negotiated (default: "
                      "2025-11-25)");
  explain->add_option("--client-revision", options->client_revision,
                      "The client's (default: 2025-11-25)");
  explain->add_option("--capabilities", options->capabilities,
                      "What the client declared, JSON or a file of it "
                      "(default: all that its revision has)");
  explain->add_option("--response", options->response_file,
                      "The answer to judge too: a JSON-RPC response, or "
                      "{\"result\":...} or {\"error\":...}");
  explain->add_option("--tool", options->tool, "The tool that is being called");
  explain->add_flag("--outside-a-call", options->outside_a_call,
                    "It belongs to no call of the client");
  explain->callback([action, options] {
    *action = [options](Session& session) {
      return RunExplain(session, *options);
    };
  });
}

}  // namespace gatehouse::ctl
