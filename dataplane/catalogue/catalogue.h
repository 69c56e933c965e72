#ifndef GATEHOUSE_DATAPLANE_CATALOGUE_CATALOGUE_H_
#define GATEHOUSE_DATAPLANE_CATALOGUE_CATALOGUE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gatehouse::catalogue {

// How a tool's shown name is made.
enum class Prefix {
  kUpstream,  // `upstream__name`
  kNone,      // the name itself; two upstreams with one name clash
};

// What one upstream listed: its raw tool objects in its own order, or why it
// could not be listed.
struct UpstreamTools {
  std::string upstream;  // configured name
  absl::StatusOr<std::vector<std::string>> tools;
};

// Where a shown name leads.
struct Destination {
  std::string upstream;
  std::string tool;  // the upstream's own name
  friend bool operator==(const Destination&, const Destination&) = default;
};

// Something that an operator should know about a catalogue: for the log.
struct Problem {
  std::string upstream;
  std::string tool;  // the upstream's own name; empty: the upstream as a whole
  std::string what;  // what is wrong and what it means
};

// What a virtual server lists, and where each name leads. Pure; immutable once
// made; thread-safe to read.
class Catalogue {
 public:
  Catalogue() = default;

  // Merges what the upstreams listed. `listed` is in the policy's order, which
  // is the order of the result; within an upstream its own order stays. Only
  // the `name` member of a tool is spliced: every other byte stays as it came.
  //
  // Left out, each with a Problem: an upstream that could not be listed; what
  // is no tool object with a name; a name listed twice by one upstream (the
  // first stays); with Prefix::kNone a name of two upstreams (both go, for
  // neither can be meant). Left out silently: tools with
  // `execution.taskSupport: "required"`, which this gateway cannot run. Kept
  // with a Problem: a shown name over 64 bytes or outside [A-Za-z0-9_-].
  // `elsewhere` names the upstreams that only other clusters serve: their
  // tools are not listed, and a name that leads to one says so.
  static Catalogue Merge(Prefix prefix,
                         const std::vector<UpstreamTools>& listed,
                         const std::vector<std::string>& elsewhere = {});

  // Raw tool objects as shown, in order.
  const std::vector<std::string>& tools() const { return tools_; }
  const std::vector<Problem>& problems() const { return problems_; }

  // Errors: FAILED_PRECONDITION if two upstreams list that name;
  // UNAVAILABLE if it is not known but an upstream that may have it could not
  // be listed; OUT_OF_RANGE if its prefix is of an upstream elsewhere; else
  // NOT_FOUND. The message names no upstream's own text.
  absl::StatusOr<Destination> Route(std::string_view shown_name) const;

 private:
  Prefix prefix_ = Prefix::kUpstream;
  std::vector<std::string> tools_;
  std::vector<Problem> problems_;
  std::map<std::string, Destination, std::less<>> routes_;
  std::set<std::string, std::less<>> clashes_;
  std::set<std::string, std::less<>> unlisted_;   // upstreams
  std::set<std::string, std::less<>> elsewhere_;  // upstreams
};

}  // namespace gatehouse::catalogue

#endif  // GATEHOUSE_DATAPLANE_CATALOGUE_CATALOGUE_H_
