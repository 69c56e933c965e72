#include "controlplane/broker/sweeper.h"

#include <chrono>

namespace gatehouse::broker {
namespace {

constexpr std::chrono::milliseconds kEvery{200};
constexpr int kSweepsPerPurge = 300;  // a minute

}  // namespace

Sweeper::Sweeper(Broker& broker) : broker_(broker) {
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

void Sweeper::Loop() {
  int sweeps = 0;
  mutex_.Lock();
  while (!stopping_) {
    if (!more_) changed_.wait_for(mutex_, kEvery);
    if (stopping_ || sweeping_) {
      more_ = false;
      continue;
    }
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
    more_ = outcome.ok() && outcome->more;
    changed_.notify_all();
  });
}

}  // namespace gatehouse::broker
