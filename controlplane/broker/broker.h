#ifndef GATEHOUSE_CONTROLPLANE_BROKER_BROKER_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_BROKER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controlplane/audit/record.h"
#include "controlplane/broker/keys.h"
#include "controlplane/policy/virtual_server.h"
#include "controlplane/sessions/mailbox.h"
#include "controlplane/sessions/workers.h"
#include "controlplane/store/store.h"
#include "controlplane/trust/judge.h"
#include "shared/base/counters.h"
#include "shared/base/mutex.h"
#include "shared/base/random.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::broker {

class Decision;
class PolicyBook;
struct ExplainCommand;  // explain.h
struct Explained;
struct UpstreamsQuery;  // upstreams.h
struct UpstreamFigures;

// Commands and outcomes, as plain values; rpc translates. Ids are bare.

// A worker that speaks, under its epoch.
struct Caller {
  std::string worker_id;
  int64_t epoch = 0;
};

struct RaisedRequest {
  std::string key;
  std::string method;
  std::string params;                      // raw; empty: absent
  std::optional<int64_t> oversized_bytes;  // in place of params
};

// How the worker found the operation (DESIGN §9).
enum class Attribution { kOwnStream, kOnlyCall, kAmbiguous, kNone };

// `trace_id` in a command is of the call that it belongs to, for the observer
// alone; empty: unknown.

struct AdmitCommand {
  std::string request_id;
  std::string trace_id;
  std::string content_sha256;  // of the whole call, for idempotency
  Caller caller;
  // With kAmbiguous and kNone no call's: empty, or under which the client may
  // be asked for its roots.
  std::string operation_id;
  std::string session_id;
  std::string virtual_server;
  std::string upstream;
  std::string upstream_revision;
  std::string tool;
  Attribution attribution = Attribution::kNone;
  std::vector<RaisedRequest> requests;  // 1 to 8
  int32_t oversized_round_count = 0;    // in place of requests
  // They are the elicitations of a `-32042` error: admitted whole, refused with
  // what the client's call is to be answered.
  bool notified = false;
};

struct RelayWord {
  std::string opaque_id;
  std::string params;
  absl::Time deadline;
  absl::Duration time_left;
  std::string elicitation_id;  // of URL mode; else empty
};
// Show it within the error that it came in.
struct NotifyWord {
  std::string params;
  std::string elicitation_id;
};
// The client was asked before.
struct AnswerWord {
  std::string result;
};
struct AdmitWord {
  std::string key;
  std::string input_request_id;
  // UpstreamReplyRow: refuse.
  std::variant<RelayWord, UpstreamReplyRow, NotifyWord, AnswerWord> word;
};
struct AdmitOutcome {
  std::vector<AdmitWord> words;
  int64_t policy_version = 0;
};

struct SubmitCommand {
  std::string request_id;
  std::string trace_id;
  std::string content_sha256;
  Caller caller;
  std::string opaque_id;
  std::string session_id;
  std::optional<std::string> result;  // raw; exactly one of the three
  std::optional<std::string> error;
  std::optional<int64_t> oversized_bytes;
};

struct SubmitOutcome {
  enum class Verdict { kDeliver, kElsewhere, kIgnored };
  Verdict verdict = Verdict::kIgnored;
  std::string input_request_id;
  InputRequestState state = InputRequestState::kRelayed;
  UpstreamReplyRow deliver;
  std::string ignored_cause;  // `unknown`, `late`, `duplicate`, `not_owner`
};

enum class CancelCause { kUpstream, kAdmitTimedOut, kClientUnreachable };

struct CancelCommand {
  std::string request_id;
  std::string trace_id;
  Caller caller;
  std::string input_request_id;  // or
  std::string admit_request_id;
  CancelCause cause = CancelCause::kUpstream;
};
struct CancelOutcome {
  struct Entry {
    std::string input_request_id;
    InputRequestState state;
  };
  std::vector<Entry> entries;
};

struct CloseOperationCommand {
  std::string request_id;
  std::string trace_id;
  Caller caller;
  std::string operation_id;
  std::string session_id;
  std::string end;  // `completed`, `client_cancelled`, ...; for the audit
};

// What the sweeper found to do; anything left means: sweep again at once.
struct SweepOutcome {
  int expired = 0;
  int lost_workers = 0;
  int idle_sessions = 0;
  bool more = false;
};

// The life of input requests and of what holds them: each method is one Work of
// the store, in which the state, the ledger and the audit record move together
// (invariants 5, 6 and 7).
//
// Thread-safe; nothing blocks. `done` is called once, on the store's thread (or
// the caller's, if the store's queue is full); it must be quick. Its errors:
//   INVALID_ARGUMENT     the call itself is wrong, or its request_id was used
//                        with other content (`request_id_reused`)
//   NOT_FOUND            what it names is not there
//   FAILED_PRECONDITION  `stale_epoch`, `not_owner`, `session_ended`
//   ABORTED              the request_id was spent by CancelInputRequest
//   RESOURCE_EXHAUSTED, UNAVAILABLE, UNKNOWN   as Store says
// Ownership: borrows all that it is constructed with.
class Broker {
 public:
  template <typename T>
  using Done = std::function<void(absl::StatusOr<T>)>;
  // Told which workers have new mail, after the commit, on the store's thread.
  using MailHint = std::function<void(const sessions::MailedWorkers&)>;

  // Told of each record once it is durable, on the store's thread; must be
  // quick. `trace_id` as in the command.
  using RecordObserver = std::function<void(const audit::Record& record,
                                            std::string_view trace_id)>;
  // What it counts of itself. Thread-safe.
  struct Stats {
    Histogram admit_seconds;   // from Admit to the verdict
    Histogram submit_seconds;  // from Submit to the verdict
  };

  Broker(Store& store, Random& random, const Keys& keys);
  ~Broker();

  // Set once, before the first call.
  void SetMailHint(MailHint hint);
  void SetObserver(RecordObserver observer);
  const Stats& stats() const { return stats_; }

  // Trust.
  void Admit(AdmitCommand command, Done<AdmitOutcome> done);
  void Submit(SubmitCommand command, Done<SubmitOutcome> done);
  void Cancel(CancelCommand command, Done<CancelOutcome> done);
  void CloseOperation(CloseOperationCommand command, Done<int> done);
  // What the current policy's judge says; reads only, records nothing.
  void Explain(ExplainCommand command, Done<Explained> done);

  // Delivery of what came by the mailbox. nullopt: not granted.
  void Claim(Caller caller, std::string input_request_id,
             Done<std::optional<UpstreamReplyRow>> done);
  void Acknowledge(Caller caller, std::string input_request_id,
                   Done<bool> done);

  // Sessions. `session` comes without times; its id is set here.
  void OpenSession(std::string request_id, std::string content_sha256,
                   Caller caller, SessionRow session, Done<SessionRow> done);
  void CloseSession(std::string session_id, std::string cause, Done<int> done);
  // The client's roots have changed: what it last answered to `roots/list` no
  // longer counts outside of calls, nor does what it answers to a request that
  // was made until now. NOT_FOUND for a session that is not open.
  void ForgetRoots(Caller caller, std::string session_id, Done<bool> done);

  // Workers. What an earlier epoch held ends LOST in the same Work.
  void Attach(sessions::Hello hello, Done<WorkerRow> done);
  void Renew(Caller caller, int32_t operations,
             std::vector<std::string> active_sessions, Done<bool> done);

  // Policies. `etag` guards if not empty: ABORTED `etag_mismatch`.
  struct Applied {
    PolicyRow row;
    bool changed = false;
  };
  void ApplyPolicy(const policy::VirtualServer& virtual_server,
                   std::string etag, bool validate_only, std::string author,
                   Done<Applied> done);
  void DeletePolicy(std::string virtual_server, std::string etag,
                    std::string author, Done<bool> done);

  // Upstreams of the current policies. Reads only; NOT_FOUND if the query names
  // a virtual server that is not there.
  void ListUpstreams(UpstreamsQuery query,
                     Done<std::vector<UpstreamFigures>> done);

  // Records that this process started, and gives workers a full lease.
  void Boot(Done<bool> done);

  // Ends what is due, at most a batch of it.
  void Sweep(Done<SweepOutcome> done);
  // Forgets what is kept for 24 h only.
  void Purge(Done<bool> done);

 private:
  friend class Decision;

  template <typename T>
  void Run(std::function<absl::Status(Decision&, T&)> work, Done<T> done,
           std::string trace_id = {});

  Store& store_;
  Random& random_;
  const Keys& keys_;
  MailHint mail_hint_;
  RecordObserver observer_;
  Stats stats_;
  std::unique_ptr<PolicyBook> policies_;  // used on the store's thread only

  // Of a negative control in test builds; empty in any other.
  Mutex late_records_mutex_;
  std::vector<std::function<void()>> late_records_
      ABSL_GUARDED_BY(late_records_mutex_);
};

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_BROKER_H_
