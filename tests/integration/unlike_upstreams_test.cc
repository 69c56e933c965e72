// Upstreams that are right, or nearly so, each in a way of its own, as servers
// in use are: clients must not notice. Those that are wrong are in
// bad_input_upstream_test.cc.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/gatehouse.h"
#include "tests/integration/harness/program.h"
#include "tests/integration/harness/scripted_client.h"
#include "tests/integration/raw_upstream.h"

namespace gatehouse::testing {
namespace {

using Received = RawUpstream::Received;
using Wire = std::shared_ptr<Connection>;

constexpr char kSessionId[] = "their-session";
constexpr char kSampling[] = "sampling/createMessage";

std::string SamplingRequest(const std::string& id) {
  return Said(kSampling,
              R"({"messages":[{"role":"user","content":{"type":"text",)"
              R"("text":"hello"}}],"maxTokens":50})",
              id);
}

// The good answer, with a session id, and whatever else on its head.
bool AnswerWithSession(const Received& request, const Wire& wire) {
  if (request.message.method() != "initialize") return false;
  wire->Write(Sized("200 OK", "application/json",
                    RawUpstream::GoodMessage(request.message),
                    absl::StrCat("Mcp-Session-Id: ", kSessionId, "\r\n")));
  return true;
}

// The good answer to any request as a stream of events, those of `before`
// first.
bool AnswerWithEvents(const Received& request, const Wire& wire,
                      const std::string& before = "", bool then_close = true) {
  if (!request.message.IsRequest()) return false;
  const bool opening = request.message.method() == "initialize";
  wire->Write(absl::StrCat(
      StreamHead(opening ? absl::StrCat("Mcp-Session-Id: ", kSessionId, "\r\n")
                         : ""),
      before, Event(RawUpstream::GoodMessage(request.message))));
  if (then_close) wire->CloseAfterWriting();
  return true;
}

RawUpstream::Handler Always(const std::string& http_method,
                            const std::string& answer) {
  return [http_method, answer](const Received& request, const Wire& wire) {
    if (request.head.Method() != http_method) {
      return AnswerWithSession(request, wire);
    }
    wire->Write(answer);
    return true;
  };
}

// Answers what needs no answer: notifications and replies.
RawUpstream::Handler TakesWith(const std::string& answer,
                               bool then_close = false) {
  return [answer, then_close](const Received& request, const Wire& wire) {
    if (request.head.Method() != "POST" || request.message.IsRequest()) {
      return AnswerWithSession(request, wire);
    }
    wire->Write(answer);
    if (then_close) wire->CloseAfterWriting();
    return true;
  };
}

// ---- the rows

struct Unlike {
  const char* name;  // a sentence
  RawUpstream::Handler handler;
  const char* session = kSessionId;  // the id that it gives, or nothing
  const char* revision = "2025-11-25";
};

// For GoogleTest, which would print its bytes.
void PrintTo(const Unlike& row, std::ostream* out) { *out << row.name; }

bool RefuseACharset(const Received& request, const Wire& wire) {
  if (request.head.Method() != "POST" ||
      request.head.Header("content-type") == "application/json") {
    return AnswerWithSession(request, wire);
  }
  wire->Write(Sized("400 Bad Request", "text/plain",
                    "Invalid content type: must be 'application/json'\n"));
  return true;
}

bool GrantTheOldest(const Received& request, const Wire& wire) {
  if (request.message.method() != "initialize") return false;
  wire->Write(
      Sized("200 OK", "application/json",
            absl::StrCat(R"({"jsonrpc":"2.0","id":)", request.message.id(),
                         R"(,"result":{"protocolVersion":"2025-03-26",)"
                         R"("capabilities":{"tools":{"listChanged":true}},)"
                         R"("serverInfo":{"name":"old","version":"0.4.0"}}})"),
            absl::StrCat("Mcp-Session-Id: ", kSessionId, "\r\n")));
  return true;
}

// Notifications before each answer, of methods that concern no call and of
// some that nobody knows.
bool SayOddThings(const Received& request, const Wire& wire) {
  const std::string odd = absl::StrCat(
      ": hello\n\n", Event(Said("notifications/tools/list_changed")),
      Event(Said("notifications/resources/updated", R"({"uri":"test://a"})")),
      Event(Said("notifications/resources/list_changed", "{}")),
      Event(Said("notifications/prompts/list_changed")),
      Event(Said("notifications/message", R"({"level":"info","data":1})")),
      Event(Said("notifications/progress",
                 R"({"progressToken":"nobody's","progress":1})")),
      Event(Said("notifications/cancelled", R"({"requestId":99})")),
      Event(Said("notifications/of_the_future", R"([1,2])")),
      Event(Said("vendor/anything")));
  if (request.head.Method() == "GET") {
    wire->Write(StreamHead() + odd);  // and stays open
    return true;
  }
  return AnswerWithEvents(request, wire, odd);
}

// Its own requests count from 0 on every stream.
bool PingOnEveryStream(const Received& request, const Wire& wire) {
  if (request.head.Method() == "GET") {
    wire->Write(StreamHead() + Event(Said("ping", "", "0")));
    return true;
  }
  return AnswerWithEvents(request, wire, Event(Said("ping", "", "0")));
}

std::vector<Unlike> Rows() {
  const auto text = [](const std::string& status) {
    return Sized(status, "text/plain; charset=utf-8", "no, says the server\n");
  };
  const auto events = [](bool then_close) {
    return [then_close](const Received& request, const Wire& wire) {
      return AnswerWithEvents(request, wire, "", then_close);
    };
  };
  return {
      {"GivesASession", AnswerWithSession},
      {"GivesNoSession", nullptr, ""},
      {"AnswersAllWithEvents", events(/*then_close=*/true)},
      {"LeavesAnsweredStreamsOpen", events(/*then_close=*/false)},
      {"RefusesACharset", RefuseACharset},
      {"GrantsTheOldestWhateverIsAsked", GrantTheOldest, kSessionId,
       "2025-03-26"},
      {"SaysOddThingsAtOddMoments", SayOddThings},
      {"PingsWithId0OnEveryStream", PingOnEveryStream},
      {"AnswersGetWith405", Always("GET", text("405 Method Not Allowed"))},
      {"AnswersGetWith404", Always("GET", text("404 Not Found"))},
      {"AnswersGetWith400", Always("GET", text("400 Bad Request"))},
      {"AnswersGetWithHtml",
       Always("GET", Sized("200 OK", "text/html", "<p>hello</p>"))},
      {"TakesNoticesWith200", TakesWith(Sized("200 OK", "", ""))},
      {"TakesNoticesWith200AndJson",
       TakesWith(Sized("200 OK", "application/json", "{}"))},
      {"TakesNoticesWith200AndAStream", TakesWith(StreamHead(), true)},
      {"TakesNoticesWith202AndText",
       TakesWith(Sized("202 Accepted", "text/plain", "Accepted"))},
      {"TakesNoticesWith204", TakesWith("HTTP/1.1 204 No Content\r\n\r\n")},
      {"AnswersDeleteWith200", Always("DELETE", Sized("200 OK", "", ""))},
      {"AnswersDeleteWith204",
       Always("DELETE", "HTTP/1.1 204 No Content\r\n\r\n")},
      {"AnswersDeleteWith400", Always("DELETE", text("400 Bad Request"))},
      {"AnswersDeleteWith404", Always("DELETE", text("404 Not Found"))},
      {"AnswersDeleteWith405",
       Always("DELETE", text("405 Method Not Allowed"))},
      {"NeverAnswersDelete", Always("DELETE", "")},
  };
}

const std::vector<Unlike>& AllRows() {
  static const std::vector<Unlike>& rows = *new std::vector<Unlike>(Rows());
  return rows;
}

size_t CountOf(const std::vector<Received>& received,
               const std::string& http_method, const std::string& method = "") {
  return std::count_if(
      received.begin(), received.end(), [&](const Received& one) {
        return one.head.Method() == http_method &&
               (method.empty() || one.message.method() == method);
      });
}

// What a request of ours says of itself, whatever the upstream is like.
void ExpectWellFormed(const Received& request, const Unlike& row) {
  const HttpHead& head = request.head;
  const bool opening = request.message.method() == "initialize";
  const bool has_version =
      !opening && std::string_view(row.revision) != "2025-03-26";
  EXPECT_EQ(head.Header("mcp-session-id"), opening ? "" : row.session);
  // A reply to what it asked before it granted a revision has none.
  if (!request.message.IsResponse()) {
    EXPECT_EQ(head.Header("mcp-protocol-version"),
              has_version ? row.revision : "");
  }
  if (head.Method() == "POST") {
    EXPECT_EQ(head.Header("content-type"), "application/json");
    EXPECT_EQ(head.Header("accept"), "application/json, text/event-stream");
  } else if (head.Method() == "GET") {
    EXPECT_EQ(head.Header("accept"), "text/event-stream");
  }
}

// ---- the stage: one Gatehouse, a virtual server for each kind of upstream

class UnlikeStage {
 public:
  UnlikeStage() : upstream_(&loop_) {
    std::string policy;
    for (const Unlike& row : AllRows()) {
      const std::string server = absl::AsciiStrToLower(row.name);
      if (row.handler) upstream_.Handle("/" + server, row.handler);
      absl::StrAppend(&policy, policy.empty() ? "" : "\n---\n",
                      FullPolicy(server, upstream_.url() + "/" + server));
    }
    absl::StatusOr<std::unique_ptr<Gatehouse>> started =
        Gatehouse::Start(Gatehouse::Options{.policy = policy});
    EXPECT_TRUE(started.ok()) << started.status();
    if (!started.ok()) std::abort();  // no row says anything then
    gatehouse_ = *std::move(started);
  }

  std::unique_ptr<ScriptedClient> Connect(const std::string& server) {
    auto client = std::make_unique<ScriptedClient>(
        &loop_,
        ScriptedClient::Options{.address = gatehouse_->worker_address(0),
                                .virtual_server = server});
    EXPECT_TRUE(client->Initialize().ok());
    return client;
  }

  const RawUpstream& upstream() const { return upstream_; }

 private:
  EventLoop loop_;
  RawUpstream upstream_;
  std::unique_ptr<Gatehouse> gatehouse_;
};

void ExpectGoodCall(ScriptedClient& client) {
  const absl::StatusOr<Message> answer = client.CallTool("up__t", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/content/0/text"), "good") << answer->raw();
}

class UnlikeUpstreamTest : public ::testing::TestWithParam<Unlike> {
 protected:
  static void SetUpTestSuite() { stage_ = new UnlikeStage; }
  static void TearDownTestSuite() { delete stage_; }
  static UnlikeStage* stage_;
};
UnlikeStage* UnlikeUpstreamTest::stage_ = nullptr;

TEST_P(UnlikeUpstreamTest, ServesEveryClientAllTheSame) {
  const Unlike& row = GetParam();
  const std::string server = absl::AsciiStrToLower(row.name);
  const std::string path = "/" + server;
  const auto client = stage_->Connect(server);
  const absl::StatusOr<Message> tools = client->Request("tools/list", "{}");
  ASSERT_TRUE(tools.ok()) << tools.status();
  EXPECT_EQ(tools->At("/result/tools/0/name"), "up__t") << tools->raw();
  for (int i = 0; i < 3; ++i) ExpectGoodCall(*client);
  EXPECT_EQ(client->Delete(), 204);
  if (*row.session != '\0') {
    EXPECT_TRUE(stage_->upstream().AwaitReceived(
        path, [](const auto& all) { return CountOf(all, "DELETE") > 0; }));
  }
  // However that session ended, the next one is served.
  ExpectGoodCall(*stage_->Connect(server));

  const std::vector<Received> received = stage_->upstream().received(path);
  for (const Received& one : received) {
    SCOPED_TRACE(absl::StrCat(one.head.first_line, " ", one.message.raw()));
    ExpectWellFormed(one, row);
  }
  const size_t sessions = CountOf(received, "POST", "initialize");
  // No session was given up before its end, and none asks for a stream again
  // that the upstream does not have.
  EXPECT_LE(sessions, 3u);
  EXPECT_LE(CountOf(received, "GET"), sessions);
  if (*row.session == '\0') {
    EXPECT_EQ(CountOf(received, "DELETE"), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, UnlikeUpstreamTest,
                         ::testing::ValuesIn(AllRows()), [](const auto& row) {
                           return std::string(row.param.name);
                         });

// ---- one upstream, and what it does in the course of time

class UnlikeUpstreamStoryTest : public ::testing::Test {
 protected:
  void Start(RawUpstream::Handler handler) {
    upstream_.Handle("/dev", std::move(handler));
    StartWith(FullPolicy("dev", upstream_.url() + "/dev"));
  }
  void StartWith(const std::string& policy) {
    absl::StatusOr<std::unique_ptr<Gatehouse>> started =
        Gatehouse::Start(Gatehouse::Options{.policy = policy});
    ASSERT_TRUE(started.ok()) << started.status();
    gatehouse_ = *std::move(started);
    client_ = std::make_unique<ScriptedClient>(
        &loop_,
        ScriptedClient::Options{.address = gatehouse_->worker_address(0)});
  }

  size_t CountSeen(const std::string& method) const {
    return CountOf(upstream_.received("/dev"), "POST", method);
  }
  // Waits for that many messages that `is` is true of.
  bool AwaitSeen(size_t count, const std::function<bool(const Message&)>& is) {
    return upstream_.AwaitReceived("/dev", [&](const auto& all) {
      return std::count_if(all.begin(), all.end(), [&](const Received& one) {
               return is(one.message);
             }) >= static_cast<std::ptrdiff_t>(count);
    });
  }

  EventLoop loop_;
  RawUpstream upstream_{&loop_};
  std::unique_ptr<Gatehouse> gatehouse_;
  std::unique_ptr<ScriptedClient> client_;
};

// Defends invariant 5: an answer goes to the request that it answers. Ids are
// each side's own: the client's, the upstream's and ours may be equal.
TEST_F(UnlikeUpstreamStoryTest, IdsOfAllSidesMayBeTheSame) {
  Wire asking;
  std::string call_id;
  int replies = 0;
  Start([&](const Received& request, const Wire& wire) {
    if (request.message.method() == "tools/call") {
      asking = wire;
      call_id = request.message.id();
      wire->Write(absl::StrCat(StreamHead(), Event(SamplingRequest("0")),
                               Event(SamplingRequest(call_id))));
      return true;
    }
    if (request.message.IsResponse() && ++replies == 2) {
      asking->Write(Event(absl::StrCat(
          R"({"jsonrpc":"2.0","id":)", call_id,
          R"(,"result":{"content":[{"type":"text","text":"good"}]}})")));
      asking->CloseAfterWriting();
    }
    return AnswerWithSession(request, wire);
  });
  ASSERT_TRUE(client_->Initialize().ok());
  client_->OnAsked(kSampling,
                   [](const Message&) { return SamplingReply("hi"); });
  const auto call =
      client_->Post(R"({"jsonrpc":"2.0","id":0,"method":"tools/call",)"
                    R"("params":{"name":"up__t","arguments":{}}})");
  const absl::StatusOr<Message> answer = call->AwaitResponse("0");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/result/content/0/text"), "good") << answer->raw();
  for (const std::string& id : {std::string("0"), call_id}) {
    std::vector<Message> answers;
    for (const Received& one : upstream_.received("/dev")) {
      if (one.message.IsResponse() && one.message.id() == id) {
        answers.push_back(one.message);
      }
    }
    ASSERT_EQ(answers.size(), 1u) << id;
    EXPECT_EQ(answers[0].At("/result/content/text"), "hi") << answers[0].raw();
  }
}

// As server-everything does, 350 ms after the handshake. No call is in flight,
// and this client has no stream of its own on which it could be asked: the
// upstream is told so, once (invariant 5).
TEST_F(UnlikeUpstreamStoryTest, RootsListOnTheGetStreamIsAnsweredOnce) {
  Start([](const Received& request, const Wire& wire) {
    if (request.head.Method() != "GET") return AnswerWithSession(request, wire);
    wire->Write(StreamHead() + Event(Said("roots/list", "", "0")));
    return true;
  });
  ASSERT_TRUE(client_->Initialize().ok());
  ExpectGoodCall(*client_);
  const auto is_reply = [](const Message& message) {
    return message.IsResponse() && message.id() == "0";
  };
  ASSERT_TRUE(AwaitSeen(1, is_reply));
  ExpectGoodCall(*client_);
  const std::vector<Received> all = upstream_.received("/dev");
  size_t replies = 0;
  for (const Received& one : all) {
    if (!is_reply(one.message)) continue;
    ++replies;
    EXPECT_EQ(one.message.At("/error/data/reason"), "operation_ended")
        << one.message.raw();
  }
  EXPECT_EQ(replies, CountOf(all, "GET"));
}

TEST_F(UnlikeUpstreamStoryTest, ACancelledCallsStreamThatNeverEndsIsCut) {
  Wire hanging;
  Start([&](const Received& request, const Wire& wire) {
    if (request.message.At("/params/arguments/hang") != "true") {
      return AnswerWithSession(request, wire);
    }
    hanging = wire;
    wire->Write(StreamHead() + ": at work\n\n");
    return true;
  });
  ASSERT_TRUE(client_->Initialize().ok());
  ExpectGoodCall(*client_);
  const size_t sessions = CountSeen("initialize");
  const ClientCall call = client_->StartTool("up__t", R"({"hang":true})");
  ASSERT_TRUE(AwaitSeen(1, [](const Message& message) {
    return message.At("/params/arguments/hang") == "true";
  }));
  EXPECT_EQ(client_->Notify("notifications/cancelled",
                            absl::StrCat("{\"requestId\":", call.id, "}")),
            202);
  ASSERT_TRUE(AwaitSeen(1, [](const Message& message) {
    return message.method() == "notifications/cancelled";
  }));
  ExpectGoodCall(*client_);  // beside it
  EXPECT_TRUE(Eventually(kPatience, [&] {
    bool cut = false;
    loop_.Run([&] { cut = hanging->closed(); });
    return cut;
  }));
  ExpectGoodCall(*client_);
  EXPECT_EQ(CountSeen("initialize"), sessions);
  loop_.Run([&] { hanging.reset(); });
}

// As some clients do, who ask whether there is a stream.
TEST_F(UnlikeUpstreamStoryTest, AClientMayGetBeforeItInitializes) {
  Start(AnswerWithSession);
  EXPECT_EQ(client_->OpenStream()->Status().value_or(0), 400);
  ASSERT_TRUE(client_->Initialize().ok());
  ExpectGoodCall(*client_);
  EXPECT_EQ(client_->OpenStream()->Status().value_or(0), 200);
}

// An upstream that was restarted knows its sessions no more.
struct Forgetful {
  const char* name;
  std::string answer;  // to a session that it does not know
};

class ForgetfulUpstreamTest : public UnlikeUpstreamStoryTest,
                              public ::testing::WithParamInterface<Forgetful> {
 protected:
  // `with_stream`: it has a GET stream.
  void StartForgetful(bool with_stream) {
    Start([this, with_stream](const Received& request, const Wire& wire) {
      if (request.message.method() == "initialize") {
        known_ = absl::StrCat("session-", ++sessions_);
        wire->Write(Sized("200 OK", "application/json",
                          RawUpstream::GoodMessage(request.message),
                          absl::StrCat("Mcp-Session-Id: ", known_, "\r\n")));
        return true;
      }
      if (request.head.Header("mcp-session-id") != known_) {
        wire->Write(GetParam().answer);
        return true;
      }
      if (request.head.Method() != "GET" || !with_stream) return false;
      stream_ = wire;
      wire->Write(StreamHead("X-Of: a stream\r\n") + ": hello\n\n");
      return true;
    });
  }
  void TearDown() override {
    loop_.Run([&] { stream_.reset(); });
  }

  // On the loop's thread.
  std::string known_;
  int sessions_ = 0;
  Wire stream_;
};

TEST_P(ForgetfulUpstreamTest, IsMetAnewAfterOneFailedCall) {
  StartForgetful(/*with_stream=*/false);
  ASSERT_TRUE(client_->Initialize().ok());
  ExpectGoodCall(*client_);
  loop_.Run([&] { known_.clear(); });
  const absl::StatusOr<Message> answer = client_->CallTool("up__t", "{}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->At("/error/data/reason"), "upstream_unavailable")
      << answer->raw();
  ExpectGoodCall(*client_);
  ExpectGoodCall(*client_);
}

// Its GET stream ends with it, and where that is opened again it says so: then
// no call has to fail.
TEST_P(ForgetfulUpstreamTest, IsMetAnewWithoutAFailedCallIfItsStreamEnded) {
  StartForgetful(/*with_stream=*/true);
  ASSERT_TRUE(client_->Initialize().ok());
  ExpectGoodCall(*client_);
  const auto count_gets = [this] {
    return CountOf(upstream_.received("/dev"), "GET");
  };
  ASSERT_TRUE(upstream_.AwaitReceived(
      "/dev", [](const auto& all) { return CountOf(all, "GET") > 0; }));
  const size_t gets = count_gets();
  loop_.Run([&] {
    known_.clear();
    stream_->Close();
  });
  ASSERT_TRUE(upstream_.AwaitReceived(
      "/dev", [gets](const auto& all) { return CountOf(all, "GET") > gets; }));
  ExpectGoodCall(*client_);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ForgetfulUpstreamTest,
    ::testing::ValuesIn<Forgetful>(
        {{"Says404AsText",
          Sized("404 Not Found", "text/plain", "session not found\n")},
         {"Says404AsJson",
          Sized("404 Not Found", "application/json",
                R"({"jsonrpc":"2.0","error":{"code":-32001,)"
                R"("message":"Session not found"},"id":null})")},
         {"Says400AsJson",
          Sized("400 Bad Request", "application/json",
                R"({"jsonrpc":"2.0","error":{"code":-32000,"message":)"
                R"("Bad Request: No valid session ID provided"},"id":null})")},
         {"Says400AsText",
          Sized("400 Bad Request", "text/plain", "Invalid session ID\n")}}),
    [](const auto& row) { return std::string(row.param.name); });

// As server-everything does over stdio.
TEST_F(UnlikeUpstreamStoryTest, FiveListChangesRightAfterInitializeOverStdio) {
  const TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0755));
  const std::string script = dir.path() + "/upstream.sh";
  std::ofstream(script) << R"sh(
say() { printf '%s\n' "$1"; }
notice() { say "{\"jsonrpc\":\"2.0\",\"method\":\"$1\"}"; }
result() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
notice notifications/of_the_future
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}
  case $line in
    *'"method":"initialize"'*)
      notice notifications/message
      result '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sh","version":"1"}}'
      for i in 1 2 3 4 5; do notice notifications/tools/list_changed; done ;;
    *'"method":"tools/list"'*)
      notice notifications/resources/list_changed
      result '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      notice vendor/anything
      result '{"content":[{"type":"text","text":"good"}]}' ;;
  esac
done
)sh";
  StartWith(
      absl::StrCat("kind: VirtualServer\nname: dev\nupstreams:\n  - name: up\n"
                   "    stdio: { command: [/bin/sh, \"",
                   script, "\"], env: { LANG: C.UTF-8 }",
                   geteuid() == 0 ? ", runAs: nobody" : "", " }\n"));
  ASSERT_TRUE(client_->Initialize().ok());
  const absl::StatusOr<Message> tools = client_->Request("tools/list", "{}");
  ASSERT_TRUE(tools.ok()) << tools.status();
  EXPECT_EQ(tools->At("/result/tools/0/name"), "up__t") << tools->raw();
  for (int i = 0; i < 3; ++i) ExpectGoodCall(*client_);
}

}  // namespace
}  // namespace gatehouse::testing
