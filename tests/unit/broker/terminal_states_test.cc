// Invariant 5, exactly one end: every terminal state by each of its causes, and
// then everything that may still happen to it. Nothing turns one into another,
// and its record stands as it was written.
//
// No road of this build reaches DENIED (no reviewers) or REVOKED (a policy that
// changes ends nothing that is open); their arrows are in states_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/broker/states.h"
#include "tests/unit/broker/broker_fixture.h"

namespace gatehouse::broker {
namespace {

using S = InputRequestState;

constexpr S kUnreachedYet[] = {S::kDenied, S::kRevoked};

class TerminalStatesBase : public BrokerFixture {
 public:
  // For the cases below.
  using BrokerFixture::Admit;
  using BrokerFixture::Answer;
  using BrokerFixture::CloseSession;
  using BrokerFixture::Sampling;
  using BrokerFixture::session_;
  using BrokerFixture::Submit;

  // What a case ends.
  struct Raised {
    AdmitCommand admit;
    SubmitCommand submit;  // that ended it, if one did
    std::string id;
    std::string opaque_id;
  };

  Raised RaiseSampling() { return Raise(Sampling()); }
  Raised RaiseForm() {
    AdmitCommand command = Sampling();
    command.requests[0].method = "elicitation/create";
    command.requests[0].params =
        R"({"message":"m","requestedSchema":{"type":"object",)"
        R"("properties":{"a":{"type":"string"}}}})";
    return Raise(std::move(command));
  }
  Raised Raise(AdmitCommand command) {
    Raised raised;
    raised.admit = command;
    const auto admitted = Admit(std::move(command));
    EXPECT_TRUE(admitted.ok()) << admitted.status();
    if (!admitted.ok()) return raised;
    raised.id = admitted->words[0].input_request_id;
    const auto* relay = std::get_if<RelayWord>(&admitted->words[0].word);
    if (relay != nullptr) raised.opaque_id = relay->opaque_id;
    return raised;
  }

  // Permits URLs and roots as well.
  void PermitEverything() {
    ApplyPolicy(
        "kind: VirtualServer\nname: dev\nupstreams:\n"
        "  - { name: demo, http: { url: \"http://127.0.0.1:9/mcp\" } }\n"
        "clientFeatures: { sampling: true, elicitation: true, roots: true }\n"
        "trust: { elicitation: { url: true } }\n");
  }
  // `roots/list` outside of any call.
  AdmitCommand RootsOutside(const std::string& operation) {
    AdmitCommand command = Sampling();
    command.operation_id = operation;
    command.attribution = Attribution::kNone;
    command.tool.clear();
    command.requests[0].method = "roots/list";
    command.requests[0].params.clear();
    return command;
  }

  void AnswerWith(Raised& raised, std::string_view result,
                  const std::string& worker = "w1") {
    raised.submit = Answer(raised.opaque_id, result);
    if (worker == "w2") raised.submit.caller = Caller{"w2", epoch2_};
    EXPECT_TRUE(Submit(raised.submit).ok());
  }
  void FailWith(Raised& raised, std::string_view error) {
    raised.submit = Answer(raised.opaque_id);
    raised.submit.result.reset();
    raised.submit.error = std::string(error);
    EXPECT_TRUE(Submit(raised.submit).ok());
  }
  void CancelBy(const Raised& raised, CancelCause cause) {
    CancelCommand command;
    command.request_id = NextRequestId();
    command.caller = Caller{"w1", epoch1_};
    if (cause == CancelCause::kAdmitTimedOut) {
      command.admit_request_id = raised.admit.request_id;
    } else {
      command.input_request_id = raised.id;
    }
    command.cause = cause;
    // Once its worker is lost, this is refused, which is an answer as well.
    Cancel(command).status().IgnoreError();
  }
  void EndOperation(const Raised& raised, const std::string& end) {
    CloseOperationCommand command;
    command.request_id = NextRequestId();
    command.caller = Caller{"w1", epoch1_};
    command.operation_id = raised.admit.operation_id;
    command.session_id = session_;
    command.end = end;
    EXPECT_TRUE(Wait<int>([&](auto done) {
                  broker_->CloseOperation(command, std::move(done));
                }).ok());
  }
  void DeleteItsPolicy() {
    EXPECT_TRUE(Wait<bool>([&](auto done) {
                  broker_->DeletePolicy("dev", "", "test", std::move(done));
                }).ok());
  }
  void SweepAll() {
    while (Sweep().more) {
    }
  }
  void LoseLease() {
    clock_.Advance(sessions::kWorkerLease);
    SweepAll();
  }
  // Both workers keep their leases, but nobody answers.
  void PassDeadline() {
    for (int i = 0; i < 10; ++i) AdvanceRenewed(absl::Seconds(4));
    SweepAll();
  }
  int64_t AttachAnew() { return Attach("w1"); }

 protected:
  // The records in which the input request entered a state.
  std::vector<audit::Record> Ends(const std::string& id) {
    std::vector<audit::Record> ends;
    for (audit::Record& record : Log()) {
      if (record.input_request_id == id && record.to_state.has_value() &&
          !IsOpen(*record.to_state)) {
        ends.push_back(std::move(record));
      }
    }
    return ends;
  }

  // All that may come afterwards, the most final last.
  void EverythingElse(Raised& raised) {
    Submit(Answer(raised.opaque_id)).status().IgnoreError();
    SubmitCommand elsewhere = Answer(raised.opaque_id);
    elsewhere.caller = Caller{"w2", epoch2_};
    Submit(std::move(elsewhere)).status().IgnoreError();
    if (!raised.submit.request_id.empty()) {
      Submit(raised.submit).status().IgnoreError();
    }
    Admit(raised.admit).status().IgnoreError();
    for (const CancelCause cause :
         {CancelCause::kUpstream, CancelCause::kClientUnreachable,
          CancelCause::kAdmitTimedOut}) {
      CancelBy(raised, cause);
    }
    Claim(raised.id).status().IgnoreError();
    Acknowledge(raised.id).status().IgnoreError();
    Claim(raised.id, "w2").status().IgnoreError();
    PassDeadlineQuietly();
    CloseOperation(raised.admit.operation_id).status().IgnoreError();
    CloseSession(session_).status().IgnoreError();
    LoseLease();
    AttachAnew();
    SweepAll();
    Submit(Answer(raised.opaque_id)).status().IgnoreError();
  }

 private:
  // Like PassDeadline where a case may have lost the workers already.
  void PassDeadlineQuietly() {
    for (int i = 0; i < 10; ++i) {
      clock_.Advance(absl::Seconds(4));
      for (const Caller& worker :
           {Caller{"w1", epoch1_}, Caller{"w2", epoch2_}}) {
        Wait<bool>(
            [&](auto done) { broker_->Renew(worker, 0, {}, std::move(done)); })
            .status()
            .IgnoreError();
      }
    }
    SweepAll();
  }
};

using Raised = TerminalStatesBase::Raised;

struct EndCase {
  const char* name;
  S state;
  const char* cause;
  Raised (*end)(TerminalStatesBase&);
};

constexpr char kGoodForm[] = R"({"action":"accept","content":{"a":"x"}})";
constexpr char kGood[] =
    R"({"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"})";

// Raises a sampling request and ends it by `end`.
template <typename End>
Raised After(TerminalStatesBase& test, const End& end) {
  Raised raised = test.RaiseSampling();
  end(raised);
  return raised;
}

using T = TerminalStatesBase;

const std::vector<EndCase>& Cases() {
  static const auto* const cases = new std::vector<EndCase>{
      {"RefusedByTheJudge", S::kRefused, "",
       [](T& t) {
         AdmitCommand command = t.Sampling();
         command.requests[0].params = "{}";
         return t.Raise(std::move(command));
       }},
      {"RefusedByTheBudget", S::kRefused, "",
       [](T& t) {
         t.Raise(t.Sampling(4096));
         t.Raise(t.Sampling(4096));
         return t.Raise(t.Sampling(1));
       }},
      {"RefusedWithoutAnOperation", S::kRefused, "",
       [](T& t) {
         AdmitCommand command = t.Sampling();
         command.operation_id.clear();
         command.attribution = Attribution::kNone;
         return t.Raise(std::move(command));
       }},
      {"AnsweredToItsOwner", S::kAnswered, "client",
       [](T& t) {
         return After(t, [&](Raised& r) { t.AnswerWith(r, kGood); });
       }},
      {"AnsweredAtAnotherWorker", S::kAnswered, "client",
       [](T& t) {
         return After(t, [&](Raised& r) { t.AnswerWith(r, kGood, "w2"); });
       }},
      {"AnsweredAForm", S::kAnswered, "client",
       [](T& t) {
         Raised raised = t.RaiseForm();
         t.AnswerWith(raised, kGoodForm);
         return raised;
       }},
      {"AnsweredFromTheRootsThatWereKept", S::kAnswered, "kept_roots",
       [](T& t) {
         t.PermitEverything();
         Raised first = t.Raise(t.RootsOutside("outside-1"));
         t.AnswerWith(first, R"({"roots":[]})");
         return t.Raise(t.RootsOutside("outside-2"));
       }},
      {"NotifiedOfAUrl", S::kNotified, "",
       [](T& t) {
         t.PermitEverything();
         AdmitCommand command = t.Sampling();
         command.notified = true;
         command.requests[0].method = "elicitation/create";
         command.requests[0].params =
             R"({"mode":"url","message":"m","url":"https://a.example/x",)"
             R"("elicitationId":"theirs"})";
         return t.Raise(std::move(command));
       }},
      {"DeclinedSampling", S::kDeclined, "client",
       [](T& t) {
         return After(t, [&](Raised& r) {
           t.FailWith(r, R"({"code":-1,"message":"no"})");
         });
       }},
      {"DeclinedAForm", S::kDeclined, "client",
       [](T& t) {
         Raised raised = t.RaiseForm();
         t.AnswerWith(raised, R"({"action":"decline"})");
         return raised;
       }},
      {"DismissedAForm", S::kDismissed, "client",
       [](T& t) {
         Raised raised = t.RaiseForm();
         t.AnswerWith(raised, R"({"action":"cancel"})", "w2");
         return raised;
       }},
      {"InvalidByItsShape", S::kInvalid, "client",
       [](T& t) {
         return After(t, [&](Raised& r) { t.AnswerWith(r, "{}"); });
       }},
      {"InvalidByItsSize", S::kInvalid, "client",
       [](T& t) {
         return After(t, [&](Raised& r) {
           r.submit = t.Answer(r.opaque_id);
           r.submit.result.reset();
           r.submit.oversized_bytes = 2 << 20;
           EXPECT_TRUE(t.Submit(r.submit).ok());
         });
       }},
      {"FailedByTheClientsError", S::kFailed, "client",
       [](T& t) {
         return After(t, [&](Raised& r) {
           t.FailWith(r, R"({"code":-32000,"message":"boom"})");
         });
       }},
      {"FailedWithACodeThatIsPassedOn", S::kFailed, "client",
       [](T& t) {
         return After(t, [&](Raised& r) {
           t.FailWith(r, R"({"code":-31001,"message":"boom"})");
         });
       }},
      {"ExpiredWithoutAReply", S::kExpired, "no_reply",
       [](T& t) { return After(t, [&](Raised&) { t.PassDeadline(); }); }},
      {"CancelledByTheUpstream", S::kCancelled, "upstream",
       [](T& t) {
         return After(
             t, [&](Raised& r) { t.CancelBy(r, CancelCause::kUpstream); });
       }},
      {"CancelledForAnAdmitThatTimedOut", S::kCancelled, "admit_timed_out",
       [](T& t) {
         return After(
             t, [&](Raised& r) { t.CancelBy(r, CancelCause::kAdmitTimedOut); });
       }},
      {"CancelledForAClientThatIsGone", S::kCancelled, "client_unreachable",
       [](T& t) {
         return After(t, [&](Raised& r) {
           t.CancelBy(r, CancelCause::kClientUnreachable);
         });
       }},
      {"CancelledByTheClientsCancelOfItsCall", S::kCancelled,
       "operation_client_cancelled",
       [](T& t) {
         return After(
             t, [&](Raised& r) { t.EndOperation(r, "client_cancelled"); });
       }},
      {"CancelledByTheEndOfItsOperation", S::kCancelled, "operation_completed",
       [](T& t) {
         return After(t, [&](Raised& r) { t.EndOperation(r, "completed"); });
       }},
      {"CancelledByTheEndOfItsSession", S::kCancelled, "session",
       [](T& t) {
         return After(
             t, [&](Raised&) { EXPECT_TRUE(t.CloseSession(t.session_).ok()); });
       }},
      {"CancelledWithItsVirtualServer", S::kCancelled, "session",
       [](T& t) { return After(t, [&](Raised&) { t.DeleteItsPolicy(); }); }},
      {"LostWithItsWorkersLease", S::kLost, "worker_lost",
       [](T& t) { return After(t, [&](Raised&) { t.LoseLease(); }); }},
      {"LostWithItsWorkersProcess", S::kLost, "worker_lost",
       [](T& t) { return After(t, [&](Raised&) { t.AttachAnew(); }); }},
  };
  return *cases;
}

class TerminalStatesTest : public TerminalStatesBase,
                           public testing::WithParamInterface<EndCase> {};

TEST_P(TerminalStatesTest, IsReachedOnceAndStaysWhateverComesAfterwards) {
  Raised raised = GetParam().end(*this);
  const InputRequestRow row = RowOf(raised.id);
  ASSERT_EQ(row.state, GetParam().state)
      << audit::StateName(row.state) << " " << row.reason;
  EXPECT_EQ(row.cause, GetParam().cause);
  EXPECT_TRUE(row.end_time.has_value());
  EXPECT_FALSE(row.deadline.has_value());
  const std::vector<audit::Record> ends = Ends(raised.id);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].to_state, GetParam().state);
  EXPECT_EQ(ends[0].cause, GetParam().cause);

  EverythingElse(raised);

  const InputRequestRow later = RowOf(raised.id);
  EXPECT_EQ(later.state, row.state) << audit::StateName(later.state);
  EXPECT_EQ(later.cause, row.cause);
  EXPECT_EQ(later.reason, row.reason);
  EXPECT_EQ(later.end_time, row.end_time);
  EXPECT_EQ(later.submit_request_id, row.submit_request_id);
  EXPECT_EQ(Ends(raised.id), ends);
}

INSTANTIATE_TEST_SUITE_P(Causes, TerminalStatesTest, testing::ValuesIn(Cases()),
                         [](const auto& c) {
                           return std::string(c.param.name);
                         });

// Twelve names, and each of them is reached above or named as unreached.
TEST(TerminalStates, AreTwelveAndEachIsReachedAboveOrSaysThatItIsNot) {
  std::set<S> reached(std::begin(kUnreachedYet), std::end(kUnreachedYet));
  for (const EndCase& end_case : Cases()) reached.insert(end_case.state);
  std::set<S> terminal;
  std::set<std::string_view> names;
  for (int number = static_cast<int>(S::kRelayed);
       number <= static_cast<int>(S::kPendingRelease); ++number) {
    const auto state = static_cast<S>(number);
    EXPECT_TRUE(names.insert(audit::StateName(state)).second);
    EXPECT_EQ(audit::StateFromName(audit::StateName(state)), state);
    if (!IsOpen(state)) terminal.insert(state);
  }
  EXPECT_EQ(terminal.size(), 12u);
  EXPECT_EQ(reached, terminal);
}

}  // namespace
}  // namespace gatehouse::broker
