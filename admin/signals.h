#ifndef GATEHOUSE_ADMIN_SIGNALS_H_
#define GATEHOUSE_ADMIN_SIGNALS_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gatehouse::admin {

// SIGTERM, SIGINT and SIGHUP, taken by whoever waits instead of by a handler.
// SIGPIPE is ignored: a peer that is gone is an error of a write.
//
// Created on the main thread before the first other one, which inherits that
// they are blocked. Await is for one thread; Wake is thread-safe.
class Signals {
 public:
  // RESOURCE_EXHAUSTED if no descriptor is left.
  static absl::StatusOr<std::unique_ptr<Signals>> Take();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // The next signal, in at most `patience`; nullopt if that is over or Wake was
  // called (once, for each Await that it ends).
  std::optional<int> Await(absl::Duration patience);
  void Wake();

 private:
  Signals(int signals, int wake) : signals_(signals), wake_(wake) {}
  const int signals_;  // a signalfd
  const int wake_;     // an eventfd
};

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_SIGNALS_H_
