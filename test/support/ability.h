// What a planner takes on: found by asking it, so that a test of all planners gives each the worlds it can handle.

#ifndef SUPPORT__ABILITY_H_
#define SUPPORT__ABILITY_H_

#include "fleetweave/planner_def.h"

// `features` (WORLD_…) without those that the planner refuses with FW_RET_UNSUPPORTED.
int32_t ability_within(const fw_planner_def_t * def, int32_t features);

#endif  // SUPPORT__ABILITY_H_
