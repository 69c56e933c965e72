#include "dataplane/upstream/tls_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/unit/http/tls_peer.h"

// Whom an https upstream is known by. Defends that a session never rides on a
// connection that was made under another trust (DESIGN §16).
namespace gatehouse::upstream {
namespace {

using testing::HasSubstr;

class TlsTrustTest : public testing::Test {
 protected:
  relay::UpstreamTarget Target(const std::string& ca) {
    relay::UpstreamTarget target;
    target.http_url = "https://h/mcp";
    target.tls_ca = folder_.Write("ca.pem", ca);
    return target;
  }
  // Names a certificate that is shown, its key in a file of that mode.
  void Show(relay::UpstreamTarget& target, unsigned mode) {
    const http::TestCertificate own = authority_.Issue();
    target.tls_cert = folder_.Write("own.pem", own.cert);
    target.tls_key = "file:" + folder_.Write("own.key", own.key, mode);
  }
  std::string Says(const relay::UpstreamTarget& target) {
    return std::string(trust_.ConnectorFor(target).status().message());
  }

  const http::TestAuthority authority_;
  const http::TestFolder folder_;
  TlsTrust trust_;
};

TEST_F(TlsTrustTest, WhatIsConfiguredAlikeIsShared) {
  relay::UpstreamTarget a = Target(authority_.pem());
  relay::UpstreamTarget b = a;
  b.upstream = "another";
  const auto first = trust_.ConnectorFor(a);
  const auto second = trust_.ConnectorFor(b);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
  Show(b, 0600);
  const auto third = trust_.ConnectorFor(b);
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_NE((*first)->id(), (*third)->id());
}

TEST_F(TlsTrustTest, ARenewedFileIsReadForTheNextSession) {
  const auto before = trust_.ConnectorFor(Target(authority_.pem()));
  const auto after = trust_.ConnectorFor(Target(http::TestAuthority().pem()));
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NE((*before)->id(), (*after)->id());
}

TEST_F(TlsTrustTest, AKeyMayComeFromTheEnvironment) {
  relay::UpstreamTarget target = Target(authority_.pem());
  const http::TestCertificate own = authority_.Issue();
  target.tls_cert = folder_.Write("own.pem", own.cert);
  target.tls_key = "env:GATEHOUSE_TEST_KEY";
  setenv("GATEHOUSE_TEST_KEY", own.key.c_str(), 1);
  EXPECT_TRUE(trust_.ConnectorFor(target).ok());
  unsetenv("GATEHOUSE_TEST_KEY");
  EXPECT_THAT(Says(target), HasSubstr("key: env:GATEHOUSE_TEST_KEY: "));
}

TEST_F(TlsTrustTest, WhatCannotBeUsedIsNamedAndNotQuoted) {
  relay::UpstreamTarget target = Target("SECRET no pem");
  EXPECT_THAT(Says(target), HasSubstr("ca: no certificates"));
  EXPECT_THAT(Says(target), testing::Not(HasSubstr("SECRET")));
  target = Target("");
  EXPECT_THAT(Says(target), HasSubstr("ca.pem: is empty"));
  target.tls_ca += ".absent";
  EXPECT_THAT(Says(target), HasSubstr("ca.pem.absent: cannot be read"));
  target = Target(authority_.pem());
  Show(target, 0644);
  EXPECT_THAT(Says(target), HasSubstr("own.key: a private key that others"));
}

}  // namespace
}  // namespace gatehouse::upstream
