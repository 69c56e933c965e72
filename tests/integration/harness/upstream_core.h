#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_UPSTREAM_CORE_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_UPSTREAM_CORE_H_

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
#include "tests/integration/harness/scripted_upstream.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// The inside of a ScriptedUpstream: listening, sessions, streams. Everything
// runs on the loop's thread, but for the records, which `signal` guards.
class UpstreamCore : public std::enable_shared_from_this<UpstreamCore> {
 public:
  UpstreamCore(EventLoop* loop, ScriptedUpstream::Options options)
      : loop_(loop), options_(std::move(options)) {}

  void Listen();
  void Shutdown();
  void Crash();

  // For ToolCall. `stream` is an answer's number.
  std::string Ask(const std::string& session, int stream,
                  const std::string& method, const std::string& params,
                  ToolCall::OnReply on_reply);
  void Notify(int stream, const std::string& method, const std::string& params);
  int GetStreamOf(const std::string& session) const;
  void SendEvent(int stream, const std::string& message);
  void FinishAnswer(int stream, const std::string& message);
  void AbandonAnswer(int stream);
  void EndCall(const ToolCall& call);

  struct ToolEntry {
    std::string name;
    std::string definition;
    ScriptedUpstream::Tool tool;
  };

  Signal signal;  // guards what follows
  std::vector<ToolEntry> tools;
  std::function<void(const Message&)> on_unasked;
  std::vector<ScriptedUpstream::Received> received;
  std::vector<Message> replies;
  std::vector<std::string> listening;  // sessions that opened a GET stream
  size_t session_count = 0;
  std::string address;

 private:
  struct Session {
    std::string revision;
    int64_t next_id = 0;
    int get_stream = -1;
    std::map<std::string, ToolCall::OnReply> asked;            // by id lexeme
    std::map<std::string, std::shared_ptr<ToolCall>> running;  // by id lexeme
  };
  // An HTTP request that is being read or answered.
  struct Peer {
    std::shared_ptr<Connection> connection;
    std::unique_ptr<HttpReader> reader;
    HttpHead head;
    std::string body;
  };
  struct Answer {
    std::shared_ptr<Connection> connection;
    bool streaming = false;
  };

  void Accept();
  void Serve(const std::shared_ptr<Peer>& peer);
  void ServeGet(const std::shared_ptr<Peer>& peer, const std::string& session);
  void ServePost(const std::shared_ptr<Peer>& peer);
  void ServeInitialize(const std::shared_ptr<Peer>& peer,
                       const Message& message);
  void ServeRequest(const std::shared_ptr<Peer>& peer, const Message& message,
                    const std::string& session);
  void TakeReply(Session& session, const Message& message);
  void TakeCancel(Session& session, const Message& message);
  void CallTool(const std::shared_ptr<Peer>& peer, const Message& message,
                const std::string& session);
  std::string ToolList() const;
  int NewAnswer(const std::shared_ptr<Connection>& connection);
  static void Respond(Connection& connection, int status,
                      const std::string& body, const std::string& headers = "");

  EventLoop* const loop_;
  const ScriptedUpstream::Options options_;
  int listen_fd_ = -1;
  int next_answer_ = 0;
  int64_t next_session_ = 0;
  std::set<std::shared_ptr<Peer>> peers_;
  std::map<int, Answer> answers_;
  std::map<std::string, Session> sessions_;
};

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_UPSTREAM_CORE_H_
