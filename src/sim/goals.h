// Goals: where robots begin and where they are sent, drawn from a seed.
//
// All cells come from the largest connected area of the grid, so every goal can be reached from every start. No two
// robots have one goal, and a robot that has arrived keeps its goal until it gets the next one.

#ifndef SIM__GOALS_H_
#define SIM__GOALS_H_

#include "base/rng.h"
#include "fleetweave/fleetweave.h"

typedef struct fw_goals_t {
  const fw_grid_t * grid;  // borrowed
  fw_cell_t * cells;       // of the largest area, in a random order
  int32_t cell_count;
  bool * is_goal;          // for each cell of the grid
  fw_rng_t rng;
} fw_goals_t;

// Fails if the grid has no room for `robot_count` robots with goals apart from each other.
FW_MUST_USE fw_ret_t fw_goals_init(
  fw_goals_t * goals, const fw_grid_t * grid, int32_t robot_count, uint64_t seed, fw_error_t * error);
void fw_goals_fini(fw_goals_t * goals);

// Where robot `robot` begins: a cell of its own.
fw_cell_t fw_goals_start(const fw_goals_t * goals, int32_t robot);
// The next goal of a robot that stands on `here` and had the goal `last` (FW_CELL_NONE: none yet).
fw_cell_t fw_goals_draw(fw_goals_t * goals, fw_cell_t here, fw_cell_t last);

#endif  // SIM__GOALS_H_
