// Which features of problems a planner supports, found by trying them, so that a test of all planners gives each one
// only the worlds that it can handle.

#ifndef SUPPORT__PLANNER_FEATURES_H_
#define SUPPORT__PLANNER_FEATURES_H_

#include "fleetweave/planner_def.h"

// `features` (WORLD_…) without those that the planner rejects with FW_RET_UNSUPPORTED.
int32_t planner_features_within(const fw_planner_def_t * def, int32_t features);

#endif  // SUPPORT__PLANNER_FEATURES_H_
