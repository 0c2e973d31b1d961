// What the files of `lra` share: the run, its walkers and their routes.

#ifndef PLANNER__LRA__LRA_H_
#define PLANNER__LRA__LRA_H_

#include "base/rng.h"
#include "planner/order.h"
#include "spacetime/reservations.h"

typedef struct fw_lra_list_t {
  int32_t * items;
  int32_t count;
  int32_t capacity;
} fw_lra_list_t;

// A robot on its way.
typedef struct fw_lra_walker_t {
  fw_cell_t * cells;   // by tick: the robot's cell, to the present or the end of the motion under way
  uint8_t * headings;  // as the cells; NULL for a robot without
  int32_t count;
  int32_t capacity;
  fw_lra_list_t route;  // nodes that are left, the goal first and the next one last
  int32_t agitation;
} fw_lra_walker_t;

typedef struct fw_lra_node_t {
  uint32_t seen;  // number of the search that has been here
  int32_t g;
  int32_t parent;  // -1 for a first step
  bool is_closed;
} fw_lra_node_t;

// Which others a search sees.
typedef enum fw_lra_view_t {
  FW_LRA_NOBODY,
  FW_LRA_STEP,     // only which first steps they leave
  FW_LRA_ASIDE,    // and of these not the one straight back, where whoever is in the way may well want to go too
  FW_LRA_CONTACT,  // which first steps they leave, and their cells next to the robot are closed for the whole way
} fw_lra_view_t;

typedef struct fw_lra_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t * fleet;
  fw_order_t order;
  fw_reservations_t table;
  fw_rng_t rng;
  fw_tick_t now;
  int32_t agitation_max;
  fw_lra_walker_t * walkers;  // by robot
  int32_t * pending;          // robots that have not chosen their next step
  fw_lra_node_t * nodes;      // of the present search, by place of the robot that searches
  uint32_t * touched;         // by cell: number of the search for which it is somebody's in contact
  uint32_t search;            // its number
  fw_buckets_t open;
  int64_t reroutes;  // tried; a robot that is shut in tries in vain
  int64_t retreats;  // of these, aside or back
  int64_t waits;
} fw_lra_t;

static inline bool fw__lra_has_stopped(const fw_lra_t * run) { return fw__meter_has_stopped(run->context->meter); }

// ---- walkers: lra_walker.c ------------------------------------------------------------------------------------------

// The walker as a path so far; a view.
static inline fw_path_t fw__lra_path(const fw_lra_walker_t * walker)
{
  return (fw_path_t){.cells = walker->cells, .length = walker->count, .headings = walker->headings};
}
// Where the robot is, or will be at the end of its motion.
static inline fw_pose_t fw__lra_pose(const fw_lra_t * run, int32_t robot)
{
  const fw_path_t path = fw__lra_path(&run->walkers[robot]);
  return fw__path_pose(&path, path.length - 1);
}
static inline bool fw__lra_is_on_goal(const fw_lra_t * run, int32_t robot)
{
  return fw__lra_pose(run, robot).cell == run->problem->robots[robot].goal;
}

// Puts a robot on its start, for ever or until it closes there.
bool fw__lra_begin(fw_lra_t * run, int32_t robot);
void fw__lra_wait(fw_lra_t * run, int32_t robot);
fw_timed_motion_t fw__lra_step_to(const fw_lra_t * run, int32_t robot, int32_t node);
// Makes a step, if nobody is in the way.
bool fw__lra_try_step(fw_lra_t * run, int32_t robot, int32_t node);
// The next step of the route. Whoever is not on the goal has a route.
bool fw__lra_follow(fw_lra_t * run, int32_t robot);

// ---- routes: lra_route.c --------------------------------------------------------------------------------------------

static inline int32_t fw__lra_next(const fw_lra_t * run, int32_t robot)
{
  const fw_lra_list_t * route = &run->walkers[robot].route;
  return route->items[route->count - 1];
}
// False: there is no such route and the old one stays, or the meter has stopped it.
bool fw__lra_find_route(fw_lra_t * run, int32_t robot, fw_lra_view_t view);

// ---- repair: lra_repair.c -------------------------------------------------------------------------------------------

// Will the robot's place close before it could leave it in the tick after?
bool fw__lra_has_to_leave(const fw_lra_t * run, int32_t robot);
// Another way, a step aside, or a wait, for a robot whose next step is taken.
void fw__lra_repair(fw_lra_t * run, int32_t robot);

#endif  // PLANNER__LRA__LRA_H_
