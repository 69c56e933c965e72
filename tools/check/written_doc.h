#ifndef GATEHOUSE_TOOLS_CHECK_WRITTEN_DOC_H_
#define GATEHOUSE_TOOLS_CHECK_WRITTEN_DOC_H_

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace gatehouse {

// The main of a program that writes a page of docs/: without an argument it
// prints `want`; with a file, exits 1 and says what to do if it differs.
inline int WriteOrCheckDoc(int argc, char** argv, const std::string& want) {
  if (argc < 2) {
    fputs(want.c_str(), stdout);
    return 0;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string have((std::istreambuf_iterator<char>(file)), {});
  if (have == want) return 0;
  fprintf(stderr, "%s: stale; write it anew with: %s > %s\n", argv[1], argv[0],
          argv[1]);
  return 1;
}

}  // namespace gatehouse

#endif  // GATEHOUSE_TOOLS_CHECK_WRITTEN_DOC_H_
