#include "dataplane/http/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "dataplane/http/http_text.h"
#include "shared/base/mutex.h"
#include "shared/base/status.h"

namespace gatehouse::http {
namespace {

constexpr size_t kMaxAddresses = 8;
constexpr size_t kMaxWaiting = 256;

bool ParseNumeric(const std::string& host, int port, Address& address) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(sockaddr_in);
    return true;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(sockaddr_in6);
    return true;
  }
  return false;
}

absl::StatusOr<std::vector<Address>> LookUp(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  std::vector<Address> addresses;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (addresses.size() == kMaxAddresses) break;
    if (info->ai_addrlen > sizeof(sockaddr_storage)) continue;
    Address address;
    memcpy(&address.storage, info->ai_addr, info->ai_addrlen);
    address.size = info->ai_addrlen;
    addresses.push_back(address);
  }
  if (found != nullptr) freeaddrinfo(found);
  if (error == 0 && !addresses.empty()) return addresses;
  return MakeStatus(absl::StatusCode::kUnavailable,
                    host + ": the name has no address");
}

}  // namespace

std::vector<Address> LocalAddresses(const std::string& host, int port) {
  Address address;
  if (ParseNumeric(host, port, address)) return {address};
  if (!EqualsNoCase(host, "localhost")) return {};
  Address v6;
  ParseNumeric("127.0.0.1", port, address);
  ParseNumeric("::1", port, v6);
  return {address, v6};
}

struct Resolver::State {
  struct Query {
    std::string host;
    int port;
    Done done;
  };

  void Run() {
    while (true) {
      Query query;
      {
        const MutexLock lock(mutex);
        busy = false;
        while (queries.empty() && !stopping) ready.wait(mutex);
        if (stopping) return;
        query = std::move(queries.front());
        queries.pop_front();
        busy = true;
      }
      auto addresses = LookUp(query.host, query.port);
      {
        const MutexLock lock(mutex);
        if (stopping) return;
      }
      query.done(std::move(addresses));
    }
  }

  Mutex mutex;
  CondVar ready;
  std::deque<Query> queries ABSL_GUARDED_BY(mutex);
  std::thread thread ABSL_GUARDED_BY(mutex);
  bool busy ABSL_GUARDED_BY(mutex) = false;  // in getaddrinfo or `done`
  bool stopping ABSL_GUARDED_BY(mutex) = false;
};

Resolver::Resolver() : state_(std::make_shared<State>()) {}

Resolver::~Resolver() {
  std::deque<State::Query> dropped;
  std::thread thread;
  bool busy = false;
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
    busy = state_->busy;
    dropped.swap(state_->queries);
    thread.swap(state_->thread);
    state_->ready.notify_all();
  }
  if (!thread.joinable()) return;
  if (busy) {
    thread.detach();  // it owns the state, and ends after its look-up
  } else {
    thread.join();
  }
}

bool Resolver::Resolve(std::string host, int port, Done done) {
  const MutexLock lock(state_->mutex);
  if (state_->stopping || state_->queries.size() >= kMaxWaiting) return false;
  state_->queries.push_back({std::move(host), port, std::move(done)});
  if (!state_->thread.joinable()) {
    state_->thread = std::thread([state = state_] { state->Run(); });
  }
  state_->ready.notify_one();
  return true;
}

}  // namespace gatehouse::http
