#include "controlplane/policy/reader.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "controlplane/policy/fields.h"
#include "controlplane/policy/text_rules.h"
#include "shared/base/status.h"

namespace gatehouse::policy {
namespace {

// `client_features` is how the proto spells it, and what people then try.
std::string CamelCase(std::string_view name) {
  std::string camel;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    camel += upper ? absl::ascii_toupper(static_cast<unsigned char>(c)) : c;
    upper = false;
  }
  return camel;
}

std::string UnknownFieldMessage(std::string_view parent,
                                std::string_view name) {
  const std::string camel = CamelCase(name);
  if (camel != name &&
      StandingOf(MemberPath(parent, camel)) != Standing::kUnknown) {
    return absl::StrCat("unknown field; write ", camel);
  }
  return "unknown field; docs/policy.md lists those of this build";
}

}  // namespace

void Reader::Refuse(const Place& place, std::string_view what) {
  if (violations_.size() >= kMaxViolations) return;
  violations_.push_back({place.path, std::string(what)});
}

void Reader::RefuseMember(const Place& place, std::string_view name,
                          std::string_view what) {
  Refuse({nullptr, MemberPath(place.path, name), ""}, what);
}

void Reader::CheckMembers(const Place& map) {
  if (map.node->kind != Node::Kind::kMap) return;
  for (const auto& [name, value] : map.node->members) {
    const std::string pattern = MemberPath(map.pattern, name);
    switch (StandingOf(pattern)) {
      case Standing::kEnforced:
        break;
      case Standing::kLater:
        RefuseMember(map, name,
                     "known but not enforced by this build; leave it out");
        break;
      case Standing::kOutputOnly:
        RefuseMember(map, name,
                     "written by the control plane only; leave it out");
        break;
      case Standing::kUnknown:
        RefuseMember(map, name, UnknownFieldMessage(map.pattern, name));
        break;
    }
  }
}

std::optional<Place> Reader::Member(const Place& map, std::string_view name) {
  if (map.node->kind != Node::Kind::kMap) return std::nullopt;
  const Node* node = map.node->Find(name);
  if (node == nullptr) return std::nullopt;
  return Place{node, MemberPath(map.path, name), MemberPath(map.pattern, name)};
}

std::optional<Place> Reader::OfKind(const Place& map, std::string_view name,
                                    Node::Kind kind,
                                    std::string_view expected) {
  std::optional<Place> place = Member(map, name);
  if (!place.has_value() || place->node->kind == kind) return place;
  Refuse(*place, expected);
  return std::nullopt;
}

std::optional<Place> Reader::Map(const Place& map, std::string_view name) {
  return OfKind(map, name, Node::Kind::kMap, "expected a map of fields");
}

std::optional<Place> Reader::List(const Place& map, std::string_view name) {
  return OfKind(map, name, Node::Kind::kList, "expected a list");
}

std::optional<std::string> Reader::StringOf(const Place& place) {
  if (place.node->kind == Node::Kind::kString) return place.node->text;
  const bool scalar = place.node->kind == Node::Kind::kBool ||
                      place.node->kind == Node::Kind::kNumber;
  Refuse(place,
         scalar ? "expected a string; put it in quotes" : "expected a string");
  return std::nullopt;
}

std::optional<std::string> Reader::String(const Place& map,
                                          std::string_view name) {
  const std::optional<Place> place = Member(map, name);
  if (!place.has_value()) return std::nullopt;
  return StringOf(*place);
}

std::optional<bool> Reader::Bool(const Place& map, std::string_view name) {
  const std::optional<Place> place =
      OfKind(map, name, Node::Kind::kBool, "expected true or false");
  if (!place.has_value()) return std::nullopt;
  return place->node->flag;
}

std::optional<int64_t> Reader::Integer(const Place& map, std::string_view name,
                                       int64_t least, int64_t most) {
  const std::optional<Place> place =
      OfKind(map, name, Node::Kind::kNumber, "expected a whole number");
  if (!place.has_value()) return std::nullopt;
  int64_t value = 0;
  if (place->node->text.find_first_of(".eE") != std::string::npos ||
      !absl::SimpleAtoi(place->node->text, &value) || value < least ||
      value > most) {
    Refuse(*place,
           absl::StrCat("must be a whole number from ", least, " to ", most));
    return std::nullopt;
  }
  return value;
}

std::vector<Place> Reader::Items(const Place& list) {
  std::vector<Place> items;
  for (size_t i = 0; i < list.node->items.size(); ++i) {
    items.push_back({&list.node->items[i], ItemPath(list.path, i),
                     absl::StrCat(list.pattern, "[]")});
  }
  return items;
}

std::vector<std::pair<std::string, Place>> Reader::Entries(const Place& map) {
  std::vector<std::pair<std::string, Place>> entries;
  for (const auto& [name, value] : map.node->members) {
    entries.emplace_back(name, Place{&value, MemberPath(map.path, name),
                                     MemberPath(map.pattern, name)});
  }
  return entries;
}

}  // namespace gatehouse::policy
