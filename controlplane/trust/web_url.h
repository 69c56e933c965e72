#ifndef GATEHOUSE_CONTROLPLANE_TRUST_WEB_URL_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_WEB_URL_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gatehouse::trust {

// The parts of a URL that say where it leads. Nothing here resolves or fetches.
struct WebUrl {
  std::string scheme;  // lower case
  std::string host;    // lower case, without the dot at its end; IPv6: with []
  bool has_user_info = false;
};

// Reads an absolute URI with an authority (RFC 3986, ASCII only) whose host is
// a DNS name, a dotted IPv4 address or an IPv6 literal. Stricter than browsers
// where they would read more into it (`https://2130706433/`, backslashes,
// blanks): nothing otherwise. Pure.
std::optional<WebUrl> ParseWebUrl(std::string_view text);

// `localhost` and names below it, 127.0.0.0/8, [::1].
bool IsLoopback(const WebUrl& url);

// Whether the host is one of `hosts`, or below one that starts with `*.`; an
// empty list has every host.
bool HostIsListed(std::string_view host, const std::vector<std::string>& hosts);

// What a person should look at twice: a label in punycode; one that mixes
// scripts once it is decoded (UTS 39).
bool HasPunycode(std::string_view host);
bool MixesScripts(std::string_view host);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_WEB_URL_H_
