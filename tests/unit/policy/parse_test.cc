// What a policy document may say. Defends invariant 2 of the design (default
// deny: what the document does not name is off) and its §10: what a build does
// not enforce is refused, never ignored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "controlplane/policy/fields.h"
#include "tests/unit/policy/documents.h"

namespace gatehouse::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseTest, ReadsEveryField) {
  const ParseResult result = ParseVirtualServer(kFullDocument);
  ASSERT_THAT(Texts(result), IsEmpty());
  const VirtualServer& server = result.virtual_server;
  EXPECT_EQ(server.name, "dev");
  ASSERT_EQ(server.upstreams.size(), 2U);
  const auto& http = std::get<HttpTransport>(server.upstreams[0].transport);
  EXPECT_EQ(http.url, "http://127.0.0.1:9000/mcp");
  EXPECT_EQ(http.headers_from.at("X-Team"), "file:/etc/t");
  const auto& stdio = std::get<StdioTransport>(server.upstreams[1].transport);
  EXPECT_THAT(stdio.command,
              ElementsAre("/usr/bin/mcp-files", "--root", "/srv/files"));
  EXPECT_EQ(stdio.env.at("TOKEN"), "env:FILES_TOKEN");
  EXPECT_EQ(stdio.run_as, "mcp");
  EXPECT_THAT(server.upstreams[0].clusters, IsEmpty());
  EXPECT_THAT(server.upstreams[1].clusters, ElementsAre("eu-1", "us-2"));
  EXPECT_EQ(server.prefix, CataloguePrefix::kNone);
  EXPECT_TRUE(server.sampling && server.roots && server.elicitation);
  EXPECT_TRUE(server.sampling_allow_tools);
  EXPECT_TRUE(server.elicitation_url);
  EXPECT_THAT(server.elicitation_url_hosts,
              ElementsAre("login.example.com", "*.corp.example"));
  EXPECT_THAT(server.elicitation_allow_fields,
              ElementsAre(AllowedField{"files", "pin_code"}));
  EXPECT_EQ(server.reply_deadline, absl::Milliseconds(7500));
  EXPECT_EQ(server.limits.input_requests_per_operation, 4);
  EXPECT_EQ(server.limits.form_properties, 10);
}

TEST(ParseTest, WhatIsNotNamedIsOff) {
  const ParseResult result = ParseVirtualServer(Least());
  ASSERT_THAT(Texts(result), IsEmpty());
  EXPECT_EQ(PermittedFeatures(result.virtual_server), mcp::ClientFeatures());
  EXPECT_EQ(result.virtual_server.reply_deadline, absl::Seconds(30));
  EXPECT_EQ(result.virtual_server.prefix, CataloguePrefix::kUpstream);
}

TEST(ParseTest, ToolsWithoutSamplingPermitNothing) {
  const ParseResult result =
      ParseVirtualServer(Least("trust: { sampling: { allowTools: true } }"));
  ASSERT_THAT(Texts(result), IsEmpty());
  EXPECT_FALSE(PermittedFeatures(result.virtual_server).sampling_tools);
}

TEST(ParseTest, UrlModeIsPermittedWhereElicitationIsAndThePolicySaysSo) {
  VirtualServer server = ParseVirtualServer(kFullDocument).virtual_server;
  EXPECT_TRUE(PermittedFeatures(server).elicitation_form);
  EXPECT_TRUE(PermittedFeatures(server).elicitation_url);
  server.elicitation = false;
  EXPECT_FALSE(PermittedFeatures(server).elicitation_url);
  server.elicitation = true;
  server.elicitation_url = false;
  EXPECT_TRUE(PermittedFeatures(server).elicitation_form);
  EXPECT_FALSE(PermittedFeatures(server).elicitation_url);
}

TEST(ParseTest, AnUpstreamIsServedInItsClustersOnly) {
  EXPECT_TRUE(ServedIn({}, "eu-1"));
  EXPECT_TRUE(ServedIn({}, kDefaultCluster));
  EXPECT_TRUE(ServedIn({"us-2", "eu-1"}, "eu-1"));
  EXPECT_FALSE(ServedIn({"us-2"}, "eu-1"));
  EXPECT_FALSE(ServedIn({"us-2"}, kDefaultCluster));
}

TEST(ParseTest, EveryViolationIsReportedAtOnce) {
  const ParseResult result = ParseVirtualServer(R"(
kind: Virtualserver
name: Dev
upstreams:
  - name: a
    http: { url: "ftp://h/mcp" }
  - name: a
    stdio: { command: [relative], runAs: "Root!" }
privacy: { email: mask }
nonsense: 1
limits: { formProperties: 33 }
)");
  EXPECT_THAT(Paths(result),
              ElementsAre("privacy", "nonsense", "kind", "name",
                          "upstreams[0].http.url", "upstreams[1].name",
                          "upstreams[1].stdio.command[0]",
                          "upstreams[1].stdio.runAs", "limits.formProperties"));
}

TEST(ParseTest, KnownAndUnknownFieldsAreToldApart) {
  EXPECT_THAT(Texts(ParseVirtualServer(Least(
                  "shadow: true\nshade: true\nclient_features: {}\netag: x"))),
              ElementsAre("shadow: known but not enforced by this build; leave "
                          "it out",
                          "shade: unknown field; docs/policy.md lists those of "
                          "this build",
                          "client_features: unknown field; write "
                          "clientFeatures",
                          "etag: written by the control plane only; leave it "
                          "out"));
}

// Every field of the design that this build does not enforce, where it stands.
TEST(ParseTest, NoLaterFieldPasses) {
  for (const FieldRow& row : AllFields()) {
    if (row.standing != Standing::kLater) continue;
    std::string document = "{\"kind\":\"VirtualServer\",\"name\":\"dev\"";
    std::string path(row.pattern);
    std::string closing = "}";
    const std::string upstream = "upstreams[].";
    if (path.rfind(upstream, 0) == 0) {
      path.erase(0, upstream.size());
      document += R"(,"upstreams":[{"name":"a")";
      closing = "}]}";
    }
    document += ",";
    for (size_t dot = path.find('.'); dot != std::string::npos;
         dot = path.find('.')) {
      document += "\"" + path.substr(0, dot) + "\":{";
      closing = "}" + closing;
      path.erase(0, dot + 1);
    }
    document += "\"" + path + "\":true" + closing;
    const ParseResult result = ParseVirtualServer(document);
    std::string want(row.pattern);
    if (want.rfind("upstreams[]", 0) == 0) want.insert(10, "0");
    EXPECT_THAT(
        Texts(result),
        testing::Contains(want + ": known but not enforced by this build; "
                                 "leave it out"))
        << document;
  }
}

struct FieldCase {
  const char* name;
  std::string document;
  const char* want;  // the path of the only violation; empty: none
};

class FieldRuleTest : public testing::TestWithParam<FieldCase> {};

TEST_P(FieldRuleTest, ReachesTheListedOutcome) {
  const ParseResult result = ParseVirtualServer(GetParam().document);
  if (*GetParam().want == '\0') {
    EXPECT_THAT(Texts(result), IsEmpty());
    return;
  }
  EXPECT_THAT(Paths(result), ElementsAre(GetParam().want))
      << testing::PrintToString(Texts(result));
}

std::string WithHttp(const std::string& http) {
  return "kind: VirtualServer\nname: dev\nupstreams: [{name: a, http: " + http +
         "}]";
}
std::string WithUrl(const std::string& url) {
  return WithHttp("{url: \"" + url + "\"}");
}
std::string WithHeader(const std::string& name, const std::string& value) {
  return WithHttp("{url: \"http://h/mcp\", headersFrom: {\"" + name + "\": \"" +
                  value + "\"}}");
}
std::string WithTls(const std::string& tls) {
  return WithHttp("{url: \"https://h/mcp\", tls: " + tls + "}");
}
std::string WithStdio(const std::string& stdio) {
  return "kind: VirtualServer\nname: dev\nupstreams: [{name: a, stdio: " +
         stdio + "}]";
}
std::string WithName(const std::string& name) {
  return "kind: VirtualServer\nname: " + name +
         "\nupstreams: [{name: a, http: {url: http://h/mcp}}]";
}

std::string WithElicitation(const std::string& trust) {
  return Least("trust: { elicitation: { " + trust + " } }");
}
std::string WithUrlHosts(const std::string& hosts) {
  return WithElicitation("url: true, urlHosts: " + hosts);
}
std::string ManyHosts(int count) {
  std::string hosts = "[";
  for (int i = 0; i < count; ++i) hosts += "h" + std::to_string(i) + ",";
  return hosts + "]";
}
std::string WithAllowedField(const std::string& entry) {
  return WithElicitation("allowFields: [" + entry + "]");
}

const FieldCase kCases[] = {
    {"the least document is valid", Least(), ""},
    {"no clusters",
     "kind: VirtualServer\nname: dev\nupstreams:\n"
     "  - { name: a, http: { url: http://h/ }, clusters: [] }",
     "upstreams[0].clusters"},
    {"a cluster in capitals",
     "kind: VirtualServer\nname: dev\nupstreams:\n"
     "  - { name: a, http: { url: http://h/ }, clusters: [b, EU] }",
     "upstreams[0].clusters[1]"},
    {"a cluster named twice",
     "kind: VirtualServer\nname: dev\nupstreams:\n"
     "  - { name: a, http: { url: http://h/ }, clusters: [b, b] }",
     "upstreams[0].clusters[1]"},
    {"a missing kind",
     "name: dev\nupstreams: [{name: a, http: {url: http://h/}}]", "kind"},
    {"a missing name",
     "kind: VirtualServer\nupstreams: [{name: a, http: {url: http://h/}}]",
     "name"},
    {"a name of 32 characters", WithName(std::string(32, 'n')), ""},
    {"a name of 33 characters", WithName(std::string(33, 'n')), "name"},
    {"a name that starts with a digit", WithName("1a"), "name"},
    {"a name that is a number", WithName("1"), "name"},
    {"missing upstreams", "kind: VirtualServer\nname: dev", "upstreams"},
    {"no upstreams", "kind: VirtualServer\nname: dev\nupstreams: []",
     "upstreams"},
    {"upstreams that are a map",
     "kind: VirtualServer\nname: dev\nupstreams: {}", "upstreams"},
    {"an upstream that is a text",
     "kind: VirtualServer\nname: dev\nupstreams: [a]", "upstreams[0]"},
    {"an upstream without a name",
     "kind: VirtualServer\nname: dev\nupstreams: [{http: {url: http://h/}}]",
     "upstreams[0].name"},
    {"an upstream's name of 17 characters",
     "kind: VirtualServer\nname: dev\nupstreams: [{name: abcdefghijklmnopq, "
     "http: {url: http://h/}}]",
     "upstreams[0].name"},
    {"an underscore in an upstream's name",
     "kind: VirtualServer\nname: dev\nupstreams: [{name: a_b, "
     "http: {url: http://h/}}]",
     "upstreams[0].name"},
    {"an upstream without a transport",
     "kind: VirtualServer\nname: dev\nupstreams: [{name: a}]", "upstreams[0]"},
    {"an upstream with both transports",
     "kind: VirtualServer\nname: dev\nupstreams: [{name: a, "
     "http: {url: http://h/}, stdio: {command: [/bin/x]}}]",
     "upstreams[0]"},
    {"a missing URL", WithHttp("{}"), "upstreams[0].http.url"},
    {"https", WithUrl("https://h:8443/mcp"), ""},
    {"https with an authority of its own", WithTls("{ca: /etc/ca.pem}"), ""},
    {"https with a client certificate",
     WithTls("{cert: /etc/c.pem, key: \"file:/etc/c.key\"}"), ""},
    {"an authority by a relative path", WithTls("{ca: ca.pem}"),
     "upstreams[0].http.tls.ca"},
    {"an authority by a path with a step back", WithTls("{ca: /etc/../x.pem}"),
     "upstreams[0].http.tls.ca"},
    {"a certificate without its key", WithTls("{cert: /etc/c.pem}"),
     "upstreams[0].http.tls"},
    {"a key without its certificate", WithTls("{key: \"env:KEY\"}"),
     "upstreams[0].http.tls"},
    {"a key that is no reference",
     WithTls("{cert: /etc/c.pem, key: /etc/c.key}"),
     "upstreams[0].http.tls.key"},
    {"a switch that turns checking off", WithTls("{insecure: true}"),
     "upstreams[0].http.tls.insecure"},
    {"tls for a plain URL",
     WithHttp("{url: \"http://h/mcp\", tls: {ca: /etc/ca.pem}}"),
     "upstreams[0].http.tls"},
    {"another scheme", WithUrl("ftp://h/mcp"), "upstreams[0].http.url"},
    {"a URL without a path", WithUrl("http://h:80"), "upstreams[0].http.url"},
    {"a URL with credentials", WithUrl("http://u:p@h/mcp"),
     "upstreams[0].http.url"},
    {"a URL without a host", WithUrl("http:///mcp"), "upstreams[0].http.url"},
    {"a URL with a port of 0", WithUrl("http://h:0/mcp"),
     "upstreams[0].http.url"},
    {"a URL with a port of 65536", WithUrl("http://h:65536/mcp"),
     "upstreams[0].http.url"},
    {"a URL with a space", WithUrl("http://h/a b"), "upstreams[0].http.url"},
    {"a URL with a line break", WithUrl("http://h/a\\r\\nb"),
     "upstreams[0].http.url"},
    {"a URL with a fragment", WithUrl("http://h/a#b"), "upstreams[0].http.url"},
    {"a URL with a query before its path", WithUrl("http://h?a/b"),
     "upstreams[0].http.url"},
    {"an IPv6 URL", WithUrl("http://[::1]:9000/mcp?x=1"), ""},
    {"an IPv6 URL without its bracket", WithUrl("http://[::1/mcp"),
     "upstreams[0].http.url"},
    {"a URL that is too long", WithUrl("http://h/" + std::string(1020, 'a')),
     "upstreams[0].http.url"},
    {"Authorization from the environment",
     WithHeader("Authorization", "env:TOKEN"), ""},
    {"a header that is no reference", WithHeader("Authorization", "Bearer x"),
     "upstreams[0].http.headersFrom.Authorization"},
    {"a reference to a relative file", WithHeader("X-A", "file:secret"),
     "upstreams[0].http.headersFrom.X-A"},
    {"a reference to no variable", WithHeader("X-A", "env:a-b"),
     "upstreams[0].http.headersFrom.X-A"},
    {"the header Host", WithHeader("host", "env:A"),
     "upstreams[0].http.headersFrom.host"},
    {"the header Content-Type", WithHeader("Content-Type", "env:A"),
     "upstreams[0].http.headersFrom.Content-Type"},
    {"the header Mcp-Session-Id", WithHeader("MCP-Session-Id", "env:A"),
     "upstreams[0].http.headersFrom.MCP-Session-Id"},
    {"the header Transfer-Encoding", WithHeader("Transfer-Encoding", "env:A"),
     "upstreams[0].http.headersFrom.Transfer-Encoding"},
    {"a header with a space", WithHeader("X A", "env:A"),
     "upstreams[0].http.headersFrom.X A"},
    {"the same header in another case",
     WithHttp("{url: \"http://h/\", headersFrom: {X-A: \"env:A\", "
              "x-a: \"env:B\"}}"),
     "upstreams[0].http.headersFrom.x-a"},
    {"a missing command", WithStdio("{}"), "upstreams[0].stdio.command"},
    {"an empty command", WithStdio("{command: []}"),
     "upstreams[0].stdio.command"},
    {"a relative command", WithStdio("{command: [mcp-files]}"),
     "upstreams[0].stdio.command[0]"},
    {"an argument that is a number", WithStdio("{command: [/bin/x, 1]}"),
     "upstreams[0].stdio.command[1]"},
    {"an argument with a NUL", WithStdio("{command: [/bin/x, \"a\\0b\"]}"),
     "upstreams[0].stdio.command[1]"},
    {"a variable with a plain value",
     WithStdio("{command: [/bin/x], env: {A: b}}"), ""},
    {"a variable whose name has a dash",
     WithStdio("{command: [/bin/x], env: {A-B: c}}"),
     "upstreams[0].stdio.env.A-B"},
    {"a variable that is a number",
     WithStdio("{command: [/bin/x], env: {A: 1}}"), "upstreams[0].stdio.env.A"},
    {"a variable with half a reference",
     WithStdio("{command: [/bin/x], env: {A: \"file:b\"}}"),
     "upstreams[0].stdio.env.A"},
    {"another user", WithStdio("{command: [/bin/x], runAs: Root}"),
     "upstreams[0].stdio.runAs"},
    {"another prefix", Least("catalogue: { prefix: always }"),
     "catalogue.prefix"},
    {"a feature that is a text", Least("clientFeatures: { sampling: yes }"),
     "clientFeatures.sampling"},
    {"features that are a list", Least("clientFeatures: [sampling]"),
     "clientFeatures"},
    {"a feature that nobody knows", Least("clientFeatures: { logging: true }"),
     "clientFeatures.logging"},
    {"a reviewer's route", Least("trust: { sampling: { route: reviewer } }"),
     "trust.sampling.route"},
    {"another route", Least("trust: { elicitation: { route: nobody } }"),
     "trust.elicitation.route"},
    {"URL mode", WithElicitation("url: true"), ""},
    {"URL mode that is a text", WithElicitation("url: always"),
     "trust.elicitation.url"},
    {"hosts without URL mode", WithElicitation("urlHosts: [a.example]"),
     "trust.elicitation.urlHosts"},
    {"hosts where URL mode is off",
     WithElicitation("url: false, urlHosts: [a.example]"),
     "trust.elicitation.urlHosts"},
    {"no hosts at all", WithUrlHosts("[]"), "trust.elicitation.urlHosts"},
    {"64 hosts", WithUrlHosts(ManyHosts(64)), ""},
    {"65 hosts", WithUrlHosts(ManyHosts(65)), "trust.elicitation.urlHosts"},
    {"a host that is an IPv4 address", WithUrlHosts("[\"127.0.0.1\"]"), ""},
    {"a punycode host", WithUrlHosts("[xn--bcher-kva.example]"), ""},
    {"a host named twice in two cases", WithUrlHosts("[a.example, A.Example]"),
     "trust.elicitation.urlHosts[1]"},
    {"a star alone", WithUrlHosts("[\"*\"]"), "trust.elicitation.urlHosts[0]"},
    {"a star within a name", WithUrlHosts("[a.example, \"a.*.example\"]"),
     "trust.elicitation.urlHosts[1]"},
    {"two stars", WithUrlHosts("[\"*.*.example\"]"),
     "trust.elicitation.urlHosts[0]"},
    {"a host with a scheme", WithUrlHosts("[\"https://a.example\"]"),
     "trust.elicitation.urlHosts[0]"},
    {"a host with a port", WithUrlHosts("[\"a.example:443\"]"),
     "trust.elicitation.urlHosts[0]"},
    {"a host with an empty label", WithUrlHosts("[a..example]"),
     "trust.elicitation.urlHosts[0]"},
    {"a host with a dot at its end", WithUrlHosts("[a.example.]"),
     "trust.elicitation.urlHosts[0]"},
    {"a host with a label of 64 bytes",
     WithUrlHosts("[" + std::string(64, 'a') + "]"),
     "trust.elicitation.urlHosts[0]"},
    {"a host outside ASCII", WithUrlHosts("[b\u00fccher.example]"),
     "trust.elicitation.urlHosts[0]"},
    {"a field that is allowed",
     WithAllowedField("{upstream: a, field: pin_code}"), ""},
    {"no allowed fields at all", WithElicitation("allowFields: []"),
     "trust.elicitation.allowFields"},
    {"a field of an unknown upstream",
     WithAllowedField("{upstream: b, field: pin_code}"),
     "trust.elicitation.allowFields[0].upstream"},
    {"a field of no upstream", WithAllowedField("{field: pin_code}"),
     "trust.elicitation.allowFields[0].upstream"},
    {"an upstream without a field", WithAllowedField("{upstream: a}"),
     "trust.elicitation.allowFields[0].field"},
    {"a field without a name", WithAllowedField("{upstream: a, field: \"\"}"),
     "trust.elicitation.allowFields[0].field"},
    {"a field with a name of 257 bytes",
     WithAllowedField("{upstream: a, field: " + std::string(257, 'f') + "}"),
     "trust.elicitation.allowFields[0].field"},
    {"a field named twice",
     WithAllowedField("{upstream: a, field: b}, {upstream: a, field: b}"),
     "trust.elicitation.allowFields[1]"},
    {"a field that is a text", WithAllowedField("pin_code"),
     "trust.elicitation.allowFields[0]"},
    {"an unknown member beside a field",
     WithAllowedField("{upstream: a, field: b, tool: c}"),
     "trust.elicitation.allowFields[0].tool"},
    {"trust for roots", Least("trust: { roots: { reviewRequest: true } }"),
     "trust.roots"},
    {"the shortest reply deadline", Least("replyDeadline: 5s"), ""},
    {"a shorter reply deadline", Least("replyDeadline: 4.999999999s"),
     "replyDeadline"},
    {"the longest reply deadline", Least("replyDeadline: 600s"), ""},
    {"a longer reply deadline", Least("replyDeadline: 600.000000001s"),
     "replyDeadline"},
    {"a reply deadline in minutes", Least("replyDeadline: 1m"),
     "replyDeadline"},
    {"a reply deadline that is a number", Least("replyDeadline: 30"),
     "replyDeadline"},
    {"a negative reply deadline", Least("replyDeadline: -30s"),
     "replyDeadline"},
    {"a limit of 0", Least("limits: { inputRequestsPerOperation: 0 }"),
     "limits.inputRequestsPerOperation"},
    {"a limit that may only be lowered is raised",
     Least("limits: { samplingTokensPerRequest: 4097 }"),
     "limits.samplingTokensPerRequest"},
    {"a limit that may be raised is raised",
     Least("limits: { openInputRequestsPerUpstream: 2000 }"), ""},
    {"a limit that is a fraction", Least("limits: { formProperties: 1.5 }"),
     "limits.formProperties"},
    {"a limit that is a text", Least("limits: { formProperties: \"3\" }"),
     "limits.formProperties"},
    {"a limit over 64 bits",
     Least("limits: { inputRequestBytes: 99999999999999999999 }"),
     "limits.inputRequestBytes"},
    {"null counts as absent", Least("limits:\ntrust: ~\ncatalogue: null"), ""},
};

INSTANTIATE_TEST_SUITE_P(Fields, FieldRuleTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return TestName(c.param.name); });

// A secret written where its reference is due must not come back in the error.
TEST(ParseTest, AMisplacedSecretIsNotRepeated) {
  const ParseResult result =
      ParseVirtualServer(WithHeader("Authorization", "Bearer hunter2"));
  for (const std::string& text : Texts(result)) {
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace gatehouse::policy
