#ifndef GATEHOUSE_DATAPLANE_WORKER_OPTIONS_H_
#define GATEHOUSE_DATAPLANE_WORKER_OPTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "admin/log.h"
#include "admin/options.h"
#include "dataplane/downstream/identity.h"
#include "dataplane/http/tls_acceptor.h"
#include "shared/base/random.h"

namespace gatehouse::worker {

// What the sources of options say (see admin::OptionTable).
struct Options {
  std::string control;
  std::string token_file;
  std::string listen = "127.0.0.1:8800";
  std::string name;  // empty: made up
  std::string cluster = "default";
  std::string client_tokens;  // a file; empty: everybody is `anonymous`
  std::vector<std::string> allow_hosts;
  std::vector<std::string> allow_origins;
  // Between two comments on a silent event stream; infinite: none.
  absl::Duration stream_keepalive = absl::Seconds(15);
  http::TlsFiles tls;         // no cert: plain HTTP
  std::string admin_address;  // empty: no admin port
  std::string log_level = "info";
  absl::Duration drain_deadline = absl::Seconds(10);
};

// The table that reads them into `options`, which it borrows.
admin::OptionTable TableOf(Options& options);

// The options with all that they refer to read and checked.
struct Settings {
  std::string control;
  std::string token;
  std::string host;
  int port = 0;
  std::string name;
  std::string cluster;
  downstream::Identities identities = downstream::Identities::Anonymous();
  std::vector<std::string> allow_hosts;
  std::vector<std::string> allow_origins;
  absl::Duration stream_keepalive = absl::Seconds(15);
  std::shared_ptr<http::TlsAcceptor> tls;  // null: plain HTTP
  std::string admin_address;               // empty: no admin port
  admin::LogLevel log_level = admin::LogLevel::kInfo;
  // From the first signal to the end of what is then still in flight.
  absl::Duration drain_deadline = absl::Seconds(10);
};
// INVALID_ARGUMENT with every mistake, a line each, that names its option as
// `--NAME` and says what to do.
absl::StatusOr<Settings> Resolve(const Options& options, Random& random);

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_OPTIONS_H_
