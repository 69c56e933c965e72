#include "dataplane/downstream/request_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "dataplane/downstream/answers.h"
#include "dataplane/http/sse_writer.h"
#include "shared/base/fake_clock.h"
#include "shared/mcp/envelope.h"

namespace gatehouse::downstream {
namespace {

// A client's connection, which may have lost its client.
class FakeExchange final : public http::Exchange {
 public:
  const http::Request& request() const override { return request_; }
  void Respond(http::Response) override { ++answers; }
  void StartStream(int, http::Headers) override { streaming_ = true; }
  bool Write(std::string_view) override { return reachable; }
  void EndStream() override { ++answers; }
  bool streaming() const override { return streaming_; }
  void OnPeerGone(std::function<void()>) override {}
  void OnPeerHalfClosed(std::function<void()>) override {}

  int answers = 0;
  bool reachable = true;

 private:
  http::Request request_;
  bool streaming_ = false;
};

std::string Result() { return mcp::ResultMessage("7", R"({"content":[]})"); }
std::string Error() {
  return mcp::ErrorMessage("\"a,\\\"b\"", -32603, "no", "");
}

struct OutcomeCase {
  const char* name;
  std::function<void(FakeExchange&, http::Exchange&)> answer;
  RequestOutcome want;
};
class RequestOutcomeTest : public testing::TestWithParam<OutcomeCase> {};

TEST_P(RequestOutcomeTest, IsCountedOnceAndTheRequestIsInFlightUntilThen) {
  FakeClock clock;
  RequestStats stats(clock);
  auto client = std::make_shared<FakeExchange>();
  std::shared_ptr<http::Exchange> watched =
      stats.Watch(client, RequestKind::kToolsCall);
  EXPECT_EQ(stats.in_flight(), 1);
  clock.Advance(absl::Milliseconds(30));
  GetParam().answer(*client, *watched);
  watched.reset();
  EXPECT_EQ(stats.in_flight(), 0);
  EXPECT_EQ(stats.count(RequestKind::kToolsCall, GetParam().want), 1);
  int64_t all = 0;
  for (size_t i = 0; i < kRequestOutcomes; ++i) {
    all += stats.count(RequestKind::kToolsCall, static_cast<RequestOutcome>(i));
  }
  EXPECT_EQ(all, 1);
  EXPECT_DOUBLE_EQ(stats.call_seconds().sum(), 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    Answers, RequestOutcomeTest,
    testing::ValuesIn<OutcomeCase>({
        {"AResultIsOk",
         [](FakeExchange&, http::Exchange& e) {
           e.Respond(JsonAnswer(200, Result()));
         },
         RequestOutcome::kOk},
        {"AnEmptyAnswerIsOk",
         [](FakeExchange&, http::Exchange& e) { e.Respond(EmptyAnswer(202)); },
         RequestOutcome::kOk},
        {"AnErrorIsOne",
         [](FakeExchange&, http::Exchange& e) {
           e.Respond(JsonAnswer(200, Error()));
         },
         RequestOutcome::kError},
        {"AStatusFrom400OnIsARefusal",
         [](FakeExchange&, http::Exchange& e) {
           e.Respond(JsonAnswer(503, Error()));
         },
         RequestOutcome::kRefused},
        {"AResultOnAStreamIsOk",
         [](FakeExchange&, http::Exchange& e) {
           e.StartStream(200, SseHeaders());
           e.Write(http::SseEvent(mcp::NotificationMessage("n", "{}")));
           e.Write(http::SseEvent(mcp::RequestMessage("\"o\"", "m", "{}")));
           e.Write(http::SseEvent(Result()));
           e.EndStream();
         },
         RequestOutcome::kOk},
        {"AnErrorOnAStreamIsOne",
         [](FakeExchange&, http::Exchange& e) {
           e.StartStream(200, SseHeaders());
           e.Write(http::SseEvent(Error()));
           e.EndStream();
         },
         RequestOutcome::kError},
        {"AStreamWithoutAResponseIsUnanswered",
         [](FakeExchange&, http::Exchange& e) {
           e.StartStream(200, SseHeaders());
           e.Write(http::SseEvent(mcp::RequestMessage("\"o\"", "m", "{}")));
           e.EndStream();
         },
         RequestOutcome::kUnanswered},
        {"AResultThatItsClientDidNotGetIsUnanswered",
         [](FakeExchange& client, http::Exchange& e) {
           e.StartStream(200, SseHeaders());
           client.reachable = false;
           e.Write(http::SseEvent(Result()));
           e.EndStream();
         },
         RequestOutcome::kUnanswered},
        {"OneThatIsLetGoOfIsUnanswered", [](FakeExchange&, http::Exchange&) {},
         RequestOutcome::kUnanswered},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(RequestStatsTest, AnEventStreamIsCountedWhenItBeginsAndIsNotInFlight) {
  FakeClock clock;
  RequestStats stats(clock);
  const auto watched =
      stats.Watch(std::make_shared<FakeExchange>(), RequestKind::kOpenStream);
  EXPECT_EQ(stats.in_flight(), 0);
  watched->StartStream(200, SseHeaders());
  watched->EndStream();
  EXPECT_EQ(stats.count(RequestKind::kOpenStream, RequestOutcome::kOk), 1);
  EXPECT_EQ(stats.in_flight(), 0);
}

TEST(RequestStatsTest, WhoeverWaitsIsToldWhenTheLastOneEnds) {
  FakeClock clock;
  RequestStats stats(clock);
  const auto client = std::make_shared<FakeExchange>();
  const auto one = stats.Watch(client, RequestKind::kToolsCall);
  const auto two = stats.Watch(client, RequestKind::kToolsList);
  int told = 0;
  stats.OnNoneInFlight([&] { ++told; });
  one->Respond(EmptyAnswer(202));
  EXPECT_EQ(told, 0);
  two->Respond(EmptyAnswer(202));
  EXPECT_EQ(told, 1);
  stats.OnNoneInFlight(nullptr);
  stats.Watch(client, RequestKind::kPing)->Respond(EmptyAnswer(202));
  EXPECT_EQ(told, 1);
}

TEST(RequestKindTest, AMethodThatIsNotServedIsOther) {
  Classified what;
  what.intent = Intent::kRequest;
  what.message.method = "tools/call";
  EXPECT_EQ(KindOf(what), RequestKind::kToolsCall);
  what.message.method = "a client's own, different each time";
  EXPECT_EQ(KindOf(what), RequestKind::kOtherRequest);
  what.intent = Intent::kRefused;
  EXPECT_EQ(KindOf(what), RequestKind::kUnread);
}

}  // namespace
}  // namespace gatehouse::downstream
