#include "dataplane/upstream/secret_reference.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gatehouse::upstream {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A file of this test's own, gone at the end.
class SecretFile {
 public:
  explicit SecretFile(const std::string& content)
      : path_(
            absl::StrCat(testing::TempDir(), "/gatehouse-secret-", getpid())) {
    std::ofstream(path_) << content;
  }
  ~SecretFile() { unlink(path_.c_str()); }
  std::string reference() const { return absl::StrCat("file:", path_); }

 private:
  const std::string path_;
};

TEST(SecretReferenceTest, AVariableIsRead) {
  setenv("GATEHOUSE_TEST_SECRET", "s3cret", 1);
  const auto value = ResolveSecret("env:GATEHOUSE_TEST_SECRET");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, "s3cret");
}

TEST(SecretReferenceTest, AFileIsReadWithoutItsLastLineEnd) {
  const SecretFile file("s3cret\n");
  const auto value = ResolveSecret(file.reference());
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, "s3cret");
}

TEST(SecretReferenceTest, AMissingOneIsNamedByItsReference) {
  EXPECT_EQ(ResolveSecret("env:GATEHOUSE_NOT_THERE").status().code(),
            absl::StatusCode::kNotFound);
  const auto missing = ResolveSecret("file:/nowhere/gatehouse");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("file:/nowhere/gatehouse"));
}

// Secrets are never logged: what is written where a reference is due may be
// one, so the message must not repeat it.
TEST(SecretReferenceTest, AnErrorNeverRepeatsAValue) {
  const auto literal = ResolveSecret("hunter2");
  EXPECT_THAT(std::string(literal.status().message()),
              Not(HasSubstr("hunter2")));
  const SecretFile file("hunter2\nX-Injected: 1\n");
  const auto two_lines = ResolveSecret(file.reference());
  EXPECT_EQ(two_lines.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(two_lines.status().message()),
              Not(HasSubstr("hunter2")));
}

TEST(SecretReferenceTest, APipeInAFilesPlaceIsRefusedAtOnce) {
  const std::string path =
      absl::StrCat(testing::TempDir(), "/gatehouse-fifo-", getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(ResolveSecret(absl::StrCat("file:", path)).status().code(),
            absl::StatusCode::kInvalidArgument);
  unlink(path.c_str());
}

}  // namespace
}  // namespace gatehouse::upstream
