#ifndef GATEHOUSE_CONTROLPLANE_POLICY_TREE_H_
#define GATEHOUSE_CONTROLPLANE_POLICY_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controlplane/policy/virtual_server.h"

namespace gatehouse::policy {

// What YAML and JSON have in common: a document as the validator sees it, so
// that there is one validator and not one per syntax. A plain value.
struct Node {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };

  // Declared, for clang asks whether a pair of this can be made before it has
  // made one up.
  Node();

  Kind kind = Kind::kNull;
  bool flag = false;  // of kBool
  std::string text;   // of kString; of kNumber the lexeme
  std::vector<Node> items;
  std::vector<std::pair<std::string, Node>> members;  // in the order written

  // The member of that name, or null. A null member counts as absent.
  const Node* Find(std::string_view name) const;
};

// A document in tree form, or what keeps it from being one.
struct TreeResult {
  Node root;
  std::vector<Violation> violations;
};

// A document's bounds, whichever the syntax.
inline constexpr size_t kMaxDocumentBytes = 1 << 20;
inline constexpr int kMaxDocumentDepth = 32;   // containers within containers
inline constexpr size_t kMaxViolations = 256;  // more are counted, not listed

// One YAML document. Refused besides what is no YAML: anchors, aliases, tags,
// keys that are no scalars or stand twice, a second document, more depth than
// kMaxDocumentDepth. Plain scalars are read as YAML 1.2's core schema does, but
// for numbers: only decimal integers and decimals are numbers.
// Pure; nothing that yaml-cpp throws leaves it.
TreeResult ReadYamlTree(std::string_view text);

// One JSON document, read as strictly as shared/json reads everything. Pure.
TreeResult ReadJsonTree(std::string_view text);

// `parent.name`, or `name` at the root; `parent[index]`.
std::string MemberPath(std::string_view parent, std::string_view name);
std::string ItemPath(std::string_view parent, size_t index);

}  // namespace gatehouse::policy

#endif  // GATEHOUSE_CONTROLPLANE_POLICY_TREE_H_
