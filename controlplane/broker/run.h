#ifndef GATEHOUSE_CONTROLPLANE_BROKER_RUN_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_RUN_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/broker/broker.h"
#include "controlplane/broker/decision.h"

namespace gatehouse::broker {

// One Work with an outcome: reset each time it runs, given on only when the
// commit is durable, and mail hinted at only then (audit before effect).
template <typename T>
void Broker::Run(std::function<absl::Status(Decision&, T&)> work, Done<T> done,
                 std::string trace_id) {
  struct Shared {
    T outcome{};
    sessions::MailedWorkers mailed;
    std::vector<audit::Record> noted;
  };
  auto shared = std::make_shared<Shared>();
  store_.Run(
      [this, shared, work = std::move(work)](Transaction& tx) {
        shared->outcome = T{};
        Decision decision(tx, *this);
        const absl::Status status = work(decision, shared->outcome);
        shared->mailed = std::move(decision.mailed);
        shared->noted = std::move(decision.noted);
        return status;
      },
      [this, shared, done = std::move(done),
       trace_id = std::move(trace_id)](const absl::Status& status) {
        if (!status.ok()) {
          done(status);
          return;
        }
        done(std::move(shared->outcome));
        if (observer_) {
          for (const audit::Record& record : shared->noted) {
            observer_(record, trace_id);
          }
        }
        if (mail_hint_ && !shared->mailed.empty()) mail_hint_(shared->mailed);
      });
}

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_RUN_H_
