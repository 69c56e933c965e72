#include "tools/gatehousectl/host_variables.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::ctl {
namespace {

constexpr std::string_view kInput = "input:";
constexpr std::string_view kEnv = "env:";

bool IsEnvironmentName(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

// What hosts fill in by themselves, though it is spelled like a variable.
bool IsHostsOwn(std::string_view name) {
  constexpr std::string_view kNames[] = {"userHome", "pathSeparator", "cwd",
                                         "execPath", "selectedText"};
  return name.starts_with("workspace") || name.starts_with("file") ||
         name.starts_with("relativeFile") ||
         std::find(std::begin(kNames), std::end(kNames), name) !=
             std::end(kNames);
}

// What stands between `${` and `}`.
struct Variable {
  std::string name;
  std::optional<std::string> fallback;
};

std::optional<Variable> ReadVariable(std::string_view inside) {
  if (inside.starts_with(kEnv)) {
    inside.remove_prefix(kEnv.size());
  } else if (IsHostsOwn(inside)) {
    return std::nullopt;
  }
  Variable variable;
  const size_t fallback = inside.find(":-");
  if (fallback != std::string_view::npos) {
    variable.fallback = std::string(inside.substr(fallback + 2));
    inside = inside.substr(0, fallback);
  }
  if (!IsEnvironmentName(inside)) return std::nullopt;
  variable.name = std::string(inside);
  return variable;
}

Expanded Unknown(std::string_view inside, std::string_view what) {
  return {Expanded::Kind::kUnknown,
          absl::StrCat("${", ToAbsl(inside), "} ", ToAbsl(what)), false};
}

// What one `${inside}` stands for, appended to `to`; what is wrong, otherwise.
std::optional<Expanded> Append(
    std::string_view inside, const LookUp& look_up,
    const std::function<bool(const std::string&)>& is_own, Expanded* to) {
  if (inside == "pathSeparator" || inside == "/") {
    to->text.push_back('/');
  } else if (inside == "userHome") {
    const auto home = look_up("HOME");
    if (!home.has_value()) {
      return Unknown(inside, "is not known here: HOME is not set");
    }
    to->text.append(*home);
  } else if (inside.starts_with(kInput)) {
    return Expanded{Expanded::Kind::kInput, std::string(inside), true};
  } else if (const auto variable = ReadVariable(inside)) {
    if (is_own(variable->name)) {
      to->text.append(absl::StrCat("${", ToAbsl(inside), "}"));
      return std::nullopt;  // as it was
    }
    const auto value = look_up(variable->name);
    if (!value.has_value() && !variable->fallback.has_value()) {
      return Unknown(inside,
                     "is not set here: set it and import again, or write the "
                     "value out");
    }
    to->text.append(value.has_value() ? *value : *variable->fallback);
  } else {
    return Unknown(inside,
                   "is the host's own and means nothing to a worker: write "
                   "the value out");
  }
  to->changed = true;
  return std::nullopt;
}

}  // namespace

Expanded Expand(std::string_view text, const LookUp& look_up,
                const std::function<bool(const std::string&)>& is_own) {
  Expanded result;
  if (text.starts_with("${") && text.find('}') == text.size() - 1) {
    const std::string_view inside = text.substr(2, text.size() - 3);
    const auto variable = ReadVariable(inside);
    if (variable.has_value() && !variable->fallback.has_value() &&
        !is_own(variable->name)) {
      return {Expanded::Kind::kVariable, variable->name, true};
    }
  }
  while (!text.empty()) {
    const size_t start = text.find("${");
    const size_t end =
        start == std::string_view::npos ? start : text.find('}', start);
    if (end == std::string_view::npos) break;
    result.text.append(text.substr(0, start));
    const std::string_view inside = text.substr(start + 2, end - start - 2);
    if (auto wrong = Append(inside, look_up, is_own, &result)) return *wrong;
    text.remove_prefix(end + 1);
  }
  result.text.append(text);
  return result;
}

}  // namespace gatehouse::ctl
