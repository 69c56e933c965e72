#ifndef GATEHOUSE_CONTROLPLANE_TRUST_RESPONSE_ERROR_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_RESPONSE_ERROR_H_

#include <string>
#include <string_view>

#include "controlplane/trust/judge.h"
#include "controlplane/trust/kind.h"

namespace gatehouse::trust {

// Judges the JSON-RPC error that a client answered with. `error` is raw.
ResponseVerdict JudgeError(const KindRow& row, std::string_view error);

// A peer's error text as another peer may see it: printable UTF-8 of at most
// 256 bytes, control, bidirectional and invisible characters made spaces, and
// each word that may name a machine, a path, an address or a secret made
// `[masked]`. `text` is valid UTF-8. Pure.
std::string MaskedText(std::string_view text);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_RESPONSE_ERROR_H_
