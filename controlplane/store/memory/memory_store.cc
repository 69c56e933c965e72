#include "controlplane/store/memory/memory_store.h"

#include <thread>
#include <utility>
#include <vector>

#include "controlplane/store/memory/memory_tables.h"
#include "controlplane/store/memory/memory_transaction.h"
#include "controlplane/store/work_queue.h"

namespace gatehouse {
namespace {

// One thread that runs one Work after the other. Thread-safe; all but Run
// happens on that thread.
class MemoryStore final : public Store {
 public:
  MemoryStore(Clock& clock, size_t queue_limit)
      : time_(clock), queue_(queue_limit), thread_([this] { Loop(); }) {}

  ~MemoryStore() override {
    queue_.Close();
    thread_.join();
  }

  void Run(Work work, Done done) override {
    queue_.Push(std::move(work), std::move(done));
  }

 private:
  void Loop() {
    for (;;) {
      const std::vector<WorkQueue::Entry> batch = queue_.PopBatch(1);
      if (batch.empty()) return;
      for (const WorkQueue::Entry& entry : batch) {
        entry.done(RunOne(entry.work));
      }
    }
  }

  absl::Status RunOne(const Work& work) {
    memory::Journal journal;
    memory::MemoryTransaction transaction(tables_, journal, time_.Next());
    absl::Status status = work(transaction);
    if (!status.ok()) journal.Undo();
    return status;
  }

  memory::Tables tables_;
  StoreTime time_;

  WorkQueue queue_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<Store> MakeMemoryStore(Clock& clock, size_t queue_limit) {
  return std::make_unique<MemoryStore>(clock, queue_limit);
}

}  // namespace gatehouse
