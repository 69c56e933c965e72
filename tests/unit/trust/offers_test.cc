// What an upstream is offered and what the judge admits are one thing, for
// every policy and every client: nothing is offered that would be refused, and
// nothing admitted that was not offered. Defends invariant 2 of the design
// (default deny: not even offered).

#include <gtest/gtest.h>

#include <string_view>

#include "shared/mcp/features.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

#define MESSAGES \
  R"("messages":[{"role":"user","content":{"type":"text","text":"hi"}}])"

// A request that needs one feature, and whether that is in an offer.
struct Need {
  std::string_view method;
  std::string_view params;
  bool mcp::ClientFeatures::*offered;
};

constexpr Need kNeeds[] = {
    {kSampling, R"({"maxTokens":1,)" MESSAGES "}",
     &mcp::ClientFeatures::sampling},
    {kSampling, R"({"maxTokens":1,"tools":[],)" MESSAGES "}",
     &mcp::ClientFeatures::sampling_tools},
    {kElicitation,
     R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})",
     &mcp::ClientFeatures::elicitation_form},
    {kElicitation,
     R"({"mode":"url","elicitationId":"e","message":"m",)"
     R"("url":"https://example.com/"})",
     &mcp::ClientFeatures::elicitation_url},
    {kRoots, "", &mcp::ClientFeatures::roots},
};

// Bit by bit; 32 policies and 32 declarations are all there are.
policy::VirtualServer PolicyOf(int bits) {
  policy::VirtualServer policy = OpenPolicy();
  policy.sampling = (bits & 1) != 0;
  policy.sampling_allow_tools = (bits & 2) != 0;
  policy.elicitation = (bits & 4) != 0;
  policy.elicitation_url = (bits & 8) != 0;
  policy.roots = (bits & 16) != 0;
  return policy;
}

mcp::ClientFeatures DeclarationOf(int bits) {
  mcp::ClientFeatures declared;
  declared.sampling = (bits & 1) != 0;
  declared.sampling_tools = (bits & 2) != 0;
  declared.elicitation_form = (bits & 4) != 0;
  declared.elicitation_url = (bits & 8) != 0;
  declared.roots = (bits & 16) != 0;
  return declared;
}

TEST(OffersTest, WhatIsOfferedIsAdmittedAndNothingElse) {
  for (const mcp::Revision revision : {k1125, k0728}) {
    for (int policy_bits = 0; policy_bits < 32; ++policy_bits) {
      const policy::VirtualServer policy = PolicyOf(policy_bits);
      for (int declared_bits = 0; declared_bits < 32; ++declared_bits) {
        const mcp::ClientFeatures declared = DeclarationOf(declared_bits);
        const mcp::ClientFeatures offered =
            mcp::Intersect(policy::PermittedFeatures(policy), declared);
        for (const Need& need : kNeeds) {
          RequestFacts facts =
              Asked(need.method, need.params, revision, revision);
          facts.declared = declared;
          EXPECT_EQ(Short(JudgeRequest(policy, facts)) == "admitted",
                    offered.*need.offered)
              << need.method << ", policy " << policy_bits << ", client "
              << declared_bits << ": " << Short(JudgeRequest(policy, facts));
        }
      }
    }
  }
}

}  // namespace
}  // namespace gatehouse::trust
