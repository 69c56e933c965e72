#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_LINE_READER_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_LINE_READER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gatehouse::ctl {

// Cuts a stream of bytes into lines, without their LF or CRLF. A line over the
// limit is skipped up to its end and told of once. Thread-compatible.
class LineReader {
 public:
  LineReader(size_t max_line_bytes,
             std::function<void(std::string line)> on_line,
             std::function<void()> on_too_long)
      : max_line_bytes_(max_line_bytes),
        on_line_(std::move(on_line)),
        on_too_long_(std::move(on_too_long)) {}

  void Feed(std::string_view bytes);
  // The stream ended: what stands behind the last LF is a line too.
  void End();

 private:
  void EndLine();

  const size_t max_line_bytes_;
  const std::function<void(std::string line)> on_line_;
  const std::function<void()> on_too_long_;
  std::string line_;
  bool skipping_ = false;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_LINE_READER_H_
