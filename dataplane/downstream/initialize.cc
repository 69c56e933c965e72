#include "dataplane/downstream/initialize.h"

#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/features.h"

namespace gatehouse::downstream {
namespace {

constexpr size_t kMaxMemberBytes = 64 << 10;
constexpr std::string_view kModernEnvelope =
    "io.modelcontextprotocol/protocolVersion";

absl::StatusOr<std::string> ObjectMember(const json::Value& params,
                                         std::string_view name) {
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value member, params.Field(name));
  if (!member.IsObject()) return member.Error("expected an object");
  if (member.raw().size() > kMaxMemberBytes) {
    return member.Error("larger than 65536 bytes");
  }
  return std::string(member.raw());
}

}  // namespace

absl::StatusOr<Handshake> ParseHandshake(std::string_view params) {
  if (params.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "params: missing; send protocolVersion, capabilities and "
                      "clientInfo");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document read,
                             json::Document::Parse(std::string(params)));
  const json::Value root = read.root();
  if (const auto meta = root.Find("_meta");
      meta.has_value() && meta->Find(kModernEnvelope).has_value()) {
    return meta->Error(
        "initialize belongs to revisions without a per-request envelope");
  }
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Value version,
                             root.Field("protocolVersion"));
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view asked, version.String());
  Handshake handshake;
  handshake.revision =
      mcp::ParseLegacyRevision(asked).value_or(mcp::kLatestLegacy);
  GATEHOUSE_ASSIGN_OR_RETURN(handshake.capabilities,
                             ObjectMember(root, "capabilities"));
  GATEHOUSE_ASSIGN_OR_RETURN(handshake.client_info,
                             ObjectMember(root, "clientInfo"));
  GATEHOUSE_RETURN_IF_ERROR(mcp::ParseClientCapabilities(
                                *root.Find("capabilities"), handshake.revision)
                                .status());
  return handshake;
}

std::string HandshakeResult(mcp::Revision revision,
                            std::string_view virtual_server,
                            std::string_view version) {
  json::Writer result;
  result.StartObject();
  result.Name("protocolVersion").String(mcp::ToString(revision));
  result.Name("capabilities").StartObject();
  result.Name("tools").StartObject().Name("listChanged").Bool(true);
  result.EndObject().EndObject();
  result.Name("serverInfo").StartObject();
  result.Name("name").String("gatehouse");
  // `title` came with 2025-06-18.
  if (revision != mcp::Revision::k2025_03_26) {
    result.Name("title").String(virtual_server);
  }
  result.Name("version").String(version).EndObject();
  return result.EndObject().Take();
}

}  // namespace gatehouse::downstream
