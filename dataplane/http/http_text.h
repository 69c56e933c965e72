#ifndef GATEHOUSE_DATAPLANE_HTTP_HTTP_TEXT_H_
#define GATEHOUSE_DATAPLANE_HTTP_HTTP_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/http/server.h"

// The small grammar that both sides of HTTP/1.1 share (RFC 9110, 9112).
// Pure functions over bytes; none of them repairs what it reads.
namespace gatehouse::http {

// Without case, ASCII only.
bool EqualsNoCase(std::string_view a, std::string_view b);
// Without spaces and tabs at both ends.
std::string_view TrimSpace(std::string_view text);
// Not empty and only the characters of a header name or a method.
bool IsToken(std::string_view text);
// No control byte but tab: what a header's value may hold.
bool IsFieldValue(std::string_view text);
// Digits only, at most 18 of them.
std::optional<uint64_t> ParseDecimal(std::string_view text);
// True if the comma-separated `list` names `token`, without case.
bool ListHasToken(std::string_view list, std::string_view token);

// Where the header block that starts `bytes` ends, past its empty line; npos if
// it is not there yet. `from` is how many bytes an earlier call has seen.
size_t FindHeadEnd(std::string_view bytes, size_t from);

// The lines after the first one, `Name: value` each, with CRLF ends and the
// empty line. Nullopt if one of them is malformed (no colon, a name that is no
// token, as with a space before the colon or a folded line, or a control byte).
std::optional<Headers> ParseHeaderLines(std::string_view lines);

// The standard phrase, or "Status" for a code that has none.
std::string_view ReasonPhrase(int status);
// `Sun, 06 Nov 1994 08:49:37 GMT`, for `unix_seconds`.
std::string HttpDate(int64_t unix_seconds);

// Appends `Name: value` CRLF for each header but those named in `without`, and
// but those whose bytes would break out of their line.
void AppendHeaders(const Headers& headers,
                   std::initializer_list<std::string_view> without,
                   std::string& out);

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_HTTP_TEXT_H_
