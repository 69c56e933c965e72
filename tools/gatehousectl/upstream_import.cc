#include "tools/gatehousectl/upstream_import.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/text.h"
#include "tools/gatehousectl/policy_import_rules.h"
#include "tools/gatehousectl/secret_shape.h"

namespace gatehouse::ctl {
namespace {

// The bounds of a policy (docs/policy.md), told by the place in the file.
constexpr size_t kMaxWords = 64;
constexpr size_t kMaxValueBytes = 4096;
constexpr size_t kMaxVariables = 128;
constexpr size_t kMaxHeaders = 32;
constexpr size_t kMaxSecretBytes = 64 << 10;
constexpr size_t kMaxNameBytes = 128;
// Of what stands behind kSecretPrefix and the upstream's name.
constexpr size_t kMaxWantedBytes = 64;
constexpr std::string_view kEnvPrefix = "env:";
constexpr std::string_view kAskedForText =
    "the host asks a person for it; the worker must be given the whole text, "
    "with what they would type in it";

// Text that a policy, and a line of the secrets' file, can have.
bool IsOneLine(std::string_view text) {
  return json::IsUtf8(text) &&
         std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
         });
}

bool LooksLikeReference(std::string_view value) {
  return value.starts_with("env:") || value.starts_with("file:");
}

bool IsEnvironmentName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         !absl::ascii_isdigit(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '_';
         });
}

// As a variable is called: `API_KEY` of `api-key`.
std::string VariableName(std::string_view text) {
  std::string name;
  for (const char c : text) {
    name.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c))
                       ? absl::ascii_toupper(static_cast<unsigned char>(c))
                       : '_');
  }
  return name;
}

// A JSON pointer's token.
std::string Token(std::string_view name) {
  std::string token;
  for (const char c : name) {
    if (c == '~') {
      token.append("~0");
    } else if (c == '/') {
      token.append("~1");
    } else {
      token.push_back(c);
    }
  }
  return token;
}

std::string Below(const std::string& path, std::string_view member) {
  return absl::StrCat(path, "/", Token(member));
}

}  // namespace

std::string VariableNames::Refer(std::string_view wanted,
                                 std::string_view upstream,
                                 std::string_view path,
                                 std::optional<std::string> value) {
  const std::string own = VariableName(wanted.substr(0, kMaxWantedBytes));
  const std::string longer =
      absl::StrCat(ToAbsl(kSecretPrefix), VariableName(upstream), "_", own);
  std::string name = absl::StrCat(ToAbsl(kSecretPrefix), own);
  for (int attempt = 0;; ++attempt) {
    const auto same = std::find_if(
        variables_.begin(), variables_.end(),
        [&name](const WorkerVariable& other) { return other.name == name; });
    if (same == variables_.end()) break;
    if (same->value == value && value.has_value()) return "env:" + name;
    name = absl::StrCat(longer,
                        attempt == 0 ? "" : absl::StrCat("_", attempt + 1));
  }
  variables_.push_back({name, std::string(path), std::move(value)});
  return "env:" + name;
}

UpstreamImport::UpstreamImport(const HostServer& server, std::string name,
                               const ImportFacts& facts,
                               VariableNames* variables,
                               std::vector<Note>* notes)
    : server_(server), facts_(facts), variables_(*variables), notes_(*notes) {
  upstream_.name = std::move(name);
}

std::optional<ImportedUpstream> UpstreamImport::Run() {
  if (server_.url.empty()) {
    ImportStdio();
  } else {
    ImportHttp();
  }
  if (failed_) return std::nullopt;
  return std::move(upstream_);
}

void UpstreamImport::Fail(const std::string& path, std::string_view text) {
  notes_.push_back({Note::Severity::kError, path, std::string(text)});
  failed_ = true;
}

void UpstreamImport::Warn(const std::string& path, std::string_view text) {
  notes_.push_back({Note::Severity::kWarning, path, std::string(text)});
}

void UpstreamImport::CheckValue(const std::string& path,
                                std::string_view text) {
  if (IsOneLine(text) && text.size() <= kMaxSecretBytes) return;
  Fail(path,
       "a value is UTF-8 without line feeds or other control characters and "
       "has at most 64 KiB; put it into a file that the server reads");
}

std::string UpstreamImport::Refer(std::string_view wanted,
                                  const std::string& path,
                                  std::optional<std::string> value) {
  if (value.has_value()) CheckValue(path, *value);
  return variables_.Refer(wanted, upstream_.name, path, std::move(value));
}

void UpstreamImport::SetPlain(const std::string& name, const std::string& path,
                              const std::string& text) {
  CheckValue(path, text);
  const bool refers = LooksLikeReference(text) || text.size() > kMaxValueBytes;
  upstream_.env[name] = refers ? Refer(name, path, text) : text;
}

bool UpstreamImport::IsOwnVariable(const std::string& name) const {
  return std::any_of(server_.environment.begin(), server_.environment.end(),
                     [&](const auto& entry) { return entry.first == name; });
}

bool UpstreamImport::IsPlain(const std::string& path) const {
  return facts_.not_secret.contains(path);
}

std::optional<std::string> UpstreamImport::Filled(const std::string& text,
                                                  const std::string& path) {
  const auto is_own = [this](const std::string& name) {
    return IsOwnVariable(name);
  };
  Expanded expanded = Expand(text, facts_.environment, is_own);
  switch (expanded.kind) {
    case Expanded::Kind::kText:
      return std::move(expanded.text);
    case Expanded::Kind::kVariable: {
      auto value = facts_.environment(expanded.text);
      if (!value.has_value()) {
        Fail(path, absl::StrCat(expanded.text,
                                " is not set here: set it and import again, or "
                                "write the value out"));
      }
      return value;
    }
    case Expanded::Kind::kInput:
      Fail(path, absl::StrCat("${", expanded.text,
                              "} is asked of a person by the host: write the "
                              "value out"));
      return std::nullopt;
    case Expanded::Kind::kUnknown:
      Fail(path, expanded.text);
      return std::nullopt;
  }
  return std::nullopt;
}

// ---- stdio. ----

void UpstreamImport::ImportStdio() {
  ImportEnvironment();
  ImportCommand();
}

void UpstreamImport::CheckReach(const std::string& path,
                                const std::string& place) {
  if (facts_.run_as.empty()) return;
  if (const auto why = facts_.unreachable(path)) {
    Warn(place, absl::StrCat("will run as ", facts_.run_as,
                             ", who cannot reach it (", *why,
                             "); install it where everybody can, or name "
                             "another user with --run-as"));
  }
}

std::string UpstreamImport::FindOnPath(const std::string& command) {
  // The entry's own PATH is what the host would have looked in.
  std::string path = facts_.environment("PATH").value_or("");
  for (const auto& [name, value] : server_.environment) {
    if (name == "PATH" && value.find("${") == std::string::npos) path = value;
  }
  std::string_view rest = path;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size()
                                                       : colon + 1);
    if (!folder.starts_with('/')) continue;
    const std::string candidate =
        absl::StrCat(ToAbsl(folder), folder.ends_with('/') ? "" : "/", command);
    if (facts_.is_program(candidate)) return candidate;
  }
  return "";
}

std::string UpstreamImport::ResolveProgram(const std::string& command) {
  const std::string place = Below(server_.path, "command");
  if (!IsOneLine(command) || command.size() > kMaxValueBytes) {
    Fail(place, "a command has no control characters and at most 4,096 bytes");
    return "";
  }
  if (command.find('/') == std::string::npos) {
    std::string found = FindOnPath(command);
    if (found.empty()) {
      Fail(place, absl::StrCat(command,
                               ": not found on PATH; install it, or write its "
                               "absolute path"));
    }
    return found;
  }
  std::string path = command;
  if (path.starts_with("~/")) {
    path = facts_.environment("HOME").value_or("") + path.substr(1);
  }
  if (!path.starts_with('/')) {
    Fail(place, absl::StrCat(command,
                             ": write its absolute path; a worker "
                             "starts programs in /"));
    return "";
  }
  if (!facts_.is_program(path)) {
    Fail(place, absl::StrCat(path,
                             ": no program that can be run is there; "
                             "install it, or correct the path"));
    return "";
  }
  return path;
}

bool UpstreamImport::ImportArguments(std::vector<Word>* words) {
  const std::string place = Below(server_.path, "args");
  std::string before;
  bool any_secret = false;
  for (size_t i = 0; i < server_.arguments.size(); ++i) {
    const std::string path = absl::StrCat(place, "/", i);
    const std::string& written = server_.arguments[i];
    const auto text = Filled(written, path);
    if (!text.has_value()) return false;
    if (!IsOneLine(*text) || text->size() > kMaxValueBytes) {
      Fail(path,
           "an argument has no control characters and at most 4,096 bytes");
      return false;
    }
    if (!IsPlain(path) && ArgumentSuggestsSecret(before, *text)) {
      const std::string reference =
          Refer(absl::StrCat(upstream_.name, "_ARG_", i), path, *text);
      const std::string variable = reference.substr(kEnvPrefix.size());
      upstream_.env[variable] = reference;
      words->push_back({variable, true});
      any_secret = true;
    } else {
      words->push_back({*text, false});
    }
    before = written;
  }
  return any_secret;
}

std::vector<std::string> UpstreamImport::ByShell(
    const std::string& directory, const std::vector<Word>& words) {
  std::vector<std::string> command = {"/bin/sh", "-c", ""};
  std::string script;
  size_t next = 0;
  const auto argument = [&command, &next](const std::string& text) {
    command.push_back(text);
    return absl::StrCat("\"${", next++, "}\"");
  };
  if (!directory.empty()) {
    absl::StrAppend(&script, "cd ", argument(directory), " && ");
  }
  absl::StrAppend(&script, "exec");
  for (const Word& word : words) {
    absl::StrAppend(&script, " ",
                    word.is_variable ? absl::StrCat("\"$", word.text, "\"")
                                     : argument(word.text));
  }
  command[2] = script;
  return command;
}

std::optional<std::string> UpstreamImport::Directory() {
  if (server_.directory.empty()) return "";
  const std::string place = Below(server_.path, "cwd");
  std::optional<std::string> directory = Filled(server_.directory, place);
  if (!directory.has_value()) return std::nullopt;
  if (directory == "~" || directory->starts_with("~/")) {
    *directory = facts_.environment("HOME").value_or("") + directory->substr(1);
  }
  if (!directory->starts_with('/') || !IsOneLine(*directory) ||
      directory->size() > kMaxValueBytes) {
    Fail(place, "write an absolute path of at most 4,096 bytes");
    return std::nullopt;
  }
  CheckReach(*directory, place);
  return directory;
}

void UpstreamImport::ImportCommand() {
  const std::string place = Below(server_.path, "command");
  const auto command = Filled(server_.command, place);
  if (!command.has_value()) return;
  const std::string program = ResolveProgram(*command);
  if (program.empty()) return;
  CheckReach(program, place);
  if (!facts_.run_as.empty() &&
      (program.ends_with("/docker") || program.ends_with("/podman"))) {
    Warn(place, absl::StrCat("will run as ", facts_.run_as,
                             ", who may not use containers unless you allowed "
                             "it; name another user with --run-as"));
  }
  const std::optional<std::string> directory = Directory();
  if (!directory.has_value()) return;
  std::vector<Word> words = {{program, false}};
  const bool any_secret = ImportArguments(&words);
  if (failed_) return;
  if (any_secret || !directory->empty()) {
    upstream_.command = ByShell(*directory, words);
  } else {
    for (const Word& word : words) upstream_.command.push_back(word.text);
  }
  if (upstream_.command.size() > kMaxWords) {
    Fail(Below(server_.path, "args"),
         "too many: a command has at most 64 words; put them into a script");
  }
  for (const std::string& word : upstream_.command) {
    if (word.size() <= kMaxValueBytes) continue;
    Fail(Below(server_.path, "args"),
         "too many secrets among them; put them into env");
  }
}

void UpstreamImport::ImportVariable(const std::string& name,
                                    const std::string& value) {
  const std::string path = Below(Below(server_.path, "env"), name);
  if (!IsEnvironmentName(name)) {
    return Fail(path,
                "a variable is called [A-Za-z_][A-Za-z0-9_]*, at most 128 "
                "bytes");
  }
  if (name.starts_with(kSecretPrefix)) {
    return Fail(path,
                absl::StrCat("names that begin with ", ToAbsl(kSecretPrefix),
                             " are for what an import makes; call it "
                             "otherwise"));
  }
  const auto nothing_own = [](const std::string&) { return false; };
  const Expanded expanded = Expand(value, facts_.environment, nothing_own);
  const std::string& text = expanded.text;
  switch (expanded.kind) {
    case Expanded::Kind::kVariable:
      upstream_.env[name] = Refer(text, path, facts_.environment(text));
      return;
    case Expanded::Kind::kInput:
      Warn(path, kAskedForText);
      upstream_.env[name] = Refer(name, path, std::nullopt);
      return;
    case Expanded::Kind::kUnknown:
      return Fail(path, text);
    case Expanded::Kind::kText:
      break;
  }
  const bool secret = !IsPlain(path) && !text.empty() &&
                      (expanded.changed || NameSuggestsSecret(name) ||
                       ValueSuggestsSecret(text));
  if (!secret) return SetPlain(name, path, text);
  upstream_.env[name] = Refer(name, path, text);
}

void UpstreamImport::ImportEnvironment() {
  for (const auto& [name, value] : server_.environment) {
    // Neither is a secret, and both are wanted as they are.
    if (name == "PATH" || name == "HOME") {
      const std::string path = Below(Below(server_.path, "env"), name);
      const auto filled = Filled(value, path);
      if (filled.has_value()) SetPlain(name, path, *filled);
      continue;
    }
    ImportVariable(name, value);
  }
  if (!upstream_.env.contains("PATH")) {
    SetPlain("PATH", server_.path, facts_.environment("PATH").value_or(""));
  }
  if (!upstream_.env.contains("HOME") && !facts_.home.empty()) {
    SetPlain("HOME", server_.path, facts_.home);
  }
  // Room for the variables of secret arguments.
  if (upstream_.env.size() + server_.arguments.size() > kMaxVariables) {
    Fail(Below(server_.path, "env"),
         "too many: an upstream has at most 128 variables");
  }
}

// ---- http. ----

void UpstreamImport::ImportHeader(const std::string& name,
                                  const std::string& value) {
  const std::string path = Below(Below(server_.path, "headers"), name);
  if (IsWorkersOwnHeader(name)) {
    return Warn(path, "left out: the worker sets this header itself");
  }
  if (!IsHeaderName(name)) return Fail(path, "is no header's name");
  for (const auto& [other, reference] : upstream_.headers) {
    if (!absl::EqualsIgnoreCase(other, name)) continue;
    return Fail(path, absl::StrCat("the same header as ", other,
                                   "; keep one of the two"));
  }
  const std::string wanted = absl::StrCat(upstream_.name, "_", name);
  const auto nothing_own = [](const std::string&) { return false; };
  const Expanded expanded = Expand(value, facts_.environment, nothing_own);
  const std::string& text = expanded.text;
  std::string reference;
  switch (expanded.kind) {
    case Expanded::Kind::kVariable:
      reference = Refer(text, path, facts_.environment(text));
      break;
    case Expanded::Kind::kInput:
      Warn(path, kAskedForText);
      reference = Refer(wanted, path, std::nullopt);
      break;
    case Expanded::Kind::kUnknown:
      return Fail(path, text);
    case Expanded::Kind::kText:
      reference = Refer(wanted, path, text);
      break;
  }
  upstream_.headers.emplace_back(name, reference);
}

void UpstreamImport::ImportHttp() {
  const std::string& path = server_.url_path;
  const auto url = Filled(server_.url, path);
  if (!url.has_value()) return;
  const bool secret = *url != server_.url || ValueSuggestsSecret(*url);
  if (secret && !IsPlain(path)) {
    return Fail(
        path,
        absl::StrCat("seems to hold a secret, and a policy's url cannot refer "
                     "to one; let the server take it in a header, or, if it is "
                     "none, add --not-secret ",
                     path));
  }
  if (const auto problem = UrlProblem(*url)) return Fail(path, *problem);
  upstream_.url = *url;
  if (server_.headers.size() > kMaxHeaders) {
    return Fail(Below(server_.path, "headers"), "too many: at most 32 headers");
  }
  for (const auto& [name, value] : server_.headers) ImportHeader(name, value);
}

}  // namespace gatehouse::ctl
