// The rules about the URL of an elicitation. An input is the URL. Defends
// invariants 2 and 4 of DESIGN §1. By a naive parser of our own, each URL that
// is admitted
//
//   - is visible ASCII, with none of the characters that browsers read in other
//     ways than servers;
//   - has the scheme https, or http and a host that is this machine;
//   - has no userinfo, a host, and a port only of digits;
//   - has a host that the policy lists, where it lists any;
//
// and is relayed as it came.

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "controlplane/trust/judge.h"
#include "shared/json/json.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/judge_support.h"

namespace gatehouse::trust {
namespace {

using fuzz::Require;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string InLowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

struct NaiveUrl {
  std::string scheme,
      host;               // in lower case; of the host one dot less at its end
  std::string_view port;  // behind the colon
  bool has_port = false;
  bool has_at = false;
};

// Scheme, `://`, and what stands before the next of `/?#`.
NaiveUrl Split(std::string_view url) {
  NaiveUrl parts;
  const size_t colon = url.find("://");
  Require(colon != std::string_view::npos, "an admitted URL has an authority");
  parts.scheme = InLowerCase(url.substr(0, colon));
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  parts.has_at = authority.find('@') != std::string_view::npos;
  const size_t bracket = authority.find(']');
  const size_t port = authority.find(
      ':', authority.starts_with('[') && bracket != std::string_view::npos
               ? bracket
               : 0);
  parts.has_port = port != std::string_view::npos;
  if (parts.has_port) parts.port = authority.substr(port + 1);
  parts.host = InLowerCase(authority.substr(0, port));
  if (parts.host.ends_with('.')) parts.host.pop_back();
  return parts;
}

bool IsThisMachine(std::string_view host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  if (host == "[::1]") return true;
  return host.starts_with("127.") &&
         std::count(host.begin(), host.end(), '.') == 3 &&
         std::all_of(host.begin(), host.end(),
                     [](char c) { return IsDigit(c) || c == '.'; });
}

void CheckAdmitted(std::string_view url, bool listed) {
  for (const char c : url) {
    Require(c > 0x20 && c < 0x7F, "an admitted URL is visible ASCII");
    Require(std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos,
            "an admitted URL has no character that is read in two ways");
  }
  const NaiveUrl parts = Split(url);
  Require(parts.scheme == "https" ||
              (parts.scheme == "http" && IsThisMachine(parts.host)),
          "an admitted URL is https, or http to this machine");
  Require(!parts.has_at, "an admitted URL has no userinfo");
  Require(!parts.host.empty(), "an admitted URL has a host");
  Require(!parts.has_port ||
              (!parts.port.empty() &&
               std::all_of(parts.port.begin(), parts.port.end(), IsDigit)),
          "a port is a number");
  Require(!listed || parts.host == "login.example.com" ||
              parts.host.ends_with(".example.org"),
          "an admitted URL leads to a host of the list");
}

RequestVerdict Ask(const policy::VirtualServer& policy,
                   const std::string& params) {
  RequestFacts facts;
  facts.method = fuzz::kElicitation;
  facts.params = params;
  facts.declared = fuzz::AllDeclared();
  facts.parent = Parent::kOperation;
  facts.upstream = "files";
  return JudgeRequest(policy, facts);
}

void Check(const policy::VirtualServer& policy, std::string_view url,
           bool listed) {
  // Not UTF-8: then some other URL, as good as any.
  const std::string quoted = json::Quote(url);
  const std::string params =
      R"({"mode":"url","message":"m","elicitationId":"1","url":)" + quoted +
      "}";
  const auto document = fuzz::ReadParams(params);
  Require(document.has_value(), "a quoted text can be read");
  const RequestVerdict verdict = Ask(policy, params);
  if (const auto* failure = std::get_if<Failure>(&verdict)) {
    Require(failure->path == "/url", "a refusal points at the URL");
    fuzz::RequireFailure(*failure, &*document);
    return;
  }
  CheckAdmitted(*document->root().Find("url")->String(), listed);
  const auto& admitted = std::get<AdmittedRequest>(verdict);
  Require(admitted.url_mode, "a URL is of URL mode");
  Require(admitted.params_to_relay.find(quoted) != std::string::npos,
          "a URL is relayed as it came");
}

}  // namespace
}  // namespace gatehouse::trust

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gatehouse;         // NOLINT: the function's name is
  using namespace gatehouse::trust;  // NOLINT: libFuzzer's
  const std::string_view input = fuzz::View(data, size);
  policy::VirtualServer policy = fuzz::OpenPolicy();
  Check(policy, input, /*listed=*/false);
  policy.elicitation_url_hosts = {"login.example.com", "*.example.org"};
  Check(policy, input, /*listed=*/true);
  return 0;
}
