#include "dataplane/downstream/classify.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "dataplane/downstream/answers.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/revision.h"

namespace gatehouse::downstream {
namespace {

constexpr int32_t kUnsupportedVersion = -32022;  // PROTOCOL §1.2, row 8
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

Classified Refuse(http::Response refusal) {
  Classified classified;
  classified.refusal = std::move(refusal);
  return classified;
}

Classified Refuse(int status, int32_t code, std::string_view message) {
  return Refuse(Refusal(status, code, message));
}

// Whether one of the header's media ranges is exactly `type`; `*/*` is not, for
// the specification wants the types listed.
bool Lists(const http::Headers& headers, std::string_view name,
           std::string_view type) {
  for (const auto& [header, value] : headers) {
    if (!absl::EqualsIgnoreCase(header, ToAbsl(name))) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      std::string_view range = rest.substr(0, comma);
      range = range.substr(0, range.find(';'));
      if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(ToAbsl(range)),
                                 ToAbsl(type))) {
        return true;
      }
      rest.remove_prefix(comma == std::string_view::npos ? rest.size()
                                                         : comma + 1);
    }
  }
  return false;
}

http::Response UnsupportedVersion(std::string_view requested) {
  json::Writer data;
  data.StartObject().Name("supported").StartArray();
  for (const mcp::Revision revision :
       {mcp::Revision::k2025_11_25, mcp::Revision::k2025_06_18,
        mcp::Revision::k2025_03_26}) {
    data.String(mcp::ToString(revision));
  }
  data.EndArray();
  const bool plain =
      requested.find_first_not_of("0123456789-") == std::string_view::npos;
  if (plain && requested.size() <= 32) {
    data.Name("requested").String(requested);
  }
  return Refusal(400, kUnsupportedVersion,
                 "MCP-Protocol-Version: not a revision served here; "
                 "initialize again with one of `supported`",
                 data.EndObject().Take());
}

// The headers that name session and revision; nullopt if they are in order.
std::optional<http::Response> CheckSessionHeaders(const http::Request& request,
                                                  Classified& classified) {
  const int sessions = http::CountHeader(request.headers, kSessionHeader);
  if (sessions != 1) {
    return Refusal(400, mcp::kInvalidRequest,
                   sessions == 0 ? "Mcp-Session-Id: missing; initialize first "
                                   "and send the id that its answer brings"
                                 : "Mcp-Session-Id: given more than once");
  }
  classified.session_id = *http::FindHeader(request.headers, kSessionHeader);
  const int versions = http::CountHeader(request.headers, kVersionHeader);
  if (versions > 1) {
    return Refusal(400, mcp::kInvalidRequest,
                   "MCP-Protocol-Version: given more than once");
  }
  if (versions == 1) {
    const auto version = *http::FindHeader(request.headers, kVersionHeader);
    if (!mcp::ParseLegacyRevision(version).has_value()) {
      return UnsupportedVersion(version);
    }
  }
  return std::nullopt;
}

Classified InSession(const http::Request& request, Classified classified,
                     Intent intent) {
  std::optional<http::Response> refusal =
      CheckSessionHeaders(request, classified);
  if (refusal.has_value()) return Refuse(*std::move(refusal));
  classified.intent = intent;
  return classified;
}

Classified RefuseBody(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return Refuse(413, mcp::kInvalidRequest, "the message is too large");
  }
  return Refuse(400, mcp::CodeOf(status), ToStd(status.message()));
}

Classified ClassifyPost(const http::Request& request) {
  if (http::CountHeader(request.headers, "Content-Type") != 1 ||
      !Lists(request.headers, "Content-Type", "application/json")) {
    return Refuse(415, mcp::kInvalidRequest,
                  "Content-Type: send application/json");
  }
  if (!Lists(request.headers, "Accept", "application/json") ||
      !Lists(request.headers, "Accept", "text/event-stream")) {
    return Refuse(406, mcp::kInvalidRequest,
                  "Accept: list both application/json and text/event-stream");
  }
  // What a client answered is the control plane's to judge, whatever is wrong
  // within it: here it must only be a message.
  mcp::EnvelopeLimits limits;
  limits.unique_result_members = false;
  limits.unique_params = true;
  absl::StatusOr<mcp::Envelope> message =
      mcp::ParseEnvelope(request.body, limits);
  if (!message.ok()) return RefuseBody(message.status());
  Classified classified;
  classified.message = *std::move(message);
  switch (classified.message.kind) {
    case mcp::MessageKind::kNotification:
      return InSession(request, std::move(classified), Intent::kNotification);
    case mcp::MessageKind::kResult:
    case mcp::MessageKind::kError:
      return InSession(request, std::move(classified), Intent::kResponse);
    case mcp::MessageKind::kRequest:
      break;
  }
  if (classified.message.method != "initialize") {
    return InSession(request, std::move(classified), Intent::kRequest);
  }
  if (http::CountHeader(request.headers, kSessionHeader) != 0) {
    return Refuse(400, mcp::kInvalidRequest,
                  "initialize: this session is initialized already; send it "
                  "without Mcp-Session-Id for a new one");
  }
  classified.intent = Intent::kInitialize;
  return classified;
}

}  // namespace

Classified Classify(const http::Request& request) {
  if (request.method == "POST") return ClassifyPost(request);
  if (request.method == "GET") {
    if (!Lists(request.headers, "Accept", "text/event-stream")) {
      return Refuse(406, mcp::kInvalidRequest,
                    "Accept: list text/event-stream");
    }
    return InSession(request, Classified{}, Intent::kOpenStream);
  }
  if (request.method == "DELETE") {
    return InSession(request, Classified{}, Intent::kEndSession);
  }
  http::Response refusal =
      Refusal(405, mcp::kInvalidRequest, "use POST, GET or DELETE");
  refusal.headers.emplace_back("Allow", kMethodsServed);
  return Refuse(std::move(refusal));
}

bool IsSecretShaped(std::string_view text) {
  return text.size() == 43 &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
             "-_") == std::string_view::npos;
}

}  // namespace gatehouse::downstream
