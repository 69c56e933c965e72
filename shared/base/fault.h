#ifndef GATEHOUSE_SHARED_BASE_FAULT_H_
#define GATEHOUSE_SHARED_BASE_FAULT_H_

#include <string_view>

namespace gatehouse {

// Named places where a test may break the program, and named rules that a test
// may switch off to see that the suites notice (negative controls).
//
// Two libraries define these functions: fault_off, linked into everything that
// is shipped, where they do nothing and always say no; fault_on, linked into
// the `*-faulty` test programs only, where the environment decides:
//
//   GATEHOUSE_FAULT=NAME[:N]      at the N-th (default first) time that NAME is
//                                 passed, the process kills itself (SIGKILL)
//   GATEHOUSE_MUTANT=NAME[,NAME]  MutantEnabled(NAME) answers true
//
// Thread-safe.
void FaultPoint(std::string_view name);
bool MutantEnabled(std::string_view name);

}  // namespace gatehouse

#endif  // GATEHOUSE_SHARED_BASE_FAULT_H_
