// Biased cost pathfinding: one run of the planner, which its parts share. The parts, each with its own header: the
// collision detector, virtual costs, the search of a single robot, the resolution by waits, and the warm start.

#ifndef PLANNER__BCP__BCP_H_
#define PLANNER__BCP__BCP_H_

#include "planner/bcp/collision_detector.h"
#include "planner/bcp/virtual_cost.h"
#include "planner/order.h"
#include "spacetime/search.h"

typedef struct fw_bcp_options_t {
  int32_t iterations;       // after the first paths
  int32_t patience;         // iterations without fewer virtual costs than before; 0 for any number
  int32_t path_limit;       // ticks, 0 for none
  int32_t is_first_only;    // only the first collision of each robot gets a virtual cost
  int32_t height;           // of a virtual cost, hundredths of a move
  int32_t sigma;            // for each robot in a collision, hundredths of a cell
  int32_t is_in_estimates;  // virtual costs are part of the heuristic, as in the paper; else of the cost of moves
  int32_t search;           // a fw_bcp_search_kind_t
  int32_t weight;           // of the heuristic in weighted A*, in hundredths
  int32_t is_straight;      // among paths of equal cost (by A*, weighted and greedy)
  int32_t has_waits;        // collisions that are left are resolved by waiting
} fw_bcp_options_t;

typedef struct fw_bcp_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t fleet;
  fw_bcp_options_t options;
<<<<<<< /tmp/m.o
  int32_t unit;             // what a move on plain floor costs
  fw_tick_t limit;          // paths need to be known up to here; FW_TICK_MAX to the goal
  fw_order_t order;         // by priority, then by index
  bool * is_due;            // by robot: it has to plan
  bool * is_new;            // its path has changed since collisions were looked for
  fw_path_buffers_t paths;  // the present set
  fw_path_buffers_t best;   // the set with the fewest collisions so far
  fw_bcp_bumps_t * bumps;   // by robot
  fw_bcp_field_t field;
  fw_bcp_detector_t detector;
  // searches
  fw_reservations_t closed;  // the closures alone
  fw_spacetime_search_t search;
  fw_bcp_node_t * nodes;
=======
  int32_t unit;                        // cost of a move on floor of cost 1
  fw_tick_t limit;                     // paths are planned up to this tick; FW_TICK_MAX: to the goal
  fw_order_t order;                    // by priority, then by index
  bool * is_due;                       // by robot: it has to plan
  bool * is_new;                       // by robot: its path is not in the detector yet
  fw__paths_t paths;                   // the present set
  fw__paths_t best;                    // the best set so far
  fw_virtual_costs_t * virtual_costs;  // by robot
  fw_virtual_field_t field;
  fw_collision_detector_t detector;
  // single_search.c
  fw_reservations_t closed;  // closures alone
  fw_search_t search;
  struct fw_bcp_node_t * nodes;
>>>>>>> /tmp/m.t
  uint32_t search_number;
  fw_bucket_queue_t open;
  fw_cell_t * cells;  // of the path that was found last
  uint8_t * headings;
  int32_t cell_capacity;
  struct fw_bcp_floor_t * floors;  // one per shape of robots, NULL for none
  // statistics
  int64_t searches;
  int64_t iterations;
  int64_t virtual_cost_count;
  int64_t virtual_costs_kept;      // from the last solve
  int64_t collisions_at_first;     // among the first paths
  int64_t best_virtual_costs;      // new virtual costs after the best set
  int64_t stalled_iterations;      // since the best set
  int64_t collisions_left;         // in the chosen set
  fw_tick_t first_collision_tick;  // in the chosen set
  int64_t waits;                   // robots that were made to wait
} fw_bcp_t;

static inline bool fw__bcp_has_stopped(const fw_bcp_t * run) { return fw__meter_has_stopped(run->context->meter); }
static inline bool fw__bcp_is_limited(const fw_bcp_t * run) { return run->limit != FW_TICK_MAX; }
static inline bool fw__bcp_ends_on_goal(const fw_bcp_t * run, int32_t robot, const fw_path_t * path)
{
  return path->cells[path->length - 1] == run->problem->robots[robot].goal;
}

<<<<<<< /tmp/m.o
// ---- one robot alone: bcp_search.c, bcp_astar.c, bcp_router.c -------------------------------------------------------

// The searches that there are, by name: the words of the parameter `search`.
extern const char * const fw__bcp_search_names[FW_BCP_SEARCHES];
// Is its path one in space alone, so that a robot cannot be asked to come later or to leave its goal for a while?
bool fw__bcp_is_blind(const fw_bcp_t * run);
// One who stands on the goal all the time, by such a search, has nowhere else to go: it comes before all others.
bool fw__bcp_is_fixed(const fw_bcp_t * run, int32_t robot);
bool fw__bcp_search_init(fw_bcp_t * run);
// A path for the robot, from when it is on its start, with its virtual costs, into `paths`. False: the meter has stopped it. Where there is no way
// around what is closed the robot waits at its start.
bool fw__bcp_search(fw_bcp_t * run, int32_t robot);
// A* over places; `weight` in hundredths, or FW_BCP_GREEDY. The virtual costs of the robot must have been laid out.
enum { FW_BCP_GREEDY = 0 };
fw_found_t fw__bcp_astar(fw_bcp_t * run, int32_t robot, int32_t weight, fw_path_t * path);
// By a search of src/search, under the same condition; robots with a heading, which those do not know, by A*.
fw_found_t fw__bcp_route(fw_bcp_t * run, const fw_router_def_t * def, int32_t robot, fw_path_t * path);
// Room for a path in `cells` and `headings`. False when there is no memory.
bool fw__bcp_reserve_path(fw_bcp_t * run, int32_t length);

// ---- an iteration: bcp_bias.c ---------------------------------------------------------------------------------------

// Gives virtual costs for the collisions that were detected; who gets one is due. Returns how many. `has_met` has room for
// all robots.
int64_t fw__bcp_bias(fw_bcp_t * run, bool * has_met);

// ---- the answer: bcp_answer.c, bcp_resolve.c, bcp_lane.c ------------------------------------------------------------

// The beginning of a path up to a tick, without a motion that would end later, but for the one that is under way at first.
=======
// The beginning of a path up to a tick, without a motion that would end later, except one that is under way at tick 0.
>>>>>>> /tmp/m.t
static inline fw_path_t fw__bcp_cut(const fw_bcp_t * run, int32_t robot, fw_path_t path, fw_tick_t tick)
{
  const int32_t least = run->problem->robots[robot].arrives + 1;
  path.length = tick + 1 < path.length ? tick + 1 : path.length;
  path.length = path.length < least ? least : path.length;
  while (path.length > least && !fw__path_arrives(&path, path.length - 1)) {
    --path.length;
  }
  return path;
}
<<<<<<< /tmp/m.o
// The earliest way to drive along `path`, with waits on it, around what is reserved. True on success: `timed` begins when
// the robot is on its start, and is a view until the next search.
bool fw__bcp_lane_find(
  fw_bcp_t * run, const fw_reservations_t * table, int32_t robot, const fw_path_t * path, fw_meter_t * meter,
  fw_path_t * timed);
// Makes robots wait where that is enough. Returns the last tick up to which `best` is free of collisions then, FW_TICK_MAX
// for ever or to the limit.
fw_tick_t fw__bcp_resolve(fw_bcp_t * run);

// Fills the plan from the best set of paths.
fw_ret_t fw__bcp_answer(fw_bcp_t * run, fw_plan_t * plan, fw_error_t * error);

// ---- from one solve to the next: bcp_story.c ------------------------------------------------------------------------

typedef struct fw_bcp_story_t {
  fw_arena_t arena;
  bool is_running;
  fw_bcp_options_t options;
  fw_grid_t grid;  // a copy
  int32_t connectivity;
  bool cuts_corners;
  int32_t robust_ticks;
  bool has_closures;
  int32_t robot_count;
  int32_t * ids;
  fw_cell_t * goals;
  fw_path_buffers_t paths;
  fw_bcp_bumps_t * bumps;
} fw_bcp_story_t;

void fw__bcp_story_init(fw_bcp_story_t * story, fw_arena_t * keep);
void fw__bcp_story_fini(fw_bcp_story_t * story);
// What is still true of the last solve: virtual costs whose collisions are ahead, and paths that need not be planned anew.
void fw__bcp_story_recall(const fw_bcp_story_t * story, fw_bcp_t * run);
// Notes what there is now. Without memory for it the next solve begins anew.
void fw__bcp_story_note(fw_bcp_story_t * story, const fw_bcp_t * run);
=======
>>>>>>> /tmp/m.t

#endif  // PLANNER__BCP__BCP_H_
