#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_IMPORT_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_IMPORT_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/gatehousectl/host_config.h"
#include "tools/gatehousectl/host_variables.h"

namespace gatehouse::ctl {

// What an import depends on besides the file.
struct ImportFacts {
  std::string name = "imported";  // of the virtual server
  std::string source;             // the file's name, for the document's comment
  LookUp environment;             // PATH, HOME and what the file refers to
  // Whether that path is a program which can be run.
  std::function<bool(const std::string& path)> is_program;
  // Nothing, or why the user of `run_as` cannot reach that path.
  std::function<std::optional<std::string>(const std::string& path)>
      unreachable;
  std::string run_as;  // empty: the worker's own user
  std::string home;    // what stdio upstreams get as HOME
  // `sampling`, `elicitation`, `roots`: what the upstreams may ask.
  std::set<std::string> allowed;
  // Pointers of what looks like a secret and is none.
  std::set<std::string> not_secret;
};

// A variable that the worker must have.
struct WorkerVariable {
  std::string name;
  std::string path;                  // JSON pointer of what it stands for
  std::optional<std::string> value;  // nothing if the file does not have it
};

struct ImportedPolicy {
  std::string document;  // YAML; empty if no server could be taken
  size_t upstreams = 0;
  std::vector<Note> notes;  // those of reading the file first
  std::vector<WorkerVariable> variables;
};

// Makes one virtual server of a host's servers. What looks like a secret, and
// every header, becomes an `env:` reference to a variable whose name begins
// with GATEHOUSE_SECRET_; commands become absolute paths; PATH and HOME are
// written into the environment of stdio upstreams. Upstreams may ask nothing of
// the client's side but what `allowed` names.
//
// A server that a policy cannot express is left out, with an error among the
// notes. The document holds no value of a variable in the result. Pure, but for
// the functions in `facts`.
ImportedPolicy ImportPolicy(const HostConfig& config, const ImportFacts& facts);

// `[a-z][a-z0-9-]*` of at most `max_bytes`, as near to `text` as can be.
std::string LegalName(std::string_view text, size_t max_bytes);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_POLICY_IMPORT_H_
