#include "controlplane/policy/tree.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::policy {
namespace {

// A name is the author's text: a path shows this much of it, no more.
constexpr size_t kMaxShownNameBytes = 64;

std::string_view Shown(std::string_view name) {
  if (name.size() <= kMaxShownNameBytes) return name;
  size_t end = kMaxShownNameBytes;
  // Not in the middle of a UTF-8 sequence: the path travels as a proto string.
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) {
    --end;
  }
  return name.substr(0, end);
}

}  // namespace

Node::Node() = default;

const Node* Node::Find(std::string_view name) const {
  for (const auto& [member, value] : members) {
    if (member == name) return value.kind == Kind::kNull ? nullptr : &value;
  }
  return nullptr;
}

std::string MemberPath(std::string_view parent, std::string_view name) {
  const std::string_view shown = Shown(name);
  if (parent.empty()) return std::string(shown);
  return absl::StrCat(ToAbsl(parent), ".", ToAbsl(shown));
}

std::string ItemPath(std::string_view parent, size_t index) {
  return absl::StrCat(ToAbsl(parent), "[", index, "]");
}

}  // namespace gatehouse::policy
