#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_IMPORT_RULES_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_IMPORT_RULES_H_

#include <optional>
#include <string>
#include <string_view>

namespace gatehouse::ctl {

// What a policy takes (docs/policy.md), told before it is written, so that the
// place in the host's file can be named. The control plane decides; a test
// holds these rules against its own. All pure.

// A header's name of at most 128 bytes.
bool IsHeaderName(std::string_view name);

// Headers that the worker sets itself, or that belong to a connection.
bool IsWorkersOwnHeader(std::string_view name);

// Nothing, or why that is no URL of an upstream.
std::optional<std::string> UrlProblem(std::string_view url);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_IMPORT_RULES_H_
