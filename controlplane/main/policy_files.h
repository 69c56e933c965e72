#ifndef GATEHOUSE_CONTROLPLANE_MAIN_POLICY_FILES_H_
#define GATEHOUSE_CONTROLPLANE_MAIN_POLICY_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "controlplane/broker/broker.h"
#include "controlplane/store/store.h"

namespace gatehouse {

// Applies the document at `path`, or every *.yaml, *.yml and *.json of a
// directory, as `--policy` asks at start and on SIGHUP. The store is the truth:
// a document is applied only if it differs from the last one applied from
// files, so that an edit by the API survives a restart. All faults of all
// documents are reported at once, and then none is applied.
//
// Blocks until the store has answered; for the main thread only.
// INVALID_ARGUMENT, with every fault by file and path.
absl::Status ApplyPolicyFiles(const std::string& path, Store& store,
                              broker::Broker& broker);

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_MAIN_POLICY_FILES_H_
