#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_RAW_PEER_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_RAW_PEER_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "tests/integration/harness/http_reader.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// One answer as it came.
struct RawAnswer {
  HttpHead head;
  std::string body;    // without its chunks
  bool whole = false;  // false: the connection ended, or an endless stream
};

// An HTTP client that sends bytes, whatever they are, over one connection.
// Every wait has a deadline and ends early when the peer closes.
// Thread-compatible; stays where it was made.
class RawPeer {
 public:
  // `receive_buffer`: bytes, of the kernel's; 0 leaves its choice.
  explicit RawPeer(const std::string& address, int receive_buffer = 0);
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  ~RawPeer();

  // Sends all of it, and reads meanwhile what comes. False if the peer stopped
  // taking it, which is no error of the test's.
  bool Send(std::string_view bytes, absl::Duration timeout = kPatience);
  // One byte or more, as far as it goes without waiting; false if the
  // connection is over.
  bool Drip(std::string_view bytes);

  // The next answer but for `100 Continue`; nullopt if none begins. With
  // `head_only`, as soon as its header block is there.
  std::optional<RawAnswer> Answer(bool head_only = false,
                                  absl::Duration timeout = kPatience);
  // True if the peer ended the connection (an end or a reset) in time. What
  // comes before is kept.
  bool AwaitClose(absl::Duration timeout = kPatience);
  // Takes what is there, without waiting. False if the connection is over.
  bool Poll();

  // Whether `100 Continue` was among what came.
  bool continued() const { return continued_; }
  bool closed() const { return closed_; }
  int fd() const { return fd_; }
  // All answers that have begun and were not taken.
  size_t waiting() const { return answers_.size(); }

 private:
  // Waits for `events` until `deadline`; false if it passed.
  bool WaitFor(short events, absl::Time deadline);
  void Read();

  int fd_ = -1;
  bool closed_ = false;
  bool continued_ = false;
  std::deque<RawAnswer> answers_;
  HttpReader reader_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_RAW_PEER_H_
