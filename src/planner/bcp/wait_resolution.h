// Resolution by waits: collisions that are left when biased cost pathfinding ends are resolved before anything is
// returned. One robot after another, by priority, keeps the path that it has chosen; if it would collide with a robot
// before it, it waits on that path where that is enough. This step is ours, not the paper's.

#ifndef PLANNER__BCP__WAIT_RESOLUTION_H_
#define PLANNER__BCP__WAIT_RESOLUTION_H_

#include "planner/bcp/bcp.h"

// Puts waits into the paths of `best`. Returns the last tick up to which they are free of collisions then; FW_TICK_MAX:
// forever, or up to the limit of the run.
fw_tick_t fw__bcp_resolve(fw_bcp_t * run);

#endif  // PLANNER__BCP__WAIT_RESOLUTION_H_
