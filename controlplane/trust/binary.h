#ifndef GATEHOUSE_CONTROLPLANE_TRUST_BINARY_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_BINARY_H_

#include <string_view>

namespace gatehouse::trust {

// RFC 4648 section 4: the standard alphabet, padded, nothing between.
bool IsBase64(std::string_view text);

// `type/subtype` of RFC 6838 names, then anything printable (parameters).
bool IsMimeType(std::string_view text);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_BINARY_H_
