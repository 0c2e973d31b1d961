// The testbed of `bench bcp`: units that drive on a grid by the rules of "Biased Cost Pathfinding" (Geramifard, Chubak,
// Bulitko 2006), whatever has planned their paths.
//
// All units take one step in each tick, in a random order. A unit may not enter a cell on which another stands or which
// that one leaves in the same tick (in the paper a unit occupies its position at t and t + 1); of several units that
// want one cell, one gets it. That is a collision: the unit stays where it is, and paths are planned again.
//
// Two things are ours. Diagonal moves may not cross, unless a ride allows it. And a unit that has nothing better to do
// goes around the others with probability 1/2: two units that always step aside together would never pass each other.

#ifndef BENCH__BCP_TESTBED_H_
#define BENCH__BCP_TESTBED_H_

#include "base/rng.h"
#include "fleetweave/fleetweave.h"

enum { BCP_UNITS_MAX = 19, BCP_CELLS_MAX = 15 * 15, BCP_TICKS_MAX = 200 };

typedef enum bcp_replanning_t {
  BCP_REPLAN_ONE,  // the unit that collides, by A* around the present positions of all others, without regard to where
                   // they go: the paper's "current method"
  BCP_REPLAN_ALL,  // all units, by the planner, from where they are; then units whose way is still blocked, as above
} bcp_replanning_t;

typedef struct bcp_ride_t {
  const fw_problem_t * problem;  // at most BCP_UNITS_MAX robots, BCP_CELLS_MAX cells
  fw_planner_t * planner;        // of the first paths, and of those after a collision
  bcp_replanning_t replanning;
  bool may_cross;  // diagonal moves, as in the paper; planners avoid it all the same
  fw_rng_t rng;    // a copy: all rides of one sample have the same order of units in the first ticks
} bcp_ride_t;

// The driven cells, by unit and tick.
typedef struct bcp_drive_t {
  fw_cell_t cells[BCP_UNITS_MAX][BCP_TICKS_MAX + 1];
  int32_t ticks;
  int32_t collisions;  // moves that were refused
  int32_t replans;     // solves after the first
  int64_t first_ns;    // of the first solve: the delay of the first move
  bool have_arrived;   // all units, within BCP_TICKS_MAX
} bcp_drive_t;

// Drives until all units have arrived, for at most BCP_TICKS_MAX ticks. Every plan is checked up to its `safe_until`.
fw_ret_t bcp_drive(bcp_drive_t * drive, const bcp_ride_t * ride, fw_error_t * error);

// The tick from which the unit is at its goal.
fw_tick_t bcp_drive_arrival(const bcp_drive_t * drive, const fw_problem_t * problem, int32_t unit);

// Solves and checks. FW_RET_ERROR with a text if the plan fails its check.
fw_ret_t bcp_solve(fw_planner_t * planner, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error);

#endif  // BENCH__BCP_TESTBED_H_
