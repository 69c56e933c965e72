#ifndef GATEHOUSE_SHARED_JSON_BLOCK_H_
#define GATEHOUSE_SHARED_JSON_BLOCK_H_

// JSON text by the block: where the bytes that matter stand, one bit a byte,
// the first byte lowest. Pure functions that read exactly kBlockBytes at
// `block`. With SSE2 (every x86-64) some 20 to 60 cycles a block; elsewhere a
// table, byte by byte, of the same meaning. Internal to shared/json.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gatehouse::json {

inline constexpr size_t kBlockBytes = 64;

// What matters within a string.
struct StringMarks {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
  uint64_t controls = 0;  // below U+0020

  uint64_t any() const { return quotes | backslashes | controls; }
};

// What matters outside strings.
struct ValueMarks {
  uint64_t brackets = 0;  // { } [ ]
  // Not of the bytes that JSON has outside strings: white space, brackets,
  // `,` `:` `"`, and the letters, digits and signs of words and numbers.
  uint64_t foreign = 0;
};

namespace portable {

constexpr bool IsBracket(unsigned char c) {
  return c == '{' || c == '}' || c == '[' || c == ']';
}

constexpr bool IsForeign(unsigned char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool digit = c >= '0' && c <= '9';
  const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
  const bool sign =
      c == '"' || c == ',' || c == ':' || c == '+' || c == '-' || c == '.';
  return !letter && !digit && !space && !sign && !IsBracket(c);
}

enum Mark : unsigned char {
  kQuote = 1,
  kBackslash = 2,
  kControl = 4,
  kBracket = 8,
  kForeign = 16,
  kShortEscape = 32  // behind a backslash, an escape of two bytes
};

inline constexpr std::array<unsigned char, 256> kMarks = [] {
  std::array<unsigned char, 256> marks{};
  for (unsigned i = 0; i < marks.size(); ++i) {
    const auto c = static_cast<unsigned char>(i);
    if (c == '"') marks[i] |= kQuote;
    if (c == '\\') marks[i] |= kBackslash;
    if (c < 0x20) marks[i] |= kControl;
    if (IsBracket(c)) marks[i] |= kBracket;
    if (IsForeign(c)) marks[i] |= kForeign;
    for (const char escape : std::string_view("\"\\/bfnrt")) {
      if (i == static_cast<unsigned>(escape)) marks[i] |= kShortEscape;
    }
  }
  return marks;
}();

// The bits of the bytes that have `mark`.
inline uint64_t Select(const char* block, Mark mark) {
  uint64_t bits = 0;
  for (size_t i = 0; i < kBlockBytes; ++i) {
    const auto c = static_cast<unsigned char>(block[i]);
    bits |= static_cast<uint64_t>((kMarks[c] & mark) != 0) << i;
  }
  return bits;
}

inline StringMarks MarkStrings(const char* block) {
  return {Select(block, kQuote), Select(block, kBackslash),
          Select(block, kControl)};
}

inline ValueMarks MarkValues(const char* block) {
  return {Select(block, kBracket), Select(block, kForeign)};
}

}  // namespace portable

#ifdef __SSE2__

namespace sse2 {

inline __m128i Load(const char* block, size_t quarter) {
  return _mm_loadu_si128(
      reinterpret_cast<const __m128i*>(block + 16 * quarter));
}

inline __m128i Is(__m128i bytes, char c) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

// The bytes from `low` to `high`, both counted.
inline __m128i IsWithin(__m128i bytes, char low, char high) {
  const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
  const __m128i width = _mm_set1_epi8(static_cast<char>(high - low));
  return _mm_cmpeq_epi8(_mm_min_epu8(above, width), above);
}

inline uint64_t Bits(__m128i marked, size_t quarter) {
  return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(marked)))
         << (16 * quarter);
}

inline StringMarks MarkStrings(const char* block) {
  StringMarks marks;
  for (size_t i = 0; i < 4; ++i) {
    const __m128i bytes = Load(block, i);
    marks.quotes |= Bits(Is(bytes, '"'), i);
    marks.backslashes |= Bits(Is(bytes, '\\'), i);
    marks.controls |= Bits(IsWithin(bytes, 0, 0x1F), i);
  }
  return marks;
}

inline ValueMarks MarkValues(const char* block) {
  ValueMarks marks;
  for (size_t i = 0; i < 4; ++i) {
    const __m128i bytes = Load(block, i);
    // Sets `[` and `{` alike, and `]` and `}`; and makes letters small.
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const __m128i brackets = _mm_or_si128(Is(folded, '{'), Is(folded, '}'));
    // From `+` to `:` all are JSON's but the slash.
    const __m128i numbers =
        _mm_andnot_si128(Is(bytes, '/'), IsWithin(bytes, '+', ':'));
    const __m128i words = _mm_or_si128(IsWithin(folded, 'a', 'z'), numbers);
    const __m128i spaces =
        _mm_or_si128(_mm_or_si128(Is(bytes, ' '), Is(bytes, '\r')),
                     IsWithin(bytes, '\t', '\n'));
    const __m128i own = _mm_or_si128(_mm_or_si128(words, spaces),
                                     _mm_or_si128(brackets, Is(bytes, '"')));
    marks.brackets |= Bits(brackets, i);
    marks.foreign |= Bits(own, i) ^ (uint64_t{0xFFFF} << (16 * i));
  }
  return marks;
}

}  // namespace sse2

using sse2::MarkStrings;
using sse2::MarkValues;

#else

using portable::MarkStrings;
using portable::MarkValues;

#endif

// Whether the backslash at `at` begins an escape of two bytes. Most do, and a
// text that is JSON itself has one every few bytes.
inline bool IsShortEscape(std::string_view text, size_t at) {
  return at + 1 < text.size() &&
         (portable::kMarks[static_cast<unsigned char>(text[at + 1])] &
          portable::kShortEscape) != 0;
}

// Where, from `at` on, the first byte stands that matters within a string; the
// text's size if there is none.
inline size_t FindStringMark(std::string_view text, size_t at) {
  while (text.size() - at >= kBlockBytes) {
    const uint64_t marks = MarkStrings(text.data() + at).any();
    if (marks != 0) return at + static_cast<size_t>(__builtin_ctzll(marks));
    at += kBlockBytes;
  }
  constexpr unsigned kOfStrings =
      portable::kQuote | portable::kBackslash | portable::kControl;
  while (at < text.size() &&
         (portable::kMarks[static_cast<unsigned char>(text[at])] &
          kOfStrings) == 0) {
    ++at;
  }
  return at;
}

}  // namespace gatehouse::json

#endif  // GATEHOUSE_SHARED_JSON_BLOCK_H_
