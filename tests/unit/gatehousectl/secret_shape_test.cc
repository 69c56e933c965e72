// What looks like a secret is found wherever it stands in a word.

#include "tools/gatehousectl/secret_shape.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::ctl {
namespace {

// What an argument, a variable or a URL hides wherever the secret stands in it.
struct ShapeCase {
  const char* name;
  std::string before;  // the word in front of it
  std::string word;
  bool secret = true;
};
class SecretShapeTest : public testing::TestWithParam<ShapeCase> {};
TEST_P(SecretShapeTest, IsTakenForOneOrNot) {
  EXPECT_EQ(ArgumentSuggestsSecret(GetParam().before, GetParam().word),
            GetParam().secret);
}
INSTANTIATE_TEST_SUITE_P(
    Words, SecretShapeTest,
    testing::ValuesIn<ShapeCase>({
        {"AVariableWithinAFlag", "", "--env=DB_PASSWORD=hunter2"},
        {"AHeaderWithinAFlag", "", "--header=Authorization: Bearer hunter2"},
        {"AVariableBehindAFlag", "-e", "NAME=value"},
        {"AVariableJoinedToAFlag", "", "-eNAME=value"},
        {"AHeaderBehindAFlag", "-H", "X-Thing: hunter2"},
        {"ALoginBehindAFlag", "-u", "ada:hunter2"},
        {"AScriptThatExports", "-c", "export API_KEY=hunter2 && exec tool"},
        {"AScriptWithABearer", "-c", "curl -H 'Bearer hunter2' x"},
        {"AConnectionString", "", "Server=db;User Id=a;Password=hunter2"},
        {"AShortConnectionString", "", "host=db user=a pwd = hunter2"},
        {"HeadersAsJson", "", R"({"X":1,"authorization": "hunter2"})"},
        {"HeadersAsJsonTwice", "", R"("{\"Authorization\":\"hunter2\"}")"},
        {"AUrlWithAUuid", "",
         "https://h.example/s/3f2a9c71-e4b0-4d0f-8f3e-6b1a2c5d7e90/mcp"},
        {"AUrlWithASignature", "", "https://h.example/m?a=1&sig=x"},
        {"AUrlWithAToken", "", "https://h.example/m?token=x"},
        {"AUrlWithAKey", "", "https://h.example/m?key=x"},
        {"AUrlWithACode", "", "https://h.example/m?code=x"},
        {"AUrlBehindAPlainOne", "", "http://a/b https://u:hunter2@h/"},
        {"AnImage", "", "ghcr.io/some/auth-server:1.2", false},
        {"APackage", "", "@scope/server-time@1.2.3", false},
        {"APlainUrl", "", "https://auth.example.com:8443/mcp", false},
        {"APlainFlag", "", "--transport=stdio", false},
        {"AVariableThatIsPassedOn", "-e", "API_KEY", false},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::ctl
