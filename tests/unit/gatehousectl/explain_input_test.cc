// Invariant 9, bytes pass unchanged: what is judged is what the file holds, so
// a fault in it (a name twice, an odd number) reaches the judge.

#include "tools/gatehousectl/explain_input.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace gatehouse::ctl {
namespace {

struct RequestCase {
  const char* name;
  const char* text;
  const char* method;
  const char* params;
};

class ReadInputRequestTest : public testing::TestWithParam<RequestCase> {};

TEST_P(ReadInputRequestTest, CutsItOutByteForByte) {
  const auto request = ReadInputRequest(GetParam().text);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->method, GetParam().method);
  EXPECT_EQ(request->params, GetParam().params);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, ReadInputRequestTest,
    testing::ValuesIn<RequestCase>({
        {"AWholeJsonRpcMessage",
         R"({"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"a": 1}})",
         "roots/list", R"({"a": 1})"},
        {"MethodAndParamsAlone", R"( {"params":{},"method":"x"} )", "x", "{}"},
        {"NoParams", R"({"method":"roots/list"})", "roots/list", ""},
        {"AMethodWithEscapes", R"({"method":"roots\/list"})", "roots/list", ""},
        {"FaultsWithinTheParamsStay",
         R"({"method":"x","params":{"a":1.0e0,"a" :18446744073709551615}})",
         "x", R"({"a":1.0e0,"a" :18446744073709551615})"},
        {"ParamsThatAreNoObject", R"({"method":"x","params":[1, 2]})", "x",
         "[1, 2]"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ReadInputRequest, RefusesWhatIsNoRequest) {
  for (const char* text : {"", "[]", "{}", "x", R"({"method":1})",
                           R"({"method":""})", R"({"method":"x","method":"y"})",
                           R"({"result":{}})", R"({"method":"x"} {})"}) {
    const auto request = ReadInputRequest(text);
    EXPECT_EQ(request.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(ReadInputResponse, TakesAResultOrAnErrorByteForByte) {
  const auto result =
      ReadInputResponse(R"({"jsonrpc":"2.0","id":1,"result":{"a": [1,1]}})");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->result, R"({"a": [1,1]})");
  EXPECT_FALSE(result->error.has_value());
  const auto error = ReadInputResponse(R"({"error": {"code":-1} })");
  ASSERT_TRUE(error.ok()) << error.status();
  EXPECT_EQ(error->error, R"({"code":-1})");
  EXPECT_FALSE(error->result.has_value());
}

TEST(ReadInputResponse, RefusesBothAndNeither) {
  for (const char* text : {"{}", R"({"result":{},"error":{}})", "3"}) {
    EXPECT_FALSE(ReadInputResponse(text).ok()) << text;
  }
}

TEST(ReadJsonFile, IsBoundedAndNamesTheFile) {
  const std::string path = testing::TempDir() + "/explain_input_test.json";
  std::ofstream(path) << "{\"a\":1}";
  EXPECT_EQ(*ReadJsonFile(path, 7), "{\"a\":1}");
  const auto larger = ReadJsonFile(path, 6);
  EXPECT_EQ(larger.status().message(),
            path + ": over 6 bytes, which is more than is judged");
  EXPECT_FALSE(ReadJsonFile(path + ".none", 7).ok());
  EXPECT_FALSE(ReadJsonFile(testing::TempDir(), 7).ok());
}

}  // namespace
}  // namespace gatehouse::ctl
