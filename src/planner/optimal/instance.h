// A problem in the terms of the optimal planners: nodes, what a tick costs, which nodes are closed at which ticks.
//
// These planners handle robots of one cell that take one tick per move and have no heading, so that one table of moves
// serves all robots. Nodes are numbers of free cells in that table. Paths inside these planners are paths of nodes,
// kept in fw_path_t; they become paths of cells when the plan is handed out.

#ifndef PLANNER__OPTIMAL__INSTANCE_H_
#define PLANNER__OPTIMAL__INSTANCE_H_

#include "base/assert.h"
#include "planner/fleet.h"
#include "world/closures.h"

typedef enum fw_cost_rule_t {
  FW_COST_OFF_GOAL,      // every tick costs 1, except waiting on the own goal, whatever comes later (Standley 2010)
  FW_COST_LAST_ARRIVAL,  // every tick up to the last arrival costs 1, also those spent on the goal before
} fw_cost_rule_t;

typedef struct fw_instance_t {
  fw_fleet_t fleet;
  const fw_problem_t * problem;  // every free cell costs 1
  const fw_moves_t * moves;
  int32_t * starts;  // by robot: nodes
  int32_t * goals;
  fw_cost_rule_t rule;
  int32_t robust_ticks;
  fw_tick_t last_closure_change;  // no closure begins or ends after this tick
  fw_meter_t * meter;
} fw_instance_t;

// FW_RET_UNSUPPORTED, with the reason in `error`, if robots have other bodies or share goals.
fw_ret_t fw__instance_check(const fw_problem_t * problem, fw_arena_t * arena, fw_error_t * error);
// Memory from `context->scratch`; `problem` must stay. For a problem that passed the check.
fw_fleet_state_t fw__instance_init(
  fw_instance_t * instance, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error);

static inline int32_t fw__instance_distance(const fw_instance_t * instance, int32_t robot, int32_t node)
{
  return fw__distance_get(fw__fleet_distance(&instance->fleet, robot), node, instance->meter);
}

// The cost of one tick of a robot that goes from node to node.
static inline int32_t fw__instance_move_cost(const fw_instance_t * instance, int32_t robot, int32_t from, int32_t to)
{
  FW_ASSERT(robot >= 0 && robot < instance->problem->robot_count);
  return instance->rule == FW_COST_OFF_GOAL && from == to && to == instance->goals[robot] ? 0 : 1;
}

static inline bool fw__instance_is_closed(const fw_instance_t * instance, int32_t node, fw_tick_t tick)
{
  return instance->problem->closure_count > 0 &&
         fw__closures_next(instance->problem, fw__footprint_single, instance->moves->cell_of[node], tick) == tick;
}
// The last tick at which a node is closed, -1 if never; FW_TICK_MAX if forever.
fw_tick_t fw__instance_closed_until(const fw_instance_t * instance, int32_t node);

// The cost of a path of nodes by the instance's rule.
fw_cost_t fw__instance_path_cost(const fw_instance_t * instance, int32_t robot, const fw_path_t * path);

// The direction that leads from node to node in one move, -1 for a wait.
static inline int32_t fw__instance_direction(const fw_instance_t * instance, int32_t from, int32_t to)
{
  const int32_t * next = fw__moves_successors(instance->moves, from);
  for (int32_t d = 0; d < instance->moves->degree; ++d) {
    if (next[d] == to) {
      return d;
    }
  }
  return -1;
}

// The opposite direction.
static inline int32_t fw__direction_back(int32_t direction)
{
  return direction < 4 ? (direction + 2) % 4 : 4 + (direction + 2) % 4;
}
// The two directions beside a diagonal. South-east (4) lies between east (0) and south (1), and so on around. Where
// corners may be cut one of them, or both, can be blocked.
static inline int32_t fw__direction_left(int32_t diagonal)
{
  FW_ASSERT(diagonal >= 4 && diagonal < 8);
  return diagonal - 4;
}
static inline int32_t fw__direction_right(int32_t diagonal)
{
  FW_ASSERT(diagonal >= 4 && diagonal < 8);
  return (diagonal - 3) % 4;
}

#endif  // PLANNER__OPTIMAL__INSTANCE_H_
