#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "controlplane/trust/response_error.h"

namespace gatehouse::trust {
namespace {

constexpr int kMaxDepth = 8;
constexpr int kMaxValues = 64;
constexpr size_t kMaxNameBytes = 64;

// Whether a text passes the mask as it is.
bool Shows(std::string_view text) { return MaskedText(text) == text; }

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && Shows(name) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '_' || c == '.' || c == '-';
         });
}

// Writes values until a bound is met.
class Masking {
 public:
  // False: over a bound, and what was written is to be thrown away.
  bool Write(const json::Value& value, int depth) {
    if (depth > kMaxDepth || ++values_ > kMaxValues) return false;
    switch (value.kind()) {
      case json::Kind::kObject:
        return WriteObject(value, depth);
      case json::Kind::kArray:
        return WriteArray(value, depth);
      case json::Kind::kString:
        writer_.String(MaskedText(value.String().value_or("")));
        return true;
      case json::Kind::kNumber:
        if (Shows(value.raw())) break;
        writer_.String(MaskedText(value.raw()));  // a card's, a phone's
        return true;
      case json::Kind::kNull:
      case json::Kind::kBool:
        break;
    }
    writer_.Raw(value.raw());
    return true;
  }
  std::string Take() { return writer_.Take(); }

 private:
  bool WriteObject(const json::Value& object, int depth) {
    writer_.StartObject();
    for (const json::Member& member : object.Members()) {
      if (!IsPlainName(member.name)) return false;
      writer_.Name(member.name);
      if (!Write(member.value, depth + 1)) return false;
    }
    writer_.EndObject();
    return true;
  }
  bool WriteArray(const json::Value& array, int depth) {
    writer_.StartArray();
    for (const json::Value& element : array.Elements()) {
      if (!Write(element, depth + 1)) return false;
    }
    writer_.EndArray();
    return true;
  }

  json::Writer writer_;
  int values_ = 0;
};

}  // namespace

std::string MaskedData(const json::Value& data) {
  Masking masking;
  if (!masking.Write(data, 1)) return "";
  return masking.Take();
}

}  // namespace gatehouse::trust
