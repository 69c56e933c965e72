#include "shared/base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/cord.h"

namespace gatehouse {
namespace {

TEST(AnnotateTest, PutsTheContextFirstAndKeepsTheRest) {
  absl::Status status = MakeStatus(absl::StatusCode::kNotFound, "no such file");
  status.SetPayload("test/payload", absl::Cord("kept"));
  const absl::Status annotated = Annotate(status, "policy v7");
  EXPECT_EQ(annotated.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(annotated.message(), "policy v7: no such file");
  EXPECT_EQ(annotated.GetPayload("test/payload"), absl::Cord("kept"));
}

TEST(AnnotateTest, LeavesOkAlone) {
  EXPECT_TRUE(Annotate(absl::OkStatus(), "policy v7").ok());
}

absl::StatusOr<std::unique_ptr<int>> Half(int number) {
  if (number % 2 != 0) return absl::InvalidArgumentError("odd");
  return std::make_unique<int>(number / 2);
}

absl::StatusOr<int> Quarter(int number) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::unique_ptr<int> half, Half(number));
  std::unique_ptr<int> quarter;
  GATEHOUSE_ASSIGN_OR_RETURN(quarter, Half(*half));
  return *quarter;
}

absl::Status CheckEven(int number) {
  GATEHOUSE_RETURN_IF_ERROR(Half(number).status());
  return absl::OkStatus();
}

TEST(StatusMacrosTest, PassTheFirstErrorOn) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).status().message(), "odd");
  EXPECT_EQ(Quarter(5).status().message(), "odd");
  EXPECT_TRUE(CheckEven(2).ok());
  EXPECT_FALSE(CheckEven(3).ok());
}

TEST(ViewTest, ConvertsBothWays) {
  const std::string_view text = "a view";
  EXPECT_EQ(ToStd(ToAbsl(text)), text);
  EXPECT_EQ(ToAbsl(text).data(), text.data());
}

}  // namespace
}  // namespace gatehouse
