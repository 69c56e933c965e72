#ifndef GATEHOUSE_TESTS_INTEGRATION_BAD_INPUT_STAGE_H_
#define GATEHOUSE_TESTS_INTEGRATION_BAD_INPUT_STAGE_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/harness/bad_input_page.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/gatehouse.h"
#include "tests/integration/harness/raw_peer.h"
#include "tests/integration/harness/scripted_client.h"
#include "tests/integration/harness/scripted_upstream.h"

namespace gatehouse::testing {

// How the connection is to stand after the answer.
enum class After { kClosed, kOpen };

// Bytes that a client sends on a connection of its own, and what it is to get.
struct Probe {
  const char* name;   // of the test's row
  const char* sent;   // in words, for docs/bad_input.md
  std::string bytes;  // `{session}` stands for the id of a session
  int status;
  After after = After::kClosed;
  const char* shows = "";               // what the answer has, in words
  std::vector<std::string> has = {};    // `name: value` of a header, or a
                                        // part of the body
  std::vector<std::string> lacks = {};  // nowhere in header or body
  bool in_events = false;               // the answer is an event stream
  // Requests sent before, each on a connection of its own, which stays; their
  // answers have begun when the probe is sent.
  std::vector<std::string> before = {};
};

// For GoogleTest, which would print its bytes.
inline void PrintTo(const Probe& probe, std::ostream* out) {
  *out << probe.name;
}

// A Gatehouse whose clients need a token, with a scripted upstream behind
// virtual server `dev`, and one session in it. Started once for all probes of a
// program. Thread-compatible.
class BadInputStage {
 public:
  explicit BadInputStage(const std::string& title);

  // Sends the probe and expects its answer and how the connection stands after
  // it. Behind whatever closes the connection a good call is sent at once: it
  // must never reach the upstream. Then a good call on a new connection must
  // succeed.
  void Expect(const Probe& probe);
  // A new session's id.
  std::string NewSession();

  const std::string& address() const { return gatehouse_->worker_address(0); }

 private:
  void ExpectAnswer(const Probe& probe, const RawAnswer& answer);
  void ExpectGoodCall();

  EventLoop loop_;
  ScriptedUpstream upstream_;
  std::unique_ptr<Gatehouse> gatehouse_;
  std::unique_ptr<ScriptedClient> good_;
  size_t good_calls_ = 0;
  ProbeTable table_;
};

// A request with the lines `Host` and `Authorization`, and `lines` (each with
// its CRLF); with a body, also its length.
std::string Request(const std::string& first_line,
                    const std::string& lines = "",
                    const std::string& body = "");
// A POST to virtual server `dev` as a client sends it in its session: that of
// the stage, if `lines` does not say otherwise. An empty value in `changed`
// leaves that header out.
std::string Post(const std::string& body,
                 const std::map<std::string, std::string>& changed = {});
// The body of a good ping.
std::string Ping();
// The body of an `initialize` that asks for a revision.
std::string Initialize(const std::string& revision);

// `400, closed`: what docs/bad_input.md says of a probe's answer.
BadInputRow RowOf(const Probe& probe);

// ctest's name of a probe's row.
template <typename T>
std::string NameOf(const ::testing::TestParamInfo<T>& row) {
  return row.param.name;
}

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_BAD_INPUT_STAGE_H_
