// The strict reader:
//
//   - what it refuses, it refuses for a reason it can name, and a depth, a
//     count or a name twice only where there is one;
//   - what it reads has no member twice, no value deeper than the limit, not
//     more values than the limit, and each value's bytes read alike alone;
//   - a pointer leads back to its value, and a member set is read as set;
//   - the canonical form reads as the same values, and is its own.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shared/json/json.h"
#include "tests/fuzz/fuzz_support.h"

namespace gatehouse::json {
namespace {

using fuzz::Require;

// Small, so that inputs reach them.
constexpr Limits kLimits = {
    .max_bytes = 4096, .max_depth = 12, .max_values = 40};

size_t CountOf(std::string_view text, char c) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), c));
}

void CheckRefusal(std::string_view text, const absl::Status& refused) {
  switch (FaultOf(refused)) {
    case Fault::kSyntax:
    case Fault::kEncoding:
      break;
    case Fault::kDuplicate:
      Require(CountOf(text, ':') >= 2, "two members are needed for one twice");
      break;
    case Fault::kDepth:
      Require(CountOf(text, '[') + CountOf(text, '{') >
                  static_cast<size_t>(kLimits.max_depth),
              "so deep takes so many brackets");
      break;
    case Fault::kValues:
      Require(text.size() > kLimits.max_values,
              "so many values take so many bytes");
      break;
    case Fault::kSize:
      Require(text.size() > kLimits.max_bytes, "too long is longer than that");
      break;
  }
}

// Looks at `value` and all below; returns how many values that is.
size_t CheckTree(const Value& value, int depth) {
  Require(depth <= kLimits.max_depth + 1, "nothing is deeper than the limit");
  size_t count = 1;
  std::set<std::string_view> names;
  for (const Member& member : value.Members()) {
    Require(names.insert(member.name).second, "no member stands twice");
    const auto found = value.Find(member.name);
    Require(found.has_value() && found->raw() == member.value.raw(),
            "a member is found by its name");
    count += CheckTree(member.value, depth + 1);
  }
  for (const Value& element : value.Elements()) {
    count += CheckTree(element, depth + 1);
  }
  return count;
}

void CheckAlone(const Value& value) {
  const auto alone = Document::Parse(std::string(value.raw()), kLimits);
  Require(alone.ok() && alone->root().kind() == value.kind() &&
              alone->root().size() == value.size(),
          "a value's own bytes read as the value");
  for (const Member& member : value.Members()) CheckAlone(member.value);
  for (const Value& element : value.Elements()) CheckAlone(element);
}

void CheckCanonical(const Value& root) {
  const std::string canonical = Canonical(root);
  const auto again = Document::Parse(canonical, {.max_bytes = 1 << 16});
  Require(again.ok(), "the canonical form is JSON");
  Require(Canonical(again->root()) == canonical,
          "the canonical form is its own canonical form");
}

void CheckSetMember(const Document& document) {
  const Value root = document.root();
  if (!root.IsObject()) return;
  for (const std::string_view name : {"a", "set \"here\""}) {
    const std::string text =
        Splice(document.text(), {SetMember(root, name, "[7]")});
    const auto changed = Document::Parse(text, {.max_bytes = 1 << 16});
    Require(changed.ok(), "an object with a member set is JSON");
    const auto member = changed->root().Find(name);
    Require(member.has_value() && member->raw() == "[7]",
            "a member reads as it was set");
    Require(changed->root().size() == root.size() + (root.Find(name) ? 0 : 1),
            "setting one member changes no other");
  }
}

}  // namespace
}  // namespace gatehouse::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;  // NOLINT: the function's name is libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  const auto document =
      json::Document::Parse(std::string(input), json::kLimits);
  if (!document.ok()) {
    json::CheckRefusal(input, document.status());
    return 0;
  }
  fuzz::Require(document->text() == input, "the text is kept");
  fuzz::Require(
      json::CheckTree(document->root(), 1) <= json::kLimits.max_values,
      "there are no more values than the limit");
  json::CheckAlone(document->root());
  json::CheckCanonical(document->root());
  json::CheckSetMember(*document);
  return 0;
}
