#include "shared/base/fault.h"

namespace gatehouse {

void FaultPoint(std::string_view) {}
bool MutantEnabled(std::string_view) { return false; }

}  // namespace gatehouse
