// The definitions that registry.c lists.

#ifndef PLANNER__REGISTRY_H_
#define PLANNER__REGISTRY_H_

#include "fleetweave/planner_def.h"

extern const fw_planner_def_t fw_planner_ca;
extern const fw_planner_def_t fw_planner_hca;
extern const fw_planner_def_t fw_planner_whca;
extern const fw_planner_def_t fw_planner_lra;
extern const fw_planner_def_t fw_planner_standard;
extern const fw_planner_def_t fw_planner_od;
extern const fw_planner_def_t fw_planner_sid;
extern const fw_planner_def_t fw_planner_od_id;
extern const fw_planner_def_t fw_planner_bcp;
extern const fw_planner_def_t fw_planner_rtaa;

#endif  // PLANNER__REGISTRY_H_
