// The parts of gatehousectl's MCP client that are pure: what is shown never
// acts on the terminal, and what a person typed is judged before it is sent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/mcp/answers.h"
#include "tools/gatehousectl/mcp/call_arguments.h"
#include "tools/gatehousectl/mcp/form.h"
#include "tools/gatehousectl/mcp/line_reader.h"
#include "tools/gatehousectl/mcp/result_text.h"
#include "tools/gatehousectl/mcp/worker_target.h"
#include "tools/gatehousectl/mcp/worker_trouble.h"

namespace gatehouse::ctl {
namespace {

using testing::HasSubstr;
using testing::Not;

// The one field of a form whose property is `property`.
FormField FieldOf(const std::string& property, bool required) {
  const auto schema = json::Document::Parse(
      absl::StrCat(R"({"type":"object","properties":{"p":)", property,
                   R"(},"required":[)", required ? R"("p")" : "", "]}"));
  EXPECT_TRUE(schema.ok()) << schema.status();
  const auto fields = ReadForm(schema->root());
  EXPECT_TRUE(fields.ok()) << fields.status();
  return fields.ok() ? fields->front() : FormField{};
}

constexpr char kText[] = R"({"type":"string","minLength":2,"maxLength":4})";
constexpr char kCount[] = R"({"type":"integer","minimum":1,"maximum":12})";
constexpr char kOne[] =
    R"({"type":"string","oneOf":[{"const":"gl","title":"Ledger"},)"
    R"({"const":"ap","title":"Payables"}],"default":"gl"})";
constexpr char kSome[] =
    R"({"type":"array","minItems":1,"items":{"type":"string",)"
    R"("enum":["mail","chat"]}})";

struct FieldCase {
  const char* name;
  std::string property;
  bool required;
  std::string typed;
  std::optional<std::string> json;  // nothing: refused
};
class FieldTest : public testing::TestWithParam<FieldCase> {};
TEST_P(FieldTest, TakesWhatFits) {
  const auto read = ReadField(FieldOf(GetParam().property, GetParam().required),
                              GetParam().typed);
  ASSERT_EQ(read.ok(), GetParam().json.has_value()) << read.status();
  if (read.ok()) {
    EXPECT_EQ(*read, *GetParam().json);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Fields, FieldTest,
    testing::ValuesIn<FieldCase>({
        {"TextWithinItsBounds", kText, true, "abc", R"("abc")"},
        {"TextIsCountedInCharacters", kText, true, "\xc3\xa9\xc3\xa9\xc3\xa9",
         "\"\xc3\xa9\xc3\xa9\xc3\xa9\""},
        {"TextTooShort", kText, true, "a", std::nullopt},
        {"TextTooLong", kText, true, "abcde", std::nullopt},
        {"QuotesAreEscaped", R"({"type":"string"})", true, "a\"b", R"("a\"b")"},
        {"AnEmptyTextMayBeRequired", R"({"type":"string"})", true, "", R"("")"},
        {"AnOptionalFieldIsLeftOutByEnter", kText, false, "", ""},
        {"AndByADash", kText, false, "-", ""},
        {"ARequiredOneIsNot", kText, true, "", std::nullopt},
        {"AWholeNumber", kCount, true, " 4 ", "4"},
        {"OverItsBound", kCount, true, "13", std::nullopt},
        {"AFractionIsNoWholeNumber", kCount, true, "4.0", std::nullopt},
        {"WordsAreNoNumber", kCount, true, "four", std::nullopt},
        {"ANumberGoesOutAsItWasTyped", R"({"type":"number"})", true, "1.50",
         "1.50"},
        {"Yes", R"({"type":"boolean"})", true, "y", "true"},
        {"No", R"({"type":"boolean"})", true, "No", "false"},
        {"MaybeIsNeither", R"({"type":"boolean"})", true, "maybe",
         std::nullopt},
        {"ADate", R"({"type":"string","format":"date"})", true, "2027-02-28",
         R"("2027-02-28")"},
        {"NoSuchDay", R"({"type":"string","format":"date"})", true,
         "2027-02-30", std::nullopt},
        {"ADateAndTime", R"({"type":"string","format":"date-time"})", true,
         "2027-01-31T19:30:00Z", R"("2027-01-31T19:30:00Z")"},
        {"NoEmail", R"({"type":"string","format":"email"})", true, "ada",
         std::nullopt},
        {"NoUri", R"({"type":"string","format":"uri"})", true, "example",
         std::nullopt},
        {"AChoiceByNumber", kOne, true, "2", R"("ap")"},
        {"AChoiceByValue", kOne, true, "ap", R"("ap")"},
        {"AChoiceByTitle", kOne, true, "Payables", R"("ap")"},
        {"TheDefaultByEnter", kOne, true, "", R"("gl")"},
        {"NoSuchChoice", kOne, true, "3", std::nullopt},
        {"SomeChoices", kSome, true, "2, mail", R"(["chat","mail"])"},
        {"TooFewChoices", kSome, true, ",", std::nullopt},
        {"EnumWithNames",
         R"({"type":"string","enum":["a","b"],"enumNames":["A!","B!"]})", true,
         "B!", R"("b")"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(FieldTextTest, SaysWhatFitsAndWhatEnterDoes) {
  EXPECT_EQ(FieldText(FieldOf(kCount, true)),
            "p, required: a whole number, 1 to 12\n");
  EXPECT_EQ(FieldText(FieldOf(kOne, false)),
            "p, optional: one of these, by its number or as it stands\n"
            "  1) gl (Ledger)\n  2) ap (Payables)\n"
            "  Enter takes \"gl\"; - leaves it out\n");
  EXPECT_THAT(
      FieldText(
          FieldOf("{\"type\":\"string\",\"title\":\"a\\u001b[2J\"}", false)),
      HasSubstr("(a\\u001b[2J), optional: text\n  Enter leaves it out\n"));
}

TEST(ReadFormTest, RefusesWhatCannotBeAskedFor) {
  for (const std::string property :
       {R"({"type":"object"})", R"({"$ref":"#"})", R"({"type":"array"})"}) {
    const auto schema = json::Document::Parse(
        absl::StrCat(R"({"properties":{"p":)", property, "}}"));
    ASSERT_TRUE(schema.ok());
    EXPECT_THAT(std::string(ReadForm(schema->root()).status().message()),
                HasSubstr("/properties/p"));
  }
}

TEST(SamplingTextTest, ShowsAllOfTheRequestAndNothingActs) {
  const std::string text = SamplingText(
      R"({"messages":[{"role":"user","content":{"type":"text",)"
      R"("text":"a\nb\u001b[2J\u202e"}},{"role":"assistant","content":)"
      R"([{"type":"image","mimeType":"image/png","data":"AAAA"}]}],)"
      R"("systemPrompt":"be\nbrief","maxTokens":9,"temperature":0.5,)"
      R"("_meta":{"io.gatehouse/origin":{"virtualServer":"v","upstream":"u",)"
      R"("tool":"t"}}})");
  EXPECT_THAT(text, HasSubstr("Upstream u (tool t) asks"));
  EXPECT_THAT(text, HasSubstr("user:\n  | a\n  | b\\u001b[2J\\u202e\n"));
  EXPECT_THAT(text, HasSubstr("data: 4 characters of base64"));
  EXPECT_THAT(text, HasSubstr("system prompt:\n  | be\n  | brief\n"));
  EXPECT_THAT(text, HasSubstr("maxTokens: 9\ntemperature: 0.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(AnswersTest, DeclaresOnlyWhatItCanAnswer) {
  EXPECT_EQ(Answers(nullptr, {}).Capabilities(), "{}");
  EXPECT_EQ(Answers(nullptr, {"/srv"}).Capabilities(), R"({"roots":{}})");
  Terminal terminal(-1, -1, {-1, -1});
  EXPECT_EQ(Answers(&terminal, {}).Capabilities(),
            R"({"sampling":{},"elicitation":{"form":{}}})");
}

TEST(FileUriTest, EncodesWhatAUriCannotHold) {
  EXPECT_EQ(FileUri("/a b/\xc3\xa9%"), "file:///a%20b/%C3%A9%25");
}

struct ArgumentsCase {
  const char* name;
  std::vector<std::string> words;
  std::optional<std::string> json;  // nothing: refused
};
class ArgumentsTest : public testing::TestWithParam<ArgumentsCase> {};
TEST_P(ArgumentsTest, AreReadOrRefused) {
  const auto schema = json::Document::Parse(
      R"({"properties":{"n":{"type":"integer"},"s":{"type":"string"},)"
      R"("b":{"type":"boolean"},"l":{"type":"array"}}})");
  ASSERT_TRUE(schema.ok());
  const auto read = CallArguments(GetParam().words, schema->root());
  ASSERT_EQ(read.ok(), GetParam().json.has_value()) << read.status();
  if (read.ok()) {
    EXPECT_EQ(*read, *GetParam().json);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Words, ArgumentsTest,
    testing::ValuesIn<ArgumentsCase>({
        {"NoneIsAnEmptyObject", {}, "{}"},
        {"AnObjectIsTakenAsItStands",
         {R"({ "n": 18446744073709551615 })"},
         R"({ "n": 18446744073709551615 })"},
        {"PairsAreTypedByTheSchema",
         {"n=3", "s=3", "b=true", "l=[1]", "x=y=z"},
         R"({"n":3,"s":"3","b":true,"l":[1],"x":"y=z"})"},
        {"JsonBehindColonEquals", {R"(x:={"a":1})"}, R"({"x":{"a":1}})"},
        {"AnEmptyTextIsAValue", {"s="}, R"({"s":""})"},
        {"AWrongTypeIsRefused", {"n=many"}, std::nullopt},
        {"AFractionIsNoInteger", {"n=1.5"}, std::nullopt},
        {"BrokenJsonIsRefused", {"x:={"}, std::nullopt},
        {"AWordWithoutEqualsIsRefused", {"n"}, std::nullopt},
        {"ANameTwiceIsRefused", {"s=1", "s=2"}, std::nullopt},
        {"AnObjectAndPairsAreRefused", {"{}", "s=1"}, std::nullopt},
        {"BrokenObjectsAreRefused", {"{"}, std::nullopt},
    }),
    [](const auto& c) { return std::string(c.param.name); });

ExchangeEnd EndOf(int status, const std::string& body) {
  ExchangeEnd end;
  end.http_status = status;
  end.body = body;
  return end;
}
constexpr char kError[] = R"({"jsonrpc":"2.0","error":{"code":-32600,)"
                          R"("message":"no"}})";

struct TroubleCase {
  const char* name;
  ExchangeEnd end;
  bool in_session;
  WorkerTrouble::Kind kind;
  std::string says;
};
class TroubleTest : public testing::TestWithParam<TroubleCase> {};
TEST_P(TroubleTest, SaysWhatToDo) {
  const WorkerTrouble trouble =
      TroubleOf(GetParam().end, "http://w/mcp/v", GetParam().in_session);
  EXPECT_EQ(trouble.kind, GetParam().kind) << trouble.message;
  EXPECT_THAT(trouble.message, HasSubstr(GetParam().says));
  EXPECT_THAT(trouble.message, testing::StartsWith("http://w/mcp/v: "));
}
INSTANTIATE_TEST_SUITE_P(
    Ends, TroubleTest,
    testing::ValuesIn<TroubleCase>({
        {"NobodyThere",
         {.status = absl::UnavailableError("refused")},
         false,
         WorkerTrouble::Kind::kUnreachable,
         "./tools/up"},
        {"Silence",
         {.status = absl::DeadlineExceededError("x")},
         true,
         WorkerTrouble::Kind::kUnreachable,
         "did not answer in time"},
        {"NoToken", EndOf(401, kError), false,
         WorkerTrouble::Kind::kNotPermitted, "--token-file"},
        {"LostSession", EndOf(404, kError), true,
         WorkerTrouble::Kind::kSessionLost, "the session is lost"},
        {"NoVirtualServer", EndOf(404, R"({"error":"no virtual server"})"),
         false, WorkerTrouble::Kind::kNoVirtualServer, "policy list"},
        {"AVirtualServerThatIsGone",
         EndOf(404, R"({"error":"no virtual server"})"), true,
         WorkerTrouble::Kind::kNoVirtualServer, "policy list"},
        {"TheWorkersOwnError", EndOf(400, kError), true,
         WorkerTrouble::Kind::kRefused, "HTTP status 400"},
        {"AnErrorThatIsNone", EndOf(400, R"({"error":{}})"), true,
         WorkerTrouble::Kind::kBroken, "is that a Gatehouse worker?"},
        {"SomebodyElse", EndOf(500, "<html>"), false,
         WorkerTrouble::Kind::kBroken, "is that a Gatehouse worker?"},
        {"AStreamThatBrokeOff", EndOf(200, ""), true,
         WorkerTrouble::Kind::kBroken, "broke off"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(TroubleResponseTest, TheWorkersErrorIsPassedAsItStands) {
  EXPECT_EQ(TroubleResponse(TroubleOf(EndOf(400, kError), "w", true), "7"),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-32600,)"
            R"("message":"no"}})");
}

TEST(TroubleResponseTest, IsOneLineHoweverTheErrorCame) {
  const std::string response = TroubleResponse(
      TroubleOf(EndOf(400,
                      "{\n \"error\": {\n  \"code\": -32600,\r\n"
                      "  \"message\": \"no\"\n }\n}"),
                "w", true),
      "7");
  EXPECT_EQ(response.find_first_of("\r\n"), std::string::npos) << response;
  EXPECT_THAT(response, HasSubstr("-32600"));
}

TEST(LineReaderTest, CutsLinesAndSkipsThoseThatAreTooLong) {
  std::vector<std::string> lines;
  int too_long = 0;
  LineReader reader(
      4, [&](std::string line) { lines.push_back(std::move(line)); },
      [&] { ++too_long; });
  reader.Feed("ab\r\n\ncd");
  reader.Feed("ef\nx");
  reader.Feed("12345");
  reader.Feed("678\nyy");
  reader.End();
  EXPECT_EQ(lines, (std::vector<std::string>{"ab", "cdef", "yy"}));
  EXPECT_EQ(too_long, 1);
}

TEST(ResultTextTest, TextsStandOnTheirLinesAndNothingActs) {
  EXPECT_EQ(
      ResultText(R"({"content":[{"type":"text","text":"a\nb\u001b"},)"
                 R"({"type":"image","mimeType":"image/png","data":"AAAA"}]})"),
      "a\nb\\u001b\n[image image/png, 4 characters of base64]\n");
  EXPECT_EQ(ResultText(R"({"content":[],"structuredContent":{"n":1}})"),
            "{\"n\":1}\n");
  EXPECT_TRUE(IsErrorResult(R"({"content":[],"isError":true})"));
  EXPECT_EQ(ErrorText(R"({"code":-31001,"message":"m","data":)"
                      R"({"reason":"budget_exhausted"}})"),
            "error -31001 (budget_exhausted): m");
}

TEST(WorkerTargetTest, NamesAndUrlsAreChecked) {
  EXPECT_TRUE(Resolve({.name = "dev"}).ok());
  EXPECT_EQ(WorkerTarget({.name = "dev", .url = "http://h:1/"}).ToString(),
            "http://h:1/mcp/dev");
  EXPECT_FALSE(Resolve({.name = "Dev"}).ok());
  EXPECT_FALSE(Resolve({.name = "dev", .url = "http://h/mcp/dev"}).ok());
  EXPECT_FALSE(Resolve({.name = "dev", .url = "ftp://h"}).ok());
  EXPECT_FALSE(Resolve({.name = "dev", .token_file = "/nowhere"}).ok());
}

}  // namespace
}  // namespace gatehouse::ctl
