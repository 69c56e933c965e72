#ifndef GATEHOUSE_CONTROLPLANE_TRUST_OBJECT_EDIT_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_OBJECT_EDIT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/json/json.h"

namespace gatehouse::trust {

// Takes members out of one object and adds others at its end, as edits that
// never overlap, whatever stands next to what: every byte between stays. Edits
// inside the value of a member that stays may be made beside these.
//
// Thread-compatible. Borrows nothing: the object keeps its text alive.
class ObjectEdit {
 public:
  explicit ObjectEdit(json::Value object) : object_(std::move(object)) {}

  void RemoveIf(std::function<bool(std::string_view name)> unwanted) {
    unwanted_ = std::move(unwanted);
  }
  // `json` is a raw value. The name must not be that of a member that stays.
  void Add(std::string_view name, std::string_view json);

  // To be spliced into the object's document.
  std::vector<json::Edit> Edits() const;

 private:
  json::Value object_;
  std::function<bool(std::string_view)> unwanted_;
  std::string added_;  // members, with a comma between them
};

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_OBJECT_EDIT_H_
