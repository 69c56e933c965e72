// The rest of docs/bad_input.md: the cases that other tests hold, those that
// wait for a later part, and how many there are.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/integration/harness/bad_input_page.h"

namespace gatehouse::testing {
namespace {

TEST(BadInputDocTest, CasesHeldElsewhereNameTheirTests) {
  ExpectHeldElsewhere({
      {"a handler that throws", "500 without its text, closed",
       "tests/unit/http/request_parser_test.cc",
       "AnExceptionOfAHandlerIsA500WithoutItsText"},
      {"`Expect: 100-continue`, and the body waits", "100, then the answer",
       "tests/unit/http/server_limits_test.cc",
       "ExpectContinueIsAnsweredBeforeTheBody"},
      {"a header value of ours with CRLF in it", "the header is left out",
       "tests/unit/http/server_test.cc",
       "HeaderValuesCannotBreakOutOfTheirLine"},
      {"one connection too many", "503 and Retry-After, closed",
       "tests/unit/http/server_limits_test.cc", "OneConnectionTooManyGets503"},
      {"a connection idle for 5 min", "closed",
       "tests/unit/http/server_limits_test.cc",
       "AnIdleConnectionIsClosedInTheEnd"},
      {"an answer that its client never reads", "reset",
       "tests/unit/http/server_limits_test.cc",
       "AnAnswerThatNobodyReadsIsGivenUp"},
      {"a lost stream", "counted", "tests/unit/http/server_test.cc",
       "AStreamThatIsNotReadIsLostAndCounted"},
      {"a quiet stream (13.3 no. 27)", "a comment every 15 s",
       "tests/unit/http/server_test.cc", "AQuietEventStreamIsKeptAlive"},
      {"an upstream's `retry` (13.3 no. 20)", "counts only if all digits",
       "tests/unit/http/sse_reader_test.cc", "CountsOnlyIfItIsAllDigits"},
      {"a session that its upstream forgot (13.4 no. 37)",
       "the call fails, the next one has a new session",
       "tests/unit/upstream/http_session_test.cc",
       "AForgottenSessionFailsItsCallAndIsMadeAnew"},
      {"a second answer of an upstream", "changes nothing",
       "tests/unit/upstream/http_session_test.cc",
       "ASecondAnswerChangesNothing"},
      {"a request of an upstream on the stream without a call (2.5)",
       "belongs to the only call, or is refused",
       "tests/unit/upstream/http_session_test.cc",
       "WithTwoCallsInFlightItIsAmbiguousAndGoesToNeither"},
      {"a request of an upstream for a method of its own", "-32601",
       "tests/unit/upstream/http_session_test.cc",
       "PingIsAnsweredAndAnUnknownMethodRefusedHere"},
  });
}

TEST(BadInputDocTest, CasesOfLaterPartsAreNamed) {
  const std::string modern = "later: modern era";
  const std::string access = "later: access tokens with scopes";
  const std::string resumption = "later: resumption of streams";
  ExpectDocumented(
      "later",
      {{"a modern version that is not served (2.3)", "400 -32022", modern},
       {"a header that differs from the body, or is missing (2.3, T19)",
        "400 -32020", modern},
       {"a `_meta` field that is missing (2.3)", "400 -32602", modern},
       {"a client capability that is needed and not declared (2.3)",
        "400 -32021", modern},
       {"a method that the modern revision does not have (2.3)", "404 -32601",
        modern},
       {"a notification without Mcp headers (2.1)", "202", modern},
       {"a response posted by a modern client (2.4)", "400 -32600", modern},
       {"a batch from a modern client (13.1 no. 5)", "400 -32600", modern},
       {"an unknown `resultType` (13.1 no. 10)", "upstream_protocol_error",
        modern},
       {"`requestState: \"\"` (13.1 no. 9)", "echoed", modern},
       {"a list request without params (13.2 no. 13)", "400 -32602", modern},
       {"`clientCapabilities` absent; `{}` (13.2 no. 14)", "400 -32602; taken",
        modern},
       {"a client's capabilities and version towards upstreams (13.2 no. 15)",
        "made anew, never forwarded", modern},
       {"`baggage` in `_meta` (13.2 no. 16)", "by policy", modern},
       {"a modern request that wants progress (13.3 no. 25)",
        "answered by a stream", modern},
       {"a late end after `input_required` (13.3 no. 26)", "cancels nothing",
        modern},
       {"Mcp-Name with outer spaces; in Base64; in broken Base64 (13.3 "
        "no. 28 to 30)",
        "trimmed; decoded; 400 -32020", modern},
       {"capabilities cached across modern requests (13.4 no. 35)", "never",
        modern},
       {"a modern request beside a legacy session (13.4 no. 36)",
        "served by its own era", modern},
       {"a token without the scope (2.3)", "403 insufficient_scope", access},
       {"an event id, an empty first event (13.3 no. 19)",
        "only to clients of 2025-11-25", resumption}});
}

TEST(BadInputDocTest, SaysHowManyCasesThereAre) { ExpectCounted(); }

}  // namespace
}  // namespace gatehouse::testing
