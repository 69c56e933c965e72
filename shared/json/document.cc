// RapidJSON reads the grammar; this file closes what it leaves open and keeps
// where each value stands in the text. What it leaves open: duplicate names,
// lone surrogates behind an escape, text after a NUL, a byte-order mark, the
// range of numbers (it refuses 1e400, which is legal JSON) and any bound on
// depth.

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/check.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/json/text.h"
#include "shared/json/tree.h"

#define RAPIDJSON_ASSERT(x) GATEHOUSE_CHECK(x)
#include "rapidjson/error/en.h"
#include "rapidjson/reader.h"

namespace gatehouse::json {
namespace {

// Objects with more members than this have their names hashed to find a double.
constexpr uint32_t kFewMembers = 8;

absl::Status ErrorAtOffset(size_t offset, absl::string_view what,
                           Fault fault = Fault::kSyntax) {
  return WithFault(
      absl::InvalidArgumentError(absl::StrCat("offset ", offset, ": ", what)),
      fault);
}

// Of RapidJSON's own errors.
Fault FaultOfCode(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorStringInvalidEncoding:
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return Fault::kEncoding;
    default:
      return Fault::kSyntax;
  }
}

// The text as RapidJSON's input stream. A number, whose lexeme we check
// ourselves, is shown to RapidJSON as a single 0. At the end it shows NUL,
// which Parse has made sure is not in the text.
class Stream {
 public:
  using Ch = char;
  explicit Stream(std::string_view text) : text_(text) {}

  char Peek() const {
    if (at_ == number_begin_) return '0';
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  char Take() {
    const char c = Peek();
    at_ = at_ == number_begin_ ? number_end_ : at_ + 1;
    return c;
  }
  size_t Tell() const { return at_; }
  void ShowAsZero(size_t begin, size_t end) {
    number_begin_ = begin;
    number_end_ = end;
  }

  // The writing half of RapidJSON's concept, which reading never uses.
  char* PutBegin() { return nullptr; }
  void Put(char) {}
  void Flush() {}
  size_t PutEnd(char*) { return 0; }

 private:
  const std::string_view text_;
  size_t at_ = 0;
  size_t number_begin_ = std::numeric_limits<size_t>::max();
  size_t number_end_ = 0;
};

// RapidJSON's handler: appends a node for each value. A method that returns
// false stops the reader, with the reason in status().
class Builder {
 public:
  Builder(const Limits& limits, Document::Tree& tree, Stream& stream)
      : limits_(limits), tree_(tree), stream_(stream) {}

  // Finds the next token; to be called before the reader starts.
  bool FindToken();
  const absl::Status& status() const { return status_; }

  bool Null() { return Scalar(Kind::kNull); }
  bool Bool(bool value) {
    if (!Scalar(Kind::kBool)) return false;
    tree_.nodes.back().is_true = value;
    return true;
  }
  // The stream shows every number as 0, which RapidJSON calls a Uint.
  bool Uint(unsigned) { return Scalar(Kind::kNumber); }
  bool Int(int) { return Scalar(Kind::kNumber); }
  bool Int64(int64_t) { return Scalar(Kind::kNumber); }
  bool Uint64(uint64_t) { return Scalar(Kind::kNumber); }
  bool Double(double) { return Scalar(Kind::kNumber); }
  bool RawNumber(const char*, unsigned, bool) { return Scalar(Kind::kNumber); }
  bool String(const char* text, unsigned size, bool);
  bool Key(const char* text, unsigned size, bool);
  bool StartObject() { return Start(Kind::kObject); }
  bool StartArray() { return Start(Kind::kArray); }
  bool EndObject(unsigned) { return End(); }
  bool EndArray(unsigned) { return End(); }

 private:
  bool Fail(absl::Status status) {
    status_ = std::move(status);
    return false;
  }
  // A node for the value that starts at the current token.
  bool Add(Kind kind);
  bool Scalar(Kind kind);
  bool Start(Kind kind);
  bool End();
  // Ends the current token at `end` and finds the next one.
  bool EndToken(size_t end) {
    token_ = end;
    return FindToken();
  }
  // Keeps the string whose literal starts at the current token.
  bool Keep(std::string_view text, Decoded& kept);

  const Limits& limits_;
  Document::Tree& tree_;
  Stream& stream_;
  absl::Status status_;
  size_t token_ = 0;            // where the current token starts
  std::vector<uint32_t> open_;  // the containers around it, outermost first
  Decoded name_;                // of the member whose value comes next
};

bool Builder::FindToken() {
  const std::string_view text = tree_.text;
  // Whether these stand where they may is for RapidJSON to say.
  token_ = std::min(text.find_first_not_of(" \t\r\n,:", token_), text.size());
  if (token_ == text.size()) return true;
  const char c = text[token_];
  if (c != '-' && !absl::ascii_isdigit(static_cast<unsigned char>(c))) {
    return true;
  }
  const std::optional<size_t> length = NumberLength(text, token_);
  if (!length.has_value()) {
    return Fail(
        ErrorAtOffset(token_, absl::StrCat("expected a JSON number of at most ",
                                           kMaxNumberBytes, " bytes")));
  }
  stream_.ShowAsZero(token_, token_ + *length);
  return true;
}

bool Builder::Add(Kind kind) {
  if (tree_.nodes.size() >= limits_.max_values) {
    return Fail(ErrorAtOffset(
        token_, absl::StrCat("more than ", limits_.max_values, " values"),
        Fault::kValues));
  }
  const auto index = static_cast<uint32_t>(tree_.nodes.size());
  Node node;
  node.kind = kind;
  node.begin = static_cast<uint32_t>(token_);
  node.parent = open_.empty() ? index : open_.back();
  node.end_node = index + 1;
  node.name = name_;
  if (!open_.empty()) ++tree_.nodes[open_.back()].count;
  tree_.nodes.push_back(node);
  return true;
}

bool Builder::Scalar(Kind kind) {
  if (!Add(kind)) return false;
  tree_.nodes.back().end = static_cast<uint32_t>(stream_.Tell());
  return EndToken(stream_.Tell());
}

bool Builder::Keep(std::string_view text, Decoded& kept) {
  // RapidJSON turns a lone escaped low surrogate into these bytes; raw ones it
  // has refused already.
  for (size_t at = text.find('\xED'); at != std::string_view::npos;
       at = text.find('\xED', at + 1)) {
    if (static_cast<unsigned char>(text[at + 1]) > 0x9F) {
      return Fail(ErrorAtOffset(token_, "a lone surrogate in a string",
                                Fault::kEncoding));
    }
  }
  const size_t inside = stream_.Tell() - token_ - 2;  // without the quotes
  kept.size = static_cast<uint32_t>(text.size());
  // An escape is longer than what it stands for.
  kept.in_text = inside == text.size();
  kept.offset =
      static_cast<uint32_t>(kept.in_text ? token_ + 1 : tree_.decoded.size());
  if (!kept.in_text) tree_.decoded.append(text);
  return true;
}

bool Builder::String(const char* text, unsigned size, bool) {
  Decoded kept;
  return Keep(std::string_view(text, size), kept) && Add(Kind::kString) &&
         (tree_.nodes.back().string = kept,
          tree_.nodes.back().end = static_cast<uint32_t>(stream_.Tell()),
          EndToken(stream_.Tell()));
}

bool Builder::Key(const char* text, unsigned size, bool) {
  return Keep(std::string_view(text, size), name_) && EndToken(stream_.Tell());
}

bool Builder::Start(Kind kind) {
  if (open_.size() >= static_cast<size_t>(std::max(limits_.max_depth, 0))) {
    return Fail(ErrorAtOffset(
        token_, absl::StrCat("nested deeper than ", limits_.max_depth),
        Fault::kDepth));
  }
  if (!Add(kind)) return false;
  open_.push_back(static_cast<uint32_t>(tree_.nodes.size() - 1));
  return EndToken(token_ + 1);
}

bool Builder::End() {
  Node& node = tree_.nodes[open_.back()];
  open_.pop_back();
  node.end = static_cast<uint32_t>(token_ + 1);
  node.end_node = static_cast<uint32_t>(tree_.nodes.size());
  return EndToken(token_ + 1);
}

absl::Status ReadGrammar(const Limits& limits, Document::Tree& tree) {
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  Stream stream(tree.text);
  Builder builder(limits, tree, stream);
  if (!builder.FindToken()) return builder.status();
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (!builder.status().ok()) return builder.status();
  if (result.IsError()) {
    std::string what = rapidjson::GetParseError_En(result.Code());
    if (!what.empty() && what.back() == '.') what.pop_back();
    what.front() =
        absl::ascii_tolower(static_cast<unsigned char>(what.front()));
    return ErrorAtOffset(result.Offset(), what, FaultOfCode(result.Code()));
  }
  if (stream.Tell() != tree.text.size()) {
    return ErrorAtOffset(stream.Tell(), "text after the value");
  }
  return absl::OkStatus();
}

// A member of `object` whose name an earlier one has, or the object itself.
uint32_t FindDuplicate(const Document::Tree& tree, uint32_t object) {
  const std::vector<Node>& nodes = tree.nodes;
  const uint32_t end = nodes[object].end_node;
  if (nodes[object].count > kFewMembers) {
    absl::flat_hash_set<absl::string_view> seen;
    seen.reserve(nodes[object].count);
    for (uint32_t i = object + 1; i < end; i = nodes[i].end_node) {
      if (!seen.insert(ToAbsl(tree.View(nodes[i].name))).second) return i;
    }
    return object;
  }
  for (uint32_t i = object + 1; i < end; i = nodes[i].end_node) {
    for (uint32_t j = object + 1; j < i; j = nodes[j].end_node) {
      if (tree.View(nodes[i].name) == tree.View(nodes[j].name)) return i;
    }
  }
  return object;
}

// Names the first in the text, which is the first of all nodes: an object below
// may come before what stands twice in the one around it.
absl::Status RefuseDuplicates(const Document::Tree& tree) {
  const auto none = static_cast<uint32_t>(tree.nodes.size());
  uint32_t first = none;
  for (uint32_t i = 0; i < first; ++i) {
    if (tree.nodes[i].kind != Kind::kObject) continue;
    const uint32_t duplicate = FindDuplicate(tree, i);
    if (duplicate != i) first = std::min(first, duplicate);
  }
  if (first == none) return absl::OkStatus();
  return WithFault(
      tree.ErrorAt(first, "this member stands twice in its object"),
      Fault::kDuplicate);
}

}  // namespace

absl::StatusOr<Document> Document::Parse(std::string text,
                                         const Limits& limits) {
  if (text.size() > limits.max_bytes ||
      text.size() >= std::numeric_limits<uint32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a JSON text of ", text.size(),
                     " bytes, over the limit of ", limits.max_bytes));
  }
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) {
    return ErrorAtOffset(0, "a byte-order mark; send UTF-8 without one",
                         Fault::kEncoding);
  }
  if (const size_t nul = text.find('\0'); nul != std::string::npos) {
    return ErrorAtOffset(nul, "a NUL byte", Fault::kEncoding);
  }
  auto tree = std::make_shared<Tree>();
  tree->text = std::move(text);
  GATEHOUSE_RETURN_IF_ERROR(ReadGrammar(limits, *tree));
  GATEHOUSE_RETURN_IF_ERROR(RefuseDuplicates(*tree));
  return Document(std::move(tree));
}

}  // namespace gatehouse::json
