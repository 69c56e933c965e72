#ifndef GATEHOUSE_CONTROLPLANE_LEDGER_LEDGER_H_
#define GATEHOUSE_CONTROLPLANE_LEDGER_LEDGER_H_

// The budget of an operation (DESIGN §8): slots, sampling tokens, refusals.
//
// Pure functions on an OperationRow that its caller read and will write back in
// one transaction; the row's version makes concurrent movements collide instead
// of adding up. Amounts are whole slots and whole tokens, never negative.
//
// After every call, whatever was asked: slots_used <= Caps::slots and
// tokens_reserved + tokens_charged <= Caps::tokens, if that held before.

#include <cstdint>
#include <optional>
#include <string_view>

#include "controlplane/store/rows.h"

namespace gatehouse::ledger {

// What the policy grants one operation, over all its rounds.
struct Caps {
  int64_t slots = 8;
  int64_t tokens = 8192;
};

enum class Cap { kSlots, kTokens };

// `slots` or `tokens`: the `which` of a budget_exhausted error.
std::string_view CapName(Cap cap);

// Why a reservation was refused: the cap, what it is, and what is left of it.
struct Exceeded {
  Cap which = Cap::kSlots;
  int64_t limit = 0;
  int64_t left = 0;  // 0 if the cap was lowered below what is used
  friend bool operator==(const Exceeded&, const Exceeded&) = default;
};

// Admission: takes one slot and reserves `tokens` (0 but for sampling), or says
// which cap is in the way and changes nothing. Slots are looked at first.
std::optional<Exceeded> Reserve(OperationRow& operation, int64_t tokens,
                                const Caps& caps);

// More tokens for a request that has its slot (an edit raised maxTokens).
std::optional<Exceeded> ReserveMore(OperationRow& operation, int64_t tokens,
                                    const Caps& caps);

// Becoming RELAYED: reserved tokens become a charge. Never moves more than is
// reserved, so a caller's mistake cannot break a cap.
void Charge(OperationRow& operation, int64_t tokens);

// The end of a request whose tokens were never charged: they are free again.
// A slot is not given back, ever. Never frees more than is reserved.
void Release(OperationRow& operation, int64_t tokens);

// Refusals an operation may collect before the rest are refused unread.
inline constexpr int64_t kRefusalsRead = 64;

// True if the operation has had its refusals: the next request is refused
// unread with budget_exhausted (`which: refusals`), and counted.
bool RefusesUnread(const OperationRow& operation);

// Counts one refusal. True if it gets an audit record of its own: the first 64,
// and the 65th, which is the first that was not read. Later ones are only
// counted; see SuppressedRefusals.
bool CountRefusal(OperationRow& operation);

// How many refusals had no audit record: what the close of the operation tells.
int64_t SuppressedRefusals(const OperationRow& operation);

}  // namespace gatehouse::ledger

#endif  // GATEHOUSE_CONTROLPLANE_LEDGER_LEDGER_H_
