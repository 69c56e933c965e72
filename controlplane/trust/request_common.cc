// The rules about every input request: that it can be read, that it belongs to
// a call, that policy and client permit it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/reading.h"
#include "controlplane/trust/rule.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

using Context = RequestContext;

Ruling MethodIsKnown(const Context& context) {
  if (context.kind != nullptr) return std::nullopt;
  // Not the method's name: it is the upstream's own text, of any length.
  return ObjectTo(Reason::kNotPermitted,
                  "the gateway relays no request of this method; it knows "
                  "sampling/createMessage, elicitation/create and roots/list; "
                  "use one of these or go on without it");
}

Ruling MethodIsInTheRevision(const Context& context) {
  if (context.kind == nullptr ||
      context.kind->exists_in(context.upstream_era)) {
    return std::nullopt;
  }
  return ObjectTo(Reason::kNotPermitted,
                  "the revision that the upstream negotiated has no such "
                  "request; negotiate 2025-06-18 or later, or go on without "
                  "it");
}

Ruling IsWithinSize(const Context& context) {
  return WithinBytes(context.facts.oversized_bytes, context.facts.params.size(),
                     context.policy.limits.input_request_bytes,
                     Reason::kTooLarge, "ask for less at a time");
}

template <json::Fault fault>
Ruling HasNot(const Context& context) {
  return ReadWithout(context.reading, fault);
}

Ruling ParamsAreAnObject(const Context& context) {
  if (context.params.IsObject()) return std::nullopt;
  return ObjectTo(context.params, "the params must be an object");
}

constexpr std::array kReadable = {
    RequestRule{"method-known", "a method that the gateway relays", "DESIGN 6",
                MethodIsKnown},
    RequestRule{"method-in-revision",
                "a method of the revision that the upstream negotiated",
                "PROTOCOL 5.1", MethodIsInTheRevision},
    RequestRule{"request-within-size", "params within the limit of bytes",
                "DESIGN 8", IsWithinSize},
    RequestRule{"params-well-formed", "params that are one JSON text",
                "PROTOCOL 13.1", HasNot<json::Fault::kSyntax>},
    RequestRule{"params-unicode", "params in UTF-8 without lone surrogates",
                "PROTOCOL 13.1", HasNot<json::Fault::kEncoding>},
    RequestRule{"params-unique-names", "each member once in its object",
                "PROTOCOL 13.1", HasNot<json::Fault::kDuplicate>},
    RequestRule{"params-depth", "params nested no deeper than 32", "DESIGN 8",
                HasNot<json::Fault::kDepth>},
    RequestRule{"params-count", "params of at most 20,000 values", "DESIGN 6",
                HasNot<json::Fault::kValues>},
    RequestRule{"params-are-object", "params that are an object",
                "PROTOCOL 1.5", ParamsAreAnObject},
};

Ruling BelongsToACall(const Context& context) {
  const bool fits = context.facts.parent == Parent::kSession &&
                    context.kind != nullptr && context.kind->may_lack_a_call;
  if (fits || (context.facts.parent != Parent::kNone &&
               context.facts.parent != Parent::kSession)) {
    return std::nullopt;
  }
  return ObjectTo(Reason::kNoOperation,
                  "no call of the client is in flight that it could belong "
                  "to; ask only while a call is being served");
}

Ruling ItsCallIsUnambiguous(const Context& context) {
  if (context.facts.parent != Parent::kAmbiguous) return std::nullopt;
  return ObjectTo(Reason::kUnattributable,
                  "several calls of the client are in flight and it names "
                  "none of them; ask on the stream of the call");
}

Ruling ItsCallIsOpen(const Context& context) {
  if (context.facts.parent != Parent::kClosed) return std::nullopt;
  return ObjectTo(Reason::kOperationEnded,
                  "the call that it belongs to has ended; ask only while a "
                  "call is being served");
}

Ruling FeatureIsPermitted(const Context& context) {
  if (context.kind == nullptr || context.kind->permitted(context.policy)) {
    return std::nullopt;
  }
  const absl::string_view name = ToAbsl(context.kind->name);
  return ObjectTo(
      Reason::kNotPermitted,
      absl::StrCat("the virtual server's policy does not permit ", name,
                   "; an operator can set clientFeatures.", name));
}

Ruling CapabilityIsDeclared(const Context& context) {
  if (context.kind == nullptr ||
      context.kind->declared(context.facts.declared)) {
    return std::nullopt;
  }
  return ObjectTo(Reason::kCapabilityNotDeclared,
                  absl::StrCat("the client has not declared the capability ",
                               ToAbsl(context.kind->name),
                               ", without which it may not be asked; go on "
                               "without it"));
}

Ruling MetaIsAnObject(const Context& context) {
  return OptionalObject(context.params, "_meta");
}

Ruling ProgressTokenHasItsShape(const Context& context) {
  const std::optional<json::Value> meta = context.params.Find("_meta");
  if (!meta.has_value()) return std::nullopt;
  const std::optional<json::Value> token = meta->Find("progressToken");
  if (!token.has_value() || token->IsString() || token->IsIntegerLexeme()) {
    return std::nullopt;
  }
  return ObjectTo(*token, "expected a string or an integer");
}

constexpr std::array kCommon = {
    RequestRule{"belongs-to-a-call",
                "a call of the client in flight, or an initialized session "
                "for roots",
                "DESIGN 6", BelongsToACall},
    RequestRule{"call-is-unambiguous", "one call that it belongs to",
                "DESIGN 9", ItsCallIsUnambiguous},
    RequestRule{"call-is-open", "a call that has not ended", "DESIGN 4",
                ItsCallIsOpen},
    RequestRule{"feature-permitted", "a feature that the policy permits",
                "DESIGN 6", FeatureIsPermitted},
    RequestRule{"capability-declared", "a capability of the client",
                "PROTOCOL 4.4", CapabilityIsDeclared},
    RequestRule{"meta-is-object", "_meta that is an object", "PROTOCOL 4.3",
                MetaIsAnObject},
    RequestRule{"progress-token-shape",
                "a progressToken that is a string or an integer",
                "PROTOCOL 8.3", ProgressTokenHasItsShape},
};

}  // namespace

RequestRules ReadableRequestRules() { return kReadable; }
RequestRules CommonRequestRules() { return kCommon; }

}  // namespace gatehouse::trust
