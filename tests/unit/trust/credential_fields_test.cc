// The detector of fields that ask for a credential, by the tricks that hide one
// and by honest labels that read like one. Defends the promise of PROTOCOL 7.5
// to the person: no form asks for a password, key, token, card or one-time
// code.

#include "controlplane/trust/credential_fields.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::trust {
namespace {

TEST(CredentialFieldsTest, SeesThroughSigns) {
  for (const char* text : {"API\u2011key",   "API–key",    "one‑time code",
                           "“PIN”",          "PIN—please", "your PIN’s digits",
                           "«token»",        "token→",     "•token",
                           "PIN。",          "【PIN】",    "pass·word",
                           "pass\u2800word", "pass•word",  "API\u2028key",
                           "tok\u2028en",    "🔑token",     "password!",
                           "(pin)",          "your_otp:"}) {
    EXPECT_TRUE(NamesACredential(text)) << text;
  }
}

TEST(CredentialFieldsTest, SeesThroughDirection) {
  for (const char* text : {"\u202edrowssap", "\u202enekot", "\u202eNIP",
                           "\u202eyek ipa", "word\u202epass", "\u202dname"}) {
    EXPECT_TRUE(NamesACredential(text)) << text;
  }
}

TEST(CredentialFieldsTest, SeesThroughSplittingAndCase) {
  for (const char* text :
       {"p i n",       "P.I.N.",         "o-t-p",    "C V V",
        "t o k e n",   "se cret",        "sec\nret", "P\bIN",
        "pIn",         "ToKeN",          "sEcReT",   "PINcode",
        "TOKENvalue",  "pincode",        "otpcode",  "cvvcode",
        "apitoken",    "githubtoken",    "mysecret", "secretvalue",
        "otps",        "enter your pIn", "gh_pat",   "cvv2",
        "APIToken",    "access-token",   "2fa",      "2 fa",
        "mot de passe"}) {
    EXPECT_TRUE(NamesACredential(text)) << text;
  }
  EXPECT_TRUE(NamesACredential(std::string_view("to\0ken", 6)));
}

TEST(CredentialFieldsTest, SeesThroughLikeness) {
  for (const char* text : {"t0ken",
                           "p1n",
                           "0tp",
                           "s3cret",
                           "pa55",
                           "k3y",
                           "c4rd",
                           "p4ssw0rd",
                           "credentia1",
                           "aplkey",
                           "prlvate key",
                           "credentlal",
                           "passvvord",
                           "onetirnecode",
                           "passworcl",
                           "p@ssword",
                           "pa$$word",
                           "p@$$w0rd",
                           "ᴘɪɴ",
                           "ᴀᴘɪ ᴋᴇʏ",
                           "ᴘᴀꜱꜱᴡᴏʀᴅ",
                           "PӀN",
                           "tokєn",
                           "tοkεn",
                           "τoken",
                           "РІΝ",
                           "🅿🅸🅽",
                           "раsswоrd",
                           "ｐａｓｓｗｏｒｄ",
                           "pass\u200bword"}) {
    EXPECT_TRUE(NamesACredential(text)) << text;
  }
}

TEST(CredentialFieldsTest, KnowsWordsOfOtherLanguages) {
  for (const char* text :
       {"пароль", "Пароль", "токен", "ПИН", "пин-код", "секрет", "密码",
        "パスワード", "비밀번호", "contraseña", "Kennwort", "hasło"}) {
    EXPECT_TRUE(NamesACredential(text)) << text;
  }
}

// Marks in descending classes are put in order by whoever normalises the whole
// text: 64 KiB of them took seconds. It must end within the test's own time.
TEST(CredentialFieldsTest, ManyMarksAreNoWork) {
  std::string title = "a";
  for (const char* mark : {"\u0345", "\u035D", "\u035C", "\u0315", "\u0300",
                           "\u0316", "\u031B", "\u0327", "\u0334"}) {
    for (int i = 0; i < 30'000; ++i) title += mark;
  }
  EXPECT_FALSE(NamesACredential(title));
  EXPECT_TRUE(NamesACredential(title + " password"));
}

TEST(CredentialFieldsTest, LeavesHonestLabelsAlone) {
  for (const char* text : {"name",
                           "Issue key",
                           "issueKey",
                           "keyboard",
                           "max tokens",
                           "tokens",
                           "tokenizer",
                           "opinion",
                           "discard",
                           "cardinality",
                           "secretary",
                           "shipping",
                           "passenger",
                           "bypass",
                           "spin",
                           "post card",
                           "amount in PLN",
                           "P47",
                           "map 2 favorites",
                           "2 factories",
                           "zip code",
                           "postal code",
                           "public key id",
                           "license key",
                           "client id",
                           "panel",
                           "spans",
                           "compare",
                           "first name",
                           "e-mail",
                           "имя",
                           "名前",
                           "שם",
                           "الاسم",
                           "Straße",
                           "año",
                           "author code",
                           "Pinned",
                           "social media",
                           "m@il",
                           ""}) {
    EXPECT_FALSE(NamesACredential(text)) << text;
  }
}

}  // namespace
}  // namespace gatehouse::trust
