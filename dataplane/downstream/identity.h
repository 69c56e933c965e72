#ifndef GATEHOUSE_DATAPLANE_DOWNSTREAM_IDENTITY_H_
#define GATEHOUSE_DATAPLANE_DOWNSTREAM_IDENTITY_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/http/server.h"

namespace gatehouse::downstream {

// Whose client it is (DESIGN §2).
struct Principal {
  std::string issuer;
  std::string subject;
  friend bool operator==(const Principal&, const Principal&) = default;
};

// Who may come in. Immutable; thread-safe.
class Identities {
 public:
  // Everybody, as `anonymous`: for loopback only.
  static Identities Anonymous() { return Identities(); }
  // Those with a bearer token of the file: lines `NAME SHA256-HEX`; blank lines
  // and lines that start with `#` are skipped. INVALID_ARGUMENT names the line.
  static absl::StatusOr<Identities> Parse(std::string_view file);

  bool anonymous() const { return by_digest_.empty(); }
  // nullopt: the request is to be answered with 401.
  std::optional<Principal> Authenticate(const http::Headers& headers) const;

 private:
  Identities() = default;
  std::map<std::string, std::string> by_digest_;  // SHA-256 (raw) to name
};

}  // namespace gatehouse::downstream

#endif  // GATEHOUSE_DATAPLANE_DOWNSTREAM_IDENTITY_H_
