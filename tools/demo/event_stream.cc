#include "tools/demo/event_stream.h"

#include <utility>

namespace gatehouse::demo {
namespace {
constexpr size_t kMaxEventBytes = 16 << 20;
}  // namespace

absl::Status EventStream::Feed(std::string_view bytes) {
  for (const char c : bytes) {
    const bool second_half = after_cr_ && c == '\n';
    after_cr_ = c == '\r';
    if (second_half) continue;
    if (c == '\n' || c == '\r') {
      EndLine();
      continue;
    }
    line_.push_back(c);
    if (line_.size() + data_.size() > kMaxEventBytes) {
      return absl::ResourceExhaustedError("an event is over 16 MiB");
    }
  }
  return absl::OkStatus();
}

void EventStream::EndLine() {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    if (has_data_ && !data_.empty()) events_.push_back(data_);
    data_.clear();
    has_data_ = false;
    return;
  }
  const size_t colon = line.find(':');
  if (line.substr(0, colon) != "data") return;
  size_t start = colon == std::string::npos ? line.size() : colon + 1;
  if (start < line.size() && line[start] == ' ') ++start;
  if (has_data_) data_.push_back('\n');
  data_.append(line, start);
  has_data_ = true;
}

bool EventStream::Next(std::string* data) {
  if (events_.empty()) return false;
  *data = std::move(events_.front());
  events_.pop_front();
  return true;
}

}  // namespace gatehouse::demo
