// The rules about the list of a user's folders.

#include <array>
#include <optional>
#include <string_view>

#include "controlplane/trust/file_uri.h"
#include "controlplane/trust/rule.h"

namespace gatehouse::trust {
namespace {

using Context = ResponseContext;

Ruling RootsAreAnArray(const Context& context) {
  const std::optional<json::Value> roots = context.answer.Find("roots");
  if (roots.has_value() && roots->IsArray()) return std::nullopt;
  return ObjectToMember(context.answer, "roots", "expected an array of roots");
}

template <Ruling (*check)(const json::Value& root)>
Ruling EachRoot(const Context& context) {
  const std::optional<json::Value> roots = context.answer.Find("roots");
  if (!roots.has_value()) return std::nullopt;
  for (const json::Value& root : roots->Elements()) {
    if (Ruling ruling = check(root)) return ruling;
  }
  return std::nullopt;
}

Ruling IsAnObject(const json::Value& root) {
  if (root.IsObject()) return std::nullopt;
  return ObjectTo(root, "expected a root object");
}

Ruling HasAUri(const json::Value& root) {
  if (!root.IsObject()) return std::nullopt;
  return RequiredString(root, "uri");
}

Ruling UriIsAFolder(const json::Value& root) {
  const std::optional<std::string_view> uri = StringMember(root, "uri");
  if (!uri.has_value()) return std::nullopt;
  const auto problem = FileUriProblem(*uri);
  if (!problem.has_value()) return std::nullopt;
  return ObjectToMember(root, "uri", *problem);
}

Ruling NameIsText(const json::Value& root) {
  return OptionalString(root, "name");
}

Ruling MetaIsAnObject(const json::Value& root) {
  return OptionalObject(root, "_meta");
}

constexpr std::array kRules = {
    ResponseRule{"answer-roots", "an array of roots", "PROTOCOL 8.1",
                 RootsAreAnArray},
    ResponseRule{"answer-root-is-object", "each root as an object",
                 "PROTOCOL 8.1", EachRoot<IsAnObject>},
    ResponseRule{"answer-root-uri", "each root's uri", "PROTOCOL 8.1",
                 EachRoot<HasAUri>},
    ResponseRule{"answer-root-file-uri",
                 "file URIs without host, credentials or traversal", "DESIGN 6",
                 EachRoot<UriIsAFolder>},
    ResponseRule{"answer-root-name", "a root's name as text", "DESIGN 6",
                 EachRoot<NameIsText>},
    ResponseRule{"answer-root-meta", "a root's _meta as an object",
                 "PROTOCOL 8.1", EachRoot<MetaIsAnObject>},
};

}  // namespace

ResponseRules RootsResponseRules() { return kRules; }

}  // namespace gatehouse::trust
