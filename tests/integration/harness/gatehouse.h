#ifndef GATEHOUSE_TESTS_INTEGRATION_HARNESS_GATEHOUSE_H_
#define GATEHOUSE_TESTS_INTEGRATION_HARNESS_GATEHOUSE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/integration/harness/control_api.h"
#include "tests/integration/harness/event_loop.h"
#include "tests/integration/harness/program.h"
#include "tests/integration/harness/scripted_client.h"

namespace gatehouse::testing {

// A control plane and its workers, as an operator would run them on one
// machine, in a directory of their own and on ports that the kernel chose.
//
// Thread-compatible. Owns the programs, which end with it. Workers reach the
// control plane over its Unix socket, so that it may be restarted.
class Gatehouse {
 public:
  struct Options {
    // One policy document, or several with `---` between them.
    std::string policy = {};
    int workers = 1;
    // Client tokens of the workers: name and token; none: loopback is open.
    std::vector<std::pair<std::string, std::string>> clients = {};
    // Runs the programs with fault points in them, and with this environment.
    bool faulty_control = false;
    bool faulty_worker = false;
    std::map<std::string, std::string> control_env = {};
    std::map<std::string, std::string> worker_env = {};
    // Instead of the control plane's own socket, by worker (`unix:PATH` or
    // `HOST:PORT`); shorter than `workers` means the own socket for the rest.
    std::vector<std::string> control_addresses = {};
    // Of the workers, in order; shorter than `workers` means the default one
    // for the rest.
    std::vector<std::string> clusters = {};
    // More flags of the programs.
    std::vector<std::string> control_flags = {};
    std::vector<std::string> worker_flags = {};
  };

  // Lays out the directory without starting anything.
  explicit Gatehouse(Options options);

  // Starts everything and waits until it is ready.
  static absl::StatusOr<std::unique_ptr<Gatehouse>> Start(Options options);

  absl::Status StartControl();
  absl::Status StartWorker(size_t index);
  // Without the control plane knowing beforehand.
  void KillControl();
  void KillWorker(size_t index);

  Program& control() { return *control_; }
  Program& worker(size_t index) { return *workers_[index]; }
  // Where a worker's clients connect; the same after its restart.
  const std::string& worker_address(size_t index) const {
    return worker_addresses_[index];
  }
  // The admin ports of the last start.
  const std::string& control_admin() const { return control_admin_; }
  const std::string& worker_admin(size_t index) const {
    return worker_admins_[index];
  }
  // The control plane's TCP address of its last start.
  const std::string& control_address() const { return control_address_; }
  std::string socket() const { return data_dir() + "/control.sock"; }
  std::string data_dir() const { return dir_.path() + "/data"; }
  const std::string& dir() const { return dir_.path(); }
  // `worker`, `operator`, `reviewer` or `auditor`.
  std::string Token(const std::string& role) const;
  ControlApi Api(const std::string& role) const;

  // The environment of the next start.
  void SetControlEnv(std::map<std::string, std::string> env) {
    options_.control_env = std::move(env);
  }
  void SetWorkerEnv(std::map<std::string, std::string> env) {
    options_.worker_env = std::move(env);
  }

 private:
  Options options_;
  const TempDir dir_;
  std::unique_ptr<Program> control_;
  std::vector<std::unique_ptr<Program>> workers_;
  std::vector<std::string> worker_addresses_;
  std::vector<std::string> worker_admins_;
  std::string control_address_;
  std::string control_admin_;
};

// A policy document: a virtual server `name` with HTTP upstreams {name, url},
// and `rest` after them. FullPolicy permits everything that this build serves,
// with the shortest reply deadline.
std::string PolicyText(
    const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& upstreams,
    const std::string& rest);
std::string FullPolicy(const std::string& name, const std::string& url,
                       const std::string& more = "");

}  // namespace gatehouse::testing

#endif  // GATEHOUSE_TESTS_INTEGRATION_HARNESS_GATEHOUSE_H_
