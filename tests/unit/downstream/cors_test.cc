#include "dataplane/downstream/cors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gatehouse::downstream {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kOrigin[] = "https://App.example";

class FakeExchange final : public http::Exchange {
 public:
  explicit FakeExchange(http::Headers headers) {
    request_.headers = std::move(headers);
  }
  const http::Request& request() const override { return request_; }
  void Respond(http::Response response) override {
    sent = std::move(response.headers);
  }
  void StartStream(int, http::Headers headers) override {
    sent = std::move(headers);
  }
  bool Write(std::string_view bytes) override {
    written.append(bytes);
    return false;
  }
  void EndStream() override { ended = true; }
  bool streaming() const override { return true; }
  void OnPeerGone(std::function<void()> callback) override { callback(); }
  void OnPeerHalfClosed(std::function<void()> callback) override { callback(); }

  http::Headers sent;
  std::string written;
  bool ended = false;

 private:
  http::Request request_;
};

std::string Value(const http::Headers& headers, std::string_view name) {
  EXPECT_LE(http::CountHeader(headers, name), 1) << name;
  return std::string(http::FindHeader(headers, name).value_or(""));
}

// Defends DESIGN §16, CORS for allowed origins only: never `*`, never
// credentials, whatever the answer is.
void ExpectNamesTheOrigin(const http::Headers& headers) {
  EXPECT_EQ(Value(headers, "Access-Control-Allow-Origin"), kOrigin);
  EXPECT_EQ(Value(headers, "Vary"), "Origin");
  const std::string exposed = Value(headers, "Access-Control-Expose-Headers");
  EXPECT_EQ(exposed, "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate");
  EXPECT_EQ(http::CountHeader(headers, "Access-Control-Allow-Credentials"), 0);
}

TEST(WithCorsTest, AnAnswerNamesTheOriginThatAsked) {
  const auto inner =
      std::make_shared<FakeExchange>(http::Headers{{"Origin", kOrigin}});
  http::Response response;
  response.status = 401;
  response.headers = {{"WWW-Authenticate", "Bearer"}};
  WithCors(inner)->Respond(std::move(response));
  ExpectNamesTheOrigin(inner->sent);
  EXPECT_EQ(Value(inner->sent, "WWW-Authenticate"), "Bearer");
}

TEST(WithCorsTest, AStreamNamesTheOriginThatAskedAndIsOtherwiseTheSame) {
  const auto inner =
      std::make_shared<FakeExchange>(http::Headers{{"origin", kOrigin}});
  const auto exchange = WithCors(inner);
  exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
  ExpectNamesTheOrigin(inner->sent);
  EXPECT_EQ(Value(inner->sent, "Content-Type"), "text/event-stream");
  EXPECT_FALSE(exchange->Write("data: x\n\n"));
  exchange->EndStream();
  EXPECT_EQ(inner->written, "data: x\n\n");
  EXPECT_TRUE(inner->ended);
  EXPECT_TRUE(exchange->streaming());
  EXPECT_EQ(&exchange->request(), &inner->request());
  bool gone = false;
  exchange->OnPeerGone([&gone] { gone = true; });
  EXPECT_TRUE(gone);
  bool half_closed = false;
  exchange->OnPeerHalfClosed([&half_closed] { half_closed = true; });
  EXPECT_TRUE(half_closed);
}

TEST(WithCorsTest, WithoutAnOriginNothingIsAdded) {
  const auto inner = std::make_shared<FakeExchange>(http::Headers{});
  EXPECT_EQ(WithCors(inner), inner);
}

TEST(AnswerOptionsTest, APreflightLearnsMethodsHeadersAndForHowLong) {
  const http::Response answer =
      AnswerOptions({{"Origin", kOrigin},
                     {"Access-Control-Request-Method", "POST"},
                     {"Access-Control-Request-Headers", "x-secret"}});
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(Value(answer.headers, "Access-Control-Allow-Methods"),
            "GET, POST, DELETE");
  const std::string allowed =
      Value(answer.headers, "Access-Control-Allow-Headers");
  for (const char* header :
       {"Content-Type", "Accept", "Authorization", "Mcp-Session-Id",
        "MCP-Protocol-Version", "Last-Event-ID", "Mcp-Method", "Mcp-Name"}) {
    EXPECT_THAT(allowed, HasSubstr(header));
  }
  EXPECT_THAT(allowed, Not(HasSubstr("x-secret")));
  EXPECT_THAT(allowed, Not(HasSubstr("*")));
  EXPECT_EQ(Value(answer.headers, "Access-Control-Max-Age"), "600");
}

TEST(AnswerOptionsTest, AnyOtherLearnsTheMethodsThatThereAre) {
  for (const http::Headers& headers :
       {http::Headers{}, http::Headers{{"Origin", kOrigin}},
        http::Headers{{"Access-Control-Request-Method", "POST"}}}) {
    const http::Response answer = AnswerOptions(headers);
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(Value(answer.headers, "Allow"), "GET, POST, DELETE, OPTIONS");
    EXPECT_EQ(Value(answer.headers, "Access-Control-Allow-Methods"), "");
  }
}

}  // namespace
}  // namespace gatehouse::downstream
