#include "shared/json/block.h"

#include <gtest/gtest.h>

#include <string>

#include "shared/base/random.h"

namespace gatehouse::json {
namespace {

// The readers that the compiler chose say what the table says, whatever stands
// where in a block.
void ExpectAlike(const std::string& block) {
  const StringMarks strings = MarkStrings(block.data());
  const StringMarks table = portable::MarkStrings(block.data());
  EXPECT_EQ(strings.quotes, table.quotes);
  EXPECT_EQ(strings.backslashes, table.backslashes);
  EXPECT_EQ(strings.controls, table.controls);
  EXPECT_EQ(MarkValues(block.data()).brackets,
            portable::MarkValues(block.data()).brackets);
  EXPECT_EQ(MarkValues(block.data()).foreign,
            portable::MarkValues(block.data()).foreign);
}

TEST(BlockTest, EachByteHasItsMarksAtEachPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    for (size_t place = 0; place < kBlockBytes; ++place) {
      std::string block(kBlockBytes, 'x');
      block[place] = static_cast<char>(byte);
      ExpectAlike(block);
    }
  }
}

TEST(BlockTest, RandomBlocksHaveTheirMarks) {
  SeededRandom random(20260728);
  for (int i = 0; i < 2'000; ++i) ExpectAlike(random.Bytes(kBlockBytes));
}

TEST(BlockTest, FindsTheFirstByteThatMattersWithinAString) {
  for (size_t size = 0; size < 200; ++size) {
    for (const char c : {'"', '\\', '\n', '\0', '\x1F'}) {
      std::string text(size, 'x');
      EXPECT_EQ(FindStringMark(text, size / 2), size);
      text.push_back(c);
      text.append("\"");
      EXPECT_EQ(FindStringMark(text, size / 2), size);
    }
  }
}

}  // namespace
}  // namespace gatehouse::json
