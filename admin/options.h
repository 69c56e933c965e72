#ifndef GATEHOUSE_ADMIN_OPTIONS_H_
#define GATEHOUSE_ADMIN_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace gatehouse::admin {

// THE table of a program's options: each may be a flag (`--NAME`), a variable
// (`PREFIX_NAME`, upper case and with underscores) or a member of the file that
// `--config` names (`NAME`). A flag goes over a variable, that over the file,
// that over the default. Besides there are --config, --print-config, --version
// and --help.
//
// Every mistake is reported at once: an unknown name (with what it may have
// meant), a value of another type, a file that cannot be read. Secrets are
// references, such as paths, so that every value may be shown.
//
// Thread-compatible; used at start, before the first thread. Ownership: the
// targets are borrowed and hold the defaults until Read has set them.
class OptionTable {
 public:
  struct About {
    std::string program;     // `gatehouse-worker`
    std::string version;     // `0.1.0`
    std::string env_prefix;  // `GATEHOUSE_WORKER_`
    std::string what;        // one paragraph for --help
    std::string example;     // the last lines of --help
  };
  explicit OptionTable(About about) : about_(std::move(about)) {}

  // `value_name` is how the value is called in --help, such as `FILE`.
  void Text(std::string name, std::string value_name, std::string help,
            std::string* target);
  // A flag may be repeated or hold several, with commas; a variable has commas;
  // the file has a list.
  void List(std::string name, std::string value_name, std::string help,
            std::vector<std::string>* target);
  void Switch(std::string name, std::string help, bool* target);
  // `off` is taken too, as infinite, if `or_off`.
  void Duration(std::string name, std::string help, absl::Duration least,
                absl::Duration most, bool or_off, absl::Duration* target);
  void Choice(std::string name, std::vector<std::string> words,
              std::string help, std::string* target);

  struct Outcome {
    std::optional<int> exit_code;  // end with it; nullopt: go on
    std::string out;               // for stdout
    std::string err;               // for stderr
  };
  using Getenv = std::function<const char*(const char*)>;
  // Reads all sources into the targets. Exit code 0 after help, version or
  // --print-config, 2 after a mistake.
  Outcome Read(int argc, const char* const* argv, const Getenv& env);
  // The same with the process's environment, printed.
  std::optional<int> ReadAndPrint(int argc, const char* const* argv);

  // Where an option's value is from: `--listen`, a variable's name,
  // `FILE:LINE: listen`, or `default`.
  std::string Where(std::string_view name) const;
  // A message about values: each of its lines that begins with `--NAME` is told
  // where that value stands, if it is not a flag's.
  std::string Explained(std::string_view message) const;

 private:
  struct Option {
    std::string name;
    std::string value_name;
    std::string help;
    bool is_list = false;
    bool is_switch = false;
    // Sets the target; INVALID_ARGUMENT without the option's name.
    std::function<absl::Status(const std::vector<std::string>&)> set;
    // What the target holds, for --print-config and --help.
    std::function<std::vector<std::string>()> shown;

    std::vector<std::string> flag;  // as given; empty: not given
    bool flag_switch = false;
    std::string source;  // as Where says; empty: default
  };
  struct Given {
    std::string config;
    bool print_config = false;
  };
  class CommandLine;

  std::string EnvName(std::string_view name) const;
  std::string NotKnown(std::string_view what, std::string_view name) const;
  const Option* Find(std::string_view name) const;
  void ReadFile(const std::string& path, const Getenv& env,
                std::vector<std::string>& faults);
  void ReadEnvironment(const Getenv& env, std::vector<std::string>& faults);
  void ReadFlags(std::vector<std::string>& faults);
  void Set(Option& option, const std::vector<std::string>& values,
           std::string source, std::vector<std::string>& faults);
  std::string Printed() const;
  Outcome Failed(const std::vector<std::string>& faults) const;

  const About about_;
  std::vector<Option> options_;
};

}  // namespace gatehouse::admin

#endif  // GATEHOUSE_ADMIN_OPTIONS_H_
