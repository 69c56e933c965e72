#ifndef GATEHOUSE_TESTS_UNIT_STORE_TEMP_FOLDER_H_
#define GATEHOUSE_TESTS_UNIT_STORE_TEMP_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace gatehouse {

// A folder of its own, gone at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "gatehouse-store-XXXXXX")
            .string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace gatehouse

#endif  // GATEHOUSE_TESTS_UNIT_STORE_TEMP_FOLDER_H_
