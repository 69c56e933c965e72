#ifndef GATEHOUSE_SHARED_JSON_TEXT_H_
#define GATEHOUSE_SHARED_JSON_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gatehouse::json {

// The small rules of JSON's text that more than one reader needs. Pure
// functions; nothing is allocated but what is returned.

// A number's text may be this long; RFC 8259 lets a reader set a bound.
inline constexpr size_t kMaxNumberBytes = 1000;

// How many bytes the number that starts at `offset` has, by RFC 8259's grammar
// and followed by space, `,`, `]`, `}` or the end. Nullopt if there is none or
// it is longer than kMaxNumberBytes. Its magnitude does not matter: `1e400` is
// a number, if not one that a double holds.
std::optional<size_t> NumberLength(std::string_view text, size_t offset);

// Whether a number's text has neither fraction nor exponent.
bool IsIntegerText(std::string_view number);

// How many bytes the UTF-8 sequence at `offset` has; 0 if it is no valid one
// (overlong, a surrogate, above U+10FFFF, cut short).
size_t Utf8Length(std::string_view text, size_t offset);
bool IsUtf8(std::string_view text);  // at some gigabytes a second

// What reading a piece of a text came to.
struct PieceRead {
  size_t size = 0;         // in bytes
  std::string_view wrong;  // why it is none, a literal; empty: it is one
};

// The escape whose backslash stands at `offset`; two that make a surrogate pair
// are one. Wrong: an unknown letter, bad hex digits, a lone surrogate. What it
// stands for is appended to `decoded`, if given.
PieceRead ReadEscape(std::string_view text, size_t offset,
                     std::string* decoded);

// The string literal whose quote stands at `offset`, both quotes counted. If it
// is wrong, `size` is how far from `offset`. Its value is appended to
// `decoded`, if given. The text must be UTF-8: that is not checked here.
PieceRead ReadString(std::string_view text, size_t offset,
                     std::string* decoded);

// The same text with each byte that is not part of valid UTF-8 replaced by
// U+FFFD. For texts of our own making; what peers send is refused instead.
std::string WithValidUtf8(std::string_view text);

// Appends `text` (UTF-8) as a string literal in its shortest form: escaped is
// only what must be, by two characters where JSON has them.
void AppendQuoted(std::string_view text, std::string& out);

}  // namespace gatehouse::json

#endif  // GATEHOUSE_SHARED_JSON_TEXT_H_
