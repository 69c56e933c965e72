#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/charconv.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/json/text.h"
#include "shared/json/tree.h"

namespace gatehouse::json {
namespace {

constexpr char kPointerPayload[] = "gatehouse/json-pointer";
constexpr char kFaultPayload[] = "gatehouse/json-fault";
// A peer chooses the names in a pointer; an error is for a person to read.
constexpr size_t kMaxPointerBytes = 1024;

size_t PositionAmongSiblings(const std::vector<Node>& nodes, uint32_t node) {
  size_t position = 0;
  for (uint32_t i = nodes[node].parent + 1; i < node; i = nodes[i].end_node) {
    ++position;
  }
  return position;
}

}  // namespace

std::string Document::Tree::Pointer(uint32_t node) const {
  std::vector<std::string> steps;
  for (; node != 0; node = nodes[node].parent) {
    if (nodes[nodes[node].parent].kind == Kind::kArray) {
      steps.push_back(absl::StrCat("/", PositionAmongSiblings(nodes, node)));
    } else {
      steps.push_back(
          absl::StrCat("/", absl::StrReplaceAll(ToAbsl(View(nodes[node].name)),
                                                {{"~", "~0"}, {"/", "~1"}})));
    }
  }
  std::string pointer;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    pointer.append(*step);
  }
  return pointer;
}

absl::Status Document::Tree::ErrorAt(uint32_t node,
                                     std::string_view what) const {
  std::string pointer = Pointer(node);
  while (pointer.size() > kMaxPointerBytes) {
    node = nodes[node].parent;
    pointer = Pointer(node);
  }
  absl::Status status = absl::InvalidArgumentError(
      pointer.empty()
          ? ToAbsl(what)
          : absl::string_view(absl::StrCat(pointer, ": ", ToAbsl(what))));
  status.SetPayload(kPointerPayload, absl::Cord(pointer));
  return status;
}

std::string PointerOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPointerPayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

absl::Status WithFault(absl::Status status, Fault fault) {
  status.SetPayload(kFaultPayload,
                    absl::Cord(std::string(1, static_cast<char>(fault))));
  return status;
}

Fault FaultOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kFaultPayload);
  if (payload.has_value()) {
    return static_cast<Fault>(std::string(*payload).front());
  }
  return absl::IsResourceExhausted(status) ? Fault::kSize : Fault::kSyntax;
}

Document::Document(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}

Value Document::root() const { return Value(tree_, 0); }
std::string_view Document::text() const { return tree_->text; }

Value::Value(std::shared_ptr<const Document::Tree> tree, uint32_t node)
    : tree_(std::move(tree)), node_(node) {}

Kind Value::kind() const { return tree_->nodes[node_].kind; }

std::string_view Value::raw() const {
  const Node& node = tree_->nodes[node_];
  return std::string_view(tree_->text)
      .substr(node.begin, node.end - node.begin);
}

size_t Value::offset() const { return tree_->nodes[node_].begin; }
std::string Value::pointer() const { return tree_->Pointer(node_); }
size_t Value::size() const { return tree_->nodes[node_].count; }

std::optional<Value> Value::Find(std::string_view name) const {
  if (!IsObject()) return std::nullopt;
  const std::vector<Node>& nodes = tree_->nodes;
  for (uint32_t i = node_ + 1; i < nodes[node_].end_node;
       i = nodes[i].end_node) {
    if (tree_->View(nodes[i].name) == name) return Value(tree_, i);
  }
  return std::nullopt;
}

absl::StatusOr<Value> Value::Field(std::string_view name) const {
  if (!IsObject()) return Error("expected an object");
  std::optional<Value> value = Find(name);
  if (!value.has_value()) {
    return Error(absl::StrCat("missing field '", ToAbsl(name), "'"));
  }
  return *std::move(value);
}

std::vector<Member> Value::Members() const {
  std::vector<Member> members;
  if (!IsObject()) return members;
  members.reserve(size());
  const std::vector<Node>& nodes = tree_->nodes;
  for (uint32_t i = node_ + 1; i < nodes[node_].end_node;
       i = nodes[i].end_node) {
    members.push_back({tree_->View(nodes[i].name), Value(tree_, i)});
  }
  return members;
}

std::vector<Value> Value::Elements() const {
  std::vector<Value> elements;
  if (!IsArray()) return elements;
  elements.reserve(size());
  const std::vector<Node>& nodes = tree_->nodes;
  for (uint32_t i = node_ + 1; i < nodes[node_].end_node;
       i = nodes[i].end_node) {
    elements.push_back(Value(tree_, i));
  }
  return elements;
}

absl::StatusOr<std::string_view> Value::String() const {
  if (!IsString()) return Error("expected a string");
  return tree_->View(tree_->nodes[node_].string);
}

absl::StatusOr<bool> Value::Bool() const {
  if (!IsBool()) return Error("expected true or false");
  return tree_->nodes[node_].is_true;
}

bool Value::IsIntegerLexeme() const {
  return IsNumber() && IsIntegerText(raw());
}

absl::StatusOr<int64_t> Value::Integer() const {
  if (!IsIntegerLexeme()) {
    return Error("expected an integer, without fraction or exponent");
  }
  const std::string_view lexeme = raw();
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(lexeme.data(), lexeme.data() + lexeme.size(), number);
  if (error != std::errc()) return Error("expected an integer of 64 bits");
  return number;
}

absl::StatusOr<double> Value::Number() const {
  if (!IsNumber()) return Error("expected a number");
  const std::string_view lexeme = raw();
  double number = 0;
  const absl::from_chars_result result =
      absl::from_chars(lexeme.data(), lexeme.data() + lexeme.size(), number);
  // Out of range is also what rounds to zero, and zero is the nearest then.
  if (result.ec == std::errc::result_out_of_range && std::fabs(number) > 1) {
    return Error("expected a number that a double can hold");
  }
  return number;
}

absl::Status Value::Error(std::string_view what) const {
  return tree_->ErrorAt(node_, what);
}

}  // namespace gatehouse::json
