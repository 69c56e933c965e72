#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/upstream/upstream_rig.h"

namespace gatehouse::upstream {
namespace {

using relay::Attribution;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A legacy upstream in the shell; its tools behave by name. It tells its
// process id in every answer.
constexpr char kUpstream[] = R"sh(
say() { printf '%s\n' "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{\"pid\":$$,\"v\":\"$2\"}}"; }
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case "$line" in
    *'"method":"initialize"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"f\",\"version\":\"1\"}}}";;
    *'"id":"q"'*) answer "$asker" "$(printf %s "$line" | tr -d '\\"')";;
    *notifications/cancelled*) if [ -n "$slow" ]; then answer "$slow" late; slow=; fi;;
    *'"name":"ask"'*) asker=$id
      say '{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}';;
    *'"name":"done"'*)
      say '{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"theirs"}}'
      answer "$id" ok;;
    *'"name":"crash"'*) exit 3;;
    *'"name":"hang"'*) ;;
    *'"name":"slow"'*) slow=$id;;
    *'"name":"noise"'*) echo 'starting up...'; echo 'oops' >&2; answer "$id" quiet;;
    *'"name":"broken"'*) say '{"jsonrpc":"2.0","id":';;
    *'"name":"env"'*) answer "$id" "$GATEHOUSE_TEST-$HOME";;
    *'"method":"tools/list"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"echo\"}]}}";;
    *'"method":"tools/call"'*) answer "$id" ok;;
  esac
done
)sh";

std::string PidOf(const std::string& result) {
  const size_t start = result.find(':') + 1;
  return result.substr(start, result.find(',') - start);
}

TEST(StdioSessionTest, CallsGoThroughOneProcess) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto one = rig.Call(target, "echo");
  const auto two = rig.Call(target, "echo");
  ASSERT_TRUE(one.observer->AwaitEnd());
  ASSERT_TRUE(two.observer->AwaitEnd());
  ASSERT_FALSE(one.observer->ends[0].result.empty())
      << one.observer->ends[0].failure.message << rig.log();
  EXPECT_EQ(one.observer->ends[0].result, two.observer->ends[0].result);
}

// What takes connections and says nothing.
class SilentListener {
 public:
  SilentListener() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size),
              0);
    url_ = absl::StrCat("http://127.0.0.1:", ntohs(address.sin_port), "/mcp");
  }
  ~SilentListener() { close(fd_); }
  const std::string& url() const { return url_; }

 private:
  const int fd_;
  std::string url_;
};

// A named pipe that every user may use.
class NamedPipe {
 public:
  NamedPipe() {
    char folder[] = "/tmp/gatehouse-pipe-XXXXXX";
    EXPECT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    path_ = folder_ + "/pipe";
    EXPECT_EQ(chmod(folder, 0755), 0);
    EXPECT_EQ(mkfifo(path_.c_str(), 0666), 0);
    EXPECT_EQ(chmod(path_.c_str(), 0666), 0);
    fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_GE(fd_, 0);
  }
  ~NamedPipe() {
    close(fd_);
    unlink(path_.c_str());
    rmdir(folder_.c_str());
  }
  const std::string& path() const { return path_; }
  bool Say(const std::string& line) {
    return write(fd_, line.data(), line.size()) ==
           static_cast<ssize_t>(line.size());
  }
  // Waits up to ten seconds until somebody has said something.
  bool AwaitAnything() {
    pollfd waiting = {.fd = fd_, .events = POLLIN, .revents = 0};
    return poll(&waiting, 1, 10'000) == 1;
  }

 private:
  std::string folder_;
  std::string path_;
  int fd_ = -1;
};

// A program may have to be fetched, or compiled, before it can say anything.
TEST(StdioSessionTest, AProcessMayTakeLongerToOpenThanAServerOnTheNet) {
  NamedPipe started;
  NamedPipe gate;
  UpstreamsOptions options;
  options.open_timeout = absl::Milliseconds(50);
  UpstreamRig rig(options);
  const auto slow = rig.Call(rig.StdioTarget(absl::StrCat(
                                 "echo I am > ", started.path(), "\nread go < ",
                                 gate.path(), "\n", kUpstream)),
                             "echo");
  ASSERT_TRUE(started.AwaitAnything()) << rig.log();
  const SilentListener listener;
  relay::UpstreamTarget silent;
  silent.virtual_server = "dev";
  silent.upstream = "web";
  silent.http_url = listener.url();
  const auto late = rig.Call(silent, "echo");
  ASSERT_TRUE(late.observer->AwaitEnd());
  EXPECT_EQ(late.observer->ends[0].failure.reason, Reason::kUpstreamTimeout);
  ASSERT_TRUE(gate.Say("go\n"));
  ASSERT_TRUE(slow.observer->AwaitEnd());
  EXPECT_THAT(slow.observer->ends[0].result, HasSubstr("ok"))
      << slow.observer->ends[0].failure.message << rig.log();
}

TEST(StdioSessionTest, OneProcessNeverServesTwoBeneficiaries) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto one = rig.Call(target, "echo");
  const auto two = rig.Call(target, "echo", {}, absl::Seconds(30), "other");
  ASSERT_TRUE(one.observer->AwaitEnd());
  ASSERT_TRUE(two.observer->AwaitEnd());
  EXPECT_NE(PidOf(one.observer->ends[0].result),
            PidOf(two.observer->ends[0].result));
}

TEST(StdioSessionTest, ItsEnvironmentIsThePolicysAlone) {
  UpstreamRig rig;
  relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  target.env = {{"GATEHOUSE_TEST", "given"}};
  const auto [call, observer] = rig.Call(target, "env");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_THAT(observer->ends[0].result, HasSubstr(R"("v":"given-")"));
}

// Attribution (DESIGN §9), for invariants 1 and 7: with a feature offered, one
// eligible call at a time, so that a question has one possible parent.
TEST(StdioSessionTest, AskingCallsTakeTurnsAndEachQuestionHasItsCall) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto first = rig.Call(target, "ask", AllFeatures());
  const auto second = rig.Call(target, "ask", AllFeatures());
  ASSERT_TRUE(first.observer->AwaitAsked());
  EXPECT_EQ(first.observer->asked[0].attribution, Attribution::kOnlyCall);
  EXPECT_EQ(first.observer->asked[0].request.key, "\"q\"");
  EXPECT_EQ(first.observer->asked[0].revision, mcp::Revision::k2025_06_18);
  ASSERT_THAT(second.observer->asked, IsEmpty());

  relay::UpstreamReply reply;
  reply.result = R"({"said":"first"})";
  first.call->Reply("\"q\"", reply, nullptr);
  ASSERT_TRUE(first.observer->AwaitEnd());
  EXPECT_THAT(first.observer->ends[0].result, HasSubstr("said:first"));

  ASSERT_TRUE(second.observer->AwaitAsked());
  reply = {};
  reply.is_error = true;
  reply.code = -1;
  reply.message = "declined";
  second.call->Reply("\"q\"", reply, nullptr);
  ASSERT_TRUE(second.observer->AwaitEnd());
  EXPECT_THAT(second.observer->ends[0].result, HasSubstr("code:-1"));
  EXPECT_EQ(PidOf(first.observer->ends[0].result),
            PidOf(second.observer->ends[0].result));
}

// Over a pipe a completion comes between the messages of any call.
TEST(StdioSessionTest, ACompletionIsToldWhicheverCallItComesIn) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto asked = rig.Call(target, "echo", AllFeatures());
  ASSERT_TRUE(asked.observer->AwaitEnd());
  Watched watched;
  int told = 0;
  asked.call->ExpectCompletion("theirs",
                               [&] { watched.Change([&] { ++told; }); });
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(rig.Call(target, "done", AllFeatures()).observer->AwaitEnd());
  }
  EXPECT_TRUE(watched.Await([&] { return told == 1; }));
}

TEST(StdioSessionTest, WithoutFeaturesCallsRunBesideEachOther) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto hanging = rig.Call(target, "hang");
  const auto quick = rig.Call(target, "echo");
  ASSERT_TRUE(quick.observer->AwaitEnd()) << rig.log();
  EXPECT_FALSE(quick.observer->ends[0].result.empty());
  EXPECT_FALSE(hanging.observer->ended());
}

TEST(StdioSessionTest, ACancelledCallKeepsItsTurnUntilItIsAnswered) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto warm = rig.Call(target, "echo", AllFeatures());
  ASSERT_TRUE(warm.observer->AwaitEnd());
  const auto slow = rig.Call(target, "slow", AllFeatures());
  const auto next = rig.Call(target, "echo", AllFeatures());
  slow.call->Cancel("enough");
  ASSERT_TRUE(slow.observer->AwaitEnd());
  EXPECT_EQ(slow.observer->ends[0].failure.reason, Reason::kOperationEnded);
  ASSERT_TRUE(next.observer->AwaitEnd());
  // Answered, so the process stays.
  EXPECT_EQ(PidOf(next.observer->ends[0].result),
            PidOf(warm.observer->ends[0].result));
}

TEST(StdioSessionTest, AProcessThatLeavesACancelledCallUnansweredIsRetired) {
  UpstreamsOptions options;
  options.cancel_grace = absl::Milliseconds(100);
  UpstreamRig rig(options);
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto warm = rig.Call(target, "echo", AllFeatures());
  ASSERT_TRUE(warm.observer->AwaitEnd());
  const auto hanging = rig.Call(target, "hang", AllFeatures());
  const auto next = rig.Call(target, "echo", AllFeatures());
  hanging.call->Cancel("enough");
  ASSERT_TRUE(next.observer->AwaitEnd());
  ASSERT_FALSE(next.observer->ends[0].result.empty())
      << next.observer->ends[0].failure.message;
  EXPECT_NE(PidOf(next.observer->ends[0].result),
            PidOf(warm.observer->ends[0].result));
}

TEST(StdioSessionTest, ACallThatTimesOutSaysSo) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  const auto [call, observer] =
      rig.Call(target, "hang", {}, absl::Milliseconds(100));
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamTimeout);
}

TEST(StdioSessionTest, ACrashFailsItsCallAndTheNextGetsANewProcess) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto crash = rig.Call(target, "crash");
  ASSERT_TRUE(crash.observer->AwaitEnd());
  EXPECT_EQ(crash.observer->ends[0].failure.reason,
            Reason::kUpstreamUnavailable);
  const auto next = rig.Call(target, "echo");
  ASSERT_TRUE(next.observer->AwaitEnd());
  EXPECT_FALSE(next.observer->ends[0].result.empty());
}

TEST(StdioSessionTest, AfterThreeCrashesTheUpstreamIsLeftAlone) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(rig.Call(target, "crash").observer->AwaitEnd());
  }
  const auto [call, observer] = rig.Call(target, "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamUnavailable);
  EXPECT_THAT(rig.log(), HasSubstr("crashed too often"));
}

TEST(StdioSessionTest, APrintOnStdoutIsLoggedAndDoesNoHarm) {
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.StdioTarget(kUpstream), "noise");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_THAT(observer->ends[0].result, HasSubstr("quiet"));
  EXPECT_THAT(rig.log(), HasSubstr("no MCP message"));
}

TEST(StdioSessionTest, ABrokenMessageIsAProtocolError) {
  UpstreamRig rig;
  const auto [call, observer] = rig.Call(rig.StdioTarget(kUpstream), "broken");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamProtocolError);
}

TEST(StdioSessionTest, AProgramThatIsNotThereIsUnavailable) {
  UpstreamRig rig;
  relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  target.command = {"/nowhere/gatehouse-upstream"};
  const auto [call, observer] = rig.Call(target, "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamUnavailable);
  EXPECT_THAT(observer->ends[0].failure.message, Not(HasSubstr("nowhere")));
}

// It may say what it likes, but not fill the operator's log with it.
TEST(StdioSessionTest, AFloodOnItsStderrIsCut) {
  UpstreamRig rig;
  const std::string flood =
      "i=0; while [ $i -lt 2000 ]; do echo noise >&2; i=$((i+1)); done\n";
  const relay::UpstreamTarget target =
      rig.StdioTarget(absl::StrCat(flood, kUpstream));
  const auto [call, observer] = rig.Call(target, "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  const std::string log = rig.log();
  size_t lines = 0;
  for (size_t at = log.find("noise"); at != std::string::npos;
       at = log.find("noise", at + 1)) {
    ++lines;
  }
  EXPECT_GE(lines, 1u);
  EXPECT_LT(lines, 1000u);
}

// DESIGN §16: a stdio upstream is a stranger.
TEST(StdioSessionTest, AUserThatDoesNotFitTheWorkersIsRefusedWithAdvice) {
  UpstreamRig rig;
  relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  target.run_as = geteuid() == 0 ? "" : "nobody";
  const auto [call, observer] = rig.Call(target, "echo");
  ASSERT_TRUE(observer->AwaitEnd());
  EXPECT_EQ(observer->ends[0].failure.reason, Reason::kUpstreamUnavailable);
  EXPECT_THAT(rig.log(), HasSubstr("runAs"));
}

// A client that opens a session for each command must not use up the places.
TEST(StdioSessionTest, AtTheLimitAnIdleProcessMakesPlace) {
  UpstreamsOptions options;
  options.max_processes_per_upstream = 1;
  UpstreamRig rig(options);
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  for (const char* session : {"one", "two", "three", "one"}) {
    const auto served =
        rig.Call(target, "echo", AllFeatures(), absl::Seconds(30), session);
    ASSERT_TRUE(served.observer->AwaitEnd());
    EXPECT_FALSE(served.observer->ends[0].result.empty()) << rig.log();
  }
}

TEST(StdioSessionTest, ProcessesOfAnUpstreamAreLimited) {
  UpstreamsOptions options;
  options.max_processes_per_upstream = 1;
  UpstreamRig rig(options);
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  const auto hanging = rig.Call(target, "hang");
  // Sent after it, so that it is under way: an idle process would make place.
  ASSERT_TRUE(rig.Call(target, "echo").observer->AwaitEnd());
  const auto busy = rig.Call(target, "echo", {}, absl::Seconds(30), "other");
  ASSERT_TRUE(busy.observer->AwaitEnd());
  EXPECT_EQ(busy.observer->ends[0].failure.reason, Reason::kUpstreamBusy);
  rig.upstreams().EndSession("s");
  // The place is free once the first session has ended, which no event tells
  // us here: ask again until then.
  bool served = false;
  for (int i = 0; i < 1000 && !served; ++i) {
    const auto again = rig.Call(target, "echo", {}, absl::Seconds(30), "other");
    ASSERT_TRUE(again.observer->AwaitEnd());
    served = !again.observer->ends[0].result.empty();
  }
  EXPECT_TRUE(served);
}

TEST(StdioSessionTest, ToolsAreListedWhileACallHasTheTurn) {
  UpstreamRig rig;
  const relay::UpstreamTarget target = rig.StdioTarget(kUpstream);
  const auto hanging = rig.Call(target, "hang", AllFeatures());
  const auto tools = rig.ListTools(target, AllFeatures());
  EXPECT_FALSE(hanging.observer->ended());
  ASSERT_TRUE(tools.ok()) << tools.status();
  EXPECT_THAT(*tools, SizeIs(1));
}

}  // namespace
}  // namespace gatehouse::upstream
