#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_HOST_CONFIG_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_HOST_CONFIG_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::ctl {

// What a person is told about a place of the file that they gave.
struct Note {
  enum class Severity {
    kWarning,  // taken, but not as it stands
    kError,    // cannot be taken: the server is left out
  };
  Severity severity = Severity::kWarning;
  std::string path;  // JSON pointer, such as `/mcpServers/git/env/TOKEN`
  std::string text;
};

// One server as a host's configuration has it: `command` or `url` is set.
struct HostServer {
  std::string key;   // what the host calls it
  std::string path;  // JSON pointer of its entry
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;  // to start it in; empty: anywhere
  std::string url;
  std::string url_path;  // JSON pointer of that member
  std::vector<std::pair<std::string, std::string>> headers;
};

struct HostConfig {
  std::vector<HostServer> servers;  // in the file's order
  std::vector<Note> notes;
};

// Reads the MCP servers out of the JSON of an MCP host: `mcpServers` (Claude
// Desktop, Claude Code, Cursor, Windsurf and others), `servers` (VS Code's
// mcp.json), or either within `mcp` (VS Code's settings). Comments and trailing
// commas are allowed. Whatever is not taken has a note: members that mean
// nothing here, servers switched off, transports that Gatehouse does not speak.
//
// INVALID_ARGUMENT if it is no JSON (then with the place), over 4 MiB, or has
// no such member. Pure.
absl::StatusOr<HostConfig> ReadHostConfig(std::string_view text);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_HOST_CONFIG_H_
