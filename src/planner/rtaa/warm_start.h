// The warm start of `rtaa`: what it keeps from one window of a rolling horizon to the next (`since` in fw_problem_t):
// the distances that robots have learned, their order, and which of them yield.
//
// A window is planned from where the robots are, so that nothing depends on how the last one ended. The last batch
// stays in an arena of its own until the next one has taken from it what it can use.

#ifndef PLANNER__RTAA__WARM_START_H_
#define PLANNER__RTAA__WARM_START_H_

#include "planner/rtaa/rtaa.h"

typedef struct fw_rtaa_warm_start_t {
  fw_arena_t arenas[2];
  fw_arena_t search;  // of the last search over configurations
  int32_t next;       // the arena of the window that is being planned
  int32_t last;       // the arena of the window that was planned last
  bool is_valid;      // there is a window to continue
  fw_batch_t batch;   // of that window
  int32_t lookahead;  // of that batch
  int32_t robot_count;
  int32_t * ids;             // by robot, like the two below
  int32_t * positions;       // the robot's position in the order in which robots chose last
  fw_tick_t * yields_until;  // in ticks of that window
} fw_rtaa_warm_start_t;

void fw__rtaa_warm_start_init(fw_rtaa_warm_start_t * saved, fw_arena_t * keep);
void fw__rtaa_warm_start_fini(fw_rtaa_warm_start_t * saved);

// The arena for the batch of the next window.
fw_arena_t * fw__rtaa_warm_start_next_arena(fw_rtaa_warm_start_t * saved);
// Enters into `cost`, the map that robots are to know at first, the obstacles that the last window knew and that are
// still there.
void fw__rtaa_warm_start_discovered(const fw_rtaa_warm_start_t * saved, const fw_problem_t * problem, uint8_t * cost);
// Gives a run, whose batch and PIBT are initialised, what the last window knew of its robots.
void fw__rtaa_warm_start_load(const fw_rtaa_warm_start_t * saved, fw_rtaa_planner_t * run);
// The run becomes the last window. Without memory the next one starts cold.
void fw__rtaa_warm_start_save(fw_rtaa_warm_start_t * saved, const fw_rtaa_planner_t * run);

#endif  // PLANNER__RTAA__WARM_START_H_
