#include "controlplane/store/faulty_store.h"

#include <utility>

namespace gatehouse {
namespace {

absl::Status CommitUnknown() {
  return absl::UnknownError("store: the commit may or may not have happened");
}

}  // namespace

FaultyStore::FaultyStore(Store& inner, std::vector<StoreFault> script)
    : inner_(inner), script_(script.begin(), script.end()) {}

FaultyStore::FaultyStore(Store& inner, Rates rates, uint64_t seed)
    : inner_(inner), rates_(rates), state_(seed) {}

void FaultyStore::Run(Work work, Done done) {
  // Even what is not run passes through the inner queue, so that `done` keeps
  // its threads and its order.
  switch (Next()) {
    case StoreFault::kNone:
      inner_.Run(std::move(work), std::move(done));
      return;
    case StoreFault::kError:
      inner_.Run(
          [](Transaction&) {
            return absl::UnavailableError("store: medium error");
          },
          std::move(done));
      return;
    case StoreFault::kTimeout:
      inner_.Run([](Transaction&) { return absl::OkStatus(); },
                 [done = std::move(done)](absl::Status status) {
                   done(status.ok() ? CommitUnknown() : status);
                 });
      return;
    case StoreFault::kDidItButSaidNo:
      inner_.Run(std::move(work),
                 [done = std::move(done)](absl::Status status) {
                   done(status.ok() ? CommitUnknown() : status);
                 });
      return;
  }
}

void FaultyStore::AddFaults(const std::vector<StoreFault>& script) {
  const MutexLock lock(mutex_);
  script_.insert(script_.end(), script.begin(), script.end());
}

StoreFault FaultyStore::Next() {
  const MutexLock lock(mutex_);
  if (!script_.empty()) {
    const StoreFault fault = script_.front();
    script_.pop_front();
    return fault;
  }
  // splitmix64, as SeededRandom.
  uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  int drawn = static_cast<int>(z % 1000);
  if ((drawn -= rates_.error) < 0) return StoreFault::kError;
  if ((drawn -= rates_.timeout) < 0) return StoreFault::kTimeout;
  if ((drawn -= rates_.did_it_but_said_no) < 0) {
    return StoreFault::kDidItButSaidNo;
  }
  return StoreFault::kNone;
}

}  // namespace gatehouse
