// What the control plane shows at `/metrics`.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin/process_stats.h"
#include "controlplane/main/control_plane.h"
#include "shared/base/mutex.h"
#include "shared/base/status.h"
#include "shared/reasons/reasons.h"

namespace gatehouse {
namespace {

// A scrape may wait so long for the store; the admin port serves nothing else
// meanwhile.
constexpr absl::Duration kFiguresPatience = absl::Milliseconds(500);

// Of the series that are kept for each upstream and reason; what is beyond, by
// name, is listed by FleetService alone.
constexpr int kMostVerdicts = 10'000;

// What a Work read, for one that waits for it; shared, for the Work may come
// after the wait is over.
class Figures {
 public:
  struct Read {
    StoreFigures figures;
    std::vector<VerdictCountRow> verdicts;
    absl::Time now;  // the store's
  };
  void Set(const Read& read) {
    const MutexLock lock(mutex_);
    read_ = read;
  }
  void Finish(bool ok) {
    const MutexLock lock(mutex_);
    if (!ok) read_.reset();
    finished_ = true;
    changed_.notify_all();
  }
  std::optional<Read> Await(absl::Duration patience) {
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoMicroseconds(patience);
    const MutexLock lock(mutex_);
    while (!finished_ && changed_.wait_until(mutex_, deadline) ==
                             std::cv_status::no_timeout) {
    }
    return finished_ ? read_ : std::nullopt;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::optional<Read> read_ ABSL_GUARDED_BY(mutex_);
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

// What upstreams asked, since their policy first named them: as the store has
// it, so it outlives this process.
void AddVerdicts(const std::vector<VerdictCountRow>& verdicts,
                 admin::MetricsPage& page) {
  for (const VerdictCountRow& row : verdicts) {
    const ReasonRow* const reason = FindReasonByCounter(row.counter);
    admin::MetricsPage::Labels labels = {{"virtual_server", row.virtual_server},
                                         {"upstream", row.upstream}};
    if (reason == nullptr) {
      page.Counter("gatehouse_control_upstream_admitted_total",
                   "input requests of an upstream that were admitted",
                   static_cast<double>(row.count), labels);
      continue;
    }
    labels.emplace_back("reason", reason->counter);
    labels.emplace_back("malformed", reason->malformed ? "yes" : "no");
    page.Counter("gatehouse_control_upstream_refusals_total",
                 "input requests of an upstream that were refused",
                 static_cast<double>(row.count), labels);
  }
}

}  // namespace

admin::Answer ControlPlane::Metrics() {
  admin::MetricsPage page;
  page.Gauge(
      "gatehouse_build_info", "1; the version is the label", 1,
      {{"program", "gatehouse-control"}, {"version", GATEHOUSE_VERSION}});
  AddFigures(page);
  AddRooms(page);
  accounts_.AddTo(page);
  admin::AddProcessStats(page);
  admin::Answer answer;
  answer.content_type = std::string(admin::kMetricsType);
  answer.body = page.Text();
  return answer;
}

void ControlPlane::AddFigures(admin::MetricsPage& page) {
  const auto figures = std::make_shared<Figures>();
  store_->Run(
      [figures](Transaction& tx) -> absl::Status {
        GATEHOUSE_ASSIGN_OR_RETURN(const StoreFigures read, tx.ReadFigures());
        GATEHOUSE_ASSIGN_OR_RETURN(std::vector<VerdictCountRow> verdicts,
                                   tx.ListVerdictCounts({}, kMostVerdicts));
        figures->Set({read, std::move(verdicts), tx.Now()});
        return absl::OkStatus();
      },
      [figures](const absl::Status& status) { figures->Finish(status.ok()); });
  const std::optional<Figures::Read> read = figures->Await(kFiguresPatience);
  page.Gauge("gatehouse_control_store_answers",
             "1 if the store answered this scrape in time",
             read.has_value() ? 1 : 0);
  if (!read.has_value()) return;
  const StoreFigures& now = read->figures;
  const auto gauge = [&](const char* name, const char* help, int64_t value,
                         const admin::MetricsPage::Labels& labels = {}) {
    page.Gauge(name, help, static_cast<double>(value), labels);
  };
  gauge("gatehouse_control_open_input_requests",
        "input requests that wait for an answer", now.open_input_requests);
  page.Gauge("gatehouse_control_oldest_open_input_request_seconds",
             "age of the oldest of them, 0 if there is none",
             now.oldest_open.has_value()
                 ? absl::ToDoubleSeconds(read->now - *now.oldest_open)
                 : 0);
  gauge("gatehouse_control_open_operations",
        "open operations that have asked for something", now.open_operations);
  gauge("gatehouse_control_open_operation_slots",
        "input requests that these have been granted", now.slots_used);
  constexpr const char* kTokens = "gatehouse_control_open_operation_tokens";
  constexpr const char* kTokensHelp = "sampling tokens of the open operations";
  gauge(kTokens, kTokensHelp, now.tokens_reserved, {{"is", "reserved"}});
  gauge(kTokens, kTokensHelp, now.tokens_charged, {{"is", "charged"}});
  gauge("gatehouse_control_open_sessions", "open sessions of clients",
        now.open_sessions);
  gauge("gatehouse_control_mail", "mail that no worker has acknowledged yet",
        now.mail);
  gauge("gatehouse_control_audit_records", "size of the audit log",
        now.audit_records);
  AddVerdicts(read->verdicts, page);
}

void ControlPlane::AddRooms(admin::MetricsPage& page) const {
  page.Gauge("gatehouse_control_attached_workers",
             "workers whose stream is open", server_->attached_workers());
  const char* const decision = "gatehouse_control_decision_seconds";
  const char* const decision_help =
      "from the arrival of what is to be judged to the durable verdict";
  page.Histogram(decision, decision_help, broker_->stats().admit_seconds,
                 {{"of", "request"}});
  page.Histogram(decision, decision_help, broker_->stats().submit_seconds,
                 {{"of", "response"}});
  page.Histogram("gatehouse_control_commit_seconds",
                 "commits of the store that kept something",
                 store_stats_.commit_seconds);
  page.Histogram("gatehouse_control_commit_works",
                 "units of work that shared such a commit",
                 store_stats_.batch_works);
  page.Counter("gatehouse_control_commits_failed_total",
               "commits of which nobody knows whether they are durable",
               static_cast<double>(store_stats_.commits_failed.value()));
  server_->stats().ForEach(
      [&](std::string_view method, std::string_view code, int64_t count) {
        page.Counter(
            "gatehouse_control_rpcs_total", "RPCs by method and gRPC code",
            static_cast<double>(count),
            {{"method", std::string(method)}, {"code", std::string(code)}});
      });
}

}  // namespace gatehouse
