// Where a URL leads, and how letters look. Defends invariant 1's promise to the
// person: nobody is sent where the operator did not allow, or behind a name
// that reads like another.

#include "controlplane/trust/web_url.h"

#include <gtest/gtest.h>

#include "controlplane/trust/unicode_text.h"

namespace gatehouse::trust {
namespace {

TEST(WebUrlTest, HasItsPartsInLowerCase) {
  const auto url = ParseWebUrl("HTTPS://User@Login.Example.COM.:8443/A?B=//c");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "login.example.com");
  EXPECT_TRUE(url->has_user_info);
}

TEST(WebUrlTest, TheHostIsBehindTheLastAt) {
  const auto url = ParseWebUrl("https://a.test@b.test@c.test/@d.test");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->host, "c.test");
}

TEST(WebUrlTest, APathOrQueryOrFragmentEndsTheAuthority) {
  for (const char* text : {"https://a.test/@b.test", "https://a.test?@b.test",
                           "https://a.test#@b.test", "https://a.test"}) {
    const auto url = ParseWebUrl(text);
    ASSERT_TRUE(url.has_value()) << text;
    EXPECT_EQ(url->host, "a.test") << text;
    EXPECT_FALSE(url->has_user_info) << text;
  }
}

TEST(WebUrlTest, WhatBrowsersWouldReadMoreIntoIsNone) {
  for (const char* text :
       {"https:a.test", "https:/a.test", "//a.test", "https://", "a.test",
        "https://1.2.3", "https://1.2.3.04", "https://017700000001",
        "https://[::g]/", "https://[1:2:3:4:5:6:7:8:9]", "https://a..test",
        "https://-a.test", "https://a-.test", "https://a_b.test",
        "https://a.test:80:80/", "https://a.test:-1/", "https://:80/"}) {
    EXPECT_FALSE(ParseWebUrl(text).has_value()) << text;
  }
}

TEST(WebUrlTest, LoopbackIsWhatStaysOnTheMachine) {
  for (const char* text :
       {"http://localhost", "http://a.localhost:1", "http://127.0.0.1",
        "http://127.255.0.1", "http://[::1]:80"}) {
    EXPECT_TRUE(IsLoopback(*ParseWebUrl(text))) << text;
  }
  for (const char* text :
       {"http://localhost.test", "http://notlocalhost", "http://128.0.0.1",
        "http://127.0.0.1.test", "http://[::2]", "http://0.0.0.0"}) {
    EXPECT_FALSE(IsLoopback(*ParseWebUrl(text))) << text;
  }
}

TEST(WebUrlTest, PunycodeIsSeenAndMixedScriptsBehindIt) {
  // `аpple` with a Cyrillic а; `bücher`; `пример` in Cyrillic alone.
  EXPECT_TRUE(HasPunycode("xn--pple-43d.com"));
  EXPECT_TRUE(MixesScripts("xn--pple-43d.com"));
  EXPECT_TRUE(HasPunycode("www.xn--bcher-kva.example"));
  EXPECT_FALSE(MixesScripts("www.xn--bcher-kva.example"));
  EXPECT_FALSE(MixesScripts("xn--e1afmkfd.example"));
  EXPECT_FALSE(HasPunycode("example.com"));
  EXPECT_FALSE(MixesScripts("example.com"));
}

TEST(UnicodeTextTest, FoldsWhatLooksLatin) {
  EXPECT_EQ(Folded("password"), "password");
  EXPECT_EQ(Folded("раsswоrd"), "password");        // Cyrillic а, р, о
  EXPECT_EQ(Folded("Ｐａｓｓ"), "Pass");            // full width
  EXPECT_EQ(Folded("𝐩𝐚𝐬𝐬"), "pass");                // mathematical
  EXPECT_EQ(Folded("pa\u200Bss\u2060w"), "passw");  // invisible
  EXPECT_EQ(Folded("señа"), "sena");                // accent, Cyrillic
  EXPECT_EQ(Folded("tоkеn"), "token");              // Cyrillic о, е
  EXPECT_EQ(Folded("τoкeп"), "tokeп");              // τ, Cyrillic к
  EXPECT_EQ(Folded("ρin"), "pin");                  // Greek
}

TEST(UnicodeTextTest, LeavesOtherScriptsAsTheyAre) {
  EXPECT_EQ(Folded("密码"), "密码");
  EXPECT_EQ(Folded(""), "");
}

}  // namespace
}  // namespace gatehouse::trust
