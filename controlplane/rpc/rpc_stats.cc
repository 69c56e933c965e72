#include "controlplane/rpc/rpc_stats.h"

namespace gatehouse::rpc {
namespace {

constexpr std::array<std::string_view, 17> kCodeNames = {"OK",
                                                         "CANCELLED",
                                                         "UNKNOWN",
                                                         "INVALID_ARGUMENT",
                                                         "DEADLINE_EXCEEDED",
                                                         "NOT_FOUND",
                                                         "ALREADY_EXISTS",
                                                         "PERMISSION_DENIED",
                                                         "RESOURCE_EXHAUSTED",
                                                         "FAILED_PRECONDITION",
                                                         "ABORTED",
                                                         "OUT_OF_RANGE",
                                                         "UNIMPLEMENTED",
                                                         "INTERNAL",
                                                         "UNAVAILABLE",
                                                         "DATA_LOSS",
                                                         "UNAUTHENTICATED"};
constexpr size_t kUnknown = 2;

// `/gatehouse.v1.TrustService/Admit` without its package.
std::string_view ShortName(std::string_view path) {
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.', slash);
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

RpcStats::RpcStats(const std::vector<std::string_view>& paths) {
  for (const std::string_view path : paths) {
    methods_.push_back(std::make_unique<Method>());
    methods_.back()->path = path;
  }
  methods_.push_back(std::make_unique<Method>());
  methods_.back()->path = "other";
}

void RpcStats::Count(std::string_view path, int code) {
  const auto index = static_cast<size_t>(code);
  Method* found = methods_.back().get();
  for (const auto& method : methods_) {
    if (method->path == path) found = method.get();
  }
  found->codes[index < kCodes ? index : kUnknown].Add();
}

void RpcStats::ForEach(
    const std::function<void(std::string_view method, std::string_view code,
                             int64_t count)>& visit) const {
  for (const auto& method : methods_) {
    for (size_t code = 0; code < kCodes; ++code) {
      const int64_t count = method->codes[code].value();
      if (count > 0) visit(ShortName(method->path), kCodeNames[code], count);
    }
  }
}

}  // namespace gatehouse::rpc
