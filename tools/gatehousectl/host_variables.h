#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_HOST_VARIABLES_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_HOST_VARIABLES_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gatehouse::ctl {

// An environment variable's value; nothing if it is not set.
using LookUp =
    std::function<std::optional<std::string>(const std::string& name)>;

// A text of a host's configuration once its `${…}` are looked at.
struct Expanded {
  enum class Kind {
    kText,      // `text` is what the host would take; `changed` if it differs
    kVariable,  // the whole text is one variable: `text` is its name
    kInput,     // holds what the host asks a person for: `text` is that
    kUnknown,   // `text` says what cannot be known here, and what to do
  };
  Kind kind = Kind::kText;
  std::string text;
  bool changed = false;
};

// Understands `${NAME}`, `${env:NAME}`, either with `:-default`, `${userHome}`,
// `${pathSeparator}`, `${/}` and `${input:…}`; `${workspaceFolder}` and its
// like are the host's own. A name of which `is_own` says that the program
// itself gets it stays as it is: the program may expand it. Pure, but for
// `look_up`.
Expanded Expand(std::string_view text, const LookUp& look_up,
                const std::function<bool(const std::string&)>& is_own);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_HOST_VARIABLES_H_
