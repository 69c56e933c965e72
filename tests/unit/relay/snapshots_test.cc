#include "dataplane/relay/snapshots.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shared/base/fake_clock.h"

namespace gatehouse::relay {
namespace {

VirtualServerSnapshot Named(std::string name, int64_t version) {
  VirtualServerSnapshot snapshot;
  snapshot.name = std::move(name);
  snapshot.policy_version = version;
  return snapshot;
}

TEST(SnapshotsTest, BeforeTheFirstWelcomeNothingCanBeSaid) {
  FakeClock clock;
  Snapshots snapshots(clock);
  snapshots.Touch();
  EXPECT_EQ(snapshots.trust(), Snapshots::Trust::kNever);
}

TEST(SnapshotsTest, TheLeaseEndsUnlessTheControlPlaneAnswersWithinIt) {
  FakeClock clock;
  Snapshots snapshots(clock);
  snapshots.ReplaceAll({Named("dev", 1)}, absl::Hours(1));
  clock.Advance(absl::Minutes(59));
  snapshots.Touch();
  clock.Advance(absl::Minutes(59));
  EXPECT_EQ(snapshots.trust(), Snapshots::Trust::kHolds);
  clock.Advance(absl::Minutes(1));
  EXPECT_EQ(snapshots.trust(), Snapshots::Trust::kExpired);
}

TEST(SnapshotsTest, MailSentAgainDoesNotBringAnOlderPolicyBack) {
  FakeClock clock;
  Snapshots snapshots(clock);
  snapshots.ReplaceAll({Named("dev", 3)}, absl::Hours(1));
  snapshots.Put(Named("dev", 2));
  EXPECT_EQ(snapshots.Find("dev")->policy_version, 3);
  snapshots.Put(Named("dev", 4));
  EXPECT_EQ(snapshots.Find("dev")->policy_version, 4);
}

TEST(SnapshotsTest, TheObserverHearsOfEachOtherVersionOnce) {
  FakeClock clock;
  Snapshots snapshots(clock);
  std::vector<std::string> heard;
  snapshots.Observe([&](const std::string& name) { heard.push_back(name); });
  snapshots.ReplaceAll({Named("a", 1), Named("b", 1)}, absl::Hours(1));
  snapshots.Put(Named("c", 1));  // new: nobody could have listed it
  EXPECT_TRUE(heard.empty());
  snapshots.Put(Named("a", 2));
  snapshots.Put(Named("a", 2));
  snapshots.Put(Named("a", 1));
  EXPECT_EQ(heard, std::vector<std::string>{"a"});
  // What changed while the control plane was out of reach.
  snapshots.ReplaceAll({Named("a", 2), Named("b", 5)}, absl::Hours(1));
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b"}));
}

TEST(SnapshotsTest, AWelcomeLeavesOutWhatIsGone) {
  FakeClock clock;
  Snapshots snapshots(clock);
  snapshots.ReplaceAll({Named("a", 1), Named("b", 1)}, absl::Hours(1));
  snapshots.ReplaceAll({Named("b", 1)}, absl::Hours(1));
  EXPECT_EQ(snapshots.Find("a"), nullptr);
  snapshots.Remove("b");
  EXPECT_EQ(snapshots.Find("b"), nullptr);
}

}  // namespace
}  // namespace gatehouse::relay
