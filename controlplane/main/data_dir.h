#ifndef GATEHOUSE_CONTROLPLANE_MAIN_DATA_DIR_H_
#define GATEHOUSE_CONTROLPLANE_MAIN_DATA_DIR_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controlplane/broker/keys.h"
#include "controlplane/rpc/access.h"
#include "shared/base/random.h"

namespace gatehouse {

// The control plane's directory: the owner's alone (0700, files 0600). It holds
//   gatehouse.db        the store
//   keys/audit-hmac     32 bytes, hex: HMACs in audit records
//   keys/opaque-id      32 bytes, hex: opaque ids are made by it
//   tokens/ROLE.token   a bearer token for each role, one line
//   control.sock        the Unix socket
// What is missing is made at the first start and never changed after it.
//
// Thread-compatible; used at start only.
class DataDir {
 public:
  // Makes the directory if it is missing. FAILED_PRECONDITION if it or a file
  // in it is open to others, or cannot be used.
  static absl::StatusOr<DataDir> Open(std::string path, Random& random);

  std::string DatabasePath() const { return path_ + "/gatehouse.db"; }
  std::string SocketPath() const { return path_ + "/control.sock"; }
  std::string TokenPath(rpc::Role role) const;

  const broker::Keys& keys() const { return keys_; }
  const std::vector<rpc::Token>& tokens() const { return tokens_; }

 private:
  explicit DataDir(std::string path) : path_(std::move(path)) {}

  std::string path_;
  broker::Keys keys_;
  std::vector<rpc::Token> tokens_;
};

// The whole of a small file, at most `max_bytes`. NOT_FOUND if there is none.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes);

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_MAIN_DATA_DIR_H_
