#ifndef GATEHOUSE_TOOLS_DEMO_STORY_FACTS_H_
#define GATEHOUSE_TOOLS_DEMO_STORY_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "shared/mcp/envelope.h"
#include "tools/demo/recording.h"

// What the two taps saw, put together: nothing here knows what should have
// happened. Pure functions on recordings.

namespace gatehouse::demo {

// A message with its envelope read. The strings are copies.
struct WireMessage {
  int64_t time_us = 0;
  bool to_server = false;
  std::string channel;
  mcp::MessageKind kind = mcp::MessageKind::kNotification;
  std::string id;
  std::string method;
  std::string params;
  std::string result;
  std::string error;
};

// A request that the server's side made, and the answer that came back, as they
// passed one tap.
struct AskedAndAnswered {
  WireMessage request;
  std::optional<WireMessage> answer;
};

// One tool call of the client, and all that passed while it ran.
struct Scene {
  WireMessage call;      // at the client's tap
  WireMessage response;  // there too
  std::string tool;      // as the client named it
  int progress_count = 0;
  std::vector<AskedAndAnswered> shown;  // at the client's tap, in order
  std::vector<AskedAndAnswered> asked;  // at the upstream's tap, in order
  // The call at the upstream's tap; the answer is the upstream's own.
  std::optional<AskedAndAnswered> forwarded;
};

// An `initialize` and its result.
struct Handshake {
  WireMessage request;
  WireMessage response;
};

struct Facts {
  std::vector<Handshake> client_handshakes;
  std::vector<Handshake> upstream_handshakes;
  std::vector<Scene> scenes;  // in the order of the calls
  // Everything that reached the upstream, for what must not be among it.
  std::vector<RecordedMessage> to_upstream;
};

// DATA_LOSS, naming it, for a message that is no JSON-RPC, a call without a
// response, an answer to nothing, or a request outside every call.
absl::StatusOr<Facts> ReadFacts(
    const std::vector<RecordedMessage>& at_client,
    const std::vector<RecordedMessage>& at_upstream);

// Members of a JSON-RPC error object.
struct ErrorParts {
  int64_t code = 0;
  std::string reason;  // `data.reason`; empty if there is none
  std::string message;
};
absl::StatusOr<ErrorParts> ReadError(std::string_view error);

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_STORY_FACTS_H_
