#ifndef GATEHOUSE_TESTS_UNIT_POLICY_DOCUMENTS_H_
#define GATEHOUSE_TESTS_UNIT_POLICY_DOCUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/policy/virtual_server.h"

namespace gatehouse::policy {

// Names every field of this build; each with another value than its default.
inline constexpr std::string_view kFullDocument = R"(
kind: VirtualServer
name: dev
upstreams:
  - name: weather
    http:
      url: http://127.0.0.1:9000/mcp
      headersFrom: { Authorization: "env:WEATHER_TOKEN", X-Team: file:/etc/t }
  - name: files
    stdio:
      command: ["/usr/bin/mcp-files", "--root", "/srv/files"]
      env: { LANG: C.UTF-8, TOKEN: "env:FILES_TOKEN" }
      runAs: mcp
    clusters: [eu-1, us-2]
catalogue: { prefix: none }
clientFeatures: { sampling: true, roots: true, elicitation: true }
trust:
  sampling: { route: client, allowTools: true }
  elicitation:
    route: client
    url: true
    urlHosts: [login.example.com, "*.Corp.Example"]
    allowFields: [{ upstream: files, field: pin_code }]
replyDeadline: 7.5s
limits:
  inputRequestsPerOperation: 4
  samplingTokensPerOperation: 2048
  samplingTokensPerRequest: 1024
  openInputRequestsPerUpstream: 500
  openInputRequestsPerVirtualServer: 5000
  inputRequestBytes: 16384
  inputResponseBytes: 65536
  formProperties: 10
)";

// The least that is valid, and a line more.
inline std::string Least(std::string_view more = "") {
  return "kind: VirtualServer\nname: dev\nupstreams:\n"
         "  - name: a\n    http: { url: http://h/mcp }\n" +
         std::string(more);
}

// `path: message` of each, in the order they were found.
inline std::vector<std::string> Texts(const ParseResult& result) {
  std::vector<std::string> texts;
  for (const Violation& violation : result.violations) {
    texts.push_back(violation.path + ": " + violation.message);
  }
  return texts;
}
inline std::vector<std::string> Paths(const ParseResult& result) {
  std::vector<std::string> paths;
  for (const Violation& violation : result.violations) {
    paths.push_back(violation.path);
  }
  return paths;
}

inline std::string TestName(std::string_view sentence) {
  std::string name;
  bool upper = true;
  for (const char c : sentence) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9');
    if (letter) {
      name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
    upper = !letter;
  }
  return name;
}

}  // namespace gatehouse::policy

#endif  // GATEHOUSE_TESTS_UNIT_POLICY_DOCUMENTS_H_
