// Rows of controlplane/trust/response_common.cc, response_roots.cc and the
// action of response_elicitation.cc.

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

Ask Folders(std::string_view roots) {
  return Roots().Answered(absl::StrCat("{\"roots\":[", ToAbsl(roots), "]}"));
}
Ask Folder(std::string_view uri) {
  return Folders(absl::StrCat("{\"uri\":\"", ToAbsl(uri), "\"}"));
}
Ask RawAnswer(std::string text) { return Roots().Answered(std::move(text)); }

std::string Nested(int depth) {
  return absl::StrCat("{\"roots\":[],\"a\":", std::string(depth - 1, '['),
                      std::string(depth - 1, ']'), "}");
}
std::string OfValues(int count) {
  std::string text = R"({"roots":[],"a":[0)";
  for (int i = 4; i < count; ++i) text += ",0";
  return text + "]}";
}

Rows ErrorRows() {
  return {
      {"error-is-object", "an error that is a text", Roots().Failed(R"("no")"),
       "invalid: invalid_response"},
      {"error-is-object", "an error with data",
       Roots().Failed(R"({"code":-5,"message":"m","data":1})"),
       "failed: client_error"},
      {"error-code", "an error without a code",
       Roots().Failed(R"({"message":"m"})"), "invalid: invalid_response /code"},
      {"error-code", "a code of 1.5",
       Roots().Failed(R"({"code":1.5,"message":"m"})"),
       "invalid: invalid_response /code"},
      {"error-code", "a code that no 64 bits hold",
       Roots().Failed(R"({"code":12345678901234567890,"message":"m"})"),
       "failed: client_error"},
      {"error-message", "an error without a message",
       Roots().Failed(R"({"code":1})"), "invalid: invalid_response /message"},
      {"error-message", "an empty message",
       Roots().Failed(R"({"code":1,"message":""})"), "failed: client_error"},
      {"error-message", "-1 declines sampling",
       Sampling().Failed(R"({"code":-1,"message":"no"})"),
       "declined: declined"},
      {"error-message", "-1 fails anything else",
       Roots().Failed(R"({"code":-1,"message":"no"})"), "failed: client_error"},
  };
}

Rows ReadableRows() {
  const std::string bad = "invalid: invalid_response";
  const auto limited = [](policy::VirtualServer& policy, RequestFacts&) {
    policy.limits.input_response_bytes = 12;
  };
  return {
      {"answer-is-one", "a result and an error",
       RawAnswer(R"({"roots":[]})").Failed(R"({"code":1,"message":"m"})"), bad},
      {"answer-is-one", "a result alone", RawAnswer(R"({"roots":[]})"),
       "answered"},
      {"answer-within-size", "an answer over the limit",
       RawAnswer(R"({"roots":[]} )").But(limited), "invalid: too_large"},
      {"answer-within-size", "what the worker did not send",
       Roots().AnsweredOversized(2 << 20), "invalid: too_large"},
      {"answer-within-size", "an answer of exactly the limit",
       RawAnswer(R"({"roots":[]})").But(limited), "answered"},
      {"answer-well-formed", "half an answer", RawAnswer(R"({"roots":[])"),
       bad},
      {"answer-well-formed", "space around it", RawAnswer(" {\"roots\":[]}\n"),
       "answered"},
      {"answer-unicode", "a lone surrogate",
       RawAnswer(R"({"roots":[],"a":"\ud800"})"), bad},
      {"answer-unicode", "letters of any script",
       RawAnswer(R"({"roots":[],"a":"日本"})"), "answered"},
      {"answer-unique-names", "a member that stands twice",
       RawAnswer(R"({"roots":[],"a":1,"a":1})"), bad + " /a"},
      {"answer-unique-names", "a name in two objects",
       RawAnswer(R"({"roots":[],"a":{"roots":1}})"), "answered"},
      {"answer-depth", "65 levels", RawAnswer(Nested(65)), bad},
      {"answer-depth", "64 levels", RawAnswer(Nested(64)), "answered"},
      {"answer-count", "200,001 values", RawAnswer(OfValues(200'001)), bad},
      {"answer-count", "200,000 values", RawAnswer(OfValues(200'000)),
       "answered"},
      {"answer-is-object", "a result that is null", RawAnswer("null"), bad},
      {"answer-is-object", "a result with members of its own",
       RawAnswer(R"({"roots":[],"nextCursor":"x"})"), "answered"},
      {"answer-meta", "a _meta that is a text",
       RawAnswer(R"({"roots":[],"_meta":"x"})"), bad + " /_meta"},
      {"answer-meta", "a _meta of any keys",
       RawAnswer(R"({"roots":[],"_meta":{"a":1}})"), "answered"},
      {"answer-meta", "a _meta beside a decline is not looked at",
       Elicit("").Answered(R"({"action":"decline","_meta":1})"), "declined"},
  };
}

Rows RootRows() {
  const std::string bad = "invalid: invalid_response /roots";
  return {
      {"answer-roots", "no roots", RawAnswer("{}"), bad},
      {"answer-roots", "roots that are an object", RawAnswer(R"({"roots":{}})"),
       bad},
      {"answer-roots", "an empty list of roots", Folders(""), "answered"},
      {"answer-root-is-object", "a root that is a text",
       Folders(R"("file:///a")"), bad + "/0"},
      {"answer-root-is-object", "a root with members of its own",
       Folders(R"({"uri":"file:///a","x":1})"), "answered"},
      {"answer-root-uri", "a root without a uri", Folders(R"({"name":"a"})"),
       bad + "/0/uri"},
      {"answer-root-uri", "a root without a name", Folder("file:///a"),
       "answered"},
      {"answer-root-file-uri", "another scheme", Folder("https://a.test/"),
       bad + "/0/uri"},
      {"answer-root-file-uri", "a host", Folder("file://a.test/b"),
       bad + "/0/uri"},
      {"answer-root-file-uri", "dots that lead up", Folder("file:///a/../b"),
       bad + "/0/uri"},
      {"answer-root-file-uri", "dots behind percent signs",
       Folder("file:///a/%2E%2e/b"), bad + "/0/uri"},
      {"answer-root-file-uri", "an encoded separator", Folder("file:///a%2Fb"),
       bad + "/0/uri"},
      {"answer-root-file-uri", "dots written overlong",
       Folder("file:///a/%C0%AE%C0%AE/b"), bad + "/0/uri"},
      {"answer-root-file-uri", "a query", Folder("file:///a?b"),
       bad + "/0/uri"},
      {"answer-root-file-uri", "a folder whose name has dots",
       Folder("file:///a..b/...c/%C3%A4%20x"), "answered"},
      {"answer-root-name", "a name that is a number",
       Folders(R"({"uri":"file:///a","name":1})"), bad + "/0/name"},
      {"answer-root-name", "an empty name",
       Folders(R"({"uri":"file:///a","name":""})"), "answered"},
      {"answer-root-meta", "a root's _meta that is true",
       Folders(R"({"uri":"file:///a","_meta":true})"), bad + "/0/_meta"},
      {"answer-root-meta", "a root's _meta",
       Folders(R"({"uri":"file:///a","_meta":{}})"), "answered"},
  };
}

}  // namespace

Rows AnswerRows() {
  Rows rows = {
      {"answer-action", "no action", Elicit("").Answered("{}"),
       "invalid: invalid_response /action"},
      {"answer-action", "an action that nobody knows",
       Elicit("").Answered(R"({"action":"reject"})"),
       "invalid: invalid_response /action"},
      {"answer-action", "a decline with content",
       Elicit("").Answered(R"({"action":"decline","content":{}})"), "declined"},
      {"answer-action", "a cancel with content that is null",
       Elicit("").Answered(R"({"action":"cancel","content":null})"),
       "dismissed"},
      {"answer-action", "an accept in URL mode, whatever stands beside it",
       Url().Answered(R"({"action":"accept","content":5})"), "answered"},
  };
  for (const auto more : {ErrorRows, ReadableRows, RootRows}) {
    for (Row& row : more()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gatehouse::trust
