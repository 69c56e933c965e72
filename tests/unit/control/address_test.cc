#include <gtest/gtest.h>

#include "dataplane/control/grpc_control_client.h"

namespace gatehouse::control {
namespace {

// The token must not travel in the clear off this machine (DESIGN §16).
TEST(ControlAddressTest, OnlyUnixSocketsAndLoopbackAreTaken) {
  for (const char* address :
       {"unix:/run/gatehouse/control.sock", "127.0.0.1:8700", "localhost:8700",
        "[::1]:8700"}) {
    EXPECT_TRUE(CheckControlAddress(address).ok()) << address;
  }
  for (const char* address :
       {"", "unix:", "127.0.0.1", "10.0.0.1:8700", "control.example:8700",
        "dns:///control.example:8700"}) {
    EXPECT_FALSE(CheckControlAddress(address).ok()) << address;
  }
}

}  // namespace
}  // namespace gatehouse::control
