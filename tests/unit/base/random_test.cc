#include "shared/base/random.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gatehouse {
namespace {

TEST(SystemRandomTest, GivesAsManyBytesAsAskedAndNeverTheSame) {
  SystemRandom random;
  EXPECT_EQ(random.Bytes(0), "");
  EXPECT_EQ(random.Bytes(1000).size(), 1000u);
  EXPECT_NE(random.Bytes(32), random.Bytes(32));
}

TEST(SeededRandomTest, RepeatsItselfForASeed) {
  SeededRandom first(7);
  SeededRandom again(7);
  SeededRandom other(8);
  const std::string bytes = first.Bytes(33);
  EXPECT_EQ(bytes.size(), 33u);
  EXPECT_EQ(again.Bytes(33), bytes);
  EXPECT_NE(other.Bytes(33), bytes);
  EXPECT_NE(first.Bytes(33), bytes) << "the stream goes on";
}

TEST(NewIdTest, IsFitForUrlsAndHasItsBits) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = NewId(random);
    EXPECT_EQ(id.size(), 22u);  // 128 bits at 6 a letter
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
              std::string::npos)
        << id;
    EXPECT_TRUE(seen.insert(id).second) << id;
  }
  EXPECT_EQ(NewId(random, 256).size(), 43u);
}

}  // namespace
}  // namespace gatehouse
