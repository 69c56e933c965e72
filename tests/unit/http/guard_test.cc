// Defends DESIGN §16 (everything read from a peer has a bound) and, with it,
// that no peer smuggles a second request past the checks on the first.
#include "dataplane/http/guard.h"

#include <gtest/gtest.h>

#include <string>

#include "dataplane/http/request_assembler.h"

namespace gatehouse::http {
namespace {

using Step = RequestAssembler::Step;

constexpr GuardLimits kLimits = {/*max_header_bytes=*/400,
                                 /*max_header_lines=*/5,
                                 /*max_path_bytes=*/60,
                                 /*max_body_bytes=*/20,
                                 /*max_line_bytes=*/300};

struct GuardCase {
  const char* name;
  std::string bytes;
  int refused;       // 0: whole
  const char* body;  // if whole
};

std::string Get(const std::string& lines) {
  return "GET /x HTTP/1.1\r\n" + lines + "\r\n";
}
std::string Post(const std::string& lines, const std::string& body) {
  return "POST /x HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n" + body;
}

class GuardTest : public testing::TestWithParam<GuardCase> {};

TEST_P(GuardTest, PassesOrRefusesHoweverTheBytesAreSplit) {
  const GuardCase& c = GetParam();
  for (size_t piece = 1; piece <= c.bytes.size(); piece += 1 + piece / 4) {
    RequestAssembler assembler(kLimits);
    std::string_view rest = c.bytes;
    Step step = Step::kMore;
    while ((step == Step::kMore || step == Step::kContinue) && !rest.empty()) {
      std::string_view part = rest.substr(0, piece);
      const size_t before = part.size();
      step = assembler.Next(part);
      rest.remove_prefix(before - part.size());
    }
    if (c.refused == 0) {
      ASSERT_EQ(step, Step::kWhole) << "in pieces of " << piece;
      EXPECT_EQ(assembler.Take().body, c.body);
    } else {
      ASSERT_EQ(step, Step::kRefused) << "in pieces of " << piece;
      EXPECT_EQ(assembler.refusal().status, c.refused)
          << assembler.refusal().why;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, GuardTest,
    testing::ValuesIn<GuardCase>({
        {"PlainGet", Get("Host: h\r\n"), 0, ""},
        {"BodyByLength", Post("Content-Length: 3\r\n", "abc"), 0, "abc"},
        {"BodyOfNoLength", Post("Content-Length: 0\r\n", ""), 0, ""},
        {"BodyByChunks",
         Post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"), 0,
         "abc"},
        {"LengthAndChunks",
         Post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
              "0\r\n\r\n"),
         400, ""},
        {"LengthTwice",
         Post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), 400, ""},
        {"LengthsInOneLine", Post("Content-Length: 3, 3\r\n", "abc"), 400, ""},
        {"LengthWithPlus", Post("Content-Length: +3\r\n", "abc"), 400, ""},
        {"LengthWithMinus", Post("Content-Length: -3\r\n", "abc"), 400, ""},
        {"LengthInHex", Post("Content-Length: 0x3\r\n", "abc"), 400, ""},
        {"LengthWithTail", Post("Content-Length: 3abc\r\n", "abc"), 400, ""},
        {"LengthEmpty", Post("Content-Length:\r\n", ""), 400, ""},
        {"LengthThatWouldWrap",
         Post("Content-Length: 18446744073709551619\r\n", "abc"), 400, ""},
        {"OtherCoding", Post("Transfer-Encoding: gzip\r\n", ""), 400, ""},
        {"CodingBeforeChunks",
         Post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501, ""},
        {"CodingAfterChunks",
         Post("Transfer-Encoding: chunked, identity\r\n", ""), 400, ""},
        {"ChunksWithinChunks",
         Post("Transfer-Encoding: chunked, chunked\r\n", ""), 400, ""},
        {"EmptyCoding", Post("Transfer-Encoding:\r\n", ""), 400, ""},
        {"CodingWithVerticalTab", Post("Transfer-Encoding: \vchunked\r\n", ""),
         400, ""},
        {"ChunksInVersion10",
         "POST /x HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
         "0\r\n\r\n",
         400, ""},
        {"ChunksInOtherCase",
         Post("transfer-encoding: CHUNKED\r\n", "3\r\nabc\r\n0\r\n\r\n"), 0,
         "abc"},
        {"CodingTwice",
         Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
              ""),
         400, ""},
        {"SpaceBeforeColon",
         Post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400, ""},
        {"BrokenChunk", Post("Transfer-Encoding: chunked\r\n", "x\r\n"), 400,
         ""},
        {"NoHost", Get("X: y\r\n"), 400, ""},
        {"EmptyHost", Get("Host:\r\n"), 400, ""},
        {"HostWithUserinfo", Get("Host: a@h\r\n"), 400, ""},
        {"HostWithPath", Get("Host: h/x\r\n"), 400, ""},
        {"HostsInOneLine", Get("Host: h, i\r\n"), 400, ""},
        {"HostOfVersion6", Get("Host: [::1]:80\r\n"), 0, ""},
        {"TwoHosts", Get("Host: a\r\nHost: b\r\n"), 400, ""},
        {"FoldedLine", Get("Host: h\r\nX: a\r\n b\r\n"), 400, ""},
        {"NulInValue", Get(std::string("Host: h\r\nX: a\0b\r\n", 17)), 400, ""},
        {"BareLfInValue", Get("Host: h\r\nX: a\nY: b\r\n"), 400, ""},
        {"BareLfThroughout", "GET /x HTTP/1.1\nHost: h\n\n", 400, ""},
        {"BareLfAtTheEnd", "GET /x HTTP/1.1\r\nHost: h\r\n\n", 400, ""},
        {"BareCrInValue", Get("Host: h\r\nX: a\rY: b\r\n"), 400, ""},
        {"TabInValue", Get("Host: h\r\nX: a\tb\r\n"), 0, ""},
        {"BytesOver127InValue", Get("Host: h\r\nX: \xC3\xA9\r\n"), 0, ""},
        {"BytesOver127InTarget", "GET /\xC3\xA9 HTTP/1.1\r\nHost: h\r\n\r\n",
         400, ""},
        {"DeleteInValue", Get("Host: h\r\nX: a\x7F\r\n"), 400, ""},
        {"EmptyName", Get("Host: h\r\n: x\r\n"), 400, ""},
        {"FirstLineFolded", Get(" Host: h\r\n"), 400, ""},
        {"EmptyLineBeforeIt", "\r\n" + Get("Host: h\r\n"), 0, ""},
        {"TwoEmptyLinesBeforeIt", "\r\n\r\n" + Get("Host: h\r\n"), 400, ""},
        {"BareCrBeforeIt", "\r" + Get("Host: h\r\n"), 400, ""},
        {"BareLfBeforeIt", "\n" + Get("Host: h\r\n"), 400, ""},
        {"TlsHello", std::string("\x16\x03\x01\x02\x00\x01\x00", 7), 400, ""},
        {"JsonAlone", "{\"jsonrpc\":\"2.0\"}", 400, ""},
        {"PrefaceOfVersion2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, ""},
        {"MethodInLowerCase", "get /x HTTP/1.1\r\nHost: h\r\n\r\n", 400, ""},
        {"Put", "PUT /x HTTP/1.1\r\nHost: h\r\n\r\n", 405, ""},
        {"Trace", "TRACE /x HTTP/1.1\r\nHost: h\r\n\r\n", 405, ""},
        {"Connect", "CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 405, ""},
        {"Invented", "BREW /x HTTP/1.1\r\nHost: h\r\n\r\n", 405, ""},
        {"Options", "OPTIONS /x HTTP/1.1\r\nHost: h\r\n\r\n", 0, ""},
        {"OptionsOfTheWholeServer", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
         400, ""},
        {"RangeOfAnAnswer", Get("Host: h\r\nRange: bytes=0-0\r\n"), 416, ""},
        {"EncodedBody",
         Post("Content-Encoding: gzip\r\nContent-Length: 1\r\n", "x"), 415, ""},
        {"GetWithABody", Get("Host: h\r\nContent-Length: 3\r\n") + "abc", 400,
         ""},
        {"DeleteWithChunks",
         "DELETE /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
         "chunked\r\n\r\n0\r\n\r\n",
         400, ""},
        {"DeleteOfNoLength",
         "DELETE /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 0, ""},
        {"NoColon", Get("Host: h\r\nnonsense\r\n"), 400, ""},
        {"NoVersion", "GET /x\r\nHost: h\r\n\r\n", 400, ""},
        {"OtherVersion", "GET /x HTTP/2.0\r\nHost: h\r\n\r\n", 505, ""},
        {"AbsoluteTarget", "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n", 400,
         ""},
        {"TwoSpaces", "GET  /x HTTP/1.1\r\nHost: h\r\n\r\n", 400, ""},
        {"Head", "HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n", 405, ""},
        {"LongTarget",
         "GET /" + std::string(60, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n", 414,
         ""},
        {"EndlessTarget", "GET /" + std::string(5000, 'x'), 414, ""},
        {"LongHeader", Get("Host: h\r\nX: " + std::string(500, 'x') + "\r\n"),
         431, ""},
        {"LongLine", Get("Host: h\r\nX: " + std::string(296, 'x') + "\r\n"),
         431, ""},
        {"AsLongALineAsAllowed",
         Get("Host: h\r\nX: " + std::string(295, 'x') + "\r\n"), 0, ""},
        {"EndlessHeader", "GET /x HTTP/1.1\r\nX: " + std::string(5000, 'x'),
         431, ""},
        {"ManyLines",
         Get("Host: h\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\ne: 5"
             "\r\n"),
         431, ""},
        {"AsManyLinesAsAllowed",
         Get("Host: h\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\n"), 0, ""},
        {"LongBody", Post("Content-Length: 21\r\n", ""), 413, ""},
        {"AsLongABodyAsAllowed",
         Post("Content-Length: 20\r\n", "01234567890123456789"), 0,
         "01234567890123456789"},
        {"LongChunkedBody",
         Post("Transfer-Encoding: chunked\r\n",
              "10\r\n0123456789abcdef\r\n10\r\n0123456789abcdef\r\n"),
         413, ""},
        {"OtherExpectation", Post("Expect: 200-maybe\r\n", ""), 417, ""},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(RequestAssemblerTest, GivesRawPartsAndLeavesTheNextRequest) {
  RequestAssembler assembler(kLimits);
  std::string_view bytes =
      "POST /a%2Fb?q=1 HTTP/1.1\r\nHost: h\r\nX:  %0d%0a \r\nx: 2\r\n"
      "Content-Length: 2\r\n\r\nokGET /";
  ASSERT_EQ(assembler.Next(bytes), Step::kWhole);
  EXPECT_EQ(bytes, "GET /");
  const RequestAssembler::Whole whole = assembler.Take();
  EXPECT_EQ(whole.head.method, "POST");
  EXPECT_EQ(whole.head.path, "/a%2Fb");
  EXPECT_EQ(whole.head.query, "q=1");
  EXPECT_EQ(whole.body, "ok");
  // Not decoded: httplib would make a line break of it.
  EXPECT_EQ(FindHeader(whole.head.headers, "x"), "%0d%0a");
  EXPECT_EQ(CountHeader(whole.head.headers, "X"), 2);
  EXPECT_FALSE(assembler.begun());
  ASSERT_EQ(assembler.Next(bytes), Step::kMore);
  EXPECT_TRUE(assembler.begun());
}

TEST(RequestAssemblerTest, AsksForTheBodyOnlyOfAPeerThatWaits) {
  const std::string head =
      Post("Expect: 100-continue\r\nContent-Length: 2\r\n", "");
  RequestAssembler waiting(kLimits);
  std::string_view bytes = head;
  EXPECT_EQ(waiting.Next(bytes), Step::kContinue);
  bytes = "ok";
  EXPECT_EQ(waiting.Next(bytes), Step::kWhole);

  RequestAssembler eager(kLimits);
  const std::string all = head + "ok";
  bytes = all;
  EXPECT_EQ(eager.Next(bytes), Step::kWhole);
}

TEST(RequestAssemblerTest, AnEmptyLineAfterARequestBeginsNoOther) {
  RequestAssembler assembler(kLimits);
  const std::string bytes = Get("Host: h\r\n") + "\r\n";
  std::string_view rest = bytes;
  ASSERT_EQ(assembler.Next(rest), Step::kWhole);
  assembler.Take();
  ASSERT_EQ(assembler.Next(rest), Step::kMore);
  EXPECT_FALSE(assembler.begun());
}

TEST(GuardHeadTest, APeerOfVersion10IsNotToldToGoOn) {
  const auto head = GuardHead(
      "POST / HTTP/1.0\r\nHost: h\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\n\r\n",
      kLimits);
  EXPECT_FALSE(std::get<RequestHead>(head).expects_continue);
}

TEST(RefusalHeadersTest, SayWhatToDoInstead) {
  const auto value = [](int status, std::string_view name) {
    const Headers headers = RefusalHeaders(status);
    return std::string(FindHeader(headers, name).value_or("none"));
  };
  EXPECT_EQ(value(405, "Allow"), "GET, POST, DELETE, OPTIONS");
  EXPECT_EQ(value(415, "Accept-Encoding"), "identity");
  EXPECT_EQ(value(503, "Retry-After"), "1");
  EXPECT_TRUE(RefusalHeaders(400).empty());
}

TEST(GuardHeadTest, KeepsAliveUnlessTold) {
  const auto keeps = [](const std::string& head) {
    return std::get<RequestHead>(GuardHead(head, kLimits)).keep_alive;
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_FALSE(
      keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\nHost: h\r\n\r\n"));
}

}  // namespace
}  // namespace gatehouse::http
