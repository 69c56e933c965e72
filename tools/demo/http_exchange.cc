#include "tools/demo/http_exchange.h"

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::demo {

absl::StatusOr<std::unique_ptr<HttpExchange>> HttpExchange::Start(
    const HostPort& server, const HttpRequest& request,
    absl::Duration timeout) {
  GATEHOUSE_ASSIGN_OR_RETURN(Fd fd, Connect(server, timeout));
  std::string text = absl::StrCat(request.method, " ", request.path,
                                  " HTTP/1.1\r\nHost: ", server.host, ":",
                                  server.port, "\r\n");
  for (const auto& [name, value] : request.headers) {
    absl::StrAppend(&text, name, ": ", value, "\r\n");
  }
  if (request.method == "POST") {
    absl::StrAppend(&text, "Content-Length: ", request.body.size(), "\r\n");
  }
  absl::StrAppend(&text, "Connection: close\r\n\r\n", request.body);
  GATEHOUSE_RETURN_IF_ERROR(WriteAll(fd.get(), text, timeout));
  return std::unique_ptr<HttpExchange>(new HttpExchange(std::move(fd)));
}

absl::StatusOr<HttpHead> HttpExchange::ReadHead(absl::Duration deadline) {
  while (!head_) {
    if (ended_) {
      return absl::UnavailableError("the server closed without a response");
    }
    GATEHOUSE_RETURN_IF_ERROR(ReadMore(deadline));
  }
  return *head_;
}

absl::StatusOr<std::optional<std::string>> HttpExchange::ReadMessage(
    absl::Duration deadline) {
  while (messages_.empty()) {
    if (ended_) return std::optional<std::string>();
    GATEHOUSE_RETURN_IF_ERROR(ReadMore(deadline));
  }
  std::optional<std::string> message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

absl::Status HttpExchange::ReadMore(absl::Duration deadline) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string bytes,
                             ReadSome(fd_.get(), deadline));
  if (!bytes.empty()) return reader_.Feed(bytes);
  reader_.Close();
  ended_ = true;
  return absl::OkStatus();
}

void HttpExchange::OnHead(const HttpHead& head) {
  if (head.Status() / 100 != 1) head_ = head;
}

void HttpExchange::OnMessage(std::string_view text) {
  messages_.emplace_back(text);
}

void HttpExchange::OnEnd() { ended_ = true; }

}  // namespace gatehouse::demo
