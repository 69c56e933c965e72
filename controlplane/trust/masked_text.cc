#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controlplane/trust/response_error.h"
#include "controlplane/trust/unicode_text.h"
#include "shared/base/status.h"

namespace gatehouse::trust {
namespace {

constexpr size_t kMaxTextBytes = 256;
// No more of the input than this is looked at: masking only shortens words.
constexpr size_t kMaxReadBytes = 4096;
constexpr std::string_view kMask = "[masked]";
// A run of this many letters and digits with a digit among them is no word.
constexpr size_t kSecretRunBytes = 20;
constexpr size_t kNumberRunDigits = 6;

size_t SequenceBytes(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

uint32_t CodePointOf(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead;
  uint32_t point = lead & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) {
    point = (point << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return point;
}

// What cannot be seen, or changes how the rest is seen.
bool IsUnprintable(uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point <= 0xA0) || point == 0xAD ||
         point == 0x61C || point == 0x180E ||
         (point >= 0x200B && point <= 0x200F) ||
         (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF ||
         (point >= 0xFFF0 && point <= 0xFFFB) ||
         (point >= 0xE0000 && point <= 0xE0FFF) || (point & 0xFFFE) == 0xFFFE;
}

std::string Printable(std::string_view text) {
  std::string printable;
  size_t i = 0;
  while (i < text.size()) {
    const size_t size = SequenceBytes(text[i]);
    if (size > text.size() - i) break;  // cut by kMaxReadBytes
    const std::string_view sequence = text.substr(i, size);
    if (IsUnprintable(CodePointOf(sequence))) {
      printable += ' ';
    } else {
      printable.append(sequence);
    }
    i += size;
  }
  return printable;
}

bool HasLongRun(std::string_view word) {
  size_t run = 0;
  size_t digits = 0;
  bool has_digit = false;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    digits = absl::ascii_isdigit(byte) ? digits + 1 : 0;
    if (absl::ascii_isalnum(byte) || c == '_' || c == '-' || c == '+' ||
        c == '=') {
      ++run;
      has_digit = has_digit || absl::ascii_isdigit(byte);
    } else {
      run = 0;
      has_digit = false;
    }
    if (digits >= kNumberRunDigits) return true;
    if (run >= kSecretRunBytes && has_digit) return true;
  }
  return false;
}

// `host:8080`, `10.0.0.7`: a digit on either side of a dot or after a colon.
bool LooksLikeAddress(std::string_view word) {
  for (size_t i = 1; i + 1 < word.size(); ++i) {
    const bool after =
        absl::ascii_isdigit(static_cast<unsigned char>(word[i + 1]));
    const bool before =
        absl::ascii_isalnum(static_cast<unsigned char>(word[i - 1]));
    if (word[i] == ':' && before && after) return true;
  }
  int dots = 0;
  for (const char c : word) {
    if (c == '.') ++dots;
    if (c != '.' && !absl::ascii_isdigit(static_cast<unsigned char>(c)) &&
        std::string_view("()[],;").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return dots >= 3;
}

// `fe80::1`: two colons, and nothing but hex between them.
bool LooksLikeIpv6(std::string_view word) {
  int colons = 0;
  for (const char c : word) {
    if (c == ':') {
      ++colons;
    } else if (!absl::ascii_isxdigit(static_cast<unsigned char>(c)) &&
               std::string_view("()[],;.%").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return colons >= 2;
}

// Keys that services mark as theirs; what else is one the recognisers of
// privacy will know.
bool LooksLikeAKey(std::string_view word) {
  for (const char* prefix :
       {"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "xox", "AKIA", "eyJ"}) {
    if (absl::StartsWith(ToAbsl(word), prefix)) return true;
  }
  // `password=hunter2`
  return word.find('=') != std::string_view::npos;
}

bool MustBeMasked(std::string_view word) {
  return word.find('@') != std::string_view::npos ||
         word.find('/') != std::string_view::npos ||
         word.find('\\') != std::string_view::npos || HasLongRun(word) ||
         LooksLikeAddress(word) || LooksLikeIpv6(word) || LooksLikeAKey(word);
}

// How many digits a word has that is made of them, as numbers are grouped
// (`4111-1111`, `+1`, `(555)`); 0: it is another word.
size_t DigitsOf(std::string_view word) {
  size_t digits = 0;
  for (const char c : word) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      ++digits;
    } else if (std::string_view("-+().,;").find(c) == std::string_view::npos) {
      return 0;
    }
  }
  return digits;
}

// A word as it is shown, and as it is looked at: forms of letters and digits
// folded.
struct Word {
  std::string_view shown;
  std::string looked_at;
  bool masked = false;
};

std::vector<Word> WordsOf(std::string_view printable) {
  std::vector<Word> words;
  for (const absl::string_view word :
       absl::StrSplit(ToAbsl(printable), ' ', absl::SkipEmpty())) {
    words.push_back({ToStd(word), Folded(ToStd(word)), false});
    words.back().masked = MustBeMasked(words.back().looked_at);
  }
  return words;
}

// Groups of digits in a row are one number.
void MaskNumbers(std::vector<Word>& words) {
  for (size_t first = 0; first < words.size(); ++first) {
    size_t digits = 0;
    size_t end = first;
    while (end < words.size() && DigitsOf(words[end].looked_at) > 0) {
      digits += DigitsOf(words[end++].looked_at);
    }
    for (size_t i = first; i < end; ++i) {
      words[i].masked = words[i].masked || digits >= kNumberRunDigits;
    }
    first = std::max(first, end);
  }
}

}  // namespace

std::string MaskedText(std::string_view text) {
  const std::string printable = Printable(text.substr(0, kMaxReadBytes));
  std::vector<Word> words = WordsOf(printable);
  MaskNumbers(words);
  std::string masked;
  for (const Word& word : words) {
    const std::string_view shown = word.masked ? kMask : word.shown;
    const size_t space = masked.empty() ? 0 : 1;
    // Whole words only, so that no sequence and no mask is cut.
    if (masked.size() + space + shown.size() > kMaxTextBytes) break;
    absl::StrAppend(&masked, space == 0 ? "" : " ", ToAbsl(shown));
  }
  return masked;
}

}  // namespace gatehouse::trust
