#include <algorithm>

#include "shared/base/check.h"
#include "shared/json/json.h"
#include "shared/json/text.h"

namespace gatehouse::json {
namespace {

bool Contains(const std::vector<std::string_view>& names,
              std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A container that is being written: its children in the order to write them.
struct OpenContainer {
  bool is_object = false;
  std::vector<Member> children;  // of an array: without names
  size_t next = 0;
};

OpenContainer Open(const Value& value,
                   const std::vector<std::string_view>& leave_out) {
  OpenContainer open;
  open.is_object = value.IsObject();
  if (!open.is_object) {
    for (Value& element : value.Elements()) {
      open.children.push_back({std::string_view(), std::move(element)});
    }
    return open;
  }
  for (Member& member : value.Members()) {
    if (!Contains(leave_out, member.name)) {
      open.children.push_back(std::move(member));
    }
  }
  std::sort(open.children.begin(), open.children.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  return open;
}

}  // namespace

std::string Splice(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(
      edits.begin(), edits.end(),
      [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  size_t grown = text.size();
  for (const Edit& edit : edits) grown += edit.replacement.size();
  std::string spliced;
  spliced.reserve(grown);
  size_t at = 0;
  for (const Edit& edit : edits) {
    GATEHOUSE_CHECK(edit.offset >= at && edit.offset <= text.size() &&
                    edit.size <= text.size() - edit.offset);
    spliced.append(text.substr(at, edit.offset - at));
    spliced.append(edit.replacement);
    at = edit.offset + edit.size;
  }
  spliced.append(text.substr(at));
  return spliced;
}

Edit SetMember(const Value& object, std::string_view name,
               std::string_view json) {
  GATEHOUSE_CHECK(object.IsObject() && !json.empty());
  if (const std::optional<Value> there = object.Find(name)) {
    return {there->offset(), there->raw().size(), std::string(json)};
  }
  std::string added = object.size() == 0 ? "" : ",";
  added.append(Quote(name)).append(":").append(json);
  const size_t closing_brace = object.offset() + object.raw().size() - 1;
  return {closing_brace, 0, std::move(added)};
}

std::string Canonical(const Value& value,
                      const std::vector<std::string_view>& leave_out) {
  std::string text;
  std::vector<OpenContainer> open;
  const auto write = [&](const Value& next, bool is_root) {
    if (next.IsObject() || next.IsArray()) {
      text.push_back(next.IsObject() ? '{' : '[');
      open.push_back(
          Open(next, is_root ? leave_out : std::vector<std::string_view>()));
    } else if (next.IsString()) {
      AppendQuoted(*next.String(), text);
    } else {
      text.append(next.raw());
    }
  };
  write(value, /*is_root=*/true);
  while (!open.empty()) {
    OpenContainer& current = open.back();
    if (current.next == current.children.size()) {
      text.push_back(current.is_object ? '}' : ']');
      open.pop_back();
      continue;
    }
    if (current.next > 0) text.push_back(',');
    const Member& child = current.children[current.next++];
    if (current.is_object) {
      AppendQuoted(child.name, text);
      text.push_back(':');
    }
    const Value next = child.value;  // `current` moves when `open` grows
    write(next, /*is_root=*/false);
  }
  return text;
}

}  // namespace gatehouse::json
