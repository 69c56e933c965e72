#ifndef GATEHOUSE_TOOLS_GATEHOUSECTL_SECRET_SHAPE_H_
#define GATEHOUSE_TOOLS_GATEHOUSECTL_SECRET_SHAPE_H_

#include <string_view>

namespace gatehouse::ctl {

// Whether what bears this name may be a secret: of a variable, a header, a flag
// or a URL's parameter. In doubt yes. Pure.
bool NameSuggestsSecret(std::string_view name);

// Whether a text looks like a secret, or holds one: the marks of known
// services, credentials within a URL, a long run of letters and digits, or
// anywhere a pair such as `Password=…` or `"authorization": …`. In doubt yes,
// but paths, plain words and plain URLs are none. Pure.
bool ValueSuggestsSecret(std::string_view value);

// The same for one word of a command line: `--api-key=…`, `TOKEN=…`, `X-Key:
// …`, any pair of `--env` or `--header`, and what follows `flag`, the word
// before it (may be empty). Pure.
bool ArgumentSuggestsSecret(std::string_view flag, std::string_view word);

}  // namespace gatehouse::ctl

#endif  // GATEHOUSE_TOOLS_GATEHOUSECTL_SECRET_SHAPE_H_
