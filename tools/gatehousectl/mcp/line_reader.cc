#include "tools/gatehousectl/mcp/line_reader.h"

#include <utility>

namespace gatehouse::ctl {

void LineReader::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (!skipping_ && line_.size() + part.size() > max_line_bytes_) {
      skipping_ = true;
      line_ = std::string();
      on_too_long_();
    }
    if (!skipping_) line_.append(part);
    if (end == std::string_view::npos) return;
    EndLine();
    bytes.remove_prefix(end + 1);
  }
}

void LineReader::End() {
  if (!line_.empty()) EndLine();
}

void LineReader::EndLine() {
  if (std::exchange(skipping_, false)) return;
  std::string line = std::exchange(line_, {});
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (!line.empty()) on_line_(std::move(line));
}

}  // namespace gatehouse::ctl
