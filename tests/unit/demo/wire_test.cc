// What the taps read: event streams, HTTP and recordings.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tools/demo/event_stream.h"
#include "tools/demo/http_reader.h"
#include "tools/demo/io.h"
#include "tools/demo/recording.h"

namespace gatehouse::demo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> EventsOf(std::string_view bytes, size_t step) {
  EventStream stream;
  std::vector<std::string> events;
  std::string data;
  while (!bytes.empty()) {
    EXPECT_TRUE(stream.Feed(bytes.substr(0, step)).ok());
    bytes.remove_prefix(std::min(step, bytes.size()));
    while (stream.Next(&data)) events.push_back(data);
  }
  return events;
}

struct EventCase {
  const char* name;
  const char* bytes;
  std::vector<std::string> events;
};
class EventStreamTest : public testing::TestWithParam<EventCase> {};
TEST_P(EventStreamTest, GivesTheListedEventsHoweverTheBytesAreCut) {
  for (const size_t step : {1, 3, 1000}) {
    EXPECT_EQ(EventsOf(GetParam().bytes, step), GetParam().events);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Rules, EventStreamTest,
    testing::ValuesIn<EventCase>(
        {{"LfEndsALine", "data: a\n\n", {"a"}},
         {"CrLfEndsALine", "event: message\r\ndata: a\r\n\r\n", {"a"}},
         {"LoneCrEndsALine", "data: a\r\rdata: b\r\r", {"a", "b"}},
         {"CommentsAreSkipped", ": keepalive\n\ndata: a\n\n", {"a"}},
         {"EmptyDataIsNotDispatched", "id: 1\ndata:\n\n", {}},
         {"DataLinesAreJoined", "data: a\ndata: b\n\n", {"a\nb"}},
         {"OneSpaceIsStripped", "data:  a\n\n", {" a"}},
         {"AnUnendedEventIsNotDispatched", "data: a\n", {}}}),
    [](const auto& c) { return std::string(c.param.name); });

class Collected final : public HttpObserver {
 public:
  void OnHead(const HttpHead& head) override { heads.push_back(head); }
  void OnMessage(std::string_view text) override {
    messages.emplace_back(text);
  }
  void OnEnd() override { ++ended; }

  std::vector<HttpHead> heads;
  std::vector<std::string> messages;
  int ended = 0;
};

TEST(HttpReaderTest, ReadsBodiesOfEachFramingOnOneConnection) {
  constexpr std::string_view kBytes =
      "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=y\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
      "data: one\n\ndata: two\n\n";
  for (const size_t step : {size_t{1}, size_t{7}, kBytes.size()}) {
    Collected seen;
    HttpReader reader(HttpReader::Side::kResponses, &seen);
    for (size_t at = 0; at < kBytes.size(); at += step) {
      ASSERT_TRUE(reader.Feed(kBytes.substr(at, step)).ok());
    }
    EXPECT_EQ(seen.ended, 3);  // the last lasts until the connection closes
    reader.Close();
    EXPECT_EQ(seen.ended, 4);
    EXPECT_THAT(seen.messages, ElementsAre("{}", "abcd", "one", "two"));
    EXPECT_EQ(seen.heads[0].Status(), 202);
  }
}

TEST(HttpReaderTest, ARequestWithoutALengthHasNoBody) {
  Collected seen;
  HttpReader reader(HttpReader::Side::kRequests, &seen);
  ASSERT_TRUE(reader
                  .Feed("GET /mcp/a HTTP/1.1\r\nHost: x\r\n\r\n"
                        "POST /mcp/a HTTP/1.1\r\nContent-Length: 1\r\n\r\n7")
                  .ok());
  EXPECT_THAT(seen.messages, ElementsAre("7"));
  EXPECT_EQ(seen.ended, 2);
}

TEST(HttpReaderTest, ASizeThatIsNoNumberIsAnError) {
  Collected seen;
  HttpReader reader(HttpReader::Side::kRequests, &seen);
  EXPECT_FALSE(
      reader.Feed("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n").ok());
  EXPECT_THAT(seen.messages, IsEmpty());
}

TEST(LineSplitterTest, GivesLinesAsTheyBecomeWholeAndBoundsThem) {
  LineSplitter lines(8);
  std::string line;
  ASSERT_TRUE(lines.Feed("ab").ok());
  EXPECT_FALSE(lines.Next(&line));
  ASSERT_TRUE(lines.Feed("c\r\nd\n").ok());
  ASSERT_TRUE(lines.Next(&line));
  EXPECT_EQ(line, "abc");
  ASSERT_TRUE(lines.Next(&line));
  EXPECT_EQ(line, "d");
  EXPECT_FALSE(lines.Feed("123456789").ok());
}

TEST(RecordingTest, GivesBackEveryByteOfWhatWasRecorded) {
  const std::string path = testing::TempDir() + "/recording.jsonl";
  std::remove(path.c_str());
  const std::vector<std::string> texts = {
      "{\"a\": 9007199254740993}", "{\n \"b\": \"\\u2014 \xe2\x80\x94\"}",
      "no UTF-8: \xff\xfe"};
  auto writer = RecordingWriter::Open(path);
  ASSERT_TRUE(writer.ok());
  for (const std::string& text : texts) {
    ASSERT_TRUE(writer
                    ->Append({.time_us = 0,
                              .to_server = true,
                              .channel = "7",
                              .http = "POST /",
                              .message = text})
                    .ok());
  }
  const auto read = ReadRecording(path);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ((*read)[i].message, texts[i]);
    EXPECT_EQ((*read)[i].channel, "7");
    EXPECT_TRUE((*read)[i].to_server);
    EXPECT_GT((*read)[i].time_us, 0);
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace gatehouse::demo
