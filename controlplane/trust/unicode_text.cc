#include "controlplane/trust/unicode_text.h"

#include <unicode/uchar.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/utf8.h>

#include <cstdint>
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
    const UNormalizer2* made = unorm2_getNFKCInstance(&error);
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

std::u16string ToUtf16(std::string_view text) {
  std::u16string wide;
  ForCodePoints(text, [&wide](UChar32 c, std::string_view) {
    if (c < 0) c = 0xFFFD;
    if (U_IS_BMP(c)) {
      wide += static_cast<char16_t>(c);
    } else {
      wide += static_cast<char16_t>(U16_LEAD(c));
      wide += static_cast<char16_t>(U16_TRAIL(c));
    }
  });
  return wide;
}

void AppendUtf8(UChar32 c, std::string& out) {
  char bytes[U8_MAX_LENGTH];
  int32_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  out.append(bytes, static_cast<size_t>(size));
}

std::string ToUtf8(std::u16string_view wide) {
  std::string text;
  const auto size = static_cast<int32_t>(wide.size());
  int32_t at = 0;
  while (at < size) {
    UChar32 c = 0;
    U16_NEXT(wide.data(), at, size, c);
    AppendUtf8(U_IS_SURROGATE(c) ? 0xFFFD : c, text);
  }
  return text;
}

// Fullwidth, circled, mathematical and other forms of the same letter.
std::string WithoutForms(std::string_view text) {
  const std::u16string wide = ToUtf16(text);
  // The longest of them writes 18 letters for one.
  std::u16string out(wide.size() * 18 + 1, u'\0');
  UErrorCode error = U_ZERO_ERROR;
  const int32_t size = unorm2_normalize(
      CompatibilityForms(), wide.data(), static_cast<int32_t>(wide.size()),
      out.data(), static_cast<int32_t>(out.size()), &error);
  if (U_FAILURE(error)) return std::string(text);
  out.resize(static_cast<size_t>(size));
  return ToUtf8(out);
}

bool IsMark(UChar32 c) {
  return c == 0x27 || c == 0x60 || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
}

// Letters that the tables write as a small capital or another cousin: Greek τ,
// Cyrillic т, к, н, в and м among them.
char OfSmallCapital(UChar32 c) {
  switch (c) {
    case 0x0138:
      return 'k';
    case 0x028D:
      return 'm';
    case 0x0299:
      return 'b';
    case 0x029C:
      return 'h';
    case 0x1D1B:
      return 't';
    default:
      return '\0';
  }
}

// What one letter looks like, if that is plain Latin; else itself.
std::string LatinLook(std::string_view letter) {
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
                  if (IsMark(c)) return;
                  if (const char plain = OfSmallCapital(c); plain != '\0') {
                    look += plain;
                    return;
                  }
                  is_latin = is_latin && c < 0x80 && u_isalnum(c);
                  look += bytes;
                });
  // To the tables m looks like rn; nobody writes a word so.
  if (look == "rn") look = "m";
  return is_latin && !look.empty() ? look : std::string(letter);
}

}  // namespace

std::string Folded(std::string_view text) {
  bool is_ascii = true;
  for (const char c : text) is_ascii &= static_cast<unsigned char>(c) < 0x80;
  if (is_ascii) return std::string(text);
  std::string folded;
  std::map<UChar32, std::string> looks;  // asking the tables is not cheap
  ForCodePoints(WithoutForms(text), [&](UChar32 c, std::string_view bytes) {
    if (c < 0x80) {
      folded += bytes;
    } else if (!u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) &&
               !IsMark(c)) {
      std::string& look = looks[c];
      if (look.empty()) look = LatinLook(bytes);
      folded += look;
    }
  });
  return folded;
}

std::string InSmallLetters(std::string_view text) {
  std::string small;
  ForCodePoints(WithoutForms(text), [&small](UChar32 c, std::string_view) {
    if (!u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) {
      AppendUtf8(u_tolower(c), small);
    }
  });
  return small;
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
