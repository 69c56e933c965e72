#ifndef GATEHOUSE_CONTROLPLANE_BROKER_KEYS_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_KEYS_H_

#include <string>
#include <string_view>

namespace gatehouse::broker {

// The control plane's own secrets, 32 bytes each, and what is made of them.
// A plain value. Never logged, never stored with the data.
struct Keys {
  std::string audit_hmac;  // over what could be guessed, in audit records
  std::string opaque_id;   // opaque ids are made of input requests' ids by it
  std::string boot_id;     // of this process, for the audit

  // The id that a client sees of an input request: 256 bits that nobody can
  // guess, made again when a worker asks twice, so that it need not be stored
  // (only its hash is).
  std::string OpaqueIdOf(std::string_view input_request_id) const;

  // The `elicitationId` by which a client knows an elicitation in URL mode:
  // made likewise, and as unlike the opaque id as any other.
  std::string ElicitationIdOf(std::string_view input_request_id) const;

  // An HMAC with a tag, so that equal texts of different kinds differ.
  std::string AuditHmac(std::string_view tag, std::string_view text) const;
};

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_KEYS_H_
