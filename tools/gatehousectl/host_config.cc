#include "tools/gatehousectl/host_config.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tools/gatehousectl/jsonc.h"

namespace gatehouse::ctl {
namespace {

using Severity = Note::Severity;

// What hosts call Streamable HTTP and the command line.
constexpr std::string_view kHttpTypes[] = {"http", "streamable-http",
                                           "streamableHttp", "streamable_http"};
constexpr std::string_view kUrlMembers[] = {"url", "serverUrl", "httpUrl"};

struct Known {
  std::string_view member;
  std::string_view says;
};
// Members that hosts have and a policy has not, with what that means.
constexpr Known kNotTaken[] = {
    {"alwaysAllow", "left out: whom to ask before a call is the host's own"},
    {"autoApprove", "left out: whom to ask before a call is the host's own"},
    {"disabledTools", "left out: all tools of this server will be listed"},
    {"excludeTools", "left out: all tools of this server will be listed"},
    {"includeTools", "left out: all tools of this server will be listed"},
    {"tools", "left out: all tools of this server will be listed"},
    {"envFile",
     "not read: put its variables into env, or into the worker's "
     "environment"},
    {"timeout", "left out: this build has no timeout of an upstream's own"},
    {"description", "left out: a policy has no place for it"},
};
// Members without which the server would not work as it did.
constexpr std::string_view kOauthMembers[] = {"auth", "oauth", "authorization",
                                              "authProviderType"};

template <size_t N>
bool IsOneOf(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// A key that its author commented out.
bool IsCommentedOut(std::string_view name) {
  return name.starts_with("//") || name.starts_with("#") ||
         name.starts_with("_");
}

// Reads one entry; what is wrong becomes notes.
class EntryReader {
 public:
  EntryReader(const json::Value& entry, std::vector<Note>* notes)
      : entry_(entry), notes_(notes) {}

  // Nothing if it must be left out, which a note then says.
  std::optional<HostServer> Read(std::string_view key) {
    server_.key = std::string(key);
    server_.path = entry_.pointer();
    if (!entry_.IsObject()) {
      Add(Severity::kError, entry_, "expected an object");
      return std::nullopt;
    }
    if (IsSwitchedOff()) return std::nullopt;
    for (const json::Member& member : entry_.Members()) ReadMember(member);
    CheckTransport();
    if (failed_) return std::nullopt;
    return std::move(server_);
  }

 private:
  void Add(Severity severity, const json::Value& place, std::string_view text) {
    notes_->push_back({severity, place.pointer(), std::string(text)});
    failed_ = failed_ || severity == Severity::kError;
  }

  bool IsSwitchedOff() {
    for (const std::string_view name : {"disabled", "enabled"}) {
      const auto flag = entry_.Find(name);
      if (!flag.has_value()) continue;
      if (!flag->IsBool()) {
        Add(Severity::kError, *flag, "expected true or false");
        return true;
      }
      if (*flag->Bool() == (name == "disabled")) {
        Add(Severity::kWarning, *flag,
            "this server is switched off, so it is left out; switch it on to "
            "import it");
        return true;
      }
    }
    return false;
  }

  void ReadMember(const json::Member& member) {
    const auto& [name, value] = member;
    if (name == "disabled" || name == "enabled") return;
    if (name == "type" || name == "transport") return ReadType(value);
    if (name == "command") return ReadString(value, &server_.command);
    if (name == "args") return ReadArguments(value);
    if (name == "env") return ReadMap(value, &server_.environment);
    if (name == "cwd") return ReadString(value, &server_.directory);
    if (name == "headers" || name == "requestInit") {
      return ReadHeaders(name, value);
    }
    if (IsOneOf(name, kUrlMembers)) {
      server_.url_path = value.pointer();
      return ReadString(value, &server_.url);
    }
    if (IsOneOf(name, kOauthMembers)) {
      return Add(Severity::kError, value,
                 "Gatehouse does not log in to upstreams by OAuth; give the "
                 "server a token in headers instead");
    }
    NoteNotTaken(name, value);
  }

  void NoteNotTaken(std::string_view name, const json::Value& value) {
    for (const Known& known : kNotTaken) {
      if (known.member == name) {
        return Add(Severity::kWarning, value, known.says);
      }
    }
    Add(Severity::kWarning, value,
        IsCommentedOut(name) ? "commented out, so left out"
                             : "unknown, so left out");
  }

  void ReadType(const json::Value& value) {
    std::string type;
    ReadString(value, &type);
    if (failed_ || type == "stdio" || IsOneOf(type, kHttpTypes)) return;
    if (type == "sse") {
      return Add(Severity::kError, value,
                 "the HTTP+SSE transport of 2024-11-05 is not spoken; if the "
                 "server has a Streamable HTTP address (often /mcp in place of "
                 "/sse), give that with type http");
    }
    Add(Severity::kError, value,
        absl::StrCat("'", type,
                     "' is no transport that Gatehouse speaks; there are stdio "
                     "and http (Streamable HTTP)"));
  }

  void ReadString(const json::Value& value, std::string* to) {
    if (!value.IsString()) {
      return Add(Severity::kError, value, "expected a string");
    }
    *to = std::string(*value.String());
  }

  void ReadArguments(const json::Value& value) {
    if (!value.IsArray()) {
      return Add(Severity::kError, value, "expected a list of strings");
    }
    for (const json::Value& element : value.Elements()) {
      ReadString(element, &server_.arguments.emplace_back());
    }
  }

  // Numbers and booleans count as the text that they are written with, as in
  // the hosts.
  void ReadMap(const json::Value& value,
               std::vector<std::pair<std::string, std::string>>* to) {
    if (value.IsNull()) return;
    if (!value.IsObject()) {
      return Add(Severity::kError, value, "expected an object of strings");
    }
    for (const json::Member& member : value.Members()) {
      const json::Value& text = member.value;
      if (IsCommentedOut(member.name) && member.name.front() != '_') {
        Add(Severity::kWarning, text, "commented out, so left out");
      } else if (text.IsString()) {
        to->emplace_back(member.name, *text.String());
      } else if (text.IsNumber() || text.IsBool()) {
        to->emplace_back(member.name, text.raw());
      } else {
        Add(Severity::kError, text, "expected a string");
      }
    }
  }

  // Some hosts have them within `requestInit`.
  void ReadHeaders(std::string_view name, const json::Value& value) {
    if (name == "headers") return ReadMap(value, &server_.headers);
    for (const json::Member& member : value.Members()) {
      if (member.name == "headers") {
        ReadMap(member.value, &server_.headers);
      } else {
        Add(Severity::kWarning, member.value, "unknown, so left out");
      }
    }
  }

  void CheckTransport() {
    if (failed_) return;
    if (server_.command.empty() == server_.url.empty()) {
      return Add(Severity::kError, entry_,
                 server_.url.empty()
                     ? "has neither command nor url; give it one"
                     : "has command and url; keep one of the two");
    }
    if (server_.command.empty()) {
      CheckUrl();
    } else if (!server_.headers.empty()) {
      Add(Severity::kWarning, entry_, "headers are left out: it has no url");
    }
  }

  void CheckUrl() {
    if (absl::StartsWithIgnoreCase(server_.url, "ws://") ||
        absl::StartsWithIgnoreCase(server_.url, "wss://")) {
      return Add(Severity::kError, entry_,
                 "WebSockets are no transport that Gatehouse speaks; give a "
                 "Streamable HTTP url (http or https)");
    }
    const std::string_view path =
        std::string_view(server_.url)
            .substr(0, server_.url.find_first_of("?#"));
    const bool has_type =
        entry_.Find("type").has_value() || entry_.Find("transport").has_value();
    if (!has_type && path.ends_with("/sse")) {
      Add(Severity::kWarning, entry_,
          "this url looks like the older HTTP+SSE transport, which is not "
          "spoken; Streamable HTTP often is at /mcp");
    }
    if (!server_.environment.empty() || !server_.directory.empty()) {
      Add(Severity::kWarning, entry_,
          "env and cwd are left out: nothing is started for a url");
    }
  }

  const json::Value entry_;
  std::vector<Note>* const notes_;
  HostServer server_;
  bool failed_ = false;
};

// The object of servers, and notes for what stands beside it.
std::optional<json::Value> FindServers(const json::Value& root,
                                       std::vector<Note>* notes) {
  std::optional<json::Value> found;
  for (const std::string_view name : {"mcpServers", "servers"}) {
    if (const auto servers = root.Find(name);
        servers.has_value() && servers->IsObject() && !found.has_value()) {
      found = servers;
    }
  }
  if (!found.has_value()) {
    const auto within = root.Find("mcp");
    return within.has_value() ? FindServers(*within, notes) : std::nullopt;
  }
  for (const json::Member& member : root.Members()) {
    if (member.value.pointer() == found->pointer()) continue;
    notes->push_back({Severity::kWarning, member.value.pointer(),
                      IsCommentedOut(member.name)
                          ? "commented out, so left out"
                          : "holds no servers, so left out"});
  }
  return found;
}

void NoteComments(const std::vector<int>& lines, std::vector<Note>* notes) {
  if (lines.empty()) return;
  const bool one = lines.size() == 1;
  notes->push_back(
      {Severity::kWarning, "",
       absl::StrCat(lines.size(), one ? " comment is" : " comments are",
                    " left out, ", one ? "on" : "the first on", " line ",
                    lines.front(),
                    "; a server that is commented out is not imported")});
}

}  // namespace

absl::StatusOr<HostConfig> ReadHostConfig(std::string_view text) {
  PlainJson plain = WithoutComments(text);
  GATEHOUSE_ASSIGN_OR_RETURN(const json::Document document,
                             json::Document::Parse(std::move(plain.json)));
  HostConfig config;
  NoteComments(plain.comment_lines, &config.notes);
  const auto servers = FindServers(document.root(), &config.notes);
  if (!servers.has_value()) {
    return absl::InvalidArgumentError(
        "has no `mcpServers` (or `servers`, as VS Code calls it); give the "
        "configuration file of an MCP host");
  }
  for (const json::Member& member : servers->Members()) {
    if (IsCommentedOut(member.name)) {
      config.notes.push_back({Severity::kWarning, member.value.pointer(),
                              "commented out, so left out"});
      continue;
    }
    EntryReader reader(member.value, &config.notes);
    if (auto server = reader.Read(member.name)) {
      config.servers.push_back(*std::move(server));
    }
  }
  return config;
}

}  // namespace gatehouse::ctl
