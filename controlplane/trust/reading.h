#ifndef GATEHOUSE_CONTROLPLANE_TRUST_READING_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_READING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "controlplane/trust/rule.h"
#include "controlplane/trust/ruling.h"
#include "shared/json/json.h"

namespace gatehouse::trust {

// Reads what is to be judged as strictly as it can be read. Pure.
struct ReadText {
  Reading reading;
  json::Document document;  // `{}` where the text could not be read
};
ReadText ReadStrictly(std::string_view text, const json::Limits& limits);

// What the rules of requests and of answers about their text have in common.

// The reader had not this to object to.
Ruling ReadWithout(const Reading& reading, json::Fault fault);

// Neither the text nor what stands for it is over `limit` bytes.
Ruling WithinBytes(std::optional<int64_t> oversized, size_t bytes,
                   int64_t limit, Reason reason, std::string_view advice);

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_READING_H_
