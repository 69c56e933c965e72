#include "dataplane/upstream/secret_reference.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/http/small_file.h"
#include "shared/base/status.h"

namespace gatehouse::upstream {
namespace {

constexpr std::string_view kEnv = "env:";
constexpr std::string_view kFile = "file:";
constexpr size_t kMaxSecretBytes = 64 << 10;

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

absl::Status Wrong(absl::StatusCode code, std::string_view reference,
                   std::string_view what) {
  return MakeStatus(code, absl::StrCat(ToAbsl(reference), ": ", ToAbsl(what)));
}

absl::StatusOr<std::string> ReadSecretFile(const std::string& path) {
  absl::StatusOr<http::SmallFile> file =
      http::ReadSmallFile(path, kMaxSecretBytes);
  if (!file.ok()) {
    return absl::Status(file.status().code(),
                        absl::StrCat(ToAbsl(kFile), file.status().message()));
  }
  std::string text = std::move(file->text);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

}  // namespace

bool IsSecretReference(std::string_view text) {
  return HasPrefix(text, kEnv) || HasPrefix(text, kFile);
}

absl::StatusOr<std::string> ResolveSecretText(std::string_view reference) {
  std::string value;
  if (HasPrefix(reference, kEnv)) {
    const std::string name(reference.substr(kEnv.size()));
    const char* const found = std::getenv(name.c_str());
    if (found == nullptr) {
      return Wrong(absl::StatusCode::kNotFound, reference,
                   "the worker's environment has no such variable: set it and "
                   "start the worker anew");
    }
    value = found;
  } else if (HasPrefix(reference, kFile)) {
    GATEHOUSE_ASSIGN_OR_RETURN(
        value, ReadSecretFile(std::string(reference.substr(kFile.size()))));
  } else {
    // The text itself may be the secret, written where a reference is due.
    return absl::InvalidArgumentError(
        "a value is no secret reference: write env:NAME or file:/path");
  }
  if (value.size() > kMaxSecretBytes) {
    return Wrong(absl::StatusCode::kInvalidArgument, reference,
                 "the secret must be at most 64 KiB");
  }
  return value;
}

absl::StatusOr<std::string> ResolveSecret(std::string_view reference) {
  GATEHOUSE_ASSIGN_OR_RETURN(std::string value, ResolveSecretText(reference));
  const bool fits = std::none_of(value.begin(), value.end(), [](char c) {
    return c == '\0' || c == '\r' || c == '\n';
  });
  if (!fits) {
    return Wrong(absl::StatusCode::kInvalidArgument, reference,
                 "the secret must be one line of at most 64 KiB");
  }
  return value;
}

}  // namespace gatehouse::upstream
