// What the reference model (tests/model) found where the judge said another
// word. Defends invariants 3 (one judge) and 4 (judge, never repair) of the
// design.

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "controlplane/trust/credential_fields.h"
#include "controlplane/trust/web_url.h"
#include "shared/base/status.h"
#include "tests/unit/trust/verdicts.h"

namespace gatehouse::trust {
namespace {

TEST(CredentialWordsTest, KnowsThemInOtherScriptsInSmallAndCapitalLetters) {
  for (const char* text : {"пароль", "Пароль", "ПАРОЛЬ", "Ваш пароль", "密码",
                           "密碼", "パスワード", "비밀번호", "暗証番号"}) {
    EXPECT_TRUE(NamesACredential(text)) << text;
  }
  for (const char* text : {"имя", "名前", "Город", "паровоз"}) {
    EXPECT_FALSE(NamesACredential(text)) << text;
  }
}

TEST(CredentialWordsTest, ReadsASecondFactorAsOneWordOrTwo) {
  for (const char* text : {"2fa", "2 fa", "2-FA code", "my2fa"}) {
    EXPECT_TRUE(NamesACredential(text)) << text;
  }
  for (const char* text : {"2 facts", "room 2", "fa 2", "12 fast"}) {
    EXPECT_FALSE(NamesACredential(text)) << text;
  }
}

TEST(WebUrlTest, HasAPortOfDigitsAlone) {
  for (const char* port : {"", ":1", ":443", ":0443", ":65535"}) {
    EXPECT_TRUE(ParseWebUrl(absl::StrCat("https://a.example", port, "/")))
        << port;
  }
  for (const char* port : {":", ":0", ":00", ":65536", ":99999999999", ":+1",
                           ":8a", ": 1", ":443:1"}) {
    EXPECT_FALSE(ParseWebUrl(absl::StrCat("https://a.example", port, "/")))
        << port;
  }
}

TEST(ElicitationResponseTest, AnAcceptedUrlIsNotRefusedForWhatIsNotDelivered) {
  const std::string request =
      R"({"mode":"url","message":"m","url":"https://a.example/",)"
      R"("elicitationId":"e-1"})";
  for (const char* beside : {R"("_meta":[])", R"("content":7)"}) {
    const std::string result =
        absl::StrCat(R"({"action":"accept",)", beside, "}");
    const ResponseVerdict verdict =
        JudgeResponse(OpenPolicy(), Answered(kElicitation, request, result));
    EXPECT_EQ(Short(verdict), "answered") << beside;
    EXPECT_EQ(verdict.result.value_or(""), R"({"action":"accept"})") << beside;
  }
}

TEST(SamplingConversionTest, ObjectsToTheFirstMessageThatCannotBeCarried) {
  const std::string params =
      R"({"messages":[{"role":"assistant","content":{"type":"tool_use",)"
      R"("id":"1","name":"n","input":{}}},{"role":"user","content":)"
      R"({"type":"tool_result","toolUseId":"1","content":[]}},)"
      R"({"role":"user","content":[{"type":"text","text":"a"},)"
      R"({"type":"text","text":"b"}]}],"maxTokens":5})";
  const auto failure = std::get<Failure>(
      JudgeRequest(OpenPolicy(), Asked(kSampling, params, k1125, k0618)));
  EXPECT_EQ(failure.rule, "content-representable");
  EXPECT_EQ(failure.path, "/messages/0/content");
}

}  // namespace
}  // namespace gatehouse::trust
