#ifndef GATEHOUSE_SHARED_JSON_TREE_H_
#define GATEHOUSE_SHARED_JSON_TREE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared/json/json.h"

namespace gatehouse::json {

// A decoded string: a piece of the text where the literal has no escapes, else
// of the tree's own store of decoded strings.
struct Decoded {
  uint32_t offset = 0;
  uint32_t size = 0;
  bool in_text = true;
};

// One value. The nodes stand in the order of the text, so a container's first
// child follows it, and `end_node` of a child is its next sibling.
struct Node {
  Kind kind = Kind::kNull;
  bool is_true = false;  // of a boolean
  uint32_t begin = 0;    // of its bytes in the text
  uint32_t end = 0;
  uint32_t parent = 0;    // of the root: itself
  uint32_t end_node = 0;  // the first node that is not within this one
  uint32_t count = 0;     // members or elements
  Decoded name;           // if it is a member
  Decoded string;         // if it is a string
};

// What a Document shares. Immutable once read. Internal to shared/json.
struct Document::Tree {
  std::string text;
  std::string decoded;  // every string whose literal had escapes, end to end
  std::vector<Node> nodes;

  std::string_view View(const Decoded& string) const {
    return std::string_view(string.in_text ? text : decoded)
        .substr(string.offset, string.size);
  }
  // RFC 6901.
  std::string Pointer(uint32_t node) const;
  // INVALID_ARGUMENT "POINTER: what"; of the nearest value around it whose
  // pointer is of a decent length, for a peer chooses the names in it.
  absl::Status ErrorAt(uint32_t node, std::string_view what) const;
};

// `status` with what FaultOf reads back from it.
absl::Status WithFault(absl::Status status, Fault fault);

}  // namespace gatehouse::json

#endif  // GATEHOUSE_SHARED_JSON_TREE_H_
