#ifndef GATEHOUSE_TESTS_BENCH_SESSION_MAKER_H_
#define GATEHOUSE_TESTS_BENCH_SESSION_MAKER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "tests/bench/link.h"
#include "tests/bench/requests.h"

namespace gatehouse::bench {

// Opens sessions one after the other on one connection: initialize, then
// initialized. Runs on the thread of the Poller. Borrows the peers, whose
// `session` it fills in.
class SessionMaker {
 public:
  // Makes the sessions of `peers[first]`, `peers[first + step]`, and so on.
  SessionMaker(std::vector<Peer>& peers, size_t first, size_t step)
      : peers_(peers), at_(first), step_(step) {}

  void Start(Poller& poller, uint64_t tag);
  void OnEvent(uint32_t events);

  bool done() const { return at_ >= peers_.size(); }
  const absl::Status& status() const { return status_; }

 private:
  void SendNext();
  void OnAnswer();
  void Fail(std::string_view what);

  std::vector<Peer>& peers_;
  size_t at_;  // the peer whose session is being made
  const size_t step_;
  bool initializing_ = true;
  absl::Status status_;
  std::unique_ptr<Link> link_;
};

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_SESSION_MAKER_H_
