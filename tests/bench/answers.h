#ifndef GATEHOUSE_TESTS_BENCH_ANSWERS_H_
#define GATEHOUSE_TESTS_BENCH_ANSWERS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gatehouse::bench {

// The tools of the fixed upstream. Both sides of a measurement make the same
// results from here, so that the load compares what it got byte by byte.
//
//   small    a text of kSmallBytes
//   text     1 MiB of prose in one string, with escapes now and then
//   base64   1 MiB of an image's base64 in one string
//   members  1 MiB of structuredContent with many small members
//   ask      asks for a sampling first; kAnswered if the client answered it
enum class Tool { kSmall, kText, kBase64, kMembers, kAsk };

struct ToolRow {
  Tool tool;
  std::string_view name;
  size_t bytes;  // about the size of its result
};
inline constexpr size_t kSmallBytes = 512;
inline constexpr size_t kLargeBytes = 1 << 20;
inline constexpr std::array<ToolRow, 5> kTools = {{
    {Tool::kSmall, "small", kSmallBytes},
    {Tool::kText, "text", kLargeBytes},
    {Tool::kBase64, "base64", kLargeBytes},
    {Tool::kMembers, "members", kLargeBytes},
    {Tool::kAsk, "ask", 0},
}};

// The row of that name.
const ToolRow* FindTool(std::string_view name);
// A CallToolResult; the same bytes at every call.
std::string ResultOf(const ToolRow& row);
// The CallToolResult of `ask`.
std::string AskResult(bool answered);
// The result of tools/list.
std::string ToolList();

// The bytes after `"NAME":` where it stands first, up to the comma or brace
// that ends a scalar; a string without its quotes. Empty if it is not there.
// No JSON reader: it looks into compact messages whose shape is known.
std::string_view Peek(std::string_view message, std::string_view name);
// The same, a string with its quotes: an id as it was written.
std::string_view PeekRaw(std::string_view message, std::string_view name);

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_ANSWERS_H_
