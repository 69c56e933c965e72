#include "controlplane/ledger/ledger.h"

#include <algorithm>

namespace gatehouse::ledger {
namespace {

int64_t Left(int64_t limit, int64_t used) {
  return std::max<int64_t>(0, limit - used);
}

std::optional<Exceeded> TokensExceeded(const OperationRow& operation,
                                       int64_t tokens, const Caps& caps) {
  const int64_t left =
      Left(caps.tokens, operation.tokens_reserved + operation.tokens_charged);
  // A negative amount would create budget; it is no amount at all.
  if (tokens >= 0 && tokens <= left) return std::nullopt;
  return Exceeded{Cap::kTokens, caps.tokens, left};
}

// How much of `tokens` may leave the reservation.
int64_t Movable(const OperationRow& operation, int64_t tokens) {
  return std::clamp<int64_t>(tokens, 0, operation.tokens_reserved);
}

}  // namespace

std::string_view CapName(Cap cap) {
  switch (cap) {
    case Cap::kSlots:
      return "slots";
    case Cap::kTokens:
      return "tokens";
  }
  return "";
}

std::optional<Exceeded> Reserve(OperationRow& operation, int64_t tokens,
                                const Caps& caps) {
  const int64_t slots_left = Left(caps.slots, operation.slots_used);
  if (slots_left < 1) return Exceeded{Cap::kSlots, caps.slots, slots_left};
  if (auto exceeded = TokensExceeded(operation, tokens, caps)) return exceeded;
  operation.slots_used += 1;
  operation.tokens_reserved += tokens;
  return std::nullopt;
}

std::optional<Exceeded> ReserveMore(OperationRow& operation, int64_t tokens,
                                    const Caps& caps) {
  if (auto exceeded = TokensExceeded(operation, tokens, caps)) return exceeded;
  operation.tokens_reserved += tokens;
  return std::nullopt;
}

void Charge(OperationRow& operation, int64_t tokens) {
  const int64_t moved = Movable(operation, tokens);
  operation.tokens_reserved -= moved;
  operation.tokens_charged += moved;
}

void Release(OperationRow& operation, int64_t tokens) {
  operation.tokens_reserved -= Movable(operation, tokens);
}

bool RefusesUnread(const OperationRow& operation) {
  return operation.refusals >= kRefusalsRead;
}

bool CountRefusal(OperationRow& operation) {
  operation.refusals += 1;
  return operation.refusals <= kRefusalsRead + 1;
}

int64_t SuppressedRefusals(const OperationRow& operation) {
  return Left(operation.refusals, kRefusalsRead + 1);
}

}  // namespace gatehouse::ledger
