#include "admin/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "shared/base/fake_clock.h"

namespace gatehouse::admin {
namespace {

class LogTest : public testing::Test {
 protected:
  LogTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~LogTest() override { close(ends_[0]); }

  // What was written, all of it.
  std::string Written() {
    close(ends_[1]);
    std::string text(1 << 16, '\0');
    const ssize_t got = read(ends_[0], text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return text;
  }

  FakeClock clock_;
  int ends_[2] = {-1, -1};
};

TEST_F(LogTest, ALineIsOneObjectWithItsFieldsInOrder) {
  const Log log(clock_, LogLevel::kInfo, ends_[1]);
  log.Info("attached", {{"detail", "epoch 1"}, {"traceId", ""}});
  EXPECT_THAT(Written(),
              testing::MatchesRegex(
                  R"(\{"ts":"[0-9T:.-]+Z","level":"info","event":"attached",)"
                  R"("detail":"epoch 1"\})"
                  "\n"));
}

TEST_F(LogTest, LinesBelowTheLevelAreDropped) {
  const Log log(clock_, LogLevel::kWarning, ends_[1]);
  EXPECT_FALSE(log.Writes(LogLevel::kInfo));
  log.Debug("one", {});
  log.Info("two", {});
  log.Warning("three", {});
  log.Error("four", {});
  const std::string text = Written();
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("two")));
  EXPECT_THAT(text, testing::HasSubstr(R"("level":"warning","event":"three")"));
  EXPECT_THAT(text, testing::HasSubstr(R"("level":"error","event":"four")"));
}

TEST_F(LogTest, WhatAPeerChoseCannotForgeALineOrMoveATerminal) {
  const Log log(clock_, LogLevel::kInfo, ends_[1]);
  log.Info("upstream",
           {{"line", "a\n{\"event\":\"forged\"}\x1b[2J\xe2\x80\xae\x7f"}});
  const std::string text = Written();
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_THAT(text, testing::HasSubstr(
                        R"("line":"a\n{\"event\":\"forged\"}?[2J????")"));
}

TEST_F(LogTest, ALongValueIsCut) {
  const Log log(clock_, LogLevel::kInfo, ends_[1]);
  log.Info("upstream", {{"line", std::string(10'000, 'x')}});
  EXPECT_LT(Written().size(), 4300u);
}

// An upstream that floods its stderr must not stop the program by a log that
// nobody reads.
TEST_F(LogTest, AReaderThatStandsStillCostsLinesNotTime) {
  const Log log(clock_, LogLevel::kInfo, ends_[1]);
  for (int i = 0; i < 100; ++i) {
    log.Info("upstream", {{"line", std::string(3000, 'x')}});
  }
  std::string taken(1 << 20, '\0');
  ASSERT_GT(read(ends_[0], taken.data(), taken.size()), 0);
  log.Info("after", {});
  const std::string text = Written();
  EXPECT_THAT(text, testing::HasSubstr(R"("event":"log_lines_dropped")"));
  EXPECT_THAT(text, testing::EndsWith("\"event\":\"after\"}\n"));
}

TEST(LogLevelTest, EachWordIsReadBackAndNoOtherIs) {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo,
                               LogLevel::kWarning, LogLevel::kError}) {
    const absl::StatusOr<LogLevel> read = ParseLogLevel(ToString(level));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, level);
  }
  EXPECT_FALSE(ParseLogLevel("Info").ok());
  EXPECT_FALSE(ParseLogLevel("").ok());
}

}  // namespace
}  // namespace gatehouse::admin
