#ifndef GATEHOUSE_SHARED_BASE_CHECK_H_
#define GATEHOUSE_SHARED_BASE_CHECK_H_

namespace gatehouse {

// Says on stderr which promise was broken, and ends the process. Thread-safe.
[[noreturn]] void CheckFailed(const char* condition, const char* file,
                              int line);

}  // namespace gatehouse

// Ends the process, in every build, if `condition` is false. For mistakes of
// the caller's programmer only, never for anything that a peer, an operator or
// the machine can bring about: those are a Status.
#define GATEHOUSE_CHECK(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::gatehouse::CheckFailed(#condition, __FILE__, __LINE__))

#endif  // GATEHOUSE_SHARED_BASE_CHECK_H_
