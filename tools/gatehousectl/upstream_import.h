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

// How every variable that an import makes begins, and nothing else: its name is
// never one that the imported file chose, which might be one that a program
// heeds.
inline constexpr std::string_view kSecretPrefix = "GATEHOUSE_SECRET_";

// The variables that the worker must have, each under a name of its own.
// Thread-compatible.
class VariableNames {
 public:
  // The `env:` reference of a variable that holds `value` (nothing: what the
  // worker is to be given). Called kSecretPrefix and `wanted` in capitals; if
  // another value has that name already, `upstream` stands between.
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
  // The reference to a variable with that value, which must be one line.
  std::string Refer(std::string_view wanted, const std::string& path,
                    std::optional<std::string> value);
  // A variable of the upstream's that is no secret. What reads like one of our
  // references is none in a host's file: it is referred to like a secret, so
  // that no upstream is given what it names.
  void SetPlain(const std::string& name, const std::string& path,
                const std::string& text);
  void CheckValue(const std::string& path, std::string_view text);
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
