#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_RESULT_TEXT_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_RESULT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "shared/mcp/envelope.h"

namespace gatehouse::ctl {

// What a worker sent, for a terminal: nothing of it acts there. Pure.

// A tool's result: its texts as they are, other blocks described, else its
// structuredContent. Lines with their LF.
std::string ResultText(const std::string& result);
bool IsErrorResult(const std::string& result);

// `error -31001 (budget_exhausted): MESSAGE` of a JSON-RPC error.
std::string ErrorText(const std::string& error);

// One line for progress and log messages; empty for what is no news.
std::string NotificationText(const mcp::Envelope& notification);

// Tools, raw, as a table, or as one object `{"tools": [...]}`.
std::string ToolsTable(const std::vector<std::string>& tools);
std::string ToolsJson(const std::vector<std::string>& tools);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_MCP_RESULT_TEXT_H_
