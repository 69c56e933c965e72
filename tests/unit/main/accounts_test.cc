#include "controlplane/main/accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "controlplane/broker/states.h"
#include "gatehouse/v1/trust_service.pb.h"
#include "shared/base/fake_clock.h"

namespace gatehouse {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kTraceId[] = "4bf92f3577b34da6a3ce929d0e0e4736";

class AccountsTest : public testing::Test {
 protected:
  AccountsTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~AccountsTest() override { close(ends_[0]); }

  std::string Logged() {
    close(ends_[1]);
    std::string text(1 << 16, '\0');
    const ssize_t got = read(ends_[0], text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return text;
  }
  std::string Page() const {
    admin::MetricsPage page;
    accounts_->AddTo(page);
    return page.Text();
  }
  void Use(admin::LogLevel level) {
    log_ = std::make_unique<admin::Log>(clock_, level, ends_[1]);
    accounts_ = std::make_unique<Accounts>(*log_);
  }
  static audit::Record RecordOf(audit::RecordType type) {
    audit::Record record;
    record.type = type;
    record.kind = "sampling";
    record.virtual_server = "dev";
    record.upstream = "up";
    record.input_request_id = "q1";
    return record;
  }

  FakeClock clock_;
  int ends_[2] = {-1, -1};
  std::unique_ptr<admin::Log> log_;
  std::unique_ptr<Accounts> accounts_;
};

TEST_F(AccountsTest, ARefusalIsCountedByItsCounterAndLoggedWithItsTrace) {
  Use(admin::LogLevel::kInfo);
  audit::Record record = RecordOf(audit::RecordType::kRefused);
  record.to_state = InputRequestState::kRefused;
  record.reason = "not_permitted";
  // Two reasons have this name; the code tells them apart.
  record.error_code = -32602;
  accounts_->OnRecord(record, kTraceId);
  record.error_code = -32601;
  accounts_->OnRecord(record, "");
  EXPECT_THAT(Page(), HasSubstr(R"(feature="sampling",verdict="refuse",)"
                                R"(reason="not_permitted_detail"} 1)"));
  EXPECT_THAT(Page(), HasSubstr(R"(reason="not_permitted"} 1)"));
  const std::string log = Logged();
  EXPECT_THAT(log, HasSubstr(R"("event":"input_request_refused")"));
  EXPECT_THAT(log, HasSubstr(std::string(R"("traceId":")") + kTraceId));
}

TEST_F(AccountsTest, AnEndIsCountedAsItsState) {
  Use(admin::LogLevel::kInfo);
  audit::Record record = RecordOf(audit::RecordType::kExpired);
  record.to_state = InputRequestState::kExpired;
  record.reason = "expired";
  record.error_code = -32603;
  record.cause = "no_reply";
  accounts_->OnRecord(record, "");
  EXPECT_THAT(Page(), HasSubstr(R"(verdict="expired",reason="expired"} 1)"));
  EXPECT_THAT(Logged(), HasSubstr(R"("state":"EXPIRED","reason":"expired",)"
                                  R"("cause":"no_reply")"));
}

// Invariant 5: the twelve terminal states have twelve labels, which are their
// names in the contract and in the log.
TEST_F(AccountsTest, EveryTerminalStateHasALabelOfItsOwnAndOpenOnesNone) {
  Use(admin::LogLevel::kError);
  int terminal = 0;
  for (int number = v1::InputRequestState_MIN + 1;
       number <= v1::InputRequestState_MAX; ++number) {
    audit::Record record = RecordOf(audit::RecordType::kDecided);
    record.to_state = static_cast<InputRequestState>(number);
    for (int times = 0; times < number; ++times) {
      accounts_->OnRecord(record, "");
    }
    const std::string name =
        v1::InputRequestState_Name(static_cast<v1::InputRequestState>(number));
    EXPECT_EQ(audit::StateName(*record.to_state), name);
    const std::string sample =
        "gatehouse_control_input_requests_ended_total{feature=\"sampling\","
        "state=\"" +
        name + "\"} " + std::to_string(number) + "\n";
    if (broker::IsOpen(*record.to_state)) {
      EXPECT_THAT(Page(), Not(HasSubstr("state=\"" + name + "\"")));
    } else {
      ++terminal;
      EXPECT_THAT(Page(), HasSubstr(sample));
    }
  }
  EXPECT_EQ(terminal, 12);
}

TEST_F(AccountsTest, WhatIsOfEachCallIsLoggedForDebuggingOnly) {
  Use(admin::LogLevel::kInfo);
  accounts_->OnRecord(RecordOf(audit::RecordType::kForwarded), "");
  accounts_->OnRecord(RecordOf(audit::RecordType::kSessionOpened), "");
  accounts_->OnRecord(RecordOf(audit::RecordType::kWorkerLost), "");
  EXPECT_THAT(Page(), HasSubstr(R"(verdict="relay",reason="none"} 1)"));
  EXPECT_THAT(Page(), HasSubstr(R"({type="session_opened"} 1)"));
  const std::string log = Logged();
  EXPECT_THAT(log, Not(HasSubstr("relayed")));
  EXPECT_THAT(log, Not(HasSubstr("session_opened")));
  EXPECT_THAT(log, HasSubstr(R"("level":"warning","event":"worker_lost")"));
}

TEST_F(AccountsTest, AReasonOrMethodThatIsUnknownMakesNoLabelOfItsOwn) {
  Use(admin::LogLevel::kError);
  audit::Record record = RecordOf(audit::RecordType::kRefused);
  record.kind = "";
  record.reason = "what an upstream made up";
  accounts_->OnRecord(record, "");
  EXPECT_THAT(Page(), HasSubstr(R"(feature="other",verdict="refuse",)"
                                R"(reason="other"} 1)"));
  EXPECT_EQ(Logged(), "");
}

}  // namespace
}  // namespace gatehouse
