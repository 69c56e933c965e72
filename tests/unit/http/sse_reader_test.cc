#include "dataplane/upstream/sse_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gatehouse::upstream {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

struct SseCase {
  const char* name;
  std::string bytes;
  Events want;  // type, data
  std::string want_id;
};

class SseReaderTest : public testing::TestWithParam<SseCase> {};

Events ReadInPieces(const std::string& bytes, size_t piece, std::string* id) {
  Events events;
  SseReader reader(1 << 20, [&](SseReader::Event event) {
    events.emplace_back(event.type, event.data);
  });
  for (size_t at = 0; at < bytes.size(); at += piece) {
    EXPECT_TRUE(reader.Feed(std::string_view(bytes).substr(at, piece)).ok());
  }
  *id = reader.last_event_id();
  return events;
}

TEST_P(SseReaderTest, GivesTheListedEventsHoweverTheBytesAreSplit) {
  for (size_t piece = 1; piece <= GetParam().bytes.size(); ++piece) {
    std::string id;
    EXPECT_EQ(ReadInPieces(GetParam().bytes, piece, &id), GetParam().want)
        << "in pieces of " << piece;
    EXPECT_EQ(id, GetParam().want_id) << "in pieces of " << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, SseReaderTest,
    testing::ValuesIn<SseCase>({
        {"LfEndsLines", "data: a\n\ndata: b\n\n", {{"", "a"}, {"", "b"}}, ""},
        {"CrEndsLines", "data: a\r\rdata: b\r\r", {{"", "a"}, {"", "b"}}, ""},
        {"CrLfEndsLines",
         "data: a\r\n\r\ndata: b\r\n\r\n",
         {{"", "a"}, {"", "b"}},
         ""},
        {"LineEndsMayBeMixed",
         "data: a\r\n\ndata: b\n\rdata: c\r\r\n",
         {{"", "a"}, {"", "b"}, {"", "c"}},
         ""},
        {"AByteOrderMarkIsSkipped",
         "\xEF\xBB\xBF"
         "data: a\n\n",
         {{"", "a"}},
         ""},
        {"OnlyTheFirstByteOrderMarkIs",
         "data: a\n\n\xEF\xBB\xBF"
         "data: b\n\n",
         {{"", "a"}},
         ""},
        {"CommentsAreIgnored",
         ": keepalive\n\n:\ndata: a\n\n",
         {{"", "a"}},
         ""},
        {"DataLinesAreJoinedByLf",
         "data: a\ndata:\ndata: b\n\n",
         {{"", "a\n\nb"}},
         ""},
        {"OneSpaceAfterTheColonIsTaken",
         "data:  a\ndata:b\n\n",
         {{"", " a\nb"}},
         ""},
        {"AColonInTheValueStays",
         "data: {\"a\": 1}\n\n",
         {{"", "{\"a\": 1}"}},
         ""},
        {"TheTypeIsKept",
         "event: message\ndata: a\n\n",
         {{"message", "a"}},
         ""},
        {"TheTypeIsForgottenAfterItsEvent",
         "event: x\ndata: a\n\ndata: b\n\n",
         {{"x", "a"}, {"", "b"}},
         ""},
        {"ATypeWithoutDataIsForgotten",
         "event: x\n\ndata: b\n\n",
         {{"", "b"}},
         ""},
        {"APrimingEventGivesOnlyItsId", "id: 7\ndata:\n\n", {}, "7"},
        {"AnIdAloneCounts", "id: 7\n\n", {}, "7"},
        {"AnIdStaysUntilTheNext",
         "id: 7\ndata: a\n\ndata: b\n\n",
         {{"", "a"}, {"", "b"}},
         "7"},
        {"AnIdWithNulIsIgnored",
         std::string("id: 7\n\nid: a\0b\n\n", 15),
         {},
         "7"},
        {"AnUnfinishedEventIsDropped", "data: a\n\ndata: b\n", {{"", "a"}}, ""},
        {"TheIdOfAnUnfinishedEventToo",
         "id: 1\ndata: a\n\nid: 2\ndata: b\n",
         {{"", "a"}},
         "1"},
        {"UnknownFieldsAreIgnored",
         "foo: x\nDATA: y\ndata: a\n\n",
         {{"", "a"}},
         ""},
        {"AFieldWithoutColonHasNoValue",
         "data\ndata: a\n\n",
         {{"", "\na"}},
         ""},
    }),
    [](const auto& c) { return std::string(c.param.name); });

struct RetryCase {
  const char* name;
  const char* bytes;
  std::optional<int64_t> want;
};

class SseRetryTest : public testing::TestWithParam<RetryCase> {};

TEST_P(SseRetryTest, CountsOnlyIfItIsAllDigits) {
  SseReader reader(1024, [](SseReader::Event) {});
  ASSERT_TRUE(reader.Feed(GetParam().bytes).ok());
  EXPECT_EQ(reader.retry_ms(), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, SseRetryTest,
    testing::ValuesIn<RetryCase>({{"Digits", "retry: 1500\n", 1500},
                                  {"Zero", "retry: 0\n", 0},
                                  {"Sign", "retry: -1\n", std::nullopt},
                                  {"Unit", "retry: 5s\n", std::nullopt},
                                  {"Empty", "retry:\n", std::nullopt},
                                  {"TooLarge", "retry: 99999999999999999999\n",
                                   std::nullopt}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(SseReaderLimitTest, ALongLineIsRefusedBeforeItsEnd) {
  SseReader reader(100, [](SseReader::Event) { FAIL(); });
  EXPECT_TRUE(reader.Feed("data: " + std::string(90, 'x')).ok());
  EXPECT_EQ(reader.Feed("xxxxxxxx").code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(SseReaderLimitTest, ManyShortDataLinesOfOneEventAreRefused) {
  SseReader reader(100, [](SseReader::Event) { FAIL(); });
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i)
    status = reader.Feed("data: x\n");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

TEST(SseReaderLimitTest, TheLimitIsOfOneEventNotOfTheStream) {
  int events = 0;
  SseReader reader(100, [&](SseReader::Event) { ++events; });
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(reader.Feed("data: " + std::string(50, 'x') + "\n\n").ok());
  }
  EXPECT_EQ(events, 100);
}

}  // namespace
}  // namespace gatehouse::upstream
