#ifndef GATEHOUSE_CONTROLPLANE_TRUST_CONTENT_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_CONTENT_H_

#include <string_view>
#include <vector>

#include "controlplane/trust/era.h"
#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// The content of a sampling message or result. Pure.

// `role` is `user` or `assistant`, `content` is of the era, and `_meta` if any
// is an object. `message` must be an object.
Ruling MessageIsOfTheEra(const json::Value& message, const Era& era);

// The blocks of a `content` that passed: the one, or those of the array.
std::vector<json::Value> BlocksOf(const json::Value& message);

// Of a block that passed.
bool IsBlock(const json::Value& block, std::string_view type);

// A sampling `content` that a peer of that era cannot read: an array of other
// than one block, or a block of tools. Nothing to object to if it can, or if it
// is one block in an array, which is then written without it.
Ruling ContentIsRepresentable(const json::Value& message, const Era& era);

// Whether the array around the single block must go for a peer of that era.
bool NeedsUnwrapping(const json::Value& message, const Era& era);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_CONTENT_H_
