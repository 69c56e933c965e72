// Policies as rows: an update that nobody loses, and workers that are told.

#include <gtest/gtest.h>

#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

constexpr std::string_view kOther = R"(
kind: VirtualServer
name: dev
upstreams:
  - name: demo
    http: { url: "http://127.0.0.1:9/mcp" }
clientFeatures: { roots: true }
)";

class PoliciesTest : public BrokerFixture {
 protected:
  absl::StatusOr<Broker::Applied> Apply(std::string_view document,
                                        const std::string& etag = "",
                                        bool validate_only = false) {
    const policy::ParseResult parsed = policy::ParseVirtualServer(document);
    return Wait<Broker::Applied>([&](auto done) {
      broker_->ApplyPolicy(parsed.virtual_server, etag, validate_only, "ada",
                           std::move(done));
    });
  }
};

TEST_F(PoliciesTest, AChangeIsANewVersionAndEveryWorkerIsTold) {
  const auto applied = Apply(kOther);
  ASSERT_TRUE(applied.ok());
  EXPECT_TRUE(applied->changed);
  EXPECT_EQ(applied->row.version, 2);
  EXPECT_EQ(MailOf("w1").back().kind, MailKind::kPolicyChanged);
  EXPECT_EQ(MailOf("w2").back().kind, MailKind::kPolicyChanged);
  EXPECT_EQ(Log().back().actor, "ada");
}

TEST_F(PoliciesTest, TheSameDocumentAgainChangesNothing) {
  ASSERT_TRUE(Apply(kOther).ok());
  const auto again = Apply(kOther);
  EXPECT_FALSE(again->changed);
  EXPECT_EQ(again->row.version, 2);
}

TEST_F(PoliciesTest, AnEtagThatIsNotCurrentIsRefused) {
  const auto applied = Apply(kOther, "not-the-etag");
  EXPECT_EQ(applied.status().code(), absl::StatusCode::kAborted);
}

TEST_F(PoliciesTest, ValidateOnlySaysWhatWouldBeAndChangesNothing) {
  const auto applied = Apply(kOther, "", /*validate_only=*/true);
  EXPECT_TRUE(applied->changed);
  EXPECT_TRUE(Apply(kOther)->changed);
}

TEST_F(PoliciesTest, ADeletedVirtualServerEndsItsSessionsAndAsksForNothing) {
  const auto deleted = Wait<bool>([&](auto done) {
    broker_->DeletePolicy("dev", "", "ada", std::move(done));
  });
  ASSERT_TRUE(deleted.ok());
  EXPECT_EQ(MailOf("w1").back().kind, MailKind::kVirtualServerDeleted);
  EXPECT_EQ(Admit(Sampling()).status().code(), absl::StatusCode::kNotFound);
}

// Invariant 2: what a policy no longer names is off at once.
TEST_F(PoliciesTest, ANarrowerPolicyRefusesTheNextRequest) {
  ASSERT_TRUE(Apply(kOther).ok());
  EXPECT_EQ(Refused(Admit(Sampling())).reason, "not_permitted");
}

// Invariants 1 and 2: a worker that speaks for an upstream of another cluster
// is not believed.
TEST_F(PoliciesTest, AnUpstreamOfOtherClustersMayAskForNothing) {
  ASSERT_TRUE(Apply(R"(
kind: VirtualServer
name: dev
upstreams:
  - name: demo
    http: { url: "http://127.0.0.1:9/mcp" }
    clusters: [eu-1]
clientFeatures: { sampling: true }
)")
                  .ok());
  EXPECT_EQ(Refused(Admit(Sampling())).reason, "not_permitted");
  ASSERT_EQ(Attach("w1", epoch1_, "eu-1"), epoch1_);
  Relayed(Admit(Sampling()));
}

}  // namespace
}  // namespace gatehouse::broker
