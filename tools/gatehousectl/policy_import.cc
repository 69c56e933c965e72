#include "tools/gatehousectl/policy_import.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/upstream_import.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxUpstreams = 64;
constexpr size_t kMaxUpstreamNameBytes = 16;
constexpr size_t kMaxDocumentBytes = 1 << 20;

// Legal names, each given once.
class UpstreamNames {
 public:
  std::string Give(std::string_view wanted) {
    std::string name = LegalName(wanted, kMaxUpstreamNameBytes);
    for (int number = 2; !given_.insert(name).second; ++number) {
      const std::string suffix = absl::StrCat("-", number);
      name = LegalName(wanted, kMaxUpstreamNameBytes - suffix.size()) + suffix;
    }
    return name;
  }

 private:
  std::set<std::string> given_;
};

// A JSON string is one of YAML's double-quoted scalars.
std::string Quoted(std::string_view text) { return json::Quote(text); }

void AppendUpstream(const ImportedUpstream& upstream, const std::string& run_as,
                    std::string* yaml) {
  absl::StrAppend(yaml, "  - name: ", Quoted(upstream.name), "\n");
  if (!upstream.url.empty()) {
    absl::StrAppend(yaml, "    http:\n      url: ", Quoted(upstream.url), "\n");
    if (!upstream.headers.empty()) {
      absl::StrAppend(yaml, "      headersFrom:\n");
    }
    for (const auto& [name, reference] : upstream.headers) {
      absl::StrAppend(yaml, "        ", Quoted(name), ": ", Quoted(reference),
                      "\n");
    }
    return;
  }
  absl::StrAppend(yaml, "    stdio:\n      command: [",
                  absl::StrJoin(upstream.command, ", ",
                                [](std::string* out, const std::string& word) {
                                  out->append(Quoted(word));
                                }),
                  "]\n      env:\n");
  for (const auto& [name, value] : upstream.env) {
    absl::StrAppend(yaml, "        ", Quoted(name), ": ", Quoted(value), "\n");
  }
  if (!run_as.empty()) {
    absl::StrAppend(yaml, "      runAs: ", Quoted(run_as), "\n");
  }
}

const char* FlagText(const ImportFacts& facts, const char* feature) {
  return facts.allowed.contains(feature) ? "true" : "false";
}

void AppendFeatures(const ImportFacts& facts, std::string* yaml) {
  absl::StrAppend(
      yaml,
      "# What the upstreams may ask of the client's side; what is false is "
      "not\n"
      "# even offered to them. sampling: completions of the user's model;\n"
      "# elicitation: forms for the user; roots: the list of the user's "
      "folders.\n"
      "clientFeatures: { sampling: ",
      FlagText(facts, "sampling"),
      ", elicitation: ", FlagText(facts, "elicitation"),
      ", roots: ", FlagText(facts, "roots"), " }\n");
  if (!facts.allowed.empty()) return;
  absl::StrAppend(
      yaml,
      "# To allow some of it, put this in place of the line above:\n"
      "# clientFeatures: { sampling: true, elicitation: true, roots: true }\n"
      "# trust:\n"
      "#   sampling: { route: client, allowTools: false }\n"
      "#   elicitation: { route: client, url: false }\n"
      "# limits: { inputRequestsPerOperation: 4 }\n");
}

// A comment of one line, whatever the name of the file.
std::string CommentText(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result.push_back(byte < 0x20 || byte >= 0x7f ? '?' : c);
  }
  return result;
}

std::string DocumentText(const std::vector<ImportedUpstream>& upstreams,
                         const ImportFacts& facts) {
  std::string yaml = absl::StrCat(
      "# Made by `gatehousectl policy import` of ", CommentText(facts.source),
      "; yours to edit.\nkind: VirtualServer\nname: ", Quoted(facts.name),
      "\nupstreams:\n");
  for (const ImportedUpstream& upstream : upstreams) {
    AppendUpstream(upstream, facts.run_as, &yaml);
  }
  absl::StrAppend(&yaml,
                  "# Tools are listed as UPSTREAM__TOOL.\n"
                  "catalogue: { prefix: upstream }\n");
  AppendFeatures(facts, &yaml);
  return yaml;
}

}  // namespace

std::string LegalName(std::string_view text, size_t max_bytes) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char lower = absl::ascii_tolower(byte);
    const bool letter = lower >= 'a' && lower <= 'z';
    const bool other = absl::ascii_isdigit(byte) != 0;
    if (letter || (other && !name.empty())) {
      name.push_back(lower);
    } else if (other) {
      name.append({'n', lower});
    } else if (!name.empty() && name.back() != '-') {
      name.push_back('-');
    }
  }
  if (name.size() > max_bytes) name.resize(max_bytes);
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "upstream" : name;
}

ImportedPolicy ImportPolicy(const HostConfig& config,
                            const ImportFacts& facts) {
  ImportedPolicy result;
  result.notes = config.notes;
  UpstreamNames names;
  VariableNames variables;
  std::vector<ImportedUpstream> upstreams;
  for (const HostServer& server : config.servers) {
    if (upstreams.size() == kMaxUpstreams) {
      result.notes.push_back({Note::Severity::kError, server.path,
                              "left out: a virtual server has at most 64 "
                              "upstreams; import in two parts"});
      continue;
    }
    const std::string name = names.Give(server.key);
    // Tried on a copy: a server that is left out needs no variables.
    VariableNames with = variables;
    UpstreamImport import(server, name, facts, &with, &result.notes);
    auto upstream = import.Run();
    if (!upstream.has_value()) continue;
    variables = std::move(with);
    if (name != server.key) {
      result.notes.push_back(
          {Note::Severity::kWarning, server.path,
           absl::StrCat("is called ", name, " here; its tools are listed as ",
                        name, "__TOOL")});
    }
    upstreams.push_back(*std::move(upstream));
  }
  result.upstreams = upstreams.size();
  result.variables = variables.Take();
  if (!upstreams.empty()) result.document = DocumentText(upstreams, facts);
  if (result.document.size() > kMaxDocumentBytes) {
    result.notes.push_back({Note::Severity::kError, "",
                            "makes a policy of over 1 MiB; import in parts"});
    result.document.clear();
    result.upstreams = 0;
  }
  return result;
}

}  // namespace gatehouse::ctl
