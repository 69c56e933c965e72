#include "tools/gatehousectl/policy_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxDocumentBytes = 1 << 20;

absl::StatusOr<std::string> ReadBounded(std::istream& stream,
                                        const std::string& name) {
  std::string text(kMaxDocumentBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || (stream.fail() && !stream.eof())) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": cannot be read"));
  }
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kMaxDocumentBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": over 1 MiB, which no policy may be"));
  }
  return text;
}

absl::StatusOr<PolicyFile> ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no such file, or it may not be read"));
  }
  GATEHOUSE_ASSIGN_OR_RETURN(std::string text, ReadBounded(stream, path));
  return PolicyFile{path, std::move(text)};
}

bool IsDocument(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

absl::StatusOr<std::vector<std::string>> DocumentsIn(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator it(path, error);
  for (; !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    if (IsDocument(it->path())) names.push_back(it->path().string());
  }
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be listed"));
  }
  if (names.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no *.yaml, *.yml or *.json in it"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

absl::StatusOr<std::vector<PolicyFile>> ReadPolicyFiles(
    const std::string& path) {
  std::vector<PolicyFile> files;
  if (path == "-") {
    GATEHOUSE_ASSIGN_OR_RETURN(std::string text,
                               ReadBounded(std::cin, "(stdin)"));
    files.push_back({"(stdin)", std::move(text)});
    return files;
  }
  std::vector<std::string> names = {path};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    GATEHOUSE_ASSIGN_OR_RETURN(names, DocumentsIn(path));
  }
  for (const std::string& name : names) {
    GATEHOUSE_ASSIGN_OR_RETURN(PolicyFile file, ReadFile(name));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace gatehouse::ctl
