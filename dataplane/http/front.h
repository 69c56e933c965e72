#ifndef GATEHOUSE_DATAPLANE_HTTP_FRONT_H_
#define GATEHOUSE_DATAPLANE_HTTP_FRONT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/request_parser.h"
#include "dataplane/http/server.h"
#include "shared/base/clock.h"
#include "shared/base/mutex.h"

namespace gatehouse::http {

class Connection;

// What the server, its connections and its exchanges share. It lives as long
// as the last exchange, so that a late answer finds a stopped reactor, not a
// destroyed one.
//
// Thread-safe.
struct Front {
  // Threads of its own.
  Front(ServerOptions server_options, Server::Handler server_handler)
      : options(std::move(server_options)),
        handler(std::move(server_handler)),
        own_reactors(std::make_unique<ReactorPool>(options.threads)),
        own_executor(std::make_unique<Executor>(options.threads)),
        reactors(*own_reactors),
        executor(*own_executor) {}
  // Borrowed ones.
  Front(ServerOptions server_options, Server::Handler server_handler,
        ReactorPool& borrowed_reactors, Executor& borrowed_executor)
      : options(std::move(server_options)),
        handler(std::move(server_handler)),
        reactors(borrowed_reactors),
        executor(borrowed_executor) {}

  void Add(std::shared_ptr<Connection> connection) {
    const MutexLock lock(mutex);
    connections.insert(std::move(connection));
  }
  void Remove(const std::shared_ptr<Connection>& connection) {
    const MutexLock lock(mutex);
    connections.erase(connection);
    if (connections.empty()) none_open.notify_all();
  }
  std::vector<std::shared_ptr<Connection>> All() {
    const MutexLock lock(mutex);
    return {connections.begin(), connections.end()};
  }

  const ServerOptions options;
  const Server::Handler handler;
  const SystemClock clock;
  const std::unique_ptr<ReactorPool> own_reactors;
  const std::unique_ptr<Executor> own_executor;
  ReactorPool& reactors;
  Executor& executor;
  RequestParser parser;

  std::atomic<bool> draining{false};
  std::atomic<int64_t> open_connections{0};
  std::atomic<int64_t> requests{0};
  std::atomic<int64_t> bodies_bytes{0};  // held now
  std::atomic<int64_t> refused{0};
  std::atomic<int64_t> handshakes_failed{0};
  std::atomic<int64_t> streams{0};
  std::atomic<int64_t> streams_lost_slow{0};
  std::atomic<int64_t> unanswered{0};

  Mutex mutex;
  CondVar none_open;
  std::unordered_set<std::shared_ptr<Connection>> connections
      ABSL_GUARDED_BY(mutex);
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_FRONT_H_
