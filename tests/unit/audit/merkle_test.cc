#include "controlplane/audit/merkle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shared/base/digest.h"

namespace gatehouse::audit {
namespace {

TEST(MerkleTest, AnEmptyTreeHasTheHashOfNothing) {
  const auto root = RootOfRange("", 0);
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(HexEncode(*root),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(MerkleTest, AnEmptyLeafHasTheHashOfItsPrefix) {
  EXPECT_EQ(HexEncode(LeafHash("")),
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
}

TEST(MerkleTest, ThreeLeavesHaveTheKnownRoot) {
  std::string range;
  int64_t size = 0;
  for (const char* body : {"a", "b", "c"}) {
    auto next = AppendToRange(range, size++, LeafHash(body));
    ASSERT_TRUE(next.ok());
    range = *next;
  }
  const auto root = RootOfRange(range, size);
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(HexEncode(*root),
            "36642e73c2540ab121e3a6bf9545b0a24982cd830eb13d3cd19de3ce6c021ec1");
}

// Defends invariant 6 of DESIGN §1 in part: the incremental root is the root.
TEST(MerkleTest, TheRangeAgreesWithTheDefinitionAtEverySize) {
  std::string range;
  std::vector<std::string> leaves;
  for (int i = 0; i < 300; ++i) {
    const auto root = RootOfRange(range, i);
    ASSERT_TRUE(root.ok()) << i;
    ASSERT_EQ(*root, RootOfLeaves(leaves)) << i;
    leaves.push_back(LeafHash("leaf " + std::to_string(i)));
    auto next = AppendToRange(range, i, leaves.back());
    ASSERT_TRUE(next.ok()) << i;
    range = *next;
  }
}

TEST(MerkleTest, ARangeOfAnotherSizeIsRefused) {
  const std::string one = LeafHash("a");
  EXPECT_EQ(RootOfRange(one, 3).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(RootOfRange(one, 0).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(RootOfRange(one, -1).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(AppendToRange(one, 3, one).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(AppendToRange(one, 1, "short").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gatehouse::audit
