#ifndef GATEHOUSE_TESTS_WIRE_INPUT_REQUESTS_H_
#define GATEHOUSE_TESTS_WIRE_INPUT_REQUESTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::wire {

// What a recorded server asked of its client's side, and what came back.
struct RecordedInputRequest {
  std::string method;
  std::string params;     // raw; empty: absent
  std::string revision;   // that of the conversation
  std::string declared;   // raw: the client's capabilities
  bool notified = false;  // an elicitation of a -32042 error: owed no answer
  // Raw; both empty: it was never answered.
  std::string result = {};
  std::string error = {};
};

// The input requests of a trace in the order in which they were asked. Of a
// modern one each entry of each `input_required` result, with the response
// that the next request carried for its key. Of a -32042 error each elicitation
// that it lists.
absl::StatusOr<std::vector<RecordedInputRequest>> ReadInputRequests(
    const std::string& trace);

}  // namespace gatehouse::wire

#endif  // GATEHOUSE_TESTS_WIRE_INPUT_REQUESTS_H_
