#ifndef GATEHOUSE_TESTS_WIRE_TRACE_H_
#define GATEHOUSE_TESTS_WIRE_TRACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::wire {

// One thing that the server said within an exchange: an event of its stream, a
// comment, or its one body.
struct Said {
  enum class Framing { kEvent, kComment, kBody };
  Framing framing = Framing::kEvent;
  // What it is: a JSON-RPC message, raw; else the text of a comment, of a
  // priming event (empty) or of a body that is no JSON.
  std::string text;
  bool is_message = false;
  std::string event;  // the fields of an event; empty: without
  std::string id;
  std::string retry;
};

// One HTTP request and its answer, as recorded.
struct Exchange {
  int number = 0;  // from 1, in the order of the requests
  std::string method;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // raw JSON, or empty
  int status = 0;                              // 0: no answer came
  std::map<std::string, std::string> answer_headers;
  std::vector<Said> said;
  bool ended = false;  // the server ended its answer
};

// One step of a recording, in the order in which they were seen.
struct Step {
  enum class Kind { kRequest, kHead, kSaid, kEnd };
  Kind kind = Kind::kRequest;
  int64_t at_ms = 0;  // when, from an arbitrary start
  int exchange = 0;
  size_t said = 0;  // which of the exchange's, for kSaid
};

// A recorded conversation of one client with one server. A value.
struct Trace {
  std::string name;
  std::map<int, Exchange> exchanges;  // by number
  std::vector<Step> steps;
};

// The trace `name`. A recording of pipes becomes what it would have been over
// HTTP: each line of the client an exchange, what the server says in the
// exchange it belongs to, what belongs to none in a GET's (see stdio_trace.h);
// of several processes the last counts. NOT_FOUND and INVALID_ARGUMENT.
absl::StatusOr<Trace> ReadTrace(const std::string& name);

}  // namespace gatehouse::wire

#endif  // GATEHOUSE_TESTS_WIRE_TRACE_H_
