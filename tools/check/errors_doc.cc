// Writes docs/errors.md from the table of reasons.
//
//   errors_doc            prints it
//   errors_doc FILE       exit 1, and says what to do, if FILE differs from it

#include <string>

#include "shared/reasons/reasons.h"
#include "tools/check/written_doc.h"

namespace {

constexpr char kHead[] =
    R"(# Errors

<!-- Written by `errors_doc` from shared/reasons/reasons.cc. Do not edit. -->

Every refusal or failure that Gatehouse itself reports is a JSON-RPC error whose
`data` has a stable `reason`, often with a `path` (a JSON pointer into what was
judged) and details. `message` is Gatehouse's own text for a person; programs
read `reason`. No error names a host, a port, a path, a process or a library.

- *to upstream*: the code by which a legacy upstream that waits for an answer to
  its input request learns of it; `-` if none ever does.
- *to client*: the code when it is the answer to the client's own call; after a
  `/`, that of a client of revision 2026-07-28 where it differs, and the reason
  that it reads where that does. `-` if none ever does.
- *HTTP*: the status of a JSON answer to the client. Once a stream has begun, the
  same error travels on it, and the status is 200.
- *counter*: the label of the metrics that count it; **m** marks what they call
  malformed: the request itself was bad.

Codes -31001 to -31099 are Gatehouse's own. They lie outside the range that
JSON-RPC and MCP reserve. A name or a number is never given a new meaning. A row
that no build sends yet says so.

What the gateway does not judge passes as it came, so an upstream's own error to
a call may have a code of that range or one of these reasons: its word, not the
gateway's. Which calls the gateway itself failed, and why, is in the worker's log
(`call_failed`) and in `gatehouse_worker_calls_failed_total`. Likewise an
`io.gatehouse/...` key in the `_meta` of a client's call is the client's own.

| reason | to upstream | to client | HTTP | counter | when |
| --- | --- | --- | --- | --- | --- |
)";

std::string ToClient(const gatehouse::ReasonRow& row) {
  if (!row.reaches_client) return "-";
  std::string text = std::to_string(row.to_client);
  if (row.to_modern_client != row.to_client) {
    text.append(" / ").append(std::to_string(row.to_modern_client));
  }
  if (row.name_to_client != row.name) {
    text.append(" `").append(row.name_to_client).append("`");
  }
  return text;
}

std::string ErrorsMarkdown() {
  std::string text = kHead;
  for (const gatehouse::ReasonRow& row : gatehouse::AllReasons()) {
    text.append("| `").append(row.name).append("` | ");
    text.append(row.reaches_upstream ? std::to_string(row.to_upstream) : "-");
    text.append(" | ").append(ToClient(row)).append(" | ");
    text.append(row.reaches_client ? std::to_string(row.http_status) : "-");
    text.append(" | `").append(row.counter).append("`");
    text.append(row.malformed ? " **m**" : "").append(" | ");
    text.append(row.meaning);
    if (!row.later.empty()) {
      text.append(". Not sent yet: ").append(row.later);
    }
    text.append(" |\n");
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  return gatehouse::WriteOrCheckDoc(argc, argv, ErrorsMarkdown());
}
