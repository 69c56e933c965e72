#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_SESSION_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_SESSION_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "dataplane/catalogue/catalogue.h"
#include "dataplane/downstream/call_stream.h"
#include "dataplane/downstream/identity.h"
#include "dataplane/http/server.h"
#include "dataplane/relay/control_client.h"
#include "shared/base/mutex.h"
#include "shared/mcp/features.h"
#include "shared/mcp/revision.h"

namespace gatehouse::downstream {

inline constexpr size_t kMaxStreamsPerSession = 4;
inline constexpr size_t kMaxRequestsPerSession = 4'352;  // all that may run

// What a worker keeps of a legacy session while it serves it. What must not be
// lost is in the control plane. Thread-safe.
class Session {
 public:
  explicit Session(const relay::SessionInfo& info);

  const std::string& id() const { return id_; }  // public, bare
  const std::string& virtual_server() const { return virtual_server_; }
  const Principal& principal() const { return principal_; }
  mcp::Revision revision() const { return revision_; }
  const mcp::ClientFeatures& declared() const { return declared_; }

  // Requests in flight, by the id's lexeme.
  enum class Begun { kYes, kDuplicate, kTooMany, kEnded };
  Begun Begin(std::shared_ptr<CallStream> request);
  void Finished(const std::string& id);
  std::shared_ptr<CallStream> Find(std::string_view id) const;

  // GET streams. False if there are too many, or the session has ended.
  bool AddStream(std::shared_ptr<http::Exchange> stream);
  void RemoveStream(const http::Exchange* stream);
  // Writes one event on one of them (PROTOCOL §2.5: never on several). False
  // if none takes it.
  bool WriteToStream(std::string_view event);

  // In use: something is in flight or a stream is open.
  bool InUse() const;
  // Takes no more; hands over what was in flight and ends the streams.
  std::vector<std::shared_ptr<CallStream>> End();

  // The catalogue that was listed last, for the version of the policy that it
  // was listed under; null if there is none.
  std::shared_ptr<const catalogue::Catalogue> Listed(int64_t version) const;
  void SetListed(std::shared_ptr<const catalogue::Catalogue> catalogue,
                 int64_t version);
  void ForgetListed();

  // Changes of its tools that come close together are told once: true if none
  // is to be told yet; the caller then tells it soon, after EndAnnouncement.
  bool BeginAnnouncement() { return !announcing_.exchange(true); }
  void EndAnnouncement() { announcing_ = false; }

  // Changes of its roots are reported one at a time: true if none is being
  // reported; else another report follows that one.
  bool BeginRootsReport();
  // True if another is to follow, which then begins anew.
  bool EndRootsReport();

  // Calls that wait for a listing share it. True: the caller is to list, then
  // to call TakeListingWaiters.
  using ListingWaiter =
      std::function<void(std::shared_ptr<const catalogue::Catalogue>)>;
  bool AwaitListing(ListingWaiter waiter);
  std::vector<ListingWaiter> TakeListingWaiters();

 private:
  const std::string id_;
  const std::string virtual_server_;
  const Principal principal_;
  const mcp::Revision revision_;
  const mcp::ClientFeatures declared_;

  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<CallStream>, std::less<>> requests_
      ABSL_GUARDED_BY(mutex_);
  std::set<std::shared_ptr<http::Exchange>> streams_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const catalogue::Catalogue> listed_ ABSL_GUARDED_BY(mutex_);
  int64_t listed_version_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> announcing_{false};
  std::vector<ListingWaiter> listing_waiters_ ABSL_GUARDED_BY(mutex_);
  bool reporting_roots_ ABSL_GUARDED_BY(mutex_) = false;
  bool roots_changed_again_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

// The sessions that this worker has served lately, by the SHA-256 of their
// secret. A cache: what falls out of it is looked up again. Thread-safe.
class SessionTable {
 public:
  explicit SessionTable(size_t capacity = 20'000) : capacity_(capacity) {}

  std::shared_ptr<Session> Find(const std::string& sha256);
  // By the public id; that is no use of it.
  std::shared_ptr<Session> FindById(const std::string& id) const;
  // Keeps the one that is there already, if any, and returns it. Null if the
  // session was removed lately: what was looked up is then out of date.
  std::shared_ptr<Session> Add(const std::string& sha256,
                               const relay::SessionInfo& info);
  // It has ended: takes it out by its public id; null if it is not here.
  std::shared_ptr<Session> Remove(std::string_view id);
  std::vector<std::shared_ptr<Session>> All() const;
  size_t size() const;

 private:
  struct Entry {
    std::shared_ptr<Session> session;
    std::list<std::string>::iterator used;
  };
  void EvictLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t capacity_;
  mutable Mutex mutex_;
  absl::flat_hash_map<std::string, Entry> by_sha256_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::string> sha256_by_id_
      ABSL_GUARDED_BY(mutex_);
  std::list<std::string> by_use_ ABSL_GUARDED_BY(mutex_);  // latest first
  std::deque<std::string> ended_ ABSL_GUARDED_BY(mutex_);  // ids, latest last
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_SESSION_H_
