#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_FIXTURE_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/harness/control_api.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/gatehouse.h"
#include "tests/integration/harness/scripted_client.h"
#include "tests/integration/harness/scripted_upstream.h"
#include "tests/integration/harness/wait.h"

namespace gatehouse::testing {

// One scripted upstream with the standard tools, shown as `up__…` by virtual
// server `dev`, and a Gatehouse in front of it once a test has started it.
class GatehouseTest : public ::testing::Test {
 protected:
  GatehouseTest();

  // Starts Gatehouse under FullPolicy("dev", the upstream, `more`).
  void Start(const std::string& more = "");
  void Start(Gatehouse::Options options);

  // A client of a worker; not yet initialized.
  std::unique_ptr<ScriptedClient> NewClient(
      ScriptedClient::Options options = {}, size_t worker = 0);
  // The same, with its session open.
  std::unique_ptr<ScriptedClient> Connect(ScriptedClient::Options options = {},
                                          size_t worker = 0);

  // Records of a type, in the order of the log; waits until there are `count`.
  std::vector<v1::AuditRecord> Records(const std::string& type,
                                       size_t count = 0);
  // How many records of a type there are now.
  size_t CountRecords(const std::string& type);

  EventLoop loop_;
  ScriptedUpstream upstream_;
  std::unique_ptr<Gatehouse> gatehouse_;
};

// The arguments of the `ask` tools.
std::string AskArguments(const std::string& method, const std::string& params,
                         int times = 1);
// Valid params of a sampling request and of a form with one required string.
std::string SamplingParams(int max_tokens = 100,
                           const std::string& text = "say something");
std::string FormParams();

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_FIXTURE_H_
