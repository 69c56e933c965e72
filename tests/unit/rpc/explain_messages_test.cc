// Invariant 8, honest errors: an explanation carries code, reason, path and
// details as the upstream would get them.

#include "controlplane/rpc/explain_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace gatehouse::rpc {
namespace {

using ::testing::ElementsAre;

v1::ExplainInputRequestRequest Request() {
  v1::ExplainInputRequestRequest request;
  request.set_virtual_server("virtualServers/dev");
  request.set_method("roots/list");
  return request;
}

std::vector<std::string> FieldsOf(const v1::ExplainInputRequestRequest& in) {
  std::vector<policy::Violation> violations;
  FromProto(in, violations);
  std::vector<std::string> fields;
  for (const policy::Violation& violation : violations) {
    fields.push_back(violation.path);
  }
  return fields;
}

TEST(ExplainFromProto, TakesEveryField) {
  v1::ExplainInputRequestRequest request = Request();
  request.set_upstream("files");
  request.set_upstream_revision("2025-06-18");
  request.set_client_revision("2026-07-28");
  request.set_client_capabilities("{}");
  request.set_params("{ }");
  request.set_tool("t");
  request.set_attribution(v1::ATTRIBUTION_NONE);
  request.set_error("{\"code\":1}");
  std::vector<policy::Violation> violations;
  const broker::ExplainCommand command = FromProto(request, violations);
  EXPECT_TRUE(violations.empty());
  EXPECT_EQ(command.virtual_server, "dev");
  EXPECT_EQ(command.upstream, "files");
  EXPECT_EQ(command.upstream_revision, "2025-06-18");
  EXPECT_EQ(command.client_revision, "2026-07-28");
  EXPECT_EQ(command.client_capabilities, "{}");
  EXPECT_EQ(command.method, "roots/list");
  EXPECT_EQ(command.params, "{ }");
  EXPECT_EQ(command.tool, "t");
  EXPECT_EQ(command.attribution, broker::Attribution::kNone);
  EXPECT_FALSE(command.result.has_value());
  EXPECT_EQ(command.error, "{\"code\":1}");
}

TEST(ExplainFromProto, UnspecifiedAttributionIsACallsOwnStream) {
  std::vector<policy::Violation> violations;
  EXPECT_EQ(FromProto(Request(), violations).attribution,
            broker::Attribution::kOwnStream);
}

// proto3's enums are open: what a peer sends may be any number.
TEST(ExplainFromProto, NamesAnAttributionThatTheEnumDoesNotHave) {
  for (const int number : {99, -1, 5}) {
    v1::ExplainInputRequestRequest request = Request();
    request.set_attribution(static_cast<v1::Attribution>(number));
    EXPECT_THAT(FieldsOf(request), ElementsAre("attribution")) << number;
  }
}

TEST(AttributionFromProto, IsNothingForWhatTheEnumDoesNotHave) {
  EXPECT_EQ(FromProto(v1::ATTRIBUTION_AMBIGUOUS),
            broker::Attribution::kAmbiguous);
  EXPECT_EQ(FromProto(v1::ATTRIBUTION_NONE), broker::Attribution::kNone);
  EXPECT_EQ(FromProto(v1::ATTRIBUTION_UNSPECIFIED), std::nullopt);
  EXPECT_EQ(FromProto(static_cast<v1::Attribution>(99)), std::nullopt);
}

struct BoundCase {
  const char* name;
  const char* field;
  size_t most;
  void (*set)(v1::ExplainInputRequestRequest&, std::string);
};

class ExplainBoundTest : public testing::TestWithParam<BoundCase> {};

TEST_P(ExplainBoundTest, TheBoundItselfPassesAndOneMoreByteIsAViolation) {
  v1::ExplainInputRequestRequest request = Request();
  GetParam().set(request, std::string(GetParam().most, 'x'));
  EXPECT_THAT(FieldsOf(request), ElementsAre());
  GetParam().set(request, std::string(GetParam().most + 1, 'x'));
  EXPECT_THAT(FieldsOf(request), ElementsAre(GetParam().field));
}

using R = v1::ExplainInputRequestRequest;
INSTANTIATE_TEST_SUITE_P(
    Fields, ExplainBoundTest,
    testing::ValuesIn<BoundCase>({
        {"Upstream", "upstream", 128,
         [](R& r, std::string v) { r.set_upstream(std::move(v)); }},
        {"Capabilities", "client_capabilities", 64 << 10,
         [](R& r, std::string v) { r.set_client_capabilities(std::move(v)); }},
        {"Method", "method", 128,
         [](R& r, std::string v) { r.set_method(std::move(v)); }},
        {"Params", "params", 1 << 20,
         [](R& r, std::string v) { r.set_params(std::move(v)); }},
        {"Tool", "tool", 256,
         [](R& r, std::string v) { r.set_tool(std::move(v)); }},
        {"Result", "result", 2 << 20,
         [](R& r, std::string v) { r.set_result(std::move(v)); }},
        {"Error", "error", 2 << 20,
         [](R& r, std::string v) { r.set_error(std::move(v)); }},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ExplainFromProto, NamesAVirtualServerAndAMethodThatAreMissing) {
  EXPECT_THAT(FieldsOf({}), ElementsAre("method", "virtual_server"));
}

TEST(ExplainToProto, KeepsTheOrderOfTheRulesAndWhatEachObjectsTo) {
  Failure failure;
  failure.reason = Reason::kTooLarge;
  failure.path = "/maxTokens";
  failure.message = "too many";
  failure.details = {{"limit", "4096"}, {"asked", "5000"}};
  broker::Explained explained;
  explained.policy_version = 3;
  explained.request.rules = {{"first", "asks", "DESIGN 6", std::nullopt},
                             {"second", "asks", "DESIGN 6", failure}};
  explained.request.verdict = failure;
  v1::ExplainInputRequestResponse out;
  ToProto(explained, out);
  EXPECT_EQ(out.policy_version(), 3);
  const v1::Explanation& request = out.request();
  ASSERT_EQ(request.rules_size(), 2);
  EXPECT_EQ(request.rules(0).rule(), "first");
  EXPECT_EQ(request.rules(0).outcome(), v1::RULE_KEPT);
  EXPECT_EQ(request.rules(1).outcome(), v1::RULE_BROKEN);
  EXPECT_EQ(request.rules(1).path(), "/maxTokens");
  EXPECT_EQ(request.rules(1).reason(), "too_large");
  EXPECT_EQ(request.rules(1).details(), R"({"limit":4096,"asked":5000})");
  EXPECT_EQ(request.verdict(), "refused");
  EXPECT_EQ(request.refusal().code(), -32602);
  EXPECT_EQ(request.refusal().data(),
            R"({"reason":"too_large","path":"/maxTokens","limit":4096,)"
            R"("asked":5000})");
  EXPECT_FALSE(out.has_response());
}

TEST(ExplainToProto, AnAdmittedRequestAndItsDeclineSayWhatIsSent) {
  broker::Explained explained;
  trust::AdmittedRequest admitted;
  admitted.params_to_relay = "{\"a\":1}";
  admitted.flags = {"punycode_host"};
  explained.request.verdict = admitted;
  explained.response.emplace();
  explained.response->verdict.outcome = trust::ResponseOutcome::kDeclined;
  explained.response->verdict.result = R"({"action":"decline"})";
  v1::ExplainInputRequestResponse out;
  ToProto(explained, out);
  EXPECT_EQ(out.request().verdict(), "admitted");
  EXPECT_EQ(out.request().to_send(), "{\"a\":1}");
  EXPECT_THAT(out.request().flags(), ElementsAre("punycode_host"));
  EXPECT_FALSE(out.request().has_refusal());
  EXPECT_EQ(out.response().verdict(), "declined");
  EXPECT_EQ(out.response().to_send(), R"({"action":"decline"})");
}

}  // namespace
}  // namespace gatehouse::rpc
