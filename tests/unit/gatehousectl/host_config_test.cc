// The JSON files of MCP hosts are read, or refused with what to do.

#include "tools/gatehousectl/host_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gatehouse::ctl {
namespace {

using testing::HasSubstr;

struct FileCase {
  const char* name;
  std::string text;
  std::string want;  // an error, or the keys of the servers
};
class HostFileTest : public testing::TestWithParam<FileCase> {};
TEST_P(HostFileTest, IsReadOrRefused) {
  const absl::StatusOr<HostConfig> config = ReadHostConfig(GetParam().text);
  if (!config.ok()) {
    EXPECT_THAT(std::string(config.status().message()),
                HasSubstr(GetParam().want));
    return;
  }
  std::string keys;
  for (const HostServer& server : config->servers) {
    absl::StrAppend(&keys, server.key, " ");
  }
  EXPECT_EQ(keys, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    Files, HostFileTest,
    testing::ValuesIn<FileCase>({
        {"ClaudesIsRead", R"({"mcpServers":{"a":{"command":"x"}}})", "a "},
        {"VsCodesIsRead",
         R"({"inputs":[],"servers":{"a":{"url":"http://h/"}}})", "a "},
        {"VsCodesSettingsAreRead",
         R"({"mcp":{"servers":{"a":{"command":"x"}}},"editor":1})", "a "},
        {"CommentsAndTrailingCommasAreAllowed",
         "\xef\xbb\xbf{ // c\n\"mcpServers\": { /* \" */ \"a\": "
         "{\"command\":\"//x\",}, }, }",
         "a "},
        {"NoJsonIsRefusedWithThePlace", R"({"mcpServers":{"a" 1}})", "offset"},
        {"AFileWithoutServersIsRefused", R"({"x":1})", "has no `mcpServers`"},
        {"AListIsRefused", "[]", "has no `mcpServers`"},
        {"AMemberTwiceIsRefused",
         R"({"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}})",
         "/mcpServers/a"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::ctl
