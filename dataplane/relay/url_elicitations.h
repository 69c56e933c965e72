#ifndef GATEHOUSE_DATAPLANE_RELAY_URL_ELICITATIONS_H_
#define GATEHOUSE_DATAPLANE_RELAY_URL_ELICITATIONS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "dataplane/relay/upstream.h"

namespace gatehouse::relay {

// The `-32042` error by which a 2025-11-25 upstream says that the user must
// visit pages before a call can go on (PROTOCOL 7.3). Pure.

// One entry of its `data.elicitations`.
struct RequiredElicitation {
  std::string params;          // raw, as the upstream wrote it
  std::string elicitation_id;  // in them; empty if there is none
};

// An entry's size is an input request's (DESIGN §8).
inline constexpr size_t kMaxRequiredElicitations = 8;
inline constexpr size_t kMaxRequiredBytes = 64 << 10;
// Of the whole error: its entries and as much besides.
inline constexpr size_t kMaxRequiringErrorBytes = 1 << 20;

// True if a call ended with that error and its revision has it.
bool RequiresElicitations(const CallObserver::End& end);

// The entries of such an error, 1 to 8. INVALID_ARGUMENT for any other number,
// an entry that is no object or too long, or an error that cannot be read.
absl::StatusOr<std::vector<RequiredElicitation>> ReadRequiredElicitations(
    const std::string& error);

// The error with these params in place of its entries, in order; every other
// byte as it was. Empty if it cannot be read or has another number of them:
// nobody has judged what it then holds.
std::string WithElicitations(const std::string& error,
                             const std::vector<std::string>& params);

// The `elicitationId` in the params of an elicitation in URL mode; empty if
// there is none, or it is longer than the judge admits.
std::string ElicitationIdOf(std::string_view params);

// A refusal as a raw `error` member.
std::string ErrorObjectOf(const UpstreamReply& refusal);

}  // namespace gatehouse::relay

#endif  // GATEHOUSE_DATAPLANE_RELAY_URL_ELICITATIONS_H_
