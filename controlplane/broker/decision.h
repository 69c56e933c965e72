#ifndef GATEHOUSE_CONTROLPLANE_BROKER_DECISION_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_DECISION_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controlplane/audit/record.h"
#include "controlplane/broker/broker.h"
#include "controlplane/broker/policy_book.h"
#include "controlplane/sessions/mailbox.h"
#include "controlplane/store/store.h"

namespace gatehouse::broker {

// How an input request ends, and what that owes the upstream.
struct Ending {
  InputRequestState state = InputRequestState::kCancelled;
  std::string cause;
  std::string reason;  // stable; empty if none
  std::string rule;    // of the judge, that refused the answer; empty if none
  std::optional<UpstreamReplyRow> reply;  // nullopt: nothing is owed
  bool claimed_by_caller = false;  // the reply goes out in this call's answer
  bool withdraw = false;           // by mail: the client is told it is over
  std::string submit_request_id;   // of the reply that ended it
  int64_t response_bytes = 0;
  std::string response_hmac;  // of what the client sent
};

// One Work of the broker while it runs: the transaction and what every method
// needs beside it. Lives on the stack of the Work, on the store's thread.
class Decision {
 public:
  Decision(Transaction& transaction, Broker& broker)
      : tx(transaction),
        keys(broker.keys_),
        random(broker.random_),
        policies(*broker.policies_),
        broker_(broker) {}

  Transaction& tx;
  const Keys& keys;
  Random& random;
  PolicyBook& policies;
  sessions::MailedWorkers mailed;
  std::vector<audit::Record> noted;  // if the broker has an observer

  // Appends one record to the log and returns its place.
  absl::StatusOr<int64_t> Note(audit::Record record);

  // A record about an input request, its fields filled from the row; the caller
  // adds what is special. Linked to the row's last one.
  audit::Record RecordOf(audit::RecordType type, const InputRequestRow& row);
  // A record about a session.
  audit::Record RecordOf(audit::RecordType type, const SessionRow& row);

  // The arrow into a terminal state: compares and changes the row, settles what
  // is owed (by mail, unless the caller has it), records it. INTERNAL if the
  // diagram has no such arrow.
  absl::Status End(InputRequestRow row, const Ending& ending);

  // Closes an operation: its open input requests end with `ending`'s state and
  // cause and nothing owed; answers that were not claimed are dropped.
  // Returns how many it ended.
  absl::StatusOr<int> CloseOperation(OperationRow operation,
                                     const Ending& ending);

  // Ends a session and all in it, and tells every worker. The row must be open.
  absl::StatusOr<int> CloseSession(SessionRow session, std::string_view cause);

  // Everything that the worker held under `up_to_epoch` or earlier is lost.
  // False if a batch was not enough: call again in another Work.
  absl::StatusOr<bool> LoseWorkerBatch(std::string_view worker_id,
                                       int64_t up_to_epoch);

  // Idempotency of a call with a request id: nullopt if it is new, else the
  // stored verdict. INVALID_ARGUMENT `request_id_reused` for other content,
  // ABORTED if it was spent.
  absl::StatusOr<std::optional<std::string>> Recall(
      std::string_view request_id, std::string_view method,
      std::string_view content_sha256);
  absl::Status Remember(std::string_view request_id, std::string_view method,
                        std::string_view content_sha256,
                        std::string_view verdict);

 private:
  absl::Status SettleLost(InputRequestRow row);
  absl::Status DropUndelivered(std::string_view operation_id);

  Broker& broker_;
};

// What a worker sends an upstream for a failure (DESIGN §7, first column).
UpstreamReplyRow ReplyOf(const Failure& failure);

// What the client's own call is answered for a failure of what its upstream
// asked along with an error (DESIGN §7, second column).
UpstreamReplyRow ReplyToClientOf(const Failure& failure);

inline constexpr std::string_view kRootsList = "roots/list";

// The verdict of a request id that CancelInputRequest spent.
inline constexpr std::string_view kSpent = "spent";

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_DECISION_H_
