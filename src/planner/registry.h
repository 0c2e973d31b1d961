// The definitions that registry.c lists.

#ifndef PLANNER__REGISTRY_H_
#define PLANNER__REGISTRY_H_

#include "fleetweave/planner_def.h"

extern const fw_planner_def_t fw_planner_ca;
extern const fw_planner_def_t fw_planner_hca;

#endif  // PLANNER__REGISTRY_H_
