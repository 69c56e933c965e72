#include "dataplane/downstream/landing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::downstream {
namespace {

constexpr size_t kMaxListed = 50;

// One line each, or why there is none.
std::string ServersText(const Landing& landing, const std::string& base) {
  if (!landing.virtual_servers.has_value()) {
    return absl::StrCat("Virtual servers are at ", base,
                        "NAME;\nwhoever runs this gateway gives you the name "
                        "and a token.\n");
  }
  const std::vector<std::string>& names = *landing.virtual_servers;
  if (names.empty()) {
    return "There is no virtual server yet. Apply a policy to make one:\n"
           "  gatehousectl policy apply FILE\n";
  }
  std::string text = "Virtual servers, for MCP clients (Streamable HTTP):\n";
  const size_t listed = std::min(names.size(), kMaxListed);
  for (size_t i = 0; i < listed; ++i) {
    absl::StrAppend(&text, "  ", base, names[i], "\n");
  }
  if (names.size() > listed) {
    absl::StrAppend(&text, "  and ", names.size() - listed, " more\n");
  }
  return text;
}

std::string HowToConnect(const Landing& landing, const std::string& origin,
                         const std::string& base) {
  const bool known =
      landing.virtual_servers.has_value() && !landing.virtual_servers->empty();
  const std::string name = known ? landing.virtual_servers->front() : "NAME";
  std::string text = absl::StrCat(
      "\nPoint a client at that URL, for instance\n"
      "  {\"mcpServers\": {\"",
      name, "\": {\"type\": \"http\", \"url\": \"", base, name,
      "\"}}}\n"
      "or, for a host that only launches commands,\n"
      "  {\"mcpServers\": {\"",
      name,
      "\": {\"command\": \"gatehousectl\",\n"
      "    \"args\": [\"stdio\", \"",
      name, "\", \"--url\", \"", origin, "\"]}}}\n");
  if (!landing.virtual_servers.has_value()) {
    absl::StrAppend(&text,
                    "Clients send Authorization: Bearer TOKEN; `gatehousectl "
                    "stdio` reads\nthe token with --token-file.\n");
  }
  absl::StrAppend(&text, "To try it by hand:\n  gatehousectl call ", name,
                  " --url ", origin, "\n");
  return text;
}

}  // namespace

http::Response LandingAnswer(const Landing& landing) {
  const std::string origin =
      absl::StrCat(landing.tls ? "https://" : "http://", ToAbsl(landing.host));
  const std::string base = absl::StrCat(origin, "/mcp/");
  http::Response response;
  response.headers = {{"Content-Type", "text/plain; charset=utf-8"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-store"}};
  response.body = absl::StrCat(
      "Gatehouse ", ToAbsl(landing.version),
      ": a worker of an MCP gateway with a trust boundary.\n\n",
      ServersText(landing, base), HowToConnect(landing, origin, base),
      "\nREADME.md and docs/ of this release say more; every program has "
      "--help.\n");
  return response;
}

}  // namespace gatehouse::downstream
