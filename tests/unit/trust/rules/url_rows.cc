// Rows of controlplane/trust/request_elicitation.cc about URL mode.

#include <string>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "tests/unit/trust/rules/rows.h"

namespace gatehouse::trust {
namespace {

Ask To(std::string_view url) {
  return Url(absl::StrCat("\"url\":\"", ToAbsl(url), "\""));
}

Rows AddressRows() {
  const std::string bad = "invalid_request /url";
  return {
      {"url-is-text", "no url",
       Ask(kElicitation, R"({"mode":"url","message":"m","elicitationId":"e"})"),
       bad},
      {"url-is-text", "a url that is an array", Url(R"("url":[])"), bad},
      {"url-is-text", "a url of 8193 bytes",
       To("https://a.test/" + std::string(8178, 'x')), bad},
      {"url-is-text", "a url of 8192 bytes",
       To("https://a.test/" + std::string(8177, 'x')), "admitted"},
      {"url-is-valid", "a relative url", To("/a"), bad},
      {"url-is-valid", "a scheme alone", To("javascript:alert(1)"), bad},
      {"url-is-valid", "an argument of a program", To("--upload-pack=x"), bad},
      {"url-is-valid", "a blank within", To("https://a.test/a b"), bad},
      {"url-is-valid", "a backslash", To(R"(https://a.test\\@b.test/)"), bad},
      {"url-is-valid", "a control character", To(R"(https://a.test/\u0001)"),
       bad},
      {"url-is-valid", "a letter that is not ASCII", To("https://ä.test/"),
       bad},
      {"url-is-valid", "a host that is a number", To("https://2130706433/"),
       bad},
      {"url-is-valid", "a host in hex", To("https://0x7f.0x1/"), bad},
      {"url-is-valid", "an address with a number over 255",
       To("https://1.2.3.256/"), bad},
      {"url-is-valid", "an empty host", To("https:///a"), bad},
      {"url-is-valid", "port 0", To("https://a.test:0/"), bad},
      {"url-is-valid", "port 65536", To("https://a.test:65536/"), bad},
      {"url-is-valid", "no port behind the colon", To("https://a.test:/"), bad},
      {"url-is-valid", "half a percent sign", To("https://a.test/%4"), bad},
      {"url-is-valid", "half an IPv6 address", To("https://[::1/"), bad},
      {"url-is-valid", "a query, a fragment and a port",
       To("https://a-b.test.:65535/x;y?a=%41&b#c"), "admitted"},
      {"url-is-valid", "an IPv6 address", To("https://[2001:db8::1]:8443/"),
       "admitted"},
      {"url-is-valid", "an IPv4 address", To("https://192.0.2.1/"), "admitted"},
      {"url-is-https", "http to a host", To("http://a.test/"), bad},
      {"url-is-https", "http to a host that begins like loopback",
       To("http://127.0.0.1.a.test/"), bad},
      {"url-is-https", "another scheme with a host", To("ftp://a.test/"), bad},
      {"url-is-https", "http to localhost", To("http://localhost:8080/"),
       "admitted"},
      {"url-is-https", "http to 127.0.0.2", To("http://127.0.0.2/"),
       "admitted"},
      {"url-is-https", "http to ::1", To("http://[::1]/"), "admitted"},
      {"url-is-https", "HTTPS in capitals", To("HTTPS://A.test/"), "admitted"},
      {"url-without-userinfo", "a host that is none",
       To("https://accounts.example.com@evil.test/"), bad},
      {"url-without-userinfo", "a password", To("https://u:p@a.test/"), bad},
      {"url-without-userinfo", "an @ in the path", To("https://a.test/@b"),
       "admitted"},
  };
}

}  // namespace

Rows UrlRows() {
  const auto hosts = [](policy::VirtualServer& policy, RequestFacts&) {
    policy.elicitation_url_hosts = {"login.example.com", "*.idp.example.com"};
  };
  const auto off = [](policy::VirtualServer& policy, RequestFacts&) {
    policy.elicitation_url = false;
  };
  const auto undeclared = [](policy::VirtualServer&, RequestFacts& facts) {
    facts.declared.elicitation_url = false;
  };
  const std::string elsewhere = "not_permitted /url";
  Rows rows = {
      {"url-permitted", "URL mode that the policy does not name",
       Url().But(off), "not_permitted /mode"},
      {"url-permitted", "a form needs no URL mode", Elicit("").But(off),
       "admitted"},
      {"url-permitted", "URL mode that the policy names", Url(), "admitted"},
      {"url-declared", "URL mode for a client without it",
       Url().But(undeclared), "capability_not_declared /mode"},
      {"url-declared", "URL mode for a client with it", Url(), "admitted"},
      {"url-in-revision", "URL mode in 2025-06-18", Url().From(k0618),
       "invalid_request /mode"},
      {"url-in-revision", "URL mode in 2026-07-28", Url().Both(k0728),
       "admitted"},
      {"url-stands-alone", "a form beside a URL",
       Url(R"("requestedSchema":{"type":"object","properties":{}})"),
       "invalid_request /requestedSchema"},
      {"url-stands-alone", "members of its own beside a URL",
       Url(R"("schema":{})"), "admitted"},
      {"elicitation-id", "no elicitationId",
       Ask(kElicitation,
           R"({"mode":"url","message":"m","url":"https://a.test/"})"),
       "invalid_request /elicitationId"},
      {"elicitation-id", "an elicitationId that is a number",
       Url(R"("elicitationId":1)"), "invalid_request /elicitationId"},
      {"elicitation-id", "an elicitationId of 257 bytes",
       Url(absl::StrCat("\"elicitationId\":\"", std::string(257, 'e'), "\"")),
       "invalid_request /elicitationId"},
      {"elicitation-id", "an elicitationId of 256 bytes",
       Url(absl::StrCat("\"elicitationId\":\"", std::string(256, 'e'), "\"")),
       "admitted"},
      {"elicitation-id", "2026-07-28 has none",
       Ask(kElicitation,
           R"({"mode":"url","message":"m","url":"https://a.test/"})")
           .Both(k0728),
       "admitted"},
      {"url-host-permitted", "a host that is not listed",
       To("https://evil.test/").But(hosts), elsewhere},
      {"url-host-permitted", "a host that ends like a listed one",
       To("https://alogin.example.com/").But(hosts), elsewhere},
      {"url-host-permitted", "a name that a wildcard does not have",
       To("https://idp.example.com/").But(hosts), elsewhere},
      {"url-host-permitted", "a listed host in capitals, with its dot",
       To("https://LOGIN.example.com./").But(hosts), "admitted"},
      {"url-host-permitted", "a name below a wildcard",
       To("https://a.b.idp.example.com/").But(hosts), "admitted"},
  };
  for (Row& row : AddressRows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace gatehouse::trust
