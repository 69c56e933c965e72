#ifndef GATEHOUSE_TESTS_BENCH_REQUESTS_H_
#define GATEHOUSE_TESTS_BENCH_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gatehouse::bench {

// Where requests go, and as whom.
struct Peer {
  std::string address;  // 127.0.0.1:PORT
  std::string path;
  std::string token;    // a client's bearer token; empty: none is sent
  std::string session;  // the Mcp-Session-Id; empty: none is sent
};

// Whole HTTP requests, as an MCP client of revision 2025-11-25 writes them.
std::string Post(const Peer& peer, std::string_view body);
std::string OpenStream(const Peer& peer);
std::string EndSession(const Peer& peer);

// JSON-RPC messages, compact, `id` before `params`.
std::string InitializeMessage();
std::string InitializedMessage();
std::string SamplingReply(std::string_view id);

// A tools/call, ready to be sent, whose id can be changed where it stands. In
// all about 750 bytes for a path and a session of the usual length.
class CallRequest {
 public:
  // Ids have seven digits, so that the length never changes.
  static constexpr int64_t kFirstId = 1'000'000;
  static constexpr int64_t kLastId = 9'999'999;

  CallRequest() = default;
  CallRequest(const Peer& peer, std::string_view tool);

  // Sets the next id; at kLastId it starts over. Valid until the next call.
  std::string_view Next();
  // The id of the request that Next() gave last.
  std::string_view id() const {
    return std::string_view(text_).substr(id_at_, kDigits);
  }

 private:
  static constexpr size_t kDigits = 7;
  std::string text_;
  size_t id_at_ = 0;
  int64_t next_ = kFirstId;
};

}  // namespace gatehouse::bench

#endif  // GATEHOUSE_TESTS_BENCH_REQUESTS_H_
