#ifndef GATEHOUSE_CONTROLPLANE_POLICY_FIELDS_H_
#define GATEHOUSE_CONTROLPLANE_POLICY_FIELDS_H_

#include <string_view>
#include <vector>

namespace gatehouse::policy {

// How this build stands to a field of a policy document.
enum class Standing {
  kEnforced,    // read, validated and acted upon
  kLater,       // of the design, but nothing here would act upon it
  kOutputOnly,  // written by the control plane, never by an author
  kUnknown,
};

// A field by its pattern: the path with `[]` for any element, such as
// `upstreams[].http.url`. A map of free names (`env`) is one field.
struct FieldRow {
  std::string_view pattern;
  Standing standing;
};

// Every field that is not kUnknown, parents before children. docs/policy.md has
// a section on each enforced leaf; a test holds the two together.
const std::vector<FieldRow>& AllFields();

Standing StandingOf(std::string_view pattern);

}  // namespace gatehouse::policy

#endif  // GATEHOUSE_CONTROLPLANE_POLICY_FIELDS_H_
