#include "dataplane/catalogue/catalogue.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::catalogue {
namespace {

constexpr std::string_view kSeparator = "__";
constexpr size_t kCustomaryNameBytes = 64;

// A tool's metadata is relayed, not judged: as deep as a spliced result.
constexpr json::Limits kToolLimits = {
    .max_bytes = 16 << 20, .max_depth = 512, .max_values = 1'000'000};

// A tool object that can be listed.
struct ReadTool {
  json::Document document;
  std::string name;
  bool needs_task = false;
};

absl::StatusOr<ReadTool> ReadToolObject(const std::string& raw) {
  GATEHOUSE_ASSIGN_OR_RETURN(json::Document document,
                             json::Document::Parse(raw, kToolLimits));
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value name,
                             document.root().Field("name"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, name.String());
  if (text.empty()) return name.Error("a tool needs a name that is not empty");
  ReadTool tool{.document = document, .name = std::string(text)};
  if (const auto execution = document.root().Find("execution")) {
    if (const auto support = execution->Find("taskSupport")) {
      const absl::StatusOr<std::string_view> word = support->String();
      tool.needs_task = word.ok() && *word == "required";
    }
  }
  return tool;
}

std::string ShownName(Prefix prefix, const std::string& upstream,
                      const std::string& name) {
  switch (prefix) {
    case Prefix::kUpstream:
      return absl::StrCat(upstream, ToAbsl(kSeparator), name);
    case Prefix::kNone:
      return name;
  }
  return name;
}

bool IsCustomaryName(std::string_view name) {
  return name.size() <= kCustomaryNameBytes &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == '-';
         });
}

// One tool on its way into the list.
struct Candidate {
  std::string upstream;
  std::string shown;
  ReadTool tool;
};

// Reads one upstream's tools; what cannot be listed becomes a problem.
void CollectTools(Prefix prefix, const std::string& upstream,
                  const std::vector<std::string>& raw_tools,
                  std::vector<Candidate>& candidates,
                  std::vector<Problem>& problems) {
  std::set<std::string> seen;
  for (const std::string& raw : raw_tools) {
    absl::StatusOr<ReadTool> tool = ReadToolObject(raw);
    if (!tool.ok()) {
      problems.push_back(
          {upstream, "",
           absl::StrCat("a tool was left out, its object cannot be read: ",
                        tool.status().message())});
      continue;
    }
    if (!seen.insert(tool->name).second) {
      problems.push_back({upstream, tool->name,
                          "listed twice by its upstream: the second was left "
                          "out"});
      continue;
    }
    if (tool->needs_task) continue;
    std::string shown = ShownName(prefix, upstream, tool->name);
    if (!IsCustomaryName(shown)) {
      problems.push_back({upstream, tool->name,
                          "kept, but its shown name is over 64 bytes or "
                          "outside [A-Za-z0-9_-]: some clients refuse it"});
    }
    candidates.push_back({upstream, std::move(shown), *std::move(tool)});
  }
}

}  // namespace

Catalogue Catalogue::Merge(Prefix prefix,
                           const std::vector<UpstreamTools>& listed,
                           const std::vector<std::string>& elsewhere) {
  Catalogue catalogue;
  catalogue.elsewhere_ = {elsewhere.begin(), elsewhere.end()};
  catalogue.prefix_ = prefix;
  std::vector<Candidate> candidates;
  for (const UpstreamTools& one : listed) {
    if (!one.tools.ok()) {
      catalogue.unlisted_.insert(one.upstream);
      catalogue.problems_.push_back(
          {one.upstream, "",
           absl::StrCat("left out of the list, its tools could not be listed: ",
                        one.tools.status().message())});
      continue;
    }
    CollectTools(prefix, one.upstream, *one.tools, candidates,
                 catalogue.problems_);
  }
  std::map<std::string, int> lists;  // shown name -> how many upstreams
  for (const Candidate& candidate : candidates) ++lists[candidate.shown];
  for (const Candidate& candidate : candidates) {
    if (lists[candidate.shown] > 1) {
      catalogue.clashes_.insert(candidate.shown);
      catalogue.problems_.push_back(
          {candidate.upstream, candidate.tool.name,
           "left out, another upstream lists a tool of that name: use "
           "`prefix: upstream`"});
      continue;
    }
    const json::Document& document = candidate.tool.document;
    catalogue.tools_.push_back(json::Splice(
        document.text(), {json::SetMember(document.root(), "name",
                                          json::Quote(candidate.shown))}));
    catalogue.routes_[candidate.shown] = {candidate.upstream,
                                          candidate.tool.name};
  }
  return catalogue;
}

absl::StatusOr<Destination> Catalogue::Route(
    std::string_view shown_name) const {
  if (const auto it = routes_.find(shown_name); it != routes_.end()) {
    return it->second;
  }
  if (clashes_.find(shown_name) != clashes_.end()) {
    return absl::FailedPreconditionError(
        "more than one upstream lists a tool of this name, so it leads "
        "nowhere: set `catalogue.prefix: upstream` in the virtual server");
  }
  const size_t end = shown_name.find(kSeparator);
  if (prefix_ == Prefix::kUpstream && end != std::string_view::npos &&
      elsewhere_.find(shown_name.substr(0, end)) != elsewhere_.end()) {
    return absl::OutOfRangeError(
        "the upstream of this tool is served by workers of other clusters");
  }
  const bool may_be_unlisted =
      prefix_ == Prefix::kNone
          ? !unlisted_.empty()
          : end != std::string_view::npos &&
                unlisted_.find(shown_name.substr(0, end)) != unlisted_.end();
  if (may_be_unlisted) {
    return absl::UnavailableError(
        "an upstream that may have this tool could not be listed: try again "
        "later");
  }
  return absl::NotFoundError("no tool of this name is listed");
}

}  // namespace gatehouse::catalogue
