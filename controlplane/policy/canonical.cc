#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "controlplane/policy/limit_rows.h"
#include "controlplane/policy/text_rules.h"
#include "controlplane/policy/virtual_server.h"
#include "shared/base/digest.h"
#include "shared/json/json.h"

namespace gatehouse::policy {
namespace {

void WriteMap(json::Writer& writer, std::string_view name,
              const std::map<std::string, std::string>& map) {
  if (map.empty()) return;
  writer.Name(name).StartObject();
  for (const auto& [key, value] : map) writer.Name(key).String(value);
  writer.EndObject();
}

void WriteTransport(json::Writer& writer, const HttpTransport& http) {
  writer.Name("http").StartObject();
  writer.Name("url").String(http.url);
  WriteMap(writer, "headersFrom", http.headers_from);
  const HttpTls& tls = http.tls;
  if (!tls.ca.empty() || !tls.cert.empty()) {
    writer.Name("tls").StartObject();
    if (!tls.ca.empty()) writer.Name("ca").String(tls.ca);
    if (!tls.cert.empty()) {
      writer.Name("cert").String(tls.cert).Name("key").String(tls.key);
    }
    writer.EndObject();
  }
  writer.EndObject();
}

void WriteTransport(json::Writer& writer, const StdioTransport& stdio) {
  writer.Name("stdio").StartObject();
  writer.Name("command").StartArray();
  for (const std::string& word : stdio.command) writer.String(word);
  writer.EndArray();
  WriteMap(writer, "env", stdio.env);
  if (!stdio.run_as.empty()) writer.Name("runAs").String(stdio.run_as);
  writer.EndObject();
}

void WriteUpstreams(json::Writer& writer, const VirtualServer& server) {
  writer.Name("upstreams").StartArray();
  for (const Upstream& upstream : server.upstreams) {
    writer.StartObject();
    writer.Name("name").String(upstream.name);
    std::visit(
        [&writer](const auto& transport) { WriteTransport(writer, transport); },
        upstream.transport);
    if (!upstream.clusters.empty()) {
      writer.Name("clusters").StartArray();
      for (const std::string& name : upstream.clusters) writer.String(name);
      writer.EndArray();
    }
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteFeatures(json::Writer& writer, const VirtualServer& server) {
  if (!server.sampling && !server.roots && !server.elicitation) return;
  writer.Name("clientFeatures").StartObject();
  if (server.sampling) writer.Name("sampling").Bool(true);
  if (server.roots) writer.Name("roots").Bool(true);
  if (server.elicitation) writer.Name("elicitation").Bool(true);
  writer.EndObject();
}

void WriteElicitationTrust(json::Writer& writer, const VirtualServer& server) {
  writer.Name("elicitation").StartObject();
  if (server.elicitation_url) writer.Name("url").Bool(true);
  if (!server.elicitation_url_hosts.empty()) {
    writer.Name("urlHosts").StartArray();
    for (const std::string& host : server.elicitation_url_hosts) {
      writer.String(host);
    }
    writer.EndArray();
  }
  if (!server.elicitation_allow_fields.empty()) {
    writer.Name("allowFields").StartArray();
    for (const AllowedField& allowed : server.elicitation_allow_fields) {
      writer.StartObject();
      writer.Name("upstream").String(allowed.upstream);
      writer.Name("field").String(allowed.field);
      writer.EndObject();
    }
    writer.EndArray();
  }
  writer.EndObject();
}

void WriteTrust(json::Writer& writer, const VirtualServer& server) {
  const bool elicitation =
      server.elicitation_url || !server.elicitation_allow_fields.empty();
  if (!server.sampling_allow_tools && !elicitation) return;
  writer.Name("trust").StartObject();
  if (server.sampling_allow_tools) {
    writer.Name("sampling").StartObject();
    writer.Name("allowTools").Bool(true);
    writer.EndObject();
  }
  if (elicitation) WriteElicitationTrust(writer, server);
  writer.EndObject();
}

void WriteLimits(json::Writer& writer, const Limits& limits) {
  const Limits defaults;
  bool open = false;
  for (const LimitRow& row : kLimitRows) {
    if (limits.*row.field == defaults.*row.field) continue;
    if (!open) writer.Name("limits").StartObject();
    open = true;
    writer.Name(row.name).Integer(limits.*row.field);
  }
  if (open) writer.EndObject();
}

}  // namespace

std::string CanonicalDocument(const VirtualServer& server) {
  json::Writer writer;
  writer.StartObject();
  writer.Name("kind").String(kDocumentKind);
  writer.Name("name").String(server.name);
  WriteUpstreams(writer, server);
  if (server.prefix == CataloguePrefix::kNone) {
    writer.Name("catalogue").StartObject();
    writer.Name("prefix").String("none");
    writer.EndObject();
  }
  WriteFeatures(writer, server);
  WriteTrust(writer, server);
  if (server.reply_deadline != VirtualServer().reply_deadline) {
    writer.Name("replyDeadline").String(DurationToJson(server.reply_deadline));
  }
  WriteLimits(writer, server.limits);
  writer.EndObject();
  return writer.Take();
}

std::string EtagOf(std::string_view canonical_document) {
  return Base64UrlEncode(Sha256(canonical_document));
}

}  // namespace gatehouse::policy
