#ifndef GATEHOUSE_CONTROLPLANE_RPC_RPC_STATS_H_
#define GATEHOUSE_CONTROLPLANE_RPC_RPC_STATS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "shared/base/counters.h"

namespace gatehouse::rpc {

// How the calls of each method of the access table ended, by gRPC code; all
// other paths are counted together. Thread-safe: atomics.
class RpcStats {
 public:
  explicit RpcStats(const std::vector<std::string_view>& paths);

  void Count(std::string_view path, int code);

  // Those that there were: `TrustService/AdmitInputRequests`, `OK`.
  void ForEach(
      const std::function<void(std::string_view method, std::string_view code,
                               int64_t count)>& visit) const;

 private:
  static constexpr size_t kCodes = 17;  // of gRPC
  struct Method {
    std::string_view path;
    std::array<Counter, kCodes> codes;
  };
  // The last one is for what is in no row.
  std::vector<std::unique_ptr<Method>> methods_;
};

}  // namespace gatehouse::rpc

#endif  // GATEHOUSE_CONTROLPLANE_RPC_RPC_STATS_H_
