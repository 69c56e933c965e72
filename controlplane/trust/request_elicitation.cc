// The rules about every elicitation, and about sending the user to a URL.

#include <array>
#include <optional>
#include <string_view>

#include "controlplane/trust/rule.h"
#include "controlplane/trust/web_url.h"

namespace gatehouse::trust {
namespace {

using Context = RequestContext;

constexpr size_t kMaxElicitationIdBytes = 256;
constexpr size_t kMaxUrlBytes = 8192;

// Asked in every era: before modes existed the member means nothing to the
// upstream, but it may mean something to the client.
Ruling ModeIsKnown(const Context& context) {
  const std::optional<json::Value> mode = context.params.Find("mode");
  if (!mode.has_value()) return std::nullopt;
  const auto name = StringMember(context.params, "mode");
  if (name == "form" || name == "url") return std::nullopt;
  return ObjectTo(*mode, "must be form or url");
}

Ruling NotifiedIsUrlMode(const Context& context) {
  if (!context.facts.notified || IsUrlMode(context.params)) {
    return std::nullopt;
  }
  return ObjectToMember(context.params, "mode",
                        "must be url in an error -32042");
}

Ruling MessageIsText(const Context& context) {
  return RequiredString(context.params, "message");
}

constexpr std::array kBoth = {
    RequestRule{"mode-known", "mode form or url, or none", "PROTOCOL 7.1",
                ModeIsKnown},
    RequestRule{"notified-is-url-mode", "URL mode in an error -32042",
                "PROTOCOL 7.3", NotifiedIsUrlMode},
    RequestRule{"message-is-text", "a message to the user", "PROTOCOL 7.2",
                MessageIsText},
};

Ruling UrlIsPermitted(const Context& context) {
  if (context.policy.elicitation_url) return std::nullopt;
  return ObjectToMember(context.params, "mode", Reason::kNotPermittedDetail,
                        "the virtual server's policy does not permit "
                        "elicitation in URL mode; ask by a form, or an "
                        "operator can set trust.elicitation.url");
}

Ruling UrlIsDeclared(const Context& context) {
  if (context.facts.declared.elicitation_url) return std::nullopt;
  return ObjectToMember(context.params, "mode",
                        Reason::kSubCapabilityNotDeclared,
                        "the client has not declared the capability "
                        "elicitation.url, without which it may be sent to no "
                        "URL; ask by a form");
}

Ruling UrlIsInTheRevision(const Context& context) {
  if (context.upstream_era.url_mode) return std::nullopt;
  return ObjectToMember(context.params, "mode",
                        "is url, which the negotiated revision does not have");
}

// A client that does not look at the mode would show the form.
Ruling UrlStandsAlone(const Context& context) {
  const auto schema = context.params.Find("requestedSchema");
  if (!schema.has_value()) return std::nullopt;
  return ObjectTo(*schema, "stands beside mode url; ask for one of the two");
}

Ruling ElicitationIdIsPresent(const Context& context) {
  if (!context.upstream_era.elicitation_id) return std::nullopt;
  if (Ruling ruling = RequiredText(context.params, "elicitationId")) {
    return ruling;
  }
  if (StringMember(context.params, "elicitationId")->size() <=
      kMaxElicitationIdBytes) {
    return std::nullopt;
  }
  return ObjectToMember(context.params, "elicitationId",
                        "is longer than 256 bytes");
}

Ruling UrlIsText(const Context& context) {
  if (Ruling ruling = RequiredString(context.params, "url")) return ruling;
  if (StringMember(context.params, "url")->size() <= kMaxUrlBytes) {
    return std::nullopt;
  }
  return ObjectToMember(context.params, "url", "is longer than 8192 bytes");
}

// The parts of the URL, as far as it is one.
std::optional<WebUrl> Url(const Context& context) {
  const auto text = StringMember(context.params, "url");
  if (!text.has_value() || text->size() > kMaxUrlBytes) return std::nullopt;
  return ParseWebUrl(*text);
}

Ruling UrlIsValid(const Context& context) {
  const auto text = StringMember(context.params, "url");
  if (!text.has_value() || text->size() > kMaxUrlBytes ||
      ParseWebUrl(*text).has_value()) {
    return std::nullopt;
  }
  return ObjectToMember(context.params, "url",
                        "is no valid absolute URL with a host");
}

Ruling UrlIsHttps(const Context& context) {
  const std::optional<WebUrl> url = Url(context);
  if (!url.has_value() || url->scheme == "https" ||
      (url->scheme == "http" && IsLoopback(*url))) {
    return std::nullopt;
  }
  return ObjectToMember(context.params, "url",
                        "must be https (http only to a loopback host)");
}

Ruling UrlHasNoUserInfo(const Context& context) {
  const std::optional<WebUrl> url = Url(context);
  if (!url.has_value() || !url->has_user_info) return std::nullopt;
  return ObjectToMember(context.params, "url",
                        "has a user name or password before its host, which "
                        "hides where it leads");
}

Ruling UrlHostIsPermitted(const Context& context) {
  const std::optional<WebUrl> url = Url(context);
  if (!url.has_value() ||
      HostIsListed(url->host, context.policy.elicitation_url_hosts)) {
    return std::nullopt;
  }
  return ObjectToMember(context.params, "url", Reason::kNotPermittedDetail,
                        "leads to a host that the virtual server's policy "
                        "does not list; an operator can add it to "
                        "trust.elicitation.urlHosts");
}

constexpr std::array kUrl = {
    RequestRule{"url-permitted", "URL mode only if the policy permits it",
                "DESIGN 6", UrlIsPermitted},
    RequestRule{"url-declared", "URL mode only for a client with it",
                "PROTOCOL 7.1", UrlIsDeclared},
    RequestRule{"url-in-revision", "URL mode only in revisions that have it",
                "PROTOCOL 7.1", UrlIsInTheRevision},
    RequestRule{"url-stands-alone", "a URL or a form, not both",
                "PROTOCOL 13.6", UrlStandsAlone},
    RequestRule{"elicitation-id", "elicitationId, in revisions that have it",
                "PROTOCOL 7.3", ElicitationIdIsPresent},
    RequestRule{"url-is-text", "a url of at most 8192 bytes", "PROTOCOL 7.3",
                UrlIsText},
    RequestRule{"url-is-valid", "an absolute URL with a host", "PROTOCOL 7.3",
                UrlIsValid},
    RequestRule{"url-is-https", "https, or http to a loopback host", "DESIGN 6",
                UrlIsHttps},
    RequestRule{"url-without-userinfo", "nothing before the URL's host",
                "DESIGN 6", UrlHasNoUserInfo},
    RequestRule{"url-host-permitted", "a host that the policy lists",
                "DESIGN 6", UrlHostIsPermitted},
};

}  // namespace

RequestRules ElicitationRules() { return kBoth; }
RequestRules UrlRules() { return kUrl; }

bool IsUrlMode(const json::Value& params) {
  return StringMember(params, "mode") == "url";
}

}  // namespace gatehouse::trust
