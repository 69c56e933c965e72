// Invariants 1 and 9: what an upstream wrote reaches the client as the data of
// one event, as it stands, and as nothing else.

#include "dataplane/http/sse_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dataplane/upstream/sse_reader.h"

namespace gatehouse::http {
namespace {

struct WriterCase {
  const char* name;
  std::string message;
  std::string event;  // behind the type's line
};

class SseWriterTest : public testing::TestWithParam<WriterCase> {};

TEST_P(SseWriterTest, EveryLineIsADataLine) {
  EXPECT_EQ(SseEvent(GetParam().message),
            "event: message\n" + GetParam().event + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Messages, SseWriterTest,
    testing::ValuesIn<WriterCase>({
        {"OneLine", R"({"a":1})", "data: {\"a\":1}\n"},
        {"Lf", "{\n\"a\":1\n}", "data: {\ndata: \"a\":1\ndata: }\n"},
        {"Cr", "{\r\"a\":1\r}", "data: {\ndata: \"a\":1\ndata: }\n"},
        {"CrLf", "{\r\n\"a\":1\r\n}", "data: {\ndata: \"a\":1\ndata: }\n"},
        {"LfCr", "{\n\r}", "data: {\ndata: \ndata: }\n"},
        {"EndsAtTheEnd", "{}\r\n", "data: {}\ndata: \n"},
        {"ASpaceInFront", " {}", "data:  {}\n"},
        {"FieldsOfAnUpstream", "{}\n\nid: 7\rretry: 1\r\nevent: x",
         "data: {}\ndata: \ndata: id: 7\ndata: retry: 1\ndata: event: x\n"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(SseWriterTest, AReaderGetsTheMessageBackInOneEvent) {
  for (const std::string message : {"{}", "{\n}", "{\r\n \"a\":\r1}\n",
                                    "\n\n{}", ":{}", "data: x\rid: 7"}) {
    std::vector<std::string> data;
    upstream::SseReader reader(1 << 10, [&](upstream::SseReader::Event event) {
      EXPECT_EQ(event.type, "message");
      data.push_back(event.data);
    });
    ASSERT_TRUE(reader.Feed(SseEvent(message)).ok());
    std::string want;
    for (size_t i = 0; i < message.size(); ++i) {
      if (message[i] == '\n' && i > 0 && message[i - 1] == '\r') continue;
      want.push_back(message[i] == '\r' ? '\n' : message[i]);
    }
    EXPECT_EQ(data, std::vector<std::string>{want});
    EXPECT_EQ(reader.last_event_id(), "");
    EXPECT_EQ(reader.retry_ms(), std::nullopt);
  }
}

}  // namespace
}  // namespace gatehouse::http
