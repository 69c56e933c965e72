// The small grammars of content blocks.

#include <gtest/gtest.h>

#include "controlplane/trust/binary.h"

namespace gatehouse::trust {
namespace {

TEST(Base64Test, TakesThePaddedStandardAlphabetOnly) {
  for (const char* good : {"", "aGk=", "aA==", "abcd", "+/+/"}) {
    EXPECT_TRUE(IsBase64(good)) << good;
  }
  for (const char* bad :
       {"aGk", "a===", "====", "a-_=", "aG k", "aGk=\n", "aA=A"}) {
    EXPECT_FALSE(IsBase64(bad)) << bad;
  }
}

TEST(MimeTypeTest, WantsATypeAndASubtype) {
  for (const char* good :
       {"image/png", "application/vnd.x+json", "text/plain; charset=utf-8"}) {
    EXPECT_TRUE(IsMimeType(good)) << good;
  }
  for (const char* bad : {"", "png", "/png", "image/", "image /png",
                          "image/png\r\nx", "image/png; \x01"}) {
    EXPECT_FALSE(IsMimeType(bad)) << bad;
  }
}

}  // namespace
}  // namespace gatehouse::trust
