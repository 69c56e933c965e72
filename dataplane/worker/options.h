#ifndef GATEHOUSE_DATAPLANE_WORKER_OPTIONS_H_
#define GATEHOUSE_DATAPLANE_WORKER_OPTIONS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dataplane/downstream/identity.h"
#include "dataplane/http/tls_acceptor.h"
#include "shared/base/random.h"

namespace gatehouse::worker {

// What the command line and the environment (GATEHOUSE_WORKER_*) say. A flag
// goes over a variable.
struct Options {
  std::string control;
  std::string token_file;
  std::string listen = "127.0.0.1:8800";
  std::string name;  // empty: made up
  std::string cluster = "default";
  std::string client_tokens;  // a file; empty: everybody is `anonymous`
  std::vector<std::string> allow_hosts;
  std::vector<std::string> allow_origins;
  std::string stream_keepalive = "15s";
  http::TlsFiles tls;  // no cert: plain HTTP
};

// The options, or the exit code with which to end at once (help, version, an
// error, which is then on stderr).
struct CommandLine {
  Options options;
  std::optional<int> exit_code;
};
CommandLine ParseCommandLine(int argc, char** argv);

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
  // Between two comments on a silent event stream; infinite: none.
  absl::Duration stream_keepalive = absl::Seconds(15);
  std::shared_ptr<http::TlsAcceptor> tls;  // null: plain HTTP
};
// Errors name the flag and say what to do.
absl::StatusOr<Settings> Resolve(const Options& options, Random& random);

}  // namespace gatehouse::worker

#endif  // GATEHOUSE_DATAPLANE_WORKER_OPTIONS_H_
