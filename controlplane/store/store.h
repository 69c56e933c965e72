#ifndef GATEHOUSE_CONTROLPLANE_STORE_STORE_H_
#define GATEHOUSE_CONTROLPLANE_STORE_STORE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controlplane/store/rows.h"

namespace gatehouse {

// What one Work may read and change. Valid only inside the Work that got it;
// used on the store's own thread; owns nothing.
//
// Reads give NOT_FOUND where one row is asked for and there is none. Inserts
// give ALREADY_EXISTS. Updates compare: they change the row only if its stored
// version is `row.version`, store version + 1, and give ABORTED otherwise. What
// says whose a row is, what was asked and when it was made is never changed by
// an update: of a session its secret, virtual server, principal and
// create_time; of an operation its create_time; of an input request its
// operation, session, virtual server, upstream and revision, tool, method, key,
// Admit and create_time.
// Lists are ordered as named and at most `limit` rows long. Any error of the
// medium is UNAVAILABLE (nothing was decided) or, from the commit, see Store.
class Transaction {
 public:
  virtual ~Transaction() = default;

  // The store's clock, the same for the whole Work; whole microseconds.
  virtual absl::Time Now() const = 0;

  // Sessions.
  virtual absl::Status InsertSession(const SessionRow& row) = 0;
  virtual absl::StatusOr<SessionRow> GetSession(std::string_view id) = 0;
  virtual absl::StatusOr<SessionRow> GetSessionBySecret(
      std::string_view secret_sha256) = 0;
  virtual absl::Status UpdateSession(const SessionRow& row) = 0;
  // Open ones by id, after `after`; all virtual servers if that is empty.
  virtual absl::StatusOr<std::vector<SessionRow>> ListOpenSessions(
      std::string_view virtual_server, std::string_view after, int limit) = 0;
  // Open ones of a principal, longest idle first.
  virtual absl::StatusOr<std::vector<SessionRow>> ListSessionsOfPrincipal(
      const Principal& principal, int limit) = 0;
  virtual absl::StatusOr<int64_t> CountOpenSessions(
      const Principal& principal,
      std::string_view worker_id) = 0;  // empty: any
  // Open ones last used before `time`, longest idle first.
  virtual absl::StatusOr<std::vector<SessionRow>> ListIdleSessions(
      absl::Time before, int limit) = 0;
  virtual absl::Status DeleteEndedSessions(absl::Time used_before,
                                           int limit) = 0;

  // What a session's client said of its roots; NOT_FOUND if nothing. Put
  // replaces; to delete what is not there is OK.
  virtual absl::Status PutRoots(const RootsRow& row) = 0;
  virtual absl::StatusOr<RootsRow> GetRoots(std::string_view session_id) = 0;
  virtual absl::Status DeleteRoots(std::string_view session_id) = 0;

  // Workers.
  virtual absl::Status InsertWorker(const WorkerRow& row) = 0;
  virtual absl::StatusOr<WorkerRow> GetWorker(std::string_view id) = 0;
  virtual absl::Status UpdateWorker(const WorkerRow& row) = 0;
  // By id, after `after`.
  virtual absl::StatusOr<std::vector<WorkerRow>> ListWorkers(
      std::string_view after, int limit) = 0;

  // Operations.
  virtual absl::Status InsertOperation(const OperationRow& row) = 0;
  virtual absl::StatusOr<OperationRow> GetOperation(std::string_view id) = 0;
  virtual absl::Status UpdateOperation(const OperationRow& row) = 0;
  virtual absl::StatusOr<std::vector<OperationRow>> ListOpenOperationsOfSession(
      std::string_view session_id, int limit) = 0;
  // Those of the worker under `epoch` or an earlier one.
  virtual absl::StatusOr<std::vector<OperationRow>> ListOpenOperationsOfWorker(
      std::string_view worker_id, int64_t up_to_epoch, int limit) = 0;
  // Tombstones closed before `time`, with their input requests.
  virtual absl::Status DeleteClosedOperations(absl::Time before, int limit) = 0;
  // Input requests of no operation that ended before `time`, longest ago first.
  virtual absl::Status DeleteInputRequestsOutsideCalls(absl::Time before,
                                                       int limit) = 0;

  // Input requests. Open: RELAYED, PENDING_REVIEW or PENDING_RELEASE.
  virtual absl::Status InsertInputRequest(const InputRequestRow& row) = 0;
  virtual absl::StatusOr<InputRequestRow> GetInputRequest(
      std::string_view id) = 0;
  virtual absl::StatusOr<InputRequestRow> GetInputRequestByOpaqueId(
      std::string_view opaque_id_sha256) = 0;
  // Compares id, version and `expected`, the state that was read.
  virtual absl::Status UpdateInputRequest(const InputRequestRow& row,
                                          InputRequestState expected) = 0;
  virtual absl::StatusOr<std::vector<InputRequestRow>>
  ListOpenInputRequestsOfOperation(std::string_view operation_id) = 0;
  // In the order of their Admit.
  virtual absl::StatusOr<std::vector<InputRequestRow>> ListInputRequestsOfAdmit(
      std::string_view admit_request_id) = 0;
  // Open ones whose deadline is at or before `time`, earliest first.
  virtual absl::StatusOr<std::vector<InputRequestRow>> ListDueInputRequests(
      absl::Time at, int limit) = 0;
  // Delivery unclaimed or claimed, of the worker under `epoch` or an earlier
  // one.
  virtual absl::StatusOr<std::vector<InputRequestRow>>
  ListUnsettledDeliveriesOfWorker(std::string_view worker_id,
                                  int64_t up_to_epoch, int limit) = 0;
  // The same of one operation, in the order of their Admit.
  virtual absl::StatusOr<std::vector<InputRequestRow>>
  ListUnsettledDeliveriesOfOperation(std::string_view operation_id) = 0;
  virtual absl::StatusOr<int64_t> CountOpenInputRequestsOfUpstream(
      std::string_view virtual_server, std::string_view upstream) = 0;
  virtual absl::StatusOr<int64_t> CountOpenInputRequestsOfVirtualServer(
      std::string_view virtual_server) = 0;
  // Those of the upstream that ask one session's client for this.
  virtual absl::StatusOr<int64_t> CountOpenInputRequestsOfSession(
      std::string_view virtual_server, std::string_view upstream,
      std::string_view session_id, std::string_view method) = 0;

  // Verdicts on input requests, counted by upstream.
  // Adds one, now. The caller sees to it that names are of a bounded set.
  virtual absl::Status CountVerdict(std::string_view virtual_server,
                                    std::string_view upstream,
                                    std::string_view counter) = 0;
  // By (virtual server, upstream, counter), after `after`, whose count and
  // time do not matter; the default is the start.
  virtual absl::StatusOr<std::vector<VerdictCountRow>> ListVerdictCounts(
      const VerdictCountRow& after, int limit) = 0;
  // Of one upstream, by counter.
  virtual absl::StatusOr<std::vector<VerdictCountRow>>
  ListVerdictCountsOfUpstream(std::string_view virtual_server,
                              std::string_view upstream) = 0;
  virtual absl::Status DeleteVerdictCountsOfUpstream(
      std::string_view virtual_server, std::string_view upstream) = 0;

  // Mail. The number is the caller's: WorkerRow::last_mail_number + 1, moved in
  // the same Work.
  virtual absl::Status InsertMail(const MailRow& row) = 0;
  // By number, after `after`.
  virtual absl::StatusOr<std::vector<MailRow>> ListMail(
      std::string_view worker_id, int64_t after, int limit) = 0;
  virtual absl::StatusOr<int64_t> CountMail(std::string_view worker_id) = 0;
  virtual absl::Status DeleteMail(std::string_view worker_id,
                                  int64_t up_to) = 0;

  // Idempotency.
  virtual absl::Status InsertIdempotency(const IdempotencyRow& row) = 0;
  virtual absl::StatusOr<IdempotencyRow> GetIdempotency(
      std::string_view request_id) = 0;
  virtual absl::Status DeleteIdempotency(absl::Time before, int limit) = 0;

  // Policies. ALREADY_EXISTS too if a newer version is there.
  virtual absl::Status InsertPolicy(const PolicyRow& row) = 0;
  // The newest version, deleted or not; NOT_FOUND if there never was one.
  virtual absl::StatusOr<PolicyRow> GetLatestPolicy(
      std::string_view virtual_server) = 0;
  // The newest versions of all that are not deleted, by name, after `after`.
  virtual absl::StatusOr<std::vector<PolicyRow>> ListCurrentPolicies(
      std::string_view after, int limit) = 0;

  // The log. A new store has a head: epoch 1, no leaves.
  virtual absl::StatusOr<AuditHeadRow> GetAuditHead() = 0;
  // Compares epoch and the size that was read.
  virtual absl::Status UpdateAuditHead(const AuditHeadRow& row,
                                       int64_t expected_size) = 0;
  virtual absl::Status InsertAuditLeaf(const AuditLeafRow& row) = 0;
  // By (epoch, seq), after the given place; (0, -1) is the start.
  virtual absl::StatusOr<std::vector<AuditLeafRow>> ListAuditLeaves(
      int64_t after_epoch, int64_t after_seq, int limit) = 0;

  virtual absl::StatusOr<StoreFigures> ReadFigures() = 0;

  // Small facts about the store itself.
  virtual absl::StatusOr<std::string> GetMeta(std::string_view key) = 0;
  virtual absl::Status PutMeta(std::string_view key,
                               std::string_view value) = 0;
};

// The one interface to durable state: reads, conditional updates and the audit
// leaf of one decision, together or not at all (DESIGN §12).
//
// Thread-safe. Run never blocks: it queues the Work for the store's own thread.
//
// A Work may be run again from the start, so it resets whatever it writes to
// outside; it has no other outside effect, takes the time from the transaction,
// and does not block. If it returns an error, what it changed is undone, alone.
//
// `done` is called exactly once, on the store's thread or (if the queue is full
// or the store is shut down) on the caller's; it must be quick and must not
// call Run's caller back under its locks. Its status is:
//   OK                  committed and durable; nobody saw an effect before
//   the Work's own      nothing was changed
//   RESOURCE_EXHAUSTED  the queue is full; nothing was run
//   UNAVAILABLE         it is certain that nothing was changed
//   UNKNOWN             the commit failed: it may or may not be durable; read
//                       back by the request's id (all of a batch share this)
class Store {
 public:
  using Work = std::function<absl::Status(Transaction&)>;
  using Done = std::function<void(absl::Status)>;

  virtual ~Store() = default;
  virtual void Run(Work work, Done done) = 0;
};

// Runs `work` and waits for it; for start-up and tests, never on a thread that
// serves requests or calls `done`.
absl::Status RunAndWait(Store& store, Store::Work work);

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_STORE_STORE_H_
