#include "shared/mcp/revision.h"

#include <gtest/gtest.h>

namespace gatehouse::mcp {
namespace {

TEST(RevisionTest, IsReadBackFromItsName) {
  for (const Revision revision :
       {Revision::k2025_03_26, Revision::k2025_06_18, Revision::k2025_11_25,
        Revision::k2026_07_28}) {
    EXPECT_EQ(ParseRevision(ToString(revision)), revision);
  }
}

// The modern revision has no handshake to be agreed on in.
TEST(RevisionTest, OnlyLegacyOnesAreAgreedOnInAHandshake) {
  for (const Revision revision :
       {Revision::k2025_03_26, Revision::k2025_06_18, Revision::k2025_11_25}) {
    EXPECT_EQ(ParseLegacyRevision(ToString(revision)), revision);
  }
  EXPECT_EQ(ParseLegacyRevision(ToString(Revision::k2026_07_28)), std::nullopt);
}

TEST(RevisionTest, IsNeverGuessed) {
  for (const char* text : {"", "2025-06-17", "2024-11-05", "2025-06-18 ",
                           "2025-6-18", "2026-07-29", "latest"}) {
    EXPECT_EQ(ParseRevision(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace gatehouse::mcp
