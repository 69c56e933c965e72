// The skip scanner beside the strict reader (RapidJSON, as shared/json sets
// it):
//
//   - what the strict reader reads, the scanner accepts, with the same members
//     and bytes;
//   - what the scanner accepts, the strict reader reads once the containers
//     below the two levels are emptied; and each of these has matching
//     brackets, strings that the strict reader reads, and nothing strange
//     between them;
//   - where the blocks end that it is read by does not matter;
//   - an envelope is the same read whole and skipping, and only what lies below
//     a result's members may be read by skipping alone.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/json/block.h"
#include "shared/json/json.h"
#include "shared/json/skip_scanner.h"
#include "shared/mcp/envelope.h"
#include "tests/fuzz/fuzz_support.h"

namespace gatehouse::json {
namespace {

using fuzz::Require;

constexpr int kMaxDepth = 12;  // small, so that inputs reach it
constexpr Limits kStrict = {.max_depth = kMaxDepth};
constexpr SkipLimits kSkipping = {.max_bytes = kStrict.max_bytes,
                                  .max_depth = kMaxDepth,
                                  .max_members = kStrict.max_values};

bool IsContainer(std::string_view raw) {
  return raw.starts_with('{') || raw.starts_with('[');
}

void CheckMembers(const std::vector<SkippedMember>& got, const Value& object) {
  const std::vector<Member> want = object.Members();
  Require(got.size() == want.size(), "both readers see the same members");
  for (size_t i = 0; i < got.size(); ++i) {
    Require(got[i].name == want[i].name, "names are decoded alike");
    Require(got[i].value == want[i].value.raw(), "values have the same bytes");
  }
}

// Byte by byte: strings, brackets, and what may stand between them.
void CheckSkipped(std::string_view container) {
  std::string open;
  for (size_t i = 0; i < container.size(); ++i) {
    const char c = container[i];
    Require(i == 0 || !open.empty(), "a container ends at its closing bracket");
    if (c == '"') {
      const size_t begin = i++;
      while (i < container.size() && container[i] != '"') {
        i += container[i] == '\\' ? 2 : 1;
      }
      Require(i < container.size(), "a string ends");
      const std::string literal(container.substr(begin, i + 1 - begin));
      Require(Document::Parse(literal).ok(), "a string is one for all readers");
    } else if (c == '{' || c == '[') {
      open.push_back(c == '{' ? '}' : ']');
    } else if (c == '}' || c == ']') {
      Require(open.back() == c, "brackets match");
      open.pop_back();
    } else {
      constexpr std::string_view kBetween = " \t\r\n,:+-.";
      const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z');
      Require(is_word || kBetween.find(c) != std::string_view::npos,
              "between strings stand only JSON's bytes");
    }
  }
  Require(open.empty(), "a container ends");
}

// The members whose containers were skipped over.
std::vector<SkippedMember> SkippedContainers(const SkippedObject& object) {
  std::vector<SkippedMember> containers;
  for (const SkippedMember& member : object.opened()) {
    if (IsContainer(member.value)) containers.push_back(member);
  }
  for (const SkippedMember& member : object.members()) {
    const bool opened =
        member.name == "result" && member.value.starts_with('{');
    if (IsContainer(member.value) && !opened) containers.push_back(member);
  }
  return containers;
}

// The text with the containers that were skipped over emptied.
std::string Emptied(std::string_view text, const SkippedObject& object) {
  std::vector<Edit> edits;
  for (const SkippedMember& member : SkippedContainers(object)) {
    CheckSkipped(member.value);
    edits.push_back({static_cast<size_t>(member.value.data() - text.data()),
                     member.value.size(), "[]"});
  }
  return Splice(text, std::move(edits));
}

void CheckScan(const std::string& text) {
  const absl::StatusOr<Document> strict = Document::Parse(text, kStrict);
  const absl::StatusOr<SkippedObject> skipped =
      SkipScan(text, "result", kSkipping);
  if (strict.ok()) {
    Require(skipped.ok() == strict->root().IsObject(),
            "what the strict reader reads, the scanner accepts");
  }
  if (!skipped.ok()) return;
  if (strict.ok()) {
    CheckMembers(skipped->members(), strict->root());
    const std::optional<Value> result = strict->root().Find("result");
    const bool opens = result.has_value() && result->IsObject();
    Require(opens || skipped->opened().empty(), "only an object is opened");
    if (opens) CheckMembers(skipped->opened(), *result);
  }
  Require(Document::Parse(Emptied(text, *skipped), kStrict).ok(),
          "what the scanner accepts, the strict reader reads, but for what "
          "lies deeper");
}

// A container's blocks are counted from its bracket: space behind it moves all
// else in it by as much.
void CheckPlace(const std::string& text, fuzz::Dice& dice) {
  const absl::StatusOr<SkippedObject> before =
      SkipScan(text, "result", kSkipping);
  if (!before.ok()) return;
  const std::vector<SkippedMember> containers = SkippedContainers(*before);
  if (containers.empty()) return;
  const size_t which = dice.Below(containers.size());
  const std::string space(1 + dice.Below(kBlockBytes), ' ');
  std::string value(containers[which].value);
  value.insert(1, space);
  std::string moved = text;
  moved.insert(
      static_cast<size_t>(containers[which].value.data() - text.data()) + 1,
      space);

  const absl::StatusOr<SkippedObject> after =
      SkipScan(moved, "result", kSkipping);
  Require(after.ok(), "where blocks end does not change what is accepted");
  const std::vector<SkippedMember> again = SkippedContainers(*after);
  Require(again.size() == containers.size(),
          "where blocks end does not change the members");
  for (size_t i = 0; i < again.size(); ++i) {
    Require(again[i].value == (i == which ? value : containers[i].value),
            "where blocks end does not change a member's bytes");
  }
}

void CheckEnvelope(const std::string& text) {
  const absl::StatusOr<mcp::Envelope> whole =
      mcp::ParseEnvelope(text, {.max_depth = kMaxDepth});
  const absl::StatusOr<mcp::Envelope> skipping =
      mcp::ParseEnvelope(text, {.max_depth = kMaxDepth, .skip_results = true});
  if (!skipping.ok()) {
    Require(!whole.ok(), "what is read whole is read skipping");
    return;
  }
  if (!whole.ok()) {
    Require(skipping->kind == mcp::MessageKind::kResult,
            "only a result is skipped over");
    return;
  }
  Require(whole->kind == skipping->kind && whole->id == skipping->id &&
              whole->method == skipping->method &&
              whole->params == skipping->params &&
              whole->result == skipping->result &&
              whole->error == skipping->error &&
              whole->result_type == skipping->result_type,
          "an envelope is the same read either way");
}

}  // namespace
}  // namespace gatehouse::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;  // NOLINT: the function's name is libFuzzer's
  const std::string text(fuzz::View(data, size));
  fuzz::Dice dice(text);
  json::CheckScan(text);
  json::CheckPlace(text, dice);
  json::CheckEnvelope(text);
  return 0;
}
