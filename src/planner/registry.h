// The definitions that registry.c lists.

#ifndef PLANNER__REGISTRY_H_
#define PLANNER__REGISTRY_H_

#include "fleetweave/planner_def.h"

extern const fw_planner_def_t fw__planner_ca;
extern const fw_planner_def_t fw__planner_hca;
extern const fw_planner_def_t fw__planner_whca;
extern const fw_planner_def_t fw__planner_lra;
extern const fw_planner_def_t fw__planner_standard;
extern const fw_planner_def_t fw__planner_od;
extern const fw_planner_def_t fw__planner_sid;
extern const fw_planner_def_t fw__planner_od_id;
extern const fw_planner_def_t fw__planner_lazy_sat;
extern const fw_planner_def_t fw__planner_bcp;
extern const fw_planner_def_t fw__planner_rtaa;

#endif  // PLANNER__REGISTRY_H_
