#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_CUT_PROXY_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_CUT_PROXY_H_

#include <memory>
#include <set>
#include <string>

#include "tests/integration/harness/connection.h"
#include "tests/integration/harness/event_loop.h"

namespace gatehouse::testing {

// A byte relay between two addresses (`HOST:PORT` or `unix:PATH`) that can be
// cut, as a network does that has failed: open connections end, new ones are
// closed at once.
//
// Thread-safe. The loop is borrowed and outlives it.
class CutProxy {
 public:
  CutProxy(EventLoop* loop, const std::string& listen_address,
           const std::string& target_address);
  ~CutProxy();

  void Cut();
  void Restore();
  // For a TCP listen address with port 0, the one it got.
  const std::string& address() const { return address_; }

 private:
  struct State;
  EventLoop* const loop_;
  std::shared_ptr<State> state_;
  std::string address_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_CUT_PROXY_H_
