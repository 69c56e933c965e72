// What is no good HTTP, and what is good HTTP that a gateway has no use for:
// each gets its chosen answer, nothing that stands behind a refusal is seen,
// and the next client does not notice. Defends DESIGN §16 (everything read from
// a peer has a bound) and RELIABILITY's T18, T20 and T45 (its sizes).
//
// The rows are those of docs/bad_input.md, group bad_input_http_test.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/bad_input_stage.h"

namespace gatehouse::testing {
namespace {

constexpr After kOpen = After::kOpen;

// A ping whose framing lines are `framing`, and the bytes behind its head.
std::string Framed(const std::string& framing, const std::string& behind) {
  return absl::StrCat(
      Post("", {{"Content-Length", ""}})
          .substr(0, Post("", {{"Content-Length", ""}}).size() - 2),
      framing, "\r\n", behind);
}

std::string Chunked(const std::string& text) {
  const std::string half = text.substr(0, text.size() / 2);
  const std::string rest = text.substr(half.size());
  const auto size = [](const std::string& part) {
    return absl::StrCat(absl::Hex(part.size()), "\r\n", part, "\r\n");
  };
  return absl::StrCat(size(half), size(rest));
}

std::string InChunks(const std::string& chunks) {
  return Framed("Transfer-Encoding: chunked\r\n", chunks);
}

std::string Lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) absl::StrAppend(&lines, "X-", i, ": y\r\n");
  return lines;
}

std::string ManyBytes(size_t count) { return std::string(count, 'x'); }

std::string ChunksOf5MiB() {
  std::string chunks;
  for (int i = 0; i < 5; ++i) {
    absl::StrAppend(&chunks, "100000\r\n", ManyBytes(1 << 20), "\r\n");
  }
  return chunks;
}

std::string OverlappingRanges() {
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&ranges, ",0-");
  return ranges + "\r\n";
}

// Names under which other servers, proxies and gateways keep what they know of
// a peer (T18).
std::string InternalNames() {
  std::string lines;
  for (const char* name : {"REMOTE_ADDR",
                           "REMOTE_PORT",
                           "REMOTE_USER",
                           "LOCAL_ADDR",
                           "X-Internal",
                           "X-Mcp-Internal",
                           "X-Gatehouse-Principal",
                           "X-Gatehouse-Internal",
                           "X-Forwarded-For",
                           "X-Forwarded-Host",
                           "X-Forwarded-User",
                           "X-Real-IP",
                           "X-Original-URL",
                           "X-Rewrite-URL",
                           "X-HTTP-Method-Override",
                           "X-Remote-User",
                           "X-Authenticated-Userid",
                           "X-Mcp-Router-Key",
                           "Forwarded",
                           "Via",
                           "Proxy-Authorization",
                           "Cookie"}) {
    absl::StrAppend(&lines, name, ": 127.0.0.1\r\n");
  }
  return lines;
}

std::string WithoutToken(const std::string& lines) {
  return absl::StrCat("POST /mcp/dev HTTP/1.1\r\nHost: 127.0.0.1\r\n", lines,
                      "Content-Length: 0\r\n\r\n");
}

std::vector<Probe> SizeProbes() {
  return {
      {"HeaderBlockOver32Kib", "a header block of 1 MiB",
       absl::StrCat("GET /mcp/dev HTTP/1.1\r\nHost: h\r\nX: ",
                    ManyBytes(1 << 20)),
       431},
      {"HeaderLines101", "101 header lines",
       absl::StrCat("GET /mcp/dev HTTP/1.1\r\nHost: h\r\n", Lines(100), "\r\n"),
       431},
      {"HeaderLineOver8000", "a header line of 9,000 bytes",
       Post(Ping(), {{"X-Long", ManyBytes(9000)}}), 431},
      {"HeaderLineOf7900", "a header line of 7,900 bytes, good",
       Post(Ping(), {{"X-Long", ManyBytes(7900)}}), 200, kOpen},
      {"PathOver1Kib", "a path over 1 KiB",
       absl::StrCat("GET /mcp/", ManyBytes(1024),
                    " HTTP/1.1\r\nHost: h\r\n\r\n"),
       414},
      {"QueryOver1Kib", "a query that makes the target pass 1 KiB",
       absl::StrCat("GET /mcp/dev?", ManyBytes(1024),
                    " HTTP/1.1\r\nHost: h\r\n\r\n"),
       414},
      {"PathWithoutEnd", "a path of 100 KiB, and no end of it",
       absl::StrCat("GET /", ManyBytes(100 << 10)), 414},
      {"BodyDeclaredTooLong", "a body of 5 MiB declared, none of it sent",
       Framed("Content-Length: 5242880\r\n", ""), 413},
      {"BodyInChunksTooLong", "chunks of 5 MiB", InChunks(ChunksOf5MiB()), 413},
      {"ChunkDeclaredTooLong", "one chunk declared with 15 hexadecimal digits",
       InChunks("fffffffffffffff\r\n" + ManyBytes(5 << 20)), 413},
      {"ChunkExtensionsTooLong", "chunk extensions over 16 KiB in all",
       [] {
         std::string chunks;
         for (int i = 0; i < 20; ++i) {
           absl::StrAppend(&chunks, "1;x=", ManyBytes(1000), "\r\n \r\n");
         }
         return InChunks(chunks);
       }(),
       400},
  };
}

std::vector<Probe> FramingProbes() {
  const std::string ping = Ping();
  const std::string length = absl::StrCat("Content-Length: ", ping.size());
  return {
      {"LengthAndChunks", "Content-Length and Transfer-Encoding (T20)",
       Framed("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
              "0\r\n\r\n"),
       400},
      {"LengthAndIdentity",
       "`Transfer-Encoding: chunked, identity` and Content-Length",
       Framed("Content-Length: 5\r\nTransfer-Encoding: chunked, identity\r\n",
              "0\r\n\r\n"),
       400},
      {"LengthAndSpacedColon", "`Transfer-Encoding :` and Content-Length",
       Framed("Content-Length: 5\r\nTransfer-Encoding : chunked\r\n",
              "0\r\n\r\n"),
       400},
      {"LengthsThatDiffer", "two different Content-Length",
       Framed("Content-Length: 5\r\nContent-Length: 6\r\n", ping), 400},
      {"LengthTwice", "the same Content-Length twice",
       Framed(absl::StrCat(length, "\r\n", length, "\r\n"), ping), 400},
      {"LengthList", "`Content-Length: 5, 5`",
       Framed("Content-Length: 5, 5\r\n", ping), 400},
      {"LengthPlus", "`Content-Length: +5`",
       Framed("Content-Length: +5\r\n", ping), 400},
      {"LengthMinus", "`Content-Length: -1`",
       Framed("Content-Length: -1\r\n", ping), 400},
      {"LengthTail", "`Content-Length: 5abc`",
       Framed("Content-Length: 5abc\r\n", ping), 400},
      {"LengthHex", "`Content-Length: 0x5`",
       Framed("Content-Length: 0x5\r\n", ping), 400},
      {"LengthOver64Bits", "`Content-Length: 18446744073709551621`",
       Framed("Content-Length: 18446744073709551621\r\n", ping), 400},
      {"CodingGzip", "`Transfer-Encoding: gzip`",
       Framed("Transfer-Encoding: gzip\r\n", ""), 400},
      {"CodingGzipThenChunked", "`Transfer-Encoding: gzip, chunked`",
       Framed("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501},
      {"CodingTwice", "Transfer-Encoding twice",
       Framed("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
              "0\r\n\r\n"),
       400},
      {"CodingVerticalTab", "a vertical tab before `chunked`",
       Framed("Transfer-Encoding: \vchunked\r\n", "0\r\n\r\n"), 400},
      {"ChunksGood", "chunks, an extension and a trailer, good",
       InChunks(Chunked(ping) + "0;x=y\r\nX-Trailer: z\r\n\r\n"), 200, kOpen},
      {"ChunkSizeNoHex", "a chunk size that is no number", InChunks("zz\r\n"),
       400},
      {"ChunkSizeSign", "a chunk size with a sign", InChunks("+5\r\nhello\r\n"),
       400},
      {"ChunkBareLf", "a chunk size that ends with LF alone",
       InChunks("5\nhello\r\n0\r\n\r\n"), 400},
      {"ChunkOverrun", "a chunk longer than its size",
       InChunks("5\r\nhello, world\r\n0\r\n\r\n"), 400},
      {"ChunkSizeOver64Bits", "a chunk size of 17 hexadecimal digits",
       InChunks("10000000000000001\r\n"), 400},
      {"GetWithBody", "GET with a body",
       Request("GET /mcp/dev HTTP/1.1", "Accept: text/event-stream\r\n", ping),
       400},
      {"DeleteWithBody", "DELETE with a body",
       Request("DELETE /mcp/dev HTTP/1.1", "", ping), 400},
      {"BodyOfARefusedRequest",
       "a good request as the body of a request that gets 404",
       Request("POST /nowhere HTTP/1.1", "",
               Post(Ping(), {{"Mcp-Session-Id", "none"}})),
       404, kOpen},
      {"ContentEncodingGzip",
       "a body with `Content-Encoding: gzip`",
       Post(Ping(), {{"Content-Encoding", "gzip"}}),
       415,
       After::kClosed,
       "and what to do",
       {"accept-encoding: identity"}},
      {"Ranges1000", "a Range of 1,000 overlapping ranges",
       Request("GET /mcp/dev HTTP/1.1", OverlappingRanges()), 416},
      {"Range", "`Range: bytes=0-1`", Post(Ping(), {{"Range", "bytes=0-1"}}),
       416},
  };
}

std::vector<Probe> LineProbes() {
  const std::string get = "GET /mcp/dev HTTP/1.1\r\n";
  return {
      {"NoHost", "no Host", get + "\r\n", 400},
      {"TwoHosts", "two Hosts",
       get + "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n", 400},
      {"EmptyHost", "an empty Host", get + "Host:\r\n\r\n", 400},
      {"HostUserinfo", "a Host with userinfo",
       get + "Host: a@127.0.0.1\r\n\r\n", 400},
      {"SpaceBeforeColon", "a space before a colon",
       get + "Host : 127.0.0.1\r\n\r\n", 400},
      {"FoldedLine", "a folded header line",
       get + "Host: 127.0.0.1\r\nX: a\r\n b\r\n\r\n", 400},
      {"NulInValue", "NUL in a header value",
       get + std::string("Host: h\r\nX: a\0b\r\n\r\n", 19), 400},
      {"NulInTarget", "NUL in the target",
       std::string("GET /mcp/d\0ev HTTP/1.1\r\nHost: h\r\n\r\n", 36), 400},
      {"ControlByte", "a control byte in a header value",
       get + "Host: h\r\nX: a\x01\r\n\r\n", 400},
      {"BareLf", "lines that end with LF alone",
       "GET /mcp/dev HTTP/1.1\nHost: 127.0.0.1\n\n", 400},
      {"BareLfOnce", "one line that ends with LF alone",
       get + "Host: 127.0.0.1\nX: y\r\n\r\n", 400},
      {"BareCr", "CR alone in a header value",
       get + "Host: 127.0.0.1\r\nX: a\rY: b\r\n\r\n", 400},
      {"NoColon", "a header line without a colon",
       get + "Host: 127.0.0.1\r\nnonsense\r\n\r\n", 400},
      {"EmptyName", "a header without a name",
       get + "Host: 127.0.0.1\r\n: x\r\n\r\n", 400},
      {"EmptyLineFirst", "one empty line before a good request (RFC 9112 §2.2)",
       "\r\n" + Post(Ping()), 200, kOpen},
      {"EmptyLinesFirst", "two empty lines before a good request",
       "\r\n\r\n" + Post(Ping()), 400},
      {"PercentInValue",
       "`%0d%0a` in a header value: not decoded",
       Post(Ping(), {{"X-Note", "a%0d%0aContent-Length: 0"}}),
       200,
       kOpen,
       "",
       {},
       {"x-note"}},
      {"PercentInSession",
       "a session id with one letter as %-escape",
       Post(Ping(), {{"Mcp-Session-Id", "%41{session}"}}),
       404,
       kOpen,
       "-32600",
       {"-32600"}},
  };
}

std::vector<Probe> RequestLineProbes() {
  const std::string host = "\r\nHost: 127.0.0.1\r\n\r\n";
  const std::vector<std::string> allow = {"allow: GET, POST, DELETE, OPTIONS"};
  const After closed = After::kClosed;
  return {
      {"Put", "PUT", "PUT /mcp/dev HTTP/1.1" + host, 405, closed, "and Allow",
       allow},
      {"Patch", "PATCH", "PATCH /mcp/dev HTTP/1.1" + host, 405, closed,
       "and Allow", allow},
      {"Head", "HEAD", "HEAD /mcp/dev HTTP/1.1" + host, 405, closed,
       "and Allow", allow},
      {"Trace", "TRACE", "TRACE /mcp/dev HTTP/1.1" + host, 405, closed,
       "and Allow", allow},
      {"Connect", "CONNECT", "CONNECT 127.0.0.1:80 HTTP/1.1" + host, 405,
       closed, "and Allow", allow},
      {"UnknownMethod", "a method that nobody knows",
       "BREW /mcp/dev HTTP/1.1" + host, 405, closed, "and Allow", allow},
      {"LowerCaseMethod", "`get`", "get /mcp/dev HTTP/1.1" + host, 400},
      {"OptionsStar", "`OPTIONS *`", "OPTIONS * HTTP/1.1" + host, 400},
      {"AbsoluteForm", "a target in the absolute form",
       "GET http://127.0.0.1/mcp/dev HTTP/1.1" + host, 400},
      {"Fragment", "a target with a fragment", "GET /mcp/dev#x HTTP/1.1" + host,
       400},
      {"TargetNotAscii", "a target with bytes over 127",
       "GET /mcp/d\xC3\xA9v HTTP/1.1" + host, 400},
      {"EscapedPath", "a path with %-escapes: not decoded",
       Request("POST /mcp/%64ev HTTP/1.1", "", Ping()), 404, kOpen},
      {"DottedPath", "a path with `..`: not resolved",
       Request("POST /x/../mcp/dev HTTP/1.1", "", Ping()), 404, kOpen},
      {"DoubleSlash", "a path with `//`",
       Request("POST //mcp/dev HTTP/1.1", "", Ping()), 404, kOpen},
      {"Version09", "HTTP/0.9", "GET /mcp/dev\r\n\r\n", 400},
      {"Version10", "HTTP/1.0, good",
       [] {
         std::string post = Post(Ping());
         return post.replace(post.find("HTTP/1.1"), 8, "HTTP/1.0");
       }(),
       200, closed},
      {"Version10Chunks", "HTTP/1.0 with chunks",
       "POST /mcp/dev HTTP/1.0\r\nHost: 127.0.0.1\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       400},
      {"Version12", "HTTP/1.2", "GET /mcp/dev HTTP/1.2" + host, 505},
      {"Version2", "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
       505},
      {"TlsHello", "a TLS ClientHello",
       std::string("\x16\x03\x01\x00\xf4\x01\x00\x00\xf0\x03\x03", 11), 400},
      {"Garbage", "bytes that are no HTTP", "\xff\xfe\x00garbage", 400},
      {"ExpectContinue", "`Expect: 100-continue` with its body, good",
       Post(Ping(), {{"Expect", "100-continue"}}), 200, kOpen},
      {"ExpectOther", "any other expectation",
       Post(Ping(), {{"Expect", "200-maybe"}}), 417},
      {"Upgrade",
       "an offer to upgrade to h2c: ignored",
       Post(Ping(), {{"Upgrade", "h2c"}, {"Connection", "Upgrade"}}),
       200,
       kOpen,
       "",
       {},
       {"upgrade"}},
      {"ConnectionClose", "`Connection: close`, good",
       Post(Ping(), {{"Connection", "close"}}), 200, closed},
      {"AcceptEncoding",
       "`Accept-Encoding: gzip, br`: not compressed",
       Post(Ping(), {{"Accept-Encoding", "gzip, br"}}),
       200,
       kOpen,
       "",
       {"\"result\":{}"},
       {"content-encoding"}},
  };
}

std::vector<Probe> IdentityProbes() {
  const std::vector<std::string> challenge = {"www-authenticate: Bearer"};
  return {
      {"NoToken", "no token", WithoutToken(""), 401, kOpen,
       "and WWW-Authenticate", challenge},
      {"InternalNamesWithoutToken",
       "no token, but every header name that looks internal (T18)",
       WithoutToken(InternalNames()), 401, kOpen, "and WWW-Authenticate",
       challenge},
      {"InternalNames", "the same beside a token: good (T18)",
       Post(Ping(), {{"X-A", "b\r\n" + InternalNames() + "X-B: c"}}), 200,
       kOpen},
      {"WrongToken", "a token that is not known",
       Post(Ping(), {{"Authorization", "Bearer nobodys"}}), 401, kOpen,
       "and WWW-Authenticate", challenge},
      {"TwoTokens", "two Authorization headers",
       Post(Ping(), {{"X-A", "b\r\nAuthorization: Bearer nobodys"}}), 401,
       kOpen, "and WWW-Authenticate", challenge},
      {"TokenInQuery", "a token in the query: not looked at",
       "GET /mcp/dev?access_token=good-token-of-alice HTTP/1.1\r\nHost: "
       "127.0.0.1\r\n\r\n",
       401, kOpen, "and WWW-Authenticate", challenge},
      {"SessionWithoutToken", "a session id without a token",
       Post(Ping(), {{"Authorization", ""}}), 401, kOpen,
       "and WWW-Authenticate", challenge},
      {"UnknownVirtualServer",
       "a virtual server that does not exist",
       Request("POST /mcp/elsewhere HTTP/1.1", "", Ping()),
       404,
       kOpen,
       "and no word of sessions",
       {"\"error\""},
       {"session", "jsonrpc"}},
  };
}

const std::vector<Probe>& Probes() {
  static const std::vector<Probe>& all = *new std::vector<Probe>([] {
    std::vector<Probe> probes;
    for (auto& some : {SizeProbes(), FramingProbes(), LineProbes(),
                       RequestLineProbes(), IdentityProbes()}) {
      probes.insert(probes.end(), some.begin(), some.end());
    }
    return probes;
  }());
  return all;
}

class BadHttpTest : public ::testing::TestWithParam<Probe> {
 protected:
  static void SetUpTestSuite() { stage_ = new BadInputStage("bad HTTP"); }
  static void TearDownTestSuite() { delete stage_; }
  static BadInputStage* stage_;
};
BadInputStage* BadHttpTest::stage_ = nullptr;

TEST_P(BadHttpTest, GetsTheChosenAnswer) { stage_->Expect(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Rows, BadHttpTest, ::testing::ValuesIn(Probes()),
                         NameOf<Probe>);

TEST(BadHttpDocTest, TheRowsAreThoseOfTheDocs) {
  std::vector<BadInputRow> rows;
  for (const Probe& probe : Probes()) rows.push_back(RowOf(probe));
  ExpectDocumented("bad_input_http_test", rows);
}

}  // namespace
}  // namespace gatehouse::testing
