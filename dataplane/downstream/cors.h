#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_CORS_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_CORS_H_

#include <memory>
#include <string_view>

#include "dataplane/http/server.h"

// What lets a web page of an allowed origin read our answers (the Fetch
// standard's CORS protocol). Only for requests that passed OriginCheck: what it
// refuses gets none of these headers. An origin is named as it was sent, never
// `*`, and credentials are never allowed: a page sends its token itself.
namespace gatehouse::downstream {

// 204 to an OPTIONS request. A preflight (Origin and
// Access-Control-Request-Method) learns which methods and headers it may use,
// and for how long it need not ask again; any other, which methods there are.
// It needs no token, since browsers send none, and it does not say whether
// anything is served at that path. Its Access-Control-Allow-Origin is
// WithCors's to add. Pure.
http::Response AnswerOptions(const http::Headers& headers);

// The same exchange, each of whose answers, streams and errors too, carries
// Access-Control-Allow-Origin and Access-Control-Expose-Headers for the
// request's origin. Without Origin in the request: `exchange` itself.
// Thread-safe, as the exchange is, which it shares.
std::shared_ptr<http::Exchange> WithCors(
    std::shared_ptr<http::Exchange> exchange);

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_CORS_H_
