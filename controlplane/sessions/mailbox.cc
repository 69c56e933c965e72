#include "controlplane/sessions/mailbox.h"

#include <utility>
#include <vector>

#include "shared/base/status.h"

namespace gatehouse::sessions {
namespace {

constexpr int kWorkersPage = 256;

absl::Status PostTo(Transaction& tx, WorkerRow worker, MailRow mail,
                    MailedWorkers& mailed) {
  mail.worker_id = worker.id;
  mail.number = ++worker.last_mail_number;
  GATEHOUSE_RETURN_IF_ERROR(tx.UpdateWorker(worker));
  GATEHOUSE_RETURN_IF_ERROR(tx.InsertMail(mail));
  mailed.insert(worker.id);
  return absl::OkStatus();
}

}  // namespace

absl::Status PostMail(Transaction& tx, MailRow mail, MailedWorkers& mailed) {
  absl::StatusOr<WorkerRow> worker = tx.GetWorker(mail.worker_id);
  if (absl::IsNotFound(worker.status())) return absl::OkStatus();
  GATEHOUSE_RETURN_IF_ERROR(worker.status());
  if (worker->lost) return absl::OkStatus();
  return PostTo(tx, *std::move(worker), std::move(mail), mailed);
}

absl::Status PostMailToAll(Transaction& tx, const MailRow& mail,
                           MailedWorkers& mailed) {
  std::string after;
  while (true) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<WorkerRow> page,
                               tx.ListWorkers(after, kWorkersPage));
    for (const WorkerRow& worker : page) {
      if (worker.lost) continue;
      GATEHOUSE_RETURN_IF_ERROR(PostTo(tx, worker, mail, mailed));
    }
    if (page.size() < kWorkersPage) return absl::OkStatus();
    after = page.back().id;
  }
}

}  // namespace gatehouse::sessions
