#include "dataplane/http/response_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::http {
namespace {

using Step = ResponseReader::Step;

struct ReaderCase {
  const char* name;
  std::string bytes;
  Step want;  // at the end of the bytes, or before
  const char* body;
  bool keep_alive;
  Step at_close;  // if want is kMore
};

class ResponseReaderTest : public testing::TestWithParam<ReaderCase> {};

TEST_P(ResponseReaderTest, EndsAsListedHoweverTheBytesAreSplit) {
  const ReaderCase& c = GetParam();
  for (size_t piece = 1; piece <= c.bytes.size(); piece += 1 + piece / 4) {
    ResponseReader reader;
    std::string body;
    Step step = Step::kMore;
    std::string_view rest = c.bytes;
    while (step == Step::kMore && !rest.empty()) {
      std::string_view part = rest.substr(0, piece);
      rest.remove_prefix(part.size());
      do {
        step = reader.Next(part);
        if (step == Step::kBody) body += reader.body();
      } while (step == Step::kHead || step == Step::kBody);
    }
    ASSERT_EQ(step, c.want) << "in pieces of " << piece;
    if (step == Step::kBroken) continue;
    EXPECT_EQ(body, c.body);
    EXPECT_EQ(reader.keep_alive(), c.keep_alive);
    if (step == Step::kMore) {
      EXPECT_EQ(reader.AtClose(), c.at_close);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ResponseReaderTest,
    testing::ValuesIn<ReaderCase>({
        {"ByLength", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
         Step::kDone, "ok", true, Step::kMore},
        {"ByChunks",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
         "2\r\nok\r\n0\r\n\r\n",
         Step::kDone, "ok", true, Step::kMore},
        {"ToTheClose", "HTTP/1.1 200 OK\r\n\r\nok", Step::kMore, "ok", false,
         Step::kDone},
        {"NoContent", "HTTP/1.1 204 No Content\r\n\r\n", Step::kDone, "", true,
         Step::kMore},
        {"NoPhrase", "HTTP/1.1 202\r\nContent-Length: 0\r\n\r\n", Step::kDone,
         "", true, Step::kMore},
        {"InterimAnswersAreSkipped",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nX: y\r\n\r\n"
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
         Step::kDone, "ok", true, Step::kMore},
        {"ConnectionClose",
         "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
         Step::kDone, "", false, Step::kMore},
        {"OldVersionIsNotKept", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
         Step::kDone, "", false, Step::kMore},
        {"BrokenOffInTheBody", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok",
         Step::kMore, "ok", true, Step::kBroken},
        {"BrokenOffInTheHead", "HTTP/1.1 200 OK\r\nContent-Le", Step::kMore, "",
         false, Step::kBroken},
        {"BrokenOffInAChunk",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok",
         Step::kMore, "ok", true, Step::kBroken},
        {"Garbage", "SSH-2.0-OpenSSH_9.2\r\n\r\n", Step::kBroken, "", false,
         Step::kMore},
        {"BadStatus", "HTTP/1.1 2x0 OK\r\n\r\n", Step::kBroken, "", false,
         Step::kMore},
        {"Switching", "HTTP/1.1 101 Switching\r\n\r\n", Step::kBroken, "",
         false, Step::kMore},
        {"TwoLengths",
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
         Step::kBroken, "", false, Step::kMore},
        {"LengthAndChunks",
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
         "Transfer-Encoding: chunked\r\n\r\n",
         Step::kBroken, "", false, Step::kMore},
        {"OtherCoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
         Step::kBroken, "", false, Step::kMore},
        {"BadLength", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
         Step::kBroken, "", false, Step::kMore},
        {"BadHeader", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", Step::kBroken, "",
         false, Step::kMore},
        {"EndlessHead", "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x'),
         Step::kBroken, "", false, Step::kMore},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ResponseReaderInterimTest, AStreamOfInterimAnswersIsBroken) {
  ResponseReader reader;
  Step step = Step::kMore;
  for (int i = 0; i < 100 && step == Step::kMore; ++i) {
    std::string_view bytes = "HTTP/1.1 100 Continue\r\n\r\n";
    step = reader.Next(bytes);
  }
  EXPECT_EQ(step, Step::kBroken);
}

TEST(ResponseReaderHeadTest, TheAnswerToHeadHasNoBody) {
  ResponseReader reader(/*to_head=*/true);
  std::string_view bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  EXPECT_EQ(reader.Next(bytes), Step::kHead);
  EXPECT_EQ(reader.Next(bytes), Step::kDone);
}

}  // namespace
}  // namespace gatehouse::http
