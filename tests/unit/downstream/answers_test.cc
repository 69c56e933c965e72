#include "dataplane/downstream/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gatehouse::downstream {
namespace {

TEST(SseEventTest, OneLineIsOneDataLine) {
  EXPECT_EQ(SseEvent("{\"a\":1}"), "event: message\ndata: {\"a\":1}\n\n");
}

// A line end in relayed JSON must not end the event, nor begin another field.
TEST(SseEventTest, EveryKindOfLineEndStartsANewDataLine) {
  EXPECT_EQ(SseEvent("{\n\"a\":\r\n1\r}"),
            "event: message\ndata: {\ndata: \"a\":\ndata: 1\ndata: }\n\n");
}

TEST(ComeAgainTest, IsA503WithRetryAfterAndAReason) {
  const http::Response response =
      ComeAgain(Reason::kTrustUnavailable, "try again");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(http::FindHeader(response.headers, "Retry-After"), "1");
  EXPECT_THAT(response.body, testing::HasSubstr("trust_unavailable"));
}

}  // namespace
}  // namespace gatehouse::downstream
