// What a planner needs to know of a fleet before it plans: where each shape of robot can go, how far it is to each
// goal, and whether there is a way at all.

#ifndef PLANNER__FLEET_H_
#define PLANNER__FLEET_H_

#include "base/meter.h"
#include "fleetweave/planner_def.h"
#include "search/distance.h"

typedef struct fw_fleet_t {
  const fw_problem_t * problem;
  const fw_moves_t * places;  // of a robot of one cell: the free cells
  const fw_moves_t ** moves;  // by robot; robots of one shape share a table
  fw_distance_t * distances;  // by robot, to its goal; weighted where the floor is
  int32_t * lengths;          // by robot: the least number of moves
  fw_cost_t lower_bound;      // on the sum of costs: everybody alone on the map
} fw_fleet_t;

typedef enum fw_fleet_state_t {
  FW_FLEET_READY,
  FW_FLEET_UNREACHABLE,  // a robot has no way to its goal, or none around the closures; the error names it
  FW_FLEET_STOPPED,      // the meter says why
} fw_fleet_state_t;

fw_fleet_state_t fw_fleet_init(
  fw_fleet_t * fleet, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error);

// The answer where there is none better: everybody waits at the start, as long as it is open. Fills the plan for a fleet
// that is not ready.
fw_ret_t fw_fleet_answer(
  fw_fleet_state_t state, fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan,
  fw_error_t * error);

// A planner's own number in the statistics. `name` is static text.
void fw__plan_count(fw_plan_t * plan, const char * name, int64_t value);

// Paths with room of their own, written again and again.
typedef struct fw__paths_t {
  fw_arena_t * arena;
  fw_path_t * paths;
  fw_cell_t ** cells;
  int32_t * capacities;
} fw__paths_t;

bool fw__paths_init(fw__paths_t * paths, fw_arena_t * arena, const fw_problem_t * problem);  // everybody waits
void fw__paths_wait(fw__paths_t * paths, const fw_problem_t * problem);
bool fw__paths_set(fw__paths_t * paths, int32_t robot, fw_path_t path);  // copies
// The same for a path that begins after `hold` ticks of waiting at its first cell.
bool fw__paths_set_held(fw__paths_t * paths, int32_t robot, fw_tick_t hold, fw_path_t path);

#endif  // PLANNER__FLEET_H_
