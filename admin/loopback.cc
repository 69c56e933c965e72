#include "admin/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::admin {
namespace {

// Only a host that no other machine can reach.
bool ParseHost(std::string_view host, in_addr& v4, in6_addr& v6, bool& is_v6) {
  std::string text(host);
  if (absl::EqualsIgnoreCase(text, "localhost")) text = "127.0.0.1";
  is_v6 = text.size() > 2 && text.front() == '[' && text.back() == ']';
  if (is_v6) {
    text = text.substr(1, text.size() - 2);
    return inet_pton(AF_INET6, text.c_str(), &v6) == 1 &&
           IN6_IS_ADDR_LOOPBACK(&v6);
  }
  return inet_pton(AF_INET, text.c_str(), &v4) == 1 &&
         (ntohl(v4.s_addr) >> 24) == 127;
}

}  // namespace

absl::StatusOr<LoopbackAddress> ParseLoopback(std::string_view text) {
  const size_t colon = text.rfind(':');
  uint32_t port = 0;
  in_addr v4 = {};
  in6_addr v6 = {};
  bool is_v6 = false;
  if (colon == std::string_view::npos ||
      !absl::SimpleAtoi(ToAbsl(text.substr(colon + 1)), &port) ||
      port > 65535 || !ParseHost(text.substr(0, colon), v4, v6, is_v6)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      absl::StrCat(ToAbsl(text),
                                   ": expected an address on loopback, such "
                                   "as 127.0.0.1:9464 or [::1]:9464; port 0 "
                                   "takes any"));
  }
  LoopbackAddress address;
  if (is_v6) {
    sockaddr_in6 out = {};
    out.sin6_family = AF_INET6;
    out.sin6_addr = v6;
    out.sin6_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(out);
    std::memcpy(&address.storage, &out, sizeof(out));
  } else {
    sockaddr_in out = {};
    out.sin_family = AF_INET;
    out.sin_addr = v4;
    out.sin_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(out);
    std::memcpy(&address.storage, &out, sizeof(out));
  }
  return address;
}

std::string BoundAddress(int descriptor) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size);
  char host[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, host, sizeof(host));
    return absl::StrCat(host, ":", ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof(host));
  return absl::StrCat("[", host, "]:", ntohs(v6.sin6_port));
}

bool IsLoopbackHost(std::string_view host) {
  in_addr v4 = {};
  in6_addr v6 = {};
  bool is_v6 = false;
  if (ParseHost(host, v4, v6, is_v6)) return true;
  const size_t colon = host.rfind(':');
  uint32_t port = 0;
  return colon != std::string_view::npos &&
         absl::SimpleAtoi(ToAbsl(host.substr(colon + 1)), &port) &&
         port <= 65535 && ParseHost(host.substr(0, colon), v4, v6, is_v6);
}

}  // namespace gatehouse::admin
