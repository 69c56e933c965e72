#include <string>
#include <string_view>
#include <utility>

#include "controlplane/policy/tree.h"
#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::policy {
namespace {

// Recursion is bounded: the document was refused beyond kMaxDocumentDepth.
Node ToNode(const json::Value& value) {
  Node node;
  switch (value.kind()) {
    case json::Kind::kNull:
      break;
    case json::Kind::kBool:
      node.kind = Node::Kind::kBool;
      node.flag = value.Bool().value_or(false);
      break;
    case json::Kind::kNumber:
      node.kind = Node::Kind::kNumber;
      node.text = std::string(value.raw());
      break;
    case json::Kind::kString:
      node.kind = Node::Kind::kString;
      node.text = std::string(value.String().value_or(std::string_view()));
      break;
    case json::Kind::kArray:
      node.kind = Node::Kind::kList;
      for (const json::Value& item : value.Elements()) {
        node.items.push_back(ToNode(item));
      }
      break;
    case json::Kind::kObject:
      node.kind = Node::Kind::kMap;
      for (const json::Member& member : value.Members()) {
        node.members.emplace_back(std::string(member.name),
                                  ToNode(member.value));
      }
      break;
  }
  return node;
}

}  // namespace

TreeResult ReadJsonTree(std::string_view text) {
  TreeResult result;
  json::Limits limits;
  limits.max_bytes = kMaxDocumentBytes;
  limits.max_depth = kMaxDocumentDepth;
  const absl::StatusOr<json::Document> document =
      json::Document::Parse(std::string(text), limits);
  if (!document.ok()) {
    result.violations.push_back(
        {"", std::string(ToStd(document.status().message()))});
    return result;
  }
  result.root = ToNode(document->root());
  return result;
}

}  // namespace gatehouse::policy
