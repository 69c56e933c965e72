#ifndef GATEHOUSE_CONTROLPLANE_POLICY_LIMIT_ROWS_H_
#define GATEHOUSE_CONTROLPLANE_POLICY_LIMIT_ROWS_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "controlplane/policy/virtual_server.h"

namespace gatehouse::policy {

// A limit of the document. Its default is the one in the struct Limits.
struct LimitRow {
  std::string_view name;  // as in the document
  int64_t Limits::*field;
  int64_t least;
  int64_t most;  // those that may only be lowered: their default
};

// In the order of the proto, which is that of the canonical form.
inline constexpr std::array<LimitRow, 8> kLimitRows = {{
    {"inputRequestsPerOperation", &Limits::input_requests_per_operation, 1, 8},
    {"samplingTokensPerOperation", &Limits::sampling_tokens_per_operation, 1,
     8192},
    {"samplingTokensPerRequest", &Limits::sampling_tokens_per_request, 1, 4096},
    {"openInputRequestsPerUpstream", &Limits::open_input_requests_per_upstream,
     1, 100'000},
    {"openInputRequestsPerVirtualServer",
     &Limits::open_input_requests_per_virtual_server, 1, 100'000},
    {"inputRequestBytes", &Limits::input_request_bytes, 1, 64 << 10},
    {"inputResponseBytes", &Limits::input_response_bytes, 1, 1 << 20},
    {"formProperties", &Limits::form_properties, 1, 32},
}};

// The bounds of replyDeadline.
inline constexpr absl::Duration kLeastReplyDeadline = absl::Seconds(5);
inline constexpr absl::Duration kMostReplyDeadline = absl::Minutes(10);

// The value of `kind` in every document.
inline constexpr std::string_view kDocumentKind = "VirtualServer";

}  // namespace gatehouse::policy

#endif  // GATEHOUSE_CONTROLPLANE_POLICY_LIMIT_ROWS_H_
