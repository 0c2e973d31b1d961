// Path buffers: one path per robot, each in memory of its own that is written again and again while a planner improves
// its plan. `paths` is what the plan finally points to.

#ifndef PLANNER__PATHS_H_
#define PLANNER__PATHS_H_

#include "base/arena.h"

typedef struct fw_path_buffers_t {
  fw_arena_t * arena;
  fw_path_t * starts;   // by robot: the fixed beginning of its path; one tick on its start, or its motion under way
  fw_path_t * paths;    // by robot: its present path
  fw_cell_t ** cells;   // by robot: the buffer
  uint8_t ** headings;  // by robot: the buffer; NULL for robots without heading
  int32_t * capacities;
} fw_path_buffers_t;

// Begins with all robots waiting at their starts. False when there is no memory.
bool fw__path_buffers_init(fw_path_buffers_t * paths, fw_arena_t * arena, const fw_problem_t * problem);
// All robots wait at their starts again.
void fw__path_buffers_wait(fw_path_buffers_t * paths, const fw_problem_t * problem);
// Copies a path that begins at tick 0. False when there is no memory: the robot's path is unchanged then.
bool fw__path_buffers_set(fw_path_buffers_t * paths, int32_t robot, fw_path_t path);
// The same for a path that begins when the robot has arrived on its start and waited there for `delay` ticks.
bool fw__path_buffers_set_delayed(fw_path_buffers_t * paths, int32_t robot, fw_tick_t delay, fw_path_t path);

// Adds a planner's own number to the plan's statistics. `name` is static text; at most FW_COUNTERS_MAX.
void fw__plan_count(fw_plan_t * plan, const char * name, int64_t value);

#endif  // PLANNER__PATHS_H_
