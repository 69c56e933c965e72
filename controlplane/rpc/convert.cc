#include "controlplane/rpc/convert.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cctype>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "shared/base/status.h"

namespace gatehouse::rpc {
namespace {

constexpr size_t kMaxIdBytes = 128;

bool IsIdText(std::string_view text, size_t max_bytes) {
  return !text.empty() && text.size() <= max_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                  c == '-';
         });
}

// `reason: text` with a reason of [a-z_]; empty if there is none.
std::string_view ReasonIn(std::string_view message) {
  const size_t colon = message.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view reason = message.substr(0, colon);
  const bool plain = std::all_of(reason.begin(), reason.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  });
  // One bare word is a field's name; a reason has two at least.
  return plain && reason.find('_') != std::string_view::npos
             ? reason
             : std::string_view();
}

grpc::Status WithDetails(grpc::StatusCode code, const std::string& message,
                         const google::protobuf::Message& detail) {
  google::rpc::Status status;
  status.set_code(static_cast<int>(code));
  status.set_message(message);
  status.add_details()->PackFrom(detail);
  return grpc::Status(code, message, status.SerializeAsString());
}

absl::Status BadName(std::string_view field, std::string_view prefix) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    std::string(field) + ": expected `" + std::string(prefix) +
                        "{id}`, the id of [A-Za-z0-9_-]");
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  auto code = static_cast<grpc::StatusCode>(status.code());
  if (status.code() == absl::StatusCode::kUnknown) {
    code = grpc::StatusCode::UNAVAILABLE;
  }
  const std::string message(ToStd(status.message()));
  const std::string_view reason = ReasonIn(message);
  if (reason.empty()) return grpc::Status(code, message);
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(reason));
  info.set_domain("gatehouse");
  return WithDetails(code, message, info);
}

grpc::Status ToGrpc(const std::vector<policy::Violation>& violations,
                    std::string_view what) {
  google::rpc::BadRequest bad;
  std::string message = std::string(what) + " is not valid:";
  for (const policy::Violation& violation : violations) {
    google::rpc::BadRequest::FieldViolation* field = bad.add_field_violations();
    field->set_field(violation.path);
    field->set_description(violation.message);
    message +=
        "\n  " +
        (violation.path.empty() ? std::string("(document)") : violation.path) +
        ": " + violation.message;
  }
  return WithDetails(grpc::StatusCode::INVALID_ARGUMENT, message, bad);
}

absl::StatusOr<std::string> IdOf(std::string_view name, std::string_view prefix,
                                 std::string_view field) {
  if (!name.starts_with(prefix)) return BadName(field, prefix);
  const std::string_view id = name.substr(prefix.size());
  if (!IsIdText(id, kMaxIdBytes)) return BadName(field, prefix);
  return std::string(id);
}

absl::StatusOr<UpstreamName> UpstreamNameOf(std::string_view name) {
  constexpr std::string_view kMiddle = "/upstreams/";
  const size_t middle = name.find(kMiddle);
  if (middle == std::string_view::npos) {
    return BadName("upstream", "virtualServers/{v}/upstreams/");
  }
  UpstreamName parts;
  GATEHOUSE_ASSIGN_OR_RETURN(
      parts.virtual_server,
      IdOf(name.substr(0, middle), "virtualServers/", "upstream"));
  GATEHOUSE_ASSIGN_OR_RETURN(parts.upstream,
                             IdOf(name.substr(middle), kMiddle, "upstream"));
  return parts;
}

absl::Status CheckRequestId(std::string_view request_id) {
  constexpr size_t kMaxRequestIdBytes = 64;
  if (IsIdText(request_id, kMaxRequestIdBytes)) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "request_id: expected 1 to 64 characters of [A-Za-z0-9_-]");
}

google::protobuf::Timestamp ToProto(absl::Time time) {
  google::protobuf::Timestamp out;
  const int64_t micros = absl::ToUnixMicros(time);
  int64_t seconds = micros / 1'000'000;
  int64_t rest = micros % 1'000'000;
  if (rest < 0) {
    --seconds;
    rest += 1'000'000;
  }
  out.set_seconds(seconds);
  out.set_nanos(static_cast<int32_t>(rest * 1000));
  return out;
}

pb::InputRequestState ToProto(InputRequestState state) {
  // The numbers are the same by design; a test walks them.
  return static_cast<pb::InputRequestState>(static_cast<int>(state));
}

void ToProto(const UpstreamReplyRow& reply, pb::RefuseVerdict& out) {
  out.set_code(reply.code);
  out.set_message(reply.message);
  out.set_data(reply.data);
  out.set_reason(reply.reason);
}

void ToProto(const UpstreamReplyRow& reply, pb::UpstreamReply& out) {
  if (reply.is_error) {
    ToProto(reply, *out.mutable_error());
  } else {
    out.set_result(reply.result);
  }
}

absl::StatusOr<pb::VirtualServer> ToProto(const PolicyRow& row) {
  pb::VirtualServer out;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // `kind`
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(row.document, &out, options);
  if (!parsed.ok()) {
    return MakeStatus(absl::StatusCode::kInternal,
                      "virtualServers/" + row.virtual_server +
                          ": the stored document is not one");
  }
  out.set_etag(row.etag);
  out.set_version(row.version);
  *out.mutable_update_time() = ToProto(row.apply_time);
  return out;
}

absl::StatusOr<std::string> ToDocument(pb::VirtualServer virtual_server) {
  virtual_server.clear_etag();
  virtual_server.clear_version();
  virtual_server.clear_update_time();
  std::string body;
  const auto printed =
      google::protobuf::util::MessageToJsonString(virtual_server, &body);
  if (!printed.ok() || body.size() < 2) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "virtual_server: not text that JSON can hold");
  }
  const bool empty = body == "{}";
  return "{\"kind\":\"VirtualServer\"" + std::string(empty ? "" : ",") +
         body.substr(1);
}

absl::StatusOr<int> PageSize(int32_t asked) {
  constexpr int kDefault = 50;
  constexpr int kMost = 1000;
  if (asked < 0) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "page_size: expected 0 (the default, 50) to 1000");
  }
  return asked == 0 ? kDefault : std::min(asked, kMost);
}

}  // namespace gatehouse::rpc
