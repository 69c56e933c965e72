#include "dataplane/downstream/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "shared/base/digest.h"

namespace gatehouse::downstream {
namespace {

std::string Line(const std::string& name, const std::string& token) {
  return name + " " + HexEncode(Sha256(token)) + "\n";
}

TEST(IdentitiesTest, WithoutAFileEverybodyIsAnonymous) {
  const auto principal = Identities::Anonymous().Authenticate({});
  ASSERT_TRUE(principal.has_value());
  EXPECT_EQ(principal->subject, "anonymous");
}

TEST(IdentitiesTest, ATokenNamesItsClient) {
  const auto identities = Identities::Parse(
      "# clients\n\n" + Line("ada", "t1") + Line("bob", "t2"));
  ASSERT_TRUE(identities.ok()) << identities.status();
  const auto principal =
      identities->Authenticate({{"authorization", "bearer t2"}});
  ASSERT_TRUE(principal.has_value());
  EXPECT_EQ(*principal, (Principal{"gatehouse", "bob"}));
}

TEST(IdentitiesTest, WhoeverDoesNotSayIsNotLetIn) {
  const auto identities = Identities::Parse(Line("ada", "t1"));
  ASSERT_TRUE(identities.ok());
  EXPECT_FALSE(identities->Authenticate({}).has_value());
  EXPECT_FALSE(identities->Authenticate({{"Authorization", "Bearer wrong"}}));
  EXPECT_FALSE(identities->Authenticate({{"Authorization", "Bearer "}}));
  EXPECT_FALSE(identities->Authenticate({{"Authorization", "Basic t1"}}));
  EXPECT_FALSE(identities->Authenticate(
      {{"Authorization", "Bearer t1"}, {"Authorization", "Bearer t1"}}));
}

struct FileCase {
  const char* name;
  std::string file;
  const char* error;
};
class ClientTokensFileTest : public testing::TestWithParam<FileCase> {};
TEST_P(ClientTokensFileTest, IsRefusedWithTheLineThatIsWrong) {
  const auto identities = Identities::Parse(GetParam().file);
  ASSERT_FALSE(identities.ok());
  EXPECT_THAT(std::string(identities.status().message()),
              testing::HasSubstr(GetParam().error));
}
INSTANTIATE_TEST_SUITE_P(
    Files, ClientTokensFileTest,
    testing::ValuesIn<FileCase>(
        {{"AnEmptyFileLetsNobodyIn", "# none\n", "no client"},
         {"ANameAlone", "ada\n", "line 1"},
         {"ATokenInTheClear", "ada secret\n", "line 1"},
         {"AnonymousIsNoName", Line("anonymous", "t"), "line 1"},
         {"OneTokenForTwo", Line("ada", "t") + Line("bob", "t"), "line 2"}}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::downstream
