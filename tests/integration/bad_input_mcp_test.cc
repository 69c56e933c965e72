// What is good HTTP but no good MCP: each gets its chosen answer, no id is made
// up, and the next call does not notice. Defends invariants 4 (judge, never
// repair), 8 (honest errors) and 9 (bytes pass unchanged), and RELIABILITY's
// T34.
//
// The rows are those of docs/bad_input.md, group bad_input_mcp_test.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/bad_input_stage.h"

namespace gatehouse::testing {
namespace {

constexpr After kOpen = After::kOpen;
constexpr char kNoBody[] = "without a body";

Probe Refused(const char* name, const char* sent, const std::string& bytes,
              int status, const char* code) {
  // What is refused at the door has no id, never one of null.
  return {name, sent, bytes, status, kOpen, code, {code}, {"\"id\""}};
}

Probe Answered(const char* name, const char* sent, const std::string& bytes,
               const char* shows, std::vector<std::string> has) {
  return {name, sent, bytes, 200, kOpen, shows, std::move(has)};
}

// A request whose id and params are lexemes; `params` may be empty.
std::string Message(const std::string& id, const std::string& method,
                    const std::string& params = "") {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":")", method,
                      "\"", params.empty() ? "" : ",\"params\":", params, "}");
}

std::string Call(const std::string& arguments, const std::string& id = "1") {
  return Message(
      id, "tools/call",
      absl::StrCat(R"({"name":"up__echo","arguments":)", arguments, "}"));
}

std::string Get(const std::string& lines) {
  return Request("GET /mcp/dev HTTP/1.1", lines);
}

std::string Open(const std::string& revision,
                 std::map<std::string, std::string> changed = {}) {
  changed.emplace("Mcp-Session-Id", "");
  changed.emplace("MCP-Protocol-Version", "");
  return Post(Initialize(revision), changed);
}

Probe Granted(const char* name, const char* sent, const std::string& bytes,
              const std::string& revision) {
  return Answered(name, sent, bytes, "and a session",
                  {absl::StrCat(R"("protocolVersion":")", revision, "\""),
                   "mcp-session-id: "});
}

std::vector<Probe> InitializeProbes() {
  return {
      Granted("Initialize202503", "initialize 2025-03-26", Open("2025-03-26"),
              "2025-03-26"),
      Granted("Initialize202506", "initialize 2025-06-18", Open("2025-06-18"),
              "2025-06-18"),
      Granted("Initialize202511", "initialize 2025-11-25", Open("2025-11-25"),
              "2025-11-25"),
      Granted("Initialize202411", "initialize 2024-11-05: offered the latest",
              Open("2024-11-05"), "2025-11-25"),
      Granted("Initialize1999", "initialize 1999-01-01: offered the latest",
              Open("1999-01-01"), "2025-11-25"),
      Granted("Initialize2026",
              "initialize 2026-07-28: offered the latest legacy one",
              Open("2026-07-28"), "2025-11-25"),
      Granted("InitializeWithVersionHeader",
              "initialize with a version header (2.3)",
              Open("2025-11-25", {{"MCP-Protocol-Version", "2025-11-25"}}),
              "2025-11-25"),
      Refused("InitializeAcceptJson", "initialize, `Accept: application/json`",
              Open("2025-11-25", {{"Accept", "application/json"}}), 406,
              "-32600"),
      Refused("InitializeAcceptAny", "initialize, `Accept: */*`",
              Open("2025-11-25", {{"Accept", "*/*"}}), 406, "-32600"),
      Refused("InitializeNoAccept", "initialize, no Accept",
              Open("2025-11-25", {{"Accept", ""}}), 406, "-32600"),
      Refused("InitializeTextPlain", "initialize, `Content-Type: text/plain`",
              Open("2025-11-25", {{"Content-Type", "text/plain"}}), 415,
              "-32600"),
      Granted("InitializeCharset", "initialize, Content-Type with a charset",
              Open("2025-11-25",
                   {{"Content-Type", "application/json; charset=utf-8"}}),
              "2025-11-25"),
      {"InitializeNoParams",
       "initialize without params",
       Post(Message("1", "initialize"), {{"Mcp-Session-Id", ""}}),
       400,
       kOpen,
       "-32602",
       {"-32602", "\"id\":1"}},
      Refused("InitializeAgain", "initialize again on the session",
              Post(Initialize("2025-11-25")), 400, "-32600"),
  };
}

std::vector<Probe> SessionProbes() {
  const std::string list = Message("1", "tools/list");
  const std::string del =
      Request("DELETE /mcp/dev HTTP/1.1", "Mcp-Session-Id: {session}\r\n");
  const std::string nobodys = std::string(43, 'A');
  return {
      Refused("NoSession", "tools/list, no session id",
              Post(list, {{"Mcp-Session-Id", ""}}), 400, "-32600"),
      Refused("UnknownSession", "tools/list, unknown session id",
              Post(list, {{"Mcp-Session-Id", nobodys}}), 404, "-32600"),
      Refused("ForeignSession", "tools/list, a session id of another shape",
              Post(list, {{"Mcp-Session-Id", "7d147ee0"}}), 404, "-32600"),
      Refused("TwoSessions", "two session ids",
              Post(list, {{"Mcp-Session-Id",
                           "{session}\r\nMcp-Session-Id: {session}"}}),
              400, "-32600"),
      Answered("SessionHeaderCase", "`MCP-SESSION-ID` (13.3 no. 22)",
               Post(Ping(),
                    {{"Mcp-Session-Id", ""}, {"MCP-SESSION-ID", "{session}"}}),
               "", {"\"result\":{}"}),
      Answered("NoVersionHeader",
               "tools/call, no version header: the session's (13.3 no. 24)",
               Post(Call("{}"), {{"MCP-Protocol-Version", ""}}), "",
               {"\"result\""}),
      Refused("UnknownVersionHeader", "tools/call, unknown version header",
              Post(Call("{}"), {{"MCP-Protocol-Version", "1999-01-01"}}), 400,
              "-32022"),
      Refused("ModernVersionHeader",
              "a modern version header in a legacy session",
              Post(Call("{}"), {{"MCP-Protocol-Version", "2026-07-28"}}), 400,
              "-32022"),
      Refused("TwoVersionHeaders", "two version headers",
              Post(Call("{}"),
                   {{"MCP-Protocol-Version",
                     "2025-11-25\r\nMCP-Protocol-Version: 2025-11-25"}}),
              400, "-32600"),
      Answered("OtherVersionHeader",
               "tools/call, another supported version in the header",
               Post(Call("{}"), {{"MCP-Protocol-Version", "2025-06-18"}}), "",
               {"\"result\""}),
      Refused("DeleteNoSession", "DELETE, no session",
              Request("DELETE /mcp/dev HTTP/1.1"), 400, "-32600"),
      Refused("DeleteUnknown", "DELETE, unknown session",
              Request("DELETE /mcp/dev HTTP/1.1",
                      absl::StrCat("Mcp-Session-Id: ", nobodys, "\r\n")),
              404, "-32600"),
      {"Delete", "DELETE", del, 204, kOpen, kNoBody},
      {"PingAfterDelete",
       "ping after DELETE",
       Post(Ping()),
       404,
       kOpen,
       "-32600",
       {"-32600"},
       {"\"id\""},
       false,
       {del}},
      {"DeleteTwice",
       "DELETE twice",
       del,
       404,
       kOpen,
       "-32600",
       {"-32600"},
       {"\"id\""},
       false,
       {del}},
  };
}

std::vector<Probe> StreamProbes() {
  const std::string good =
      Get("Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n");
  const auto stream = [](const char* name, const char* sent,
                         const std::string& bytes) {
    return Probe{name,
                 sent,
                 bytes,
                 200,
                 kOpen,
                 "stream",
                 {"content-type: text/event-stream"},
                 {},
                 true};
  };
  Probe second = stream("GetSecond", "GET, second stream", good);
  second.before = {good};
  Probe fifth = Refused("GetFifth", "GET, fifth stream", good, 409, "-32600");
  fifth.before = {good, good, good, good};
  return {
      Refused("GetNoSession", "GET, no session",
              Get("Accept: text/event-stream\r\n"), 400, "-32600"),
      Refused("GetAcceptJson", "GET, `Accept: application/json`",
              Get("Accept: application/json\r\nMcp-Session-Id: {session}\r\n"),
              406, "-32600"),
      stream("GetUnknownEventId", "GET, unknown Last-Event-ID: ignored",
             Get("Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n"
                 "Last-Event-ID: nobodys-7\r\n")),
      stream("GetFirst", "GET, first stream", good),
      second,
      fifth,
  };
}

std::vector<Probe> JsonProbes() {
  const auto broken = [](const char* name, const char* sent,
                         const std::string& body) {
    return Refused(name, sent, Post(body), 400, "-32700");
  };
  return {
      broken("BrokenJson", "broken JSON", R"({"jsonrpc":"2.0",)"),
      broken("EmptyBody", "empty body", ""),
      broken("Nan", "NaN", R"({"jsonrpc":"2.0","id":NaN,"method":"ping"})"),
      broken("Comment", "a comment", "/* hi */" + Ping()),
      broken("TrailingComma", "a trailing comma",
             R"({"jsonrpc":"2.0","id":1,"method":"ping",})"),
      broken("TextBehind", "text behind the message", Ping() + "x"),
      broken("TwoMessages", "two messages in one body", Ping() + Ping()),
      broken("NulBehind", "NUL behind the message",
             Ping() + std::string(1, '\0')),
      broken("ByteOrderMark", "a byte-order mark (T34)",
             "\xEF\xBB\xBF" + Ping()),
      broken("InvalidUtf8", "invalid UTF-8",
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xFFng\"}"),
      broken("OverlongUtf8", "overlong UTF-8",
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xC0\xAFng\"}"),
      broken("MemberTwice", "a member twice (13.1 no. 8)",
             R"({"jsonrpc":"2.0","id":1,"method":"ping","id":2})"),
      broken("MemberTwiceEscaped", "the same, once escaped",
             R"({"jsonrpc":"2.0","id":1,"method":"ping","\u0069d":2})"),
      broken("Depth10000", "10,000 levels of objects in params (T34)",
             [] {
               std::string deep;
               for (int i = 0; i < 10'000; ++i) deep += "{\"a\":";
               return Message("1", "tools/call",
                              deep + "1" + std::string(10'000, '}'));
             }()),
      Refused("Brackets1Mib", "1 MiB of `[` (T34)",
              Post(std::string(1 << 20, '[')), 400, "-32700"),
      {"BodyOf5Mib", "5 MB body", Post(std::string(5 << 20, ' ')), 413,
       After::kClosed},
  };
}

std::vector<Probe> EnvelopeProbes() {
  const auto bad_id = [](const char* name, const char* sent, const char* id) {
    return Refused(name, sent, Post(Message(id, "ping")), 400, "-32600");
  };
  return {
      Refused("NotJsonRpc", "not JSON-RPC", Post(R"({"hello":1})"), 400,
              "-32600"),
      Refused("JsonRpc1", "jsonrpc 1.0",
              Post(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), 400,
              "-32600"),
      Answered("IdString", "id \"a-string\"", Post(Call("{}", "\"a-string\"")),
               "", {"\"id\":\"a-string\""}),
      Answered("IdStringOfDigits", "id \"1\" is not 1 (13.1 no. 1)",
               Post(Message("\"1\"", "ping")), "", {"\"id\":\"1\""}),
      bad_id("IdFraction", "id 1.5", "1.5"),
      bad_id("IdIntegerAsFraction", "id 1.0 (13.1 no. 2)", "1.0"),
      bad_id("IdExponent", "id 1e1", "1e1"),
      bad_id("IdTrue", "id true", "true"),
      bad_id("IdObject", "id {}", "{}"),
      bad_id("IdNull", "id null: no notification (13.1 no. 3)", "null"),
      Answered("IdNegative", "id -1", Post(Message("-1", "ping")), "",
               {"\"id\":-1"}),
      Answered("IdOver2To53", "id 9007199254740993",
               Post(Message("9007199254740993", "ping")), "",
               {"\"id\":9007199254740993"}),
      Answered("IdOver64Bits", "id of 40 digits",
               Post(Message(std::string(40, '7'), "ping")), "",
               {"\"id\":" + std::string(40, '7')}),
      Refused("IdOver512Bytes", "id of 600 bytes",
              Post(Message("\"" + std::string(600, 'x') + "\"", "ping")), 400,
              "-32600"),
      Refused("Batch", "batch of two",
              Post(absl::StrCat("[", Ping(), ",", Ping(), "]")), 400, "-32600"),
      Refused("EmptyBatch", "empty batch", Post("[]"), 400, "-32600"),
      Refused("MethodBesideResult", "method beside result",
              Post(R"({"jsonrpc":"2.0","id":1,"method":"ping","result":{}})"),
              400, "-32600"),
      Refused("ResultBesideError", "result beside error",
              Post(R"({"jsonrpc":"2.0","id":1,"result":{},)"
                   R"("error":{"code":1,"message":"x"}})"),
              400, "-32600"),
      Answered("UnknownMembers", "unknown members (13.1 no. 10, 13.2 no. 12)",
               Post(R"({"jsonrpc":"2.0","id":1,"method":"ping","_meta":{},)"
                    R"("x":null})"),
               "", {"\"result\":{}"}),
      Answered("MemberOrder", "members in another order (13.1 no. 11)",
               Post(R"({"method":"ping","id":1,"jsonrpc":"2.0"})"), "",
               {"\"result\":{}"}),
      {"Notification",
       "notification",
       Post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"),
       202,
       kOpen,
       kNoBody,
       {},
       {"jsonrpc"}},
      {"UnknownNotification",
       "unknown notification",
       Post(R"({"jsonrpc":"2.0","method":"notifications/nobody/knows"})"),
       202,
       kOpen,
       kNoBody,
       {},
       {"jsonrpc"}},
      Refused("NotificationNoSession", "notification without a session (2.3)",
              Post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                   {{"Mcp-Session-Id", ""}}),
              400, "-32600"),
      {"ResponseToNothing",
       "response to nothing",
       Post(R"({"jsonrpc":"2.0","id":"never-asked","result":{}})"),
       202,
       kOpen,
       kNoBody,
       {},
       {"jsonrpc"}},
  };
}

std::vector<Probe> MethodProbes() {
  Probe duplicate = Refused("IdInFlight", "an id that is in flight",
                            Post(Call("{}", "77")), 400, "duplicate_id");
  const std::string hang =
      Message("77", "tools/call", R"({"name":"up__hang","arguments":{}})");
  duplicate.before = {Post(hang)};
  Probe other = Answered("IdInFlightAsString",
                         "id \"77\" while 77 is in flight (13.1 no. 1)",
                         Post(Call("{}", "\"77\"")), "", {"\"id\":\"77\""});
  other.before = {Post(hang)};
  return {
      Answered("Ping", "ping", Post(Ping()), "", {"\"result\":{}"}),
      Answered("UnknownMethod", "unknown method",
               Post(Message("1", "sessions/steal")), "-32601",
               {"-32601", "\"id\":1"}),
      Answered("DiscoverInSession", "server/discover on a session",
               Post(Message("1", "server/discover")), "-32601", {"-32601"}),
      Refused("DiscoverProbe",
              "server/discover without a session: a client falls back (1.3)",
              Post(Message("\"server-discover-probe-1\"", "server/discover"),
                   {{"Mcp-Session-Id", ""},
                    {"MCP-Protocol-Version", "2026-07-28"},
                    {"Mcp-Method", "server/discover"}}),
              400, "-32600"),
      Answered("CallNoParams", "tools/call without params",
               Post(Message("1", "tools/call")), "-32602", {"-32602"}),
      Answered("CallParamsArray", "tools/call with an array as params",
               Post(Message("1", "tools/call", "[]")), "-32602", {"-32602"}),
      Answered("CallArgumentsArray", "tools/call with an array as arguments",
               Post(Call("[1]")), "-32602", {"-32602"}),
      Answered("CallUnknownTool", "tools/call unknown tool",
               Post(Message("1", "tools/call",
                            R"({"name":"up__nobodys","arguments":{}})")),
               "-32602", {"-32602"}),
      Answered("ListBadCursor", "tools/list bad cursor",
               Post(Message("1", "tools/list", R"({"cursor":"x"})")), "-32602",
               {"-32602"}),
      Answered("CallNumbers", "numbers that no double holds (13.1 no. 7)",
               Post(Call(R"({"n":18446744073709551616,)"
                         R"("f":0.30000000000000004})")),
               "as they came",
               {R"({\"n\":18446744073709551616,\"f\":0.30000000000000004})"}),
      Answered("CallNoArguments", "no arguments: none are made up (no. 9)",
               Post(Message("1", "tools/call", R"({"name":"up__echo"})")), "",
               {R"("text":"")"}),
      Refused("CallMemberTwice",
              "a member twice in arguments, at any depth (no. 8)",
              Post(Call(R"({"x":[{"a":1,"\u0061":2}]})")), 400, "-32700"),
      Refused("CallLoneSurrogate", "`\"\\udc00\"` in arguments (T34)",
              Post(Call(R"({"a":"\udc00"})")), 400, "-32700"),
      // Good JSON, which nobody here turns into a double (invariant 9).
      Answered("CallHugeNumber", "`1e400` in arguments (T34)",
               Post(Call(R"({"a":1e400})")), "as it came",
               {R"({\"a\":1e400})"}),
      duplicate,
      other,
  };
}

const std::vector<Probe>& Probes() {
  static const std::vector<Probe>& all = *new std::vector<Probe>([] {
    std::vector<Probe> probes;
    for (auto& some : {InitializeProbes(), SessionProbes(), StreamProbes(),
                       JsonProbes(), EnvelopeProbes(), MethodProbes()}) {
      probes.insert(probes.end(), some.begin(), some.end());
    }
    return probes;
  }());
  return all;
}

class BadMcpTest : public ::testing::TestWithParam<Probe> {
 protected:
  static void SetUpTestSuite() { stage_ = new BadInputStage("bad MCP"); }
  static void TearDownTestSuite() { delete stage_; }
  static BadInputStage* stage_;
};
BadInputStage* BadMcpTest::stage_ = nullptr;

TEST_P(BadMcpTest, GetsTheChosenAnswer) { stage_->Expect(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Rows, BadMcpTest, ::testing::ValuesIn(Probes()),
                         NameOf<Probe>);

TEST(BadMcpDocTest, TheRowsAreThoseOfTheDocs) {
  std::vector<BadInputRow> rows;
  for (const Probe& probe : Probes()) rows.push_back(RowOf(probe));
  ExpectDocumented("bad_input_mcp_test", rows);
}

}  // namespace
}  // namespace gatehouse::testing
