#ifndef GATEHOUSE_TESTS_FUZZ_JUDGE_SUPPORT_H_
#define GATEHOUSE_TESTS_FUZZ_JUDGE_SUPPORT_H_

#include <optional>
#include <string>
#include <string_view>

#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/judge.h"
#include "shared/json/json.h"
#include "shared/mcp/features.h"
#include "shared/reasons/reasons.h"

// What the targets of the judge share: the facts that an input is judged with,
// and what holds of every verdict.
namespace gatehouse::fuzz {

inline constexpr std::string_view kSampling = "sampling/createMessage";
inline constexpr std::string_view kElicitation = "elicitation/create";
inline constexpr std::string_view kRoots = "roots/list";

// A policy that permits everything, of one upstream named `files`.
policy::VirtualServer OpenPolicy();
mcp::ClientFeatures AllDeclared();

// The text as the judge reads params, if it can be read at all.
std::optional<json::Document> ReadParams(std::string_view text);
std::optional<json::Document> ReadAnswer(std::string_view text);

// Ends the process unless the failure names a rule of the judge and says
// something, and its path leads to a value of `document` or to a member that
// one of its objects lacks; where nothing could be read, `document` is null and
// the path is an RFC 6901 pointer.
void RequireFailure(const Failure& failure, const json::Document* document);

bool Alike(const Failure& a, const Failure& b);
bool Alike(const trust::RequestVerdict& a, const trust::RequestVerdict& b);
bool Alike(const trust::ResponseVerdict& a, const trust::ResponseVerdict& b);

// The first rule that a trace says is broken; empty: none.
std::string_view FirstBroken(const trust::Trace& trace);

}  // namespace gatehouse::fuzz

#endif  // GATEHOUSE_TESTS_FUZZ_JUDGE_SUPPORT_H_
