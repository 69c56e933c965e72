#ifndef GATEHOUSE_CONTROLPLANE_BROKER_SWEEPER_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_SWEEPER_H_

#include <chrono>
#include <thread>

#include "absl/time/time.h"
#include "controlplane/broker/broker.h"
#include "shared/base/mutex.h"

namespace gatehouse::broker {

// Calls Broker::Sweep every 200 ms (at once again while there is more to end)
// and Broker::Purge every minute, on a thread of its own. A sweep is only the
// hand that ends things: whether something is late is decided by the store's
// clock when a reply is settled.
//
// Thread-safe. Borrows the broker, which outlives it.
class Sweeper {
 public:
  explicit Sweeper(Broker& broker);
  ~Sweeper();  // stops

  // How long ago its thread last turned, and the store last carried a sweep
  // out (or this began): the pulse of the control plane, which does both
  // several times a second.
  struct Pulse {
    absl::Duration since_turn;
    absl::Duration since_sweep;
  };
  Pulse pulse();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  void Loop();
  void StartSweep();

  Broker& broker_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool sweeping_ ABSL_GUARDED_BY(mutex_) = false;
  bool more_ ABSL_GUARDED_BY(mutex_) = false;
  SteadyTime turned_ ABSL_GUARDED_BY(mutex_);
  SteadyTime swept_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_SWEEPER_H_
