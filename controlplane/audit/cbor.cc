#include "controlplane/audit/cbor.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "shared/base/status.h"

namespace gatehouse::audit {
namespace {

constexpr int kUnsigned = 0;
constexpr int kNegative = 1;
constexpr int kBytes = 2;
constexpr int kText = 3;
constexpr int kMap = 5;

void AppendHead(std::string& out, int major, uint64_t argument) {
  const auto first = static_cast<unsigned char>(major << 5);
  const auto tail = [&](int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      out.push_back(static_cast<char>((argument >> shift) & 0xff));
    }
  };
  if (argument < 24) {
    out.push_back(static_cast<char>(first | argument));
  } else if (argument <= 0xff) {
    out.push_back(static_cast<char>(first | 24));
    tail(1);
  } else if (argument <= 0xffff) {
    out.push_back(static_cast<char>(first | 25));
    tail(2);
  } else if (argument <= 0xffffffff) {
    out.push_back(static_cast<char>(first | 26));
    tail(4);
  } else {
    out.push_back(static_cast<char>(first | 27));
    tail(8);
  }
}

void AppendInt(std::string& out, int64_t value) {
  if (value >= 0) {
    AppendHead(out, kUnsigned, static_cast<uint64_t>(value));
  } else {
    AppendHead(out, kNegative, static_cast<uint64_t>(-(value + 1)));
  }
}

void AppendScalar(std::string& out, const CborScalar& scalar) {
  if (const auto* number = std::get_if<int64_t>(&scalar)) {
    AppendInt(out, *number);
  } else if (const auto* text = std::get_if<CborText>(&scalar)) {
    AppendHead(out, kText, text->utf8.size());
    out += text->utf8;
  } else {
    const std::string& bytes = std::get<CborBytes>(scalar).bytes;
    AppendHead(out, kBytes, bytes.size());
    out += bytes;
  }
}

// Reads one input from front to back.
class Reader {
 public:
  explicit Reader(std::string_view input) : input_(input) {}

  absl::StatusOr<CborMap> Whole() {
    GATEHOUSE_ASSIGN_OR_RETURN(const Head head, ReadHead());
    if (head.major != kMap) return Wrong("expected a map");
    CborMap map;
    for (uint64_t i = 0; i < head.argument; ++i) {
      GATEHOUSE_ASSIGN_OR_RETURN(const int64_t key, Key());
      GATEHOUSE_ASSIGN_OR_RETURN(CborItem item, Item());
      if (!map.emplace(key, std::move(item)).second) return Wrong("key again");
    }
    if (at_ != input_.size()) return Wrong("bytes after the end");
    return map;
  }

 private:
  struct Head {
    int major = 0;
    uint64_t argument = 0;
  };

  absl::Status Wrong(std::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("offset ", at_, ": ", ToAbsl(what)));
  }

  absl::StatusOr<Head> ReadHead() {
    if (at_ >= input_.size()) return Wrong("truncated");
    const auto first = static_cast<unsigned char>(input_[at_++]);
    Head head{first >> 5, first & 0x1fU};
    if (head.argument < 24) return head;
    if (head.argument > 27) return Wrong("indefinite or reserved length");
    const size_t bytes = size_t{1} << (head.argument - 24);
    if (input_.size() - at_ < bytes) return Wrong("truncated");
    head.argument = 0;
    for (size_t i = 0; i < bytes; ++i) {
      head.argument =
          head.argument << 8 | static_cast<unsigned char>(input_[at_++]);
    }
    return head;
  }

  absl::StatusOr<int64_t> Int(const Head& head) const {
    if (head.argument > uint64_t{std::numeric_limits<int64_t>::max()}) {
      return Wrong("integer out of range");
    }
    const auto value = static_cast<int64_t>(head.argument);
    return head.major == kNegative ? -1 - value : value;
  }

  absl::StatusOr<int64_t> Key() {
    GATEHOUSE_ASSIGN_OR_RETURN(const Head head, ReadHead());
    if (head.major != kUnsigned) return Wrong("expected a key");
    return Int(head);
  }

  absl::StatusOr<CborScalar> Scalar(const Head& head) {
    if (head.major == kUnsigned || head.major == kNegative) {
      GATEHOUSE_ASSIGN_OR_RETURN(const int64_t value, Int(head));
      return CborScalar(value);
    }
    if (head.major != kBytes && head.major != kText) return Wrong("wrong type");
    if (head.argument > input_.size() - at_) return Wrong("truncated");
    std::string data(input_.substr(at_, head.argument));
    at_ += head.argument;
    if (head.major == kBytes) return CborScalar(CborBytes{std::move(data)});
    return CborScalar(CborText{std::move(data)});
  }

  absl::StatusOr<CborItem> Item() {
    GATEHOUSE_ASSIGN_OR_RETURN(const Head head, ReadHead());
    if (head.major != kMap) {
      GATEHOUSE_ASSIGN_OR_RETURN(CborScalar scalar, Scalar(head));
      return CborItem(std::move(scalar));
    }
    CborSubmap submap;
    for (uint64_t i = 0; i < head.argument; ++i) {
      GATEHOUSE_ASSIGN_OR_RETURN(const int64_t key, Key());
      GATEHOUSE_ASSIGN_OR_RETURN(const Head inner, ReadHead());
      GATEHOUSE_ASSIGN_OR_RETURN(CborScalar scalar, Scalar(inner));
      if (!submap.emplace(key, std::move(scalar)).second) {
        return Wrong("key again");
      }
    }
    return CborItem(std::move(submap));
  }

  const std::string_view input_;
  size_t at_ = 0;
};

// How many bytes follow a lead byte, and the least code point that needs them.
struct Utf8Lead {
  int following;
  uint32_t least;
  uint32_t bits;
};

std::optional<Utf8Lead> ReadLead(unsigned char byte) {
  if (byte < 0x80) return Utf8Lead{0, 0, byte};
  if ((byte & 0xe0) == 0xc0) return Utf8Lead{1, 0x80, byte & 0x1fU};
  if ((byte & 0xf0) == 0xe0) return Utf8Lead{2, 0x800, byte & 0x0fU};
  if ((byte & 0xf8) == 0xf0) return Utf8Lead{3, 0x10000, byte & 0x07U};
  return std::nullopt;
}

}  // namespace

std::string WriteCbor(const CborMap& map) {
  std::string out;
  AppendHead(out, kMap, map.size());
  for (const auto& [key, item] : map) {
    AppendInt(out, key);
    if (const auto* scalar = std::get_if<CborScalar>(&item)) {
      AppendScalar(out, *scalar);
      continue;
    }
    const auto& submap = std::get<CborSubmap>(item);
    AppendHead(out, kMap, submap.size());
    for (const auto& [inner_key, scalar] : submap) {
      AppendInt(out, inner_key);
      AppendScalar(out, scalar);
    }
  }
  return out;
}

absl::StatusOr<CborMap> ReadCbor(std::string_view input) {
  return Reader(input).Whole();
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = ReadLead(static_cast<unsigned char>(text[i++]));
    if (!lead.has_value()) return false;
    uint32_t point = lead->bits;
    for (int left = lead->following; left > 0; --left, ++i) {
      if (i >= text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[i]);
      if ((byte & 0xc0) != 0x80) return false;
      point = point << 6 | (byte & 0x3fU);
    }
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    if (point < lead->least || point > 0x10ffff || surrogate) return false;
  }
  return true;
}

}  // namespace gatehouse::audit
