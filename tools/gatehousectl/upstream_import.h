#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_UPSTREAM_IMPORT_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_UPSTREAM_IMPORT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gatehousectl/host_config.h"
#include "tools/gatehousectl/policy_import.h"

namespace gatehouse::ctl {

// An upstream as the document will have it: `command` or `url` is set.
struct ImportedUpstream {
  std::string name;
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // name, reference
};

// The variables that the worker must have, each under a name of its own.
// Thread-compatible.
class VariableNames {
 public:
  // The `env:` reference of a variable that holds `value` (nothing: what the
  // worker is to be given). Called `wanted`, unless another value has that name
  // already, or the worker itself would heed it: then `upstream` stands before.
  std::string Refer(std::string_view wanted, std::string_view upstream,
                    std::string_view path, std::optional<std::string> value);
  std::vector<WorkerVariable> Take() { return std::move(variables_); }

 private:
  std::vector<WorkerVariable> variables_;
};

// One server of a host as an upstream called `name`. Nothing if a policy cannot
// express it: then a note has the error. Borrows all that it is given.
class UpstreamImport {
 public:
  UpstreamImport(const HostServer& server, std::string name,
                 const ImportFacts& facts, VariableNames* variables,
                 std::vector<Note>* notes);
  std::optional<ImportedUpstream> Run();

 private:
  // Of a command: a text, or the name of a variable that holds it.
  struct Word {
    std::string text;
    bool is_variable = false;
  };

  void ImportStdio();
  void ImportCommand();
  // The program's absolute path; empty, and an error noted, if there is none.
  std::string ResolveProgram(const std::string& command);
  std::string FindOnPath(const std::string& command);
  // Appends the arguments; true if one is a secret, then a variable's name.
  bool ImportArguments(std::vector<Word>* words);
  void ImportEnvironment();
  void ImportVariable(const std::string& name, const std::string& value);
  void ImportHttp();
  void ImportHeader(const std::string& name, const std::string& value);
  // The text with its variables filled in; nothing, and an error noted, if that
  // cannot be.
  std::optional<std::string> Filled(const std::string& text,
                                    const std::string& path);
  // A command whose secret words the shell fills in from the environment, since
  // a policy's command cannot refer to a variable, and which starts in
  // `directory` if that is not empty.
  static std::vector<std::string> ByShell(const std::string& directory,
                                          const std::vector<Word>& words);
  // Where to start it; nothing, and an error noted, if it cannot be known.
  std::optional<std::string> Directory();
  bool IsOwnVariable(const std::string& name) const;
  bool IsPlain(const std::string& path) const;
  void CheckReach(const std::string& path, const std::string& place);
  void Fail(const std::string& path, std::string_view text);
  void Warn(const std::string& path, std::string_view text);

  const HostServer& server_;
  const ImportFacts& facts_;
  VariableNames& variables_;
  std::vector<Note>& notes_;
  ImportedUpstream upstream_;
  bool failed_ = false;
};

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_UPSTREAM_IMPORT_H_
