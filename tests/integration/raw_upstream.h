#ifndef GATEHOUSE_TESTS_INTEGRATION_RAW_UPSTREAM_H_
#define GATEHOUSE_TESTS_INTEGRATION_RAW_UPSTREAM_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/harness/connection.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/http_reader.h"
#include "tests/integration/harness/message.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// An MCP server with one tool, `t`, that answers well but where it is told to
// answer otherwise: by the path of the request and its method.
//
// Thread-compatible: scripted before the first request; what came in may be
// read from any thread. The loop is borrowed and outlives it.
class RawUpstream {
 public:
  struct Bytes {
    std::string bytes;  // `{id}` stands for the request's id
    bool then_close;
  };

  // What came in. `message` is empty where a request had no body.
  struct Received {
    HttpHead head;
    Message message;
  };
  // Answers one request on its connection, now or later, or gives false: then
  // the answer is the good one. Called on the loop's thread.
  using Handler = std::function<bool(
      const Received& request, const std::shared_ptr<Connection>& connection)>;

  explicit RawUpstream(EventLoop* loop);
  ~RawUpstream();

  // `path` starts with a slash; `method` is JSON-RPC's.
  void Script(const std::string& path, const std::string& method, Bytes bytes);
  // Asked first, for every request of that path.
  void Handle(const std::string& path, Handler handler);

  // What came for `path`, in order.
  std::vector<Received> received(const std::string& path) const;
  // Waits until `holds` is true of what came for `path`.
  bool AwaitReceived(
      const std::string& path,
      const std::function<bool(const std::vector<Received>&)>& holds) const;

  // The message that a good server answers `request` with.
  static std::string GoodMessage(const Message& request);

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
  static std::string GoodAnswer(const Received& request);

  EventLoop* const loop_;
  int listen_fd_ = -1;
  std::string address_;
  std::map<std::pair<std::string, std::string>, Bytes> scripted_;
  std::map<std::string, Handler> handlers_;
  Signal signal_;
  std::map<std::string, std::vector<Received>> received_;  // under signal_
  std::set<std::shared_ptr<Peer>> peers_;  // the loop's thread only
};

// What an upstream may write: an answer with its length (no Content-Type if
// `type` is empty; `headers` with their line ends), the head of an event stream
// that ends with its connection, an event, and a notification or, with an id, a
// request.
std::string Sized(const std::string& status, const std::string& type,
                  const std::string& body, const std::string& headers = "");
std::string StreamHead(const std::string& headers = "");
std::string Event(const std::string& message);
std::string Said(const std::string& method, const std::string& params = "",
                 const std::string& id = "");

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_RAW_UPSTREAM_H_
