#include "admin/request_head.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "shared/base/status.h"

namespace gatehouse::admin {
namespace {

// Takes the next line, without its end, off `text`.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return std::exchange(text, {});
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

}  // namespace

std::optional<RequestHead> ParseHead(std::string_view head) {
  const std::string_view first = TakeLine(head);
  const size_t space = first.find(' ');
  const size_t last_space = first.rfind(' ');
  if (space == std::string_view::npos || space == 0 || space == last_space) {
    return std::nullopt;
  }
  const std::string_view version = first.substr(last_space + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return std::nullopt;
  const std::string_view target =
      first.substr(space + 1, last_space - space - 1);
  if (target.empty() || target.front() != '/') return std::nullopt;
  RequestHead out;
  out.method = std::string(first.substr(0, space));
  out.path = std::string(target.substr(0, target.find('?')));
  bool has_host = false;
  for (std::string_view line = TakeLine(head); !line.empty();
       line = TakeLine(head)) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    if (!absl::EqualsIgnoreCase(ToAbsl(line.substr(0, colon)), "host")) {
      continue;
    }
    if (std::exchange(has_host, true)) return std::nullopt;
    out.host = std::string(
        ToStd(absl::StripAsciiWhitespace(ToAbsl(line.substr(colon + 1)))));
  }
  return out;
}

}  // namespace gatehouse::admin
