#include "tests/wire/trace_files.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::wire {
namespace {

constexpr std::string_view kExtension = ".jsonl";
// No traces.
constexpr std::array<std::string_view, 2> kLists = {"replay", "probes"};

std::string Folder() {
  const char* const source = std::getenv("GATEHOUSE_SOURCE");
  return absl::StrCat(source == nullptr ? "." : source, "/tests/data/wire/");
}

}  // namespace

std::vector<std::string> TraceNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(Folder(), error)) {
    const std::filesystem::path& path = entry.path();
    const std::string name = path.stem().string();
    const bool list =
        std::find(kLists.begin(), kLists.end(), name) != kLists.end();
    if (path.extension() == kExtension && !list) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<json::Document>> ReadLines(const std::string& file) {
  std::ifstream in(Folder() + file);
  if (!in.good()) {
    return absl::NotFoundError(absl::StrCat(file, ": cannot be read"));
  }
  std::vector<json::Document> lines;
  for (std::string line; std::getline(in, line);) {
    absl::StatusOr<json::Document> read = json::Document::Parse(line);
    if (!read.ok()) {
      return Annotate(read.status(), absl::StrCat(file, ":", lines.size() + 1));
    }
    lines.push_back(*std::move(read));
  }
  return lines;
}

std::string RawMember(const json::Value& object, std::string_view name) {
  const std::optional<json::Value> member = object.Find(name);
  return member.has_value() ? std::string(member->raw()) : std::string();
}

std::string TextMember(const json::Value& object, std::string_view name) {
  const std::optional<json::Value> member = object.Find(name);
  return member.has_value() && member->IsString()
             ? std::string(*member->String())
             : std::string();
}

int64_t NumberMember(const json::Value& object, std::string_view name) {
  const std::optional<json::Value> member = object.Find(name);
  return member.has_value() && member->Integer().ok() ? *member->Integer() : 0;
}

}  // namespace gatehouse::wire
