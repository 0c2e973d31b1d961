// The frame of the optimal planners: the plan when the budget runs out, then the solve.

#include "planner/optimal/optimal.h"

#include "base/assert.h"
#include "base/error.h"
#include "planner/optimal/refutation.h"
#include "planner/prioritized/prioritized.h"

const char * const fw__cost_rule_names[] = {"off_goal", "last_arrival"};

typedef struct state_t {
  const fw_optimal_strategy_t * strategy;
  fw_arena_t work;
  fw_arena_t work_joint;
} state_t;

fw_ret_t fw__optimal_init(fw_planner_context_t * context, const fw_optimal_strategy_t * strategy, fw_error_t * error)
{
  state_t * state = fw__arena_allocate(context->keep, 1, sizeof(*state));
  if (state == NULL) {
    return fw__error_memory(error);
  }
  state->strategy = strategy;
  fw__arena_init(&state->work, context->keep->memory);
  fw__arena_init(&state->work_joint, context->keep->memory);
  context->state = state;
  return FW_RET_OK;
}

void fw__optimal_fini(fw_planner_context_t * context)
{
  state_t * state = context->state;
  if (state != NULL) {
    fw__arena_fini(&state->work);
    fw__arena_fini(&state->work_joint);
  }
}

// ---- prioritized planning -------------------------------------------------------------------------------------------

// What prioritized planning is for, and how many orders it may try for that.
typedef enum effort_t { EFFORT_FAST, EFFORT_AROUND, EFFORT_AGAIN, EFFORT_ALL } effort_t;

// With the default parameters of hca. The first plan is that of hca for as long as hca has tried ORDERS_SURE orders,
// which is all that most instances need; then it may use a sixteenth of the budget. The rest is for the search, which
// solves what no order does, and proves that there is no plan.
enum { ORDERS_AROUND = 8, ORDERS_AGAIN = 64, ORDERS_SURE = 16 };

static bool plan_prioritized(
  fw_planner_context_t * context, const fw_problem_t * problem, effort_t effort, fw_plan_t * plan)
{
  const fw_parameter_def_t * parameters = fw__prioritized_parameters + FW_PRIORITIZED_OWN;
  int64_t values[FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES];
  for (int32_t i = 0; i < FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES; ++i) {
    values[i] = parameters[i].initial;
  }
  fw_prioritized_request_t request = {
    .context = context, .problem = problem, .options = fw__prioritized_options(values)};
  request.options.has_true_distance = true;
  request.options.fleet = (fw_fleet_options_t){
    .distances = (int32_t)values[FW_PRIORITIZED_SHARED], .exact_mb = (int32_t)values[FW_PRIORITIZED_SHARED + 1]};
  request.options.orders_max = effort == EFFORT_AROUND  ? ORDERS_AROUND
                               : effort == EFFORT_AGAIN ? ORDERS_AGAIN
                                                        : request.options.orders_max;
  request.options.orders_sure = effort == EFFORT_FAST ? ORDERS_SURE : 0;
  return fw__prioritized_solve(&request, plan, NULL) == FW_RET_OK;
}

// ---- the first plan -------------------------------------------------------------------------------------------------

static bool has_limit(const fw_budget_t * budget) { return budget->expansions_max > 0 || budget->deadline_ns > 0; }

// Plans as hca does with the same budget, before the search uses any of it. The memory is that of the search, which
// comes later. Running out of it is not the end: the search may do with less.
static void plan_fast(fw_optimal_t * run, const fw_problem_t * problem)
{
  fw_meter_t meter = *run->context->meter;
  fw_planner_context_t context = *run->context;
  context.scratch = run->work;
  context.meter = &meter;
  fw__arena_reset(run->work);
  fw_plan_t plan = {0};
  bool is_kept = plan_prioritized(&context, problem, EFFORT_FAST, &plan) &&
                 fw__path_buffers_init(&run->fast_paths, run->context->scratch, problem);
  for (int32_t r = 0; r < problem->robot_count && is_kept; ++r) {
    is_kept = fw__path_buffers_set(&run->fast_paths, r, plan.paths[r]);
  }
  if (is_kept) {
    run->fast = plan;
    run->fast.paths = run->fast_paths.paths;
    run->plan->stats.first_plan_ns = plan.stats.first_plan_ns;
  }
  fw__arena_reset(run->work);
  run->context->meter->expanded = run->fast_expanded = meter.expanded;
  if (meter.stop != FW_STOP_DONE && meter.stop != FW_STOP_MEMORY) {
    fw__meter_stop(run->context->meter, meter.stop);
  }
  (void)fw__meter_check(run->context->meter);
}

// The time of the first plan.
static void note_plan(fw_optimal_t * run)
{
  if (run->plan->stats.first_plan_ns == 0) {
    run->plan->stats.first_plan_ns = fw_clock_now_ns() - run->context->meter->start_ns;
  }
}

static void answer_fast(fw_optimal_t * run, fw_stop_t stop)
{
  run->plan->outcome = run->fast.outcome;
  run->plan->stop = stop;
  run->plan->safe_until = run->fast.safe_until;
  run->plan->paths = run->fast.paths;
  run->plan->groups = NULL;
  // The search may have ended before it had a bound of its own.
  const fw_cost_t alone = run->fast.stats.lower_bound;
  run->plan->stats.lower_bound = run->plan->stats.lower_bound > alone ? run->plan->stats.lower_bound : alone;
}

// By the rule of the instance.
static fw_cost_t cost_of(const fw_optimal_t * run, const fw_problem_t * problem, const fw_path_t * paths)
{
  fw_cost_t cost = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    cost += fw_paths_makespan(&paths[r], 1);
  }
  return run->instance.rule == FW_COST_OFF_GOAL ? fw_paths_sum_of_costs(problem, paths) : cost;
}

// ---- out of budget --------------------------------------------------------------------------------------------------
//
// Groups that are done keep their paths as far as they do not collide; the other robots are planned around those paths
// by prioritized planning, as `hca` does, with the paths as closures (world/closures.h). If that fails, all robots are
// planned that way. The first plan is taken if it is better. NULLs are checked here one by one: the arena may have
// failed before.

typedef struct rest_t {
  bool * is_kept;    // by robot: it keeps its path
  int32_t * robots;  // the others
  int32_t count;
} rest_t;

static bool has_conflict(const fw_instance_t * instance, const fw_cat_t * table, const fw_path_t * path)
{
  for (fw_tick_t t = 0; t < path->length || t <= table->last_tick + instance->robust_ticks; ++t) {
    const int32_t from = fw_path_at(path, t > 0 ? t - 1 : 0);
    const int32_t to = fw_path_at(path, t);
    const fw_cat_move_t move = {from, to, fw__instance_direction(instance, from, to), t - 1};
    if (fw__cat_count_conflicts(table, &move) > 0) {
      return true;
    }
  }
  return false;
}

static bool has_group_conflict(const fw_optimal_t * run, const fw_cat_t * table, int32_t group)
{
  bool has_met = false;
  for (int32_t r = 0; r < run->instance.problem->robot_count && !has_met; ++r) {
    has_met = run->group_of[r] == group && has_conflict(&run->instance, table, &run->paths.paths[r]);
  }
  return has_met;
}

// Keeps one group after another unless it collides with one that is kept. False when there is no memory.
static bool choose_kept(fw_optimal_t * run, rest_t * rest)
{
  fw_arena_t * arena = run->context->scratch;
  const int32_t count = run->instance.problem->robot_count;
  fw_cat_t table;
  rest->is_kept = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*rest->is_kept));
  rest->robots = fw__arena_allocate(arena, (size_t)count, sizeof(*rest->robots));
  if (rest->is_kept == NULL || rest->robots == NULL || !fw__cat_init(&table, arena, &run->instance)) {
    return false;
  }
  for (int32_t group = 0; group < count && run->has_paths; ++group) {
    if (has_group_conflict(run, &table, group)) {
      continue;
    }
    for (int32_t r = 0; r < count; ++r) {
      if (run->group_of[r] == group) {
        rest->is_kept[r] = true;
        if (!fw__cat_add(&table, r, run->paths.paths[r])) {
          return false;
        }
      }
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (!rest->is_kept[r]) {
      rest->robots[rest->count++] = r;
    }
  }
  return true;
}

typedef struct closure_list_t {
  fw_closure_t * items;
  int32_t count;
  int32_t capacity;
} closure_list_t;

static void close_cell(closure_list_t * list, fw_cell_t cell, fw_tick_t from, fw_tick_t to)
{
  FW_ASSERT(list->count < list->capacity);
  list->items[list->count++] = (fw_closure_t){.cell = cell, .from = from, .to = to};
}

// A node is closed for a tick longer than the robot is there, against swaps (robust ticks exclude these already), and
// the nodes beside a diagonal are closed at its end, against crossing diagonals (which none does where it cuts a
// corner).
static void close_path(const fw_instance_t * instance, const fw_path_t * path, closure_list_t * list)
{
  const fw_moves_t * moves = instance->moves;
  const fw_tick_t longer = instance->robust_ticks > 0 ? 0 : 1;
  for (fw_tick_t t = 0; t + 1 < path->length; ++t) {
    close_cell(list, moves->cell_of[path->cells[t]], t, t + longer);
    const int32_t direction = fw__instance_direction(instance, path->cells[t], path->cells[t + 1]);
    if (direction >= 4) {
      const int32_t left = fw__moves_beside(moves, path->cells[t], fw__direction_left(direction));
      const int32_t right = fw__moves_beside(moves, path->cells[t], fw__direction_right(direction));
      if (left >= 0 && right >= 0) {
        close_cell(list, moves->cell_of[left], t + 1, t + 1);
        close_cell(list, moves->cell_of[right], t + 1, t + 1);
      }
    }
  }
  close_cell(list, moves->cell_of[path->cells[path->length - 1]], path->length - 1, FW_TICK_MAX);
}

// The problem of the robots that have no path, with the kept paths as closures. False when there is no memory.
static bool make_problem(fw_optimal_t * run, const fw_problem_t * whole, const rest_t * rest, fw_problem_t * part)
{
  fw_arena_t * arena = run->context->scratch;
  size_t room = (size_t)whole->closure_count;
  for (int32_t r = 0; r < whole->robot_count; ++r) {
    room += rest->is_kept[r] ? 3 * (size_t)run->paths.paths[r].length : 0;
  }
  fw_robot_t * robots = fw__arena_allocate(arena, (size_t)rest->count, sizeof(*robots));
  fw_closure_t * merged = fw__arena_allocate(arena, room, sizeof(*merged));
  closure_list_t list = {.items = fw__arena_allocate(arena, room, sizeof(*list.items)), .capacity = (int32_t)room};
  if (robots == NULL || merged == NULL || list.items == NULL) {
    return false;
  }
  for (int32_t i = 0; i < rest->count; ++i) {
    robots[i] = whole->robots[rest->robots[i]];
  }
  for (int32_t i = 0; i < whole->closure_count; ++i) {
    list.items[list.count++] = whole->closures[i];
  }
  for (int32_t r = 0; r < whole->robot_count; ++r) {
    if (rest->is_kept[r]) {
      close_path(&run->instance, &run->paths.paths[r], &list);
    }
  }
  *part = *whole;
  part->robots = robots;
  part->robot_count = rest->count;
  part->closures = list.items;
  part->closure_count = list.count;
  part->closure_count = fw__closures_merge(part, merged);
  part->closures = merged;
  return true;
}

// The plan of the kept paths and of the others. False when there is no memory.
static bool combine(fw_optimal_t * run, const rest_t * rest, const fw_plan_t * part)
{
  const int32_t count = run->instance.problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  if (paths == NULL) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    paths[r] = run->paths.paths[r];
    for (int32_t t = 0; t < paths[r].length && rest->is_kept[r]; ++t) {
      run->paths.cells[r][t] = run->instance.moves->cell_of[run->paths.cells[r][t]];
    }
  }
  for (int32_t i = 0; i < rest->count; ++i) {
    paths[rest->robots[i]] = part->paths[i];
  }
  run->plan->outcome = FW_OUTCOME_SOLVED;
  run->plan->safe_until = FW_TICK_MAX;
  run->plan->paths = paths;
  return true;
}

static bool plan_around(fw_optimal_t * run, const fw_problem_t * problem, rest_t * rest)
{
  fw_problem_t part;
  fw_plan_t plan = {0};
  return choose_kept(run, rest) && rest->count < problem->robot_count && make_problem(run, problem, rest, &part) &&
         plan_prioritized(run->context, &part, EFFORT_AROUND, &plan) && plan.outcome == FW_OUTCOME_SOLVED &&
         combine(run, rest, &plan);
}

// Orders without overriding, which uses less at the end of the budget, are often better than those of the first plan.
static bool plan_all(fw_optimal_t * run, const fw_problem_t * problem)
{
  fw_plan_t plan = {0};
  const effort_t effort = run->fast.outcome == FW_OUTCOME_SOLVED ? EFFORT_AGAIN : EFFORT_ALL;
  if (!plan_prioritized(run->context, problem, effort, &plan) || plan.outcome == FW_OUTCOME_UNSOLVABLE) {
    return false;
  }
  run->plan->outcome = plan.outcome;
  run->plan->safe_until = plan.safe_until;
  run->plan->paths = plan.paths;
  return true;
}

// False if there is nothing better than waiting.
static bool fall_back(fw_optimal_t * run, const fw_problem_t * problem)
{
  rest_t rest = {0};
  if (run->meter.stop == FW_STOP_MEMORY) {
    fw__arena_fini(run->work);
    fw__arena_fini(run->work_joint);
  }
  const bool is_around = plan_around(run, problem, &rest);
  const bool is_planned = is_around || plan_all(run, problem);
  const bool is_solved = is_planned && run->plan->outcome == FW_OUTCOME_SOLVED;
  if (is_solved) {
    note_plan(run);
  }
  const bool is_fast_better =
    run->fast.outcome != FW_OUTCOME_NONE &&
    (!is_solved || (run->fast.outcome == FW_OUTCOME_SOLVED &&
                    cost_of(run, problem, run->fast.paths) < cost_of(run, problem, run->plan->paths)));
  if (is_fast_better) {
    answer_fast(run, FW_STOP_DONE);
  }
  fw__plan_count(run->plan, "robots_fallen_back", is_around && !is_fast_better ? rest.count : problem->robot_count);
  return is_planned || is_fast_better;
}

// ---- solve ----------------------------------------------------------------------------------------------------------

// The budget of the search: an eighth is kept for the fallback.
static fw_meter_t meter_of_search(const fw_meter_t * whole, bool has_fallback)
{
  fw_meter_t part = *whole;
  if (has_fallback) {
    if (part.budget.deadline_ns > 0) {
      part.budget.deadline_ns -= (part.budget.deadline_ns - part.begin_ns) / 8;
    }
    part.budget.expansions_max -= part.budget.expansions_max / 8;
    (void)fw__meter_check(&part);
  }
  return part;
}

// By the rule of the instance.
static fw_cost_t sum_of_costs(const fw_optimal_t * run)
{
  fw_cost_t cost = 0;
  for (int32_t r = 0; r < run->instance.problem->robot_count; ++r) {
    cost += fw__instance_path_cost(&run->instance, r, &run->paths.paths[r]);
  }
  return cost;
}

// The plan of a search that found one. Nodes become cells.
static void answer_paths(fw_optimal_t * run)
{
  const int32_t count = run->instance.problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    for (int32_t t = 0; t < run->paths.paths[r].length; ++t) {
      run->paths.cells[r][t] = run->instance.moves->cell_of[run->paths.cells[r][t]];
    }
  }
  run->plan->outcome = FW_OUTCOME_SOLVED;
  run->plan->stop = FW_STOP_DONE;
  run->plan->safe_until = FW_TICK_MAX;
  run->plan->paths = run->paths.paths;
  run->plan->groups = run->group_of;
  note_plan(run);
}

static void write_bounds(fw_optimal_t * run, fw_found_t found)
{
  const fw_cost_t alone = run->instance.fleet.lower_bound;
  const fw_cost_t bound = run->bound > alone ? run->bound : alone;
  const bool is_off_goal = run->instance.rule == FW_COST_OFF_GOAL;
  FW_ASSERT(found != FW_FOUND_PATH || bound == sum_of_costs(run));  // the plan is optimal, which is proved
  run->plan->stats.lower_bound = is_off_goal ? bound : alone;
  if (!is_off_goal) {
    if (found == FW_FOUND_PATH) {
      fw__plan_count(run->plan, "cost_to_last_arrival", sum_of_costs(run));
    }
    fw__plan_count(run->plan, "bound_to_last_arrival", bound);
  }
}

static fw_ret_t search_and_answer(
  fw_optimal_t * run, const fw_optimal_strategy_t * strategy, const fw_problem_t * problem, fw_error_t * error)
{
  fw_meter_t * meter = run->context->meter;
  const fw_found_t found = run->meter.stop == FW_STOP_DONE ? strategy->search(run) : FW_FOUND_STOPPED;
  meter->expanded = run->meter.expanded;
  write_bounds(run, found);
  if (found == FW_FOUND_PATH) {
    answer_paths(run);
    return FW_RET_OK;
  }
  if (found == FW_FOUND_NONE) {
    return fw__plan_unsolvable(run->context, problem, run->plan, error);
  }
  const fw_stop_t stop = run->meter.stop;
  if (stop == FW_STOP_CANCELLED && run->fast.outcome == FW_OUTCOME_SOLVED) {
    answer_fast(run, stop);
    return FW_RET_OK;
  }
  if (strategy->has_fallback && stop != FW_STOP_CANCELLED && fall_back(run, problem)) {
    run->plan->stop = stop;
    return FW_RET_OK;
  }
  fw__meter_stop(meter, stop);
  const fw_ret_t ret = fw__plan_wait_all(run->context, problem, run->plan, error);
  run->plan->stop = stop;
  return ret;
}

// The budget ends before the search begins.
static fw_ret_t stop_early(fw_optimal_t * run, const fw_problem_t * problem, fw_error_t * error)
{
  if (run->fast.outcome == FW_OUTCOME_SOLVED || run->fast.outcome == FW_OUTCOME_PARTIAL) {
    answer_fast(run, run->context->meter->stop);
    run->plan->stats.lower_bound = run->fast.stats.lower_bound;
    return FW_RET_OK;
  }
  return fw__plan_wait_all(run->context, problem, run->plan, error);
}

fw_ret_t fw__optimal_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  state_t * state = context->state;
  const fw_optimal_strategy_t * strategy = state->strategy;
  fw_optimal_t run = {
    .context = context,
    .work = &state->work,
    .work_joint = &state->work_joint,
    .plan = plan,
  };
  const fw_ret_t ret = fw__instance_check(problem, context->scratch, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__arena_reset(run.work);
  if (fw__refutation_find(problem, run.work)) {  // otherwise the first plan would use its share of the budget in vain
    return fw__plan_unsolvable(context, problem, plan, error);
  }
  fw__arena_reset(run.work);
  if (strategy->has_fallback && has_limit(&context->meter->budget)) {
    plan_fast(&run, problem);
  }
  switch (fw__instance_init(&run.instance, context, problem, error)) {
    case FW_FLEET_UNREACHABLE:
      return fw__plan_unsolvable(context, problem, plan, error);
    case FW_FLEET_STOPPED:
      return stop_early(&run, problem, error);
    case FW_FLEET_READY:
      break;
  }
  run.group_of = fw__arena_allocate(context->scratch, (size_t)problem->robot_count, sizeof(*run.group_of));
  if (run.group_of == NULL || !fw__path_buffers_init(&run.paths, context->scratch, problem)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return stop_early(&run, problem, error);
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    run.group_of[r] = r;
  }
  run.bound = run.instance.fleet.lower_bound;
  run.instance.rule = (fw_cost_rule_t)context->parameters[FW_OPTIMAL_COST];
  run.meter = meter_of_search(context->meter, strategy->has_fallback);
  run.instance.meter = &run.meter;
  return search_and_answer(&run, strategy, problem, error);
}
