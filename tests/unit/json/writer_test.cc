#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include "shared/json/json.h"

namespace gatehouse::json {
namespace {

TEST(WriterTest, WritesEveryKindCompactly) {
  Writer writer;
  writer.StartObject().Name("s").String("a\"b\\\n\x01");
  writer.Name("i").Integer(std::numeric_limits<int64_t>::min());
  writer.Name("d").Double(0.25).Name("t").Bool(true).Name("n").Null();
  writer.Name("a").StartArray().Raw("1e400").Raw("{ }").String("").EndArray();
  EXPECT_EQ(writer.EndObject().Take(),
            "{\"s\":\"a\\\"b\\\\\\n\\u0001\",\"i\":-9223372036854775808,"
            "\"d\":0.25,\"t\":true,\"n\":null,\"a\":[1e400,{ },\"\"]}");
}

TEST(WriterTest, IsEmptyAfterTake) {
  Writer writer;
  EXPECT_EQ(writer.Raw("[1]").Take(), "[1]");
  EXPECT_EQ(writer.StartArray().EndArray().Take(), "[]");
}

TEST(WriterTest, AnEmptyViewIsAnEmptyString) {
  Writer writer;
  writer.StartObject().Name(std::string_view()).String(std::string_view());
  EXPECT_EQ(writer.EndObject().Take(), R"({"":""})");
}

// Whatever our own texts hold, what goes out is JSON that our reader takes.
TEST(WriterTest, BytesThatAreNoUtf8AreReplaced) {
  const std::string_view odd = "a\xFF\xED\xA0\x80z\xE2\x82";
  Writer writer;
  writer.String(odd);
  const std::string text = writer.Take();
  EXPECT_EQ(text, "\"a\uFFFD\uFFFD\uFFFD\uFFFDz\uFFFD\uFFFD\"");
  EXPECT_EQ(Quote(odd), text);
  EXPECT_TRUE(Document::Parse(text).ok());
}

TEST(WriterTest, QuoteIsReadBackAsItself) {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all.push_back(static_cast<char>(c));
  all.append("\u00e9\u20ac\U0001F600");
  const absl::StatusOr<Document> document = Document::Parse(Quote(all));
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(*document->root().String(), all);
}

TEST(WriterDeathTest, MisuseEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Writer().StartObject().Integer(1), "check failed");
  EXPECT_DEATH(Writer().StartArray().Take(), "check failed");
  EXPECT_DEATH(Writer().Double(std::numeric_limits<double>::infinity()),
               "check failed");
  EXPECT_DEATH(Writer().Raw(""), "check failed");
}

}  // namespace
}  // namespace gatehouse::json
