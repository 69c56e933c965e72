// What the judge asks before it looks at the content, and in which order.
// Defends invariant 2 of the design (default deny: what the policy does not
// name is off, what the client has not declared is not asked) and 3 (one judge:
// every kind of request passes the same steps).

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

constexpr std::string_view kGoodSampling =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],)"
    R"("maxTokens":10})";
constexpr std::string_view kGoodForm =
    R"({"message":"Who?","requestedSchema":{"type":"object",)"
    R"("properties":{"name":{"type":"string"}}}})";

struct OrderCase {
  const char* name;
  std::string_view method;
  std::string_view params;
  std::function<void(policy::VirtualServer&, RequestFacts&)> change;
  const char* want;
};

class JudgeOrderTest : public testing::TestWithParam<OrderCase> {};

TEST_P(JudgeOrderTest, ReachesTheListedOutcome) {
  policy::VirtualServer policy = OpenPolicy();
  RequestFacts facts = Asked(GetParam().method, GetParam().params);
  if (GetParam().change) GetParam().change(policy, facts);
  EXPECT_EQ(Short(JudgeRequest(policy, facts)), GetParam().want);
}

const OrderCase kCases[] = {
    {"a permitted and declared sampling is admitted", kSampling, kGoodSampling,
     nullptr, "admitted"},
    {"a permitted and declared form is admitted", kElicitation, kGoodForm,
     nullptr, "admitted"},
    {"roots without params are admitted", kRoots, "", nullptr, "admitted"},
    {"roots with an empty object are admitted", kRoots, "{}", nullptr,
     "admitted"},
    {"an unknown method is refused", "sampling/createmessage", kGoodSampling,
     nullptr, "not_permitted"},
    {"an unknown method is refused before its size", "x/y", "",
     [](auto&, auto& facts) { facts.oversized_bytes = 1 << 20; },
     "not_permitted"},
    {"elicitation does not exist in 2025-03-26", kElicitation, kGoodForm,
     [](auto&, auto& facts) { facts.upstream_revision = k0326; },
     "not_permitted"},
    {"what was too large to be sent is refused", kSampling, "",
     [](auto&, auto& facts) { facts.oversized_bytes = 70'000; }, "too_large"},
    {"one byte over the limit is refused", kSampling, kGoodSampling,
     [](auto& policy, auto& facts) {
       policy.limits.input_request_bytes =
           static_cast<int64_t>(facts.params.size()) - 1;
     },
     "too_large"},
    {"exactly the limit is admitted", kSampling, kGoodSampling,
     [](auto& policy, auto& facts) {
       policy.limits.input_request_bytes =
           static_cast<int64_t>(facts.params.size());
     },
     "admitted"},
    {"the size counts before the parent", kSampling, "",
     [](auto&, auto& facts) {
       facts.oversized_bytes = 70'000;
       facts.parent = Parent::kNone;
     },
     "too_large"},
    {"broken JSON is refused", kSampling, R"({"messages":)", nullptr,
     "invalid_request"},
    {"a duplicate key is refused", kSampling,
     R"({"maxTokens":1,"maxTokens":2})", nullptr, "invalid_request /maxTokens"},
    {"a lone surrogate is refused", kElicitation, R"({"message":"\ud800"})",
     nullptr, "invalid_request"},
    {"params that are an array are refused", kSampling, "[]", nullptr,
     "invalid_request"},
    {"sampling without params is refused", kSampling, "", nullptr,
     "invalid_request"},
    {"broken JSON counts before the parent", kSampling, "{",
     [](auto&, auto& facts) { facts.parent = Parent::kNone; },
     "invalid_request"},
    {"without an operation it is refused", kSampling, kGoodSampling,
     [](auto&, auto& facts) { facts.parent = Parent::kNone; }, "no_operation"},
    {"roots without an operation are refused", kRoots, "",
     [](auto&, auto& facts) { facts.parent = Parent::kNone; }, "no_operation"},
    {"with several possible operations it is refused", kSampling, kGoodSampling,
     [](auto&, auto& facts) { facts.parent = Parent::kAmbiguous; },
     "unattributable"},
    {"of an ended operation it is refused", kElicitation, kGoodForm,
     [](auto&, auto& facts) { facts.parent = Parent::kClosed; },
     "operation_ended"},
    {"the parent counts before the permission", kSampling, kGoodSampling,
     [](auto& policy, auto& facts) {
       policy.sampling = false;
       facts.parent = Parent::kNone;
     },
     "no_operation"},
    {"sampling that the policy does not permit is refused", kSampling,
     kGoodSampling, [](auto& policy, auto&) { policy.sampling = false; },
     "not_permitted"},
    {"a form that the policy does not permit is refused", kElicitation,
     kGoodForm, [](auto& policy, auto&) { policy.elicitation = false; },
     "not_permitted"},
    {"roots that the policy does not permit are refused", kRoots, "",
     [](auto& policy, auto&) { policy.roots = false; }, "not_permitted"},
    {"the permission counts before the capability", kRoots, "",
     [](auto& policy, auto& facts) {
       policy.roots = false;
       facts.declared = {};
     },
     "not_permitted"},
    {"sampling that the client cannot do is refused", kSampling, kGoodSampling,
     [](auto&, auto& facts) { facts.declared.sampling = false; },
     "capability_not_declared"},
    {"a form that the client cannot do is refused", kElicitation, kGoodForm,
     [](auto&, auto& facts) { facts.declared.elicitation_form = false; },
     "capability_not_declared"},
    {"roots that the client cannot do are refused", kRoots, "",
     [](auto&, auto& facts) { facts.declared.roots = false; },
     "capability_not_declared"},
    {"the capability counts before the content", kSampling, "{}",
     [](auto&, auto& facts) { facts.declared.sampling = false; },
     "capability_not_declared"},
};

INSTANTIATE_TEST_SUITE_P(Order, JudgeOrderTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return TestName(c.param.name); });

TEST(JudgeDepthTest, ParamsNestAtMost32Deep) {
  const auto nested = [](int depth) {
    std::string params = R"({"messages":[],"metadata":)";
    for (int i = 0; i < depth - 1; ++i) params += R"({"a":)";
    params += "1" + std::string(depth - 1, '}') + "}";
    return params;
  };
  // Refused either way, for there are no messages; but at 32 it is read.
  EXPECT_EQ(Short(JudgeRequest(OpenPolicy(), Asked(kSampling, nested(32)))),
            "invalid_request /messages");
  EXPECT_NE(Short(JudgeRequest(OpenPolicy(), Asked(kSampling, nested(33)))),
            "invalid_request /messages");
}

// Defends invariant 8: each failure has its own code and reason, and the text
// says who refused what and what to do.
TEST(JudgeMessageTest, NamesFeatureRefuserAndRemedy) {
  policy::VirtualServer policy = OpenPolicy();
  policy.roots = false;
  const auto off = std::get<Failure>(JudgeRequest(policy, Asked(kRoots, "")));
  EXPECT_EQ(off.reason, Reason::kNotPermitted);
  EXPECT_EQ(off.message,
            "roots/list: the virtual server's policy does not permit roots; "
            "an operator can set clientFeatures.roots");

  RequestFacts facts = Asked(kSampling, kGoodSampling);
  facts.declared.sampling = false;
  const auto undeclared = std::get<Failure>(JudgeRequest(OpenPolicy(), facts));
  EXPECT_EQ(undeclared.reason, Reason::kCapabilityNotDeclared);
  EXPECT_EQ(
      undeclared.message,
      "sampling/createMessage: the client has not declared the capability "
      "sampling, without which it may not be asked; go on without it");
}

TEST(JudgeMessageTest, TooLargeSaysTheLimitAndTheSize) {
  RequestFacts facts = Asked(kSampling, "");
  facts.oversized_bytes = 70'000;
  const auto failure = std::get<Failure>(JudgeRequest(OpenPolicy(), facts));
  EXPECT_EQ(DataOf(failure),
            R"({"reason":"too_large","limit":65536,"size":70000})");
}

TEST(JudgeMessageTest, AnUnknownMethodIsNotQuoted) {
  const auto failure = std::get<Failure>(
      JudgeRequest(OpenPolicy(), Asked("secret/method", "{}")));
  EXPECT_EQ(failure.message.find("secret"), std::string::npos);
}

TEST(JudgeMessageTest, ALongPathIsCutToAnAncestor) {
  const std::string name(300, 'n');
  const std::string params = R"({"message":"m","requestedSchema":{"type":)"
                             R"("object","properties":{")" +
                             name + R"(":5}}})";
  EXPECT_EQ(Short(JudgeRequest(OpenPolicy(), Asked(kElicitation, params))),
            "invalid_request /requestedSchema/properties");
}

TEST(JudgePurityTest, TheSameQuestionGetsTheSameWord) {
  const auto once = std::get<AdmittedRequest>(
      JudgeRequest(OpenPolicy(), Asked(kSampling, kGoodSampling)));
  const auto again = std::get<AdmittedRequest>(
      JudgeRequest(OpenPolicy(), Asked(kSampling, kGoodSampling)));
  EXPECT_EQ(once.params_to_relay, again.params_to_relay);
  EXPECT_EQ(once.max_tokens, 10);
  EXPECT_EQ(once.kind, RequestKind::kSampling);
}

}  // namespace
}  // namespace gatehouse::trust
