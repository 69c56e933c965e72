#include "controlplane/trust/rule_mask.h"

namespace gatehouse::trust {

RuleMask MaskOf(std::string_view) { return RuleMask::kAsIs; }
Ruling Stricter(std::string_view, const RequestContext&) {
  return std::nullopt;
}
Ruling Stricter(std::string_view, const ResponseContext&) {
  return std::nullopt;
}

}  // namespace gatehouse::trust
