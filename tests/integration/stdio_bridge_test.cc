// `gatehousectl stdio`: a host that only launches commands has all that a
// client over HTTP has, and is told what is wrong. What upstreams ask passes
// the control plane on the way (DESIGN §1, invariants 1 and 9: the worker's
// verdict road is the same, and bytes pass unchanged).

#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/cli_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::HasSubstr;

// A host: writes lines, reads lines, and keeps what it does not wait for.
class Host {
 public:
  explicit Host(std::unique_ptr<Conversation> program)
      : program_(std::move(program)) {}

  void Send(const std::string& message) {
    const absl::Status said = program_->Say(message + "\n");
    EXPECT_TRUE(said.ok()) << said;
  }
  void Request(const std::string& id, const std::string& method,
               const std::string& params) {
    Send(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":")", method,
                      R"(","params":)", params, "}"));
  }
  void Call(const std::string& id, const std::string& tool,
            const std::string& arguments, const std::string& meta = "{}") {
    Request(id, "tools/call",
            absl::StrCat(R"({"name":")", tool, R"(","arguments":)", arguments,
                         R"(,"_meta":)", meta, "}"));
  }
  void Answer(const Message& request, const std::string& result) {
    Send(absl::StrCat(R"({"jsonrpc":"2.0","id":)", request.id(),
                      R"(,"result":)", result, "}"));
  }

  // The next message that `matches`; those before it are kept.
  std::optional<Message> Await(
      const std::function<bool(const Message&)>& matches) {
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
      if (!matches(*it)) continue;
      const Message found = *it;
      kept_.erase(it);
      return found;
    }
    for (;;) {
      const absl::StatusOr<std::string> line = program_->AwaitLine();
      EXPECT_TRUE(line.ok()) << line.status();
      if (!line.ok()) return std::nullopt;
      Message message(*line);
      EXPECT_EQ(message.At("/jsonrpc"), "2.0") << *line;
      if (matches(message)) return message;
      kept_.push_back(std::move(message));
    }
  }
  Message Response(const std::string& id) {
    return Await([&id](const Message& m) {
             return m.IsResponse() && m.id() == id;
           })
        .value_or(Message(""));
  }
  Message Asked(const std::string& method) {
    return Await([&method](const Message& m) {
             return m.IsRequest() && m.method() == method;
           })
        .value_or(Message(""));
  }
  size_t Kept(const std::string& method) const {
    size_t count = 0;
    for (const Message& message : kept_) count += message.method() == method;
    return count;
  }

  // The handshake, ids as naive hosts have them: from 0.
  Message Initialize() {
    Request("0", "initialize",
            R"({"protocolVersion":"2025-11-25","capabilities":{"sampling":{},)"
            R"("elicitation":{},"roots":{}},"clientInfo":{"name":"host",)"
            R"("version":"1"}})");
    const Message response = Response("0");
    Send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return response;
  }

  Conversation& program() { return *program_; }

 private:
  const std::unique_ptr<Conversation> program_;
  std::vector<Message> kept_;
};

class StdioBridgeTest : public CliStage {
 protected:
  Host StartHost(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"stdio", "dev"};
    words.insert(words.end(), more.begin(), more.end());
    return Host(Run(std::move(words)));
  }
};

TEST_F(StdioBridgeTest, CallsAreServedSideBySideAndQuestionsPass) {
  Host host = StartHost();
  const Message opened = host.Initialize();
  EXPECT_EQ(opened.At("/result/protocolVersion"), "2025-11-25") << opened.raw();

  // While one call waits for the host's model, another runs to its end.
  host.Call("5", "demo__summarize", R"({"text":"All of it."})");
  const Message asked = host.Asked("sampling/createMessage");
  EXPECT_EQ(asked.At("/params/messages/0/content/text"),
            "Summarize: All of it.");
  EXPECT_EQ(asked.At("/params/_meta/io.gatehouse~1origin/upstream"), "demo");
  host.Call(R"("six")", "other__count", R"({"to":3})",
            R"({"progressToken":7})");
  const Message counted = host.Response(R"("six")");
  EXPECT_EQ(counted.At("/result/content/0/text"), "Counted to 3.");
  EXPECT_EQ(host.Kept("notifications/progress"), 3u);
  host.Answer(
      asked, R"({"role":"assistant","content":{"type":"text","text":"Short."},)"
             R"("model":"m","n":9007199254740993})");
  const Message summary = host.Response("5");
  EXPECT_THAT(summary.At("/result/content/0/text"), HasSubstr("Short."));
  EXPECT_THAT(summary.raw(), HasSubstr("9007199254740993"));
}

TEST_F(StdioBridgeTest, FormsAndRootsAreAnsweredByTheHost) {
  Host host = StartHost();
  host.Initialize();
  host.Call("1", "demo__book_table", R"({"restaurant":"Ada's"})");
  host.Answer(host.Asked("elicitation/create"),
              R"({"action":"accept","content":{"name":"Ada","guests":2,)"
              R"("day":"2027-01-31"}})");
  EXPECT_THAT(host.Response("1").At("/result/content/0/text"),
              HasSubstr(R"("guests":2)"));
  host.Call("2", "demo__list_folders", "{}");
  host.Answer(host.Asked("roots/list"),
              R"({"roots":[{"uri":"file:///srv/ada","name":"ada"}]})");
  EXPECT_THAT(host.Response("2").At("/result/content/0/text"),
              HasSubstr("file:///srv/ada"));
}

TEST_F(StdioBridgeTest, ItEndsWithItsSessionWhenTheHostClosesStdin) {
  Host host = StartHost();
  host.Initialize();
  host.Request("1", "ping", "{}");
  EXPECT_TRUE(host.Response("1").Has("/result"));
  EXPECT_EQ(OpenSessions(), 1u);
  host.program().CloseInput();
  EXPECT_EQ(host.program().AwaitExit().value_or(-1), 0);
  EXPECT_TRUE(Eventually(kPatience, [&] { return OpenSessions() == 0; }));
}

TEST_F(StdioBridgeTest, WhatIsPipedInAtOnceIsAnsweredInFull) {
  Host host = StartHost();
  host.Send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
            R"("protocolVersion":"2025-06-18","capabilities":{},"clientInfo":)"
            R"({"name":"script","version":"1"}}})"
            "\n"
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
            "\n"
            R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":)"
            R"({"name":"demo__count","arguments":{"to":2}}})");
  host.program().CloseInput();
  EXPECT_EQ(host.Response("2").At("/result/content/0/text"), "Counted to 2.");
  EXPECT_EQ(host.program().AwaitExit().value_or(-1), 0);
}

TEST_F(StdioBridgeTest, ACancelledCallGetsNoAnswerAndIsEnded) {
  Host host = StartHost();
  host.Initialize();
  host.Call("1", "demo__summarize", R"({"text":"x"})");
  const Message asked = host.Asked("sampling/createMessage");
  host.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)"
            R"({"requestId":1}})");
  // The gateway withdraws its question, so the cancel arrived.
  host.Await([&asked](const Message& m) {
    return m.method() == "notifications/cancelled" &&
           m.RawAt("/params/requestId") == asked.id();
  });
  host.Request("2", "ping", "{}");
  EXPECT_TRUE(host.Response("2").Has("/result"));
  EXPECT_THAT(host.program().heard(), ::testing::Not(HasSubstr(R"("id":1,)")));
}

TEST_F(StdioBridgeTest, ASessionThatIsLostIsToldOf) {
  Host host = StartHost();
  host.Initialize();
  auto api = gatehouse_->Api("operator");
  const auto sessions = api.Sessions();
  ASSERT_TRUE(sessions.ok() && sessions->size() == 1);
  const auto stub = v1::SessionService::NewStub(api.channel());
  v1::CloseSessionRequest request;
  request.set_name(sessions->front().name());
  request.set_cause("operator");
  v1::CloseSessionResponse response;
  const auto context = api.Context();
  const grpc::Status closed =
      stub->CloseSession(context.get(), request, &response);
  ASSERT_TRUE(closed.ok()) << closed.error_message();
  Message answer("");
  ASSERT_TRUE(Eventually(kPatience, [&] {
    host.Request("1", "tools/list", "{}");
    answer = host.Response("1");
    // A call that is under way when the session ends is told so by the worker.
    return answer.At("/error/message").find("the session is lost") !=
           std::string::npos;
  })) << answer.raw();
  EXPECT_THAT(answer.At("/error/message"), HasSubstr("restart this server"));
}

TEST_F(StdioBridgeTest, AWorkerThatIsAwayIsAnErrorThatSaysWhatToDo) {
  gatehouse_->KillWorker(0);
  Host host = StartHost();
  host.Request("0", "initialize", "{}");
  const Message answer = host.Response("0");
  EXPECT_EQ(answer.At("/error/code"), "-32603");
  EXPECT_THAT(answer.At("/error/message"), HasSubstr("./tools/up"));
  EXPECT_THAT(answer.At("/error/message"), HasSubstr("--url"));
}

TEST_F(StdioBridgeTest, LinesThatAreNoMessagesAreRefusedAndTheRestGoesOn) {
  Host host = StartHost();
  host.Send("this is no JSON");
  EXPECT_EQ(host.Await([](const Message& m) { return m.Has("/error"); })
                .value_or(Message(""))
                .At("/error/code"),
            "-32700");
  host.Send(std::string((4 << 20) + 1, 'x'));
  EXPECT_THAT(host.Await([](const Message& m) { return m.Has("/error"); })
                  .value_or(Message(""))
                  .At("/error/message"),
              HasSubstr("over 4 MiB"));
  EXPECT_TRUE(host.Initialize().Has("/result"));
}

TEST_F(StdioBridgeTest, AVirtualServerThatIsNotThereIsNamed) {
  auto program = Run({"stdio", "nowhere"});
  Host host(std::move(program));
  host.Request("0", "initialize",
               R"({"protocolVersion":"2025-11-25","capabilities":{},)"
               R"("clientInfo":{"name":"host","version":"1"}})");
  EXPECT_THAT(host.Response("0").At("/error/message"),
              HasSubstr("there is no virtual server of that name"));
}

TEST_F(StdioBridgeTest, ATermSignalEndsItAndItsSession) {
  Host host = StartHost();
  host.Initialize();
  host.Call("1", "demo__summarize", R"({"text":"x"})");
  host.Asked("sampling/createMessage");
  kill(host.program().pid(), SIGTERM);
  EXPECT_EQ(host.program().AwaitExit().value_or(-1), 0);
  EXPECT_TRUE(Eventually(kPatience, [&] { return OpenSessions() == 0; }));
}

TEST_F(StdioBridgeTest, ItOutlivesARestartOfTheWorkerAndHearsItsNotices) {
  Host host = StartHost();
  host.Initialize();
  host.Request("0", "ping", "{}");
  host.Response("0");
  gatehouse_->KillWorker(0);
  ASSERT_TRUE(gatehouse_->StartWorker(0).ok());
  host.Call("1", "demo__count", R"({"to":1})");
  EXPECT_EQ(host.Response("1").At("/result/content/0/text"), "Counted to 1.");
  // The GET stream is opened again by itself; nothing says when.
  int deadline_s = 20;
  EXPECT_TRUE(Eventually(kPatience, [&] {
    reply_deadline_ = absl::StrCat(++deadline_s, "s");
    EXPECT_TRUE(gatehouse_->Api("operator").Apply(Policy()).ok());
    return host.program()
        .Await("notifications/tools/list_changed", absl::Milliseconds(300))
        .ok();
  }));
}

class StdioBridgeTokenTest : public StdioBridgeTest {
 protected:
  void SetUp() override {
    Gatehouse::Options options;
    options.clients = {{"ada", "a-token-of-ada"}};
    StartWith(std::move(options));
    ASSERT_TRUE(WriteFile(token_file(), "a-token-of-ada\n").ok());
  }
  std::string token_file() const { return dir_.path() + "/ada.token"; }
};

// What is not everybody's to know is not on the front page either.
TEST_F(StdioBridgeTokenTest, TheFrontPageNamesNoVirtualServer) {
  EXPECT_THAT(FrontPage(),
              ::testing::AllOf(HasSubstr("200 OK"), HasSubstr("/mcp/NAME"),
                               ::testing::Not(HasSubstr("dev"))));
}

TEST_F(StdioBridgeTokenTest, AWorkerThatWantsATokenSaysSoAndTakesIt) {
  Host stranger = StartHost();
  stranger.Request("0", "initialize", "{}");
  EXPECT_THAT(stranger.Response("0").At("/error/message"),
              HasSubstr("--token-file"));
  Host ada = StartHost({"--token-file", token_file()});
  EXPECT_TRUE(ada.Initialize().Has("/result"));
}

}  // namespace
}  // namespace gatehouse::testing
