#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_SCRIPTED_UPSTREAM_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_SCRIPTED_UPSTREAM_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/message.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

class UpstreamCore;  // sockets, sessions and streams; loop thread only

// One `tools/call` that a scripted upstream is serving. Loop thread only; a
// tool may keep it and go on later. Ends by Finish or FinishWithError, once.
class ToolCall : public std::enable_shared_from_this<ToolCall> {
 public:
  using OnReply = std::function<void(const Message& reply)>;

  ToolCall(std::weak_ptr<UpstreamCore> core, Message request,
           std::string session, int stream);

  const Message& request() const { return request_; }
  const std::string& session() const { return session_; }
  // An argument by its name, as Message::At.
  std::string Argument(const std::string& name) const;
  std::string RawArgument(const std::string& name) const;

  // Asks the client's side something on this call's stream; `params` may be
  // empty. Returns the id's lexeme.
  std::string Ask(const std::string& method, const std::string& params,
                  OnReply on_reply);
  // The same on the session's GET stream, if it has one.
  std::string AskOnGetStream(const std::string& method,
                             const std::string& params, OnReply on_reply);
  void Notify(const std::string& method, const std::string& params);
  // Nothing if the call carries no progressToken.
  void Progress(int done, int total, const std::string& message);
  void Finish(const std::string& result);
  void FinishWithText(const std::string& text);
  void FinishWithError(int code, const std::string& message);
  // With the `error` member as it stands.
  void FinishWithErrorObject(const std::string& error);
  // Called when the other side cancels this call.
  void OnCancel(std::function<void()> on_cancel) { on_cancel_ = on_cancel; }
  // Ends the stream without an answer, as a crash would.
  void Abandon();

 private:
  friend class UpstreamCore;
  const std::weak_ptr<UpstreamCore> core_;
  const Message request_;
  const std::string session_;
  const int stream_;
  std::function<void()> on_cancel_;
};

// A legacy MCP server over Streamable HTTP, whose tools are lambdas and which
// records all that reaches it. Serves any number of sessions and calls at once
// on the loop's thread.
//
// Thread-safe. The loop is borrowed and outlives it. Answers with JSON what a
// tool finishes at once, with a stream anything else. Its own request ids
// count from 0 in each session, as a naive server's do.
class ScriptedUpstream {
 public:
  struct Options {
    std::string name = "scripted";
    std::string revision = "2025-11-25";  // at most; older ones are granted
    std::string address = "127.0.0.1:0";
    bool always_stream = false;
  };
  // What came in: the message and the HTTP headers it came with.
  struct Received {
    Message message;
    std::map<std::string, std::string> headers;
  };
  using Tool = std::function<void(const std::shared_ptr<ToolCall>&)>;

  ScriptedUpstream(EventLoop* loop, Options options);
  ~ScriptedUpstream();

  // `definition` is the whole Tool object as tools/list is to show it.
  void AddTool(const std::string& name, const std::string& definition,
               Tool tool);
  void AddTool(const std::string& name, Tool tool);

  // Called on the loop's thread for a reply to nothing that is open.
  void OnUnasked(std::function<void(const Message&)> on_unasked);

  std::string url() const;
  std::string address() const;

  std::vector<Received> received() const;
  // Messages whose method is `method`.
  std::vector<Message> received(const std::string& method) const;
  // Replies to what it asked.
  std::vector<Message> replies() const;
  absl::StatusOr<Message> AwaitReceived(
      const std::string& method, size_t count = 1,
      absl::Duration timeout = kPatience) const;
  // So many replies to what it asked, in the order they came.
  absl::StatusOr<std::vector<Message>> AwaitReplies(
      size_t count, absl::Duration timeout = kPatience) const;

  // Its sessions' ids, oldest first, once it has so many with a GET stream.
  absl::StatusOr<std::vector<std::string>> AwaitListening(
      size_t count, absl::Duration timeout = kPatience) const;
  // On a session's GET stream, apart from any call.
  void AskSession(const std::string& session, const std::string& method,
                  const std::string& params);
  void NotifySession(const std::string& session, const std::string& method,
                     const std::string& params);

  size_t open_sessions() const;
  // Drops every connection and session, as a crash would; goes on listening.
  void Crash();

 private:
  EventLoop* const loop_;
  const std::shared_ptr<UpstreamCore> core_;
};

// The tools that most tests use, all driven by their arguments:
//   echo       the arguments come back as text
//   ask        {method, params, times}: asks that so often, one after another;
//              structuredContent.replies has what came back
//   ask_all    the same, all at once
//   ask_on_get the same once, on the session's GET stream
//   progress   {steps}: so many progress notifications, then text
//   hang       never answers
//   sum        two integers, as JSON only
void AddStandardTools(ScriptedUpstream& upstream);

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_SCRIPTED_UPSTREAM_H_
