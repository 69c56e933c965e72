#ifndef GATEHOUSE_DATAPLANE_HTTP_FRONT_H_
#define GATEHOUSE_DATAPLANE_HTTP_FRONT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>

#include "dataplane/http/executor.h"
#include "dataplane/http/reactor.h"
#include "dataplane/http/request_parser.h"
#include "dataplane/http/server.h"
#include "shared/base/clock.h"

namespace gatehouse::http {

class Connection;

// What the server, its connections and its exchanges share. It lives as long
// as the last exchange, so that a late answer finds a stopped reactor, not a
// destroyed one.
//
// Thread-safe, but for `connections`.
struct Front {
  Front(ServerOptions server_options, Server::Handler server_handler)
      : options(std::move(server_options)),
        handler(std::move(server_handler)),
        executor(options.threads) {}

  const ServerOptions options;
  const Server::Handler handler;
  const SystemClock clock;
  Reactor reactor;
  Executor executor;
  RequestParser parser;

  std::atomic<bool> draining{false};
  std::atomic<int64_t> open_connections{0};
  std::atomic<int64_t> requests{0};
  std::atomic<int64_t> refused{0};
  std::atomic<int64_t> streams{0};
  std::atomic<int64_t> streams_lost_slow{0};
  std::atomic<int64_t> unanswered{0};

  // The reactor's thread only.
  std::unordered_set<std::shared_ptr<Connection>> connections;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_FRONT_H_
