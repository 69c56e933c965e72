#include "dataplane/upstream/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/http/test_socket.h"

namespace gatehouse::upstream {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Writes down what a child says. Read it under Await.
class Recorder : public ProcessObserver {
 public:
  void OnLine(std::string_view line) override {
    waiter_.Change([&] { lines_.emplace_back(line); });
  }
  void OnStderrLine(std::string_view line) override {
    waiter_.Change([&] { errors_.emplace_back(line); });
  }
  void OnExit(std::string_view how) override {
    waiter_.Change([&] { exits_.emplace_back(how); });
  }

  bool AwaitLines(size_t count) {
    return waiter_.Await([&] { return lines_.size() >= count; });
  }
  bool AwaitExit() {
    return waiter_.Await([&] { return !exits_.empty(); });
  }
  std::vector<std::string> lines() { return Copy(lines_); }
  std::vector<std::string> errors() { return Copy(errors_); }
  std::vector<std::string> exits() { return Copy(exits_); }

 private:
  std::vector<std::string> Copy(const std::vector<std::string>& from) {
    std::vector<std::string> copy;
    waiter_.Change([&] { copy = from; });
    return copy;
  }

  http::Waiter waiter_;
  std::vector<std::string> lines_;
  std::vector<std::string> errors_;
  std::vector<std::string> exits_;
};

class ProcessTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(reactor_.Start().ok()); }

  static ProcessOptions Shell(const std::string& script) {
    ProcessOptions options;
    options.command = {"/bin/sh", "-c", script};
    options.env = {{"PATH", "/usr/bin:/bin"}};
    return options;
  }

  std::shared_ptr<Process> Spawn(ProcessOptions options) {
    auto process = Process::Spawn(reactor_, std::move(options), recorder_);
    EXPECT_TRUE(process.ok()) << process.status();
    return process.ok() ? *process : nullptr;
  }

  const std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  http::Reactor reactor_;
};

TEST_F(ProcessTest, EchoesLinesAndEndsAtTheEndOfItsInput) {
  const auto process = Spawn(Shell("exec cat"));
  ASSERT_TRUE(process->WriteLine("one"));
  ASSERT_TRUE(process->WriteLine("two"));
  ASSERT_TRUE(recorder_->AwaitLines(2));
  process->Stop(absl::Seconds(30));  // the end of its input is enough
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->lines(), ElementsAre("one", "two"));
  EXPECT_THAT(recorder_->exits(), ElementsAre("exited with status 0"));
  EXPECT_FALSE(process->WriteLine("three"));
}

TEST_F(ProcessTest, ALineBreakWithinALineCannotForgeASecondLine) {
  const auto process = Spawn(Shell("exec cat"));
  ASSERT_TRUE(process->WriteLine("{\n\"a\":\r\n1}"));
  ASSERT_TRUE(recorder_->AwaitLines(1));
  EXPECT_THAT(recorder_->lines(), ElementsAre("{ \"a\":  1}"));
}

TEST_F(ProcessTest, TakesAMegabyteEachWay) {
  const auto process = Spawn(Shell("exec cat"));
  const std::string line(1 << 20, 'x');
  ASSERT_TRUE(process->WriteLine(line));
  ASSERT_TRUE(recorder_->AwaitLines(1));
  EXPECT_EQ(recorder_->lines()[0].size(), line.size());
}

TEST_F(ProcessTest, ReportsStatusAndLastWordsOfBothStreams) {
  const auto process = Spawn(Shell("echo out; printf err >&2; exit 3"));
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->lines(), ElementsAre("out"));
  EXPECT_THAT(recorder_->errors(), ElementsAre("err"));
  EXPECT_THAT(recorder_->exits(), ElementsAre("exited with status 3"));
}

TEST_F(ProcessTest, TakesTheCrOffALine) {
  const auto process = Spawn(Shell("printf 'a\\r\\nb\\n'"));
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->lines(), ElementsAre("a", "b"));
}

TEST_F(ProcessTest, CutsALongErrorLine) {
  const auto process =
      Spawn(Shell("head -c 10000 /dev/zero | tr '\\0' x >&2; echo >&2"));
  ASSERT_TRUE(recorder_->AwaitExit());
  ASSERT_EQ(recorder_->errors().size(), 1u);
  EXPECT_EQ(recorder_->errors()[0].size(), 4096u);
}

TEST_F(ProcessTest, AnOverLongLineEndsIt) {
  ProcessOptions options =
      Shell("echo short; head -c 10000 /dev/zero | tr '\\0' x; exec cat");
  options.max_line_bytes = 1000;
  const auto process = Spawn(std::move(options));
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->lines(), ElementsAre("short"));
  EXPECT_THAT(recorder_->exits(), ElementsAre(HasSubstr("over the limit")));
}

TEST_F(ProcessTest, OneThatDoesNotReadIsEndedWhenItsQueueIsFull) {
  ProcessOptions options = Shell("echo ready; exec sleep 1000");
  options.max_queue_bytes = 1 << 20;
  const auto process = Spawn(std::move(options));
  const std::string line(300 << 10, 'x');
  int taken = 0;
  while (taken < 100 && process->WriteLine(line)) ++taken;
  EXPECT_LT(taken, 10);
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->exits(), ElementsAre("did not read its input"));
}

TEST_F(ProcessTest, OneThatClosesItsStdoutIsEnded) {
  const auto process = Spawn(Shell("exec >&-; exec sleep 1000"));
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->exits(), ElementsAre("closed its stdout"));
}

TEST_F(ProcessTest, StopClimbsToSigterm) {
  const auto process = Spawn(Shell("echo ready; exec sleep 1000"));
  ASSERT_TRUE(recorder_->AwaitLines(1));
  process->Stop(absl::Milliseconds(20));
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->exits(), ElementsAre("killed by signal 15"));
}

TEST_F(ProcessTest, StopClimbsToSigkillForTheWholeGroup) {
  const auto process = Spawn(
      Shell("trap '' TERM; sleep 1000 & echo $!; wait; wait; sleep 1000"));
  ASSERT_TRUE(recorder_->AwaitLines(1));
  const pid_t grandchild = std::stoi(recorder_->lines()[0]);
  process->Stop(absl::Milliseconds(20));
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->exits(), ElementsAre("killed by signal 9"));
  // Gone, or a zombie that its new parent has yet to reap.
  EXPECT_TRUE(http::Eventually([grandchild] {
    if (kill(grandchild, 0) != 0) return true;
    const std::string path = "/proc/" + std::to_string(grandchild) + "/stat";
    FILE* const file = fopen(path.c_str(), "r");
    if (file == nullptr) return true;
    char state = 0;
    const int fields = fscanf(file, "%*d %*s %c", &state);
    fclose(file);
    return fields == 1 && state == 'Z';
  }));
}

TEST_F(ProcessTest, LettingItGoKillsAndReapsIt) {
  auto process = Spawn(Shell("echo ready; exec sleep 1000"));
  ASSERT_TRUE(recorder_->AwaitLines(1));
  const pid_t pid = process->pid();
  process.reset();
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(ProcessTest, IsReapedEvenIfTheReactorStopsFirst) {
  auto process = Spawn(Shell("echo ready; exec sleep 1000"));
  ASSERT_TRUE(recorder_->AwaitLines(1));
  const pid_t pid = process->pid();
  reactor_.Stop();
  process.reset();
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

// Defends DESIGN §16: a stdio upstream is a stranger.
TEST_F(ProcessTest, GetsNothingOfOursButWhatIsNamed) {
  setenv("GATEHOUSE_TEST_SECRET", "leaked", 1);
  ProcessOptions options = Shell(
      "env | grep -v -e ^PWD= -e ^OLDPWD= -e ^SHLVL= -e ^_=; pwd; umask;"
      "grep NoNewPrivs /proc/self/status | tr -d '\\t';"
      "ls /proc/$$/fd | tr '\\n' ' '; echo;"
      "[ $(ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/$$/stat) = $$ ]"
      " && echo own session");
  options.env["NAMED"] = "yes";
  const auto process = Spawn(std::move(options));
  ASSERT_TRUE(recorder_->AwaitExit());
  EXPECT_THAT(recorder_->lines(),
              ElementsAre("NAMED=yes", "PATH=/usr/bin:/bin", "/", "0077",
                          "NoNewPrivs:1", "0 1 2 ", "own session"));
  unsetenv("GATEHOUSE_TEST_SECRET");
}

// Defends DESIGN §16: it runs as another user, with no way back.
TEST_F(ProcessTest, RunsAsTheNamedUserWithNoneOfOurGroups) {
  ProcessOptions options =
      Shell("id -un; id -G; grep CapEff /proc/self/status");
  options.run_as = "nobody";
  if (geteuid() != 0) {
    const auto process =
        Process::Spawn(reactor_, std::move(options), recorder_);
    EXPECT_EQ(process.status().code(), absl::StatusCode::kPermissionDenied);
    return;
  }
  const auto process = Spawn(std::move(options));
  ASSERT_TRUE(recorder_->AwaitExit());
  const std::string group = std::to_string(getpwnam("nobody")->pw_gid);
  EXPECT_THAT(recorder_->lines(),
              ElementsAre("nobody", group, "CapEff:\t0000000000000000"));
}

struct SpawnErrorCase {
  const char* name;
  std::vector<std::string> command;
  const char* run_as;
  absl::StatusCode want;
  bool only_as_root;
};

class SpawnErrorTest : public testing::TestWithParam<SpawnErrorCase> {};

TEST_P(SpawnErrorTest, IsReportedWithItsCode) {
  if (GetParam().only_as_root && geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  http::Reactor reactor;
  ASSERT_TRUE(reactor.Start().ok());
  ProcessOptions options;
  options.command = GetParam().command;
  options.run_as = GetParam().run_as;
  const auto process =
      Process::Spawn(reactor, std::move(options), std::make_shared<Recorder>());
  EXPECT_EQ(process.status().code(), GetParam().want) << process.status();
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SpawnErrorTest,
    testing::ValuesIn<SpawnErrorCase>(
        {{"NoSuchProgram",
          {"/no/such"},
          "",
          absl::StatusCode::kNotFound,
          false},
         {"NotExecutable",
          {"/etc/passwd"},
          "",
          absl::StatusCode::kPermissionDenied,
          false},
         {"ADirectory",
          {"/tmp"},
          "",
          absl::StatusCode::kPermissionDenied,
          false},
         {"ARelativePath",
          {"cat"},
          "",
          absl::StatusCode::kInvalidArgument,
          false},
         {"NoCommand", {}, "", absl::StatusCode::kInvalidArgument, false},
         {"NoSuchUser",
          {"/bin/cat"},
          "no-such-user",
          absl::StatusCode::kNotFound,
          true}}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::upstream
