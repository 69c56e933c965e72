#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_ANSWERS_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_ANSWERS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/mcp/envelope.h"
#include "tools/gatehousectl/mcp/terminal.h"

namespace gatehouse::ctl {

// What a client's user and model answer when they are asked, by the person at
// a terminal: completions are typed, forms filled in field by field, either may
// be declined. Without a terminal neither is declared, nor answered.
// Thread-compatible. Borrows the terminal, which may be null.
class Answers {
 public:
  // `roots`: absolute paths of folders; with none, roots are not declared.
  Answers(Terminal* terminal, std::vector<std::string> roots)
      : terminal_(terminal), roots_(std::move(roots)) {}

  // ClientCapabilities, raw JSON: what is answered, no more.
  std::string Capabilities() const;

  // The whole response to a request of the worker's; blocks while the person
  // thinks. Nothing if `withdrawn` became true meanwhile.
  std::optional<std::string> Answer(const mcp::Envelope& request,
                                    const std::function<bool()>& withdrawn);

 private:
  using Ended = std::function<bool()>;

  std::optional<std::string> AnswerSampling(const mcp::Envelope& request,
                                            const Ended& withdrawn);
  std::optional<std::string> AnswerForm(const mcp::Envelope& request,
                                        const Ended& withdrawn);
  std::string AnswerRoots(const mcp::Envelope& request) const;
  // The letter of one of `choices` that the person typed; nothing if the wait
  // was withdrawn, `at_end` at the end of input.
  std::optional<char> Choose(std::string_view prompt, std::string_view choices,
                             char at_end, const Ended& withdrawn);

  Terminal* const terminal_;
  const std::vector<std::string> roots_;
};

// What the person is shown of a sampling request: all of it, lines with their
// LF, nothing that acts on the terminal. Pure.
std::string SamplingText(std::string_view params);
// The same for the message of a form and who asks.
std::string FormHeadText(std::string_view params);

// `file://` and the path, percent-encoded. Pure.
std::string FileUri(std::string_view path);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_ANSWERS_H_
