#ifndef GATEHOUSE_CONTROLPLANE_STORE_FAULTY_STORE_H_
#define GATEHOUSE_CONTROLPLANE_STORE_FAULTY_STORE_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "controlplane/store/store.h"
#include "shared/base/mutex.h"

namespace gatehouse {

// What may befall one call of Store::Run.
enum class StoreFault {
  kNone,
  kError,           // not run; UNAVAILABLE
  kTimeout,         // never run, and nobody can tell; UNKNOWN
  kDidItButSaidNo,  // run and committed; UNKNOWN all the same
};

// A store that fails as stores do, for tests of what stands above it.
//
// Each call takes the next fault of the script and, once that is used up, one
// drawn at the given rates. `done` is called on the inner store's threads, in
// the order of the calls, whatever the fault. A Work that fails by itself keeps
// its own status.
//
// Thread-safe. Ownership: `inner` is borrowed and outlives this.
class FaultyStore final : public Store {
 public:
  // Chances in 1,000 of each fault; what is left is kNone.
  struct Rates {
    int error = 0;
    int timeout = 0;
    int did_it_but_said_no = 0;
  };

  FaultyStore(Store& inner, std::vector<StoreFault> script);
  // The same seed gives the same faults in the same order.
  FaultyStore(Store& inner, Rates rates, uint64_t seed);

  void Run(Work work, Done done) override;

  // Faults to take next, after those still in the script.
  void AddFaults(const std::vector<StoreFault>& script)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  StoreFault Next() ABSL_LOCKS_EXCLUDED(mutex_);

  Store& inner_;
  const Rates rates_;

  Mutex mutex_;
  std::deque<StoreFault> script_ ABSL_GUARDED_BY(mutex_);
  uint64_t state_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_STORE_FAULTY_STORE_H_
