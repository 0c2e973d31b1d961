// What the optimal planners share about a problem: places by number, what a tick costs, what is closed.
//
// Robots of one cell that take one tick per move and have no heading (a plain body) are all that these planners handle,
// so that one table of moves serves everybody. Paths inside are of nodes of that table, kept in fw_path_t; they become
// cells when the plan is handed out.

#ifndef PLANNER__OPTIMAL__SCENE_H_
#define PLANNER__OPTIMAL__SCENE_H_

#include "planner/fleet.h"
#include "world/closures.h"

typedef enum fw_cost_rule_t {
  FW_COST_OFF_GOAL,      // every tick costs 1 but for waiting on one's own goal, whatever comes later (Standley 2010)
  FW_COST_LAST_ARRIVAL,  // every tick up to the last arrival costs 1, waiting on the goal before it included
} fw_cost_rule_t;

typedef struct fw_scene_t {
  fw_fleet_t fleet;
  const fw_problem_t * problem;  // with a floor that costs the same everywhere
  const fw_moves_t * moves;
  int32_t * starts;  // by robot: nodes
  int32_t * goals;
  fw_cost_rule_t rule;
  int32_t robust_ticks;
  fw_tick_t closed_last;  // from this tick on what is closed stays closed, and what is open stays open
  fw_meter_t * meter;
} fw_scene_t;

// FW_RET_UNSUPPORTED with the reason for a problem with other than plain bodies, or with goals that robots share.
fw_ret_t fw__scene_check(const fw_problem_t * problem, fw_arena_t * arena, fw_error_t * error);
// Memory from `context->scratch`; `problem` must stay. For a problem that passed the check.
fw_fleet_state_t fw__scene_init(
  fw_scene_t * scene, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error);

static inline int32_t fw__scene_distance(const fw_scene_t * scene, int32_t robot, int32_t node)
{
  return fw__distance_get(fw__fleet_distance(&scene->fleet, robot), node, scene->meter);
}

// What one tick costs a robot that goes from node to node.
static inline int32_t fw__scene_cost(const fw_scene_t * scene, int32_t robot, int32_t from, int32_t to)
{
  return scene->rule == FW_COST_OFF_GOAL && from == to && to == scene->goals[robot] ? 0 : 1;
}

static inline bool fw__scene_is_closed(const fw_scene_t * scene, int32_t node, fw_tick_t tick)
{
  return scene->problem->closure_count > 0 &&
         fw__closures_next(scene->problem, fw__footprint_single, scene->moves->cell_of[node], tick) == tick;
}
// The last tick at which a node is closed, -1 if never; FW_TICK_MAX if for ever.
fw_tick_t fw__scene_closed_until(const fw_scene_t * scene, int32_t node);

// What a path of nodes costs by the scene's rule.
fw_cost_t fw__scene_path_cost(const fw_scene_t * scene, int32_t robot, const fw_path_t * path);

// The direction that leads from node to node in one move, -1 for a wait.
static inline int32_t fw__scene_direction(const fw_scene_t * scene, int32_t from, int32_t to)
{
  const int32_t * next = fw__moves_successors(scene->moves, from);
  for (int32_t d = 0; d < scene->moves->degree; ++d) {
    if (next[d] == to) {
      return d;
    }
  }
  return -1;
}

// The number of the direction that leads back.
static inline int32_t fw__direction_back(int32_t direction)
{
  return direction < 4 ? (direction + 2) % 4 : 4 + (direction + 2) % 4;
}
// Diagonals: the two directions beside it. South-east (4) lies between east (0) and south (1), and so on around. Where
// corners may be cut one of them, or both, can be blocked.
static inline int32_t fw__direction_left(int32_t diagonal) { return diagonal - 4; }
static inline int32_t fw__direction_right(int32_t diagonal) { return (diagonal - 3) % 4; }

#endif  // PLANNER__OPTIMAL__SCENE_H_
