#include "controlplane/broker/broker.h"

#include <utility>

#include "controlplane/broker/decision.h"
#include "controlplane/broker/policy_book.h"
#include "controlplane/broker/run.h"
#include "controlplane/sessions/sessions.h"
#include "shared/base/status.h"

namespace gatehouse::broker {
namespace {

constexpr int kSweepBatch = 64;
constexpr absl::Duration kKept = absl::Hours(24);

}  // namespace

Broker::Broker(Store& store, Random& random, const Keys& keys)
    : store_(store),
      random_(random),
      keys_(keys),
      policies_(std::make_unique<PolicyBook>()) {}

Broker::~Broker() = default;

void Broker::SetMailHint(MailHint hint) { mail_hint_ = std::move(hint); }

void Broker::SetObserver(RecordObserver observer) {
  observer_ = std::move(observer);
}

void Broker::Attach(sessions::Hello hello, Done<WorkerRow> done) {
  Run<WorkerRow>(
      [hello = std::move(hello)](Decision& decision,
                                 WorkerRow& outcome) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(sessions::Attached attached,
                                   sessions::AttachWorker(decision.tx, hello));
        outcome = attached.worker;
        if (!attached.new_epoch) return absl::OkStatus();
        audit::Record record;
        record.type = audit::RecordType::kWorkerAttached;
        record.worker_id = outcome.id;
        record.worker_epoch = outcome.epoch;
        GATEHOUSE_RETURN_IF_ERROR(decision.Note(std::move(record)).status());
        // A batch is enough for all but a crash at full load; the sweeper ends
        // the rest, and its epoch is refused meanwhile.
        return decision.LoseWorkerBatch(outcome.id, outcome.epoch - 1).status();
      },
      std::move(done));
}

void Broker::Renew(Caller caller, int32_t operations,
                   std::vector<std::string> active_sessions, Done<bool> done) {
  Run<bool>(
      [caller = std::move(caller), operations,
       active = std::move(active_sessions)](Decision& decision,
                                            bool& outcome) -> absl::Status {
        GATEHOUSE_RETURN_IF_ERROR(sessions::RenewLease(
            decision.tx, caller.worker_id, caller.epoch, operations));
        outcome = true;
        return sessions::TouchSessions(decision.tx, active);
      },
      std::move(done));
}

void Broker::OpenSession(std::string request_id, std::string content_sha256,
                         Caller caller, SessionRow session,
                         Done<SessionRow> done) {
  session.id = NewId(random_);
  Run<SessionRow>(
      [request_id = std::move(request_id),
       content_sha256 = std::move(content_sha256), caller = std::move(caller),
       session = std::move(session)](Decision& decision,
                                     SessionRow& outcome) -> absl::Status {
        Transaction& tx = decision.tx;
        GATEHOUSE_ASSIGN_OR_RETURN(
            const std::optional<std::string> stored,
            decision.Recall(request_id, "CreateSession", content_sha256));
        if (stored.has_value()) {
          GATEHOUSE_ASSIGN_OR_RETURN(outcome, tx.GetSession(*stored));
          return absl::OkStatus();
        }
        GATEHOUSE_RETURN_IF_ERROR(
            sessions::CheckWorker(tx, caller.worker_id, caller.epoch).status());
        GATEHOUSE_RETURN_IF_ERROR(
            decision.policies.Current(tx, session.virtual_server).status());
        outcome = session;
        outcome.worker_id = caller.worker_id;
        outcome.create_time = tx.Now();
        outcome.last_used_time = tx.Now();
        std::optional<SessionRow> evict;
        GATEHOUSE_RETURN_IF_ERROR(sessions::OpenSession(tx, outcome, evict));
        if (evict.has_value()) {
          GATEHOUSE_RETURN_IF_ERROR(
              decision.CloseSession(*std::move(evict), "evicted").status());
        }
        GATEHOUSE_RETURN_IF_ERROR(
            decision
                .Note(decision.RecordOf(audit::RecordType::kSessionOpened,
                                        outcome))
                .status());
        return decision.Remember(request_id, "CreateSession", content_sha256,
                                 outcome.id);
      },
      std::move(done));
}

void Broker::CloseSession(std::string session_id, std::string cause,
                          Done<int> done) {
  Run<int>(
      [session_id = std::move(session_id), cause = std::move(cause)](
          Decision& decision, int& outcome) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(SessionRow session,
                                   decision.tx.GetSession(session_id));
        if (!session.open) return absl::OkStatus();
        GATEHOUSE_ASSIGN_OR_RETURN(
            outcome, decision.CloseSession(std::move(session), cause));
        return absl::OkStatus();
      },
      std::move(done));
}

void Broker::ForgetRoots(Caller caller, std::string session_id,
                         Done<bool> done) {
  Run<bool>(
      [caller = std::move(caller), session_id = std::move(session_id)](
          Decision& decision, bool& outcome) -> absl::Status {
        Transaction& tx = decision.tx;
        GATEHOUSE_RETURN_IF_ERROR(
            sessions::CheckWorker(tx, caller.worker_id, caller.epoch).status());
        GATEHOUSE_ASSIGN_OR_RETURN(const SessionRow session,
                                   tx.GetSession(session_id));
        if (!session.open) {
          return MakeStatus(absl::StatusCode::kNotFound,
                            "session: it has ended");
        }
        outcome = true;
        // Kept until the session ends: it also counts for what is asked now.
        return tx.PutRoots({.session_id = session_id,
                            .result = std::nullopt,
                            .change_time = tx.Now()});
      },
      std::move(done));
}

void Broker::Boot(Done<bool> done) {
  Run<bool>(
      [](Decision& decision, bool& outcome) -> absl::Status {
        outcome = true;
        audit::Record record;
        record.type = audit::RecordType::kBoot;
        GATEHOUSE_RETURN_IF_ERROR(decision.Note(std::move(record)).status());
        return sessions::GrantFullLeases(decision.tx);
      },
      std::move(done));
}

namespace {

Failure Expired(absl::Duration after) {
  Failure failure;
  failure.reason = Reason::kExpired;
  failure.message =
      "the request expired: nobody answered within " +
      absl::FormatDuration(after) +
      "; ask again when the user is there, or go on without an answer";
  return failure;
}

absl::Status SweepWorkers(Decision& decision, SweepOutcome& outcome) {
  Transaction& tx = decision.tx;
  std::string after;
  while (true) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<WorkerRow> workers,
                               tx.ListWorkers(after, kSweepBatch));
    for (WorkerRow worker : workers) {
      const bool lapsed = !worker.lost && worker.lease_expire_time <= tx.Now();
      if (lapsed) {
        worker.lost = true;
        GATEHOUSE_RETURN_IF_ERROR(tx.UpdateWorker(worker));
        audit::Record record;
        record.type = audit::RecordType::kWorkerLost;
        record.worker_id = worker.id;
        record.worker_epoch = worker.epoch;
        GATEHOUSE_RETURN_IF_ERROR(decision.Note(std::move(record)).status());
        ++outcome.lost_workers;
      }
      GATEHOUSE_ASSIGN_OR_RETURN(
          const bool all,
          decision.LoseWorkerBatch(
              worker.id, worker.lost ? worker.epoch : worker.epoch - 1));
      outcome.more = outcome.more || !all;
    }
    if (workers.size() < kSweepBatch) return absl::OkStatus();
    after = workers.back().id;
  }
}

}  // namespace

void Broker::Sweep(Done<SweepOutcome> done) {
  // Records that a negative control held back (see Decision::Note) come now.
  std::vector<std::function<void()>> late;
  {
    const MutexLock lock(late_records_mutex_);
    late.swap(late_records_);
  }
  for (const std::function<void()>& append : late) append();
  Run<SweepOutcome>(
      [](Decision& decision, SweepOutcome& outcome) -> absl::Status {
        Transaction& tx = decision.tx;
        GATEHOUSE_ASSIGN_OR_RETURN(
            const std::vector<InputRequestRow> due,
            tx.ListDueInputRequests(tx.Now(), kSweepBatch));
        for (const InputRequestRow& row : due) {
          Ending ending;
          ending.state = InputRequestState::kExpired;
          ending.cause = "no_reply";
          ending.reason = std::string(RowOf(Reason::kExpired).name);
          ending.reply = ReplyOf(Expired(*row.deadline - row.create_time));
          ending.withdraw = true;
          GATEHOUSE_RETURN_IF_ERROR(decision.End(row, ending));
          ++outcome.expired;
        }
        outcome.more = due.size() == kSweepBatch;
        GATEHOUSE_RETURN_IF_ERROR(SweepWorkers(decision, outcome));
        GATEHOUSE_ASSIGN_OR_RETURN(
            const std::vector<SessionRow> idle,
            tx.ListIdleSessions(tx.Now() - sessions::kIdleSession,
                                kSweepBatch));
        for (const SessionRow& session : idle) {
          GATEHOUSE_RETURN_IF_ERROR(
              decision.CloseSession(session, "idle").status());
          ++outcome.idle_sessions;
        }
        outcome.more = outcome.more || idle.size() == kSweepBatch;
        return absl::OkStatus();
      },
      std::move(done));
}

void Broker::Purge(Done<bool> done) {
  Run<bool>(
      [](Decision& decision, bool& outcome) -> absl::Status {
        constexpr int kPurgeBatch = 1000;
        const absl::Time before = decision.tx.Now() - kKept;
        outcome = true;
        GATEHOUSE_RETURN_IF_ERROR(
            decision.tx.DeleteIdempotency(before, kPurgeBatch));
        GATEHOUSE_RETURN_IF_ERROR(
            decision.tx.DeleteClosedOperations(before, kPurgeBatch));
        GATEHOUSE_RETURN_IF_ERROR(
            decision.tx.DeleteInputRequestsOutsideCalls(before, kPurgeBatch));
        return decision.tx.DeleteEndedSessions(before, kPurgeBatch);
      },
      std::move(done));
}

}  // namespace gatehouse::broker
