// `gatehousectl call`: a client in the terminal. Nobody is asked without a
// terminal; what an upstream says never acts on one (DESIGN §11's rule for
// whatever a person reads), and an answer is the person's own or none at all
// (§1, invariant 8).

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/integration/cli_stage.h"

namespace gatehouse::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CallTest : public CliStage {
 protected:
  // What `program` does by the end: its exit code.
  static int ExitOf(Conversation& program) {
    const absl::StatusOr<int> exit = program.AwaitExit();
    EXPECT_TRUE(exit.ok()) << exit.status();
    return exit.value_or(-1);
  }
  static void Expect(const absl::Status& status) {
    EXPECT_TRUE(status.ok()) << status;
  }
};

// ---- Without a terminal. ----

TEST_F(CallTest, WithoutAToolItListsThem) {
  const auto [exit, out] = RunToEnd({"call", "dev"});
  EXPECT_EQ(exit, 0) << Stderr();
  EXPECT_THAT(out, AllOf(HasSubstr("demo__count"), HasSubstr("restaurant"),
                         HasSubstr("Counts up to a number")));
  const auto [json_exit, json] = RunToEnd({"call", "dev", "--json"});
  EXPECT_EQ(json_exit, 0);
  EXPECT_EQ(Message(json).At("/tools/0/name"), "demo__summarize") << json;
}

TEST_F(CallTest, PairsAreTypedByTheToolsSchemaAndProgressIsOnStderr) {
  const auto [exit, out] = RunToEnd({"call", "dev", "demo__count", "to=3"});
  EXPECT_EQ(exit, 0) << Stderr();
  EXPECT_EQ(out, "Counted to 3.\n");
  EXPECT_THAT(Stderr(), HasSubstr("progress 3 of 3"));
}

TEST_F(CallTest, AJsonObjectIsPassedAndJsonPrintsTheWholeResult) {
  const auto [exit, out] =
      RunToEnd({"call", "dev", "demo__count", R"({"to":2})", "--json"});
  EXPECT_EQ(exit, 0) << Stderr();
  EXPECT_EQ(Message(out).At("/content/0/text"), "Counted to 2.") << out;
}

TEST_F(CallTest, ADashReadsTheArgumentsFromStdin) {
  const auto program = Run({"call", "dev", "demo__count", "-"});
  Expect(program->Say("{\"to\": 2}\n"));
  program->CloseInput();
  EXPECT_EQ(ExitOf(*program), 0) << Stderr();
  EXPECT_EQ(program->heard(), "Counted to 2.\n");
}

TEST_F(CallTest, NobodyIsAskedSoTheToolFails) {
  const auto [exit, out] =
      RunToEnd({"call", "dev", "demo__summarize", "text=x"});
  EXPECT_EQ(exit, 1);
  EXPECT_THAT(out, HasSubstr("error -32601"));
  EXPECT_THAT(Stderr(), HasSubstr("the tool says that it failed"));
  EXPECT_EQ(CountRecords("forwarded"), 0u);
}

TEST_F(CallTest, FaultsHaveTheirExitCodes) {
  EXPECT_EQ(RunToEnd({"call", "dev", "demo__gone"}).first, 1);
  EXPECT_EQ(RunToEnd({"call", "nowhere"}).first, 1);
  EXPECT_EQ(RunToEnd({"call", "dev", "demo__count", "to=many"}).first, 2);
  EXPECT_EQ(RunToEnd({"call", "dev", "demo__count", "to"}).first, 2);
  EXPECT_EQ(RunToEnd({"call", "Dev"}).first, 2);
  gatehouse_->KillWorker(0);
  EXPECT_EQ(RunToEnd({"call", "dev"}).first, 3);
  EXPECT_THAT(Stderr(), HasSubstr("the worker does not answer"));
}

TEST_F(CallTest, RootsAreThoseOfTheCommandLine) {
  const auto [exit, out] =
      RunToEnd({"call", "dev", "demo__list_folders", "--root", dir_.path()});
  EXPECT_EQ(exit, 0) << Stderr();
  EXPECT_THAT(out, HasSubstr("file://" + dir_.path()));
}

// ---- In a terminal. ----

TEST_F(CallTest, ThePersonReadsASamplingRequestAndTypesTheCompletion) {
  const auto program =
      Run({"call", "dev", "demo__summarize", "text=All \x1b[31mof it"}, true);
  Expect(program->Await(
      "Upstream demo (tool summarize) asks for a completion of your "
      "model:"));
  Expect(program->Await("  | You summarize in one sentence."));
  Expect(program->Await("  | Summarize: All \\u001b[31mof it"));
  Expect(program->Await("maxTokens: 200"));
  Expect(program->Await("[a]nswer or [d]ecline? "));
  Expect(program->Say("a\n"));
  Expect(program->Await("> "));
  Expect(program->Say("A fine text,\nwith a second line.\n.\n"));
  Expect(program->Await(R"(The model: answered: )"));
  Expect(program->Await(R"(A fine text,\nwith a second line.)"));
  EXPECT_EQ(ExitOf(*program), 0) << program->heard();
  EXPECT_THAT(program->heard(), Not(HasSubstr("\x1b")));
  EXPECT_EQ(Records("answered", 1).size(), 1u);
}

TEST_F(CallTest, ThePersonDeclinesASamplingRequest) {
  const auto program = Run({"call", "dev", "demo__summarize", "text=x"}, true);
  Expect(program->Await("[a]nswer or [d]ecline? "));
  Expect(program->Say("d\n"));
  Expect(program->Await("error -1: "));
  EXPECT_EQ(ExitOf(*program), 1);
  EXPECT_EQ(Records("declined", 1).size(), 1u);
}

TEST_F(CallTest, ThePersonFillsInAFormFieldByField) {
  const auto program =
      Run({"call", "dev", "demo__book_table", "restaurant=Ada's"}, true);
  Expect(program->Await("A table at Ada's: for whom, and when?"));
  Expect(program->Await("[f]ill it in, [d]ecline or [c]ancel? "));
  Expect(program->Say("f\n"));
  Expect(program->Await("name (Name), required: text, 1 to 80 characters"));
  Expect(program->Await("> "));
  Expect(program->Say("Ada\n"));
  Expect(program->Await("guests (Guests), required: a whole number, 1 to 12"));
  Expect(program->Await("> "));
  Expect(program->Say("99\n"));
  Expect(program->Await("does not fit: a whole number, 1 to 12"));
  Expect(program->Await("> "));
  Expect(program->Say("4\n"));
  Expect(program->Await("day (Day), required: a date"));
  Expect(program->Await("> "));
  Expect(program->Say("2027-01-31\n"));
  Expect(program->Await("window (By the window), optional: yes or no"));
  Expect(program->Await("> "));
  Expect(program->Say("\n"));
  Expect(program->Await(
      R"(Your answer: {"name":"Ada","guests":4,"day":"2027-01-31"})"));
  Expect(program->Await("[s]end it"));
  Expect(program->Say("s\n"));
  Expect(program->Await("The form: answered: "));
  Expect(program->Await(R"("guests":4)"));
  EXPECT_EQ(ExitOf(*program), 0) << program->heard();
  EXPECT_EQ(Records("answered", 1).size(), 1u);
}

struct FormEnd {
  const char* name;
  const char* typed;
  const char* action;
  const char* record;
};
class FormEndTest : public CallTest,
                    public ::testing::WithParamInterface<FormEnd> {};
TEST_P(FormEndTest, IsWhatThePersonChose) {
  const auto program =
      Run({"call", "dev", "demo__book_table", "restaurant=x"}, true);
  Expect(program->Await("[f]ill it in, [d]ecline or [c]ancel? "));
  Expect(program->Say(GetParam().typed));
  Expect(program->Await(absl::StrCat(R"("action":")", GetParam().action)));
  ExitOf(*program);
  EXPECT_EQ(Records(GetParam().record, 1).size(), 1u);
}
INSTANTIATE_TEST_SUITE_P(
    Ends, FormEndTest,
    ::testing::ValuesIn<FormEnd>({{"Declined", "d\n", "decline", "declined"},
                                  {"Cancelled", "c\n", "cancel", "dismissed"},
                                  {"EndOfInputIsACancel", "\x04", "cancel",
                                   "dismissed"}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST_F(CallTest, AnInterruptEndsTheCallWhileThePersonIsAsked) {
  const auto program = Run({"call", "dev", "demo__summarize", "text=x"}, true);
  Expect(program->Await("[a]nswer or [d]ecline? "));
  Expect(program->Say("\x03"));
  Expect(program->Await("interrupted"));
  EXPECT_EQ(ExitOf(*program), 1);
  EXPECT_EQ(Records("cancelled", 1).size(), 1u);
  EXPECT_TRUE(Eventually(kPatience, [&] { return OpenSessions() == 0; }));
}

TEST_F(CallTest, WithNoAnswersNothingIsAskedInATerminalEither) {
  const auto program =
      Run({"call", "dev", "demo__summarize", "text=x", "--no-answers"}, true);
  Expect(program->Await("error -32601"));
  EXPECT_EQ(ExitOf(*program), 1);
}

// ---- GET / ----

TEST_F(CallTest, TheWorkersFrontPageNamesItsVirtualServers) {
  EXPECT_THAT(FrontPage(), AllOf(HasSubstr("200 OK"), HasSubstr("text/plain"),
                                 HasSubstr("http://localhost/mcp/dev")));
  EXPECT_THAT(FrontPage("HEAD"), HasSubstr("HTTP/1.1 405"));
}

class CallDeadlineTest : public CallTest {
 protected:
  CallDeadlineTest() { reply_deadline_ = "5s"; }
};

TEST_F(CallDeadlineTest, APersonWhoTakesTooLongIsToldAndNothingIsMadeUp) {
  const auto program =
      Run({"call", "dev", "demo__book_table", "restaurant=x"}, true);
  Expect(program->Await("[f]ill it in"));
  Expect(program->Await("(withdrawn: nobody waits for this answer any more)"));
  Expect(program->Await("error -32603"));
  EXPECT_EQ(ExitOf(*program), 1);
  EXPECT_EQ(Records("expired", 1).size(), 1u);
  EXPECT_EQ(CountRecords("dismissed"), 0u);
}

}  // namespace
}  // namespace gatehouse::testing
