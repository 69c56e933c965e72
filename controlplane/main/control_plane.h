#ifndef GATEHOUSE_CONTROLPLANE_MAIN_CONTROL_PLANE_H_
#define GATEHOUSE_CONTROLPLANE_MAIN_CONTROL_PLANE_H_

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "admin/log.h"
#include "admin/metrics_page.h"
#include "admin/port.h"
#include "controlplane/broker/broker.h"
#include "controlplane/broker/sweeper.h"
#include "controlplane/main/accounts.h"
#include "controlplane/main/data_dir.h"
#include "controlplane/main/options.h"
#include "controlplane/rpc/server.h"
#include "controlplane/store/store.h"
#include "controlplane/store/store_stats.h"
#include "shared/base/clock.h"
#include "shared/base/random.h"

namespace gatehouse {

// The rooms of the control plane, joined: built in the order in which each
// needs the earlier ones, taken down the other way.
//
// For the main thread, which makes it, starts it and stops it, once each.
class ControlPlane {
 public:
  ControlPlane(Options options, admin::LogLevel log_level);

  // Serves when it returns, and has printed the ready line. Errors name the
  // path or the option.
  absl::Status Start();
  // Reads the policy files again, if there are any; a bad one changes nothing.
  void Reload();
  // Takes no new call; those under way get a few seconds.
  void Stop(int signal);

 private:
  absl::Status OpenStore();
  absl::Status OpenAdmin();
  void PrintReady() const;
  admin::Answer Health();
  admin::Answer Readiness();
  admin::Answer Metrics();
  // Reads what is open from the store; left out if that takes too long.
  void AddFigures(admin::MetricsPage& page);
  void AddRooms(admin::MetricsPage& page) const;

  const Options options_;
  SystemClock clock_;
  SystemRandom random_;
  const admin::Log log_;
  Accounts accounts_;
  StoreStats store_stats_;
  std::atomic<bool> stopping_{false};
  std::unique_ptr<const DataDir> data_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<broker::Broker> broker_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<broker::Sweeper> sweeper_;
  std::unique_ptr<admin::Port> admin_;
  std::string socket_;
};

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_MAIN_CONTROL_PLANE_H_
