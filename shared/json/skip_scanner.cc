#include "shared/json/skip_scanner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/block.h"
#include "shared/json/text.h"

namespace gatehouse::json {
namespace {

constexpr size_t kMaxDepth = 512;
// Objects with more members than this have their names hashed to find a double.
constexpr size_t kFewMembers = 8;

// Each bit becomes the parity of itself and all below it: between an opening
// quote, which is included, and its closing one, the bits are set.
uint64_t ParityUpTo(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

size_t LowestBit(uint64_t bits) {
  return static_cast<size_t>(__builtin_ctzll(bits));
}

// The bits up to and including bit `last`.
uint64_t UpTo(size_t last) { return ~uint64_t{0} >> (63 - last); }

bool HasDuplicate(const std::vector<SkippedMember>& members) {
  if (members.size() > kFewMembers) {
    absl::flat_hash_set<absl::string_view> seen;
    seen.reserve(members.size());
    for (const SkippedMember& member : members) {
      if (!seen.insert(ToAbsl(member.name)).second) return true;
    }
    return false;
  }
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (members[i].name == members[j].name) return true;
    }
  }
  return false;
}

}  // namespace

// One scan. A method that returns false has said why by Fail.
class SkipScanner {
 public:
  SkipScanner(std::string_view text, const SkipLimits& limits)
      : text_(text),
        max_depth_(std::min(static_cast<size_t>(std::max(limits.max_depth, 0)),
                            kMaxDepth)),
        max_members_(limits.max_members) {}

  absl::StatusOr<SkippedObject> Run(std::string_view to_open);

 private:
  // Where SkipContainer stands between two blocks.
  struct Deep {
    size_t block = 0;       // the offset of this one
    size_t escape_end = 0;  // bytes before it belong to an escape
    bool in_string = false;
  };

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                  text_[at_] == '\r' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool FailAt(size_t offset, std::string_view what) {
    at_ = offset;
    wrong_ = what;
    return false;
  }
  bool Fail(std::string_view what) { return FailAt(at_, what); }
  bool Take(char c, std::string_view expected) {
    if (Peek() != c || at_ == text_.size()) return Fail(expected);
    ++at_;
    return true;
  }

  // The object that starts here. `to_open` is null within the opened one.
  bool ReadObject(const std::string_view* to_open,
                  std::vector<SkippedMember>& members);
  bool ReadMember(const std::string_view* to_open,
                  std::vector<SkippedMember>& members);
  bool ReadName(std::string_view& name);
  bool ReadText(std::string* decoded);
  bool SkipValue();
  bool SkipWord(std::string_view word);

  // The container that starts here, to behind its closing bracket.
  bool SkipContainer();
  // Checks the escapes of a block and takes the marks off what they cover.
  bool TakeEscapes(Deep& deep, StringMarks& marks);
  // One block; `is_done` if the container ends in it, and at_ is behind it.
  bool SkipBlock(Deep& deep, const char* bytes, bool& is_done);
  // Follows the brackets of a block. The bit of the one that closes the
  // container, 63 if there is none.
  bool FollowBrackets(const Deep& deep, uint64_t brackets, size_t& last,
                      bool& is_done);
  bool Open(size_t offset);

  const std::string_view text_;
  const size_t max_depth_;
  const size_t max_members_;
  size_t at_ = 0;
  std::string_view wrong_;
  size_t depth_ = 0;
  size_t container_depth_ = 0;          // what SkipContainer started from
  std::array<char, kMaxDepth> open_{};  // the brackets around at_
  SkippedObject found_;
};

bool SkipScanner::Open(size_t offset) {
  if (depth_ >= max_depth_) return FailAt(offset, "nested too deep");
  open_[depth_++] = text_[offset];
  return true;
}

bool SkipScanner::TakeEscapes(Deep& deep, StringMarks& marks) {
  uint64_t covered = 0;
  for (uint64_t left = marks.backslashes; left != 0; left &= left - 1) {
    const size_t offset = deep.block + LowestBit(left);
    if (offset < deep.escape_end) continue;
    deep.escape_end = offset + 2;
    if (!IsShortEscape(text_, offset)) {
      const PieceRead escape = ReadEscape(text_, offset, nullptr);
      if (!escape.wrong.empty()) return FailAt(offset, escape.wrong);
      deep.escape_end = offset + escape.size;
    }
    // Only the byte after a backslash can be one that has a mark.
    covered |= (left & -left) << 1;
  }
  marks.quotes &= ~covered;
  return true;
}

bool SkipScanner::FollowBrackets(const Deep& deep, uint64_t brackets,
                                 size_t& last, bool& is_done) {
  for (; brackets != 0; brackets &= brackets - 1) {
    const size_t bit = LowestBit(brackets);
    const size_t offset = deep.block + bit;
    const char c = text_[offset];
    if (c == '{' || c == '[') {
      if (!Open(offset)) return false;
      continue;
    }
    // The closing bracket is two behind its opening one in ASCII.
    if (open_[depth_ - 1] + 2 != c) {
      return FailAt(offset, "a bracket that closes another one");
    }
    if (--depth_ > container_depth_) continue;
    last = bit;
    is_done = true;
    return true;
  }
  return true;
}

bool SkipScanner::SkipBlock(Deep& deep, const char* bytes, bool& is_done) {
  StringMarks marks = MarkStrings(bytes);
  if (deep.in_string && marks.any() == 0) return true;
  if (deep.escape_end > deep.block) {
    marks.quotes &= ~uint64_t{1};  // an escape of the last block reaches here
  }
  if (marks.backslashes != 0 && !TakeEscapes(deep, marks)) return false;
  const uint64_t strings =
      ParityUpTo(marks.quotes) ^ (deep.in_string ? ~uint64_t{0} : 0);
  deep.in_string = (strings >> 63) != 0;

  const ValueMarks values = MarkValues(bytes);
  size_t last = 63;
  if (!FollowBrackets(deep, values.brackets & ~strings, last, is_done)) {
    return false;
  }
  // What is behind the container's end is not ours to judge.
  const uint64_t ours = UpTo(last);
  if (const uint64_t wrong = marks.controls & strings & ours; wrong != 0) {
    return FailAt(deep.block + LowestBit(wrong), "a control byte in a string");
  }
  if (const uint64_t wrong = values.foreign & ~strings & ours; wrong != 0) {
    return FailAt(deep.block + LowestBit(wrong),
                  "a byte that JSON does not have outside strings");
  }
  if (is_done) at_ = deep.block + last + 1;
  return true;
}

bool SkipScanner::SkipContainer() {
  container_depth_ = depth_;
  Deep deep{.block = at_, .escape_end = at_, .in_string = false};
  bool is_done = false;
  for (; deep.block < text_.size(); deep.block += kBlockBytes) {
    const size_t left = text_.size() - deep.block;
    std::array<char, kBlockBytes> padded;
    const char* bytes = text_.data() + deep.block;
    if (left < kBlockBytes) {
      padded.fill(' ');
      std::memcpy(padded.data(), bytes, left);
      bytes = padded.data();
    }
    if (!SkipBlock(deep, bytes, is_done)) return false;
    if (is_done) return true;
  }
  return FailAt(text_.size(), "a container or string without its end");
}

bool SkipScanner::SkipWord(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return Fail("expected a value");
  at_ += word.size();
  return true;
}

bool SkipScanner::ReadText(std::string* decoded) {
  const PieceRead string = ReadString(text_, at_, decoded);
  if (!string.wrong.empty()) return FailAt(at_ + string.size, string.wrong);
  at_ += string.size;
  return true;
}

bool SkipScanner::SkipValue() {
  switch (Peek()) {
    case '{':
    case '[':
      return SkipContainer();
    case '"':
      return ReadText(nullptr);
    case 't':
      return SkipWord("true");
    case 'f':
      return SkipWord("false");
    case 'n':
      return SkipWord("null");
    default:
      break;
  }
  const std::optional<size_t> length = NumberLength(text_, at_);
  if (!length.has_value()) return Fail("expected a value");
  at_ += *length;
  return true;
}

bool SkipScanner::ReadName(std::string_view& name) {
  const size_t begin = at_;
  if (!ReadText(nullptr)) return false;
  name = text_.substr(begin + 1, at_ - begin - 2);
  if (name.find('\\') != std::string_view::npos) {
    at_ = begin;
    found_.decoded_.emplace_front();
    if (!ReadText(&found_.decoded_.front())) return false;
    name = found_.decoded_.front();
  }
  SkipSpace();
  return Take(':', "expected `:` after a member's name");
}

bool SkipScanner::ReadMember(const std::string_view* to_open,
                             std::vector<SkippedMember>& members) {
  if (found_.members_.size() + found_.opened_.size() >= max_members_) {
    return Fail("more members than the limit");
  }
  SkippedMember member;
  if (!ReadName(member.name)) return false;
  SkipSpace();
  const size_t begin = at_;
  const bool opens =
      to_open != nullptr && member.name == *to_open && Peek() == '{';
  if (!(opens ? ReadObject(nullptr, found_.opened_) : SkipValue())) {
    return false;
  }
  member.value = text_.substr(begin, at_ - begin);
  members.push_back(member);
  return true;
}

bool SkipScanner::ReadObject(const std::string_view* to_open,
                             std::vector<SkippedMember>& members) {
  if (Peek() != '{') return Fail("expected an object");
  if (!Open(at_)) return false;
  ++at_;
  SkipSpace();
  if (Peek() != '}') {
    while (true) {
      if (!ReadMember(to_open, members)) return false;
      SkipSpace();
      if (Peek() != ',') break;
      ++at_;
      SkipSpace();
    }
  }
  if (!Take('}', "expected `,` or `}`")) return false;
  --depth_;
  if (HasDuplicate(members)) {
    return Fail("a member stands twice in the object that ends here");
  }
  return true;
}

absl::StatusOr<SkippedObject> SkipScanner::Run(std::string_view to_open) {
  if (!IsUtf8(text_)) {
    return absl::InvalidArgumentError("offset 0: the text is not UTF-8");
  }
  SkipSpace();
  bool read = ReadObject(&to_open, found_.members_);
  if (read) {
    SkipSpace();
    if (at_ != text_.size()) read = Fail("text after the object");
  }
  if (!read) {
    return absl::InvalidArgumentError(
        absl::StrCat("offset ", at_, ": ", ToAbsl(wrong_)));
  }
  return std::move(found_);
}

std::optional<std::string_view> FindSkipped(
    const std::vector<SkippedMember>& members, std::string_view name) {
  for (const SkippedMember& member : members) {
    if (member.name == name) return member.value;
  }
  return std::nullopt;
}

absl::StatusOr<SkippedObject> SkipScan(std::string_view text,
                                       std::string_view to_open,
                                       const SkipLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a JSON text of ", text.size(),
                     " bytes, over the limit of ", limits.max_bytes));
  }
  return SkipScanner(text, limits).Run(to_open);
}

}  // namespace gatehouse::json
