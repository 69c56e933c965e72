#ifndef GATEHOUSE_CONTROLPLANE_BROKER_RUN_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_RUN_H_

#include <functional>
#include <memory>
#include <utility>

#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"

namespace gatehouse::broker {

// One Work with an outcome: reset each time it runs, given on only when the
// commit is durable, and mail hinted at only then (audit before effect).
template <typename T>
void Broker::Run(std::function<absl::Status(Decision&, T&)> work,
                 Done<T> done) {
  struct Shared {
    T outcome{};
    sessions::MailedWorkers mailed;
  };
  auto shared = std::make_shared<Shared>();
  store_.Run(
      [this, shared, work = std::move(work)](Transaction& tx) {
        shared->outcome = T{};
        Decision decision(tx, *this);
        const absl::Status status = work(decision, shared->outcome);
        shared->mailed = std::move(decision.mailed);
        return status;
      },
      [this, shared, done = std::move(done)](const absl::Status& status) {
        if (!status.ok()) {
          done(status);
          return;
        }
        done(std::move(shared->outcome));
        if (mail_hint_ && !shared->mailed.empty()) mail_hint_(shared->mailed);
      });
}

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_RUN_H_
