#include "admin/config_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::admin {
namespace {

constexpr size_t kMaxConfigBytes = 1 << 20;

int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

bool IsText(const YAML::Node& node) {
  return node.IsScalar() && !node.Scalar().empty();
}

// False, and a fault, if it is neither a text nor a list of texts.
bool ReadValue(const std::string& name, const YAML::Node& node,
               ConfigValue& value, std::vector<std::string>& faults) {
  value.is_list = node.IsSequence();
  if (IsText(node)) {
    value.values.push_back(node.Scalar());
    return true;
  }
  bool good = value.is_list;
  for (size_t i = 0; good && i < node.size(); ++i) {
    good = IsText(node[i]);
    if (good) value.values.push_back(node[i].Scalar());
  }
  if (!good) {
    faults.push_back(absl::StrCat(value.line, ": ", name,
                                  ": expected a text, or a list of texts such "
                                  "as [a, b]"));
  }
  return good;
}

void ReadMembers(const YAML::Node& root, ConfigFile& file) {
  for (const auto& member : root) {
    const int line = LineOf(member.first);
    if (!IsText(member.first)) {
      file.faults.push_back(absl::StrCat(line, ": a name must be a text"));
      continue;
    }
    const std::string& name = member.first.Scalar();
    ConfigValue value;
    value.line = line;
    if (!ReadValue(name, member.second, value, file.faults)) continue;
    if (!file.members.emplace(name, std::move(value)).second) {
      file.faults.push_back(absl::StrCat(line, ": ", name,
                                         ": stands here for the second time; "
                                         "leave one"));
    }
  }
}

// How many letters must change, come or go.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

ConfigFile ParseConfig(const std::string& text) {
  ConfigFile file;
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return file;
    if (root.IsMap()) {
      ReadMembers(root, file);
    } else {
      file.faults.push_back(
          "1: expected a map, lines such as `listen: 127.0.0.1:0`");
    }
  } catch (const YAML::Exception& error) {
    file.faults.push_back(
        absl::StrCat(error.mark.line + 1, ": not YAML: ", error.msg));
  }
  return file;
}

absl::StatusOr<std::string> ReadConfig(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxConfigBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      path + ": cannot be read; check the path and its rights");
  }
  if (text.size() > kMaxConfigBytes) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      path + ": larger than 1 MiB");
  }
  return text;
}

std::string_view NearestWord(std::string_view word,
                             const std::vector<std::string_view>& words) {
  constexpr size_t kMaxWordBytes = 64;
  if (word.size() > kMaxWordBytes) return {};
  std::string_view nearest;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : words) {
    const size_t distance = Distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace gatehouse::admin
