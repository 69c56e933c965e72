#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_CLASSIFY_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_CLASSIFY_H_

#include <string>
#include <string_view>

#include "dataplane/http/server.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::downstream {

enum class Intent {
  kRefused,     // `refusal` says why
  kInitialize,  // opens a session
  kRequest,     // within a session, like all that follow
  kNotification,
  kResponse,    // to an input request
  kOpenStream,  // GET
  kEndSession,  // DELETE
};

// What a client's HTTP request to a virtual server is, by its form alone.
struct Classified {
  Intent intent = Intent::kRefused;
  http::Response refusal;
  mcp::Envelope message;        // views into the request's body
  std::string_view session_id;  // the secret, as sent; views into its header
};

// Reads method, headers and body by the rules of the legacy revisions
// (PROTOCOL §2.1 to §2.7): 405, 415, 406, 413, 400. Whether the session exists
// is not its business. Pure. The result lives as long as `request`.
Classified Classify(const http::Request& request);

// Whether `text` has the shape of the secrets that Gatehouse mints (session
// ids, opaque ids): 256 bits in base64url. Others are unknown without asking.
bool IsSecretShaped(std::string_view text);

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_CLASSIFY_H_
