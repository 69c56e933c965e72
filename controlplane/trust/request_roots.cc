#include <span>

#include "controlplane/trust/rules.h"

namespace gatehouse::trust {

// It has no parameters of its own; `_meta` is judged for every kind.
std::span<const RequestRule> RootsRequestRules() { return {}; }

}  // namespace gatehouse::trust
