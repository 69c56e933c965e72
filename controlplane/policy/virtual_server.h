#ifndef GATEHOUSE_CONTROLPLANE_POLICY_VIRTUAL_SERVER_H_
#define GATEHOUSE_CONTROLPLANE_POLICY_VIRTUAL_SERVER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "shared/mcp/features.h"

namespace gatehouse::policy {

// Of an https upstream; what is empty was not given.
struct HttpTls {
  std::string ca;    // a file of the worker's machine
  std::string cert;  // the same; with key or neither
  std::string key;   // env:/file:
};

struct HttpTransport {
  std::string url;
  std::map<std::string, std::string> headers_from;  // name -> env:/file:
  HttpTls tls;
};

struct StdioTransport {
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::string run_as;
};

// Where a worker belongs that was not told.
inline constexpr std::string_view kDefaultCluster = "default";

struct Upstream {
  std::string name;
  std::variant<HttpTransport, StdioTransport> transport;
  std::vector<std::string> clusters = {};  // whose workers serve it; none: all
};

enum class CataloguePrefix { kUpstream, kNone };

// DESIGN §8; those of an operation and of sizes may only be lowered.
struct Limits {
  int64_t input_requests_per_operation = 8;
  int64_t sampling_tokens_per_operation = 8192;
  int64_t sampling_tokens_per_request = 4096;
  int64_t open_input_requests_per_upstream = 64;
  int64_t open_input_requests_per_virtual_server = 1000;
  int64_t input_request_bytes = 64 << 10;
  int64_t input_response_bytes = 1 << 20;
  int64_t form_properties = 32;
};

// A field that forms of that upstream may ask for, though it looks like a
// credential's. Exact names.
struct AllowedField {
  std::string upstream;
  std::string field;
  friend bool operator==(const AllowedField&, const AllowedField&) = default;
};

// A policy document, read and found valid: what this build enforces, no more
// (DESIGN §10). A plain value.
struct VirtualServer {
  std::string name;
  std::vector<Upstream> upstreams;
  CataloguePrefix prefix = CataloguePrefix::kUpstream;
  bool sampling = false;
  bool roots = false;
  bool elicitation = false;
  bool sampling_allow_tools = false;
  bool elicitation_url = false;  // URL mode
  // Host names, or `*.` before one for all below it; lower case. None: any.
  std::vector<std::string> elicitation_url_hosts;
  std::vector<AllowedField> elicitation_allow_fields;
  absl::Duration reply_deadline = absl::Seconds(30);
  Limits limits;
};

// What is wrong with a document, all of it.
struct Violation {
  std::string path;     // such as `upstreams[0].http.url`; empty: the document
  std::string message;  // what to do about it
};

struct ParseResult {
  VirtualServer virtual_server;  // of use only without violations
  std::vector<Violation> violations;
};

// Reads one document, YAML or JSON (JSON is read as YAML's subset, but strictly
// when the text starts with `{`). A field that this build does not enforce, of
// the design or unknown, is a violation at its path; so is a wrong type, a name
// that breaks its pattern, a value out of its bounds, a duplicate key. At most
// 1 MiB; YAML anchors and aliases are refused. Pure: no file, no environment.
ParseResult ParseVirtualServer(std::string_view document);

// The same document in one fixed form: JSON, members in the order of the proto,
// defaults left out. Parse(Canonical(x)) equals x.
std::string CanonicalDocument(const VirtualServer& virtual_server);

// The digest of the canonical form, in base64url: the etag.
std::string EtagOf(std::string_view canonical_document);

// What the policy permits to be asked of a client: one half of the offer mask.
mcp::ClientFeatures PermittedFeatures(const VirtualServer& virtual_server);

// Whether workers of that cluster serve what names these clusters (DESIGN §10).
bool ServedIn(const std::vector<std::string>& clusters,
              std::string_view cluster);

// [a-z][a-z0-9-]{0,31}
bool IsClusterName(std::string_view text);

// The upstream of that name, or null.
const Upstream* FindUpstream(const VirtualServer& virtual_server,
                             std::string_view name);

}  // namespace gatehouse::policy

#endif  // GATEHOUSE_CONTROLPLANE_POLICY_VIRTUAL_SERVER_H_
