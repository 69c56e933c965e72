#ifndef GATEHOUSE_TESTS_BENCH_IDLE_STREAM_H_
#define GATEHOUSE_TESTS_BENCH_IDLE_STREAM_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "tests/bench/link.h"
#include "tests/bench/requests.h"

namespace gatehouse::bench {

// A connection that makes one request and then has nothing to do: a session's
// GET stream, or a kept-alive connection between requests. Counts what comes
// all the same. Runs on the thread of the Poller.
class IdleStream {
 public:
  // What is opened. kConnection asks for a path that nobody serves.
  enum class Kind { kStream, kConnection };

  IdleStream() = default;
  void Open(Kind kind, const Peer& peer, Poller& poller, uint64_t tag);
  void OnEvent(uint32_t events);

  // Its request was answered, and it was not closed since.
  bool open() const { return open_ && status_.ok(); }
  const absl::Status& status() const { return status_; }
  int pings() const { return pings_; }
  int list_changes() const { return list_changes_; }

 private:
  void Read();
  void ReadEvents();
  void Fail(std::string_view what);

  Kind kind_ = Kind::kStream;
  bool open_ = false;
  absl::Status status_;
  std::unique_ptr<Link> link_;
  size_t read_ = 0;  // bytes of the stream
  int pings_ = 0;    // comments
  int list_changes_ = 0;
};

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_IDLE_STREAM_H_
