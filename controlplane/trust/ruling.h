#ifndef GATEHOUSE_CONTROLPLANE_TRUST_RULING_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_RULING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/json/json.h"
#include "shared/reasons/reasons.h"

namespace gatehouse::trust {

// Why a rule refuses something: where, and what to do about it. The text is the
// gateway's own; it never quotes what was judged.
struct Objection {
  std::string path;  // JSON pointer into what is judged; empty: all of it
  std::string what;
  // Instead of the direction's own (invalid_request, invalid_response).
  std::optional<Reason> reason;
  // More members of `data`: name and raw JSON value.
  std::vector<std::pair<std::string, std::string>> details;
};

// What a rule says. Nothing: the rule is kept.
using Ruling = std::optional<Objection>;

// An objection to this value, or to a member of it that is wrong or missing.
Objection ObjectTo(const json::Value& value, std::string_view what);
Objection ObjectToMember(const json::Value& parent, std::string_view name,
                         std::string_view what);
Objection ObjectToMember(const json::Value& parent, std::string_view name,
                         Reason reason, std::string_view what);
// An objection to all of it.
Objection ObjectTo(Reason reason, std::string_view what);
// The same for a part that the policy or the client rules out.
Objection ObjectTo(const json::Value& value, Reason reason,
                   std::string_view what);

// The message is "`subject`: `what`"; the path is cut to its nearest ancestor
// within 256 bytes, since its tokens are a peer's text.
Failure ToFailure(const Objection& objection, Reason otherwise,
                  std::string_view subject);

// Rules about one member, by name. An absent member keeps them.
Ruling OptionalString(const json::Value& parent, std::string_view name);
Ruling OptionalObject(const json::Value& parent, std::string_view name);
Ruling OptionalBool(const json::Value& parent, std::string_view name);
// And these are broken by an absent one.
Ruling RequiredString(const json::Value& parent, std::string_view name);
Ruling RequiredText(const json::Value& parent,
                    std::string_view name);  // not empty
Ruling RequiredObject(const json::Value& parent, std::string_view name);

// The string that a member holds; nothing if it is absent or no string.
std::optional<std::string_view> StringMember(const json::Value& parent,
                                             std::string_view name);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_RULING_H_
