// How the values of a read document answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "shared/base/status.h"
#include "shared/json/json.h"

namespace gatehouse::json {
namespace {

using testing::ElementsAre;

Value Root(std::string text) {
  absl::StatusOr<Document> document = Document::Parse(std::move(text));
  EXPECT_TRUE(document.ok()) << document.status();
  return document->root();
}

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

TEST(ValueTest, KnowsTheBytesItWasWrittenWith) {
  const std::string text =
      R"( {"a" : 1.50 , "\u0062":[ "x\ty" , {} ,true],"c":-0,"d":""} )";
  const Value root = Root(text);
  EXPECT_EQ(root.offset(), 1u);
  EXPECT_EQ(root.raw(), text.substr(1, text.size() - 2));
  EXPECT_EQ(root.Find("a")->raw(), "1.50");
  EXPECT_EQ(root.Find("a")->offset(), text.find("1.50"));
  EXPECT_EQ(root.Find("b")->raw(), R"([ "x\ty" , {} ,true])");
  const std::vector<Value> elements = root.Find("b")->Elements();
  ASSERT_EQ(elements.size(), 3u);
  EXPECT_EQ(elements[0].raw(), R"("x\ty")");
  EXPECT_EQ(*elements[0].String(), "x\ty");
  EXPECT_EQ(elements[1].raw(), "{}");
  EXPECT_EQ(elements[2].raw(), "true");
  EXPECT_EQ(root.Find("c")->raw(), "-0");
  EXPECT_EQ(root.Find("d")->raw(), "\"\"");
  EXPECT_EQ(*root.Find("d")->String(), "");
}

TEST(ValueTest, MembersComeDecodedInTheOrderWritten) {
  const Value root = Root(R"({"z":1,"\u0061\n":[2,{"y":0}],"":3})");
  std::vector<std::string> names;
  std::vector<std::string> raws;
  for (const Member& member : root.Members()) {
    names.emplace_back(member.name);
    raws.emplace_back(member.value.raw());
  }
  EXPECT_THAT(names, ElementsAre("z", "a\n", ""));
  EXPECT_THAT(raws, ElementsAre("1", R"([2,{"y":0}])", "3"));
  EXPECT_EQ(root.size(), 3u);
  EXPECT_EQ(root.Find("y"), std::nullopt) << "a grandchild is no member";
}

TEST(ValueTest, OutlivesItsDocument) {
  std::optional<Value> value;
  {
    const absl::StatusOr<Document> document = Document::Parse(R"(["kept\n"])");
    value = document->root().Elements()[0];
  }
  EXPECT_EQ(*value->String(), "kept\n");
  EXPECT_EQ(value->raw(), R"("kept\n")");
}

TEST(ValueTest, PointersAreEscapedAndCountElements) {
  const Value root = Root(R"({"a/b":[0,{"m~n":[[],[1]]}]})");
  const Value inner =
      root.Find("a/b")->Elements()[1].Find("m~n")->Elements()[1];
  EXPECT_EQ(inner.pointer(), "/a~1b/1/m~0n/1");
  EXPECT_EQ(inner.Elements()[0].pointer(), "/a~1b/1/m~0n/1/0");
  EXPECT_EQ(root.pointer(), "");
}

TEST(ValueTest, ErrorsNameThePlaceAndWhatWasExpected) {
  const Value root = Root(R"({"params":{"name":7,"on":"yes"}})");
  const Value params = *root.Field("params");
  EXPECT_EQ(MessageOf(params.Find("name")->String().status()),
            "/params/name: expected a string");
  EXPECT_EQ(MessageOf(params.Field("nope").status()),
            "/params: missing field 'nope'");
  EXPECT_EQ(MessageOf(params.Find("on")->Bool().status()),
            "/params/on: expected true or false");
  EXPECT_EQ(MessageOf(params.Find("on")->Field("x").status()),
            "/params/on: expected an object");
  EXPECT_EQ(MessageOf(root.String().status()), "expected a string");
}

TEST(ValueTest, ThePointerOfAnErrorSurvivesAnnotationAndColons) {
  const Value root = Root(R"({"a: b":1})");
  const absl::Status status = root.Find("a: b")->String().status();
  EXPECT_EQ(PointerOf(status), "/a: b");
  EXPECT_EQ(PointerOf(Annotate(status, "request 7")), "/a: b");
  EXPECT_EQ(PointerOf(absl::InvalidArgumentError("/not/ours: x")), "");
}

struct IntegerCase {
  const char* name;
  const char* text;
  std::optional<int64_t> want;
  bool is_integer_lexeme;
};

class IntegerTest : public testing::TestWithParam<IntegerCase> {};

TEST_P(IntegerTest, IsReadOnlyFromAnIntegerLexeme) {
  const Value value = Root(GetParam().text);
  const absl::StatusOr<int64_t> integer = value.Integer();
  EXPECT_EQ(integer.ok(), GetParam().want.has_value());
  if (integer.ok()) {
    EXPECT_EQ(*integer, *GetParam().want);
  }
  EXPECT_EQ(value.IsIntegerLexeme(), GetParam().is_integer_lexeme);
}

INSTANTIATE_TEST_SUITE_P(
    Lexemes, IntegerTest,
    testing::ValuesIn<IntegerCase>(
        {{"ASmallOne", "4096", 4096, true},
         {"MinusZero", "-0", 0, true},
         {"TheLargest", "9223372036854775807", INT64_MAX, true},
         {"TheSmallest", "-9223372036854775808", INT64_MIN, true},
         {"OneTooLarge", "9223372036854775808", std::nullopt, true},
         {"AFractionIsNone", "4096.0", std::nullopt, false},
         {"AnExponentIsNone", "4e3", std::nullopt, false},
         {"AStringIsNone", "\"4096\"", std::nullopt, false},
         {"TrueIsNone", "true", std::nullopt, false}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(ValueTest, NumberIsTheNearestDoubleOrAnError) {
  EXPECT_EQ(*Root("0.1").Number(), 0.1);
  EXPECT_EQ(*Root("-12e2").Number(), -1200.0);
  EXPECT_EQ(*Root("1e-400").Number(), 0.0);
  EXPECT_EQ(*Root("12345678901234567890").Number(), 12345678901234567890.0);
  EXPECT_FALSE(Root("1e400").Number().ok());
  EXPECT_FALSE(Root("-1e400").Number().ok());
  EXPECT_FALSE(Root("null").Number().ok());
}

TEST(ValueTest, LooksIntoNothingButContainers) {
  const Value root = Root(R"(["text",5,null,false])");
  EXPECT_EQ(root.Find("text"), std::nullopt);
  EXPECT_TRUE(root.Members().empty());
  for (const Value& element : root.Elements()) {
    EXPECT_EQ(element.size(), 0u);
    EXPECT_TRUE(element.Elements().empty());
    EXPECT_TRUE(element.Members().empty());
  }
  EXPECT_TRUE(root.Elements()[2].IsNull());
  EXPECT_FALSE(*root.Elements()[3].Bool());
}

}  // namespace
}  // namespace gatehouse::json
