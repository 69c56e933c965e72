#ifndef GATEHOUSE_TESTS_INTEGRATION_RAW_UPSTREAM_H_
#define GATEHOUSE_TESTS_INTEGRATION_RAW_UPSTREAM_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "tests/integration/harness/connection.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/http_reader.h"
#include "tests/integration/harness/message.h"

namespace gatehouse::testing {

// An MCP server with one tool, `t`, that answers well but where it is told to
// answer with bytes, whatever they are: by the path of the request and its
// method.
//
// Thread-compatible: scripted before the first request. The loop is borrowed
// and outlives it.
class RawUpstream {
 public:
  struct Bytes {
    std::string bytes;  // `{id}` stands for the request's id
    bool then_close;
  };

  explicit RawUpstream(EventLoop* loop);
  ~RawUpstream();

  // `path` starts with a slash; `method` is JSON-RPC's.
  void Script(const std::string& path, const std::string& method, Bytes bytes);

  // `http://HOST:PORT`.
  std::string url() const { return "http://" + address_; }

 private:
  struct Peer {
    std::shared_ptr<Connection> connection;
    std::unique_ptr<HttpReader> reader;
    HttpHead head;
    std::string body;
  };
  void Accept();
  void Serve(Peer& peer);
  static std::string GoodAnswer(const Message& request);

  EventLoop* const loop_;
  int listen_fd_ = -1;
  std::string address_;
  std::map<std::pair<std::string, std::string>, Bytes> scripted_;
  std::set<std::shared_ptr<Peer>> peers_;  // the loop's thread only
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_RAW_UPSTREAM_H_
