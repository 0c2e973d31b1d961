// The list of planners: one line each.

#include "planner/registry.h"

#include <string.h>

static const fw_planner_def_t * const planners[] = {
  &fw__planner_ca,  &fw__planner_hca,   &fw__planner_whca,     &fw__planner_lra, &fw__planner_standard, &fw__planner_od,
  &fw__planner_sid, &fw__planner_od_id, &fw__planner_lazy_sat, &fw__planner_bcp, &fw__planner_rtaa,
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
