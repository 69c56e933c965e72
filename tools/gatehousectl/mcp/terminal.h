#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_TERMINAL_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_TERMINAL_H_

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace gatehouse::ctl {

// The person at a terminal: lines out, lines in, each wait of which can be
// ended. Thread-compatible. The descriptors are borrowed. Bound: 1 MiB a line;
// what is more of it is dropped.
class Terminal {
 public:
  enum class Read {
    kLine,
    kEnd,        // Ctrl-D, or the terminal is gone
    kWithdrawn,  // `ended` said so
  };

  // The wake descriptors become readable when `ended` is worth asking again.
  Terminal(int in, int out, std::array<int, 2> wake_fds)
      : in_(in), out_(out), wake_fds_(wake_fds) {}

  void Print(std::string_view text) const;
  // Prints the prompt and waits for a line, which is without its LF. Asks
  // `ended` first and whenever the wake descriptor rings.
  Read ReadLine(std::string_view prompt, const std::function<bool()>& ended,
                std::string* line);
  // Forgets what was typed before anything was asked.
  void DropTyped();

 private:
  // False if nothing more can come.
  bool Fill();

  const int in_;
  const int out_;
  const std::array<int, 2> wake_fds_;
  std::string typed_;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_TERMINAL_H_
