#ifndef GATEHOUSE_SHARED_JSON_JSON_H_
#define GATEHOUSE_SHARED_JSON_JSON_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gatehouse::json {

enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

// What a text may be before it is refused unread.
struct Limits {
  size_t max_bytes = 4 << 20;
  int max_depth = 64;           // containers within containers
  size_t max_values = 200'000;  // of any kind, members and elements alike
};

class Value;

// A strictly read JSON text and the tree of its values. The text is kept, so
// that every value knows the bytes it was written with.
//
// Refused, with INVALID_ARGUMENT and a message that starts with the JSON
// pointer (or the byte offset, where there is no tree yet): what RFC 8259 does
// not allow; anything after the value; a byte-order mark; NUL; invalid UTF-8;
// lone surrogates, also when escaped; a member name twice in one object, after
// decoding; a limit passed. Over max_bytes is RESOURCE_EXHAUSTED.
//
// Immutable; movable and copyable cheaply (shared). Thread-safe to read.
// Reads iteratively: no depth of input can exhaust the stack.
class Document {
 public:
  static absl::StatusOr<Document> Parse(std::string text,
                                        const Limits& limits = {});

  Value root() const;
  std::string_view text() const;

  struct Tree;  // shared/json only

 private:
  friend class Value;
  explicit Document(std::shared_ptr<const Tree> tree);
  std::shared_ptr<const Tree> tree_;
};

struct Member;

// A value of a Document, which it keeps alive. Cheap to copy.
// Thread-compatible (read-only). Errors are INVALID_ARGUMENT and read
// `/params/name: expected a string`.
class Value {
 public:
  Kind kind() const;
  bool IsNull() const { return kind() == Kind::kNull; }
  bool IsBool() const { return kind() == Kind::kBool; }
  bool IsNumber() const { return kind() == Kind::kNumber; }
  bool IsString() const { return kind() == Kind::kString; }
  bool IsArray() const { return kind() == Kind::kArray; }
  bool IsObject() const { return kind() == Kind::kObject; }

  // The bytes it was written with, without space around it. Valid as long as
  // any Document or Value of this text lives.
  std::string_view raw() const;
  // Where raw() starts in the document's text.
  size_t offset() const;
  // RFC 6901 pointer from the root; empty for the root.
  std::string pointer() const;

  // The member of that decoded name, if this is an object that has it.
  std::optional<Value> Find(std::string_view name) const;
  // The same, an error that names this place if it is missing or no object.
  absl::StatusOr<Value> Field(std::string_view name) const;
  // Members in the order written; empty if this is no object.
  std::vector<Member> Members() const;
  // Elements in order; empty if this is no array.
  std::vector<Value> Elements() const;
  // How many members or elements; 0 for other kinds.
  size_t size() const;

  absl::StatusOr<std::string_view> String() const;  // decoded
  absl::StatusOr<bool> Bool() const;
  // Only an integer lexeme within int64 (`4096.0` and `4e3` are none).
  absl::StatusOr<int64_t> Integer() const;
  bool IsIntegerLexeme() const;  // a number without fraction and exponent
  // The nearest double; for comparing with bounds, never for relaying.
  absl::StatusOr<double> Number() const;

  // An error about this value: "POINTER: what".
  absl::Status Error(std::string_view what) const;

 private:
  friend class Document;
  Value(std::shared_ptr<const Document::Tree> tree, uint32_t node);
  std::shared_ptr<const Document::Tree> tree_;
  uint32_t node_ = 0;
};

struct Member {
  std::string_view name;  // decoded
  Value value;
};

// What was wrong with a text that Document::Parse refused.
enum class Fault {
  kSyntax,     // no JSON
  kEncoding,   // no UTF-8, a lone surrogate, a byte-order mark, a NUL
  kDuplicate,  // a member twice in one object
  kDepth,      // over max_depth
  kValues,     // over max_values
  kSize,       // over max_bytes
};
Fault FaultOf(const absl::Status& status);

// The pointer at the front of an error message made by Value::Error, or empty.
std::string PointerOf(const absl::Status& status);

// Builds a compact JSON text. Misuse (a value where a name is due) is a
// programming error and ends the process. Thread-compatible.
class Writer {
 public:
  Writer();
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& StartObject();
  Writer& EndObject();
  Writer& StartArray();
  Writer& EndArray();
  Writer& Name(std::string_view name);
  // UTF-8; a byte that is not becomes U+FFFD.
  Writer& String(std::string_view text);
  Writer& Integer(int64_t number);
  Writer& Double(double number);  // finite
  Writer& Bool(bool value);
  Writer& Null();
  Writer& Raw(std::string_view json);  // a whole JSON value, as it stands
  std::string Take();                  // the text; the writer is then empty

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A JSON string literal of `text`, quotes included. A byte that is not UTF-8
// becomes U+FFFD.
std::string Quote(std::string_view text);

// Replaces `size` bytes at `offset` by `replacement`.
struct Edit {
  size_t offset = 0;
  size_t size = 0;
  std::string replacement;
};

// The text with the edits made; they must not overlap. All other bytes stay.
std::string Splice(std::string_view text, std::vector<Edit> edits);

// The edit that sets member `name` of `object` (a Value of the text to be
// spliced) to `json`: replaced where it stands, else added as the last member.
// Two edits that both add to one object do not commute: add one JSON fragment.
Edit SetMember(const Value& object, std::string_view name,
               std::string_view json);

// The document rewritten with members sorted by name (bytes), no space, strings
// in their shortest form and number lexemes kept: what digests are taken of.
// `leave_out` names members of the root object that are skipped.
std::string Canonical(const Value& value,
                      const std::vector<std::string_view>& leave_out = {});

}  // namespace gatehouse::json

#endif  // GATEHOUSE_SHARED_JSON_JSON_H_
