#include "shared/json/text.h"

#include <cstdint>

#include "shared/json/block.h"

namespace gatehouse::json {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The offset after the digits that start at `offset`.
size_t AfterDigits(std::string_view text, size_t offset) {
  while (offset < text.size() && IsDigit(text[offset])) ++offset;
  return offset;
}

bool EndsNumber(std::string_view text, size_t offset) {
  if (offset >= text.size()) return true;
  switch (text[offset]) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case ']':
    case '}':
      return true;
    default:
      return false;
  }
}

// The two-character escape of a control byte, `"` or `\`; 0 if it has none.
char ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

std::optional<uint32_t> ReadHex4(std::string_view text, size_t offset) {
  if (text.size() < offset + 4) return std::nullopt;
  uint32_t value = 0;
  for (const char c : text.substr(offset, 4)) {
    value <<= 4;
    if (c >= '0' && c <= '9') {
      value += static_cast<uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value += static_cast<uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      value += static_cast<uint32_t>(c - 'A' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

void AppendUtf8(uint32_t code_point, std::string& out) {
  const auto put = [&](uint32_t byte) {
    out.push_back(static_cast<char>(byte));
  };
  const auto tail = [&](int shift) {
    put(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    put(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::optional<size_t> NumberLength(std::string_view text, size_t offset) {
  // A number over the bound is cut here, so that its next byte is a digit and
  // it is refused without being read to its end.
  text = text.substr(0, offset + kMaxNumberBytes + 1);
  size_t at = offset;
  if (at < text.size() && text[at] == '-') ++at;
  const size_t whole = at;
  at = AfterDigits(text, at);
  if (at == whole || (text[whole] == '0' && at > whole + 1)) {
    return std::nullopt;
  }
  if (at < text.size() && text[at] == '.') {
    const size_t fraction = ++at;
    at = AfterDigits(text, at);
    if (at == fraction) return std::nullopt;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t exponent = at;
    at = AfterDigits(text, at);
    if (at == exponent) return std::nullopt;
  }
  if (!EndsNumber(text, at) || at - offset > kMaxNumberBytes) {
    return std::nullopt;
  }
  return at - offset;
}

bool IsIntegerText(std::string_view number) {
  return number.find_first_of(".eE") == std::string_view::npos;
}

size_t Utf8Length(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) -> unsigned {
    return offset + i < text.size()
               ? static_cast<unsigned char>(text[offset + i])
               : 0;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  if (offset >= text.size()) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (lead == 0xED && byte(1) > 0x9F) return 0;  // a surrogate
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (lead == 0xF0 && byte(1) < 0x90) return 0;  // overlong
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
    return continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

PieceRead ReadEscape(std::string_view text, size_t offset,
                     std::string* decoded) {
  static constexpr std::string_view kEscapes = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char kind = offset + 1 < text.size() ? text[offset + 1] : '\0';
  if (kind != 'u') {
    const size_t which = kEscapes.find(kind);
    if (which == std::string_view::npos) return {0, "an unknown escape"};
    if (decoded != nullptr) decoded->push_back(kMeanings[which]);
    return {2, {}};
  }
  const std::optional<uint32_t> unit = ReadHex4(text, offset + 2);
  if (!unit.has_value()) return {0, "\\u needs four hexadecimal digits"};
  if (*unit >= 0xDC00 && *unit <= 0xDFFF) return {0, "a lone surrogate"};
  if (*unit < 0xD800 || *unit > 0xDFFF) {
    if (decoded != nullptr) AppendUtf8(*unit, *decoded);
    return {6, {}};
  }
  const std::optional<uint32_t> low = text.substr(offset + 6, 2) == "\\u"
                                          ? ReadHex4(text, offset + 8)
                                          : std::nullopt;
  if (!low.has_value() || *low < 0xDC00 || *low > 0xDFFF) {
    return {0, "a lone surrogate"};
  }
  if (decoded != nullptr) {
    AppendUtf8(0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00), *decoded);
  }
  return {12, {}};
}

PieceRead ReadString(std::string_view text, size_t offset,
                     std::string* decoded) {
  if (offset >= text.size() || text[offset] != '"') {
    return {0, "expected a string"};
  }
  size_t at = offset + 1;
  while (true) {
    const size_t plain = at;
    at = FindStringMark(text, at);
    if (decoded != nullptr) decoded->append(text.substr(plain, at - plain));
    if (at == text.size()) return {at - offset, "a string without its end"};
    if (text[at] == '"') return {at + 1 - offset, {}};
    if (text[at] != '\\') {
      return {at - offset, "a control byte in a string"};
    }
    const PieceRead escape = ReadEscape(text, at, decoded);
    if (!escape.wrong.empty()) return {at - offset, escape.wrong};
    at += escape.size;
  }
}

std::string WithValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8Length(text, at);
    if (length == 0) {
      valid.append("\xEF\xBF\xBD");
      ++at;
    } else {
      valid.append(text.substr(at, length));
      at += length;
    }
  }
  return valid;
}

void AppendQuoted(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    if (const char escape = ShortEscape(c); escape != 0) {
      out.push_back('\\');
      out.push_back(escape);
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20) {
      out.append("\\u00");
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

}  // namespace gatehouse::json
