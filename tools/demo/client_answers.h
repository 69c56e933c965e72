#ifndef GATEHOUSE_TOOLS_DEMO_CLIENT_ANSWERS_H_
#define GATEHOUSE_TOOLS_DEMO_CLIENT_ANSWERS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::demo {

// What the demo's user and model do when they are asked.
enum class Answer {
  kAccept,
  kDecline,    // -1 for sampling, `decline` for a form
  kCancel,     // of a form: dismissed
  kWrongType,  // an answer that breaks the schema
  kSilent,     // none at all
};

// `accept`, `decline`, `cancel`, `wrong-type`, `silent`.
absl::StatusOr<Answer> ParseAnswer(std::string_view text);

struct AnswerPlan {
  Answer sampling = Answer::kAccept;
  Answer form = Answer::kAccept;
};

// The whole JSON-RPC response to a request of the server, or nothing if the
// plan is to stay silent. Pings and roots are answered whatever the plan; what
// is not known gets -32601.
std::optional<std::string> AnswerTo(const mcp::Envelope& request,
                                    const AnswerPlan& plan);

}  // namespace gatehouse::demo

#endif  // GATEHOUSE_TOOLS_DEMO_CLIENT_ANSWERS_H_
