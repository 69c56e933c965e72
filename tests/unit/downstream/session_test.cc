// A session's reports that its roots have changed: none is lost, and a client
// that says it often has one under way, not many (everything from a peer is
// bounded).

#include "dataplane/downstream/session.h"

#include <gtest/gtest.h>

namespace gatehouse::downstream {
namespace {

TEST(SessionTest, AChangeDuringAReportIsReportedBehindIt) {
  Session session{relay::SessionInfo{}};
  EXPECT_TRUE(session.BeginRootsReport());
  EXPECT_FALSE(session.BeginRootsReport());
  EXPECT_FALSE(session.BeginRootsReport());
  EXPECT_TRUE(session.EndRootsReport()) << "one more, however many there were";
  EXPECT_TRUE(session.BeginRootsReport());
  EXPECT_FALSE(session.EndRootsReport());
}

TEST(SessionTest, AChangeAfterAReportIsReportedAnew) {
  Session session{relay::SessionInfo{}};
  EXPECT_TRUE(session.BeginRootsReport());
  EXPECT_FALSE(session.EndRootsReport());
  EXPECT_TRUE(session.BeginRootsReport());
}

}  // namespace
}  // namespace gatehouse::downstream
