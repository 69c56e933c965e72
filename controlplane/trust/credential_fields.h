#ifndef GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_FIELDS_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_FIELDS_H_

#include <string_view>

#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// Whether a name, a title or a format asks for what no form may ask for: a
// password, a key, a token, a card or a one-time code (PROTOCOL 7.5). A first
// detector, by words; it knows English. Pure.
bool AsksForCredential(std::string_view text);

// No property of `properties` that can carry a secret (a free text or a number)
// asks for a credential by its name, title or format. `properties` may be
// anything: what is no schema is the form's concern.
Ruling NoFieldAsksForCredentials(const json::Value& properties);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_FIELDS_H_
