#ifndef GATEHOUSE_CONTROLPLANE_MAIN_OPTIONS_H_
#define GATEHOUSE_CONTROLPLANE_MAIN_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "admin/options.h"

namespace gatehouse {

// What the sources of options say (see admin::OptionTable).
struct Options {
  std::string data_dir;
  std::string listen = "127.0.0.1:7700";
  std::string socket;         // empty: the data directory's control.sock
  std::string policy;         // empty: none from files
  std::string admin_address;  // empty: no admin port
  std::string log_level = "info";
};

// The table that reads them into `options`, which it borrows.
admin::OptionTable TableOf(Options& options);

// INVALID_ARGUMENT with every mistake, a line each, that names its option as
// `--NAME`.
absl::Status Check(const Options& options);

}  // namespace gatehouse

#endif  // GATEHOUSE_CONTROLPLANE_MAIN_OPTIONS_H_
