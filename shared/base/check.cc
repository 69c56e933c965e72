#include "shared/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace gatehouse {

void CheckFailed(const char* condition, const char* file, int line) {
  fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  abort();
}

}  // namespace gatehouse
