#include "controlplane/trust/ruling.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

constexpr size_t kMaxPathBytes = 256;

// One reference token of RFC 6901.
std::string Escaped(std::string_view token) {
  std::string escaped;
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string BoundedPath(std::string_view path) {
  while (path.size() > kMaxPathBytes) path = path.substr(0, path.rfind('/'));
  return std::string(path);
}

Ruling OfKind(const std::optional<json::Value>& member, json::Kind kind,
              std::string_view what) {
  if (!member.has_value() || member->kind() == kind) return std::nullopt;
  return ObjectTo(*member, what);
}

}  // namespace

Objection ObjectTo(const json::Value& value, std::string_view what) {
  Objection objection;
  objection.path = value.pointer();
  objection.what = std::string(what);
  return objection;
}

Objection ObjectToMember(const json::Value& parent, std::string_view name,
                         Reason reason, std::string_view what) {
  Objection objection = ObjectToMember(parent, name, what);
  objection.reason = reason;
  return objection;
}

Objection ObjectTo(Reason reason, std::string_view what) {
  Objection objection;
  objection.reason = reason;
  objection.what = std::string(what);
  return objection;
}

Objection ObjectTo(const json::Value& value, Reason reason,
                   std::string_view what) {
  Objection objection = ObjectTo(value, what);
  objection.reason = reason;
  return objection;
}

Objection ObjectToMember(const json::Value& parent, std::string_view name,
                         std::string_view what) {
  Objection objection;
  objection.path = absl::StrCat(parent.pointer(), "/", Escaped(name));
  objection.what = std::string(what);
  return objection;
}

Failure ToFailure(const Objection& objection, Reason otherwise,
                  std::string_view subject) {
  Failure failure;
  failure.reason = objection.reason.value_or(otherwise);
  failure.message = absl::StrCat(ToAbsl(subject), ": ", objection.what);
  failure.path = BoundedPath(objection.path);
  failure.details = objection.details;
  return failure;
}

Ruling OptionalString(const json::Value& parent, std::string_view name) {
  return OfKind(parent.Find(name), json::Kind::kString, "expected a string");
}

Ruling OptionalObject(const json::Value& parent, std::string_view name) {
  return OfKind(parent.Find(name), json::Kind::kObject, "expected an object");
}

Ruling OptionalBool(const json::Value& parent, std::string_view name) {
  return OfKind(parent.Find(name), json::Kind::kBool, "expected true or false");
}

Ruling RequiredString(const json::Value& parent, std::string_view name) {
  if (!parent.Find(name).has_value()) {
    return ObjectToMember(parent, name, "missing; expected a string");
  }
  return OptionalString(parent, name);
}

Ruling RequiredText(const json::Value& parent, std::string_view name) {
  if (Ruling ruling = RequiredString(parent, name)) return ruling;
  if (!StringMember(parent, name).value_or("").empty()) return std::nullopt;
  return ObjectToMember(parent, name, "must not be empty");
}

Ruling RequiredObject(const json::Value& parent, std::string_view name) {
  if (!parent.Find(name).has_value()) {
    return ObjectToMember(parent, name, "missing; expected an object");
  }
  return OptionalObject(parent, name);
}

std::optional<std::string_view> StringMember(const json::Value& parent,
                                             std::string_view name) {
  const std::optional<json::Value> member = parent.Find(name);
  if (!member.has_value()) return std::nullopt;
  const absl::StatusOr<std::string_view> text = member->String();
  if (!text.ok()) return std::nullopt;
  return *text;
}

}  // namespace gatehouse::trust
