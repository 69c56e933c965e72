#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_OUTPUT_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_OUTPUT_H_

#include <string>
#include <string_view>
#include <vector>

namespace gatehouse::ctl {

// What came from the server, fit for a terminal: control characters,
// bidirectional overrides, zero-width and tag characters and bytes that are no
// UTF-8 are written as visible escapes (`\u001b`, `\xff`).
std::string Visible(std::string_view text);

// The same for a JSON text, which stays one: escaped as JSON does.
std::string VisibleJson(std::string_view json);

// Rows under a head, the columns as wide as they need to be; every cell is made
// Visible. Thread-compatible.
class Table {
 public:
  explicit Table(std::vector<std::string> head);
  // As many cells as the head has; an empty one is shown as `-`.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the head first
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_OUTPUT_H_
