#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_JSONC_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_JSONC_H_

#include <string>
#include <string_view>
#include <vector>

namespace gatehouse::ctl {

// A text in which people wrote comments and commas before a closing bracket, as
// editors' settings have them, made fit for a strict reader.
struct PlainJson {
  std::string json;                // as long as the text; blanks where it was
  std::vector<int> comment_lines;  // where comments began, counted from 1
};

// Blanks out `//` and `/* */` comments outside of strings, commas that no value
// follows, and a byte-order mark. Whatever else is wrong stays as it is. Pure.
PlainJson WithoutComments(std::string_view text);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_JSONC_H_
