// What the optimal planners share about a problem.

#include "planner/optimal/scene.h"

#include <string.h>

#include "base/error.h"

// A fleet that never ends may have robots that share a goal.
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
        "robot %d has another robot's goal: this planner ends with "
        "everybody on a goal of their own",
        r);
      return FW_RET_UNSUPPORTED;
    }
    is_goal[goal] = true;
  }
  return FW_RET_OK;
}

fw_ret_t fw__scene_check(const fw_problem_t * problem, fw_arena_t * arena, fw_error_t * error)
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
        "robot %d %s: this planner is for robots of one cell, one tick per move and no heading", r, what);
      return FW_RET_UNSUPPORTED;
    }
  }
  return problem->horizon > 0 ? check_goals(problem, arena, error) : FW_RET_OK;
}

// Preferences between floors do not change ticks, and ticks are what is minimised.
static const fw_problem_t * level_floor(fw_arena_t * arena, const fw_problem_t * problem)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t cells = fw_grid_cell_count(grid);
  int32_t dear = 0;
  for (int32_t i = 0; i < cells; ++i) {
    dear += grid->cost[i] > 1;
  }
  if (dear == 0) {
    return problem;
  }
  fw_problem_t * level = fw__arena_allocate(arena, 1, sizeof(*level));
  fw_grid_t * floor = fw__arena_allocate(arena, 1, sizeof(*floor));
  uint8_t * cost = fw__arena_allocate(arena, (size_t)cells, sizeof(*cost));
  if (level == NULL || floor == NULL || cost == NULL) {
    return NULL;
  }
  for (int32_t i = 0; i < cells; ++i) {
    cost[i] = grid->cost[i] > 0;
  }
  *floor = (fw_grid_t){.width = grid->width, .height = grid->height, .cost = cost};
  *level = *problem;
  level->grid = floor;
  return level;
}

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

fw_fleet_state_t fw__scene_init(
  fw_scene_t * scene, fw_planner_context_t * context, const fw_problem_t * problem, fw_error_t * error)
{
  fw_arena_t * arena = context->scratch;
  const size_t count = (size_t)problem->robot_count;
  *scene = (fw_scene_t){.robust_ticks = problem->robust_ticks, .meter = context->meter};
  scene->problem = level_floor(arena, problem);
  scene->starts = fw__arena_allocate(arena, count, sizeof(*scene->starts));
  scene->goals = fw__arena_allocate(arena, count, sizeof(*scene->goals));
  if (scene->problem == NULL || scene->starts == NULL || scene->goals == NULL) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  const fw_fleet_state_t state = fw__fleet_init(&scene->fleet, arena, context, scene->problem, error);
  if (state != FW_FLEET_READY) {
    return state;
  }
  scene->moves = scene->fleet.places;
  scene->closed_last = last_change(problem);
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    scene->starts[r] = scene->moves->node_of[problem->robots[r].start];
    scene->goals[r] = scene->moves->node_of[problem->robots[r].goal];
  }
  return FW_FLEET_READY;
}

fw_tick_t fw__scene_closed_until(const fw_scene_t * scene, int32_t node)
{
  fw_tick_t last = -1;
  for (int32_t i = 0; i < scene->problem->closure_count; ++i) {
    const fw_closure_t * closure = &scene->problem->closures[i];
    last = closure->cell == scene->moves->cell_of[node] && closure->to > last ? closure->to : last;
  }
  return last;
}

fw_cost_t fw__scene_path_cost(const fw_scene_t * scene, int32_t robot, const fw_path_t * path)
{
  fw_cost_t cost = 0;
  fw_cost_t rest = 0;  // ticks on the goal that cost only if the robot leaves it again
  for (int32_t t = 1; t < path->length; ++t) {
    const bool is_rest = path->cells[t] == path->cells[t - 1] && path->cells[t] == scene->goals[robot];
    rest += is_rest ? 1 : 0;
    cost += is_rest ? 0 : 1 + (scene->rule == FW_COST_LAST_ARRIVAL ? rest : 0);
    rest = is_rest ? rest : 0;
  }
  return cost;
}
