#include "controlplane/sessions/sessions.h"

#include <utility>

#include "shared/base/status.h"

namespace gatehouse::sessions {

bool IsAnonymous(const Principal& principal) {
  return principal.subject == "anonymous";
}

absl::Status OpenSession(Transaction& tx, const SessionRow& session,
                         std::optional<SessionRow>& evict) {
  evict.reset();
  const bool anonymous = IsAnonymous(session.principal);
  // Anonymous clients are strangers to each other: nobody's session is ended
  // for another's sake, and each worker has its own limit.
  GATEHOUSE_ASSIGN_OR_RETURN(
      const int64_t open,
      tx.CountOpenSessions(session.principal,
                           anonymous ? session.worker_id : std::string()));
  if (anonymous && open >= kAnonymousSessionsPerWorker) {
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      "too_many_sessions: this worker is full of anonymous "
                      "sessions; end some, or give clients tokens");
  }
  if (!anonymous && open >= kSessionsPerPrincipal) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        std::vector<SessionRow> idlest,
        tx.ListSessionsOfPrincipal(session.principal, 1));
    if (!idlest.empty()) evict = std::move(idlest.front());
  }
  return tx.InsertSession(session);
}

absl::Status TouchSessions(Transaction& tx,
                           const std::vector<std::string>& session_ids) {
  for (const std::string& id : session_ids) {
    absl::StatusOr<SessionRow> row = tx.GetSession(id);
    if (absl::IsNotFound(row.status())) continue;
    GATEHOUSE_RETURN_IF_ERROR(row.status());
    if (!row->open) continue;
    row->last_used_time = tx.Now();
    GATEHOUSE_RETURN_IF_ERROR(tx.UpdateSession(*row));
  }
  return absl::OkStatus();
}

}  // namespace gatehouse::sessions
