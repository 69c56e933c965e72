#include "shared/mcp/trace_context.h"

#include <gtest/gtest.h>

#include <string>

#include "shared/mcp/feature_name.h"

namespace gatehouse::mcp {
namespace {

constexpr char kTraceId[] = "4bf92f3577b34da6a3ce929d0e0e4736";

struct TraceCase {
  const char* name;
  std::string traceparent;
  const char* trace_id;
};
class TraceContextTest : public testing::TestWithParam<TraceCase> {};

TEST_P(TraceContextTest, IsReadOrIgnored) {
  EXPECT_EQ(TraceIdOf(GetParam().traceparent), GetParam().trace_id);
}

INSTANTIATE_TEST_SUITE_P(
    Traceparents, TraceContextTest,
    testing::ValuesIn<TraceCase>({
        {"AsTheStandardHasIt",
         "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", kTraceId},
        {"NotSampled",
         "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", kTraceId},
        {"ALaterVersion",
         "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", kTraceId},
        {"ALaterVersionWithMore",
         "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-else",
         kTraceId},
        {"ALaterVersionThatRunsOn",
         "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x", ""},
        {"AVersionThatIsNone",
         "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""},
        {"ThisVersionWithMore",
         "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x", ""},
        {"UpperCase", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
         ""},
        {"NoHexDigits",
         "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", ""},
        {"ATraceOfZeros",
         "00-00000000000000000000000000000000-00f067aa0ba902b7-01", ""},
        {"AParentOfZeros",
         "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", ""},
        {"FlagsThatAreNone",
         "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0z", ""},
        {"OtherSeparators",
         "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01", ""},
        {"TooShort", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
         ""},
        {"Nothing", "", ""},
        {"FarTooLong",
         "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-" +
             std::string(4096, 'x'),
         ""},
        {"ALaterVersionWithALineEnd",
         "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-\n", ""},
        {"ALaterVersionWithASpace",
         "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-a b", ""},
        {"ALaterVersionOutsideAscii",
         "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-\xe9", ""},
        {"ALineEndWithin",
         "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\n", ""},
    }),
    [](const auto& c) { return std::string(c.param.name); });

TEST(FeatureNameTest, OnlyTheThreeAreFeatures) {
  EXPECT_EQ(FeatureName("sampling/createMessage"), "sampling");
  EXPECT_EQ(FeatureName("elicitation/create"), "elicitation");
  EXPECT_EQ(FeatureName("roots/list"), "roots");
  EXPECT_EQ(FeatureName("tools/call"), "");
}

}  // namespace
}  // namespace gatehouse::mcp
