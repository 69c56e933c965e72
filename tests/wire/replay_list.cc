#include "tests/wire/replay_list.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"
#include "shared/json/json.h"
#include "tests/wire/trace_files.h"

namespace gatehouse::wire {
namespace {

constexpr std::array<std::string_view, 4> kHow = {"client", "upstream", "judge",
                                                  "probe"};
// What a trace, or a line of one, may wait for.
constexpr std::array<std::string_view, 6> kNeeds = {
    "modern", "resources", "prompts", "logging", "subscriptions", "resumption"};

constexpr int kMostNever = 15;

template <size_t kSize>
bool IsOneOf(const std::array<std::string_view, kSize>& words,
             std::string_view word) {
  for (const std::string_view one : words) {
    if (one == word) return true;
  }
  return false;
}

absl::Status ReadNeed(const json::Value& value, std::string& need) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view text, value.String());
  if (!IsOneOf(kNeeds, text)) {
    return value.Error("not a need that the list knows");
  }
  need = std::string(text);
  return absl::OkStatus();
}

absl::Status ReadText(const json::Value& value, std::string& text) {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view read, value.String());
  if (read.empty()) return value.Error("empty");
  text = std::string(read);
  return absl::OkStatus();
}

absl::Status ReadDifference(const json::Value& value, Difference& difference) {
  for (const json::Member& member : value.Members()) {
    if (member.name == "client") {
      GATEHOUSE_RETURN_IF_ERROR(ReadText(member.value, difference.client));
    } else if (member.name == "upstream") {
      GATEHOUSE_RETURN_IF_ERROR(ReadText(member.value, difference.upstream));
    } else if (member.name == "needs") {
      GATEHOUSE_RETURN_IF_ERROR(ReadNeed(member.value, difference.needs));
    } else {
      return member.value.Error("unknown member of a difference");
    }
  }
  if (difference.client.empty() && difference.upstream.empty()) {
    return value.Error("says neither `client` nor `upstream`");
  }
  return absl::OkStatus();
}

absl::Status ReadDifferences(const json::Value& value,
                             std::map<std::string, Difference>& differences) {
  for (const json::Member& place : value.Members()) {
    GATEHOUSE_RETURN_IF_ERROR(
        ReadDifference(place.value, differences[std::string(place.name)]));
  }
  return absl::OkStatus();
}

absl::Status ReadHow(const json::Value& list, ReplayRow& row) {
  for (const json::Value& how : list.Elements()) {
    GATEHOUSE_ASSIGN_OR_RETURN(const std::string_view word, how.String());
    if (!IsOneOf(kHow, word)) return how.Error("not a way to replay");
    row.as.insert(std::string(word));
  }
  return absl::OkStatus();
}

absl::Status ReadMember(const json::Member& member, ReplayRow& row) {
  const json::Value& value = member.value;
  if (member.name == "trace") return ReadText(value, row.trace);
  if (member.name == "never") return ReadText(value, row.never);
  if (member.name == "tools") return ReadText(value, row.tools);
  if (member.name == "then") return ReadText(value, row.then);
  if (member.name == "as") return ReadHow(value, row);
  if (member.name == "offers") {
    row.offers = json::Canonical(value);
    return absl::OkStatus();
  }
  if (member.name == "waits") {
    for (const json::Value& need : value.Elements()) {
      GATEHOUSE_RETURN_IF_ERROR(ReadNeed(need, row.waits.emplace_back()));
    }
    return absl::OkStatus();
  }
  if (member.name == "judged") {
    for (const json::Value& verdict : value.Elements()) {
      GATEHOUSE_RETURN_IF_ERROR(ReadText(verdict, row.judged.emplace_back()));
    }
    return absl::OkStatus();
  }
  if (member.name == "differs") return ReadDifferences(value, row.differs);
  if (member.name == "guarded") {
    return ReadDifferences(value, row.guarded.emplace());
  }
  return value.Error("unknown member");
}

absl::StatusOr<ReplayRow> ReadRow(const json::Value& line) {
  ReplayRow row;
  for (const json::Member& member : line.Members()) {
    GATEHOUSE_RETURN_IF_ERROR(ReadMember(member, row));
  }
  if (row.trace.empty()) return line.Error("no `trace`");
  // A trace whose messages wait may have questions that the judge can be asked.
  const bool replayed = !row.as.empty();
  if (!row.never.empty() && (replayed || !row.waits.empty())) {
    return line.Error("`never` beside another way");
  }
  if (row.never.empty() && row.waits.empty() && !replayed) {
    return line.Error("says neither `as`, `waits` nor `never`");
  }
  if (!row.waits.empty() && row.Plays()) {
    return line.Error("waits, but is played: mark its lines instead");
  }
  return row;
}

}  // namespace

absl::StatusOr<std::vector<ReplayRow>> ParseReplayList(
    const std::vector<json::Document>& lines) {
  std::vector<ReplayRow> rows;
  std::set<std::string> seen;
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::StatusOr<ReplayRow> row = ReadRow(lines[i].root());
    const std::string place = absl::StrCat("replay.jsonl:", i + 1);
    if (!row.ok()) return Annotate(row.status(), place);
    if (!seen.insert(row->trace).second) {
      return absl::AlreadyExistsError(
          absl::StrCat(place, ": ", row->trace, " stands twice"));
    }
    rows.push_back(*std::move(row));
  }
  return rows;
}

absl::StatusOr<std::vector<ReplayRow>> ReadReplayList() {
  GATEHOUSE_ASSIGN_OR_RETURN(const std::vector<json::Document> lines,
                             ReadLines("replay.jsonl"));
  return ParseReplayList(lines);
}

std::vector<std::string> Shortcomings(const std::vector<ReplayRow>& rows,
                                      const std::vector<std::string>& traces) {
  std::vector<std::string> shortcomings;
  std::set<std::string> unlisted(traces.begin(), traces.end());
  int never = 0;
  for (const ReplayRow& row : rows) {
    if (unlisted.erase(row.trace) == 0) {
      shortcomings.push_back(absl::StrCat(row.trace, ": there is no trace"));
    }
    if (!row.never.empty()) ++never;
  }
  for (const std::string& trace : unlisted) {
    shortcomings.push_back(absl::StrCat(trace, ": has no line"));
  }
  if (never > kMostNever) {
    shortcomings.push_back(absl::StrCat(never, " are never replayed, of which ",
                                        kMostNever, " are allowed"));
  }
  return shortcomings;
}

std::vector<ReplayRow> RowsReplayedAs(const std::string& how) {
  std::vector<ReplayRow> matching;
  absl::StatusOr<std::vector<ReplayRow>> rows = ReadReplayList();
  if (!rows.ok()) return matching;
  for (ReplayRow& row : *rows) {
    if (row.as.count(how) > 0) matching.push_back(std::move(row));
  }
  return matching;
}

std::string TestNameOf(const std::string& trace) {
  std::string name = "T_";
  for (const char c : trace) name += absl::ascii_isalnum(c) ? c : '_';
  return name;
}

}  // namespace gatehouse::wire
