#ifndef GATEHOUSE_CONTROLPLANE_TRUST_RESPONSE_ERROR_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_RESPONSE_ERROR_H_

#include <string>
#include <string_view>

#include "controlplane/trust/judge.h"
#include "controlplane/trust/kind.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// What a JSON-RPC error that a client answered with, and that passed the rules,
// means: a decline of sampling, else a failure.
ResponseVerdict VerdictOfError(const KindRow& row, const json::Value& error);

// A peer's error text as another peer may see it: printable UTF-8 of at most
// 256 bytes, control, bidirectional and invisible characters made spaces, and
// each word that may name a machine, a path, an address or a secret made
// `[masked]`. `text` is valid UTF-8. Pure.
std::string MaskedText(std::string_view text);

// An error's `data` as another peer may see it: JSON whose strings are masked
// as above. Numbers that the mask hides are
// masked texts. Empty if it has more than 64 values, nests deeper than 8, or
// has a member that is not named by 1 to 64 of [A-Za-z0-9_.-], or by what the
// mask hides. Pure.
std::string MaskedData(const json::Value& data);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_RESPONSE_ERROR_H_
