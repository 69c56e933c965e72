#include "dataplane/downstream/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "shared/json/json.h"

namespace gatehouse::downstream {
namespace {

// A lookup that crosses the end of its session is over long before so many more
// have ended.
constexpr size_t kEndedKept = 256;

mcp::ClientFeatures ReadFeatures(const relay::SessionInfo& info,
                                 mcp::Revision revision) {
  const absl::StatusOr<json::Document> read =
      json::Document::Parse(info.client_capabilities);
  if (!read.ok()) return {};
  absl::StatusOr<mcp::ClientFeatures> features =
      mcp::ParseClientCapabilities(read->root(), revision);
  // What cannot be read was not declared.
  return features.ok() ? *features : mcp::ClientFeatures{};
}

}  // namespace

Session::Session(const relay::SessionInfo& info)
    : id_(info.id),
      virtual_server_(info.virtual_server),
      principal_{info.issuer, info.subject},
      revision_(
          mcp::ParseLegacyRevision(info.revision).value_or(mcp::kLatestLegacy)),
      declared_(ReadFeatures(info, revision_)) {}

Session::Begun Session::Begin(std::shared_ptr<CallStream> request) {
  const MutexLock lock(mutex_);
  if (ended_) return Begun::kEnded;
  if (requests_.size() >= kMaxRequestsPerSession) return Begun::kTooMany;
  const std::string& id = request->id();
  return requests_.emplace(id, std::move(request)).second ? Begun::kYes
                                                          : Begun::kDuplicate;
}

void Session::Finished(const std::string& id) {
  std::shared_ptr<CallStream> last;  // let go of outside the lock
  const MutexLock lock(mutex_);
  const auto it = requests_.find(id);
  if (it == requests_.end()) return;
  last = std::move(it->second);
  requests_.erase(it);
}

std::shared_ptr<CallStream> Session::Find(std::string_view id) const {
  const MutexLock lock(mutex_);
  const auto it = requests_.find(id);
  return it == requests_.end() ? nullptr : it->second;
}

bool Session::AddStream(std::shared_ptr<http::Exchange> stream) {
  const MutexLock lock(mutex_);
  if (ended_ || streams_.size() >= kMaxStreamsPerSession) return false;
  streams_.insert(std::move(stream));
  return true;
}

void Session::RemoveStream(const http::Exchange* stream) {
  std::shared_ptr<http::Exchange> last;
  const MutexLock lock(mutex_);
  for (auto it = streams_.begin(); it != streams_.end(); ++it) {
    if (it->get() != stream) continue;
    last = *it;
    streams_.erase(it);
    return;
  }
}

bool Session::WriteToStream(std::string_view event) {
  const MutexLock lock(mutex_);
  return std::any_of(
      streams_.begin(), streams_.end(),
      [event](const auto& stream) { return stream->Write(event); });
}

bool Session::InUse() const {
  const MutexLock lock(mutex_);
  return !requests_.empty() || !streams_.empty();
}

std::vector<std::shared_ptr<CallStream>> Session::End() {
  std::set<std::shared_ptr<http::Exchange>> streams;
  std::vector<std::shared_ptr<CallStream>> requests;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    streams.swap(streams_);
    for (const auto& [id, request] : requests_) requests.push_back(request);
  }
  for (const auto& stream : streams) stream->EndStream();
  return requests;
}

std::shared_ptr<const catalogue::Catalogue> Session::Listed(
    int64_t version) const {
  const MutexLock lock(mutex_);
  return listed_version_ == version ? listed_ : nullptr;
}

void Session::SetListed(std::shared_ptr<const catalogue::Catalogue> catalogue,
                        int64_t version) {
  const MutexLock lock(mutex_);
  listed_ = std::move(catalogue);
  listed_version_ = version;
}

void Session::ForgetListed() {
  const MutexLock lock(mutex_);
  listed_ = nullptr;
}

bool Session::BeginRootsReport() {
  const MutexLock lock(mutex_);
  roots_changed_again_ = reporting_roots_;
  return !std::exchange(reporting_roots_, true);
}

bool Session::EndRootsReport() {
  const MutexLock lock(mutex_);
  reporting_roots_ = false;
  return std::exchange(roots_changed_again_, false);
}

bool Session::AwaitListing(ListingWaiter waiter) {
  const MutexLock lock(mutex_);
  listing_waiters_.push_back(std::move(waiter));
  return listing_waiters_.size() == 1;
}

std::vector<Session::ListingWaiter> Session::TakeListingWaiters() {
  const MutexLock lock(mutex_);
  return std::exchange(listing_waiters_, {});
}

// ---- The table. ----

std::shared_ptr<Session> SessionTable::Find(const std::string& sha256) {
  const MutexLock lock(mutex_);
  const auto it = by_sha256_.find(sha256);
  if (it == by_sha256_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, it->second.used);
  return it->second.session;
}

std::shared_ptr<Session> SessionTable::FindById(const std::string& id) const {
  const MutexLock lock(mutex_);
  const auto named = sha256_by_id_.find(id);
  return named == sha256_by_id_.end() ? nullptr
                                      : by_sha256_.at(named->second).session;
}

std::shared_ptr<Session> SessionTable::Add(const std::string& sha256,
                                           const relay::SessionInfo& info) {
  auto fresh = std::make_shared<Session>(info);
  const MutexLock lock(mutex_);
  if (const auto it = by_sha256_.find(sha256); it != by_sha256_.end()) {
    return it->second.session;
  }
  if (std::find(ended_.begin(), ended_.end(), fresh->id()) != ended_.end()) {
    return nullptr;
  }
  if (by_sha256_.size() >= capacity_) EvictLocked();
  by_use_.push_front(sha256);
  by_sha256_[sha256] = Entry{fresh, by_use_.begin()};
  sha256_by_id_[fresh->id()] = sha256;
  return fresh;
}

std::shared_ptr<Session> SessionTable::Remove(std::string_view id) {
  const MutexLock lock(mutex_);
  ended_.emplace_back(id);
  if (ended_.size() > kEndedKept) ended_.pop_front();
  const auto named = sha256_by_id_.find(std::string(id));
  if (named == sha256_by_id_.end()) return nullptr;
  const auto it = by_sha256_.find(named->second);
  std::shared_ptr<Session> session = it->second.session;
  by_use_.erase(it->second.used);
  by_sha256_.erase(it);
  sha256_by_id_.erase(named);
  return session;
}

std::vector<std::shared_ptr<Session>> SessionTable::All() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Session>> all;
  all.reserve(by_sha256_.size());
  for (const auto& [sha256, entry] : by_sha256_) all.push_back(entry.session);
  return all;
}

void SessionTable::EvictLocked() {
  // The longest unused that nothing hangs on; looking at a few is enough.
  int looked_at = 0;
  for (auto it = by_use_.rbegin(); it != by_use_.rend() && looked_at < 64;
       ++it, ++looked_at) {
    const auto entry = by_sha256_.find(*it);
    if (entry->second.session->InUse()) continue;
    sha256_by_id_.erase(entry->second.session->id());
    by_sha256_.erase(entry);
    by_use_.erase(std::next(it).base());
    return;
  }
}

size_t SessionTable::size() const {
  const MutexLock lock(mutex_);
  return by_sha256_.size();
}

}  // namespace gatehouse::downstream
