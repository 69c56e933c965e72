// A chronic upstream is seen: what it asked and how it fared, over the API, in
// the terminal and in the metrics (DESIGN §17), and over a restart.

#include <string>

#include "tests/integration/cli_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kSampling[] = "sampling/createMessage";

class UpstreamsTest : public CliStage {
 protected:
  void SetUp() override {
    Start(Gatehouse::Options{.policy = FullPolicy("dev", upstream_.url())});
  }
  // One that is answered, two that are malformed.
  void AskThreeTimes() {
    auto client = Connect();
    client->OnAsked(kSampling,
                    [](const Message&) { return SamplingReply("ok"); });
    for (const std::string& params :
         {SamplingParams(), std::string(R"({"messages":[],"maxTokens":1})"),
          std::string("{}")}) {
      EXPECT_TRUE(
          client->CallTool("up__ask", AskArguments(kSampling, params)).ok());
    }
  }
};

TEST_F(UpstreamsTest, TheListSaysHowOftenEachWasRefusedForWhat) {
  const auto [empty_exit, empty] = Control({"upstreams", "list"});
  EXPECT_EQ(empty_exit, 0) << Stderr();
  EXPECT_THAT(empty, HasSubstr("virtualServers/dev/upstreams/up"));
  AskThreeTimes();
  const auto [exit, out] = Control({"upstreams", "list", "--json"});
  EXPECT_EQ(exit, 0) << Stderr();
  const Message list(out);
  EXPECT_EQ(list.At("/upstreams/0/name"), "virtualServers/dev/upstreams/up");
  EXPECT_EQ(list.At("/upstreams/0/transport"), "http");
  EXPECT_EQ(list.At("/upstreams/0/admitted"), "1");
  EXPECT_EQ(list.At("/upstreams/0/malformed"), "2");
  EXPECT_EQ(list.At("/upstreams/0/refusals/0/reason"), "invalid_request");
  EXPECT_EQ(list.At("/upstreams/0/refusals/0/count"), "2");
  EXPECT_EQ(list.At("/upstreams/0/refusals/0/malformed"), "true");
  const auto [table_exit, table] =
      Control({"upstreams", "list", "--server", "dev"});
  EXPECT_EQ(table_exit, 0) << Stderr();
  EXPECT_THAT(table,
              AllOf(HasSubstr("MALFORMED"), HasSubstr("invalid_request 2")));
}

TEST_F(UpstreamsTest, TheCountsAreThereAfterARestart) {
  AskThreeTimes();
  const std::string before = Control({"upstreams", "list"}).second;
  gatehouse_->KillControl();
  ASSERT_TRUE(gatehouse_->StartControl().ok());
  EXPECT_EQ(Control({"upstreams", "list"}).second, before);
}

TEST_F(UpstreamsTest, AVirtualServerThatIsNotThereIsAnError) {
  EXPECT_EQ(Control({"upstreams", "list", "--server", "none"}).first, 1);
  EXPECT_THAT(Stderr(), HasSubstr("virtualServers/none"));
}

}  // namespace
}  // namespace gatehouse::testing
