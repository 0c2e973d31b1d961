// The planners of the library: one line each, in the order in which they are listed to users.

#include <string.h>

#include "fleetweave/planner_def.h"

// Each is defined in the planner's own file.
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
extern const fw_planner_def_t fw__planner_lacam;
extern const fw_planner_def_t fw__planner_pibt;
extern const fw_planner_def_t fw__planner_improve;
extern const fw_planner_def_t fw__planner_auto;

static const fw_planner_def_t * const planners[] = {
  &fw__planner_ca,        // prioritized/
  &fw__planner_hca,       // prioritized/
  &fw__planner_whca,      // window/
  &fw__planner_lra,       // lra/
  &fw__planner_standard,  // optimal/
  &fw__planner_od,        // optimal/
  &fw__planner_sid,       // optimal/
  &fw__planner_od_id,     // optimal/
  &fw__planner_lazy_sat,  // lazy_sat/
  &fw__planner_bcp,       // bcp/
  &fw__planner_rtaa,      // rtaa/
  &fw__planner_lacam,     // lacam/
  &fw__planner_pibt,      // lacam/
  &fw__planner_improve,   // improve/
  &fw__planner_auto,      // auto/
};

enum { PLANNER_COUNT = sizeof(planners) / sizeof(planners[0]) };

int32_t fw_planner_def_count(void) { return PLANNER_COUNT; }

const fw_planner_def_t * fw_planner_def_at(int32_t index)
{
  return index >= 0 && index < PLANNER_COUNT ? planners[index] : NULL;
}

const fw_planner_def_t * fw_planner_def_find(const char * name)
{
  for (int32_t i = 0; name != NULL && i < PLANNER_COUNT; ++i) {
    if (strcmp(planners[i]->name, name) == 0) {
      return planners[i];
    }
  }
  return NULL;
}
