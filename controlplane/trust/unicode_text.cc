#include "controlplane/trust/unicode_text.h"

#include <unicode/uchar.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "shared/base/check.h"

namespace gatehouse::trust {
namespace {

// ICU's objects are made once, never changed and safe to share.
const USpoofChecker* Spoof() {
  static const USpoofChecker* const checker = [] {
    UErrorCode error = U_ZERO_ERROR;
    USpoofChecker* made = uspoof_open(&error);
    uspoof_setRestrictionLevel(made, USPOOF_HIGHLY_RESTRICTIVE);
    uspoof_setChecks(made, USPOOF_RESTRICTION_LEVEL, &error);
    GATEHOUSE_CHECK(U_SUCCESS(error));
    return made;
  }();
  return checker;
}

const UNormalizer2* CompatibilityForms() {
  static const UNormalizer2* const normalizer = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UNormalizer2* made = unorm2_getNFKDInstance(&error);
    GATEHOUSE_CHECK(U_SUCCESS(error));
    return made;
  }();
  return normalizer;
}

const UIDNA* Idna() {
  static const UIDNA* const idna = [] {
    UErrorCode error = U_ZERO_ERROR;
    UIDNA* made = uidna_openUTS46(UIDNA_NONTRANSITIONAL_TO_UNICODE, &error);
    GATEHOUSE_CHECK(U_SUCCESS(error));
    return made;
  }();
  return idna;
}

// Code points of UTF-8 that the strict reader has let through.
template <typename Visit>
void ForCodePoints(std::string_view text, Visit visit) {
  const auto size = static_cast<int32_t>(text.size());
  int32_t at = 0;
  while (at < size) {
    const int32_t begin = at;
    UChar32 c = 0;
    U8_NEXT(text.data(), at, size, c);
    visit(c, text.substr(static_cast<size_t>(begin),
                         static_cast<size_t>(at - begin)));
  }
}

void AppendUtf8(UChar32 c, std::string& out) {
  char bytes[U8_MAX_LENGTH];
  int32_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  out.append(bytes, static_cast<size_t>(size));
}

bool IsMark(UChar32 c) { return (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0; }

// Letters that ICU's tables lead to no plain one, or to an l that reads as an
// I: capitals that look like I, small capitals (what Greek τ and Cyrillic т, к,
// н, в, м are led to), and a few cousins.
struct Look {
  UChar32 letter;
  char plain;
};
constexpr Look kLooks[] = {
    {0x0138, 'k'}, {0x028D, 'm'}, {0x0299, 'b'}, {0x029C, 'h'}, {0x1D1B, 't'},
    {0x0399, 'I'}, {0x0406, 'I'}, {0x04C0, 'I'}, {0xA4F2, 'I'}, {0x0454, 'e'},
    {0x03B5, 'e'}, {0x026A, 'i'}, {0x0262, 'g'}, {0x0274, 'n'}, {0x0280, 'r'},
    {0x028F, 'y'}, {0x029F, 'l'}, {0x1D00, 'a'}, {0x1D04, 'c'}, {0x1D05, 'd'},
    {0x1D07, 'e'}, {0x1D0A, 'j'}, {0x1D0B, 'k'}, {0x1D0D, 'm'}, {0x1D0F, 'o'},
    {0x1D18, 'p'}, {0x1D1C, 'u'}, {0x1D20, 'v'}, {0x1D21, 'w'}, {0x1D22, 'z'},
    {0xA730, 'f'}, {0xA731, 's'},
};

// Rows of capitals in frames: circled and squared in negative, of flags.
constexpr UChar32 kFramed[] = {0x1F150, 0x1F170, 0x1F1E6};

// NUL: none of these.
char PlainLook(UChar32 c) {
  for (const Look& look : kLooks) {
    if (look.letter == c) return look.plain;
  }
  for (const UChar32 first : kFramed) {
    if (c >= first && c < first + 26) return static_cast<char>('A' + c - first);
  }
  return '\0';
}

bool IsInvisible(UChar32 c) {
  return u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT);
}

// What one letter looks like, if that is plain Latin; else itself.
std::string LatinLook(UChar32 code, std::string_view letter) {
  if (const char plain = PlainLook(code); plain != '\0') {
    return std::string(1, plain);
  }
  char skeleton[64];
  UErrorCode error = U_ZERO_ERROR;
  const int32_t size = uspoof_getSkeletonUTF8(
      Spoof(), 0, letter.data(), static_cast<int32_t>(letter.size()), skeleton,
      sizeof(skeleton), &error);
  if (U_FAILURE(error) || size < 0) return std::string(letter);
  std::string look;
  bool is_latin = true;
  ForCodePoints(std::string_view(skeleton, static_cast<size_t>(size)),
                [&](UChar32 c, std::string_view bytes) {
                  // The tables write some accents as signs.
                  if (IsMark(c) || c == '\'' || c == '`') return;
                  if (const char plain = PlainLook(c); plain != '\0') {
                    look += plain;
                    return;
                  }
                  is_latin = is_latin && c < 0x80 && u_isalnum(c);
                  look += bytes;
                });
  // To the tables m looks like rn; nobody writes a word so.
  if (look == "rn") look = "m";
  if (is_latin && !look.empty()) return look;
  return u_isalnum(code) ? std::string(letter) : " ";
}

// A letter that is made of more stands for a phrase (U+FDFA: 18), and 64 KiB of
// such letters for a megabyte of text.
constexpr int32_t kMostParts = 4;

// What a letter is made of, by compatibility: wide, circled and other forms of
// the same one, and accents, which go. Letter by letter, never a text at once:
// ICU puts the marks of a text in order, which takes long where they are many.
void ForParts(UChar32 c, const std::function<void(UChar32)>& visit) {
  // The longest writes 18 letters for one.
  char16_t parts[64];
  UErrorCode error = U_ZERO_ERROR;
  const int32_t size =
      unorm2_getDecomposition(CompatibilityForms(), c, parts,
                              static_cast<int32_t>(std::size(parts)), &error);
  if (U_FAILURE(error) || size < 0) {
    visit(c);  // it is made of nothing else
    return;
  }
  const int32_t end = std::min(size, kMostParts);
  int32_t at = 0;
  while (at < end) {
    UChar32 part = 0;
    U16_NEXT(parts, at, end, part);
    if (U_IS_SURROGATE(part)) break;  // cut in two by the bound
    if (!IsMark(part) && !IsInvisible(part)) visit(part);
  }
}

// The text with each letter replaced by what `write` says of its parts; marks
// and invisible characters go.
std::string LetterByLetter(
    std::string_view text,
    const std::function<void(UChar32, std::string&)>& write) {
  std::string out;
  std::map<UChar32, std::string> written;  // asking the tables is not cheap
  ForCodePoints(text, [&](UChar32 c, std::string_view) {
    if (c < 0 || IsMark(c) || IsInvisible(c)) return;
    if (c < 0x80) {
      write(c, out);
      return;
    }
    const auto found = written.try_emplace(c);
    std::string& letter = found.first->second;
    if (found.second) {
      ForParts(c, [&](UChar32 part) { write(part, letter); });
    }
    out += letter;
  });
  return out;
}

}  // namespace

std::string Folded(std::string_view text) {
  return LetterByLetter(text, [](UChar32 c, std::string& out) {
    std::string letter;
    AppendUtf8(c, letter);
    out += c < 0x80 ? letter : LatinLook(c, letter);
  });
}

std::string InSmallLetters(std::string_view text) {
  return LetterByLetter(text, [](UChar32 c, std::string& out) {
    AppendUtf8(c >= 0x80 && !u_isalnum(c) ? ' ' : u_tolower(c), out);
  });
}

bool OverridesDirection(std::string_view text) {
  // U+202D and U+202E.
  return text.find("\u202D") != std::string_view::npos ||
         text.find("\u202E") != std::string_view::npos;
}

bool HasMixedScripts(std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  const int32_t found = uspoof_checkUTF8(
      Spoof(), text.data(), static_cast<int32_t>(text.size()), nullptr, &error);
  return U_FAILURE(error) || (found & USPOOF_RESTRICTION_LEVEL) != 0;
}

std::string DecodedHost(std::string_view host) {
  // A label of at most 63 bytes decodes to fewer letters of at most 4 bytes.
  std::string decoded(host.size() * 4 + 1, '\0');
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  UErrorCode error = U_ZERO_ERROR;
  const int32_t size = uidna_nameToUnicodeUTF8(
      Idna(), host.data(), static_cast<int32_t>(host.size()), decoded.data(),
      static_cast<int32_t>(decoded.size()), &info, &error);
  if (U_FAILURE(error)) return std::string(host);
  decoded.resize(static_cast<size_t>(size));
  return decoded;
}

}  // namespace gatehouse::trust
