#include "controlplane/broker/sweeper.h"

#include <chrono>

namespace gatehouse::broker {
namespace {

constexpr std::chrono::milliseconds kEvery{200};
constexpr int kSweepsPerPurge = 300;  // a minute

}  // namespace

Sweeper::Sweeper(Broker& broker)
    : broker_(broker),
      turned_(std::chrono::steady_clock::now()),
      swept_(turned_) {
  thread_ = std::thread([this] { Loop(); });
}

Sweeper::~Sweeper() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // A sweep that is under way still names this object.
  mutex_.Lock();
  while (sweeping_) changed_.wait(mutex_);
  mutex_.Unlock();
}

Sweeper::Pulse Sweeper::pulse() {
  const SteadyTime now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  return {absl::FromChrono(now - turned_), absl::FromChrono(now - swept_)};
}

void Sweeper::Loop() {
  int sweeps = 0;
  mutex_.Lock();
  while (!stopping_) {
    // The end of a sweep wakes this thread too, which is no reason for the next
    // one: else a store that is slow to answer would be asked without a pause.
    turned_ = std::chrono::steady_clock::now();
    const auto next = turned_ + kEvery;
    while (!stopping_ && !more_ &&
           changed_.wait_until(mutex_, next) != std::cv_status::timeout) {
    }
    if (stopping_ || sweeping_) continue;
    more_ = false;
    sweeping_ = true;
    mutex_.Unlock();
    StartSweep();
    if (++sweeps % kSweepsPerPurge == 0) {
      broker_.Purge([](const absl::StatusOr<bool>&) {});
    }
    mutex_.Lock();
  }
  mutex_.Unlock();
}

void Sweeper::StartSweep() {
  broker_.Sweep([this](const absl::StatusOr<SweepOutcome>& outcome) {
    const MutexLock lock(mutex_);
    sweeping_ = false;
    if (outcome.ok()) swept_ = std::chrono::steady_clock::now();
    more_ = outcome.ok() && outcome->more;
    changed_.notify_all();
  });
}

}  // namespace gatehouse::broker
