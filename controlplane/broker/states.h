#ifndef GATEHOUSE_CONTROLPLANE_BROKER_STATES_H_
#define GATEHOUSE_CONTROLPLANE_BROKER_STATES_H_

#include "controlplane/store/rows.h"

namespace gatehouse::broker {

// The state machine of DESIGN §5 as pure functions.

// Waits for somebody: RELAYED, PENDING_REVIEW, PENDING_RELEASE.
bool IsOpen(InputRequestState state);

// Whether the arrow is in the diagram. Nothing leaves a terminal state.
bool CanMove(InputRequestState from, InputRequestState to);

}  // namespace gatehouse::broker

#endif  // GATEHOUSE_CONTROLPLANE_BROKER_STATES_H_
