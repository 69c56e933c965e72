#include "tools/gatehousectl/explain_input.h"

#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "shared/json/skip_scanner.h"

namespace gatehouse::ctl {
namespace {

absl::StatusOr<json::SkippedObject> Open(std::string_view text) {
  absl::StatusOr<json::SkippedObject> object =
      json::SkipScan(text, /*to_open=*/"");
  if (object.ok()) return object;
  return Annotate(object.status(), "no JSON object that can be read");
}

}  // namespace

absl::StatusOr<InputRequestText> ReadInputRequest(std::string_view text) {
  GATEHOUSE_ASSIGN_OR_RETURN(const json::SkippedObject object, Open(text));
  const auto method = json::FindSkipped(object.members(), "method");
  const auto params = json::FindSkipped(object.members(), "params");
  InputRequestText request;
  if (method.has_value()) {
    GATEHOUSE_ASSIGN_OR_RETURN(const json::Document name,
                               json::Document::Parse(std::string(*method)));
    const absl::StatusOr<std::string_view> decoded = name.root().String();
    if (decoded.ok()) request.method = std::string(*decoded);
  }
  if (request.method.empty()) {
    return absl::InvalidArgumentError(
        "expected a JSON-RPC request, or {\"method\": \"...\", \"params\": "
        "{...}}");
  }
  if (params.has_value()) request.params = std::string(*params);
  return request;
}

absl::StatusOr<InputResponseText> ReadInputResponse(std::string_view text) {
  GATEHOUSE_ASSIGN_OR_RETURN(const json::SkippedObject object, Open(text));
  const auto result = json::FindSkipped(object.members(), "result");
  const auto error = json::FindSkipped(object.members(), "error");
  if (result.has_value() == error.has_value()) {
    return absl::InvalidArgumentError(
        "expected a JSON-RPC response, or {\"result\": {...}}, or {\"error\": "
        "{...}}");
  }
  InputResponseText response;
  if (result.has_value()) response.result = std::string(*result);
  if (error.has_value()) response.error = std::string(*error);
  return response;
}

absl::StatusOr<std::string> ReadJsonFile(const std::string& path,
                                         size_t max_bytes) {
  const std::string name = path == "-" ? "(stdin)" : path;
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": no such file, or it may not be read"));
    }
  }
  std::istream& stream = path == "-" ? std::cin : file;
  std::string text(max_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  // A folder opens, but cannot be read.
  if (stream.bad() || (stream.fail() && !stream.eof())) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": cannot be read"));
  }
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > max_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": over ", max_bytes, " bytes, which is more than is judged"));
  }
  return text;
}

}  // namespace gatehouse::ctl
