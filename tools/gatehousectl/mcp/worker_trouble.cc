#include "tools/gatehousectl/mcp/worker_trouble.h"

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::ctl {
namespace {

using Kind = WorkerTrouble::Kind;

WorkerTrouble Make(Kind kind, std::string_view server, std::string_view what) {
  return {kind, absl::StrCat(ToAbsl(server), ": ", ToAbsl(what)), ""};
}

// The JSON-RPC error of a refusal's body, on one line, for it becomes part of
// one; empty if it has none.
std::string ErrorIn(const std::string& body) {
  const auto document = json::Document::Parse(body);
  if (!document.ok()) return "";
  const auto error = document->root().Find("error");
  if (!error.has_value() || !error->IsObject()) return "";
  const auto code = error->Find("code");
  const auto message = error->Find("message");
  if (!code.has_value() || !code->IsNumber() || !message.has_value() ||
      !message->String().ok()) {
    return "";
  }
  return OnOneLine(std::string(error->raw()));
}

WorkerTrouble WithoutAnswer(const absl::Status& status,
                            std::string_view server) {
  if (absl::IsUnavailable(status)) {
    return Make(Kind::kUnreachable, server,
                absl::StrCat("the worker does not answer (", status.message(),
                             "); start one with ./tools/up --policy FILE, or "
                             "say where it is with --url"));
  }
  if (absl::IsDeadlineExceeded(status)) {
    return Make(
        Kind::kUnreachable, server,
        absl::StrCat("the worker did not answer in time (", status.message(),
                     "); whether it did what was asked is not known"));
  }
  if (absl::IsCancelled(status)) {
    return Make(Kind::kBroken, server, "ended from this side");
  }
  return Make(Kind::kBroken, server,
              absl::StrCat("the answer cannot be read (", status.message(),
                           "); is that a Gatehouse worker?"));
}

WorkerTrouble NotFound(const ExchangeEnd& end, std::string_view server,
                       bool in_session) {
  // A worker that does not know the virtual server says so without JSON-RPC.
  const bool names_server = end.body.find("\"error\":\"") != std::string::npos;
  if (in_session && !names_server) {
    return Make(Kind::kSessionLost, server,
                "the session is lost: the worker does not know it any more; "
                "restart this server in your host to begin a new one");
  }
  return Make(Kind::kNoVirtualServer, server,
              "there is no virtual server of that name; `gatehousectl policy "
              "list` shows them, `gatehousectl policy apply FILE` makes one");
}

}  // namespace

WorkerTrouble TroubleOf(const ExchangeEnd& end, std::string_view server,
                        bool in_session) {
  if (end.http_status == 0) return WithoutAnswer(end.status, server);
  if (end.http_status == 200) {
    return Make(Kind::kBroken, server,
                end.status.ok() || absl::IsDataLoss(end.status)
                    ? "the answer broke off; whether the call was made is not "
                      "known"
                    : absl::StrCat("the answer cannot be read (",
                                   end.status.message(), ")"));
  }
  if (end.http_status == 401) {
    return Make(Kind::kNotPermitted, server,
                "the worker wants a client's token that it knows: give "
                "--token-file FILE after the command");
  }
  if (end.http_status == 404) return NotFound(end, server, in_session);
  const std::string error = ErrorIn(end.body);
  if (error.empty()) {
    return Make(Kind::kBroken, server,
                absl::StrCat("unexpected HTTP status ", end.http_status,
                             "; is that a Gatehouse worker?"));
  }
  WorkerTrouble trouble = Make(
      Kind::kRefused, server,
      absl::StrCat("refused with HTTP status ", end.http_status, ": ", error));
  trouble.error = error;
  return trouble;
}

std::string TroubleResponse(const WorkerTrouble& trouble, std::string_view id) {
  if (!trouble.error.empty()) return mcp::RawErrorMessage(id, trouble.error);
  return mcp::ErrorMessage(id, mcp::kInternalError, trouble.message, "");
}

}  // namespace gatehouse::ctl
