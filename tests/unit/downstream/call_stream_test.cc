#include "dataplane/downstream/call_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/relay/fakes.h"

namespace gatehouse::downstream {
namespace {

using relay::ManualTimers;
using testing::HasSubstr;
using testing::Not;

// A client's connection that keeps what is written.
class FakeExchange final : public http::Exchange {
 public:
  const http::Request& request() const override { return request_; }
  void Respond(http::Response response) override {
    answered = std::move(response);
  }
  void StartStream(int, http::Headers) override { streaming_ = true; }
  bool Write(std::string_view bytes) override {
    written.append(bytes);
    return true;
  }
  void EndStream() override { ended = true; }
  bool streaming() const override { return streaming_; }
  void OnPeerGone(std::function<void()> callback) override {
    gone = std::move(callback);
  }
  void OnPeerHalfClosed(std::function<void()>) override {}

  std::optional<http::Response> answered;
  std::string written;
  bool ended = false;
  std::function<void()> gone;

 private:
  http::Request request_;
  bool streaming_ = false;
};

class CallStreamTest : public testing::Test {
 protected:
  std::shared_ptr<CallStream> Open(std::string progress_token = "") {
    auto stream =
        std::make_shared<CallStream>(exchange_, "7", std::move(progress_token),
                                     timers_, [this] { ++ended_; });
    stream->Arm();
    return stream;
  }
  static relay::CallObserver::End Result() {
    relay::CallObserver::End end;
    end.result = "{\"content\":[]}";
    return end;
  }
  static relay::ShownInputRequest Ask() {
    return {"opaque", "sampling/createMessage", "{}", absl::Seconds(30)};
  }

  FakeClock clock_;
  ManualTimers timers_{clock_};
  std::shared_ptr<FakeExchange> exchange_ = std::make_shared<FakeExchange>();
  int ended_ = 0;
};

TEST_F(CallStreamTest, AResultWithNothingBeforeItIsOneJsonBody) {
  Open()->Finish(Result());
  ASSERT_TRUE(exchange_->answered.has_value());
  EXPECT_EQ(exchange_->answered->body,
            R"({"jsonrpc":"2.0","id":7,"result":{"content":[]}})");
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(timers_.armed(), 0u);
}

TEST_F(CallStreamTest, AfterASecondTheAnswerIsAStream) {
  const auto stream = Open();
  timers_.Advance(absl::Seconds(1));
  EXPECT_TRUE(exchange_->streaming());
  stream->Finish(Result());
  EXPECT_FALSE(exchange_->answered.has_value());
  EXPECT_THAT(exchange_->written, HasSubstr("data: {\"jsonrpc\""));
  EXPECT_TRUE(exchange_->ended);
}

TEST_F(CallStreamTest, AnInputRequestGoesOutUnderItsOpaqueIdAsAString) {
  const auto outcomes = Open()->AskClient({Ask()});
  EXPECT_EQ(outcomes[0], relay::AskOutcome::kShown);
  EXPECT_THAT(exchange_->written, HasSubstr("\"id\":\"opaque\""));
}

TEST_F(CallStreamTest, AClientThatIsGoneCannotBeAskedAndItsCallGoesOn) {
  const auto stream = Open();
  exchange_->gone();
  EXPECT_EQ(stream->AskClient({Ask()})[0], relay::AskOutcome::kUnreachable);
  EXPECT_EQ(ended_, 0);
  stream->Finish(Result());
  EXPECT_EQ(ended_, 1);
}

TEST_F(CallStreamTest, ProgressComesWithTheClientsOwnTokenAndOnlyRises) {
  const auto stream = Open("\"tok\"");
  stream->Progress(R"({"progressToken":99,"progress":1,"total":3})");
  stream->Progress(R"({"progressToken":99,"progress":1,"message":"again"})");
  EXPECT_THAT(exchange_->written, HasSubstr(R"("progressToken":"tok")"));
  EXPECT_THAT(exchange_->written, Not(HasSubstr("99")));
  EXPECT_THAT(exchange_->written, Not(HasSubstr("again")));
}

TEST_F(CallStreamTest, WhoeverAskedForNoProgressGetsNone) {
  Open()->Progress(R"({"progressToken":99,"progress":1})");
  EXPECT_EQ(exchange_->written, "");
}

TEST_F(CallStreamTest, ACancelledCallEndsWithoutAResponse) {
  const auto stream = Open();
  stream->Cancel("enough");
  stream->Finish(Result());
  EXPECT_TRUE(exchange_->ended);
  EXPECT_EQ(exchange_->written, "");
  EXPECT_EQ(ended_, 1);
}

// Defends invariant 1: -32042 carries elicitations that nobody has judged.
TEST_F(CallStreamTest, AnErrorThatAsksForElicitationsDoesNotReachTheClient) {
  relay::CallObserver::End end;
  end.error =
      R"({"code":-32042,"message":"m","data":{"elicitations":[{"url":"u"}]}})";
  Open()->Finish(end);
  EXPECT_THAT(exchange_->answered->body, HasSubstr("upstream_protocol_error"));
  EXPECT_THAT(exchange_->answered->body, Not(HasSubstr("elicitations")));
}

// Defends invariant 1: a client whose codes have 32 bits, or who rounds them,
// would read -32042 and open pages that nobody has judged.
TEST_F(CallStreamTest, ACodeThatAClientMayReadAsAnotherDoesNotReachIt) {
  for (const char* code :
       {"4294935254", "-4294999338", "2147483648", "-2147483649",
        "18446744073709519574", "-32042.0", "-3.2042e4", "\"-32042\"", "null",
        "[-32042]", "-1,\"code\":-32042", "-1,\"\\u0063ode\":-32042"}) {
    relay::CallObserver::End end;
    end.error = std::string(R"({"code":)") + code +
                R"(,"message":"m","data":{"elicitations":[{"url":"u"}]}})";
    exchange_->answered.reset();
    Open()->Finish(end);
    ASSERT_TRUE(exchange_->answered.has_value()) << code;
    EXPECT_THAT(exchange_->answered->body, HasSubstr(R"("code":-32603)"))
        << code;
    EXPECT_THAT(exchange_->answered->body, HasSubstr("upstream_protocol_error"))
        << code;
    EXPECT_THAT(exchange_->answered->body, Not(HasSubstr("elicitations")))
        << code;
  }
}

TEST_F(CallStreamTest, OneThatTheControlPlaneHasJudgedDoes) {
  relay::CallObserver::End end;
  end.error = R"({"code":-32042,"message":"m","data":{"elicitations":[{}]}})";
  end.judged = true;
  Open()->Finish(end);
  EXPECT_EQ(
      exchange_->answered->body,
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32042,"message":"m","data":{"elicitations":[{}]}}})");
}

TEST_F(CallStreamTest, ACompletionIsToldOnAStreamAndNotAfterTheEnd) {
  const auto stream = Open();
  EXPECT_TRUE(stream->TellElicitationComplete("ours"));
  EXPECT_THAT(
      exchange_->written,
      HasSubstr(
          R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
          R"("params":{"elicitationId":"ours"}})"));
  stream->Finish(Result());
  EXPECT_FALSE(stream->TellElicitationComplete("ours"));
}

// PROTOCOL 10.3, towards a legacy client.
TEST_F(CallStreamTest, FaultsBetweenGatewayAndUpstreamAreTheGatewaysError) {
  for (const char* code : {"-32700", "-32600", "-32020", "-32022", "-32042"}) {
    relay::CallObserver::End end;
    end.error = std::string(R"({"code":)") + code +
                R"(,"message":"theirs","data":{"x":1}})";
    exchange_->answered.reset();
    Open()->Finish(end);
    EXPECT_THAT(exchange_->answered->body, HasSubstr(R"("code":-32603)"))
        << code;
    EXPECT_THAT(exchange_->answered->body, Not(HasSubstr("theirs"))) << code;
  }
}

TEST_F(CallStreamTest, OtherReservedAndFreeCodesPassAsTheyCame) {
  for (const char* code :
       {"-32601", "-32602", "-32603", "-32002", "-32021", "-32000", "-32099",
        "-31001", "-1", "42", "2147483647", "-2147483648"}) {
    relay::CallObserver::End end;
    end.error = std::string(R"({"code":)") + code +
                R"(,"message":"theirs","data":{"x":1}})";
    exchange_->answered.reset();
    Open()->Finish(end);
    EXPECT_THAT(exchange_->answered->body, HasSubstr(end.error)) << code;
  }
}

TEST_F(CallStreamTest, AnotherErrorOfTheUpstreamPassesAsItCame) {
  relay::CallObserver::End end;
  end.error = R"({"code":-32602,"message":"no","data":{"n":1.0}})";
  Open()->Finish(end);
  EXPECT_EQ(
      exchange_->answered->body,
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no","data":{"n":1.0}}})");
}

}  // namespace
}  // namespace gatehouse::downstream
