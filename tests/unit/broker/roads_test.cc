// The other roads of an admission: URL mode and its id, the elicitations of a
// `-32042` error, `roots/list` outside of any call. Defends invariants 1 (no
// decision without the control plane), 2 (default deny), 3 (one judge), 5
// (exactly one end), 6 (audit before effect) and 7 (budgets hold).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "shared/base/digest.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kRoots =
    R"({"roots":[{"uri":"file:///home/a","name":"a"}]})";

class RoadsTest : public BrokerFixture {
 protected:
  RoadsTest() { ApplyPolicy(Policy("[login.example.com]")); }

  static std::string Policy(const std::string& hosts,
                            const std::string& more = "") {
    return "kind: VirtualServer\nname: dev\n"
           "upstreams:\n"
           "  - { name: demo, http: { url: \"http://127.0.0.1:9/mcp\" } }\n"
           "clientFeatures: { sampling: true, elicitation: true, roots: true "
           "}\n"
           "trust: { elicitation: { url: true, urlHosts: " +
           hosts + " } }\n" + more;
  }

  static RaisedRequest Visit(const std::string& key, const std::string& url) {
    RaisedRequest request;
    request.key = key;
    request.method = "elicitation/create";
    request.params =
        absl::StrCat(R"({"mode":"url","message":"log in","url":")", url,
                     R"(","elicitationId":"theirs-)", key, R"("})");
    return request;
  }
  static RaisedRequest GoodVisit(const std::string& key) {
    return Visit(key, "https://login.example.com/x?e=" + key);
  }

  AdmitCommand Asking(std::vector<RaisedRequest> requests) {
    AdmitCommand command = Sampling();
    command.requests = std::move(requests);
    return command;
  }
  AdmitCommand Notified(std::vector<RaisedRequest> requests) {
    AdmitCommand command = Asking(std::move(requests));
    command.notified = true;
    return command;
  }
  AdmitCommand RootsOutside(const std::string& operation = "outside-1") {
    RaisedRequest request;
    request.key = "1";
    request.method = "roots/list";
    AdmitCommand command = Asking({request});
    command.attribution = Attribution::kNone;
    command.operation_id = operation;
    command.tool = "";
    return command;
  }
  absl::StatusOr<bool> ForgetRoots(const std::string& session) {
    return Wait<bool>([&](auto done) {
      broker_->ForgetRoots(Caller{"w1", epoch1_}, session, std::move(done));
    });
  }
  // Asks for the roots outside of a call and has the client answer.
  void LearnRoots(std::string_view roots = kRoots) {
    const RelayWord relay = Relayed(Admit(RootsOutside("outside-0")));
    const auto settled = Submit(Answer(relay.opaque_id, roots));
    ASSERT_TRUE(settled.ok()) << settled.status();
    ASSERT_EQ(settled->verdict, SubmitOutcome::Verdict::kDeliver);
  }
  static std::string Answered(const absl::StatusOr<AdmitOutcome>& outcome) {
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    if (!outcome.ok() || outcome->words.size() != 1) return "";
    const auto* answer = std::get_if<AnswerWord>(&outcome->words[0].word);
    EXPECT_NE(answer, nullptr) << "not answered from what was kept";
    return answer == nullptr ? "" : answer->result;
  }
};

// ---- URL mode by request.

TEST_F(RoadsTest, AVisitIsRelayedUnderAnElicitationIdOfOurs) {
  const auto outcome = Admit(Asking({GoodVisit("1")}));
  const RelayWord relay = Relayed(outcome);
  EXPECT_THAT(relay.elicitation_id, SizeIs(43));  // 256 bits in base64url
  EXPECT_NE(relay.elicitation_id, relay.opaque_id);
  EXPECT_THAT(relay.params, HasSubstr(relay.elicitation_id));
  EXPECT_THAT(relay.params, Not(HasSubstr("theirs")));
  EXPECT_THAT(relay.params, HasSubstr("https://login.example.com/x?e=1"));
}

TEST_F(RoadsTest, EachVisitHasAnIdOfItsOwnThatItsReplayHasToo) {
  std::set<std::string> ids;
  for (const char* key : {"1", "2", "3"}) {
    AdmitCommand command = Asking({GoodVisit(key)});
    const RelayWord relay = Relayed(Admit(command));
    EXPECT_EQ(Relayed(Admit(command)).elicitation_id, relay.elicitation_id);
    ids.insert(relay.elicitation_id);
  }
  EXPECT_THAT(ids, SizeIs(3));
}

TEST_F(RoadsTest, WhatIsNotUrlModeHasNoElicitationId) {
  EXPECT_THAT(Relayed(Admit(Sampling())).elicitation_id, IsEmpty());
}

TEST_F(RoadsTest, AnAcceptedVisitIsDeliveredAsTheBareAction) {
  const RelayWord relay = Relayed(Admit(Asking({GoodVisit("1")})));
  const auto settled =
      Submit(Answer(relay.opaque_id, R"({"action":"accept"})"));
  ASSERT_TRUE(settled.ok()) << settled.status();
  EXPECT_EQ(settled->state, InputRequestState::kAnswered);
  EXPECT_EQ(settled->deliver.result, R"({"action":"accept"})");
}

// ---- The elicitations of a `-32042` error.

TEST_F(RoadsTest, NotifiedVisitsEndAtOnceAndOweNothing) {
  const auto outcome = Admit(Notified({GoodVisit("0"), GoodVisit("1")}));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_THAT(outcome->words, SizeIs(2));
  for (const AdmitWord& word : outcome->words) {
    const auto* notify = std::get_if<NotifyWord>(&word.word);
    ASSERT_NE(notify, nullptr);
    EXPECT_THAT(notify->params, HasSubstr(notify->elicitation_id));
    EXPECT_THAT(notify->params, Not(HasSubstr("theirs")));
    const InputRequestRow row = RowOf(word.input_request_id);
    EXPECT_EQ(row.state, InputRequestState::kNotified);
    EXPECT_EQ(row.delivery, DeliveryState::kNone);
    EXPECT_FALSE(row.deadline.has_value());
    EXPECT_TRUE(row.end_time.has_value());
    EXPECT_THAT(row.params, IsEmpty()) << "content is not kept past the end";
    EXPECT_FALSE(row.reply.has_value());
  }
  const OperationRow operation = OperationOf("operation-1");
  EXPECT_EQ(operation.slots_used, 2);
  EXPECT_EQ(operation.tokens_charged + operation.tokens_reserved, 0);
  const std::vector<audit::Record> log = Log();
  EXPECT_EQ(log.back().type, audit::RecordType::kNotified);
  EXPECT_EQ(log.back().to_state, InputRequestState::kNotified);
  EXPECT_EQ(log.back().outcome, "notify");
  EXPECT_EQ(CountInLog(audit::RecordType::kNotified), 2);
  EXPECT_EQ(CountInLog(audit::RecordType::kForwarded), 0);
}

TEST_F(RoadsTest, NothingThatComesLaterChangesANotifiedOne) {
  const auto outcome = Admit(Notified({GoodVisit("0")}));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const std::string id = outcome->words[0].input_request_id;
  const auto reply =
      Submit(Answer(keys_.OpaqueIdOf(id), R"({"action":"accept"})"));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->verdict, SubmitOutcome::Verdict::kIgnored);
  CancelCommand cancel;
  cancel.request_id = NextRequestId();
  cancel.caller = Caller{"w1", epoch1_};
  cancel.input_request_id = id;
  ASSERT_TRUE(Cancel(cancel).ok());
  ASSERT_TRUE(CloseOperation("operation-1").ok());
  AdvanceRenewed(absl::Minutes(20));
  Sweep();
  EXPECT_EQ(RowOf(id).state, InputRequestState::kNotified);
  EXPECT_THAT(MailOf("w1"), Not(testing::Contains(testing::Field(
                                &MailRow::kind, MailKind::kDeliveryReady))));
}

TEST_F(RoadsTest, OneRefusedVisitRefusesThemAllWithTheClientsError) {
  const auto outcome = Admit(Notified(
      {GoodVisit("0"), Visit("1", "https://evil.example/x"), GoodVisit("2")}));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_THAT(outcome->words, SizeIs(3));
  for (const AdmitWord& word : outcome->words) {
    const auto* refusal = std::get_if<UpstreamReplyRow>(&word.word);
    ASSERT_NE(refusal, nullptr) << "one of a refused whole was admitted";
    EXPECT_EQ(refusal->code, -32603);
    EXPECT_EQ(refusal->reason, "not_permitted");
    EXPECT_THAT(refusal->message, Not(HasSubstr("https://")));
    EXPECT_THAT(refusal->data, Not(HasSubstr("https://")));
    EXPECT_THAT(refusal->data, HasSubstr(R"("path":"/elicitations/1/url")"));
    EXPECT_EQ(RowOf(word.input_request_id).state, InputRequestState::kRefused);
  }
  EXPECT_EQ(OperationOf("operation-1").slots_used, 0);
  EXPECT_EQ(CountInLog(audit::RecordType::kNotified), 0);
  EXPECT_EQ(CountInLog(audit::RecordType::kRefused), 3);
}

TEST_F(RoadsTest, AMalformedVisitIsTheUpstreamsFaultTowardsTheClient) {
  const auto outcome = Admit(Notified({Visit("0", "ftp://login.example.com")}));
  const UpstreamReplyRow refusal = Refused(outcome);
  EXPECT_EQ(refusal.code, -32603);
  EXPECT_EQ(refusal.reason, "upstream_protocol_error");
  EXPECT_THAT(refusal.data, HasSubstr(R"("path":"/elicitations/0/url")"));
  EXPECT_EQ(RowOf(outcome->words[0].input_request_id).reason,
            "invalid_request");
}

TEST_F(RoadsTest, ARefusedVisitThatIsNoObjectIsNamedByItsPlaceAlone) {
  RaisedRequest no_object = GoodVisit("1");
  no_object.params = "7";
  const auto outcome = Admit(Notified({GoodVisit("0"), no_object}));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_THAT(outcome->words, SizeIs(2));
  for (const AdmitWord& word : outcome->words) {
    const auto* refusal = std::get_if<UpstreamReplyRow>(&word.word);
    ASSERT_NE(refusal, nullptr);
    EXPECT_THAT(refusal->data, HasSubstr(R"("path":"/elicitations/1")"));
  }
}

TEST_F(RoadsTest, AVisitThatIsRefusedUnreadHasNoPath) {
  ApplyPolicy(
      "kind: VirtualServer\nname: dev\nupstreams:\n"
      "  - { name: demo, http: { url: \"http://127.0.0.1:9/mcp\" } }\n");
  const UpstreamReplyRow refusal = Refused(Admit(Notified({GoodVisit("0")})));
  EXPECT_EQ(refusal.reason, "not_permitted");
  EXPECT_THAT(refusal.data, Not(HasSubstr("path")));
}

TEST_F(RoadsTest, WhatIsNoVisitIsRefusedInAnError) {
  RaisedRequest form;
  form.key = "0";
  form.method = "elicitation/create";
  form.params =
      R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})";
  EXPECT_EQ(Refused(Admit(Notified({form}))).code, -32603);
}

TEST_F(RoadsTest, NotifiedVisitsTakeSlotsAndAreRefusedWholeWithoutThem) {
  for (int i = 0; i < 7; ++i) Relayed(Admit(Sampling(10)));
  const auto outcome = Admit(Notified({GoodVisit("0"), GoodVisit("1")}));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  for (const AdmitWord& word : outcome->words) {
    const auto* refusal = std::get_if<UpstreamReplyRow>(&word.word);
    ASSERT_NE(refusal, nullptr);
    EXPECT_EQ(refusal->code, -31001);
    EXPECT_EQ(refusal->reason, "budget_exhausted");
  }
  EXPECT_EQ(OperationOf("operation-1").slots_used, 7);
}

TEST_F(RoadsTest, TheSameNotifiedCallAgainHasTheSameWord) {
  const AdmitCommand command = Notified({GoodVisit("0"), GoodVisit("1")});
  const auto first = Admit(command);
  const auto again = Admit(command);
  ASSERT_TRUE(first.ok() && again.ok());
  ASSERT_THAT(again->words, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(std::get<NotifyWord>(again->words[i].word).params,
              std::get<NotifyWord>(first->words[i].word).params);
  }
  EXPECT_EQ(OperationOf("operation-1").slots_used, 2);
  EXPECT_EQ(CountInLog(audit::RecordType::kNotified), 2);
}

// ---- Roots outside of a call.

TEST_F(RoadsTest, WithoutKeptRootsTheClientIsAskedUnderAnOperationOfItsOwn) {
  const auto outcome = Admit(RootsOutside());
  const RelayWord relay = Relayed(outcome);
  EXPECT_EQ(relay.time_left, absl::Seconds(30));
  const OperationRow operation = OperationOf("outside-1");
  EXPECT_TRUE(operation.open);
  EXPECT_EQ(operation.slots_used, 0) << "no budget is touched";
  EXPECT_EQ(RowOf(outcome->words[0].input_request_id).state,
            InputRequestState::kRelayed);
}

TEST_F(RoadsTest, WhatTheClientAnsweredIsTheAnswerFromThenOn) {
  LearnRoots();
  const size_t records = Log().size();
  const auto outcome = Admit(RootsOutside());
  EXPECT_EQ(Answered(outcome), kRoots);
  const InputRequestRow row = RowOf(outcome->words[0].input_request_id);
  EXPECT_EQ(row.state, InputRequestState::kAnswered);
  EXPECT_EQ(row.cause, "kept_roots");
  EXPECT_EQ(row.operation_id, "");
  const std::vector<audit::Record> log = Log();
  ASSERT_EQ(log.size(), records + 1);
  EXPECT_EQ(log.back().type, audit::RecordType::kAnswered);
  EXPECT_EQ(log.back().outcome, "answer");
  AdmitCommand ambiguous = RootsOutside();
  ambiguous.attribution = Attribution::kAmbiguous;
  EXPECT_EQ(Answered(Admit(std::move(ambiguous))), kRoots);
}

TEST_F(RoadsTest, RootsThatWereAnsweredDuringACallAreKeptAsWell) {
  RaisedRequest request;
  request.key = "1";
  request.method = "roots/list";
  const RelayWord relay = Relayed(Admit(Asking({request})));
  ASSERT_TRUE(Submit(Answer(relay.opaque_id, kRoots)).ok());
  EXPECT_EQ(Answered(Admit(RootsOutside(""))), kRoots);
}

TEST_F(RoadsTest, RootsThatTheJudgeRefusedAreNotKept) {
  const RelayWord relay = Relayed(Admit(RootsOutside("outside-0")));
  const auto settled = Submit(
      Answer(relay.opaque_id, R"({"roots":[{"uri":"https://example.com/"}]})"));
  ASSERT_TRUE(settled.ok());
  EXPECT_EQ(settled->state, InputRequestState::kInvalid);
  Relayed(Admit(RootsOutside()));
}

TEST_F(RoadsTest, AnotherSessionIsNotAnsweredFromThem) {
  LearnRoots();
  AdmitCommand command = RootsOutside();
  command.session_id = OpenSession();
  Relayed(Admit(std::move(command)));
}

TEST_F(RoadsTest, KeptRootsEndWithTheSession) {
  LearnRoots();
  ASSERT_TRUE(CloseSession(session_).ok());
  const absl::Status gone = RunAndWait(
      *store_, [&](Transaction& tx) { return tx.GetRoots(session_).status(); });
  EXPECT_EQ(gone.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(Refused(Admit(RootsOutside())).reason, "");
}

TEST_F(RoadsTest, AChangeOfTheRootsHasTheClientAskedAgain) {
  LearnRoots();
  ASSERT_TRUE(ForgetRoots(session_).ok());
  AdvanceRenewed(absl::Seconds(1));
  const RelayWord relay = Relayed(Admit(RootsOutside()));
  ASSERT_TRUE(Submit(Answer(relay.opaque_id, kRoots)).ok());
  EXPECT_EQ(Answered(Admit(RootsOutside(""))), kRoots);
  EXPECT_EQ(ForgetRoots("nobody").status().code(), absl::StatusCode::kNotFound);
}

// The client told of a change while it was being asked: what it answers then
// may be what it had before, so it is delivered and not kept.
TEST_F(RoadsTest, AnAnswerToWhatWasAskedBeforeTheChangeIsNotKept) {
  constexpr std::string_view kNew = R"({"roots":[{"uri":"file:///home/b"}]})";
  const RelayWord before = Relayed(Admit(RootsOutside("outside-0")));
  AdvanceRenewed(absl::Seconds(1));
  ASSERT_TRUE(ForgetRoots(session_).ok());
  const auto settled = Submit(Answer(before.opaque_id, kRoots));
  ASSERT_TRUE(settled.ok()) << settled.status();
  EXPECT_EQ(settled->deliver.result, kRoots);
  AdvanceRenewed(absl::Seconds(1));
  const RelayWord after = Relayed(Admit(RootsOutside("outside-1")));
  ASSERT_TRUE(Submit(Answer(after.opaque_id, kNew)).ok());
  EXPECT_EQ(Answered(Admit(RootsOutside(""))), kNew);
}

// The answers come in the other order: the older one replaces nothing.
TEST_F(RoadsTest, ALateAnswerFromBeforeTheChangeDoesNotReplaceANewerOne) {
  constexpr std::string_view kNew = R"({"roots":[{"uri":"file:///home/b"}]})";
  RaisedRequest request;
  request.key = "1";
  request.method = "roots/list";
  const RelayWord before = Relayed(Admit(Asking({request})));
  AdvanceRenewed(absl::Seconds(1));
  ASSERT_TRUE(ForgetRoots(session_).ok());
  AdvanceRenewed(absl::Seconds(1));
  const RelayWord after = Relayed(Admit(Asking({request})));
  ASSERT_TRUE(Submit(Answer(after.opaque_id, kNew)).ok());
  ASSERT_TRUE(Submit(Answer(before.opaque_id, kRoots)).ok());
  EXPECT_EQ(Answered(Admit(RootsOutside(""))), kNew);
}

// Invariant 3: what was kept under one policy is judged under another.
TEST_F(RoadsTest, KeptRootsThatThePolicyNoLongerLetsPassAreNotTheAnswer) {
  LearnRoots();
  ApplyPolicy(Policy("[a.example]", "limits: { inputResponseBytes: 8 }\n"));
  Relayed(Admit(RootsOutside()));
}

TEST_F(RoadsTest, RootsThatThePolicyLeavesOffAreNotTheAnswerEither) {
  LearnRoots();
  ApplyPolicy(R"(
kind: VirtualServer
name: dev
upstreams: [{ name: demo, http: { url: "http://127.0.0.1:9/mcp" } }]
)");
  EXPECT_EQ(Refused(Admit(RootsOutside())).reason, "not_permitted");
}

TEST_F(RoadsTest, TheClientIsAskedOnceAtATime) {
  Relayed(Admit(RootsOutside("outside-1")));
  const UpstreamReplyRow refusal = Refused(Admit(RootsOutside("outside-2")));
  EXPECT_EQ(refusal.reason, "too_many_open");
  EXPECT_THAT(refusal.data, HasSubstr("retryAfterMs"));
}

TEST_F(RoadsTest, WithoutAnOperationToAskUnderItIsRefused) {
  EXPECT_EQ(Refused(Admit(RootsOutside(""))).reason, "no_operation");
}

TEST_F(RoadsTest, NothingButRootsMayBeAskedOutsideOfACall) {
  AdmitCommand command = Asking({GoodVisit("1")});
  command.attribution = Attribution::kNone;
  command.operation_id = "outside-1";
  EXPECT_EQ(Refused(Admit(std::move(command))).reason, "no_operation");
}

TEST_F(RoadsTest, TheSameAskingAgainHasTheSameWord) {
  const AdmitCommand asking = RootsOutside("outside-0");
  const RelayWord relay = Relayed(Admit(asking));
  EXPECT_EQ(Relayed(Admit(asking)).opaque_id, relay.opaque_id);
  ASSERT_TRUE(Submit(Answer(relay.opaque_id, kRoots)).ok());
  const AdmitCommand later = RootsOutside();
  EXPECT_EQ(Answered(Admit(later)), kRoots);
  const size_t records = Log().size();
  EXPECT_EQ(Answered(Admit(later)), kRoots);
  EXPECT_EQ(Log().size(), records);
}

// Invariant 5: what is asked outside of a call ends with what it hangs on.
TEST_F(RoadsTest, AnAskingEndsWithItsSessionItsWorkerAndItsTime) {
  const auto by_session = Admit(RootsOutside());
  ASSERT_TRUE(CloseSession(session_).ok());
  EXPECT_EQ(RowOf(by_session->words[0].input_request_id).state,
            InputRequestState::kCancelled);

  session_ = OpenSession();
  const auto by_time = Admit(RootsOutside("outside-2"));
  AdvanceRenewed(absl::Seconds(31));
  EXPECT_EQ(Sweep().expired, 1);
  EXPECT_EQ(RowOf(by_time->words[0].input_request_id).state,
            InputRequestState::kExpired);

  const auto by_worker = Admit(RootsOutside("outside-3"));
  Attach("w1", 0);
  EXPECT_EQ(RowOf(by_worker->words[0].input_request_id).state,
            InputRequestState::kLost);
}

}  // namespace
}  // namespace gatehouse::broker
