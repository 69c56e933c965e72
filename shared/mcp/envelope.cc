#include "shared/mcp/envelope.h"

#include <algorithm>
#include <cstddef>
#include <forward_list>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/skip_scanner.h"
#include "shared/json/text.h"

namespace gatehouse::mcp {
namespace {

constexpr char kCodePayload[] = "gatehouse/json-rpc-code";
constexpr size_t kMaxIdBytes = 512;

absl::Status ErrorWithCode(int32_t code, std::string_view what) {
  absl::Status status = absl::InvalidArgumentError(ToAbsl(what));
  status.SetPayload(kCodePayload, absl::Cord(absl::StrCat(code)));
  return status;
}

// Walks a JSON text, which must be UTF-8, once and keeps nothing of it but
// where it stands. A method that returns false has said why by Fail, and where.
class Scanner {
 public:
  Scanner(std::string_view text, int max_depth)
      : text_(text), max_depth_(static_cast<size_t>(std::max(max_depth, 0))) {}

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  size_t at() const { return at_; }
  bool AtEnd() const { return at_ == text_.size(); }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                  text_[at_] == '\r' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool Fail(std::string_view what) {
    if (error_.empty()) {
      error_ = absl::StrCat("offset ", at_, ": ", ToAbsl(what));
    }
    return false;
  }
  const std::string& error() const { return error_; }

  // A value that stands within `depth` containers, and all that it holds. With
  // `unique_names` a member twice in any of its objects is refused.
  bool SkipValue(size_t depth, bool unique_names = false);
  // A string literal. If `decoded` is given, its value is put there.
  bool SkipString(std::string* decoded);

  // The members of the object that starts here and stands within `depth`
  // containers. `on_member(name)` is called with the scanner before the
  // member's value, which it must skip. A name twice is refused.
  template <typename OnMember>
  bool Members(size_t depth, const OnMember& on_member);

 private:
  bool Take(char c, std::string_view expected) {
    SkipSpace();
    if (Peek() != c || AtEnd()) return Fail(expected);
    ++at_;
    return true;
  }
  // A container's opening bracket within `depth` others, and a first name if
  // it is an object; `is_empty` if it was closed at once.
  bool OpenContainer(size_t depth, bool& is_empty);
  // What may follow a value within the containers of `open_`, down to the
  // start of the next value; `is_done` if none are left.
  bool AfterValue(bool& is_done);
  bool SkipName();
  // The same, and keeps it in names_.
  bool TakeName();
  bool SkipScalar();
  bool SkipWord(std::string_view word);
  // The names of the innermost object are complete: forgets them.
  bool CheckNames();

  const std::string_view text_;
  const size_t max_depth_;
  size_t at_ = 0;
  std::string error_;
  std::string open_;  // the closing brackets that SkipValue waits for

  // Where names must be unique: those of the objects that are open, decoded,
  // outermost first, and where each object's begin.
  bool unique_names_ = false;
  std::vector<std::string_view> names_;
  std::vector<size_t> first_names_;
  std::forward_list<std::string> decoded_;  // those that had escapes
};

bool Scanner::SkipString(std::string* decoded) {
  SkipSpace();
  const json::PieceRead string = json::ReadString(text_, at_, decoded);
  at_ += string.size;
  return string.wrong.empty() || Fail(string.wrong);
}

bool Scanner::SkipWord(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return Fail("expected a value");
  at_ += word.size();
  return true;
}

bool Scanner::SkipScalar() {
  switch (Peek()) {
    case '"':
      return SkipString(nullptr);
    case 't':
      return SkipWord("true");
    case 'f':
      return SkipWord("false");
    case 'n':
      return SkipWord("null");
    default:
      break;
  }
  const std::optional<size_t> length = json::NumberLength(text_, at_);
  if (!length.has_value()) return Fail("expected a value");
  at_ += *length;
  return true;
}

bool Scanner::SkipName() {
  if (unique_names_) return TakeName();
  return SkipString(nullptr) && Take(':', "expected `:` after a member's name");
}

bool Scanner::TakeName() {
  SkipSpace();
  const size_t begin = at_;
  if (!SkipString(nullptr)) return false;
  const std::string_view literal = text_.substr(begin, at_ - begin);
  std::string_view name = literal.substr(1, literal.size() - 2);
  if (name.find('\\') != std::string_view::npos) {
    decoded_.emplace_front();
    json::ReadString(literal, 0, &decoded_.front());
    name = decoded_.front();
  }
  names_.push_back(name);
  return Take(':', "expected `:` after a member's name");
}

bool Scanner::CheckNames() {
  const auto begin =
      names_.begin() + static_cast<std::ptrdiff_t>(first_names_.back());
  // Sorted, so that a hundred thousand names cost no hundred thousand squared.
  std::sort(begin, names_.end());
  const bool unique = std::adjacent_find(begin, names_.end()) == names_.end();
  names_.erase(begin, names_.end());
  first_names_.pop_back();
  return unique || Fail("a member stands twice in the object that ends here");
}

bool Scanner::OpenContainer(size_t depth, bool& is_empty) {
  if (depth + open_.size() >= max_depth_) {
    return Fail(absl::StrCat("nested deeper than ", max_depth_));
  }
  const char closing = Peek() == '{' ? '}' : ']';
  ++at_;
  SkipSpace();
  is_empty = Peek() == closing;
  if (is_empty) {
    ++at_;
    return true;
  }
  open_.push_back(closing);
  if (closing == ']') return true;
  if (unique_names_) first_names_.push_back(names_.size());
  return SkipName();
}

bool Scanner::AfterValue(bool& is_done) {
  while (!open_.empty()) {
    SkipSpace();
    const char c = Peek();
    if (c == ',') {
      ++at_;
      is_done = false;
      return open_.back() == ']' || SkipName();
    }
    if (c != open_.back()) return Fail("expected `,` or the closing bracket");
    ++at_;
    open_.pop_back();
    if (c == '}' && unique_names_ && !CheckNames()) return false;
  }
  is_done = true;
  return true;
}

bool Scanner::SkipValue(size_t depth, bool unique_names) {
  open_.clear();
  unique_names_ = unique_names;
  bool is_done = false;
  while (!is_done) {
    SkipSpace();
    if (Peek() == '{' || Peek() == '[') {
      bool is_empty = false;
      if (!OpenContainer(depth, is_empty)) return false;
      if (!is_empty) continue;  // to its first value
    } else if (!SkipScalar()) {
      return false;
    }
    if (!AfterValue(is_done)) return false;
  }
  return true;
}

template <typename OnMember>
bool Scanner::Members(size_t depth, const OnMember& on_member) {
  if (depth >= max_depth_) {
    return Fail(absl::StrCat("nested deeper than ", max_depth_));
  }
  ++at_;
  SkipSpace();
  if (Peek() == '}') {
    ++at_;
    return true;
  }
  first_names_.push_back(names_.size());
  do {
    if (!TakeName()) return false;
    SkipSpace();
    if (!on_member(names_.back())) return false;
    SkipSpace();
  } while (Peek() == ',' && ++at_ > 0);
  return Take('}', "expected `,` or `}`") && CheckNames();
}

// The top-level members that matter, as raw bytes; empty if absent.
struct RawMembers {
  std::string_view jsonrpc;
  std::string_view id;
  std::string_view method;
  std::string_view params;
  std::string_view result;
  std::string_view error;
  std::string_view result_type;  // within result

  std::string_view* Find(std::string_view name) {
    if (name == "jsonrpc") return &jsonrpc;
    if (name == "id") return &id;
    if (name == "method") return &method;
    if (name == "params") return &params;
    if (name == "result") return &result;
    if (name == "error") return &error;
    return nullptr;
  }
};

// Reads the whole text, which starts at an object.
bool ReadMembers(std::string_view text, Scanner& scanner,
                 const EnvelopeLimits& limits, RawMembers& members) {
  const auto in_result = [&](std::string_view name) {
    const size_t begin = scanner.at();
    if (!scanner.SkipValue(2)) return false;
    if (name == "resultType") {
      members.result_type = text.substr(begin, scanner.at() - begin);
    }
    return true;
  };
  return scanner.Members(0, [&](std::string_view name) {
    const size_t begin = scanner.at();
    const bool is_result_object = limits.unique_result_members &&
                                  name == "result" && scanner.Peek() == '{';
    const bool unique = limits.unique_params && name == "params";
    const bool read = is_result_object ? scanner.Members(1, in_result)
                                       : scanner.SkipValue(1, unique);
    if (!read) return false;
    if (std::string_view* const kept = members.Find(name)) {
      *kept = text.substr(begin, scanner.at() - begin);
    }
    return true;
  });
}

// The value of a string literal; nullopt if `raw` is none.
std::optional<std::string> Decode(std::string_view raw) {
  if (!json::IsUtf8(raw)) return std::nullopt;
  Scanner scanner(raw, /*max_depth=*/0);
  std::string decoded;
  if (!scanner.SkipString(&decoded) || !scanner.AtEnd()) return std::nullopt;
  return decoded;
}

// What a JSON object must be, to be a JSON-RPC 2.0 message.
absl::StatusOr<Envelope> Classify(const RawMembers& members) {
  const auto invalid = [](std::string_view what) {
    return ErrorWithCode(kInvalidRequest, what);
  };
  if (Decode(members.jsonrpc) != "2.0")
    return invalid("jsonrpc must be \"2.0\"");
  Envelope envelope;
  envelope.id = members.id;
  envelope.params = members.params;
  envelope.result = members.result;
  envelope.error = members.error;
  envelope.result_type = members.result_type;
  const int kinds = !members.method.empty() + !members.result.empty() +
                    !members.error.empty();
  if (kinds != 1) {
    return invalid("expected exactly one of method, result and error");
  }
  const bool has_id = !members.id.empty();
  if (!members.error.empty() && members.id == "null") {
    envelope.id = {};  // lenient on purpose: it means "unreadable request"
  } else if (has_id && !IsValidId(members.id)) {
    return invalid("id must be a string or an integer of at most 512 bytes");
  }
  if (!members.result.empty()) {
    if (!has_id) return invalid("a result needs the id that it answers");
    envelope.kind = MessageKind::kResult;
  } else if (!members.error.empty()) {
    envelope.kind = MessageKind::kError;
  } else {
    std::optional<std::string> method = Decode(members.method);
    if (!method.has_value()) return invalid("method must be a string");
    envelope.method = *std::move(method);
    envelope.kind = has_id ? MessageKind::kRequest : MessageKind::kNotification;
  }
  return envelope;
}

// Every byte of the text, whatever kind of message it is.
absl::StatusOr<Envelope> ReadWhole(std::string_view text,
                                   const EnvelopeLimits& limits) {
  if (!json::IsUtf8(text)) {
    return ErrorWithCode(kParseError, "offset 0: the text is not UTF-8");
  }
  Scanner scanner(text, limits.max_depth);
  scanner.SkipSpace();
  const bool is_object = scanner.Peek() == '{';
  RawMembers members;
  bool read = is_object ? ReadMembers(text, scanner, limits, members)
                        : scanner.SkipValue(0);
  scanner.SkipSpace();
  if (read && !scanner.AtEnd()) read = scanner.Fail("text after the message");
  if (!read) return ErrorWithCode(kParseError, scanner.error());
  if (!is_object) {
    return ErrorWithCode(kInvalidRequest,
                         "a message must be one JSON object; batches are not "
                         "served");
  }
  return Classify(members);
}

// A message that has a result, by its outside; anything else read whole.
absl::StatusOr<Envelope> ReadSkipping(std::string_view text,
                                      const EnvelopeLimits& limits) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') {
    return ReadWhole(text, limits);  // it knows the code of what is no object
  }
  const absl::StatusOr<json::SkippedObject> skipped = json::SkipScan(
      text, "result",
      {.max_bytes = limits.max_bytes, .max_depth = limits.max_depth});
  if (!skipped.ok()) {
    return ErrorWithCode(kParseError, ToStd(skipped.status().message()));
  }
  if (!json::FindSkipped(skipped->members(), "result").has_value()) {
    return ReadWhole(text, limits);
  }
  RawMembers members;
  for (const json::SkippedMember& member : skipped->members()) {
    if (std::string_view* const kept = members.Find(member.name)) {
      *kept = member.value;
    }
  }
  members.result_type =
      json::FindSkipped(skipped->opened(), "resultType").value_or("");
  return Classify(members);
}

}  // namespace

absl::StatusOr<Envelope> ParseEnvelope(std::string_view text,
                                       const EnvelopeLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a message of ", text.size(), " bytes, over the limit of ",
                     limits.max_bytes));
  }
  return limits.skip_results ? ReadSkipping(text, limits)
                             : ReadWhole(text, limits);
}

int32_t CodeOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kCodePayload);
  int32_t code = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &code)) {
    return kInternalError;
  }
  return code;
}

bool IsValidId(std::string_view text) {
  if (text.empty() || text.size() > kMaxIdBytes) return false;
  if (text.front() == '"') return Decode(text).has_value();
  return json::NumberLength(text, 0) == text.size() &&
         json::IsIntegerText(text);
}

}  // namespace gatehouse::mcp
