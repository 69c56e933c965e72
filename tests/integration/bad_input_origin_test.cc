// Which names the worker answers to and which web pages may read its answers:
// DNS rebinding (T17) gets 403 and no effect, a page of an allowed origin gets
// CORS headers on every answer, any other none. Defends DESIGN §16.
//
// The rows are those of docs/bad_input.md, group bad_input_origin_test. The
// worker allows the host `gateway.example` and the origin
// `https://app.example`.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/bad_input_stage.h"

namespace gatehouse::testing {
namespace {

constexpr After kOpen = After::kOpen;
constexpr char kPage[] = "https://app.example";
constexpr char kWithCors[] = "with CORS headers";
constexpr char kWithoutCors[] = "without CORS headers";

const std::vector<std::string>& NoCors() {
  static const auto& none =
      *new std::vector<std::string>{"access-control-", "vary"};
  return none;
}

// What every answer to an allowed page has, and `more`.
std::vector<std::string> Cors(std::vector<std::string> more = {}) {
  more.push_back("access-control-allow-origin: https://app.example\n");
  more.push_back(
      "access-control-expose-headers: Mcp-Session-Id, MCP-Protocol-Version, "
      "WWW-Authenticate\n");
  more.push_back("vary: Origin");
  return more;
}

std::string Preflight(const std::string& origin,
                      const std::string& method = "POST") {
  return absl::StrCat(
      "OPTIONS /mcp/dev HTTP/1.1\r\nHost: 127.0.0.1\r\n",
      origin.empty() ? "" : absl::StrCat("Origin: ", origin, "\r\n"),
      method.empty()
          ? ""
          : absl::StrCat("Access-Control-Request-Method: ", method,
                         "\r\nAccess-Control-Request-Headers: authorization,"
                         "content-type,mcp-session-id\r\n"),
      "\r\n");
}

std::string FromPage(const std::string& origin,
                     std::map<std::string, std::string> changed = {}) {
  changed["Origin"] = origin;
  return Post(Ping(), changed);
}

Probe Refused(const char* name, const char* sent, const std::string& bytes) {
  return {name, sent, bytes, 403, kOpen, kWithoutCors, {}, NoCors()};
}

std::vector<Probe> HostProbes() {
  const auto ping = [](const std::string& host) {
    return Post(Ping(), {{"Host", host}});
  };
  return {
      {"HostLoopbackPort", "`Host: 127.0.0.1:8800`", ping("127.0.0.1:8800"),
       200, kOpen},
      {"HostLocalhostCase", "`Host: LocalHost`", ping("LocalHost"), 200, kOpen},
      {"HostLoopback6", "`Host: [::1]:8800`", ping("[::1]:8800"), 200, kOpen},
      {"HostListed", "a listed Host with a port and in other case",
       ping("Gateway.Example:443"), 200, kOpen},
      {"HostListedDot", "a listed Host with the dot that ends it",
       ping("gateway.example."), 200, kOpen},
      Refused("HostStranger", "`Host: evil.test:8080` (T17)",
              ping("evil.test:8080")),
      Refused("HostUnderLocalhost", "`Host: localhost.evil.test`",
              ping("localhost.evil.test")),
      Refused("HostLikeLoopback", "`Host: 127.0.0.1.evil.test`",
              ping("127.0.0.1.evil.test")),
      Refused("HostBare6", "`Host: ::1` without brackets", ping("::1")),
      Refused("HostBadPort", "`Host: 127.0.0.1:80x`", ping("127.0.0.1:80x")),
  };
}

std::vector<Probe> OriginProbes() {
  return {
      {"OriginNone",
       "no Origin",
       Post(Ping()),
       200,
       kOpen,
       kWithoutCors,
       {},
       NoCors()},
      {"OriginListed", "a listed Origin", FromPage(kPage), 200, kOpen,
       kWithCors, Cors()},
      {"OriginLocalhost",
       "`Origin: http://localhost:3000`",
       FromPage("http://localhost:3000"),
       200,
       kOpen,
       kWithCors,
       {"access-control-allow-origin: http://localhost:3000\n"}},
      Refused("OriginStranger", "`Origin: http://evil.test` (T17)",
              FromPage("http://evil.test")),
      Refused("OriginNull", "`Origin: null`", FromPage("null")),
      Refused("OriginStar", "`Origin: *`", FromPage("*")),
      Refused("OriginOtherScheme", "a listed Origin by plain HTTP",
              FromPage("http://app.example")),
      Refused("OriginOtherPort", "a listed Origin with another port",
              FromPage("https://app.example:8443")),
      Refused("OriginPrefix", "an Origin that starts with a listed one",
              FromPage("https://app.example.evil.test")),
      Refused("OriginTwice", "two Origins",
              FromPage(absl::StrCat(kPage, "\r\nOrigin: ", kPage))),
      Refused("OriginWithBadHost", "a listed Origin, but a stranger's Host",
              FromPage(kPage, {{"Host", "evil.test"}})),
  };
}

std::vector<Probe> PageProbes() {
  const std::vector<std::string> none = {"access-control-allow-credentials",
                                         "origin: *"};
  return {
      {"PageNoToken", "a listed Origin without a token",
       FromPage(kPage, {{"Authorization", ""}}), 401, kOpen, kWithCors,
       Cors({"www-authenticate: Bearer"}), none},
      {"PageNoSession", "a listed Origin without a session",
       FromPage(kPage, {{"Mcp-Session-Id", ""}}), 400, kOpen, kWithCors,
       Cors({"-32600"}), none},
      {"PageBrokenJson", "a listed Origin with broken JSON",
       Post("{", {{"Origin", kPage}}), 400, kOpen, kWithCors, Cors({"-32700"}),
       none},
      {"PageUnknownPath", "a listed Origin at an unknown path",
       Request("GET /nowhere HTTP/1.1",
               absl::StrCat("Origin: ", kPage, "\r\n")),
       404, kOpen, kWithCors, Cors(), none},
      {"PageStream", "a listed Origin that opens a stream",
       Request("GET /mcp/dev HTTP/1.1",
               absl::StrCat("Origin: ", kPage,
                            "\r\nAccept: text/event-stream\r\n"
                            "Mcp-Session-Id: {session}\r\n")),
       200, kOpen, "stream with CORS headers",
       Cors({"content-type: text/event-stream"}), none, /*in_events=*/true},
      {"PagePreflight", "a preflight of a listed Origin, without a token",
       Preflight(kPage), 204, kOpen, kWithCors,
       Cors({"access-control-allow-methods: GET, POST, DELETE\n",
             "access-control-allow-headers: Accept, Authorization, "
             "Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, "
             "Mcp-Name, Mcp-Session-Id\n",
             "access-control-max-age: 600\n"}),
       none},
      Refused("PreflightStranger", "a preflight of another Origin",
              Preflight("http://evil.test")),
      Refused("PreflightNull", "a preflight of `Origin: null`",
              Preflight("null")),
      {"OptionsOfAPage",
       "OPTIONS of a listed Origin that is no preflight",
       Preflight(kPage, ""),
       204,
       kOpen,
       "and Allow",
       Cors({"allow: GET, POST, DELETE, OPTIONS"}),
       {"access-control-allow-methods"}},
      {"OptionsBare",
       "OPTIONS without an Origin",
       Preflight("", ""),
       204,
       kOpen,
       "and Allow",
       {"allow: GET, POST, DELETE, OPTIONS"},
       NoCors()},
      {"OptionsUnknownPath", "OPTIONS at an unknown path",
       Request("OPTIONS /nowhere HTTP/1.1"), 404, kOpen},
  };
}

const std::vector<Probe>& Probes() {
  static const std::vector<Probe>& all = *new std::vector<Probe>([] {
    std::vector<Probe> probes;
    for (auto& some : {HostProbes(), OriginProbes(), PageProbes()}) {
      probes.insert(probes.end(), some.begin(), some.end());
    }
    return probes;
  }());
  return all;
}

class OriginTest : public ::testing::TestWithParam<Probe> {
 protected:
  static void SetUpTestSuite() { stage_ = new BadInputStage("host, origin"); }
  static void TearDownTestSuite() { delete stage_; }
  static BadInputStage* stage_;
};
BadInputStage* OriginTest::stage_ = nullptr;

TEST_P(OriginTest, GetsTheChosenAnswer) { stage_->Expect(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Rows, OriginTest, ::testing::ValuesIn(Probes()),
                         NameOf<Probe>);

TEST(OriginDocTest, TheRowsAreThoseOfTheDocs) {
  std::vector<BadInputRow> rows;
  for (const Probe& probe : Probes()) rows.push_back(RowOf(probe));
  ExpectDocumented("bad_input_origin_test", rows);
}

}  // namespace
}  // namespace gatehouse::testing
