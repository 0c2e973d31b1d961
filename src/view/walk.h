// A robot in space and time, read from its path: which cells it covers at a tick, where it is on the way between two of
// them, and when it waits. The one place of the pictures that knows what footprint and speed make of a path.

#ifndef VIEW__WALK_H_
#define VIEW__WALK_H_

#include "fleetweave/fleetweave.h"

// A view of one robot of a plan; borrows all of it.
typedef struct fw__walk_t {
  const fw_grid_t * grid;
  const fw_robot_t * robot;
  const fw_path_t * path;
} fw__walk_t;

fw__walk_t fw__walk(const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot);

// At least as many as the robot covers at any tick.
int32_t fw__walk_cells_max(const fw__walk_t * walk);
// The cells inside the grid that the robot covers at a tick, in the order of its footprint; a cell may come twice.
// Returns their number.
int32_t fw__walk_cells(const fw__walk_t * walk, fw_tick_t tick, fw_cell_t * cells);

typedef struct fw__place_t {
  double x;  // in cells, 0.5 is the middle of the first
  double y;
} fw__place_t;

// The middle of the robot's own cell, or a point between two of them on the ticks of a move that takes several.
fw__place_t fw__walk_place(const fw__walk_t * walk, fw_tick_t tick);

// A stop away from the goal: the robot does nothing for `to` - `from` ticks.
typedef struct fw__wait_t {
  fw_cell_t cell;
  fw_tick_t from;
  fw_tick_t to;
} fw__wait_t;

// The first wait that begins at `tick` or later, of those up to tick `end`; false if there is none.
bool fw__walk_next_wait(const fw__walk_t * walk, fw_tick_t tick, fw_tick_t end, fw__wait_t * wait);

#endif  // VIEW__WALK_H_
