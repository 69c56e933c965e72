// Replays a corpus in a build without libFuzzer: every file of the folder given
// goes through the target once. A property that breaks ends the process.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// A corpus that shrinks unnoticed would defend nothing.
constexpr size_t kFewestFiles = 15;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
    return 2;
  }
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(argv[1], error)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (error || files.size() < kFewestFiles) {
    std::fprintf(stderr, "%s: %zu files, where at least %zu belong\n", argv[1],
                 files.size(), kFewestFiles);
    return 1;
  }
  for (const std::filesystem::path& path : files) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);  // so that the last line names what broke it
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    if (!file.good() && !file.eof()) {
      std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
      return 1;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                           bytes.size());
  }
  std::printf("replayed %zu files\n", files.size());
  return 0;
}
