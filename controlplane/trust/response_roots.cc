#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "controlplane/trust/file_uri.h"
#include "controlplane/trust/rules.h"

namespace gatehouse::trust {
namespace {

Ruling RootIsAFolder(const json::Value& root) {
  if (!root.IsObject()) return ObjectTo(root, "expected a root object");
  if (Ruling ruling = RequiredString(root, "uri")) return ruling;
  const auto problem = FileUriProblem(*StringMember(root, "uri"));
  if (problem.has_value()) return ObjectToMember(root, "uri", *problem);
  if (Ruling ruling = OptionalString(root, "name")) return ruling;
  return OptionalObject(root, "_meta");
}

Ruling RootsAreFolders(const ResponseContext& context) {
  const std::optional<json::Value> roots = context.result.Find("roots");
  if (!roots.has_value() || !roots->IsArray()) {
    return ObjectToMember(context.result, "roots",
                          "expected an array of roots");
  }
  for (const json::Value& root : roots->Elements()) {
    if (Ruling ruling = RootIsAFolder(root)) return ruling;
  }
  return std::nullopt;
}

constexpr std::array<ResponseRule, 1> kRules = {RootsAreFolders};

}  // namespace

std::span<const ResponseRule> RootsResponseRules() { return kRules; }

}  // namespace gatehouse::trust
