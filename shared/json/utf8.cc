// The only file that includes simdjson: of all it can, only the validator of
// UTF-8, which takes 32 bytes at a step where the machine can.

#include <simdjson.h>

#include "shared/json/text.h"

namespace gatehouse::json {

bool IsUtf8(std::string_view text) {
  // An empty view may have no address.
  return text.empty() || simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace gatehouse::json
