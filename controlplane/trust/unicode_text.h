#ifndef GATEHOUSE_CONTROLPLANE_TRUST_UNICODE_TEXT_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_UNICODE_TEXT_H_

#include <string>
#include <string_view>

namespace gatehouse::trust {

// What Unicode knows of letters that look alike; ICU does the work. Pure and
// thread-safe. All texts are UTF-8.

// The text as it reads to an eye: compatibility forms and letters of other
// scripts that look Latin become Latin, accents and invisible characters go,
// signs become spaces. Case is kept; letters without a Latin look stay.
std::string Folded(std::string_view text);

// The text in small letters of its own scripts, without compatibility forms and
// invisible characters, signs as spaces.
std::string InSmallLetters(std::string_view text);

// Whether a control character in it makes it read backwards (UAX 9 overrides).
bool OverridesDirection(std::string_view text);

// Whether the letters are of more scripts than one language writes together
// (UTS 39, more than highly restrictive).
bool HasMixedScripts(std::string_view text);

// A host in Unicode; labels that cannot be decoded stay as they are.
std::string DecodedHost(std::string_view host);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_UNICODE_TEXT_H_
