#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_COMMAND_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_COMMAND_H_

#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>
#include <grpcpp/support/status.h>

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/gatehousectl/connection.h"

namespace gatehouse::ctl {

// What the program ends with; documented in its help and in docs/operations.md.
enum class Exit : int {
  kOk = 0,
  kRefused = 1,       // refused, or failed
  kUsage = 2,         // the command line, or a file it names
  kUnreachable = 3,   // the control plane did not answer
  kNotPermitted = 4,  // no token, or not one that may do this
};

// The flags that every command has.
struct Globals {
  std::string control;
  std::string token_file;
  double timeout_s = 10;
  bool json = false;
};

// What a command runs with: made once the command line has been read.
// Thread-compatible.
class Session {
 public:
  explicit Session(Globals globals) : globals_(std::move(globals)) {}

  bool json() const { return globals_.json; }
  // Null, after saying why, if there is no token to call with. `role` names the
  // token that is taken where the command line names none; the first call's
  // counts.
  const Connection* connection(std::string_view role = "operator");

  // Says on stderr what went wrong and what to do next; gives how to end.
  // Every field violation of the details is a line with its path, after
  // `subject` (such as a file) if that is not empty.
  Exit Report(const grpc::Status& status, std::string_view subject = "") const;
  static Exit UsageError(std::string_view message);

 private:
  const Globals globals_;
  std::optional<Connection> connection_;
};

// The proto's JSON mapping, on stdout.
void PrintJson(const google::protobuf::Message& message);
std::string ToJson(const google::protobuf::Message& message);
void Print(std::string_view text);

// UTC with microseconds; empty if there is none.
std::string TimeText(const google::protobuf::Timestamp& time);
// `prefix` before `id`, unless it is there already.
std::string ResourceName(std::string_view prefix, std::string_view id);

// How a command runs; set by the subcommand that was chosen.
using Action = std::function<Exit(Session&)>;

// Of the noun `policy`.
void AddPolicyImport(CLI::App* policy, Action* action);

// One for each noun: adds its subcommands to `app`, which set `*action`.
void AddStatusCommand(CLI::App& app, Action* action);
void AddPolicyCommands(CLI::App& app, Action* action);
void AddSessionsCommands(CLI::App& app, Action* action);
void AddWorkersCommands(CLI::App& app, Action* action);
void AddAuditCommands(CLI::App& app, Action* action);
void AddExplainCommand(CLI::App& app, Action* action);
void AddUpstreamsCommands(CLI::App& app, Action* action);
void AddStdioCommand(CLI::App& app, Action* action);
void AddCallCommand(CLI::App& app, Action* action);
// Its script is made of all the commands that `app` has when it runs.
void AddCompletionCommand(CLI::App& app, Action* action);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_COMMAND_H_
