#ifndef GATEHOUSE_CONTROLPLANE_SESSIONS_MAILBOX_H_
#define GATEHOUSE_CONTROLPLANE_SESSIONS_MAILBOX_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "controlplane/store/store.h"

namespace gatehouse::sessions {

// What the control plane has to tell a worker is a numbered row, acknowledged
// over Attach and resent after a reconnect (DESIGN §4). These run inside a
// Work.

// Workers whose mailbox a Work has filled: told, after the commit, to look.
// A hint only; a worker that was not told finds its mail when it next attaches.
using MailedWorkers = std::set<std::string>;

// Adds `mail` (its number is set here) to its worker's mailbox. A worker that
// is unknown or lost gets none: it holds nothing that the mail could be about.
absl::Status PostMail(Transaction& tx, MailRow mail, MailedWorkers& mailed);

// The same to every worker that is not lost.
absl::Status PostMailToAll(Transaction& tx, const MailRow& mail,
                           MailedWorkers& mailed);

}  // namespace gatehouse::sessions

#endif  // GATEHOUSE_CONTROLPLANE_SESSIONS_MAILBOX_H_
