// One run of the planner `rtaa`, shared with its warm start.

#ifndef PLANNER__RTAA__RTAA_H_
#define PLANNER__RTAA__RTAA_H_

#include "base/list.h"
#include "planner/fleet.h"
#include "planner/rtaa/lacam.h"
#include "planner/rtaa/pibt.h"

typedef struct fw_rtaa_planner_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_batch_t batch;
  fw_arena_t * batch_arena;  // memory of the batch
  int32_t lookahead;         // states that an episode expands
  fw_tick_t ticks_max;       // the plan is no longer than this
  fw_list_t * tracks;        // by robot: its cells so far, by tick
  fw_pibt_t pibt;            // used with cooperation only
  int32_t hidden;            // obstacles that robots do not know at first
  // Robots that stall.
  int32_t stall_ticks;      // robots stall when for as long none more is on its goal than at best before
  int32_t away_least;       // robots that were not on their goals, at best
  fw_tick_t stalled_from;   // when none more has come to its goal
  fw_rtaa_lacam_way_t way;  // that all robots follow then
  int32_t way_at;           // the next configuration of it
  int64_t searches;
  int64_t configurations;
} fw_rtaa_planner_t;

// FW_RET_UNSUPPORTED, with the reason, for problems that `rtaa` cannot solve.
fw_ret_t fw__rtaa_check_support(const fw_problem_t * problem, fw_error_t * error);

#endif  // PLANNER__RTAA__RTAA_H_
