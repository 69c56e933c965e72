// `gatehousectl explain`: the judge's word without any effect (DESIGN §4), over
// real sockets. Invariant 3: it is the word that a call would get.

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/cli_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ExplainTest : public CliStage {
 protected:
  // A file of that text, for the command line.
  std::string File(const std::string& name, const std::string& text) {
    std::string path = dir_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  std::pair<int, std::string> Explain(std::vector<std::string> words) {
    words.insert(words.begin(), "explain");
    words.insert(words.end(), {"--server", "dev"});
    return Control(std::move(words));
  }
};

constexpr char kGood[] =
    R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":)"
    R"({"message":"Where to?","requestedSchema":{"type":"object","properties":)"
    R"({"city":{"type":"string"}},"required":["city"]}}})";
// No messages, too many tokens, a temperature that is no number.
constexpr char kThreeFaults[] =
    R"({"method":"sampling/createMessage","params":)"
    R"({"messages":[],"maxTokens":100000,"temperature":"hot"}})";

TEST_F(ExplainTest, AnAdmittedRequestPrintsWhatTheClientWouldGet) {
  const auto [exit, out] = Explain({File("good.json", kGood)});
  EXPECT_EQ(exit, 0) << out << Stderr();
  EXPECT_THAT(out, AllOf(HasSubstr("virtualServers/dev version 1"),
                         HasSubstr("request: admitted"),
                         HasSubstr("[demo] Where to?")));
}

TEST_F(ExplainTest, ARefusedOnePrintsTheUpstreamsErrorAndLeavesNoRecord) {
  const auto records = gatehouse_->Api("auditor").Records();
  ASSERT_TRUE(records.ok()) << records.status();
  const auto [exit, out] = Explain({File("bad.json", kThreeFaults)});
  EXPECT_EQ(exit, 1) << out << Stderr();
  EXPECT_THAT(out, AllOf(HasSubstr("request: refused\n  at /messages\n"),
                         HasSubstr("the upstream would get -32602 "
                                   "invalid_request"),
                         HasSubstr("\"path\":\"/messages\"")));
  // Every rule in order, each broken one with its path and what it is about.
  size_t at = 0;
  for (const char* line :
       {"  + method-known\n", "  + capability-declared\n",
        "  - messages-present  /messages invalid_request: ",
        "  + max-tokens-present\n",
        "  - max-tokens-within-limit  /maxTokens budget_exhausted {",
        "  - temperature  /temperature invalid_request: ",
        "request: refused\n"}) {
    const size_t found = out.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << " in\n" << out;
    at = found;
  }
  EXPECT_THAT(out, HasSubstr("\"limit\":4096"));
  EXPECT_EQ(gatehouse_->Api("auditor").Records()->size(), records->size());
}

TEST_F(ExplainTest, AnAnswerIsJudgedToo) {
  const std::string request = File("good.json", kGood);
  const auto [good_exit, good] = Explain(
      {request, "--response",
       File("yes.json",
            R"({"result":{"action":"accept","content":{"city":"Oslo"}}})")});
  EXPECT_EQ(good_exit, 0) << good << Stderr();
  EXPECT_THAT(good, HasSubstr("response: answered"));
  const auto [bad_exit, bad] =
      Explain({request, "--response",
               File("odd.json",
                    R"({"result":{"action":"accept","content":{"city":7}}})")});
  EXPECT_EQ(bad_exit, 1) << bad << Stderr();
  EXPECT_THAT(bad, AllOf(HasSubstr("response: invalid"),
                         HasSubstr("\"path\":\"/content/city\"")));
}

TEST_F(ExplainTest, JsonIsTheProtosMapping) {
  const auto [exit, out] = Explain({File("good.json", kGood), "--json"});
  EXPECT_EQ(exit, 0) << Stderr();
  EXPECT_EQ(Message(out).At("/request/verdict"), "admitted") << out;
}

struct MisuseCase {
  const char* name;
  std::vector<std::string> words;  // after the file
  const char* complaint;
};

class ExplainMisuseTest : public ExplainTest,
                          public ::testing::WithParamInterface<MisuseCase> {};

TEST_P(ExplainMisuseTest, IsExitCodeTwoAndSaysWhatToDo) {
  std::vector<std::string> words = {File("good.json", kGood)};
  words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
  const auto [exit, out] = Explain(std::move(words));
  EXPECT_EQ(exit, 2) << out;
  EXPECT_THAT(Stderr(), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Facts, ExplainMisuseTest,
    ::testing::ValuesIn<MisuseCase>({
        {"AnUpstreamThatIsNotThere",
         {"--upstream", "third"},
         "upstream: the policy has no such upstream; it has demo, other"},
        {"ARevisionThatNobodyKnows",
         {"--client-revision", "2024-11-05"},
         "client_revision: this build does not know it"},
        {"CapabilitiesThatAreNone",
         {"--capabilities", R"({"sampling":1})"},
         "client_capabilities: /sampling"},
        {"AResponseThatIsNotThere",
         {"--response", "/nowhere/answer.json"},
         "/nowhere/answer.json: no such file"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(ExplainTest, AVirtualServerThatIsNotThereIsMisuse) {
  const auto [exit, out] =
      Control({"explain", File("good.json", kGood), "--server", "none"});
  EXPECT_EQ(exit, 2) << out;
  EXPECT_THAT(Stderr(), HasSubstr("virtualServers/none"));
}

}  // namespace
}  // namespace gatehouse::testing
