#ifndef GATEHOUSE_CONTROLPLANE_POLICY_READER_H_
#define GATEHOUSE_CONTROLPLANE_POLICY_READER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/policy/tree.h"
#include "controlplane/policy/virtual_server.h"

namespace gatehouse::policy {

// A node and where it stands: `path` for the author (`upstreams[0].http`),
// `pattern` for the table of fields (`upstreams[].http`).
struct Place {
  const Node* node = nullptr;
  std::string path;
  std::string pattern;
};

// Reads fields off a tree and collects what is wrong with them; it never stops
// at the first. Thread-compatible; borrows the tree and the violations.
class Reader {
 public:
  explicit Reader(std::vector<Violation>& violations)
      : violations_(violations) {}

  void Refuse(const Place& place, std::string_view what);
  void RefuseMember(const Place& place, std::string_view name,
                    std::string_view what);

  // Refuses each member of the map that this build does not enforce.
  void CheckMembers(const Place& map);

  // The member, if it is there and not null.
  std::optional<Place> Member(const Place& map, std::string_view name);
  // The same, and it must be of that kind.
  std::optional<Place> Map(const Place& map, std::string_view name);
  std::optional<Place> List(const Place& map, std::string_view name);

  // The member's value; nothing if it is absent or was refused.
  std::optional<std::string> String(const Place& map, std::string_view name);
  std::optional<bool> Bool(const Place& map, std::string_view name);
  std::optional<int64_t> Integer(const Place& map, std::string_view name,
                                 int64_t least, int64_t most);

  // A list's elements, a map's members; not those of another kind.
  static std::vector<Place> Items(const Place& list);
  static std::vector<std::pair<std::string, Place>> Entries(const Place& map);
  // The place's own value as a string, else a violation.
  std::optional<std::string> StringOf(const Place& place);

 private:
  std::optional<Place> OfKind(const Place& map, std::string_view name,
                              Node::Kind kind, std::string_view expected);

  std::vector<Violation>& violations_;
};

}  // namespace gatehouse::policy

#endif  // GATEHOUSE_CONTROLPLANE_POLICY_READER_H_
