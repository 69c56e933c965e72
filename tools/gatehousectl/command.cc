#include "tools/gatehousectl/command.h"

#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "shared/base/status.h"
#include "tools/gatehousectl/output.h"

namespace gatehouse::ctl {
namespace {

void Complain(std::string_view text) {
  fprintf(stderr, "gatehousectl: %s\n", std::string(text).c_str());
}

// Prints each violation with its path; false if the details hold none.
bool PrintViolations(const grpc::Status& status, std::string_view subject) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return false;
  bool any = false;
  for (const auto& detail : details.details()) {
    google::rpc::BadRequest bad;
    if (!detail.UnpackTo(&bad)) continue;
    for (const auto& violation : bad.field_violations()) {
      const std::string path =
          violation.field().empty() ? "(document)" : violation.field();
      const std::string before =
          subject.empty() ? "" : absl::StrCat(ToAbsl(subject), ": ");
      fprintf(stderr, "%s\n",
              Visible(absl::StrCat(before, path, ": ", violation.description()))
                  .c_str());
      any = true;
    }
  }
  return any;
}

// What the reader can do about it, as a new sentence; or nothing.
std::string NextStep(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNAUTHENTICATED:
      return "give a token of this control plane with --token-file or "
             "GATEHOUSE_TOKEN_FILE; it wrote them to DATA_DIR/tokens";
    case grpc::StatusCode::PERMISSION_DENIED:
      return "this token's role may not do that; try "
             "DATA_DIR/tokens/operator.token, or auditor.token for the log";
    case grpc::StatusCode::ABORTED:
      return "somebody changed it in between: look with `gatehousectl policy "
             "get NAME`, then give its etag to --if-match";
    case grpc::StatusCode::NOT_FOUND:
      return "`gatehousectl policy list`, `sessions list` and `workers list` "
             "show what there is";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "this control plane's build does not serve that; compare versions";
    default:
      return "";
  }
}

}  // namespace

const Connection* Session::connection(std::string_view role) {
  if (connection_) return &*connection_;
  auto connection = Connection::Create(
      {.control = globals_.control,
       .token_file = globals_.token_file.empty()
                         ? DefaultTokenFile(globals_.control, role)
                         : globals_.token_file,
       .call_timeout = absl::Seconds(globals_.timeout_s)});
  if (!connection.ok()) {
    Complain(Visible(ToStd(connection.status().message())));
    return nullptr;
  }
  connection_ = *std::move(connection);
  return &*connection_;
}

Exit Session::Report(const grpc::Status& status,
                     std::string_view subject) const {
  const grpc::StatusCode code = status.error_code();
  if (code == grpc::StatusCode::UNAVAILABLE ||
      code == grpc::StatusCode::DEADLINE_EXCEEDED) {
    Complain(Visible(absl::StrCat(
        globals_.control, ": the control plane does not answer (",
        status.error_message(),
        "); start one with ./tools/up --policy FILE, or name another with "
        "--control or GATEHOUSE_CONTROL")));
    return Exit::kUnreachable;
  }
  if (!PrintViolations(status, subject)) {
    const std::string before =
        subject.empty() ? "" : absl::StrCat(ToAbsl(subject), ": ");
    Complain(Visible(absl::StrCat(before, status.error_message())));
  }
  const std::string next = NextStep(code);
  if (!next.empty()) Complain(next);
  const bool forbidden = code == grpc::StatusCode::UNAUTHENTICATED ||
                         code == grpc::StatusCode::PERMISSION_DENIED;
  return forbidden ? Exit::kNotPermitted : Exit::kRefused;
}

Exit Session::UsageError(std::string_view message) {
  Complain(Visible(message));
  return Exit::kUsage;
}

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(message, &json, options)
           .ok()) {
    return "{}\n";
  }
  return VisibleJson(json);
}

void PrintJson(const google::protobuf::Message& message) {
  Print(ToJson(message));
}

void Print(std::string_view text) {
  fwrite(text.data(), 1, text.size(), stdout);
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  if (time.seconds() == 0 && time.nanos() == 0) return "";
  return absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E6SZ",
      absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
      absl::UTCTimeZone());
}

std::string ResourceName(std::string_view prefix, std::string_view id) {
  if (id.starts_with(prefix)) return std::string(id);
  return absl::StrCat(ToAbsl(prefix), ToAbsl(id));
}

}  // namespace gatehouse::ctl
