#include "tests/integration/wire/compare.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "shared/json/json.h"

namespace gatehouse::testing {
namespace {

constexpr char kOrigin[] = "io.gatehouse/origin";
constexpr size_t kShownBytes = 600;

std::string Shown(const std::string& text) {
  return text.empty() ? "nothing" : text.substr(0, kShownBytes);
}

std::string Unequal(const std::string& what, const std::string& recorded,
                    const std::string& actual) {
  return absl::StrCat(what, ": expected ", Shown(recorded), "\n    but got ",
                      Shown(actual));
}

std::set<std::string> NamesOf(const Message& message) {
  std::set<std::string> names;
  const auto read = json::Document::Parse(message.raw());
  if (!read.ok()) return names;
  for (const json::Member& member : read->root().Members()) {
    names.insert(std::string(member.name));
  }
  return names;
}

bool IsHttpStatus(const std::string& word) {
  return word.size() == 3 && absl::ascii_isdigit(word[0]);
}

// An object of `object`'s members but `left_out`, each as it was written.
std::string Without(const json::Value& object, std::string_view left_out,
                    const std::string& instead) {
  json::Writer writer;
  writer.StartObject();
  for (const json::Member& member : object.Members()) {
    if (member.name != left_out) {
      writer.Name(member.name).Raw(member.value.raw());
    } else if (!instead.empty()) {
      writer.Name(member.name).Raw(instead);
    }
  }
  return writer.EndObject().Take();
}

}  // namespace

Outcome ParseOutcome(const std::string& text) {
  Outcome outcome;
  if (text.empty()) return outcome;
  if (text == "nothing") {
    outcome.kind = Outcome::Kind::kNothing;
    return outcome;
  }
  if (text == "not sent") {
    outcome.kind = Outcome::Kind::kNotSent;
    return outcome;
  }
  std::vector<std::string> words = absl::StrSplit(text, ' ');
  if (words.size() == 2 && words[0] == "on" &&
      absl::SimpleAtoi(words[1], &outcome.exchange)) {
    outcome.kind = Outcome::Kind::kMoved;
    return outcome;
  }
  outcome.kind = Outcome::Kind::kError;
  if (IsHttpStatus(words[0])) {
    if (!absl::SimpleAtoi(words[0], &outcome.status)) outcome.status = -1;
    words.erase(words.begin());
  }
  if (!words.empty()) outcome.code = words[0];
  if (words.size() > 1) outcome.reason = words[1];
  return outcome;
}

std::string Differs(const Message& recorded, const Message& actual,
                    const std::map<std::string, std::string>& instead,
                    const std::set<std::string>& may_differ) {
  std::map<std::string, std::string> wanted;
  for (const std::string& name : NamesOf(recorded)) {
    wanted[name] = recorded.RawAt("/" + name);
  }
  for (const auto& [name, raw] : instead) wanted[name] = raw;
  for (const std::string& name : NamesOf(actual)) {
    if (wanted.count(name) == 0) {
      return absl::StrCat("/", name, ": came, but was not recorded: ",
                          Shown(actual.RawAt("/" + name)));
    }
  }
  for (const auto& [name, raw] : wanted) {
    const std::string got = actual.RawAt("/" + name);
    if (may_differ.count(name) > 0 ? got.empty() : got != raw) {
      return Unequal("/" + name, raw, got);
    }
  }
  return "";
}

std::string DiffersFromCancel(const Message& recorded, const Message& actual,
                              const std::string& id) {
  const std::string outside = Differs(recorded, actual, {}, {"params"});
  if (!outside.empty()) return outside;
  const std::string inside = Differs(Message(recorded.RawAt("/params")),
                                     Message(actual.RawAt("/params")),
                                     {{"requestId", id}}, {"reason"});
  return inside.empty() ? "" : "/params" + inside;
}

std::string DiffersFromError(const Outcome& wanted, const Message& actual) {
  if (actual.At("/error/code") != wanted.code) {
    return Unequal("/error/code", wanted.code, actual.raw());
  }
  if (!wanted.reason.empty() &&
      actual.At("/error/data/reason") != wanted.reason) {
    return Unequal("/error/data/reason", wanted.reason, actual.raw());
  }
  return actual.At("/error/message").empty() ? "/error/message: is empty" : "";
}

std::string WithoutOrigin(const Message& message) {
  const auto read = json::Document::Parse(message.RawAt("/params"));
  if (!read.ok()) return message.RawAt("/params");
  const json::Value params = read->root();
  const std::optional<json::Value> meta = params.Find("_meta");
  if (!meta.has_value()) return std::string(params.raw());
  const std::string left = Without(*meta, kOrigin, "");
  const std::string rest = Without(params, "_meta", left == "{}" ? "" : left);
  return rest == "{}" ? "" : rest;
}

std::string DiffersFromAsked(const Message& recorded, const Message& actual,
                             const std::string& origin,
                             const std::string& client_revision) {
  const std::string found = actual.RawAt("/params/_meta/io.gatehouse~1origin");
  if (found != origin) return Unequal("the origin", origin, found);
  const std::string params = WithoutOrigin(actual);
  std::string wanted = recorded.RawAt("/params");
  const auto read = json::Document::Parse(wanted);
  if (read.ok() && client_revision == "2025-06-18" &&
      recorded.At("/params/mode") == "form") {
    wanted = Without(read->root(), "mode", "");
  }
  if (params != wanted) return Unequal("/params", wanted, params);
  // 256 random bits, in base64url.
  if (actual.At("/id").size() < 43 || actual.RawAt("/id")[0] != '"') {
    return Unequal("/id", "an opaque id", actual.RawAt("/id"));
  }
  return Differs(recorded, actual, {{"params", actual.RawAt("/params")}},
                 {"id"});
}

namespace {

constexpr size_t kOurIdBytes = 43;  // 256 random bits, in base64url

// Where a message may name an elicitation.
std::vector<std::string> ElicitationPlaces(const Message& message) {
  std::vector<std::string> places = {"/params"};
  for (int i = 0;; ++i) {
    std::string entry = absl::StrCat("/error/data/elicitations/", i);
    if (!message.Has(entry)) return places;
    places.push_back(std::move(entry));
  }
}

// Ours, and the same as before.
bool MayStandFor(const std::string& recorded, const std::string& actual,
                 const std::map<std::string, std::string>& known) {
  const auto before = known.find(recorded);
  return actual.size() == kOurIdBytes &&
         (before == known.end() || before->second == actual);
}

// `object`, raw, without that origin in its `_meta`.
std::string EntryWithout(const json::Value& object, const std::string& origin) {
  const std::optional<json::Value> meta = object.Find("_meta");
  if (!meta.has_value()) return std::string(object.raw());
  const auto found = meta->Find(kOrigin);
  if (!found.has_value() || found->raw() != origin) {
    return std::string(object.raw());
  }
  const std::string left = Without(*meta, kOrigin, "");
  return Without(object, "_meta", left == "{}" ? "" : left);
}

}  // namespace

std::map<std::string, std::string> ElicitationIds(const Message& recorded,
                                                  const Message& actual) {
  std::map<std::string, std::string> ids;
  for (const std::string& place : ElicitationPlaces(recorded)) {
    const std::string id = recorded.At(place + "/elicitationId");
    if (!id.empty()) ids[id] = actual.At(place + "/elicitationId");
  }
  return ids;
}

Message WithElicitationIds(const Message& recorded, const Message& actual,
                           const std::map<std::string, std::string>& known,
                           const std::string& origin) {
  std::string text = actual.raw();
  for (const std::string& place : ElicitationPlaces(recorded)) {
    const Message now(text);
    std::string part = now.RawAt(place);
    const size_t at = text.find(part);
    if (part.empty() || at == std::string::npos) continue;
    const size_t size = part.size();
    auto read = json::Document::Parse(part);
    if (!read.ok()) continue;
    if (place != "/params") {
      part = EntryWithout(read->root(), origin);
      read = json::Document::Parse(part);
    }
    const std::string id = recorded.At(place + "/elicitationId");
    if (!id.empty() &&
        MayStandFor(id, now.At(place + "/elicitationId"), known)) {
      part = json::Splice(part, {json::SetMember(read->root(), "elicitationId",
                                                 json::Quote(id))});
    }
    text.replace(at, size, part);
  }
  return Message(text);
}

std::string WithProgressToken(const Message& message,
                              const std::string& token) {
  const auto read = json::Document::Parse(message.RawAt("/params"));
  if (!read.ok()) return message.RawAt("/params");
  const std::optional<json::Value> meta = read->root().Find("_meta");
  if (!meta.has_value() || !meta->Find("progressToken").has_value()) {
    return std::string(read->text());
  }
  return json::Splice(read->text(),
                      {json::SetMember(*meta, "progressToken", token)});
}

}  // namespace gatehouse::testing
