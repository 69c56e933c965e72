#include "admin/loopback.h"

#include <gtest/gtest.h>

#include <string>

namespace gatehouse::admin {
namespace {

struct AddressCase {
  const char* name;
  const char* text;
  bool taken;
};
class LoopbackAddressTest : public testing::TestWithParam<AddressCase> {};

TEST_P(LoopbackAddressTest, IsTakenOrRefused) {
  EXPECT_EQ(ParseLoopback(GetParam().text).ok(), GetParam().taken);
}

INSTANTIATE_TEST_SUITE_P(
    Addresses, LoopbackAddressTest,
    testing::ValuesIn<AddressCase>({
        {"TheUsual", "127.0.0.1:9464", true},
        {"AnyPort", "127.0.0.1:0", true},
        {"AnotherOfItsNetwork", "127.1.2.3:80", true},
        {"Ipv6", "[::1]:9464", true},
        {"ItsName", "localhost:9464", true},
        {"EveryInterface", "0.0.0.0:9464", false},
        {"EveryInterfaceOfIpv6", "[::]:9464", false},
        {"AnotherMachine", "192.0.2.1:9464", false},
        {"MappedIntoIpv6", "[::ffff:127.0.0.1]:9464", false},
        {"AName", "metrics.example:9464", false},
        {"NoPort", "127.0.0.1", false},
        {"APortThatIsNone", "127.0.0.1:http", false},
        {"APortTooHigh", "127.0.0.1:65536", false},
        {"ANegativePort", "127.0.0.1:-1", false},
        {"NoHost", ":9464", false},
        {"Nothing", "", false},
    }),
    [](const auto& c) { return std::string(c.param.name); });

struct HostCase {
  const char* name;
  const char* host;
  bool is_loopback;
};
class LoopbackHostTest : public testing::TestWithParam<HostCase> {};

TEST_P(LoopbackHostTest, IsToldFromOthers) {
  EXPECT_EQ(IsLoopbackHost(GetParam().host), GetParam().is_loopback);
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, LoopbackHostTest,
    testing::ValuesIn<HostCase>({
        {"WithoutAPort", "127.0.0.1", true},
        {"WithAPort", "127.0.0.1:9464", true},
        {"ByName", "LocalHost:9464", true},
        {"Ipv6WithoutAPort", "[::1]", true},
        {"Ipv6WithAPort", "[::1]:9464", true},
        {"ARebindingPagesName", "rebind.example:9464", false},
        {"ANameThatBeginsAlike", "127.0.0.1.example", false},
        {"LocalhostsDomain", "localhost.example:80", false},
        {"Nothing", "", false},
    }),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace gatehouse::admin
