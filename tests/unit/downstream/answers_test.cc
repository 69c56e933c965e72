#include "dataplane/downstream/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gatehouse::downstream {
namespace {

TEST(ComeAgainTest, IsA503WithRetryAfterAndAReason) {
  const http::Response response =
      ComeAgain(Reason::kTrustUnavailable, "try again");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(http::FindHeader(response.headers, "Retry-After"), "1");
  EXPECT_THAT(response.body, testing::HasSubstr("trust_unavailable"));
}

}  // namespace
}  // namespace gatehouse::downstream
