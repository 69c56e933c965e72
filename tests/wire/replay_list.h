#ifndef GATEHOUSE_TESTS_WIRE_REPLAY_LIST_H_
#define GATEHOUSE_TESTS_WIRE_REPLAY_LIST_H_

#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "shared/json/json.h"

namespace gatehouse::wire {

// What comes out at one place of a trace, where that is not what was recorded.
// tests/data/wire/README.md has the words.
struct Difference {
  std::string client;    // on the client's side; empty: as recorded
  std::string upstream;  // on the upstream's side; empty: as recorded
  std::string needs;     // what this build lacks; empty: it is meant so
};

// How one trace is replayed and what must come out: a line of
// tests/data/wire/replay.jsonl, whose README explains each member.
struct ReplayRow {
  std::string trace;
  std::set<std::string> as;         // client, upstream, judge, probe
  std::vector<std::string> waits;   // for what; empty: does not wait
  std::string never;                // why it is never replayed
  std::string tools;                // the trace that has the server's tools
  std::string offers;               // canonical: capabilities offered
  std::vector<std::string> judged;  // verdicts, by input request
  std::map<std::string, Difference> differs;  // by place: `4` or `4.2`
  // Set: also played at a worker that wants the recorded token, and what
  // differs there.
  std::optional<std::map<std::string, Difference>> guarded;
  std::string then;  // what a tools/list after the recording is answered

  bool Plays() const { return as.count("client") || as.count("upstream"); }
};

// For GoogleTest, which would print its bytes.
inline void PrintTo(const ReplayRow& row, std::ostream* out) {
  *out << row.trace;
}

// Reads the lines of a list, in their order. Errors name the line and what is
// wrong with it: an unknown member or word, a trace that stands twice.
absl::StatusOr<std::vector<ReplayRow>> ParseReplayList(
    const std::vector<json::Document>& lines);
// The same of tests/data/wire/replay.jsonl.
absl::StatusOr<std::vector<ReplayRow>> ReadReplayList();

// What keeps `rows` from being the list of `traces`: a trace without a line, a
// line without a trace, more than 15 that are never replayed. Sentences.
std::vector<std::string> Shortcomings(const std::vector<ReplayRow>& rows,
                                      const std::vector<std::string>& traces);

// The rows that are replayed as `how`; empty if the list cannot be read, which
// the list's own test reports.
std::vector<ReplayRow> RowsReplayedAs(const std::string& how);

// A trace's name as GoogleTest wants it.
std::string TestNameOf(const std::string& trace);

}  // namespace gatehouse::wire

#endif  // GATEHOUSE_TESTS_WIRE_REPLAY_LIST_H_
