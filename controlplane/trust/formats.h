#ifndef GATEHOUSE_CONTROLPLANE_TRUST_FORMATS_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_FORMATS_H_

#include <cstdint>
#include <string_view>

namespace gatehouse::trust {

// The four string formats of a form: `email`, `uri`, `date`, `date-time`. Pure
// and iterative. Another name is no format and has no values.
bool IsFormat(std::string_view format);
bool HasFormat(std::string_view text, std::string_view format);

// Of valid UTF-8: how many code points.
int64_t CountCodePoints(std::string_view text);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_FORMATS_H_
