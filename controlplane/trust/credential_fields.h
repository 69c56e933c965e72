#ifndef GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_FIELDS_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_FIELDS_H_

#include <string_view>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/form.h"

namespace gatehouse::trust {

// Whether a text asks for what no form may ask for: a password, a key, a token,
// a card or a one-time code (PROTOCOL 7.5). By words, after folding what looks
// like other letters. Pure.
bool NamesACredential(std::string_view text);

// Whether a field that can carry a secret (a free text or a number) asks for
// one by its name, title or format.
bool AsksForCredential(const Field& field);
// By its description alone: worth a look, no reason to refuse it.
bool DescribesACredential(const Field& field);

// Whether the policy lets that upstream's forms have that field all the same.
bool IsAllowedField(const policy::VirtualServer& policy,
                    std::string_view upstream, std::string_view field);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_FIELDS_H_
