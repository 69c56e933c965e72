#ifndef GATEHOUSE_DATAPLANE_UPSTREAM_HTTP_TROUBLE_H_
#define GATEHOUSE_DATAPLANE_UPSTREAM_HTTP_TROUBLE_H_

// What an HTTP answer without the awaited message means. Pure functions.

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "dataplane/upstream/http_exchange.h"
#include "dataplane/upstream/trouble.h"

namespace gatehouse::upstream {

struct HttpTrouble {
  Trouble trouble;
  bool session_lost = false;  // the upstream knows our session no more
};

// `has_session`: the upstream gave us a session id, so that 404, and the 400
// that some servers send instead, mean that it is gone.
HttpTrouble TroubleOf(const ExchangeEnd& end, bool has_session);

// How long to wait before a stream is opened again: what the upstream asked for
// by `retry`, else a backoff that doubles with each failure.
absl::Duration RetryDelay(std::optional<int64_t> retry_ms, int failures,
                          absl::Duration first, absl::Duration longest);

// Visible ASCII, 1 to 1,024 bytes.
bool IsFitSessionId(std::string_view id);

// True if `body` is a JSON-RPC error that answers our request `id`: then it is
// the upstream's answer, whatever the HTTP status beside it.
bool IsErrorFor(std::string_view body, int64_t id);

}  // namespace gatehouse::upstream

#endif  // GATEHOUSE_DATAPLANE_UPSTREAM_HTTP_TROUBLE_H_
