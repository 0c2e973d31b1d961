// Checking and preparing a problem for the optimal planners.

#include "planner/optimal/instance.h"

#include <string.h>

#include "base/error.h"

// Robots may share a goal where plans have a horizon (lifelong fleets).
static fw_ret_t check_goals(const fw_problem_t * problem, fw_arena_t * arena, fw_error_t * error)
{
  bool * is_goal = fw__arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(problem->grid), sizeof(*is_goal));
  if (is_goal == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_cell_t goal = problem->robots[r].goal;
    if (is_goal[goal]) {
      (void)fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, r, goal},
        "robot %d has the goal of another robot: this planner needs a goal of its own for every robot", r);
      return FW_RET_UNSUPPORTED;
    }
    is_goal[goal] = true;
  }
  return FW_RET_OK;
}

fw_ret_t fw__instance_check(const fw_problem_t * problem, fw_arena_t * arena, fw_error_t * error)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const char * what = robot->footprint_count > 1  ? "covers more than one cell"
                        : robot->ticks_per_move > 1 ? "takes more than one tick per move"
                        : robot->turn_ticks > 0     ? "has a heading"
                        : robot->sweeps_sides       ? "sweeps its sides"
                                                    : NULL;
    if (what != NULL) {
      (void)fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, r, robot->start},
        "robot %d %s: this planner handles only robots of one cell, with one tick per move and no heading", r, what);
      return FW_RET_UNSUPPORTED;
    }
  }
  return problem->horizon > 0 ? check_goals(problem, arena, error) : FW_RET_OK;
}

// The problem with every free cell at cost 1: costs are preferences, and these planners minimise ticks. NULL when there
// is no memory.
static const fw_problem_t * flatten_costs(fw_arena_t * arena, const fw_problem_t * problem)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t cells = fw_grid_cell_count(grid);
  int32_t costly = 0;
  for (int32_t i = 0; i < cells; ++i) {
    costly += grid->cost[i] > 1;
  }
  if (costly == 0) {
    return problem;
  }
  fw_problem_t * flat = fw__arena_allocate(arena, 1, sizeof(*flat));
  fw_grid_t * floor = fw__arena_allocate(arena, 1, sizeof(*floor));
  uint8_t * cost = fw__arena_allocate(arena, (size_t)cells, sizeof(*cost));
  if (flat == NULL || floor == NULL || cost == NULL) {
    return NULL;
  }
  for (int32_t i = 0; i < cells; ++i) {
    cost[i] = grid->cost[i] > 0;
  }
  *floor = (fw_grid_t){.width = grid->width, .height = grid->height, .cost = cost, .rules = grid->rules};
  *flat = *problem;
  flat->grid = floor;
  return flat;
}

// The last tick at which a closure begins or has ended.
static fw_tick_t last_change(const fw_problem_t * problem)
{
  fw_tick_t last = 0;
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t * closure = &problem->closures[i];
    const fw_tick_t change = closure->to == FW_TICK_MAX ? closure->from : closure->to + 1;
    last = change > last ? change : last;
  }
  return last;
}

fw_fleet_state_t fw__instance_init(
  fw_instance_t * instance, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error)
{
  fw_arena_t * arena = context->scratch;
  const size_t count = (size_t)problem->robot_count;
  *instance = (fw_instance_t){.robust_ticks = problem->robust_ticks, .meter = context->meter};
  instance->problem = flatten_costs(arena, problem);
  instance->starts = fw__arena_allocate(arena, count, sizeof(*instance->starts));
  instance->goals = fw__arena_allocate(arena, count, sizeof(*instance->goals));
  if (instance->problem == NULL || instance->starts == NULL || instance->goals == NULL) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  const fw_fleet_state_t state = fw__fleet_init(&instance->fleet, context, instance->problem, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  instance->moves = instance->fleet.places;
  instance->last_closure_change = last_change(problem);
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    instance->starts[r] = instance->moves->node_of[problem->robots[r].start];
    instance->goals[r] = instance->moves->node_of[problem->robots[r].goal];
    FW_ASSERT(instance->starts[r] >= 0 && instance->goals[r] >= 0);  // the fleet has checked that both are free
  }
  return FW_FLEET_READY;
}

fw_tick_t fw__instance_closed_until(const fw_instance_t * instance, int32_t node)
{
  fw_tick_t last = -1;
  for (int32_t i = 0; i < instance->problem->closure_count; ++i) {
    const fw_closure_t * closure = &instance->problem->closures[i];
    last = closure->cell == instance->moves->cell_of[node] && closure->to > last ? closure->to : last;
  }
  return last;
}

fw_cost_t fw__instance_path_cost(const fw_instance_t * instance, int32_t robot, const fw_path_t * path)
{
  fw_cost_t cost = 0;
  fw_cost_t rest = 0;  // ticks on the goal that cost only if the robot leaves it again
  for (int32_t t = 1; t < path->length; ++t) {
    const bool is_rest = path->cells[t] == path->cells[t - 1] && path->cells[t] == instance->goals[robot];
    rest += is_rest ? 1 : 0;
    cost += is_rest ? 0 : 1 + (instance->rule == FW_COST_LAST_ARRIVAL ? rest : 0);
    rest = is_rest ? rest : 0;
  }
  return cost;
}
