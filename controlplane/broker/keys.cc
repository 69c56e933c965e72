#include "controlplane/broker/keys.h"

#include "shared/base/digest.h"

namespace gatehouse::broker {

std::string Keys::OpaqueIdOf(std::string_view input_request_id) const {
  return Base64UrlEncode(HmacSha256(opaque_id, input_request_id));
}

std::string Keys::ElicitationIdOf(std::string_view input_request_id) const {
  // No input request's id has a NUL in it, so no opaque id is made of this.
  std::string tagged("elicitation");
  tagged.push_back('\0');
  tagged.append(input_request_id);
  return Base64UrlEncode(HmacSha256(opaque_id, tagged));
}

std::string Keys::AuditHmac(std::string_view tag, std::string_view text) const {
  std::string tagged(tag);
  tagged.push_back('\0');
  tagged.append(text);
  return HmacSha256(audit_hmac, tagged);
}

}  // namespace gatehouse::broker
