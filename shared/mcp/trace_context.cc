#include "shared/mcp/trace_context.h"

#include <algorithm>

namespace gatehouse::mcp {
namespace {

// version "-" trace id "-" parent id "-" flags
constexpr size_t kTraceIdAt = 3;
constexpr size_t kTraceIdSize = 32;
constexpr size_t kParentIdAt = 36;
constexpr size_t kParentIdSize = 16;
constexpr size_t kFlagsAt = 53;
constexpr size_t kSize = 55;      // of version 00
constexpr size_t kMaxSize = 256;  // of a later version

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

// An id, which is not all zeros.
bool IsId(std::string_view text) {
  return IsHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::string_view TraceIdOf(std::string_view traceparent) {
  if (traceparent.size() < kSize || traceparent.size() > kMaxSize) return {};
  const std::string_view version = traceparent.substr(0, 2);
  if (!IsHex(version) || version == "ff") return {};
  if (traceparent.size() > kSize &&
      (version == "00" || traceparent[kSize] != '-')) {
    return {};
  }
  // It goes on as a header: gRPC ends the process on one that has anything
  // else.
  if (!std::all_of(traceparent.begin(), traceparent.end(),
                   [](char c) { return c > 0x20 && c < 0x7f; })) {
    return {};
  }
  const std::string_view trace_id =
      traceparent.substr(kTraceIdAt, kTraceIdSize);
  const bool valid = traceparent[kTraceIdAt - 1] == '-' && IsId(trace_id) &&
                     traceparent[kParentIdAt - 1] == '-' &&
                     IsId(traceparent.substr(kParentIdAt, kParentIdSize)) &&
                     traceparent[kFlagsAt - 1] == '-' &&
                     IsHex(traceparent.substr(kFlagsAt, 2));
  return valid ? trace_id : std::string_view();
}

}  // namespace gatehouse::mcp
