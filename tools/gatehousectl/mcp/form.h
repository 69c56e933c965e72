#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_FORM_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_FORM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "shared/json/json.h"

namespace gatehouse::ctl {

// One property of a form, as a person is asked for it.
struct FormField {
  enum class Kind { kText, kNumber, kInteger, kYesNo, kOneOf, kSomeOf };
  struct Choice {
    std::string value;
    std::string title;  // empty: the value speaks for itself
  };

  std::string name;  // of the property
  std::string title;
  std::string description;
  Kind kind = Kind::kText;
  bool required = false;
  std::vector<Choice> choices;  // of kOneOf and kSomeOf
  // Bounds: of the characters, the number, or how many choices.
  std::optional<double> least;
  std::optional<double> most;
  std::string format;        // of kText: email, uri, date, date-time, or none
  std::string default_json;  // raw; empty: none
};

// The fields of `requestedSchema`, in its order. INVALID_ARGUMENT, pointer
// first, for a property that cannot be asked for here (a reference, an object,
// a type that is none of the above). Pure.
absl::StatusOr<std::vector<FormField>> ReadForm(const json::Value& schema);

// What the person reads above the field: name, what it is, what fits, the
// choices by number, and what Enter does. Lines with their LF; nothing that
// came from the upstream acts on the terminal. Pure.
std::string FieldText(const FormField& field);

// What was typed, as the property's JSON value; empty if the property is left
// out. Enter takes the default if there is one, else leaves an optional field
// out; `-` leaves an optional one out. INVALID_ARGUMENT says what would fit.
// Pure.
absl::StatusOr<std::string> ReadField(const FormField& field,
                                      std::string_view typed);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_FORM_H_
