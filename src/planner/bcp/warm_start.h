// The warm start of `bcp`: what it keeps from one solve to the next (`since` in fw_problem_t). Virtual costs stay as
// long as their collisions are ahead, and robots for which nothing has changed keep their paths.

#ifndef PLANNER__BCP__WARM_START_H_
#define PLANNER__BCP__WARM_START_H_

#include "planner/bcp/bcp.h"

typedef struct fw_bcp_warm_start_t {
  fw_arena_t arena;
  bool is_valid;
  fw_bcp_options_t options;
  fw_grid_t grid;  // a copy
  int32_t connectivity;
  bool cuts_corners;
  int32_t robust_ticks;
  bool has_closures;
  int32_t robot_count;
  int32_t * ids;
  fw_cell_t * goals;
  fw_path_buffers_t paths;
  fw_virtual_costs_t * virtual_costs;  // by robot
} fw_bcp_warm_start_t;

void fw__bcp_warm_start_init(fw_bcp_warm_start_t * saved, fw_arena_t * keep);
void fw__bcp_warm_start_fini(fw_bcp_warm_start_t * saved);
// Loads what is still valid into a run. A robot that gets a path is not due.
void fw__bcp_warm_start_load(const fw_bcp_warm_start_t * saved, fw_bcp_t * run);
// Saves the run. Without memory for it the next solve starts cold.
void fw__bcp_warm_start_save(fw_bcp_warm_start_t * saved, const fw_bcp_t * run);

#endif  // PLANNER__BCP__WARM_START_H_
