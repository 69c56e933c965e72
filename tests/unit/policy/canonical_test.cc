// The canonical form and the etag: export then apply changes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "controlplane/policy/limit_rows.h"
#include "tests/unit/policy/documents.h"

namespace gatehouse::policy {
namespace {

using testing::IsEmpty;

TEST(CanonicalTest, IsOneLineOfJsonInTheOrderOfTheProto) {
  const ParseResult result = ParseVirtualServer(kFullDocument);
  EXPECT_EQ(
      CanonicalDocument(result.virtual_server),
      R"({"kind":"VirtualServer","name":"dev","upstreams":[)"
      R"({"name":"weather","http":{"url":"http://127.0.0.1:9000/mcp",)"
      R"("headersFrom":{"Authorization":"env:WEATHER_TOKEN",)"
      R"("X-Team":"file:/etc/t"}}},)"
      R"({"name":"files","stdio":{"command":["/usr/bin/mcp-files","--root",)"
      R"("/srv/files"],"env":{"LANG":"C.UTF-8","TOKEN":"env:FILES_TOKEN"},)"
      R"("runAs":"mcp"},"clusters":["eu-1","us-2"]}],)"
      R"("catalogue":{"prefix":"none"},)"
      R"("clientFeatures":{"sampling":true,"roots":true,"elicitation":true},)"
      R"("trust":{"sampling":{"allowTools":true},"elicitation":{"url":true,)"
      R"("urlHosts":["login.example.com","*.corp.example"],)"
      R"("allowFields":[{"upstream":"files","field":"pin_code"}]}},)"
      R"("replyDeadline":"7.500s",)"
      R"("limits":{"inputRequestsPerOperation":4,)"
      R"("samplingTokensPerOperation":2048,"samplingTokensPerRequest":1024,)"
      R"("openInputRequestsPerUpstream":500,)"
      R"("openInputRequestsPerVirtualServer":5000,"inputRequestBytes":16384,)"
      R"("inputResponseBytes":65536,"formProperties":10}})");
}

TEST(CanonicalTest, LeavesDefaultsOut) {
  const std::string defaults =
      "replyDeadline: 30.000s\ncatalogue: {prefix: upstream}\n"
      "clientFeatures: {sampling: false}\nlimits: {formProperties: 32}\n"
      "trust: {sampling: {route: client, allowTools: false},\n"
      "        elicitation: {route: client, url: false}}\n";
  const ParseResult spelled = ParseVirtualServer(Least(defaults));
  const ParseResult least = ParseVirtualServer(Least());
  ASSERT_THAT(Texts(spelled), IsEmpty());
  EXPECT_EQ(CanonicalDocument(spelled.virtual_server),
            CanonicalDocument(least.virtual_server));
}

TEST(CanonicalTest, AnotherDocumentHasAnotherEtag) {
  EXPECT_EQ(EtagOf("a"), EtagOf("a"));
  EXPECT_NE(EtagOf("a"), EtagOf("b"));
  EXPECT_EQ(EtagOf("a").size(), 43U);  // 256 bits in unpadded base64url
}

// A virtual server of random valid values.
class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}

  VirtualServer Next() {
    VirtualServer server;
    server.name = Name(32);
    const int upstreams = Below(4) + 1;
    for (int i = 0; i < upstreams; ++i) {
      server.upstreams.push_back(NextUpstream(i));
    }
    if (Flip()) server.prefix = CataloguePrefix::kNone;
    server.sampling = Flip();
    server.roots = Flip();
    server.elicitation = Flip();
    server.sampling_allow_tools = Flip();
    server.elicitation_url = Flip();
    for (int i = server.elicitation_url ? Below(4) : 0; i > 0; --i) {
      server.elicitation_url_hosts.push_back((Flip() ? "*.h" : "h") +
                                             std::to_string(i) + ".example");
    }
    for (int i = Below(3); i > 0; --i) {
      server.elicitation_allow_fields.push_back(
          {server.upstreams.front().name, std::to_string(i) + "'\"\\: ä"});
    }
    if (Flip()) {
      server.reply_deadline =
          kLeastReplyDeadline +
          absl::Nanoseconds(Below(590'000'000)) * (Flip() ? 1 : 1000);
    }
    for (const LimitRow& row : kLimitRows) {
      if (!Flip()) continue;
      server.limits.*row.field =
          row.least + Below(static_cast<int>(row.most - row.least) + 1);
    }
    return server;
  }

 private:
  int Below(int bound) {
    return std::uniform_int_distribution<int>(0, bound - 1)(engine_);
  }
  bool Flip() { return Below(2) == 1; }
  std::string Name(int most) {
    std::string name(1, static_cast<char>('a' + Below(26)));
    for (int i = Below(most); i > 0; --i) name += "az09-"[Below(5)];
    return name;
  }
  // Text that every layer of quoting could trip over.
  std::string Text() {
    static constexpr const char* kPieces[] = {"a",  "\"", "\\", "'",   ": ",
                                              "#",  "ä",  "漢", "\n",  "\t",
                                              "{}", "&x", "*x", "yes", "\r"};
    std::string text;
    for (int i = Below(6); i > 0; --i) text += kPieces[Below(15)];
    return text;
  }
  Upstream NextUpstream(int index) {
    Upstream upstream;
    upstream.name = "u" + std::to_string(index);
    for (int i = Below(3); i > 0; --i) {
      upstream.clusters.push_back(Name(9) + std::to_string(i));
    }
    if (Flip()) {
      HttpTransport http{"http://h:1/" + Name(9), {}, {}};
      if (Flip()) {
        http.url = "https://h/" + Name(9);
        if (Flip()) http.tls.ca = "/etc/" + Name(9);
        if (Flip()) http.tls.cert = "/etc/" + Name(9);
        if (!http.tls.cert.empty()) http.tls.key = "env:A";
      }
      if (Flip()) http.headers_from["X-" + Name(5)] = "env:A";
      if (Flip()) http.headers_from["Authorization"] = "file:/a b/ä";
      upstream.transport = http;
      return upstream;
    }
    StdioTransport stdio;
    stdio.command = {"/bin/" + Name(9)};
    for (int i = Below(4); i > 0; --i) stdio.command.push_back(Text());
    if (Flip()) stdio.env["A_" + std::to_string(Below(9))] = Text();
    if (Flip()) stdio.run_as = Name(9);
    upstream.transport = stdio;
    return upstream;
  }

  std::mt19937 engine_;
};

TEST(CanonicalTest, ParsingTheCanonicalFormGivesTheSame) {
  Generator generator(20'261);
  for (int i = 0; i < 500; ++i) {
    const VirtualServer server = generator.Next();
    const std::string canonical = CanonicalDocument(server);
    const ParseResult back = ParseVirtualServer(canonical);
    ASSERT_THAT(Texts(back), IsEmpty()) << canonical;
    EXPECT_EQ(CanonicalDocument(back.virtual_server), canonical);
    const VirtualServer& again = back.virtual_server;
    ASSERT_EQ(again.upstreams.size(), server.upstreams.size());
    for (size_t k = 0; k < server.upstreams.size(); ++k) {
      const auto* want =
          std::get_if<StdioTransport>(&server.upstreams[k].transport);
      if (want == nullptr) continue;
      const auto& got = std::get<StdioTransport>(again.upstreams[k].transport);
      EXPECT_EQ(got.command, want->command);
      EXPECT_EQ(got.env, want->env);
    }
    EXPECT_EQ(again.reply_deadline, server.reply_deadline);
    EXPECT_EQ(again.elicitation_url_hosts, server.elicitation_url_hosts);
    EXPECT_EQ(again.elicitation_allow_fields, server.elicitation_allow_fields);
    EXPECT_EQ(PermittedFeatures(again), PermittedFeatures(server));
    for (const LimitRow& row : kLimitRows) {
      EXPECT_EQ(again.limits.*row.field, server.limits.*row.field);
    }
  }
}

}  // namespace
}  // namespace gatehouse::policy
