#include "tests/integration/harness/message.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/time/clock.h"

namespace gatehouse::testing {
namespace {

// `~1` is `/`, `~0` is `~`.
std::string Unescape(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size()) {
      out.push_back(token[++i] == '1' ? '/' : '~');
    } else {
      out.push_back(token[i]);
    }
  }
  return out;
}

std::optional<json::Value> Step(const json::Value& value,
                                const std::string& token) {
  if (value.IsObject()) return value.Find(token);
  const std::vector<json::Value> elements = value.Elements();
  const size_t index = std::strtoul(token.c_str(), nullptr, 10);
  if (index >= elements.size()) return std::nullopt;
  return elements[index];
}

}  // namespace

Message::Message(std::string raw) : raw_(std::move(raw)), time_(absl::Now()) {
  json::Limits limits;
  limits.max_bytes = 64 << 20;
  limits.max_depth = 600;
  absl::StatusOr<json::Document> document = json::Document::Parse(raw_, limits);
  if (document.ok()) document_ = *std::move(document);
}

std::optional<json::Value> Message::Find(std::string_view pointer) const {
  if (!document_.has_value()) return std::nullopt;
  std::optional<json::Value> value = document_->root();
  while (value.has_value() && !pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    value = Step(*value, Unescape(pointer.substr(0, end)));
    pointer.remove_prefix(end);
  }
  return value;
}

std::string Message::At(std::string_view pointer) const {
  const std::optional<json::Value> value = Find(pointer);
  if (!value.has_value()) return "";
  return std::string(value->IsString() ? value->String().value()
                                       : value->raw());
}

std::string Message::RawAt(std::string_view pointer) const {
  const std::optional<json::Value> value = Find(pointer);
  return value.has_value() ? std::string(value->raw()) : "";
}

bool Message::Has(std::string_view pointer) const {
  return Find(pointer).has_value();
}

}  // namespace gatehouse::testing
