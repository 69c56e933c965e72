// `gatehousectl policy import`: a host's configuration in, a policy out.

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/command.h"
#include "tools/gatehousectl/other_user.h"
#include "tools/gatehousectl/output.h"
#include "tools/gatehousectl/policy_apply.h"
#include "tools/gatehousectl/policy_import.h"

namespace gatehouse::ctl {
namespace {

constexpr size_t kMaxHostFileBytes = 4 << 20;
constexpr char kDefaultUser[] = "nobody";
constexpr char kHomesOfOthers[] = "/var/lib/gatehouse/home";

struct ImportOptions {
  std::string path;
  std::string name = "imported";
  std::string output;        // empty: stdout
  std::string secrets_file;  // empty: none
  std::string run_as;
  std::string home;
  std::vector<std::string> allowed;
  std::vector<std::string> not_secret;
  bool partial = false;
  bool apply = false;
};

std::optional<std::string> Variable(const std::string& name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): this program has one thread here
  const char* value = getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

bool IsProgram(const std::string& path) {
  struct stat facts = {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

absl::StatusOr<std::string> ReadHostFile(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": a folder; name the host's configuration file"));
    }
    file.open(path, std::ios::binary);
    if (!file) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": no such file, or it may not be read"));
    }
  }
  std::istream& stream = path == "-" ? std::cin : file;
  std::string text(kMaxHostFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kMaxHostFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": over 4 MiB; give the part with the servers"));
  }
  return text;
}

absl::Status Refused(const std::string& path, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", ToAbsl(why)));
}

// A file of ours alone, new or emptied: never one that others laid there or can
// read, and nothing behind a link.
absl::StatusOr<int> OpenPrivateFile(const std::string& path) {
  // NONBLOCK: what is there may be a pipe.
  const int fd =
      open(path.c_str(),
           O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) {
    return Refused(path, errno == ELOOP ? "is a link; name the file itself"
                                        : "cannot be written");
  }
  struct stat facts = {};
  std::string_view why;
  if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    why = "is no regular file; name another";
  } else if (facts.st_uid != geteuid() || facts.st_nlink != 1) {
    why = "is not yours alone; name another file, or remove it";
  } else if ((facts.st_mode & 077) != 0) {
    why = "is open to others; chmod 600 it, or name another file";
  } else if (ftruncate(fd, 0) != 0) {
    why = "cannot be written";
  }
  if (why.empty()) return fd;
  close(fd);
  return Refused(path, why);
}

absl::StatusOr<int> OpenNewFile(const std::string& path) {
  const int fd = open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd >= 0) return fd;
  return Refused(path, errno == EEXIST
                           ? "is there already; name another file, or remove it"
                           : "cannot be written");
}

// Writes all of `text` and closes `fd`.
absl::Status WriteAndClose(const std::string& path, int fd,
                           const std::string& text) {
  bool good = true;
  for (size_t done = 0; good && done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    done += static_cast<size_t>(std::max<ssize_t>(n, 0));
  }
  good = close(fd) == 0 && good;
  return good ? absl::OkStatus() : Refused(path, "cannot be written");
}

void Tell(std::string_view line) {
  fprintf(stderr, "gatehousectl: %s\n", Visible(line).c_str());
}

// Gives how many errors there are among them.
size_t TellNotes(const std::string& file, const std::vector<Note>& notes) {
  size_t errors = 0;
  for (const Note& note : notes) {
    const bool error = note.severity == Note::Severity::kError;
    errors += error ? 1 : 0;
    const std::string place =
        note.path.empty() ? "" : absl::StrCat(note.path, ": ");
    Tell(absl::StrCat(error ? "error: " : "warning: ", file, ": ", place,
                      note.text));
  }
  return errors;
}

void TellVariables(const std::vector<WorkerVariable>& variables) {
  if (variables.empty()) return;
  Tell(
      "the worker must have these variables in its environment when it "
      "starts:");
  for (const WorkerVariable& variable : variables) {
    fprintf(stderr, "  %s  (%s%s)\n", variable.name.c_str(),
            Visible(variable.path).c_str(),
            variable.value.has_value() ? "" : "; not set here");
  }
}

std::string SecretsText(const std::vector<WorkerVariable>& variables) {
  std::string text;
  for (const WorkerVariable& variable : variables) {
    if (!variable.value.has_value()) continue;
    absl::StrAppend(&text, variable.name, "=", *variable.value, "\n");
  }
  return text;
}

// As whom stdio upstreams will run, and where they are at home.
absl::Status SetUser(const ImportOptions& options, ImportFacts* facts) {
  if (geteuid() != 0) {
    if (!options.run_as.empty()) {
      return absl::InvalidArgumentError(
          "--run-as: only a worker that is root can change user; leave it out");
    }
    facts->home =
        options.home.empty() ? Variable("HOME").value_or("") : options.home;
    return absl::OkStatus();
  }
  facts->run_as = options.run_as.empty() ? kDefaultUser : options.run_as;
  auto user = OtherUser::Find(facts->run_as);
  if (!user.ok()) return Annotate(user.status(), "--run-as");
  facts->home = options.home.empty()
                    ? absl::StrCat(kHomesOfOthers, "/", facts->run_as)
                    : options.home;
  facts->unreachable = [user = *user](const std::string& path) {
    return user.WhyUnreachable(path);
  };
  return absl::OkStatus();
}

absl::StatusOr<ImportFacts> FactsFor(const ImportOptions& options) {
  if (LegalName(options.name, 32) != options.name) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--name ", options.name, ": must match [a-z][a-z0-9-]{0,31}"));
  }
  if (!options.home.empty() && !options.home.starts_with('/')) {
    return absl::InvalidArgumentError(
        absl::StrCat("--home ", options.home, ": write an absolute path"));
  }
  ImportFacts facts;
  facts.name = options.name;
  facts.source = options.path == "-" ? "stdin" : options.path;
  facts.environment = Variable;
  facts.is_program = IsProgram;
  facts.unreachable = [](const std::string&) { return std::nullopt; };
  facts.allowed = {options.allowed.begin(), options.allowed.end()};
  facts.not_secret = {options.not_secret.begin(), options.not_secret.end()};
  GATEHOUSE_RETURN_IF_ERROR(SetUser(options, &facts));
  return facts;
}

// A home for another user is made if it is not there.
absl::Status MakeHome(const ImportFacts& facts) {
  if (facts.run_as.empty()) return absl::OkStatus();
  GATEHOUSE_ASSIGN_OR_RETURN(const OtherUser user,
                             OtherUser::Find(facts.run_as));
  GATEHOUSE_ASSIGN_OR_RETURN(const bool made, user.MakeHome(facts.home));
  if (made) Tell(absl::StrCat("made ", facts.home, " for ", facts.run_as));
  return absl::OkStatus();
}

absl::Status WriteResults(const ImportOptions& options,
                          const ImportFacts& facts,
                          const ImportedPolicy& policy) {
  const bool needs_home =
      policy.document.find(absl::StrCat("\"HOME\": ", json::Quote(facts.home),
                                        "\n")) != std::string::npos;
  if (needs_home) GATEHOUSE_RETURN_IF_ERROR(MakeHome(facts));
  if (!options.secrets_file.empty()) {
    GATEHOUSE_ASSIGN_OR_RETURN(const int fd,
                               OpenPrivateFile(options.secrets_file));
    GATEHOUSE_RETURN_IF_ERROR(
        WriteAndClose(options.secrets_file, fd, SecretsText(policy.variables)));
  }
  if (options.output.empty()) return absl::OkStatus();
  GATEHOUSE_ASSIGN_OR_RETURN(const int fd, OpenNewFile(options.output));
  return WriteAndClose(options.output, fd, policy.document);
}

Exit RunImport(Session& session, const ImportOptions& options) {
  const absl::StatusOr<ImportFacts> facts = FactsFor(options);
  if (!facts.ok()) return session.UsageError(ToStd(facts.status().message()));
  const absl::StatusOr<std::string> text = ReadHostFile(options.path);
  if (!text.ok()) return session.UsageError(ToStd(text.status().message()));
  const absl::StatusOr<HostConfig> config = ReadHostConfig(*text);
  if (!config.ok()) {
    return session.UsageError(
        absl::StrCat(facts->source, ": ", config.status().message()));
  }
  const ImportedPolicy policy = ImportPolicy(*config, *facts);
  const size_t errors = TellNotes(facts->source, policy.notes);
  if (errors > 0 && !options.partial) {
    return session.UsageError(
        "nothing is imported: mend what is wrong, or take the rest with "
        "--partial");
  }
  if (policy.upstreams == 0) {
    return session.UsageError(
        absl::StrCat(facts->source, ": no server that can be imported"));
  }
  const absl::Status written = WriteResults(options, *facts, policy);
  if (!written.ok()) return session.UsageError(ToStd(written.message()));
  Tell(absl::StrCat(policy.upstreams,
                    policy.upstreams == 1 ? " upstream" : " upstreams",
                    " of virtual server ", facts->name));
  TellVariables(policy.variables);
  if (options.output.empty() && !options.apply) Print(policy.document);
  if (!options.apply) return Exit::kOk;
  return ApplyPolicies(session, {{facts->source, policy.document}}, "");
}

void AddImportFlags(CLI::App* import, ImportOptions* options) {
  import
      ->add_option("FILE", options->path,
                   "The host's JSON file, or - for stdin")
      ->required();
  import->add_option("--name", options->name, "The virtual server's name")
      ->capture_default_str();
  import->add_option("--output", options->output,
                     "Write the policy there, to a file that is not there yet");
  import->add_flag("--apply", options->apply,
                   "Apply it at the control plane, too");
  import->add_flag("--partial", options->partial,
                   "Leave out servers that a policy cannot express");
  import
      ->add_option("--allow", options->allowed,
                   "What upstreams may ask of the client's side: sampling, "
                   "elicitation, roots (default: nothing)")
      ->delimiter(',')
      ->check(CLI::IsMember({"sampling", "elicitation", "roots"}));
  import->add_option("--not-secret", options->not_secret,
                     "What stands at this path is no secret; repeatable");
  import->add_option("--secrets", options->secrets_file,
                     "Write the variables and their values there, as lines "
                     "NAME=VALUE, readable by you alone");
  import->add_option("--run-as", options->run_as,
                     "Whom stdio upstreams run as, for a worker that is root "
                     "(default: nobody)");
  import->add_option("--home", options->home,
                     "HOME of stdio upstreams (default: yours; as root, "
                     "/var/lib/gatehouse/home/USER, which is made)");
}

}  // namespace

void AddPolicyImport(CLI::App* policy, Action* action) {
  CLI::App* import = policy->add_subcommand(
      "import",
      "Makes a policy of the MCP servers that a host is set up with: the JSON "
      "of\nClaude Desktop, Claude Code, Cursor, VS Code, Windsurf and others.\n"
      "  gatehousectl policy import claude_desktop_config.json > dev.yaml\n"
      "  gatehousectl policy import --name dev --apply .vscode/mcp.json\n"
      "Secrets become references, never text; the variables that the worker "
      "must\nhave are listed. Upstreams may ask nothing of the client's side "
      "until you allow it.");
  auto options = std::make_shared<ImportOptions>();
  AddImportFlags(import, options.get());
  import->callback([action, options] {
    *action = [options](Session& session) {
      return RunImport(session, *options);
};
}  // namespace gatehouse::ctl
);
}

}  // namespace gatehouse::ctl
