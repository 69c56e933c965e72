#ifndef GATEHOUSE_DATAPLANE_HTTP_LINE_ENDS_H_
#define GATEHOUSE_DATAPLANE_HTTP_LINE_ENDS_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gatehouse::http {

// Where lines end in an event stream's text: at CR and at LF, each of which is
// looked for with memchr and once only, so that all of it costs little more
// than reading the text, in one line or in many. Thread-compatible; pure. The
// text is borrowed.
class LineEnds {
 public:
  explicit LineEnds(std::string_view text)
      : text_(text), cr_(Find('\r', 0)), lf_(Find('\n', 0)) {}

  // The offset of the first CR or LF at or after `from`, which never falls from
  // call to call; the text's size if there is none.
  size_t Next(size_t from) {
    if (cr_ < from) cr_ = Find('\r', from);
    if (lf_ < from) lf_ = Find('\n', from);
    return std::min(cr_, lf_);
  }

 private:
  size_t Find(char c, size_t from) const {
    return std::min(text_.find(c, from), text_.size());
  }

  const std::string_view text_;
  size_t cr_;
  size_t lf_;
};

}  // namespace gatehouse::http

#endif  // GATEHOUSE_DATAPLANE_HTTP_LINE_ENDS_H_
