#ifndef GATEHOUSE_CONTROLPLANE_BROKER_EXPLAIN_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controlplane/broker/broker.h"
#include "controlplane/policy/virtual_server.h"
#include "controlplane/trust/judge.h"

namespace gatehouse::broker {

// What is to be judged without effect, and the facts that the judge would have
// with it. Sizes are bounded by who makes it.
struct ExplainCommand {
  std::string virtual_server;
  std::string upstream;             // configured name; empty: the first one
  std::string upstream_revision;    // empty: the latest legacy one
  std::string client_revision;      // empty: the latest legacy one
  std::string client_capabilities;  // JSON; empty: all that its revision has
  std::string method;
  std::string params;  // raw; empty: absent
  std::string tool;
  Attribution attribution = Attribution::kOwnStream;
  std::optional<std::string> result;  // raw; at most one of the two
  std::optional<std::string> error;
};

struct ExplainedRequest {
  trust::Trace rules;
  trust::RequestVerdict verdict;
};

struct ExplainedResponse {
  trust::Trace rules;
  trust::ResponseVerdict verdict;
};

struct Explained {
  // What is wrong with the command, by its field; if anything, nothing was
  // judged.
  std::vector<policy::Violation> violations;
  ExplainedRequest request;
  // If a response was given and the request was admitted.
  std::optional<ExplainedResponse> response;
  int64_t policy_version = 0;
};

// Judges as Admit and Submit would. Pure, so without any effect; the budget,
// which is the ledger's, is not asked. Sets no policy_version.
Explained Explain(const policy::VirtualServer& policy,
                  const ExplainCommand& command);

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_EXPLAIN_H_
