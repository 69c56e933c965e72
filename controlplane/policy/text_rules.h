#ifndef GATEHOUSE_CONTROLPLANE_POLICY_TEXT_RULES_H_
#define GATEHOUSE_CONTROLPLANE_POLICY_TEXT_RULES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace gatehouse::policy {

// The small grammars of a policy document. Pure, thread-safe, iterative: no
// input can make one of them slow.

// UTF-8 without surrogates, overlong forms, NUL and control characters other
// than tab, line feed and carriage return.
bool IsPlainUtf8(std::string_view text);

bool IsDecimalNumber(std::string_view text);  // -1, 8, 2.5; no exponents

// [a-z][a-z0-9-]*, at most max_bytes.
bool IsResourceName(std::string_view text, size_t max_bytes);

// [a-z_][a-z0-9_-]{0,31}: a user of the worker's machine.
bool IsUserName(std::string_view text);

// [A-Za-z_][A-Za-z0-9_]*, at most 128 bytes.
bool IsEnvironmentName(std::string_view text);

// `env:NAME` or `file:/absolute/path`, at most 1,024 bytes.
bool IsSecretReference(std::string_view text);
// Whether the text means to be one: it starts with `env:` or `file:`.
bool LooksLikeSecretReference(std::string_view text);

// An absolute path without `.` and `..` steps, at most 1,024 bytes.
bool IsFilePath(std::string_view text);

// What is wrong with it as a header that a policy may set, or nothing: an HTTP
// token, and none of those that the transport sets itself.
std::optional<std::string> HeaderNameProblem(std::string_view name);

// What is wrong with it as an upstream's URL, or nothing.
std::optional<std::string> UpstreamUrlProblem(std::string_view url);

// What is wrong with it as the host of URLs that users may be sent to, or
// nothing: a host name in lower case, an IPv4 address, or `*.` before a name.
std::optional<std::string> UrlHostProblem(std::string_view host);

// The proto JSON form of a duration: `30s`, `1.5s`; at most nine decimals.
std::optional<absl::Duration> DurationFromJson(std::string_view text);
std::string DurationToJson(absl::Duration duration);

// Equal but for the case of ASCII letters.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

}  // namespace gatehouse::policy

#endif  // GATEHOUSE_CONTROLPLANE_POLICY_TEXT_RULES_H_
