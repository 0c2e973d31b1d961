// What a planner knows about the robots of a problem before it plans: for each robot the graph of its moves, its body,
// and the true distance to its goal; for all together a lower bound on the sum of costs, and whether every goal can be
// reached at all. (MAPF papers call this the preprocessing of an instance, and the distances the heuristic table.)
//
// Almost every planner begins with
//
//   fw_fleet_t fleet = {0};
//   switch (fw__fleet_init(&fleet, context, problem, error)) {
//     case FW_FLEET_UNREACHABLE:
//       return fw__plan_unsolvable(context, problem, plan, error);
//     case FW_FLEET_STOPPED:
//       return fw__plan_wait_all(context, problem, plan, error);
//     case FW_FLEET_READY:
//       break;
//   }
//
// The problem of a fleet may have empty slots among its robots (start < 0), for robots that come later.

#ifndef PLANNER__FLEET_H_
#define PLANNER__FLEET_H_

#include "base/meter.h"
#include "fleetweave/planner_def.h"
#include "planner/paths.h"
#include "search/distance/coarse.h"
#include "search/distance/distance.h"

// How true distances are computed.
typedef enum fw_distances_t {
  FW_DISTANCES_EXACT,
  FW_DISTANCES_AUTO,    // exact, unless the fields of all robots would exceed a limit of memory
  FW_DISTANCES_COARSE,  // over clusters (HPA*): a few per cent too long, in a fraction of the memory
} fw_distances_t;
extern const char * const fw__distances_names[FW_DISTANCES_COARSE + 1];
extern const char * const fw__priorities_names[2];  // yield, strict

typedef struct fw_fleet_options_t {
  int32_t distances;  // a fw_distances_t; always exact where robots turn or where cells differ in cost
  int32_t exact_mb;   // the limit of FW_DISTANCES_AUTO in MiB; 0: half of the planner's memory limit
} fw_fleet_options_t;

// The parameters of planners that leave these options to the user: entries of a parameter table.
#define FW_FLEET_DISTANCES_PARAMETER                                                                            \
  {                                                                                                             \
    .name = "distances", .type = FW_PARAMETER_CHOICE, .initial = FW_DISTANCES_AUTO, .max = FW_DISTANCES_COARSE, \
    .choices = fw__distances_names,                                                                             \
    .help =                                                                                                     \
      "true distances are exact, or computed over clusters (HPA*): a few per cent too long, in a fraction of "  \
      "the memory; at exact_mb auto switches to clusters, except for hca, which drops exact distances and "     \
      "computes them again"                                                                                     \
  }
#define FW_FLEET_PRIORITIES_PARAMETER                                                                           \
  {                                                                                                             \
    .name = "priorities", .type = FW_PARAMETER_CHOICE, .max = 1, .choices = fw__priorities_names,               \
    .help =                                                                                                     \
      "what a robot does for robots of lower priority: yield, if these do not arrive otherwise; strict: never " \
      "give way, even if there is no plan then"                                                                 \
  }
#define FW_FLEET_EXACT_MB_PARAMETER                                                                                   \
  {                                                                                                                   \
    .name = "exact_mb", .max = 1 << 20,                                                                               \
    .help = "with distances=auto: limit in MiB of the exact distances of all robots; 0: half of the planner's memory" \
  }

// The moves of one shape of robots.
typedef struct fw_fleet_shape_t {
  struct fw_fleet_shape_t * next;
  fw_moves_t moves;
} fw_fleet_shape_t;

// The clusters for one shape of robots.
typedef struct fw_fleet_clusters_t {
  struct fw_fleet_clusters_t * next;
  fw_coarse_t coarse;
} fw_fleet_clusters_t;

// True distances to one goal, for all robots of one shape that have this goal.
typedef struct fw_fleet_field_t {
  fw_distance_t distance;
  fw_cell_t goal;
  int32_t users;  // robots that refer to it; 0: free
  size_t bytes;   // in turn: counted in `live_bytes`
} fw_fleet_field_t;

typedef struct fw_fleet_t {
  fw_fleet_options_t options;  // set before init; {0} is exact
  // Set before init: robots plan one after another, whole paths to the goal. Each uses its distances between
  // fw__fleet_take_distance and fw__fleet_leave_distance. So with FW_DISTANCES_AUTO, distances are exact on the largest
  // maps: above the limit of memory those of robots that wait for their turn are dropped and searched again.
  bool is_prioritized;
  // Set before init: the searches around reservations are SIPP's, up to the goal (spacetime/sipp.c). With the above it
  // is so anyway.
  bool is_for_sipp;
  const fw_problem_t * problem;
  fw_arena_t * arena;         // set before init; of everything below; outlives the fleet. NULL: the context's scratch
  fw_bodies_t bodies;         // by robot: footprints and motions
  const fw_moves_t * places;  // of a robot of one cell: the free cells, as nodes
  const fw_moves_t ** moves;  // by robot; robots of one shape share a table
  fw_fleet_shape_t * shapes;  // of all robots that there have been, except `places`
  fw_fleet_field_t * fields;  // distances to goals, as many as robots
  int32_t * field_of;         // by robot: index into `fields`; -1 for an empty slot
  fw_fleet_clusters_t * clusters;  // NULL: distances are exact
  bool is_weighted;                // cells differ in cost, and distances count it
  bool is_in_turn;                 // distances may be dropped
  size_t live_bytes;               // in turn: memory of the fields that are not dropped
  size_t live_max;                 // the limit of `live_bytes`
  fw_distance_t * idle;            // in turn: fields without pages, for the next robots
  int32_t idle_count;
  int32_t * measured;     // in turn, by robot with a field: the distance of its start
  int64_t again;          // fields that were searched again
  int32_t * lengths;      // by robot: least number of moves; a turn counts like the moves of the same time
  fw_cost_t lower_bound;  // on the sum of costs: each robot alone on the map
} fw_fleet_t;

typedef enum fw_fleet_state_t {
  FW_FLEET_READY,
  FW_FLEET_UNREACHABLE,  // a robot has no path to its goal, or none around the closures; the error names it
  FW_FLEET_STOPPED,      // budget or memory exhausted; the meter says which
} fw_fleet_state_t;

// Writes all of the fleet except its options, its arena, `is_prioritized` and `is_for_sipp`, which the caller has set.
// `context` provides the meter and the threads. `problem` stays borrowed. The arena's sticky failure flag is not used
// here: a fallback calls this after an earlier phase has run out of memory and given some back.
fw_fleet_state_t fw__fleet_init(
  fw_fleet_t * fleet, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error);

// ---- of one robot ---------------------------------------------------------------------------------------------------

// The distances to the robot's goal. Not for an empty slot.
static inline fw_distance_t * fw__fleet_distance(const fw_fleet_t * fleet, int32_t robot)
{
  return &fleet->fields[fleet->field_of[robot]].distance;
}
// Makes the robot's distances ready, which may have been dropped. Not thread-safe. False when there is no memory.
bool fw__fleet_take_distance(fw_fleet_t * fleet, int32_t robot);
// The robot has its path: its distances may be dropped. Pair with the above.
void fw__fleet_leave_distance(fw_fleet_t * fleet, int32_t robot);
// False for an empty slot.
static inline bool fw__fleet_has_robot(const fw_fleet_t * fleet, int32_t robot)
{
  return fleet->problem->robots[robot].start >= 0;
}
// The time in ticks that a distance of the robot stands for.
static inline int64_t fw__fleet_ticks(const fw_fleet_t * fleet, int32_t robot, int32_t distance)
{
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  return shape->turn_ticks > 0 ? distance : (int64_t)distance * shape->ticks_per_move;
}
// The cells that the robot covers when it stands with a heading (0 for robots without).
static inline fw_footprint_t fw__fleet_footprint(const fw_fleet_t * fleet, int32_t robot, int32_t heading)
{
  return fleet->bodies.of[robot]->footprints[heading];
}

// ---- robots and goals that change -----------------------------------------------------------------------------------

// The problem's robot has been replaced by another one: looks up its body and moves. False when there is no memory.
bool fw__fleet_set_robot(fw_fleet_t * fleet, int32_t robot);
// The problem's robot, which is at `from`, has a new goal. False if there is no memory or no path to the goal.
bool fw__fleet_set_goal(fw_fleet_t * fleet, int32_t robot, fw_grid_pose_t from, fw_meter_t * meter);
// The problem's robot leaves its slot: its distance field is free for others.
void fw__fleet_remove(fw_fleet_t * fleet, int32_t robot);
// Drops the robot's distances and begins the search for them anew, from where it is, if they contain more than
// `places_max` places. Bounds the memory of robots that have been to many parts of the map. False when there is no
// memory.
bool fw__fleet_restart_distance(fw_fleet_t * fleet, int32_t robot, fw_grid_pose_t from, int64_t places_max);

// True if fields and robots refer to each other consistently. For assertions and tests.
bool fw__fleet_validate(const fw_fleet_t * fleet);

// ---- the plan of a fleet that is not ready --------------------------------------------------------------------------

// Fills the plan with paths on which all robots wait at their starts, safe until the first start closes. The outcome is
// partial: the search was stopped.
fw_ret_t fw__plan_wait_all(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error);
// The same plan for a problem that has no solution; the outcome says so.
fw_ret_t fw__plan_unsolvable(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error);

#endif  // PLANNER__FLEET_H_
