#include "controlplane/trust/object_edit.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::trust {

void ObjectEdit::Add(std::string_view name, std::string_view json) {
  absl::StrAppend(&added_, added_.empty() ? "" : ",", json::Quote(name), ":",
                  ToAbsl(json));
}

std::vector<json::Edit> ObjectEdit::Edits() const {
  std::vector<json::Edit> edits;
  const std::string_view raw = object_.raw();
  // A member reaches from the end of the value before it, comma and space
  // included, to the end of its own value. What is cut of the members before
  // the first that stays reaches over the comma behind them as well.
  size_t end = object_.offset() + 1;
  const size_t start = end;
  size_t cut_from_start = start;  // the end of the leading unwanted members
  bool any_stays = false;
  for (const json::Member& member : object_.Members()) {
    const size_t value_end = member.value.offset() + member.value.raw().size();
    const bool goes = unwanted_ && unwanted_(member.name);
    if (goes && any_stays) edits.push_back({end, value_end - end, ""});
    if (goes && !any_stays) cut_from_start = value_end;
    if (!goes && !any_stays && cut_from_start > start) {
      // Up to and with the comma; between two values there is nothing else
      // but space and the name's own quote.
      const size_t comma = raw.find(',', end - object_.offset());
      edits.push_back({start, object_.offset() + comma + 1 - start, ""});
    }
    any_stays = any_stays || !goes;
    end = value_end;
  }
  if (!any_stays && cut_from_start > start) {
    edits.push_back({start, cut_from_start - start, ""});
  }
  if (!added_.empty()) {
    edits.push_back({end, 0, absl::StrCat(any_stays ? "," : "", added_)});
  }
  return edits;
}

}  // namespace gatehouse::trust
