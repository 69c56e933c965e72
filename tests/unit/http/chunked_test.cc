#include "dataplane/http/chunked.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::http {
namespace {

using State = ChunkedReader::State;

struct ChunkedCase {
  const char* name;
  std::string bytes;
  State want;
  const char* content;
  const char* left;  // after kDone
};

class ChunkedTest : public testing::TestWithParam<ChunkedCase> {};

TEST_P(ChunkedTest, EndsAsListedHoweverTheBytesAreSplit) {
  const ChunkedCase& c = GetParam();
  for (size_t piece = 1; piece <= c.bytes.size(); ++piece) {
    ChunkedReader reader;
    std::string content;
    std::string_view rest = c.bytes;
    State state = State::kMore;
    while (state == State::kMore && !rest.empty()) {
      std::string_view part = rest.substr(0, piece);
      const size_t before = part.size();
      state = reader.Feed(part, content);
      rest.remove_prefix(before - part.size());
    }
    EXPECT_EQ(state, c.want) << "in pieces of " << piece;
    if (state == State::kDone) {
      EXPECT_EQ(rest, c.left);
    }
    if (state != State::kBroken) {
      EXPECT_EQ(content, c.content);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ChunkedTest,
    testing::ValuesIn<ChunkedCase>({
        {"TwoChunks", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", State::kDone, "abcde",
         ""},
        {"WhatFollowsIsLeft", "1\r\na\r\n0\r\n\r\nGET /", State::kDone, "a",
         "GET /"},
        {"HexInEitherCase", "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
         State::kDone, "01234567890123456789", ""},
        {"ExtensionsAreDropped", "1;x=y\r\na\r\n0;z\r\n\r\n", State::kDone, "a",
         ""},
        {"TrailersAreDropped", "1\r\na\r\n0\r\nX: y\r\n\r\n", State::kDone, "a",
         ""},
        {"EmptyBody", "0\r\n\r\n", State::kDone, "", ""},
        {"Unfinished", "5\r\nabc", State::kMore, "abc", ""},
        {"BareLfAfterSize", "1\na\r\n0\r\n\r\n", State::kBroken, "", ""},
        {"NoCrLfAfterData", "1\r\nab\r\n0\r\n\r\n", State::kBroken, "", ""},
        {"NotHex", "x\r\na\r\n", State::kBroken, "", ""},
        {"Sign", "+1\r\na\r\n", State::kBroken, "", ""},
        {"Prefix0x", "0x1\r\na\r\n", State::kBroken, "", ""},
        {"EmptySize", "\r\na\r\n", State::kBroken, "", ""},
        {"SpaceBeforeSize", " 1\r\na\r\n", State::kBroken, "", ""},
        {"SizeThatWouldWrap", "10000000000000001\r\na\r\n", State::kBroken, "",
         ""},
        {"EndlessExtension", "1;" + std::string(5000, 'x'), State::kBroken, "",
         ""},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ChunkedReaderTest, EndlessTrailersAreBroken) {
  ChunkedReader reader;
  std::string content;
  State state = State::kMore;
  std::string_view size = "0\r\n";
  state = reader.Feed(size, content);
  for (int i = 0; i < 10'000 && state == State::kMore; ++i) {
    std::string_view line = "X: yyyyyyyyyyyyyyyy\r\n";
    state = reader.Feed(line, content);
  }
  EXPECT_EQ(state, State::kBroken);
}

TEST(AppendChunkTest, WritesHexSizeAndNothingForNothing) {
  std::string out;
  AppendChunk("", out);
  EXPECT_EQ(out, "");
  AppendChunk(std::string(26, 'x'), out);
  EXPECT_EQ(out, "1a\r\n" + std::string(26, 'x') + "\r\n");
}

// Defends DESIGN §16, everything read from a peer has a bound: one byte of
// content must not be worth any number of bytes around it.
TEST(ChunkedReaderTest, ExtensionsAreBoundedInAllNotOnlyEach) {
  const std::string chunk = "1;" + std::string(1000, 'x') + "\r\na\r\n";
  ChunkedReader reader;
  std::string content;
  int chunks = 0;
  State state = State::kMore;
  while (state == State::kMore && chunks < 100) {
    std::string_view bytes = chunk;
    state = reader.Feed(bytes, content);
    ++chunks;
  }
  EXPECT_EQ(state, State::kBroken);
  EXPECT_EQ(chunks, 17);  // 16 KiB of a thousand each
}

}  // namespace
}  // namespace gatehouse::http
