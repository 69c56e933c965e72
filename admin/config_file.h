#ifndef GATEHOUSE_ADMIN_CONFIG_FILE_H_
#define GATEHOUSE_ADMIN_CONFIG_FILE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::admin {

// One member of a configuration file.
struct ConfigValue {
  std::vector<std::string> values;  // one, unless it is a list
  bool is_list = false;
  int line = 0;  // from 1
};

// A configuration file: a YAML (or JSON) map of texts and lists of texts.
struct ConfigFile {
  std::map<std::string, ConfigValue, std::less<>> members;
  // What is wrong with it, each with its line: `3: listen: ...`.
  std::vector<std::string> faults;
};

// Reads the text of one. Faults: no YAML, no map, a name twice, a value that is
// neither a text nor a list of texts. Pure.
ConfigFile ParseConfig(const std::string& text);

// Reads the file, at most 1 MiB. NOT_FOUND, path first, if it cannot be read;
// INVALID_ARGUMENT if it is larger.
absl::StatusOr<std::string> ReadConfig(const std::string& path);

// The word of `words` that `word` is most likely a slip of, or an empty one.
std::string_view NearestWord(std::string_view word,
                             const std::vector<std::string_view>& words);

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_CONFIG_FILE_H_
