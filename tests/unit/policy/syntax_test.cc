// What may be written as a policy document at all, in YAML and in JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "controlplane/policy/text_rules.h"
#include "tests/unit/policy/documents.h"

namespace gatehouse::policy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct SyntaxCase {
  const char* name;
  std::string document;
  const char* want;  // part of one `path: message`
};

class SyntaxTest : public testing::TestWithParam<SyntaxCase> {};

TEST_P(SyntaxTest, IsRefusedWithItsReason) {
  EXPECT_THAT(Texts(ParseVirtualServer(GetParam().document)),
              testing::Contains(HasSubstr(GetParam().want)));
}

std::string Nested(const std::string& open, const std::string& close,
                   int depth) {
  std::string text = "x: ";
  for (int i = 0; i < depth; ++i) text += open;
  text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return Least(text);
}

const SyntaxCase kCases[] = {
    {"nothing", "", ": is empty"},
    {"only space", " \n\t ", ": is empty"},
    {"a list", "- a\n- b", ": expected a map of fields"},
    {"a text", "hello", ": expected a map of fields"},
    {"an anchor", Least("trust: &t { sampling: {} }"), "trust: anchors"},
    {"an alias", Least("catalogue: &t {}\ntrust: *t"), "trust: aliases"},
    {"a tag", Least("replyDeadline: !!str 30s"), "replyDeadline: tags"},
    {"a tag on a map", Least("trust: !mine {}"), "trust: tags"},
    {"a key twice", Least("name: prod"), "name: stands twice"},
    {"a nested key twice",
     Least("limits: {formProperties: 1, formProperties: 2}"),
     "limits.formProperties: stands twice"},
    {"a list as a key", Least("? [a, b]\n: c"), ": a key must be a plain text"},
    {"a second document", Least("---\nkind: VirtualServer"),
     ": has a second document"},
    {"broken YAML", Least("trust: { sampling: "), ": line "},
    {"lists nested too deep", Nested("[", "]", 40), "nested deeper than 32"},
    {"maps nested too deep", Nested("{a: ", "}", 40), "nested deeper than 32"},
    {"lists nested far too deep", Nested("[", "]", 5000), ": "},
    {"more than 1 MiB", Least("# " + std::string(1 << 20, 'x')),
     ": is longer than 1048576 bytes"},
    {"bytes that are no UTF-8", Least("# \xC3("), ": is not UTF-8"},
    {"a NUL", Least(std::string("# a\0b", 5)), ": is not UTF-8"},
    {"broken JSON", R"({"kind": "VirtualServer",})", ": "},
    {"JSON with a key twice", R"({"kind":"VirtualServer","kind":"x"})", ": "},
    {"JSON with a comment", "{\"kind\":\"VirtualServer\" // no\n}", ": "},
    {"JSON with something after it", R"({"kind":"VirtualServer"} x)", ": "},
};

INSTANTIATE_TEST_SUITE_P(Syntax, SyntaxTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return TestName(c.param.name); });

TEST(SyntaxTest, TheTwoSyntaxesMeanTheSame) {
  const ParseResult yaml = ParseVirtualServer(Least("replyDeadline: 9s"));
  const ParseResult json = ParseVirtualServer(
      R"( {"kind":"VirtualServer","name":"dev","replyDeadline":"9s",)"
      R"("upstreams":[{"name":"a","http":{"url":"http://h/mcp"}}]})");
  ASSERT_THAT(Texts(yaml), IsEmpty());
  ASSERT_THAT(Texts(json), IsEmpty());
  EXPECT_EQ(CanonicalDocument(yaml.virtual_server),
            CanonicalDocument(json.virtual_server));
}

TEST(SyntaxTest, AliasesCannotMultiplyADocument) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 8; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  const ParseResult result = ParseVirtualServer(Least(bomb));
  EXPECT_FALSE(result.violations.empty());
  EXPECT_LE(result.violations.size(), 256U);
}

TEST(TextRulesTest, Utf8IsCheckedStrictly) {
  for (const char* good : {"", "a\tb\r\n", "ä漢", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsPlainUtf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xC3", "a\x01", "\x7F"}) {
    EXPECT_FALSE(IsPlainUtf8(bad)) << bad;
  }
}

TEST(TextRulesTest, DurationsGoBothWays) {
  for (const char* text :
       {"5s", "7.500s", "7.000001s", "7.000000001s", "599s"}) {
    const std::optional<absl::Duration> duration = DurationFromJson(text);
    ASSERT_TRUE(duration.has_value()) << text;
    EXPECT_EQ(DurationToJson(*duration), text);
  }
  for (const char* text :
       {"", "s", "5", "5m", "-5s", "+5s", ".5s", "5.s", "5.0000000001s", "1e3s",
        " 5s", "5 s", "9999999999s"}) {
    EXPECT_FALSE(DurationFromJson(text).has_value()) << text;
  }
}

// A document of a million bytes of names is refused, not pondered: a scan of
// all earlier names at each would take minutes, past the test's time.
TEST(SyntaxTest, AnyNumberOfNamesIsReadInOnePass) {
  std::string document = "kind: VirtualServer\n";
  for (int i = 0; document.size() < (1 << 20) - 32; ++i) {
    document += "k" + std::to_string(i) + ": 1\n";
  }
  EXPECT_FALSE(ParseVirtualServer(document).violations.empty());
}

}  // namespace
}  // namespace gatehouse::policy
