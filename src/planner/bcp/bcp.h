// Biased cost pathfinding: one run of the planner, which its parts share. The parts, each with its own header: the
// collision detector, virtual costs, the search of a single robot, the resolution by waits, and the warm start.

#ifndef PLANNER__BCP__BCP_H_
#define PLANNER__BCP__BCP_H_

#include "planner/bcp/collision_detector.h"
#include "planner/bcp/virtual_cost.h"
#include "planner/order.h"
#include "spacetime/search.h"

typedef struct fw_bcp_options_t {
  int32_t iterations;       // limit, not counting the first paths
  int32_t patience;         // iterations in a row without fewer virtual costs than before; 0: no limit
  int32_t path_limit;       // ticks, 0 for none
  int32_t is_first_only;    // only the first collision of each robot gets a virtual cost
  int32_t height;           // of a virtual cost, hundredths of a move
  int32_t sigma;            // for each robot in a collision, hundredths of a cell
  int32_t is_in_estimates;  // virtual costs are part of the heuristic, as in the paper; else of the cost of moves
  int32_t is_euclidean;     // the heuristic is the Euclidean distance (A*, weighted and greedy); else the true one
  int32_t search;           // a fw_bcp_search_kind_t
  int32_t weight;           // of the heuristic in weighted A*, in hundredths
  int32_t is_straight;      // prefer straight paths among those of equal cost (A*, weighted and greedy)
  int32_t has_waits;        // collisions that are left are resolved by waiting
  int32_t is_plain;         // as published: every collision gets virtual costs
} fw_bcp_options_t;

typedef struct fw_bcp_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t fleet;
  fw_bcp_options_t options;
  int32_t unit;                        // cost of a move on floor of cost 1
  fw_tick_t limit;                     // paths are planned up to this tick; FW_TICK_MAX: to the goal
  fw_order_t order;                    // by priority, then by index
  bool * is_due;                       // by robot: it has to plan
  bool * is_new;                       // by robot: its path is not in the detector yet
  fw_path_buffers_t paths;             // the present set
  fw_path_buffers_t best;              // the best set so far
  fw_virtual_costs_t * virtual_costs;  // by robot
  fw_virtual_field_t field;
  fw_collision_detector_t detector;
  // single_search.c
  fw_reservations_t closed;  // closures alone
  fw_spacetime_search_t search;
  struct fw_bcp_node_t * nodes;
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

// The beginning of a path up to a tick, without a motion that would end later, except one that is under way at tick 0.
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

#endif  // PLANNER__BCP__BCP_H_
