#ifndef GATEHOUSE_CONTROLPLANE_BROKER_POLICY_BOOK_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_POLICY_BOOK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controlplane/policy/virtual_server.h"
#include "controlplane/store/store.h"

namespace gatehouse::broker {

struct CompiledPolicy {
  policy::VirtualServer virtual_server;
  int64_t version = 0;
};

// The current policies, parsed once a version. Every look-up reads which
// version is current; only the parsing is remembered.
// Used on the store's thread only.
class PolicyBook {
 public:
  // NOT_FOUND if there is none or it was deleted; INTERNAL if a stored document
  // does not parse (a newer build wrote it).
  absl::StatusOr<std::shared_ptr<const CompiledPolicy>> Current(
      Transaction& tx, std::string_view virtual_server);

 private:
  std::map<std::string, std::shared_ptr<const CompiledPolicy>, std::less<>>
      compiled_;
};

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_POLICY_BOOK_H_
