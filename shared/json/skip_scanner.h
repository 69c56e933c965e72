#ifndef GATEHOUSE_SHARED_JSON_SKIP_SCANNER_H_
#define GATEHOUSE_SHARED_JSON_SKIP_SCANNER_H_

#include <cstddef>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gatehouse::json {

// Over max_bytes is RESOURCE_EXHAUSTED, the others are INVALID_ARGUMENT.
struct SkipLimits {
  size_t max_bytes = 16 << 20;
  int max_depth = 512;           // containers within containers; 512 at most
  size_t max_members = 200'000;  // of both levels together
};

struct SkippedMember {
  std::string_view name;   // decoded
  std::string_view value;  // the bytes it was written with, no space around
};

// What SkipScan finds. Views into the scanned text, or into this object; both
// must outlive them. Movable. Thread-compatible.
class SkippedObject {
 public:
  // In the order written, no name twice.
  const std::vector<SkippedMember>& members() const { return members_; }
  // The members of the member that was opened; empty if it is no object.
  const std::vector<SkippedMember>& opened() const { return opened_; }

 private:
  friend class SkipScanner;
  std::vector<SkippedMember> members_;
  std::vector<SkippedMember> opened_;
  std::forward_list<std::string> decoded_;  // names that had escapes
};

// The value of that member; nullopt if there is none.
std::optional<std::string_view> FindSkipped(
    const std::vector<SkippedMember>& members, std::string_view name);

// Reads the outside of a JSON object that is relayed as it stands: the members
// of the object and of its member named `to_open`, if that is an object too.
// One pass, no tree, some gigabytes a second; allocates per member of these two
// levels, nothing for what lies deeper.
//
// Checked at these two levels: all that Document::Parse checks. RFC 8259's
// grammar, a member name twice (decoded), lone surrogates, limits, no
// byte-order mark, nothing after the object.
// Checked at every depth: UTF-8; that brackets match and are not too deep; each
// string, with its escapes, control bytes and surrogates; and that no byte
// stands outside strings which JSON does not have there, such as the start of
// another format's comments or strings.
// Not checked below the two levels: where commas and colons stand, the spelling
// of numbers and words, and whether a name occurs twice. So all readers agree
// on where each member ends, and the rest is the last reader's to judge.
//
// INVALID_ARGUMENT "offset N: what" for all of it. Pure; constant stack.
absl::StatusOr<SkippedObject> SkipScan(std::string_view text,
                                       std::string_view to_open,
                                       const SkipLimits& limits = {});

}  // namespace gatehouse::json

#endif  // GATEHOUSE_SHARED_JSON_SKIP_SCANNER_H_
