#ifndef GATEHOUSE_CONTROLPLANE_SESSIONS_SESSIONS_H_
#define GATEHOUSE_CONTROLPLANE_SESSIONS_SESSIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controlplane/store/store.h"

namespace gatehouse::sessions {

// Limits of DESIGN §8.
inline constexpr int kSessionsPerPrincipal = 100;
inline constexpr int kAnonymousSessionsPerWorker = 10'000;
inline constexpr absl::Duration kIdleSession = absl::Hours(1);

// The principal of a client that named itself by nothing, on loopback only.
bool IsAnonymous(const Principal& principal);

// Puts the session into the store, inside a Work. If its principal is at the
// limit, `evict` gets the longest idle one, which the caller ends in the same
// Work. RESOURCE_EXHAUSTED `too_many_sessions` where none may be evicted.
absl::Status OpenSession(Transaction& tx, const SessionRow& session,
                         std::optional<SessionRow>& evict);

// Notes that sessions were in use. Unknown and ended ones are passed over.
absl::Status TouchSessions(Transaction& tx,
                           const std::vector<std::string>& session_ids);

}  // namespace gatehouse::sessions

#endif  // GATEHOUSE_CONTROLPLANE_SESSIONS_SESSIONS_H_
