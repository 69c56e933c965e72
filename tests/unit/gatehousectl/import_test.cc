// A host's configuration becomes a policy: nothing that looks like a secret is
// written into it, nothing is dropped without a word, the control plane takes
// it, and upstreams may ask nothing until somebody allows it (DESIGN §1,
// invariant 2).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "controlplane/policy/virtual_server.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/host_config.h"
#include "tools/gatehousectl/policy_import.h"

namespace gatehouse::ctl {
namespace {

using testing::HasSubstr;
using testing::Not;

ImportFacts TestFacts() {
  static const std::map<std::string, std::string> environment = {
      {"PATH", "relative:/opt/bin:/usr/bin"},
      {"HOME", "/users/ada"},
      {"SET_TOKEN", "t0p"},
      {"PLACE", "here"},
      {"TWO_LINES", "a\nLD_PRELOAD=/tmp/evil.so"},
      {"LATIN1", "caf\xe9"}};
  static const std::set<std::string> programs = {
      "/opt/bin/npx", "/usr/bin/npx", "/usr/bin/uvx", "/users/ada/bin/tool",
      "/usr/bin/docker"};
  ImportFacts facts;
  facts.source = "host.json";
  facts.environment =
      [](const std::string& name) -> std::optional<std::string> {
    const auto it = environment.find(name);
    if (it == environment.end()) return std::nullopt;
    return it->second;
  };
  facts.is_program = [](const std::string& path) {
    return programs.contains(path);
  };
  facts.unreachable =
      [](const std::string& path) -> std::optional<std::string> {
    if (!path.starts_with("/users/")) return std::nullopt;
    return "/users is closed to that user";
  };
  facts.home = "/users/ada";
  return facts;
}

// The notes, one a line: `error PATH: TEXT`.
std::string NotesText(const std::vector<Note>& notes) {
  std::string text;
  for (const Note& note : notes) {
    absl::StrAppend(
        &text, note.severity == Note::Severity::kError ? "error " : "warning ",
        note.path, ": ", note.text, "\n");
  }
  return text;
}

// The variables, one a line: `NAME=VALUE`, or `NAME?`.
std::string VariablesText(const std::vector<WorkerVariable>& variables) {
  std::string text;
  for (const WorkerVariable& variable : variables) {
    absl::StrAppend(
        &text, variable.name,
        variable.value ? absl::StrCat("=", *variable.value) : std::string("?"),
        "\n");
  }
  return text;
}

ImportedPolicy Import(const std::string& json, const ImportFacts& facts) {
  const absl::StatusOr<HostConfig> config = ReadHostConfig(json);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? ImportPolicy(*config, facts) : ImportedPolicy{};
}

// `policy check` would take it.
void ExpectAccepted(const std::string& document) {
  const policy::ParseResult parsed = policy::ParseVirtualServer(document);
  for (const policy::Violation& violation : parsed.violations) {
    ADD_FAILURE() << violation.path << ": " << violation.message << "\n"
                  << document;
  }
}

struct ImportCase {
  const char* name;
  std::string servers;                      // the members of `mcpServers`
  std::vector<std::string> says = {};       // parts of the document
  std::vector<std::string> hides = {};      // nowhere in the document
  std::vector<std::string> notes = {};      // parts of the notes
  std::vector<std::string> variables = {};  // whole lines
};
class ImportTest : public testing::TestWithParam<ImportCase> {};

TEST_P(ImportTest, MakesWhatIsListed) {
  const ImportedPolicy policy =
      Import(absl::StrCat(R"({"mcpServers":{)", GetParam().servers, "}}"),
             TestFacts());
  if (policy.upstreams > 0) ExpectAccepted(policy.document);
  for (const std::string& text : GetParam().says) {
    EXPECT_THAT(policy.document, HasSubstr(text));
  }
  for (const std::string& text : GetParam().hides) {
    EXPECT_THAT(policy.document, Not(HasSubstr(text)));
  }
  const std::string notes = NotesText(policy.notes);
  for (const std::string& text : GetParam().notes) {
    EXPECT_THAT(notes, HasSubstr(text));
  }
  if (GetParam().notes.empty()) {
    EXPECT_EQ(notes, "");
  }
  std::string variables;
  for (const std::string& line : GetParam().variables) {
    absl::StrAppend(&variables, line, "\n");
  }
  EXPECT_EQ(VariablesText(policy.variables), variables);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ImportTest,
    testing::ValuesIn<ImportCase>({
        {"ACommandIsFoundOnPathAndGetsPathAndHome",
         R"("time":{"command":"npx","args":["-y","server-time"]})",
         {"- name: \"time\"",
          R"(command: ["/opt/bin/npx", "-y", "server-time"])",
          R"("PATH": "relative:/opt/bin:/usr/bin")",
          R"("HOME": "/users/ada")"}},
        {"AnAbsoluteCommandStays",
         R"("t":{"type":"stdio","command":"/usr/bin/uvx"})",
         {R"(command: ["/usr/bin/uvx"])"}},
        {"TheEntrysOwnPathIsWhereItIsLookedFor",
         R"("t":{"command":"npx","env":{"PATH":"/usr/bin","HOME":"/h"}})",
         {R"(command: ["/usr/bin/npx"])", R"("PATH": "/usr/bin")",
          R"("HOME": "/h")"}},
        {"ACommandThatIsNowhereIsAnError",
         R"("t":{"command":"gone"})",
         {},
         {},
         {"error /mcpServers/t/command: gone: not found on PATH; install it"}},
        {"ARelativeCommandIsAnError",
         R"("t":{"command":"./gone"})",
         {},
         {},
         {"error /mcpServers/t/command: ./gone: write its absolute path"}},
        {"TheHomeOfAPersonIsFilledIn",
         R"("t":{"command":"~/bin/tool","args":["${userHome}/x","${PLACE}",
            "${NONE:-else}"]})",
         {R"(command: ["/users/ada/bin/tool", "/users/ada/x", "here", "else"])"}},
        {"AFolderToStartInIsEnteredByTheShell",
         R"("t":{"command":"uvx","args":["a b"],"cwd":"~/src"})",
         {R"(["/bin/sh", "-c", "cd \"${0}\" && exec \"${1}\" \"${2}\"", )"
          R"("/users/ada/src", "/usr/bin/uvx", "a b"])"}},
        {"TheHostsOwnVariablesAreAnError",
         R"("t":{"command":"uvx","args":["${workspaceFolder}"]})",
         {},
         {},
         {"error /mcpServers/t/args/0: ${workspaceFolder} is the host's own"}},
        {"WhatTheProgramItselfMayExpandStays",
         R"("t":{"command":"uvx","args":["X-Mode:${MODE}"],
            "env":{"MODE":"fast"}})",
         {R"("X-Mode:${MODE}")", R"("MODE": "fast")"}},
        {"AnArgumentWithALineFeedIsAnError",
         R"("t":{"command":"uvx","args":["a\nb"]})",
         {},
         {},
         {"error /mcpServers/t/args/0: an argument has no control"}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

// Whatever the host's file holds, it chooses neither the name of a variable of
// the worker's, nor what a reference of ours means (DESIGN §1: no upstream has
// more than it was given).
INSTANTIATE_TEST_SUITE_P(
    Attacks, ImportTest,
    testing::ValuesIn<ImportCase>({
        {"NoVariableBearsANameThatTheFileChose",
         R"("t":{"command":"uvx","env":{"worker_program":"${NO:-/tmp/evil}",
            "LD_PRELOAD":"${NO:-/tmp/e.so}","X":"${BASH_ENV}"}})",
         {R"("worker_program": "env:GATEHOUSE_SECRET_WORKER_PROGRAM")",
          R"("LD_PRELOAD": "env:GATEHOUSE_SECRET_LD_PRELOAD")",
          R"("X": "env:GATEHOUSE_SECRET_BASH_ENV")"},
         {"/tmp/"},
         {},
         {"GATEHOUSE_SECRET_WORKER_PROGRAM=/tmp/evil",
          "GATEHOUSE_SECRET_LD_PRELOAD=/tmp/e.so",
          "GATEHOUSE_SECRET_BASH_ENV?"}},
        {"OurPrefixIsNotForTheFile",
         R"("t":{"command":"uvx","args":["--key","k"],
            "env":{"GATEHOUSE_SECRET_T_ARG_1":"x"}})",
         {},
         {},
         {"error /mcpServers/t/env/GATEHOUSE_SECRET_T_ARG_1: names that begin "
          "with GATEHOUSE_SECRET_ are for what an import makes"}},
        {"WhatReadsLikeOurReferenceIsNoneAnywhere",
         R"("t":{"command":"/usr/bin/uvx","env":{
            "A":"file:/data/tokens/operator.token","B":"env:OTHER",
            "PATH":"file:/data/tokens/operator.token","HOME":"env:OTHER"}},
            "u":{"url":"https://h.example/mcp",
                 "headers":{"X-A":"file:/data/tokens/operator.token"}})",
         {R"("A": "env:GATEHOUSE_SECRET_A")",
          R"("B": "env:GATEHOUSE_SECRET_B")",
          R"("PATH": "env:GATEHOUSE_SECRET_PATH")",
          R"("HOME": "env:GATEHOUSE_SECRET_HOME")",
          R"("X-A": "env:GATEHOUSE_SECRET_U_X_A")"},
         {"file:", "env:OTHER"},
         {},
         {"GATEHOUSE_SECRET_A=file:/data/tokens/operator.token",
          "GATEHOUSE_SECRET_B=env:OTHER",
          "GATEHOUSE_SECRET_PATH=file:/data/tokens/operator.token",
          "GATEHOUSE_SECRET_HOME=env:OTHER",
          "GATEHOUSE_SECRET_U_X_A=file:/data/tokens/operator.token"}},
        {"AValueOfSeveralLinesAddsNoLineWhereverItComesFrom",
         R"("a":{"command":"uvx","env":{"X":"${TWO_LINES}"}},
            "b":{"command":"uvx","env":{"X":"${NO:-a\nb}"}},
            "c":{"command":"uvx","env":{"PATH":"a\nb"}},
            "d":{"command":"/usr/bin/uvx","env":{"HOME":"${TWO_LINES}"}},
            "e":{"command":"uvx","args":["--key","${TWO_LINES}"]},
            "f":{"command":"/usr/bin/uvx","cwd":"/${TWO_LINES}"},
            "g":{"url":"https://h.example/m","headers":{"X":"${TWO_LINES}"}},
            "h":{"url":"https://h.example/m","headers":{"X":"a\nb"}},
            "i":{"command":"uvx","env":{"X":"${LATIN1}"}})",
         {},
         {},
         {"error /mcpServers/a/env/X: a value is UTF-8 without line feeds",
          "error /mcpServers/b/env/X: ", "error /mcpServers/c/env/PATH: ",
          "error /mcpServers/d/env/HOME: ", "error /mcpServers/e/args/1: ",
          "error /mcpServers/f/cwd: ", "error /mcpServers/g/headers/X: ",
          "error /mcpServers/h/headers/X: ", "error /mcpServers/i/env/X: "}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

// Whatever is taken passes the control plane's check (ExpectAccepted), and what
// it would refuse is refused with its path.
INSTANTIATE_TEST_SUITE_P(
    OddNames, ImportTest,
    testing::ValuesIn<ImportCase>({
        {"NamesThatYamlReadsOtherwiseStay",
         R"("true":{"command":"uvx","env":{"NULL":"a","TRUE":"b","Yes":"c"}},
            "null":{"command":"uvx","args":["null","~","\ufeff","\u0085",
              "- a: b # c","*x","\u2028"]})",
         {R"(- name: "true")", R"(- name: "null")", R"("NULL": "a")",
          R"("TRUE": "b")", R"("Yes": "c")"}},
        {"HeaderNamesThatAPolicyRefusesAreErrors",
         R"("a":{"url":"https://h.example/m","headers":{"X Y":"1"}},
            "b":{"url":"https://h.example/m","headers":{"":"1"}},
            "c":{"url":"https://h.example/m","headers":{"X-A":"1","x-a":"2"}},
            "d":{"url":"https://h.example/m","headers":{"X\r\nY":"1"}})",
         {},
         {},
         {"error /mcpServers/a/headers/X Y: is no header's name",
          "error /mcpServers/b/headers/: is no header's name",
          "error /mcpServers/c/headers/x-a: the same header as X-A",
          "error /mcpServers/d/headers/X"}},
        {"UrlsThatAPolicyRefusesAreErrors",
         R"("a":{"url":"file:/etc/passwd"},"b":{"url":"https://h/a\r\nb"},
            "c":{"url":"https://h/a#f"},"d":{"url":"https://h"},
            "e":{"url":"https://h:99999/"},"f":{"url":"https:///x"},
            "g":{"url":"https://h/\u00e9"},"h":{"url":"https://h?a/"},
            "i":{"url":"https://[::1]x/"},"j":{"url":"https://[::1]:80/m"},
            "k":{"url":"HTTP://h:1/"})",
         {R"(url: "https://[::1]:80/m")", R"(url: "HTTP://h:1/")"},
         {},
         {"error /mcpServers/a/url: ", "error /mcpServers/b/url: ",
          "error /mcpServers/c/url: has a fragment",
          "error /mcpServers/d/url: has no path",
          "error /mcpServers/e/url: names no host",
          "error /mcpServers/f/url: ", "error /mcpServers/g/url: ",
          "error /mcpServers/h/url: ", "error /mcpServers/i/url: "}},
        {"ACommandWithANulIsAnError",
         R"("t":{"command":"/usr/bin/uvx\u0000x"},"u":{"command":"a\u0000"})",
         {},
         {},
         {"error /mcpServers/t/command: a command has no control",
          "error /mcpServers/u/command: a command has no control"}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

// Odd text at every place of an entry: what is taken, the control plane takes;
// the rest is refused, with a path.
TEST(ImportPolicyTest, WhatIsTakenPassesTheCheckWhateverItHolds) {
  const std::vector<std::string> odd = {"",
                                        "~",
                                        "true",
                                        "Null",
                                        "NO",
                                        "0x1f",
                                        "1e3",
                                        ".nan",
                                        "<<",
                                        "=",
                                        "- a",
                                        "a: b",
                                        "a #b",
                                        "&a",
                                        "*a",
                                        "!!str x",
                                        "%TAG",
                                        "@x",
                                        "`x`",
                                        "{a: b}",
                                        "[a]",
                                        "'",
                                        "\"",
                                        "\\",
                                        "\\x41",
                                        "$(id)",
                                        "${",
                                        "${}",
                                        "${0}",
                                        "}",
                                        "\x01",
                                        "\x7f",
                                        "\t",
                                        "\r\n",
                                        "a\nb: c",
                                        "---",
                                        "...",
                                        "\u0085",
                                        "\u2028",
                                        "\ufeff",
                                        "\uffff",
                                        "env:",
                                        "env:A",
                                        "file:",
                                        "file:/a",
                                        "file:a",
                                        "https://",
                                        "https://h/",
                                        "http://h/#",
                                        "http://@/",
                                        "//h/",
                                        "/usr/bin",
                                        "../uvx",
                                        "é",
                                        std::string(1, '\0'),
                                        std::string(129, 'A'),
                                        std::string(1100, 'a'),
                                        "https://h/" + std::string(1100, 'a'),
                                        std::string(5000, 'a'),
                                        std::string(70000, 'a')};
  const std::vector<std::string> places = {
      R"($:{"command":"uvx"})",
      R"("t":{"command":$})",
      R"("t":{"command":"uvx","args":[$,"--key",$,"x"]})",
      R"("t":{"command":"uvx","args":["--key","k"],"cwd":$})",
      R"("t":{"command":"uvx","env":{$:"x"}})",
      R"("t":{"command":"uvx","env":{"X":$,"X_KEY":$}})",
      R"("t":{"command":"/usr/bin/uvx","env":{"PATH":$,"HOME":$}})",
      R"("t":{"url":$})",
      R"("t":{"url":"https://h.example/m","headers":{$:"x"}})",
      R"("t":{"url":"https://h.example/m","headers":{"X":$}})"};
  size_t taken = 0;
  for (const std::string& place : places) {
    for (const std::string& text : odd) {
      const std::string servers =
          absl::StrReplaceAll(place, {{"$", json::Quote(text)}});
      SCOPED_TRACE(servers.substr(0, 200));
      const ImportedPolicy policy = Import(
          absl::StrCat(R"({"mcpServers":{)", servers, "}}"), TestFacts());
      EXPECT_TRUE(policy.upstreams == 1 || !policy.notes.empty());
      if (policy.upstreams == 0) continue;
      ++taken;
      ExpectAccepted(policy.document);
      for (const WorkerVariable& variable : policy.variables) {
        EXPECT_TRUE(variable.name.starts_with("GATEHOUSE_SECRET_"));
        EXPECT_EQ(variable.value.value_or("").find('\n'), std::string::npos);
      }
    }
  }
  EXPECT_GT(taken, odd.size());
}

INSTANTIATE_TEST_SUITE_P(
    Secrets, ImportTest,
    testing::ValuesIn<ImportCase>({
        {"ASecretByNameBecomesAReference",
         R"("t":{"command":"uvx","env":{"API_KEY":"abc","MODE":"fast"}})",
         {R"("API_KEY": "env:GATEHOUSE_SECRET_API_KEY")", R"("MODE": "fast")"},
         {"abc"},
         {},
         {"GATEHOUSE_SECRET_API_KEY=abc"}},
        {"ASecretByShapeBecomesAReference",
         R"("t":{"command":"uvx","env":{"A":"ghp_abcdef",
            "B":"postgres://u:pw9@db/x","C":"3f2a9c71e4b04d0f8f3e6b1a2c5d7e90",
            "D":"https://api.example.com/v1","E":"C.UTF-8","F":"/srv/data"}})",
         {R"("A": "env:GATEHOUSE_SECRET_A")",
          R"("B": "env:GATEHOUSE_SECRET_B")",
          R"("C": "env:GATEHOUSE_SECRET_C")",
          R"("D": "https://api.example.com/v1")", R"("E": "C.UTF-8")",
          R"("F": "/srv/data")"},
         {"ghp_", "pw9", "3f2a"},
         {},
         {"GATEHOUSE_SECRET_A=ghp_abcdef",
          "GATEHOUSE_SECRET_B=postgres://u:pw9@db/x",
          "GATEHOUSE_SECRET_C=3f2a9c71e4b04d0f8f3e6b1a2c5d7e90"}},
        {"TwoValuesOfOneNameGetTwoVariables",
         R"("a":{"command":"uvx","env":{"KEY":"1"}},
            "b":{"command":"uvx","env":{"KEY":"2"}},
            "c":{"command":"uvx","env":{"KEY":"1"}})",
         {R"("KEY": "env:GATEHOUSE_SECRET_KEY")",
          R"("KEY": "env:GATEHOUSE_SECRET_B_KEY")"},
         {},
         {},
         {"GATEHOUSE_SECRET_KEY=1", "GATEHOUSE_SECRET_B_KEY=2"}},
        {"WhatTheWorkerItselfWouldHeedIsCalledOtherwise",
         R"("a":{"command":"uvx","env":{"SSL_KEY":"1"}})",
         {R"("SSL_KEY": "env:GATEHOUSE_SECRET_SSL_KEY")"},
         {},
         {},
         {"GATEHOUSE_SECRET_SSL_KEY=1"}},
        {"AValueThatReadsLikeAReferenceIsReferredTo",
         R"("t":{"command":"uvx","env":{"DB":"file:./dev.db"}})",
         {R"("DB": "env:GATEHOUSE_SECRET_DB")"},
         {"./dev.db"},
         {},
         {"GATEHOUSE_SECRET_DB=file:./dev.db"}},
        {"AVariableOfTheHostIsReferredToByAPrefixedName",
         R"("t":{"command":"uvx","env":{"T":"${env:SET_TOKEN}",
            "U":"${UNSET}"}})",
         {R"("T": "env:GATEHOUSE_SECRET_SET_TOKEN")",
          R"("U": "env:GATEHOUSE_SECRET_UNSET")"},
         {"t0p"},
         {},
         {"GATEHOUSE_SECRET_SET_TOKEN=t0p", "GATEHOUSE_SECRET_UNSET?"}},
        {"WhatTheHostAsksForIsToBeGiven",
         R"("t":{"command":"uvx","env":{"T":"${input:token}"}})",
         {R"("T": "env:GATEHOUSE_SECRET_T")"},
         {},
         {"warning /mcpServers/t/env/T: the host asks a person for it"},
         {"GATEHOUSE_SECRET_T?"}},
        {"AnInputWithinAHeaderIsToBeGivenToo",
         R"("t":{"url":"https://h.example/mcp",
            "headers":{"Authorization":"Bearer ${input:token}"}})",
         {R"("Authorization": "env:GATEHOUSE_SECRET_T_AUTHORIZATION")"},
         {},
         {"warning /mcpServers/t/headers/Authorization: the host asks a person "
          "for it; the worker must be given the whole text"},
         {"GATEHOUSE_SECRET_T_AUTHORIZATION?"}},
        {"AnInputWithinAnArgumentIsAnError",
         R"("t":{"command":"uvx","args":["--x=${input:token}"]})",
         {},
         {},
         {"error /mcpServers/t/args/0: ${input:token} is asked of a person"}},
        {"ASecretArgumentIsFilledInByTheShell",
         R"("t":{"command":"uvx","args":["--api-key","s3","--url=x",
            "--header","Authorization: Bearer q"]})",
         {R"("exec \"${0}\" \"${1}\" \"$GATEHOUSE_SECRET_T_ARG_1\" \"${2}\" \"${3}\" )"
          R"(\"$GATEHOUSE_SECRET_T_ARG_4\"")",
          R"("/usr/bin/uvx", "--api-key", "--url=x", "--header"])",
          R"("GATEHOUSE_SECRET_T_ARG_1": "env:GATEHOUSE_SECRET_T_ARG_1")"},
         {"s3", "Bearer"},
         {},
         {"GATEHOUSE_SECRET_T_ARG_1=s3",
          "GATEHOUSE_SECRET_T_ARG_4=Authorization: Bearer q"}},
        {"ASecretOfSeveralLinesIsAnError",
         R"("t":{"command":"uvx","env":{"PEM":"a\nb"}})",
         {},
         {},
         {"error /mcpServers/t/env/PEM: a value is UTF-8 without line"}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Http, ImportTest,
    testing::ValuesIn<ImportCase>({
        {"EveryHeaderBecomesAReference",
         R"("lin":{"type":"http","url":"https://h.example/mcp",
            "headers":{"Authorization":"Bearer x","X-Mode":"fast"}})",
         {R"(url: "https://h.example/mcp")",
          R"("Authorization": "env:GATEHOUSE_SECRET_LIN_AUTHORIZATION")",
          R"("X-Mode": "env:GATEHOUSE_SECRET_LIN_X_MODE")"},
         {"Bearer", "fast"},
         {},
         {"GATEHOUSE_SECRET_LIN_AUTHORIZATION=Bearer x",
          "GATEHOUSE_SECRET_LIN_X_MODE=fast"}},
        {"HeadersOfTheWorkersOwnAreLeftOut",
         R"("l":{"url":"https://h.example/mcp","headers":{"Accept":"x"}})",
         {"https://h.example/mcp"},
         {"headersFrom"},
         {"warning /mcpServers/l/headers/Accept: left out: the worker sets"}},
        {"WindsurfsAndGeminisNamesOfAUrlAreKnown",
         R"("a":{"serverUrl":"https://a.example/mcp"},
            "b":{"httpUrl":"https://b.example/mcp"})",
         {"https://a.example/mcp", "https://b.example/mcp"}},
        {"AUrlWithASecretIsAnError",
         R"("t":{"url":"https://h.example/mcp?api_key=x"})",
         {},
         {},
         {"error /mcpServers/t/url: seems to hold a secret",
          "--not-secret /mcpServers/t/url"}},
        {"TheOlderTransportIsAnError",
         R"("t":{"type":"sse","url":"https://h.example/sse"})",
         {},
         {},
         {"error /mcpServers/t/type: the HTTP+SSE transport of 2024-11-05"}},
        {"WebSocketsAreAnError",
         R"("t":{"url":"wss://h.example/mcp"})",
         {},
         {},
         {"error /mcpServers/t: WebSockets are no transport"}},
        {"OauthIsAnError",
         R"("t":{"url":"https://h.example/mcp","oauth":{"clientId":"x"}})",
         {},
         {},
         {"error /mcpServers/t/oauth: Gatehouse does not log in"}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

INSTANTIATE_TEST_SUITE_P(
    NamesAndMembers, ImportTest,
    testing::ValuesIn<ImportCase>({
        {"NamesAreMadeLegalAndUnique",
         R"("My Very Long Server Name":{"command":"uvx"},
            "my-very-long-server":{"command":"uvx"},"9":{"command":"uvx"},
            "\u00e9":{"command":"uvx"}})"
         R"(,"x":{"a":1)",
         {"- name: \"my-very-long-ser\"\n", "- name: \"my-very-long-s-2\"\n",
          "- name: \"n9\"\n", "- name: \"upstream\"\n"},
         {},
         {"warning /mcpServers/My Very Long Server Name: is called "
          "my-very-long-ser here; its tools are listed as "
          "my-very-long-ser__TOOL",
          "is called my-very-long-s-2 here", "is called n9 here"}},
        {"AServerSwitchedOffIsLeftOutWithAWord",
         R"("t":{"command":"uvx","disabled":true},
            "u":{"command":"uvx","disabled":false})",
         {"- name: \"u\""},
         {"- name: \"t\""},
         {"warning /mcpServers/t/disabled: this server is switched off"}},
        {"UnknownMembersAreNamed",
         R"("t":{"command":"uvx","autoApprove":["x"],"foo":1,"//bar":2},
            "_old":{"command":"uvx"})",
         {"- name: \"t\""},
         {"name: \"old"},
         {"warning /mcpServers/t/autoApprove: left out: whom to ask",
          "warning /mcpServers/t/foo: unknown, so left out",
          "/mcpServers/t/~1~1bar: commented out",
          "/mcpServers/_old: commented out"}},
        {"AnEntryWithoutTransportIsAnError",
         R"("t":{},"u":{"command":"uvx","url":"https://h/"},"v":7)",
         {},
         {},
         {"error /mcpServers/t: has neither command nor url",
          "error /mcpServers/u: has command and url",
          "error /mcpServers/v: expected an object"}},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ImportPolicyTest, AllowsNothingUntilItIsTold) {
  ImportFacts facts = TestFacts();
  const std::string json = R"({"servers":{"t":{"command":"uvx"}}})";
  const ImportedPolicy closed = Import(json, facts);
  const auto parsed = policy::ParseVirtualServer(closed.document);
  EXPECT_FALSE(policy::PermittedFeatures(parsed.virtual_server).sampling);
  EXPECT_FALSE(
      policy::PermittedFeatures(parsed.virtual_server).elicitation_form);
  EXPECT_FALSE(policy::PermittedFeatures(parsed.virtual_server).roots);
  facts.allowed = {"sampling", "elicitation"};
  const ImportedPolicy open = Import(json, facts);
  ExpectAccepted(open.document);
  EXPECT_THAT(open.document, HasSubstr("clientFeatures: { sampling: true, "
                                       "elicitation: true, roots: false }"));
}

TEST(ImportPolicyTest, TheCommentedLinesAreAcceptedAsTheyStand) {
  std::string document =
      Import(R"({"mcpServers":{"t":{"command":"uvx"}}})", TestFacts()).document;
  // As somebody would edit it: the line out, the comments below it in.
  const size_t line = document.find("clientFeatures: { sampling: false");
  document.erase(line, document.find('\n', line) - line);
  for (const std::string marked :
       {"# clientFeatures:", "# trust:", "#   sampling:", "#   elicitation:",
        "# limits:"}) {
    const size_t at = document.find(marked);
    ASSERT_NE(at, std::string::npos) << marked;
    document.erase(at, 2);
  }
  ExpectAccepted(document);
  EXPECT_TRUE(policy::PermittedFeatures(
                  policy::ParseVirtualServer(document).virtual_server)
                  .sampling);
}

TEST(ImportPolicyTest, WhatTheOtherUserCannotReachIsSaid) {
  ImportFacts facts = TestFacts();
  facts.run_as = "nobody";
  facts.home = "/var/lib/h";
  const ImportedPolicy policy = Import(
      R"({"mcpServers":{"t":{"command":"/users/ada/bin/tool"}}})", facts);
  ExpectAccepted(policy.document);
  EXPECT_THAT(policy.document, HasSubstr("runAs: \"nobody\""));
  EXPECT_THAT(
      NotesText(
          Import(R"({"mcpServers":{"d":{"command":"docker"}}})", facts).notes),
      HasSubstr("who may not use containers"));
  EXPECT_THAT(policy.document, HasSubstr(R"("HOME": "/var/lib/h")"));
  EXPECT_THAT(NotesText(policy.notes),
              HasSubstr("warning /mcpServers/t/command: will run as nobody, "
                        "who cannot reach it (/users is closed"));
}

TEST(ImportPolicyTest, WhatIsCalledNoSecretStays) {
  ImportFacts facts = TestFacts();
  facts.not_secret = {"/mcpServers/t/env/KEYBOARD", "/mcpServers/u/url"};
  const ImportedPolicy policy = Import(
      R"({"mcpServers":{"t":{"command":"uvx","env":{"KEYBOARD":"de"}},
         "u":{"url":"https://h.example/mcp?key=public"}}})",
      facts);
  EXPECT_THAT(policy.document, HasSubstr(R"("KEYBOARD": "de")"));
  EXPECT_THAT(policy.document, HasSubstr("?key=public"));
  EXPECT_TRUE(policy.variables.empty());
}

}  // namespace
}  // namespace gatehouse::ctl
