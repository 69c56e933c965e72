// A mistake in a flag stops the worker and is told with the flag's name: none
// is passed over in silence.
#include "dataplane/worker/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

namespace gatehouse::worker {
namespace {

using testing::HasSubstr;

struct FlagCase {
  const char* name;
  std::function<void(Options&)> set;
  const char* complaint;  // empty: it is taken
};

class FlagTest : public testing::TestWithParam<FlagCase> {
 protected:
  FlagTest() {
    std::string pattern = testing::TempDir() + "gatehouse-token-XXXXXX";
    const int fd = mkstemp(pattern.data());
    EXPECT_GE(fd, 0);
    close(fd);
    token_file_ = pattern;
    std::ofstream(token_file_) << "a-token\n";
  }
  ~FlagTest() override { unlink(token_file_.c_str()); }

  std::string token_file_;
};

TEST_P(FlagTest, IsTakenOrComplainedOf) {
  Options options;
  options.control = "unix:/run/control.sock";
  options.token_file = token_file_;
  GetParam().set(options);
  SeededRandom random(1);
  const absl::Status status = Resolve(options, random).status();
  if (*GetParam().complaint == '\0') {
    EXPECT_TRUE(status.ok()) << status;
  } else {
    EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().complaint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Flags, FlagTest,
    testing::ValuesIn<FlagCase>({
        {"TheLeastIsEnough", [](Options&) {}, ""},
        {"NoControlPlane", [](Options& o) { o.control = ""; }, "--control"},
        {"NoPort", [](Options& o) { o.listen = "127.0.0.1"; }, "--listen"},
        {"Cluster", [](Options& o) { o.cluster = "eu-1"; }, ""},
        {"NoCluster", [](Options& o) { o.cluster = ""; }, "--cluster"},
        {"ClusterInCapitals", [](Options& o) { o.cluster = "EU"; },
         "--cluster"},
        {"Ipv6", [](Options& o) { o.listen = "[::1]:0"; }, ""},
        {"OffLoopbackWithoutClients",
         [](Options& o) { o.listen = "192.0.2.1:80"; }, "--client-tokens"},
        {"AnOrigin",
         [](Options& o) { o.allow_origins = {"https://app.example"}; }, ""},
        {"EveryOrigin", [](Options& o) { o.allow_origins = {"*"}; },
         "--allow-origin: *"},
        {"TheNullOrigin", [](Options& o) { o.allow_origins = {"null"}; },
         "--allow-origin: null"},
        {"AnOriginWithAPath",
         [](Options& o) { o.allow_origins = {"https://app.example/x"}; },
         "--allow-origin"},
        {"AnOriginWithoutAScheme",
         [](Options& o) { o.allow_origins = {"app.example"}; },
         "--allow-origin"},
        {"AHostWithAPort",
         [](Options& o) { o.allow_hosts = {"gateway.example:8443"}; }, ""},
        {"AHostThatIsAUrl",
         [](Options& o) { o.allow_hosts = {"https://gateway.example"}; },
         "--allow-host"},
        {"KeepaliveOff", [](Options& o) { o.stream_keepalive = "off"; }, ""},
        {"KeepaliveTooFast", [](Options& o) { o.stream_keepalive = "10ms"; },
         "--stream-keepalive"},
        {"KeepaliveIsNoDuration",
         [](Options& o) { o.stream_keepalive = "often"; },
         "--stream-keepalive"},
        {"ACertificateWithoutItsKey",
         [](Options& o) { o.tls.cert = "/nowhere/cert.pem"; }, "--tls-key"},
        {"AKeyWithoutItsCertificate",
         [](Options& o) { o.tls.key = "/nowhere/key.pem"; }, "--tls-cert"},
        {"AuthoritiesWithoutTls",
         [](Options& o) { o.tls.client_ca = "/nowhere/ca.pem"; }, "--tls-cert"},
        {"ACertificateThatIsNotThere",
         [](Options& o) {
           o.tls.cert = "/nowhere/cert.pem";
           o.tls.key = "/nowhere/key.pem";
         },
         "/nowhere/"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::worker
