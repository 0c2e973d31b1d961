// What a planner needs to know of a fleet before it plans: where each shape of robot can go, how far it is to each
// goal, and whether there is a way at all.
//
// A problem behind the door may have empty places among its robots (start < 0), for robots that come later.

#ifndef PLANNER__FLEET_H_
#define PLANNER__FLEET_H_

#include "base/meter.h"
#include "fleetweave/planner_def.h"
#include "search/distance/coarse.h"
#include "search/distance/distance.h"

// How distances to goals are known.
typedef enum fw_distances_t {
  FW_DISTANCES_EXACT,
  FW_DISTANCES_AUTO,    // exact, unless those of all robots would take more memory than the limit
  FW_DISTANCES_COARSE,  // over clusters: a few per cent too long, in a fraction of the memory
} fw_distances_t;
extern const char * const fw_distances_names[FW_DISTANCES_COARSE + 1];

typedef struct fw_fleet_options_t {
  int32_t distances;  // a fw_distances_t; exact ones where robots turn or the floor's cost differs
  int32_t exact_mb;   // the limit of FW_DISTANCES_AUTO; 0: half of the memory that there may be
} fw_fleet_options_t;

// The clusters of one shape of robots.
typedef struct fw_fleet_clusters_t {
  struct fw_fleet_clusters_t * next;
  fw_coarse_t coarse;
} fw_fleet_clusters_t;

typedef struct fw_fleet_t {
  fw_fleet_options_t options;  // to be set before init; {0} is exact
  const fw_problem_t * problem;
  fw_bodies_t bodies;                // by robot: footprints and motions
  const fw_moves_t * places;         // of a robot of one cell: the free cells
  const fw_moves_t ** moves;         // by robot; robots of one shape share a table
  struct fw_fleet_field_t * fields;  // distances to goals, as many as robots
  int32_t * field_of;                // by robot; robots of one shape and goal share one; -1 for none
  fw_fleet_clusters_t * clusters;    // NULL: distances are exact
  bool is_weighted;                  // the floor costs more in places, and so do distances
  int32_t * lengths;      // by robot: the least number of moves; turns count as much as the moves of that time
  fw_cost_t lower_bound;  // on the sum of costs: everybody alone on the map
} fw_fleet_t;

// True distances to one goal, for all robots of one shape that have it.
typedef struct fw_fleet_field_t {
  fw_distance_t distance;
  fw_cell_t goal;
  int32_t users;  // 0: to be used again
} fw_fleet_field_t;

static inline fw_distance_t * fw__fleet_distance(const fw_fleet_t * fleet, int32_t robot)
{
  return &fleet->fields[fleet->field_of[robot]].distance;
}
static inline bool fw__fleet_has(const fw_fleet_t * fleet, int32_t robot)
{
  return fleet->problem->robots[robot].start >= 0;
}

typedef enum fw_fleet_state_t {
  FW_FLEET_READY,
  FW_FLEET_UNREACHABLE,  // a robot has no way to its goal, or none around the closures; the error names it
  FW_FLEET_STOPPED,      // the meter says why
} fw_fleet_state_t;

// Memory from `arena`, which must outlive the fleet; `context` for the meter and threads. All but the options of the fleet
// is written.
fw_fleet_state_t fw__fleet_init(
  fw_fleet_t * fleet, fw_arena_t * arena, fw_planner_context_t * context, const fw_problem_t * problem,
  fw_error_t * error);

// Distances (fleet_distances.c). Which robots share a field; false when there is no memory.
bool fw__fleet_share_fields(fw_fleet_t * fleet, fw_arena_t * arena);
// Makes all fields and runs each up to its robot's start. False if the meter has stopped.
bool fw__fleet_measure(fw_fleet_t * fleet, fw_arena_t * arena, fw_planner_context_t * context, bool is_weighted);
// A field for a robot that is at `from`. False when there is no memory.
bool fw__fleet_init_field(
  fw_fleet_t * fleet, fw_arena_t * arena, fw_fleet_field_t * field, int32_t robot, fw_cell_t from);
static inline int32_t fw__fleet_start_node(const fw_fleet_t * fleet, int32_t robot)
{
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  return fw__moves_node(fleet->moves[robot], (fw_pose_t){shape->start, shape->heading});
}

// A fleet that changes (fleet_change.c). The robot of the problem has become another, or has another goal; `from` is
// where it is. False: there is no memory, or no way to the goal.
bool fw__fleet_set_robot(fw_fleet_t * fleet, fw_arena_t * arena, int32_t robot);
bool fw__fleet_set_goal(fw_fleet_t * fleet, fw_arena_t * arena, int32_t robot, fw_pose_t from, fw_meter_t * meter);
void fw__fleet_remove(fw_fleet_t * fleet, int32_t robot);
// Begins the robot's distances anew, from where it is, if they have taken in more than `places_max` places.
bool fw__fleet_trim(fw_fleet_t * fleet, int32_t robot, fw_pose_t from, int64_t places_max);

// The answer where there is none better: everybody waits at the start, as long as it is open. Fills the plan for a fleet
// that is not ready.
fw_ret_t fw__fleet_answer(
  fw_fleet_state_t state, fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan,
  fw_error_t * error);

// Ticks that a distance of the robot stands for.
static inline int64_t fw__fleet_ticks(const fw_fleet_t * fleet, int32_t robot, int32_t distance)
{
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  return shape->turn_ticks > 0 ? distance : (int64_t)distance * shape->ticks_per_move;
}
// The cells that the robot covers when it stands with a heading, 0 for robots without.
static inline fw_footprint_t fw__fleet_footprint(const fw_fleet_t * fleet, int32_t robot, int32_t heading)
{
  return fleet->bodies.of[robot]->footprints[heading];
}

// A planner's own number in the statistics. `name` is static text.
void fw__plan_count(fw_plan_t * plan, const char * name, int64_t value);

// Paths with room of their own, written again and again.
typedef struct fw__paths_t {
  fw_arena_t * arena;
  fw_path_t * starts;  // what each does in any case
  fw_path_t * paths;
  fw_cell_t ** cells;
  uint8_t ** headings;  // NULL for robots without
  int32_t * capacities;
} fw__paths_t;

bool fw__paths_init(fw__paths_t * paths, fw_arena_t * arena, const fw_problem_t * problem);  // everybody waits
void fw__paths_wait(fw__paths_t * paths, const fw_problem_t * problem);
bool fw__paths_set(fw__paths_t * paths, int32_t robot, fw_path_t path);  // copies
// The same for a path that begins when the robot has arrived on its start and waited there for `hold` ticks.
bool fw__paths_set_held(fw__paths_t * paths, int32_t robot, fw_tick_t hold, fw_path_t path);

#endif  // PLANNER__FLEET_H_
