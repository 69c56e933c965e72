// Invariant 3, one judge: what is explained is what Admit and Submit would say.
// And without any effect: nothing that is stored, recorded or budgeted moves.

#include "controlplane/broker/explain.h"

#include <gtest/gtest.h>

#include <string>

#include "controlplane/broker/decision.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

constexpr char kForm[] =
    R"({"message":"Where to?","requestedSchema":{"type":"object",)"
    R"("properties":{"city":{"type":"string"}},"required":["city"]}})";
constexpr char kSampling[] =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"x"}}],)"
    R"("maxTokens":100})";
constexpr char kUnlimited[] =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"x"}}]})";

policy::VirtualServer Policy() {
  policy::VirtualServer policy;
  policy.name = "dev";
  policy.upstreams = {{.name = "first", .transport = policy::HttpTransport{}},
                      {.name = "second", .transport = policy::HttpTransport{}}};
  policy.sampling = policy.elicitation = true;
  return policy;
}

ExplainCommand Command(const char* method, const char* params) {
  ExplainCommand command;
  command.virtual_server = "dev";
  command.method = method;
  command.params = params;
  return command;
}

const Failure* Refusal(const Explained& explained) {
  return std::get_if<Failure>(&explained.request.verdict);
}

TEST(ExplainTest, AnAdmittedRequestSaysWhatTheClientWouldGet) {
  const Explained explained =
      Explain(Policy(), Command("elicitation/create", kForm));
  ASSERT_TRUE(explained.violations.empty());
  const auto* admitted =
      std::get_if<trust::AdmittedRequest>(&explained.request.verdict);
  ASSERT_NE(admitted, nullptr);
  // The first upstream asks where none is named.
  EXPECT_NE(admitted->params_to_relay.find("[first] Where to?"),
            std::string::npos)
      << admitted->params_to_relay;
  EXPECT_FALSE(explained.response.has_value());
}

TEST(ExplainTest, ARefusedRequestHasNoJudgedResponse) {
  ExplainCommand command = Command("sampling/createMessage", kUnlimited);
  command.result = "{}";
  const Explained explained = Explain(Policy(), command);
  ASSERT_NE(Refusal(explained), nullptr);
  EXPECT_EQ(Refusal(explained)->reason, Reason::kInvalidRequest);
  EXPECT_FALSE(explained.response.has_value());
}

struct ResponseCase {
  const char* name;
  const char* method;
  const char* params;
  const char* result;
  const char* error;
  trust::ResponseOutcome want;
};

class ExplainResponseTest : public testing::TestWithParam<ResponseCase> {};

TEST_P(ExplainResponseTest, IsJudgedAgainstTheRequest) {
  ExplainCommand command = Command(GetParam().method, GetParam().params);
  if (GetParam().result != nullptr) command.result = GetParam().result;
  if (GetParam().error != nullptr) command.error = GetParam().error;
  const Explained explained = Explain(Policy(), command);
  ASSERT_TRUE(explained.response.has_value());
  EXPECT_EQ(explained.response->verdict.outcome, GetParam().want);
}

constexpr char kElicit[] = "elicitation/create";
constexpr char kSample[] = "sampling/createMessage";

INSTANTIATE_TEST_SUITE_P(
    Outcomes, ExplainResponseTest,
    testing::ValuesIn<ResponseCase>({
        {"GoodContentIsAnswered", kElicit, kForm,
         R"({"action":"accept","content":{"city":"Oslo"}})", nullptr,
         trust::ResponseOutcome::kAnswered},
        {"ADeclineIsDeclined", kElicit, kForm, R"({"action":"decline"})",
         nullptr, trust::ResponseOutcome::kDeclined},
        {"ACancelIsDismissed", kElicit, kForm, R"({"action":"cancel"})",
         nullptr, trust::ResponseOutcome::kDismissed},
        {"AMissingFieldIsInvalid", kElicit, kForm,
         R"({"action":"accept","content":{}})", nullptr,
         trust::ResponseOutcome::kInvalid},
        {"MinusOneDeclinesSampling", kSample, kSampling, nullptr,
         R"({"code":-1,"message":"no"})", trust::ResponseOutcome::kDeclined},
        {"AnotherErrorIsFailed", kSample, kSampling, nullptr,
         R"({"code":-32603,"message":"broken"})",
         trust::ResponseOutcome::kFailed},
    }),
    [](const auto& c) { return std::string(c.param.name); });

struct FactCase {
  const char* name;
  void (*change)(ExplainCommand&);
  Reason want;
};

class ExplainFactsTest : public testing::TestWithParam<FactCase> {};

TEST_P(ExplainFactsTest, DecideAsTheyWouldInACall) {
  ExplainCommand command = Command(kElicit, kForm);
  GetParam().change(command);
  const Explained explained = Explain(Policy(), command);
  ASSERT_TRUE(explained.violations.empty())
      << explained.violations.front().message;
  ASSERT_NE(Refusal(explained), nullptr);
  EXPECT_EQ(Refusal(explained)->reason, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Facts, ExplainFactsTest,
    testing::ValuesIn<FactCase>({
        {"OutsideACall",
         [](ExplainCommand& c) { c.attribution = Attribution::kNone; },
         Reason::kNoOperation},
        {"OfOneOfSeveralCalls",
         [](ExplainCommand& c) { c.attribution = Attribution::kAmbiguous; },
         Reason::kUnattributable},
        {"OfAClientThatDeclaredNothing",
         [](ExplainCommand& c) { c.client_capabilities = "{}"; },
         Reason::kCapabilityNotDeclared},
        {"OfARevisionWithoutElicitation",
         [](ExplainCommand& c) { c.upstream_revision = "2025-03-26"; },
         Reason::kNotPermitted},
        {"OfWhatThePolicyDoesNotPermit",
         [](ExplainCommand& c) {
           c.method = "roots/list";
           c.params = "{}";
         },
         Reason::kNotPermitted},
    }),
    [](const auto& c) { return std::string(c.param.name); });

struct ViolationCase {
  const char* name;
  void (*change)(ExplainCommand&);
  const char* field;
};

class ExplainViolationTest : public testing::TestWithParam<ViolationCase> {};

TEST_P(ExplainViolationTest, NamesItsFieldAndJudgesNothing) {
  ExplainCommand command = Command(kElicit, kForm);
  GetParam().change(command);
  const Explained explained = Explain(Policy(), command);
  ASSERT_EQ(explained.violations.size(), 1u);
  EXPECT_EQ(explained.violations[0].path, GetParam().field);
  EXPECT_TRUE(explained.request.rules.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ExplainViolationTest,
    testing::ValuesIn<ViolationCase>({
        {"AnUpstreamThatThePolicyDoesNotName",
         [](ExplainCommand& c) { c.upstream = "third"; }, "upstream"},
        {"AnUpstreamsUnknownRevision",
         [](ExplainCommand& c) { c.upstream_revision = "2024-11-05"; },
         "upstream_revision"},
        {"AClientsUnknownRevision",
         [](ExplainCommand& c) { c.client_revision = "latest"; },
         "client_revision"},
        {"CapabilitiesThatAreNoJson",
         [](ExplainCommand& c) { c.client_capabilities = "{"; },
         "client_capabilities"},
        {"CapabilitiesThatAreNoCapabilities",
         [](ExplainCommand& c) { c.client_capabilities = R"({"roots":1})"; },
         "client_capabilities"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ExplainTest, EveryViolationIsToldAtOnce) {
  ExplainCommand command = Command(kElicit, kForm);
  command.upstream = "third";
  command.upstream_revision = command.client_revision = "x";
  command.client_capabilities = "[]";
  EXPECT_EQ(Explain(Policy(), command).violations.size(), 4u);
}

class ExplainWorkTest : public BrokerFixture {
 protected:
  absl::StatusOr<Explained> Ask(const ExplainCommand& command) {
    return Wait<Explained>(
        [&](auto done) { broker_->Explain(command, std::move(done)); });
  }
};

TEST_F(ExplainWorkTest, LeavesNoTraceBehind) {
  const auto before = Log().size();
  const auto admitted = Ask(Command(kSample, kSampling));
  ASSERT_TRUE(admitted.ok()) << admitted.status();
  EXPECT_EQ(admitted->policy_version, 1);
  EXPECT_EQ(Refusal(*admitted), nullptr);
  const auto refused = Ask(Command(kSample, kUnlimited));
  ASSERT_TRUE(refused.ok()) << refused.status();
  EXPECT_NE(Refusal(*refused), nullptr);
  EXPECT_EQ(Log().size(), before);
  StoreFigures figures;
  ASSERT_TRUE(RunAndWait(*store_, [&](Transaction& tx) {
                figures = *tx.ReadFigures();
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(figures.open_input_requests, 0);
  EXPECT_EQ(figures.open_operations, 0);
}

// The same bytes through Admit give the same word.
TEST_F(ExplainWorkTest, SaysWhatAdmitSays) {
  AdmitCommand admit = Sampling();
  admit.requests[0].params = kUnlimited;
  const UpstreamReplyRow word = Refused(Admit(admit));
  ExplainCommand command = Command(kSample, kUnlimited);
  command.tool = admit.tool;
  const auto explained = Ask(command);
  ASSERT_TRUE(explained.ok()) << explained.status();
  ASSERT_NE(Refusal(*explained), nullptr);
  EXPECT_EQ(ReplyOf(*Refusal(*explained)), word);
}

TEST_F(ExplainWorkTest, AVirtualServerThatIsNotThereIsNotFound) {
  ExplainCommand command = Command(kSample, kSampling);
  command.virtual_server = "none";
  EXPECT_EQ(Ask(command).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gatehouse::broker
