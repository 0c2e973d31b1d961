// What a user writes: plans with a planner of the library, and with a planner of one's own.
//
//   consumer            prints the outcome of both
//
// Two robots exchange places on a floor of three by two cells.

#include <fleetweave/fleetweave.h>
#include <fleetweave/planner_def.h>
#include <stdio.h>
#include <string.h>

// ---- a planner of one's own -----------------------------------------------------------------------------------------
//
// one_by_one: prioritized planning in its simplest form. Robots plan in the order in which they are listed. Each one
// searches breadth-first over (cell, tick) for the earliest path to its goal that meets no earlier robot; if one finds
// none, all robots wait. For robots of one cell, one tick per move and no heading, without closures.
//
// It uses nothing but the public headers: memory and budget come from the context.

enum { TICKS };

static const fw_parameter_def_t parameters[] = {
  [TICKS] = {.name = "ticks", .initial = 64, .min = 1, .max = 4096, .help = "how many ticks a path may last"},
};

typedef struct search_t {
  const fw_problem_t * problem;
  fw_path_t * paths;    // of the robots that have planned
  int32_t robot;        // the robot that plans
  int32_t ticks;        // the limit
  fw_cell_t * parents;  // by tick and cell: the cell at the tick before; FW_CELL_NONE if not reached
} search_t;

// Does an earlier robot forbid the move that arrives on `to` at `tick`?
static bool is_blocked(const search_t * search, fw_cell_t from, fw_cell_t to, fw_tick_t tick)
{
  for (int32_t other = 0; other < search->robot; ++other) {
    const fw_path_t * path = &search->paths[other];
    bool meets = false;
    for (fw_tick_t t = tick - 1 - search->problem->robust_ticks; t <= tick + search->problem->robust_ticks; ++t) {
      // Without robust ticks, the cell may be entered in the tick in which it is left.
      meets = meets || (t >= 0 && (t != tick - 1 || search->problem->robust_ticks > 0) && fw_path_at(path, t) == to);
    }
    if (meets || (fw_path_at(path, tick - 1) == to && fw_path_at(path, tick) == from)) {
      return true;
    }
  }
  return false;
}

// Could the robot stay on its goal forever from `tick` on?
static bool can_stay(const search_t * search, fw_cell_t goal, fw_tick_t tick)
{
  for (fw_tick_t t = tick + 1; t <= search->ticks; ++t) {
    if (is_blocked(search, goal, goal, t)) {
      return false;
    }
  }
  return true;
}

// True if a path was found; `arrival` is its last tick. False if there is none, or if the budget is exhausted.
static bool find_path(search_t * search, fw_planner_context_t * context, fw_tick_t * arrival)
{
  const fw_grid_t * grid = search->problem->grid;
  const fw_robot_t * robot = &search->problem->robots[search->robot];
  const int32_t cells = fw_grid_cell_count(grid);
  static const int32_t steps[][2] = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  for (int32_t i = 0; i < cells * (search->ticks + 1); ++i) {
    search->parents[i] = FW_CELL_NONE;
  }
  search->parents[robot->start] = robot->start;
  for (fw_tick_t tick = 0; tick < search->ticks; ++tick) {
    for (fw_cell_t cell = 0; cell < cells; ++cell) {
      if (search->parents[tick * cells + cell] == FW_CELL_NONE) {
        continue;
      }
      if (cell == robot->goal && can_stay(search, cell, tick)) {
        *arrival = tick;
        return true;
      }
      if (fw_planner_expand(context, 1)) {
        return false;
      }
      for (int32_t i = 0; i < 5; ++i) {
        const int32_t x = fw_grid_x(grid, cell) + steps[i][0];
        const int32_t y = fw_grid_y(grid, cell) + steps[i][1];
        const fw_cell_t next = fw_grid_cell(grid, x, y);
        if (fw_grid_is_free(grid, x, y) && !is_blocked(search, cell, next, tick + 1)) {
          search->parents[(tick + 1) * cells + next] = cell;
        }
      }
    }
  }
  return false;
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid);
  search_t search = {.problem = problem, .ticks = (int32_t)context->parameters[TICKS]};
  search.paths = fw_planner_allocate(context, (size_t)problem->robot_count, sizeof(*search.paths));
  search.parents = fw_planner_allocate(context, cells * (size_t)(search.ticks + 1), sizeof(*search.parents));
  if (search.paths == NULL || search.parents == NULL) {
    return FW_RET_BAD_ALLOC;
  }
  for (; search.robot < problem->robot_count; ++search.robot) {
    const fw_robot_t * robot = &problem->robots[search.robot];
    fw_tick_t arrival = 0;
    if (
      robot->footprint_count != 1 || robot->ticks_per_move != 1 || robot->turn_ticks > 0 ||
      problem->closure_count > 0) {
      return FW_RET_UNSUPPORTED;
    }
    fw_cell_t * path = NULL;
    if (find_path(&search, context, &arrival)) {
      path = fw_planner_allocate(context, (size_t)arrival + 1, sizeof(*path));
    }
    if (path == NULL) {
      return fw_planner_wait_all(context, problem, plan, error);
    }
    fw_cell_t cell = robot->goal;
    for (fw_tick_t tick = arrival; tick >= 0; --tick) {
      path[tick] = cell;
      cell = search.parents[(size_t)tick * cells + (size_t)cell];
    }
    search.paths[search.robot] = (fw_path_t){.cells = path, .length = arrival + 1};
  }
  plan->outcome = FW_OUTCOME_SOLVED;
  plan->stop = FW_STOP_DONE;
  plan->safe_until = FW_TICK_MAX;
  plan->paths = search.paths;
  return FW_RET_OK;
}

static const fw_planner_def_t one_by_one = {
  .name = "one_by_one",
  .summary = "robots in the order in which they are listed, each around those before it",
  .paper = "M. Erdmann and T. Lozano-Perez, On Multiple Moving Objects, 1987",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .solve = solve,
};

// ---- using planners -------------------------------------------------------------------------------------------------

// Solves with a planner that has been initialised, checks the plan and prints its outcome. True if it is solved.
static bool run(fw_planner_t * planner, const fw_problem_t * problem)
{
  fw_error_t error = {0};
  fw_plan_t plan = {0};
  fw_conflict_t conflict = {0};
  if (
    fw_planner_solve(planner, problem, NULL, &plan, &error) != FW_RET_OK ||
    fw_check_plan(problem, &plan, NULL, &conflict, &error) != FW_RET_OK) {
    fprintf(stderr, "%s\n", error.text);
    return false;
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    fprintf(stderr, "%s\n", fw_conflict_kind_name(conflict.kind));
    return false;
  }
  printf("%s: %s\n", fw_planner_definition(planner)->name, fw_outcome_name(plan.outcome));
  return plan.outcome == FW_OUTCOME_SOLVED;
}

int main(void)
{
  uint8_t floor[] = {1, 1, 1, 1, 1, 1};
  const fw_grid_t grid = {.width = 3, .height = 2, .cost = floor};
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}, {.start = 2, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};

  fw_error_t error = {0};
  fw_planner_t hca = {0};
  fw_planner_t own = {0};
  bool is_solved = false;
  if (
    fw_planner_init(&hca, "hca", NULL, &error) != FW_RET_OK ||
    fw_planner_init_with(&own, &one_by_one, NULL, &error) != FW_RET_OK ||
    fw_planner_set(&own, "ticks", "16", &error) != FW_RET_OK) {
    fprintf(stderr, "%s\n", error.text);
  } else {
    is_solved = run(&hca, &problem);
    is_solved = run(&own, &problem) && is_solved;
  }
  fw_planner_fini(&own);
  fw_planner_fini(&hca);
  return is_solved ? 0 : 1;
}
