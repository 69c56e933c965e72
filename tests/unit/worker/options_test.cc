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
#include <vector>

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
        {"AnAdminPort", [](Options& o) { o.admin_address = "127.0.0.1:0"; },
         ""},
        {"AnAdminPortOffLoopback",
         [](Options& o) { o.admin_address = "0.0.0.0:9464"; },
         "--admin: 0.0.0.0:9464"},
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

TEST(ResolveTest, TellsEveryMistakeAtOnce) {
  Options options;
  options.listen = "nowhere";
  options.allow_hosts = {"https://gateway.example"};
  options.admin_address = "192.0.2.1:1";
  SeededRandom random(1);
  const std::string message(Resolve(options, random).status().message());
  for (const char* const part :
       {"--listen: nowhere", "--allow-host: ", "--admin: ", "--token-file"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

struct RangeCase {
  const char* name;
  std::vector<const char*> arguments;
  const char* complaint;  // empty: it is taken
};
class RangeTest : public testing::TestWithParam<RangeCase> {};

TEST_P(RangeTest, IsTakenOrComplainedOf) {
  std::vector<const char*> argv = {"gatehouse-worker"};
  argv.insert(argv.end(), GetParam().arguments.begin(),
              GetParam().arguments.end());
  Options options;
  admin::OptionTable table = TableOf(options);
  const admin::OptionTable::Outcome outcome =
      table.Read(static_cast<int>(argv.size()), argv.data(),
                 [](const char*) -> const char* { return nullptr; });
  if (*GetParam().complaint == '\0') {
    EXPECT_FALSE(outcome.exit_code.has_value()) << outcome.err;
  } else {
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(GetParam().complaint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ranges, RangeTest,
    testing::ValuesIn<RangeCase>({
        {"KeepaliveOff", {"--stream-keepalive", "off"}, ""},
        {"KeepaliveTooFast",
         {"--stream-keepalive", "10ms"},
         "--stream-keepalive: 10ms"},
        {"KeepaliveIsNoDuration",
         {"--stream-keepalive", "often"},
         "--stream-keepalive: often"},
        {"NoTimeToDrain", {"--drain-deadline", "0s"}, ""},
        {"DrainingForAnHour",
         {"--drain-deadline", "1h"},
         "--drain-deadline: 1h: expected 0 to 10m"},
        {"AnUnknownLogLevel",
         {"--log-level=loud"},
         "--log-level: loud: expected one of debug, info, warning, error"},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::worker
