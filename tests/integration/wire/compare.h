#ifndef GATEHOUSE_TESTS_INTEGRATION_WIRE_COMPARE_H_
#define GATEHOUSE_TESTS_INTEGRATION_WIRE_COMPARE_H_

#include <map>
#include <set>
#include <string>

#include "tests/integration/harness/message.h"

namespace gatehouse::testing {

// What comes out at a place of a trace, as the list has it: `nothing`,
// `not sent`, `on 10`, `-32603 upstream_unavailable`, `400 -32600`, `204`.
struct Outcome {
  enum class Kind { kRecorded, kNothing, kNotSent, kMoved, kError };
  Kind kind = Kind::kRecorded;
  int exchange = 0;    // of kMoved
  int status = 0;      // of kError: HTTP; 0: 200
  std::string code;    // of kError: JSON-RPC's; empty: no body
  std::string reason;  // of kError: `data.reason`; empty: not looked at
};
// Empty text is kRecorded. A text that is none of these is kError with it as
// its code, which nothing equals.
Outcome ParseOutcome(const std::string& text);

// Each of the following gives what differs, in a sentence; empty if nothing.

// Two messages, member by member and byte by byte, but for the members that
// `instead` gives (raw; what it must be) and those that may be anything.
std::string Differs(const Message& recorded, const Message& actual,
                    const std::map<std::string, std::string>& instead,
                    const std::set<std::string>& may_differ = {});

// A `notifications/cancelled` of the request `id`, a lexeme; its reason may be
// any.
std::string DiffersFromCancel(const Message& recorded, const Message& actual,
                              const std::string& id);

// An error response with this code and reason.
std::string DiffersFromError(const Outcome& wanted, const Message& actual);

// What the client is asked: `recorded` with the origin in its params, which
// must be `origin`, under an id of the gateway's, and without the `mode: form`
// that a client of 2025-06-18 does not know.
std::string DiffersFromAsked(const Message& recorded, const Message& actual,
                             const std::string& origin,
                             const std::string& client_revision);

// The ids of elicitations at the same places of two messages, that of
// `recorded` first: in a request's or notification's params, in the entries of
// a `-32042`.
std::map<std::string, std::string> ElicitationIds(const Message& recorded,
                                                  const Message& actual);

// `actual` with the recorded ids of elicitations in place of the gateway's (43
// characters; those of `known`, which came before, must be the same again), and
// without the origin `origin` in the entries of a `-32042`.
Message WithElicitationIds(const Message& recorded, const Message& actual,
                           const std::map<std::string, std::string>& known,
                           const std::string& origin);

// Raw params without `_meta["io.gatehouse/origin"]`, without a `_meta` that
// held nothing else; empty if nothing is left of them.
std::string WithoutOrigin(const Message& message);

// `"progressToken":…` in the params' `_meta` replaced.
std::string WithProgressToken(const Message& message, const std::string& token);

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_WIRE_COMPARE_H_
