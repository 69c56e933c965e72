#ifndef GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_TRANSACTION_H_
#define GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_TRANSACTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/store/memory/memory_tables.h"
#include "controlplane/store/store.h"

namespace gatehouse::memory {

// What one Work sees of the tables; the contract is store.h's.
//
// Runs on the store's thread. Borrows tables and journal. Lists are found by
// looking at every row: there are few of them in a test. The methods stand in
// memory_transaction.cc (sessions, workers, mail and the rest) and
// memory_requests.cc (operations, input requests).
class MemoryTransaction final : public Transaction {
 public:
  MemoryTransaction(Tables& tables, Journal& journal, absl::Time now)
      : tables_(tables), journal_(journal), now_(now) {}

  absl::Time Now() const override { return now_; }

  absl::Status InsertSession(const SessionRow& row) override;
  absl::StatusOr<SessionRow> GetSession(std::string_view id) override;
  absl::StatusOr<SessionRow> GetSessionBySecret(
      std::string_view secret_sha256) override;
  absl::Status UpdateSession(const SessionRow& row) override;
  absl::StatusOr<std::vector<SessionRow>> ListOpenSessions(
      std::string_view virtual_server, std::string_view after,
      int limit) override;
  absl::StatusOr<std::vector<SessionRow>> ListSessionsOfPrincipal(
      const Principal& principal, int limit) override;
  absl::StatusOr<int64_t> CountOpenSessions(
      const Principal& principal, std::string_view worker_id) override;
  absl::StatusOr<std::vector<SessionRow>> ListIdleSessions(absl::Time before,
                                                           int limit) override;
  absl::Status DeleteEndedSessions(absl::Time used_before, int limit) override;
  absl::Status PutRoots(const RootsRow& row) override;
  absl::StatusOr<RootsRow> GetRoots(std::string_view session_id) override;
  absl::Status DeleteRoots(std::string_view session_id) override;

  absl::Status InsertWorker(const WorkerRow& row) override;
  absl::StatusOr<WorkerRow> GetWorker(std::string_view id) override;
  absl::Status UpdateWorker(const WorkerRow& row) override;
  absl::StatusOr<std::vector<WorkerRow>> ListWorkers(std::string_view after,
                                                     int limit) override;

  absl::Status InsertOperation(const OperationRow& row) override;
  absl::StatusOr<OperationRow> GetOperation(std::string_view id) override;
  absl::Status UpdateOperation(const OperationRow& row) override;
  absl::StatusOr<std::vector<OperationRow>> ListOpenOperationsOfSession(
      std::string_view session_id, int limit) override;
  absl::StatusOr<std::vector<OperationRow>> ListOpenOperationsOfWorker(
      std::string_view worker_id, int64_t up_to_epoch, int limit) override;
  absl::Status DeleteClosedOperations(absl::Time before, int limit) override;
  absl::Status DeleteInputRequestsOutsideCalls(absl::Time before,
                                               int limit) override;

  absl::Status InsertInputRequest(const InputRequestRow& row) override;
  absl::StatusOr<InputRequestRow> GetInputRequest(std::string_view id) override;
  absl::StatusOr<InputRequestRow> GetInputRequestByOpaqueId(
      std::string_view opaque_id_sha256) override;
  absl::Status UpdateInputRequest(const InputRequestRow& row,
                                  InputRequestState expected) override;
  absl::StatusOr<std::vector<InputRequestRow>> ListOpenInputRequestsOfOperation(
      std::string_view operation_id) override;
  absl::StatusOr<std::vector<InputRequestRow>> ListInputRequestsOfAdmit(
      std::string_view admit_request_id) override;
  absl::StatusOr<std::vector<InputRequestRow>> ListDueInputRequests(
      absl::Time at, int limit) override;
  absl::StatusOr<std::vector<InputRequestRow>> ListUnsettledDeliveriesOfWorker(
      std::string_view worker_id, int64_t up_to_epoch, int limit) override;
  absl::StatusOr<std::vector<InputRequestRow>>
  ListUnsettledDeliveriesOfOperation(std::string_view operation_id) override;
  absl::StatusOr<int64_t> CountOpenInputRequestsOfUpstream(
      std::string_view virtual_server, std::string_view upstream) override;
  absl::StatusOr<int64_t> CountOpenInputRequestsOfVirtualServer(
      std::string_view virtual_server) override;
  absl::StatusOr<int64_t> CountOpenInputRequestsOfSession(
      std::string_view virtual_server, std::string_view upstream,
      std::string_view session_id, std::string_view method) override;

  absl::Status CountVerdict(std::string_view virtual_server,
                            std::string_view upstream,
                            std::string_view counter) override;
  absl::StatusOr<std::vector<VerdictCountRow>> ListVerdictCounts(
      const VerdictCountRow& after, int limit) override;
  absl::StatusOr<std::vector<VerdictCountRow>> ListVerdictCountsOfUpstream(
      std::string_view virtual_server, std::string_view upstream) override;
  absl::Status DeleteVerdictCountsOfUpstream(
      std::string_view virtual_server, std::string_view upstream) override;

  absl::Status InsertMail(const MailRow& row) override;
  absl::StatusOr<std::vector<MailRow>> ListMail(std::string_view worker_id,
                                                int64_t after,
                                                int limit) override;
  absl::StatusOr<int64_t> CountMail(std::string_view worker_id) override;
  absl::Status DeleteMail(std::string_view worker_id, int64_t up_to) override;

  absl::Status InsertIdempotency(const IdempotencyRow& row) override;
  absl::StatusOr<IdempotencyRow> GetIdempotency(
      std::string_view request_id) override;
  absl::Status DeleteIdempotency(absl::Time before, int limit) override;

  absl::Status InsertPolicy(const PolicyRow& row) override;
  absl::StatusOr<PolicyRow> GetLatestPolicy(
      std::string_view virtual_server) override;
  absl::StatusOr<std::vector<PolicyRow>> ListCurrentPolicies(
      std::string_view after, int limit) override;

  absl::StatusOr<AuditHeadRow> GetAuditHead() override;
  absl::Status UpdateAuditHead(const AuditHeadRow& row,
                               int64_t expected_size) override;
  absl::Status InsertAuditLeaf(const AuditLeafRow& row) override;
  absl::StatusOr<std::vector<AuditLeafRow>> ListAuditLeaves(int64_t after_epoch,
                                                            int64_t after_seq,
                                                            int limit) override;

  absl::StatusOr<StoreFigures> ReadFigures() override;
  absl::StatusOr<std::string> GetMeta(std::string_view key) override;
  absl::Status PutMeta(std::string_view key, std::string_view value) override;

 private:
  void EraseInputRequest(const std::string& id);

  Tables& tables_;
  Journal& journal_;
  const absl::Time now_;
};

}  // namespace gatehouse::memory

#endif  // GATEHOUSE_CONTROLPLANE_STORE_MEMORY_MEMORY_TRANSACTION_H_
