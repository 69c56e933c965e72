#ifndef GATEHOUSE_TESTS_UNIT_BROKER_BROKER_FIXTURE_H_
#define GATEHOUSE_TESTS_UNIT_BROKER_BROKER_FIXTURE_H_

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/audit/record.h"
#include "controlplane/broker/broker.h"
#include "controlplane/store/store.h"
#include "shared/base/fake_clock.h"
#include "shared/base/random.h"

namespace gatehouse::broker {

// A broker on the in-memory store, two attached workers `w1` and `w2`, a
// virtual server `dev` with the upstream `demo`, and one client's session.
// Each helper is one call, waited for.
class BrokerFixture : public testing::Test {
 protected:
  BrokerFixture();
  ~BrokerFixture() override;

  // `DONE` by reference to the method, arguments, and the answer.
  template <typename T, typename Call>
  absl::StatusOr<T> Wait(Call call) {
    auto promise = std::make_shared<std::promise<absl::StatusOr<T>>>();
    std::future<absl::StatusOr<T>> future = promise->get_future();
    call([promise](absl::StatusOr<T> answer) {
      promise->set_value(std::move(answer));
    });
    return future.get();
  }

  void ApplyPolicy(std::string_view document);
  int64_t Attach(const std::string& worker_id, int64_t epoch = 0,
                 const std::string& cluster = "default");
  std::string OpenSession(const std::string& subject = "anonymous");

  // An Admit of one sampling request; change what the test is about.
  AdmitCommand Sampling(int64_t max_tokens = 100);
  absl::StatusOr<AdmitOutcome> Admit(AdmitCommand command);
  SubmitCommand Answer(const std::string& opaque_id,
                       std::string_view result = kGoodResult);
  absl::StatusOr<SubmitOutcome> Submit(SubmitCommand command);
  absl::StatusOr<CancelOutcome> Cancel(CancelCommand command);
  absl::StatusOr<int> CloseOperation(const std::string& operation_id);
  absl::StatusOr<std::optional<UpstreamReplyRow>> Claim(
      const std::string& id, const std::string& worker = "w1");
  absl::StatusOr<bool> Acknowledge(const std::string& id);
  absl::StatusOr<int> CloseSession(const std::string& session_id);
  SweepOutcome Sweep();
  // Moves the clock while both workers keep their leases.
  void AdvanceRenewed(absl::Duration by);

  // What the store has.
  InputRequestRow RowOf(const std::string& id);
  OperationRow OperationOf(const std::string& id);
  std::vector<MailRow> MailOf(const std::string& worker_id);
  std::vector<audit::Record> Log();
  int CountInLog(audit::RecordType type);

  std::string NextRequestId();
  // The relayed word of an outcome with one entry; fails the test if refused.
  static RelayWord Relayed(const absl::StatusOr<AdmitOutcome>& outcome);
  static UpstreamReplyRow Refused(const absl::StatusOr<AdmitOutcome>& outcome);

  static constexpr std::string_view kGoodResult =
      R"({"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"})";

  FakeClock clock_;
  SeededRandom random_{42};
  Keys keys_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Broker> broker_;
  sessions::MailedWorkers hinted_;
  std::string session_;
  int64_t epoch1_ = 0;
  int64_t epoch2_ = 0;
  int requests_ = 0;
};

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_TESTS_UNIT_BROKER_BROKER_FIXTURE_H_
