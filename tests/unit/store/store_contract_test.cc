// How Works run: the promises of Store in store.h, for every store. They carry
// invariants 5, 6 and 7 of DESIGN §1: a state, its budget and its record move
// together or not at all.

#include "tests/unit/store/store_contract.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "shared/base/mutex.h"
#include "tests/unit/store/test_rows.h"

namespace gatehouse {
namespace {

using testing::HasSubstr;

// Collects what `done` says, in order, and waits for it.
class Collector {
 public:
  Store::Done Next() {
    return [this](absl::Status status) {
      const MutexLock lock(mutex_);
      codes_.push_back(status.code());
      changed_.notify_all();
    };
  }
  // What was said so far, once it is `count` or the test has waited too long.
  std::vector<absl::StatusCode> WaitFor(size_t count) {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const MutexLock lock(mutex_);
    while (codes_.size() < count) {
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) {
        break;
      }
    }
    return codes_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<absl::StatusCode> codes_ ABSL_GUARDED_BY(mutex_);
};

// Holds the store's thread inside a Work until it is let go.
class Blocker {
 public:
  explicit Blocker(Store& store) {
    store.Run(
        [this](Transaction&) {
          running_.set_value();
          released_.get_future().wait_for(std::chrono::seconds(30));
          return absl::OkStatus();
        },
        [](absl::Status) {});
    running_.get_future().wait();
  }
  void Release() { released_.set_value(); }

 private:
  std::promise<void> running_;
  std::promise<void> released_;
};

TEST_P(StoreContractTest, AWorksErrorIsItsStatusAndUndoesIt) {
  Do([](Transaction& tx) { return tx.PutMeta("kept", "1"); });
  const absl::Status status = Run([](Transaction& tx) -> absl::Status {
    GATEHOUSE_RETURN_IF_ERROR(tx.PutMeta("kept", "2"));
    GATEHOUSE_RETURN_IF_ERROR(tx.PutMeta("new", "2"));
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertOperation(TestOperation("o1")));
    return absl::FailedPreconditionError("no");
  });
  EXPECT_EQ(status, absl::FailedPreconditionError("no"));
  Do([](Transaction& tx) {
    EXPECT_EQ(*tx.GetMeta("kept"), "1");
    EXPECT_EQ(tx.GetMeta("new").status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(tx.GetOperation("o1").status().code(),
              absl::StatusCode::kNotFound);
    return absl::OkStatus();
  });
}

TEST_P(StoreContractTest, AFailedWorkIsUndoneAloneInItsBatch) {
  Collector done;
  Blocker blocker(*store_);  // so that the rest share a batch
  for (int i = 0; i < 20; ++i) {
    store_->Run(
        [i](Transaction& tx) -> absl::Status {
          GATEHOUSE_RETURN_IF_ERROR(
              tx.InsertOperation(TestOperation(absl::StrCat("o", i))));
          if (i % 3 == 0) return absl::AbortedError("every third");
          return absl::OkStatus();
        },
        done.Next());
  }
  blocker.Release();
  const auto codes = done.WaitFor(20);
  ASSERT_EQ(codes.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    const bool kept = i % 3 != 0;
    EXPECT_EQ(codes[static_cast<size_t>(i)] == absl::StatusCode::kOk, kept);
    EXPECT_EQ(Run([i](Transaction& tx) {
                return tx.GetOperation(absl::StrCat("o", i)).status();
              }).ok(),
              kept)
        << i;
  }
}

TEST_P(StoreContractTest, AWorkSeesItsOwnWritesAndThoseBeforeIt) {
  Do([](Transaction& tx) -> absl::Status {
    GATEHOUSE_RETURN_IF_ERROR(tx.PutMeta("a", "1"));
    EXPECT_EQ(*tx.GetMeta("a"), "1");
    return absl::OkStatus();
  });
  Do([](Transaction& tx) {
    EXPECT_EQ(*tx.GetMeta("a"), "1");
    return absl::OkStatus();
  });
}

TEST_P(StoreContractTest, WorksOfOneCallerRunInOrder) {
  Collector done;
  std::vector<int> order;  // touched on the store's thread only
  for (int i = 0; i < 300; ++i) {
    store_->Run(
        [&order, i](Transaction&) {
          if (order.empty() || order.back() != i) order.push_back(i);
          return absl::OkStatus();
        },
        done.Next());
  }
  ASSERT_EQ(done.WaitFor(300).size(), 300u);
  ASSERT_EQ(order.size(), 300u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(StoreContractTest, AFullQueueIsAnAnswerAndRunsNothing) {
  Open(4);
  Collector accepted;
  Blocker blocker(*store_);
  for (int i = 0; i < 4; ++i) {
    store_->Run([](Transaction&) { return absl::OkStatus(); }, accepted.Next());
  }
  bool ran = false;
  absl::Status refused;
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id answered_on;
  store_->Run(
      [&](Transaction&) {
        ran = true;
        return absl::OkStatus();
      },
      [&](absl::Status status) {
        refused = std::move(status);
        answered_on = std::this_thread::get_id();
      });
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(answered_on, caller);
  blocker.Release();
  EXPECT_EQ(accepted.WaitFor(4).size(), 4u);
  EXPECT_FALSE(ran);
  // And there is room again.
  Do([](Transaction&) { return absl::OkStatus(); });
}

TEST_P(StoreContractTest, TheDestructorRunsWhatIsQueued) {
  Collector done;
  std::atomic<int> ran{0};
  {
    Blocker blocker(*store_);
    for (int i = 0; i < 100; ++i) {
      store_->Run(
          [&ran](Transaction&) {
            ++ran;
            return absl::OkStatus();
          },
          done.Next());
    }
    blocker.Release();
    store_.reset();
  }
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(done.WaitFor(100).size(), 100u);
}

TEST_P(StoreContractTest, ADoneMayRunMoreWorksUntilTheEnd) {
  std::atomic<int> answered{0};
  Store* store = store_.get();
  std::function<void(absl::Status)> again = [&](absl::Status status) {
    ++answered;
    if (!status.ok()) {
      // Only the end of the store stops this.
      EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
      return;
    }
    store->Run([](Transaction&) { return absl::OkStatus(); }, again);
  };
  store_->Run([](Transaction&) { return absl::OkStatus(); }, again);
  Do([](Transaction&) { return absl::OkStatus(); });
  store_.reset();
  EXPECT_GE(answered, 2);
}

TEST_P(StoreContractTest, TimeIsTheClocksInWholeMicroseconds) {
  clock_.Advance(absl::Nanoseconds(1'999));
  absl::Time now;
  Do([&](Transaction& tx) {
    now = tx.Now();
    EXPECT_EQ(tx.Now(), now);
    return absl::OkStatus();
  });
  EXPECT_EQ(now, absl::FromUnixSeconds(1'800'000'000) + absl::Microseconds(1));
}

TEST_P(StoreContractTest, TimeNeverGoesBack) {
  absl::Time before, after;
  Do([&](Transaction& tx) {
    before = tx.Now();
    return absl::OkStatus();
  });
  clock_.Advance(-absl::Hours(2));
  Do([&](Transaction& tx) {
    after = tx.Now();
    return absl::OkStatus();
  });
  EXPECT_EQ(after, before);
  clock_.Advance(absl::Hours(2) + absl::Seconds(1));
  Do([&](Transaction& tx) {
    after = tx.Now();
    return absl::OkStatus();
  });
  EXPECT_EQ(after, before + absl::Seconds(1));
}

TEST_P(StoreContractTest, OfManyWhoComparedTheSameVersionOneWins) {
  Do([](Transaction& tx) { return tx.InsertOperation(TestOperation("o1")); });
  GATEHOUSE_TEST_READ(read, OperationRow, tx.GetOperation("o1"));
  std::atomic<int> won{0}, aborted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      OperationRow mine = read;
      mine.slots_used = 100 + i;
      const absl::Status status = RunAndWait(
          *store_, [&](Transaction& tx) { return tx.UpdateOperation(mine); });
      if (status.ok()) ++won;
      if (absl::IsAborted(status)) ++aborted;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(aborted, 7);
  GATEHOUSE_TEST_READ(after, OperationRow, tx.GetOperation("o1"));
  EXPECT_EQ(after.version, 2);
}

// A Work may be run again from the start (a serialization failure elsewhere,
// a retry above): what it did the first time must not show.
TEST_P(StoreContractTest, AWorkThatIsRunAgainAfterItWasUndoneDoesItOnce) {
  const auto work = [](Transaction& tx) -> absl::Status {
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertOperation(TestOperation("o1")));
    InputRequestRow row = TestInputRequest("q1");
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertInputRequest(row));
    MailRow mail;
    mail.worker_id = "w1";
    mail.number = 1;
    GATEHOUSE_RETURN_IF_ERROR(tx.InsertMail(mail));
    row.state = InputRequestState::kAnswered;
    return tx.UpdateInputRequest(row, InputRequestState::kRelayed);
  };
  EXPECT_EQ(Run([&](Transaction& tx) -> absl::Status {
              GATEHOUSE_RETURN_IF_ERROR(work(tx));
              return absl::UnavailableError("lost before the end");
            }).code(),
            absl::StatusCode::kUnavailable);
  Do(work);
  GATEHOUSE_TEST_READ(mail, int64_t, tx.CountMail("w1"));
  EXPECT_EQ(mail, 1);
  GATEHOUSE_TEST_READ(row, InputRequestRow, tx.GetInputRequest("q1"));
  EXPECT_EQ(row.version, 2);
  // Done twice without being undone, it is refused.
  EXPECT_EQ(Run(work).code(), absl::StatusCode::kAlreadyExists);
}

TEST_P(StoreContractTest, AnErrorWithinAWorkThatGoesOnUndoesOnlyThatCall) {
  Do([](Transaction& tx) { return tx.InsertOperation(TestOperation("o1")); });
  Do([](Transaction& tx) -> absl::Status {
    GATEHOUSE_RETURN_IF_ERROR(tx.PutMeta("a", "1"));
    EXPECT_EQ(tx.InsertOperation(TestOperation("o1")).code(),
              absl::StatusCode::kAlreadyExists);
    return tx.PutMeta("b", "2");
  });
  GATEHOUSE_TEST_READ(a, std::string, tx.GetMeta("a"));
  GATEHOUSE_TEST_READ(b, std::string, tx.GetMeta("b"));
  EXPECT_EQ(a + b, "12");
}

TEST_P(StoreContractTest, AMissingRowIsNamed) {
  const absl::Status status =
      Run([](Transaction& tx) { return tx.GetOperation("nope").status(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nope"));
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContractTest, Stores(), StoreName);

}  // namespace
}  // namespace gatehouse
