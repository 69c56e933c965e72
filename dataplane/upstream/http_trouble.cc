#include "dataplane/upstream/http_trouble.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::upstream {
namespace {

// What an upstream may ask for in `retry:`. Its 0 would be a storm of requests,
// its year an upstream that nobody listens to any more.
constexpr absl::Duration kShortestRetry = absl::Milliseconds(250);
constexpr absl::Duration kLongestRetry = absl::Hours(1);

constexpr size_t kMaxSessionIdBytes = 1024;

HttpTrouble Of(Reason reason, std::string detail) {
  return {{reason, std::move(detail)}, false};
}

HttpTrouble TroubleOfTransport(const ExchangeEnd& end) {
  const std::string said(end.status.message().data(),
                         end.status.message().size());
  switch (end.status.code()) {
    case absl::StatusCode::kDeadlineExceeded:
      return Of(Reason::kUpstreamTimeout,
                absl::StrCat("no answer over HTTP in time: ", said));
    case absl::StatusCode::kDataLoss:
      if (end.too_large) {
        return Of(Reason::kUpstreamProtocolError,
                  "its HTTP answer is over the limit");
      }
      if (end.http_status == 0) {
        return Of(Reason::kUpstreamProtocolError,
                  absl::StrCat("its answer is no HTTP: ", said));
      }
      return Of(Reason::kUpstreamUnavailable,
                absl::StrCat("the connection broke within an answer: ", said));
    default:
      return Of(Reason::kUpstreamUnavailable,
                absl::StrCat("not reached over HTTP: ", said));
  }
}

}  // namespace

HttpTrouble TroubleOf(const ExchangeEnd& end, bool has_session) {
  if (!end.status.ok()) return TroubleOfTransport(end);
  const int status = end.http_status;
  const std::string said = absl::StrCat("HTTP status ", status);
  if (has_session && (status == 404 || status == 400)) {
    HttpTrouble lost =
        Of(Reason::kUpstreamUnavailable,
           absl::StrCat(said, ": it forgot the physical session"));
    lost.session_lost = true;
    return lost;
  }
  if (status == 401 || status == 403) {
    return Of(Reason::kUpstreamUnavailable,
              absl::StrCat(said,
                           ": it refused our credentials, see "
                           "http.headersFrom"));
  }
  if (status == 404 || status == 429 || status >= 500) {
    return Of(Reason::kUpstreamUnavailable, said);
  }
  if (end.event_stream) {
    return Of(Reason::kUpstreamProtocolError,
              "its event stream ended without the answer");
  }
  return Of(Reason::kUpstreamProtocolError,
            absl::StrCat(said, " without the answer in JSON or events"));
}

absl::Duration RetryDelay(std::optional<int64_t> retry_ms, int failures,
                          absl::Duration first, absl::Duration longest) {
  const absl::Duration backoff =
      std::min(longest, first * (int64_t{1} << std::min(failures, 10)));
  if (!retry_ms.has_value()) return backoff;
  const absl::Duration asked =
      std::clamp(absl::Milliseconds(*retry_ms), kShortestRetry, kLongestRetry);
  return failures == 0 ? asked : std::max(asked, backoff);
}

bool IsFitSessionId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxSessionIdBytes &&
         std::all_of(id.begin(), id.end(),
                     [](char c) { return c >= 0x21 && c <= 0x7e; });
}

bool IsErrorFor(std::string_view body, int64_t id) {
  const absl::StatusOr<mcp::Envelope> envelope = mcp::ParseEnvelope(body);
  return envelope.ok() && envelope->kind == mcp::MessageKind::kError &&
         envelope->id == absl::StrCat(id);
}

}  // namespace gatehouse::upstream
