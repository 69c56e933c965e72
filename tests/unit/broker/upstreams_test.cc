// Malformed requests are counted per upstream, so that a chronic one is seen
// (DESIGN §17); in the decision's own transaction, bounded by the policies and
// the table of reasons.

#include "controlplane/broker/upstreams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UpstreamsTest : public BrokerFixture {
 protected:
  absl::StatusOr<std::vector<UpstreamFigures>> List(UpstreamsQuery query = {}) {
    if (query.limit == 0) query.limit = 100;
    return Wait<std::vector<UpstreamFigures>>(
        [&](auto done) { broker_->ListUpstreams(query, std::move(done)); });
  }
  // `virtual server/upstream`.
  std::vector<std::string> Names(UpstreamsQuery query = {}) {
    const auto list = List(std::move(query));
    EXPECT_TRUE(list.ok()) << list.status();
    std::vector<std::string> names;
    for (const UpstreamFigures& figures : *list) {
      names.push_back(figures.virtual_server + "/" + figures.upstream.name);
    }
    return names;
  }
  // `counter=count` of dev's upstream.
  std::vector<std::string> Counts(const std::string& upstream = "demo") {
    const auto list = List({.virtual_server = "dev"});
    EXPECT_TRUE(list.ok()) << list.status();
    std::vector<std::string> counts;
    for (const UpstreamFigures& figures : *list) {
      if (figures.upstream.name != upstream) continue;
      for (const VerdictCountRow& row : figures.verdicts) {
        counts.push_back(absl::StrCat(row.counter, "=", row.count));
      }
    }
    return counts;
  }
  void Malformed(const std::string& operation = "operation-1") {
    AdmitCommand command = Sampling();
    command.operation_id = operation;
    command.requests[0].params = "{}";
    Refused(Admit(std::move(command)));
  }
  void Apply(const std::string& name, const std::string& upstreams) {
    std::string document =
        absl::StrCat("kind: VirtualServer\nname: ", name, "\nupstreams:\n");
    for (const char c : upstreams) {
      absl::StrAppend(&document, "  - name: ", std::string(1, c),
                      "\n    http: { url: \"http://127.0.0.1:9/mcp\" }\n");
    }
    ApplyPolicy(document);
  }
};

TEST_F(UpstreamsTest, CountsWhatIsAdmittedAndWhatIsRefusedByItsReason) {
  EXPECT_THAT(Counts(), IsEmpty());
  Relayed(Admit(Sampling()));
  EXPECT_THAT(Counts(), ElementsAre("=1"));
  Malformed();
  Malformed();
  AdmitCommand roots = Sampling();
  roots.requests[0].method = "roots/list";
  roots.requests[0].params = "{}";
  Refused(Admit(std::move(roots)));
  EXPECT_THAT(Counts(),
              ElementsAre("=1", "invalid_request=2", "not_permitted=1"));
}

TEST_F(UpstreamsTest, ACountHasTheTimeOfItsLastOne) {
  Malformed();
  clock_.Advance(absl::Seconds(3));
  Malformed();
  const auto list = List();
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ((*list)[0].verdicts.size(), 1u);
  EXPECT_EQ((*list)[0].verdicts[0].last_time, clock_.Wall());
}

// Also those that leave no record and no row: a chronic one is not hidden by
// what keeps it from filling the store.
TEST_F(UpstreamsTest, CountsWhatIsRefusedUnreadToo) {
  for (int i = 0; i < 70; ++i) Malformed();
  EXPECT_THAT(Counts(),
              ElementsAre("budget_exhausted=6", "invalid_request=64"));
}

TEST_F(UpstreamsTest, TheSameCallAgainIsCountedOnce) {
  const AdmitCommand command = Sampling();
  Relayed(Admit(command));
  Relayed(Admit(command));
  EXPECT_THAT(Counts(), ElementsAre("=1"));
}

TEST_F(UpstreamsTest, WhatThePolicyDoesNotNameIsNotCounted) {
  Malformed();
  Apply("dev", "x");
  Malformed();
  EXPECT_THAT(Counts("demo"), IsEmpty());
  EXPECT_THAT(Counts("x"), IsEmpty());
  const absl::Status status = RunAndWait(*store_, [](Transaction& tx) {
    EXPECT_TRUE(tx.ListVerdictCounts({}, 10)->empty());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(UpstreamsTest, AChangedPolicyKeepsTheCountsOfTheUpstreamsThatItKeeps) {
  Malformed();
  ApplyPolicy(
      "kind: VirtualServer\nname: dev\nupstreams:\n"
      "  - name: demo\n    http: { url: \"http://127.0.0.1:9/other\" }\n");
  EXPECT_THAT(Counts(), ElementsAre("invalid_request=1"));
}

TEST_F(UpstreamsTest, ADeletedPolicyTakesItsCountsAlong) {
  Malformed();
  ASSERT_TRUE(Wait<bool>([&](auto done) {
                broker_->DeletePolicy("dev", "", "test", std::move(done));
              }).ok());
  EXPECT_THAT(Names(), IsEmpty());
  Apply("dev", "ab");
  EXPECT_THAT(Counts("a"), IsEmpty());
}

TEST_F(UpstreamsTest, ListsByVirtualServerAndNameAndPageByPage) {
  Apply("ops", "cab");
  Apply("abc", "z");
  const std::vector<std::string> all = {"abc/z", "dev/demo", "ops/a", "ops/b",
                                        "ops/c"};
  EXPECT_EQ(Names(), all);
  for (const int limit : {1, 2, 3, 5}) {
    std::vector<std::string> paged;
    UpstreamsQuery query;
    query.limit = limit;
    for (size_t page = 0; page <= all.size(); ++page) {
      const std::vector<std::string> names = Names(query);
      if (names.empty()) break;
      paged.insert(paged.end(), names.begin(), names.end());
      const size_t slash = names.back().find('/');
      query.after_virtual_server = names.back().substr(0, slash);
      query.after_upstream = names.back().substr(slash + 1);
    }
    EXPECT_EQ(paged, all) << limit;
  }
  EXPECT_THAT(Names({.virtual_server = "ops"}),
              ElementsAre("ops/a", "ops/b", "ops/c"));
  EXPECT_THAT(Names({.virtual_server = "ops",
                     .after_virtual_server = "ops",
                     .after_upstream = "a"}),
              ElementsAre("ops/b", "ops/c"));
}

TEST_F(UpstreamsTest, APageGoesOnWhereAVirtualServerIsGone) {
  Apply("ops", "a");
  EXPECT_THAT(Names({.after_virtual_server = "gone", .after_upstream = "x"}),
              ElementsAre("ops/a"));
}

TEST_F(UpstreamsTest, AVirtualServerThatIsNotThereIsNotFound) {
  EXPECT_EQ(List({.virtual_server = "none"}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gatehouse::broker
