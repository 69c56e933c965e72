#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controlplane/policy/limit_rows.h"
#include "controlplane/policy/reader.h"
#include "controlplane/policy/text_rules.h"
#include "controlplane/policy/tree.h"
#include "controlplane/policy/virtual_server.h"
#include "shared/base/status.h"

namespace gatehouse::policy {
namespace {

constexpr size_t kMaxNameBytes = 32;
constexpr size_t kMaxUpstreamNameBytes = 16;
constexpr size_t kMaxClusters = 64;
constexpr size_t kMaxUpstreams = 64;
constexpr size_t kMaxHeaders = 32;
constexpr size_t kMaxArguments = 64;
constexpr size_t kMaxArgumentBytes = 4096;
constexpr size_t kMaxVariables = 128;
constexpr size_t kMaxVariableBytes = 4096;
constexpr size_t kMaxUrlHosts = 64;
constexpr size_t kMaxAllowedFields = 64;
constexpr size_t kMaxFieldBytes = 256;

void ReadKindAndName(Reader& reader, const Place& root, VirtualServer& out) {
  const std::optional<std::string> kind = reader.String(root, "kind");
  if (!kind.has_value()) {
    if (root.node->Find("kind") == nullptr) {
      reader.RefuseMember(root, "kind", "missing; write kind: VirtualServer");
    }
  } else if (*kind != kDocumentKind) {
    reader.RefuseMember(root, "kind", "must be VirtualServer");
  }
  const std::optional<std::string> name = reader.String(root, "name");
  if (!name.has_value()) {
    if (root.node->Find("name") == nullptr) {
      reader.RefuseMember(root, "name", "missing; name the virtual server");
    }
    return;
  }
  if (!IsResourceName(*name, kMaxNameBytes)) {
    reader.RefuseMember(root, "name", "must match [a-z][a-z0-9-]{0,31}");
  }
  out.name = *name;
}

void ReadHeaders(Reader& reader, const Place& http, HttpTransport& out) {
  const std::optional<Place> headers = reader.Map(http, "headersFrom");
  if (!headers.has_value()) return;
  const auto entries = Reader::Entries(*headers);
  if (entries.size() > kMaxHeaders) {
    reader.Refuse(*headers, absl::StrCat("at most ", kMaxHeaders, " headers"));
    return;
  }
  for (const auto& [name, place] : entries) {
    if (const auto problem = HeaderNameProblem(name); problem.has_value()) {
      reader.Refuse(place, *problem);
      continue;
    }
    for (const auto& [other, reference] : out.headers_from) {
      if (EqualsIgnoreCase(other, name)) {
        reader.Refuse(place, absl::StrCat("the same header as ", other,
                                          "; keep one of the two"));
      }
    }
    const std::optional<std::string> reference = reader.StringOf(place);
    if (!reference.has_value()) continue;
    if (!IsSecretReference(*reference)) {
      // Not what it says: it may well be the secret itself.
      reader.Refuse(place,
                    "must be a reference, env:NAME or file:/absolute/path; a "
                    "secret is never written into the document");
      continue;
    }
    out.headers_from.emplace(name, *reference);
  }
}

std::string ReadFilePath(Reader& reader, const Place& map,
                         std::string_view name) {
  const std::optional<std::string> path = reader.String(map, name);
  if (!path.has_value()) return {};
  if (!IsFilePath(*path)) {
    reader.RefuseMember(map, name,
                        "must be the absolute path of a file of the worker's "
                        "machine, such as /etc/gatehouse/internal-ca.pem");
  }
  return *path;
}

void ReadTls(Reader& reader, const Place& http, HttpTransport& out) {
  const std::optional<Place> tls = reader.Map(http, "tls");
  if (!tls.has_value()) return;
  reader.CheckMembers(*tls);
  if (!absl::StartsWithIgnoreCase(out.url, "https://")) {
    reader.Refuse(*tls, "is for an https url; change the url or leave it out");
  }
  out.tls.ca = ReadFilePath(reader, *tls, "ca");
  out.tls.cert = ReadFilePath(reader, *tls, "cert");
  const std::optional<std::string> key = reader.String(*tls, "key");
  if (key.has_value() && !IsSecretReference(*key)) {
    reader.RefuseMember(*tls, "key",
                        "must be a reference, env:NAME or file:/absolute/path; "
                        "a secret is never written into the document");
  }
  out.tls.key = key.value_or("");
  if (out.tls.cert.empty() != out.tls.key.empty()) {
    reader.Refuse(*tls, "has one of cert and key; give both or neither");
  }
}

HttpTransport ReadHttp(Reader& reader, const Place& http) {
  HttpTransport out;
  reader.CheckMembers(http);
  const std::optional<std::string> url = reader.String(http, "url");
  if (url.has_value()) {
    if (const auto problem = UpstreamUrlProblem(*url); problem.has_value()) {
      reader.RefuseMember(http, "url", *problem);
    }
    out.url = *url;
  } else if (http.node->Find("url") == nullptr) {
    reader.RefuseMember(http, "url", "missing; say where the upstream is");
  }
  ReadHeaders(reader, http, out);
  ReadTls(reader, http, out);
  return out;
}

void ReadCommand(Reader& reader, const Place& stdio, StdioTransport& out) {
  const std::optional<Place> command = reader.List(stdio, "command");
  if (!command.has_value()) {
    if (stdio.node->Find("command") == nullptr) {
      reader.RefuseMember(stdio, "command",
                          "missing; the program's absolute path, then its "
                          "arguments");
    }
    return;
  }
  const std::vector<Place> words = Reader::Items(*command);
  if (words.empty() || words.size() > kMaxArguments) {
    reader.Refuse(*command,
                  absl::StrCat("must have 1 to ", kMaxArguments, " elements"));
    return;
  }
  for (const Place& place : words) {
    const std::optional<std::string> word = reader.StringOf(place);
    if (!word.has_value()) continue;
    if (word->size() > kMaxArgumentBytes || !IsPlainUtf8(*word)) {
      reader.Refuse(place,
                    absl::StrCat("must be text of at most ", kMaxArgumentBytes,
                                 " bytes without control characters"));
    }
    if (out.command.empty() && (word->size() < 2 || word->front() != '/')) {
      reader.Refuse(place,
                    "must be an absolute path, such as /usr/bin/mcp-files");
    }
    out.command.push_back(*word);
  }
}

void ReadEnvironment(Reader& reader, const Place& stdio, StdioTransport& out) {
  const std::optional<Place> environment = reader.Map(stdio, "env");
  if (!environment.has_value()) return;
  const auto entries = Reader::Entries(*environment);
  if (entries.size() > kMaxVariables) {
    reader.Refuse(*environment,
                  absl::StrCat("at most ", kMaxVariables, " variables"));
    return;
  }
  for (const auto& [name, place] : entries) {
    if (!IsEnvironmentName(name)) {
      reader.Refuse(place, "the name must match [A-Za-z_][A-Za-z0-9_]*");
      continue;
    }
    const std::optional<std::string> value = reader.StringOf(place);
    if (!value.has_value()) continue;
    if (value->size() > kMaxVariableBytes || !IsPlainUtf8(*value)) {
      reader.Refuse(place,
                    absl::StrCat("must be text of at most ", kMaxVariableBytes,
                                 " bytes without control characters"));
      continue;
    }
    if (LooksLikeSecretReference(*value) && !IsSecretReference(*value)) {
      reader.Refuse(place,
                    "not a reference; write env:NAME or file:/absolute/path");
      continue;
    }
    out.env.emplace(name, *value);
  }
}

StdioTransport ReadStdio(Reader& reader, const Place& stdio) {
  StdioTransport out;
  reader.CheckMembers(stdio);
  ReadCommand(reader, stdio, out);
  ReadEnvironment(reader, stdio, out);
  const std::optional<std::string> user = reader.String(stdio, "runAs");
  if (user.has_value()) {
    if (!IsUserName(*user)) {
      reader.RefuseMember(stdio, "runAs", "must match [a-z_][a-z0-9_-]{0,31}");
    }
    out.run_as = *user;
  }
  return out;
}

void ReadTransport(Reader& reader, const Place& place, Upstream& out) {
  const bool has_http = place.node->Find("http") != nullptr;
  const bool has_stdio = place.node->Find("stdio") != nullptr;
  if (has_http && has_stdio) {
    reader.Refuse(place, "has http and stdio; keep one of the two");
  }
  if (!has_http && !has_stdio) {
    reader.Refuse(place, "has no transport; give it http or stdio");
  }
  // Both are read, so that what is wrong in either is said at once.
  const std::optional<Place> stdio = reader.Map(place, "stdio");
  if (stdio.has_value()) out.transport = ReadStdio(reader, *stdio);
  const std::optional<Place> http = reader.Map(place, "http");
  if (http.has_value()) out.transport = ReadHttp(reader, *http);
}

void ReadClusters(Reader& reader, const Place& place, Upstream& out) {
  const std::optional<Place> clusters = reader.List(place, "clusters");
  if (!clusters.has_value()) return;
  const std::vector<Place> items = Reader::Items(*clusters);
  if (items.empty() || items.size() > kMaxClusters) {
    reader.Refuse(*clusters, absl::StrCat("must have 1 to ", kMaxClusters,
                                          " elements; leave it out for every "
                                          "cluster"));
    return;
  }
  for (const Place& item : items) {
    const std::optional<std::string> name = reader.StringOf(item);
    if (!name.has_value()) continue;
    if (!IsClusterName(*name)) {
      reader.Refuse(item, "must match [a-z][a-z0-9-]{0,31}");
    } else if (ServedIn(out.clusters, *name) && !out.clusters.empty()) {
      reader.Refuse(item, "is named already; keep one of the two");
    }
    out.clusters.push_back(*name);
  }
}

void ReadUpstream(Reader& reader, const Place& place, VirtualServer& out) {
  if (place.node->kind != Node::Kind::kMap) {
    reader.Refuse(place, "expected a map of fields");
    return;
  }
  Upstream upstream;
  reader.CheckMembers(place);
  const std::optional<std::string> name = reader.String(place, "name");
  if (name.has_value()) {
    if (!IsResourceName(*name, kMaxUpstreamNameBytes)) {
      reader.RefuseMember(place, "name", "must match [a-z][a-z0-9-]{0,15}");
    } else if (FindUpstream(out, *name) != nullptr) {
      reader.RefuseMember(place, "name",
                          "another upstream has this name already");
    }
    upstream.name = *name;
  } else if (place.node->Find("name") == nullptr) {
    reader.RefuseMember(place, "name", "missing; name the upstream");
  }
  ReadTransport(reader, place, upstream);
  ReadClusters(reader, place, upstream);
  out.upstreams.push_back(std::move(upstream));
}

void ReadUpstreams(Reader& reader, const Place& root, VirtualServer& out) {
  const std::optional<Place> list = reader.List(root, "upstreams");
  if (!list.has_value()) {
    if (root.node->Find("upstreams") == nullptr) {
      reader.RefuseMember(root, "upstreams",
                          "missing; a virtual server has at least one");
    }
    return;
  }
  const std::vector<Place> items = Reader::Items(*list);
  if (items.empty() || items.size() > kMaxUpstreams) {
    reader.Refuse(*list,
                  absl::StrCat("must have 1 to ", kMaxUpstreams, " elements"));
    return;
  }
  for (const Place& item : items) ReadUpstream(reader, item, out);
}

void ReadCatalogue(Reader& reader, const Place& root, VirtualServer& out) {
  const std::optional<Place> catalogue = reader.Map(root, "catalogue");
  if (!catalogue.has_value()) return;
  reader.CheckMembers(*catalogue);
  const std::optional<std::string> prefix = reader.String(*catalogue, "prefix");
  if (!prefix.has_value()) return;
  if (*prefix == "none") {
    out.prefix = CataloguePrefix::kNone;
  } else if (*prefix != "upstream") {
    reader.RefuseMember(*catalogue, "prefix", "must be upstream or none");
  }
}

void ReadFeatures(Reader& reader, const Place& root, VirtualServer& out) {
  const std::optional<Place> features = reader.Map(root, "clientFeatures");
  if (!features.has_value()) return;
  reader.CheckMembers(*features);
  out.sampling = reader.Bool(*features, "sampling").value_or(false);
  out.roots = reader.Bool(*features, "roots").value_or(false);
  out.elicitation = reader.Bool(*features, "elicitation").value_or(false);
}

void CheckRoute(Reader& reader, const Place& feature) {
  const std::optional<std::string> route = reader.String(feature, "route");
  if (!route.has_value() || *route == "client") return;
  reader.RefuseMember(feature, "route",
                      *route == "reviewer"
                          ? "reviewer is known but not enforced by this "
                            "build; write client"
                          : "must be client");
}

void ReadUrlHosts(Reader& reader, const Place& elicitation,
                  VirtualServer& out) {
  const std::optional<Place> list = reader.List(elicitation, "urlHosts");
  if (!list.has_value()) return;
  const std::vector<Place> items = Reader::Items(*list);
  if (items.empty() || items.size() > kMaxUrlHosts) {
    reader.Refuse(*list, absl::StrCat("must have 1 to ", kMaxUrlHosts,
                                      " elements; leave it out for any host"));
    return;
  }
  if (!out.elicitation_url) {
    reader.Refuse(*list,
                  "says where URL mode may lead, but URL mode is off; write "
                  "url: true beside it, or leave it out");
  }
  std::vector<std::string>& hosts = out.elicitation_url_hosts;
  for (const Place& item : items) {
    const std::optional<std::string> text = reader.StringOf(item);
    if (!text.has_value()) continue;
    std::string host = absl::AsciiStrToLower(*text);
    if (const auto problem = UrlHostProblem(host); problem.has_value()) {
      reader.Refuse(item, *problem);
    } else if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) {
      reader.Refuse(item, "is named already; keep one of the two");
    }
    hosts.push_back(std::move(host));
  }
}

void ReadAllowedField(Reader& reader, const Place& place, VirtualServer& out) {
  if (place.node->kind != Node::Kind::kMap) {
    reader.Refuse(place, "expected a map of upstream and field");
    return;
  }
  reader.CheckMembers(place);
  AllowedField entry;
  for (const auto& [name, text] :
       {std::pair<std::string_view, std::string*>{"upstream", &entry.upstream},
        {"field", &entry.field}}) {
    if (place.node->Find(name) == nullptr) {
      reader.RefuseMember(place, name,
                          "missing; say which field of which upstream's forms");
      continue;
    }
    *text = reader.String(place, name).value_or("");
  }
  if (!entry.upstream.empty() && FindUpstream(out, entry.upstream) == nullptr) {
    reader.RefuseMember(place, "upstream",
                        "no upstream of this document has that name");
  }
  if (place.node->Find("field") != nullptr &&
      (entry.field.empty() || entry.field.size() > kMaxFieldBytes ||
       !IsPlainUtf8(entry.field))) {
    reader.RefuseMember(place, "field",
                        absl::StrCat("must be text of 1 to ", kMaxFieldBytes,
                                     " bytes without control characters"));
  }
  for (const AllowedField& other : out.elicitation_allow_fields) {
    if (other == entry) {
      reader.Refuse(place, "is named already; keep one of the two");
      break;
    }
  }
  out.elicitation_allow_fields.push_back(std::move(entry));
}

void ReadAllowFields(Reader& reader, const Place& elicitation,
                     VirtualServer& out) {
  const std::optional<Place> list = reader.List(elicitation, "allowFields");
  if (!list.has_value()) return;
  const std::vector<Place> items = Reader::Items(*list);
  if (items.empty() || items.size() > kMaxAllowedFields) {
    reader.Refuse(*list, absl::StrCat("must have 1 to ", kMaxAllowedFields,
                                      " elements; leave it out for none"));
    return;
  }
  for (const Place& item : items) ReadAllowedField(reader, item, out);
}

void ReadTrust(Reader& reader, const Place& root, VirtualServer& out) {
  const std::optional<Place> trust = reader.Map(root, "trust");
  if (!trust.has_value()) return;
  reader.CheckMembers(*trust);
  if (const auto sampling = reader.Map(*trust, "sampling");
      sampling.has_value()) {
    reader.CheckMembers(*sampling);
    CheckRoute(reader, *sampling);
    out.sampling_allow_tools =
        reader.Bool(*sampling, "allowTools").value_or(false);
  }
  if (const auto elicitation = reader.Map(*trust, "elicitation");
      elicitation.has_value()) {
    reader.CheckMembers(*elicitation);
    CheckRoute(reader, *elicitation);
    out.elicitation_url = reader.Bool(*elicitation, "url").value_or(false);
    ReadUrlHosts(reader, *elicitation, out);
    ReadAllowFields(reader, *elicitation, out);
  }
}

void ReadReplyDeadline(Reader& reader, const Place& root, VirtualServer& out) {
  const std::optional<std::string> text = reader.String(root, "replyDeadline");
  if (!text.has_value()) return;
  const std::optional<absl::Duration> deadline = DurationFromJson(*text);
  if (!deadline.has_value()) {
    reader.RefuseMember(root, "replyDeadline",
                        "must be seconds, such as 30s or 1.5s");
    return;
  }
  if (*deadline < kLeastReplyDeadline || *deadline > kMostReplyDeadline) {
    reader.RefuseMember(root, "replyDeadline", "must be from 5s to 600s");
    return;
  }
  out.reply_deadline = *deadline;
}

void ReadLimits(Reader& reader, const Place& root, VirtualServer& out) {
  const std::optional<Place> limits = reader.Map(root, "limits");
  if (!limits.has_value()) return;
  reader.CheckMembers(*limits);
  for (const LimitRow& row : kLimitRows) {
    const std::optional<int64_t> value =
        reader.Integer(*limits, row.name, row.least, row.most);
    if (value.has_value()) out.limits.*row.field = *value;
  }
}

TreeResult ReadTree(std::string_view document) {
  TreeResult result;
  if (document.size() > kMaxDocumentBytes) {
    result.violations.push_back(
        {"", absl::StrCat("is longer than ", kMaxDocumentBytes, " bytes")});
    return result;
  }
  const size_t first = document.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    result.violations.push_back({"", "is empty"});
    return result;
  }
  if (document[first] == '{') return ReadJsonTree(document);
  if (!IsPlainUtf8(document)) {
    result.violations.push_back(
        {"", "is not UTF-8, or has control characters in it"});
    return result;
  }
  return ReadYamlTree(document);
}

}  // namespace

ParseResult ParseVirtualServer(std::string_view document) {
  ParseResult result;
  TreeResult tree = ReadTree(document);
  result.violations = std::move(tree.violations);
  Reader reader(result.violations);
  const Place root{&tree.root, "", ""};
  if (tree.root.kind != Node::Kind::kMap) {
    // Where it could not be read at all, that has been said.
    if (result.violations.empty()) {
      reader.Refuse(root, "expected a map of fields");
    }
    return result;
  }
  VirtualServer& out = result.virtual_server;
  reader.CheckMembers(root);
  ReadKindAndName(reader, root, out);
  ReadUpstreams(reader, root, out);
  ReadCatalogue(reader, root, out);
  ReadFeatures(reader, root, out);
  ReadTrust(reader, root, out);
  ReadReplyDeadline(reader, root, out);
  ReadLimits(reader, root, out);
  return result;
}

mcp::ClientFeatures PermittedFeatures(const VirtualServer& virtual_server) {
  mcp::ClientFeatures features;
  features.sampling = virtual_server.sampling;
  features.sampling_tools =
      virtual_server.sampling && virtual_server.sampling_allow_tools;
  features.elicitation_form = virtual_server.elicitation;
  features.elicitation_url =
      virtual_server.elicitation && virtual_server.elicitation_url;
  features.roots = virtual_server.roots;
  features.roots_list_changed = virtual_server.roots;
  return features;
}

bool ServedIn(const std::vector<std::string>& clusters,
              std::string_view cluster) {
  return clusters.empty() ||
         std::find(clusters.begin(), clusters.end(), cluster) != clusters.end();
}

bool IsClusterName(std::string_view text) {
  return IsResourceName(text, kMaxNameBytes);
}

const Upstream* FindUpstream(const VirtualServer& virtual_server,
                             std::string_view name) {
  for (const Upstream& upstream : virtual_server.upstreams) {
    if (upstream.name == name) return &upstream;
  }
  return nullptr;
}

}  // namespace gatehouse::policy
