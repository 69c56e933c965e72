#include "controlplane/rpc/rpc_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "controlplane/rpc/access.h"

namespace gatehouse::rpc {
namespace {

using Counted = std::tuple<std::string, std::string, int64_t>;

std::vector<Counted> All(const RpcStats& stats) {
  std::vector<Counted> all;
  stats.ForEach([&](std::string_view method, std::string_view code,
                    int64_t count) { all.emplace_back(method, code, count); });
  return all;
}

TEST(RpcStatsTest, CallsAreCountedByMethodAndCode) {
  RpcStats stats(MethodPaths());
  stats.Count("/gatehouse.v1.TrustService/AdmitInputRequests", 0);
  stats.Count("/gatehouse.v1.TrustService/AdmitInputRequests", 0);
  stats.Count("/gatehouse.v1.TrustService/AdmitInputRequests", 16);
  EXPECT_THAT(
      All(stats),
      testing::ElementsAre(
          Counted("TrustService/AdmitInputRequests", "OK", 2),
          Counted("TrustService/AdmitInputRequests", "UNAUTHENTICATED", 1)));
}

TEST(RpcStatsTest, WhatIsInNoRowMakesNoLabelOfItsOwn) {
  RpcStats stats(MethodPaths());
  stats.Count("/made.up/By", 12);
  stats.Count("/a/stranger", 99);
  EXPECT_THAT(All(stats), testing::UnorderedElementsAre(
                              Counted("other", "UNKNOWN", 1),
                              Counted("other", "UNIMPLEMENTED", 1)));
}

}  // namespace
}  // namespace gatehouse::rpc
