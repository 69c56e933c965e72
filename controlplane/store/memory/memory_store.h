#ifndef GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_STORE_H_
#define GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_STORE_H_

#include <cstddef>
#include <memory>

#include "controlplane/store/store.h"
#include "shared/base/clock.h"

namespace gatehouse {

// A store in memory, for tests: the whole contract of store.h but durability.
//
// Thread-safe. `clock` is borrowed. At most `queue_limit` Works wait; the
// destructor runs those that do and then returns.
std::unique_ptr<Store> MakeMemoryStore(Clock& clock, size_t queue_limit = 4096);

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_STORE_H_
