// The frame of the optimal planners.

#include "planner/optimal/optimal.h"

#include "base/error.h"

const char * const fw__cost_rule_names[] = {"off_goal", "last_arrival"};

typedef struct state_t {
  fw_arena_t work;
  fw_arena_t work_joint;
} state_t;

fw_ret_t fw__optimal_init(fw_planner_context_t * context, fw_error_t * error)
{
  state_t * state = fw__arena_allocate(context->keep, 1, sizeof(*state));
  if (state == NULL) {
    return fw__error_memory(error);
  }
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

// An eighth of the budget is for the fallback.
static fw_meter_t share_out(const fw_meter_t * whole, bool has_fallback)
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

static fw_cost_t cost_of(const fw_optimal_t * run)
{
  fw_cost_t cost = 0;
  for (int32_t r = 0; r < run->scene.problem->robot_count; ++r) {
    cost += fw__scene_path_cost(&run->scene, r, &run->paths.paths[r]);
  }
  return cost;
}

// Nodes become cells.
static void answer_paths(fw_optimal_t * run)
{
  const int32_t count = run->scene.problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    for (int32_t t = 0; t < run->paths.paths[r].length; ++t) {
      run->paths.cells[r][t] = run->scene.moves->cell_of[run->paths.cells[r][t]];
    }
  }
  run->plan->outcome = FW_OUTCOME_SOLVED;
  run->plan->stop = FW_STOP_DONE;
  run->plan->safe_until = FW_TICK_MAX;
  run->plan->paths = run->paths.paths;
  run->plan->groups = run->group_of;
  run->plan->stats.first_plan_ns = fw_clock_now_ns() - run->meter.start_ns;
}

static void tell_bounds(fw_optimal_t * run, fw_found_t found)
{
  const fw_cost_t alone = run->scene.fleet.lower_bound;
  const fw_cost_t bound = run->bound > alone ? run->bound : alone;
  const bool is_usual = run->scene.rule == FW_COST_OFF_GOAL;
  run->plan->stats.lower_bound = is_usual ? bound : alone;
  if (!is_usual) {
    if (found == FW_FOUND_PATH) {
      fw__plan_count(run->plan, "cost_to_last_arrival", cost_of(run));
    }
    fw__plan_count(run->plan, "bound_to_last_arrival", bound);
  }
}

static fw_ret_t answer(
  fw_optimal_t * run, const fw_optimal_way_t * way, const fw_problem_t * problem, fw_error_t * error)
{
  fw_meter_t * meter = run->context->meter;
  const fw_found_t found = run->meter.stop == FW_STOP_DONE ? way->search(run) : FW_FOUND_STOPPED;
  meter->expanded = run->meter.expanded;
  tell_bounds(run, found);
  if (found == FW_FOUND_PATH) {
    answer_paths(run);
    return FW_RET_OK;
  }
  if (found == FW_FOUND_NONE) {
    return fw__plan_wait_all(FW_FLEET_UNREACHABLE, run->context, problem, run->plan, error);
  }
  const fw_stop_t stop = run->meter.stop;
  if (way->has_fallback && stop != FW_STOP_CANCELLED && fw__optimal_fall_back(run, problem)) {
    run->plan->stop = stop;
    return FW_RET_OK;
  }
  fw__meter_stop(meter, stop);
  const fw_ret_t ret = fw__plan_wait_all(FW_FLEET_STOPPED, run->context, problem, run->plan, error);
  run->plan->stop = stop;
  return ret;
}

fw_ret_t fw__optimal_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, const fw_optimal_way_t * way, fw_plan_t * plan,
  fw_error_t * error)
{
  state_t * state = context->state;
  fw_optimal_t run = {
    .context = context,
    .work = &state->work,
    .work_joint = &state->work_joint,
    .plan = plan,
  };
  const fw_ret_t ret = fw__scene_check(problem, context->scratch, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_fleet_state_t ready = fw__scene_init(&run.scene, context, problem, error);
  if (ready != FW_FLEET_READY) {
    return fw__plan_wait_all(ready, context, problem, plan, error);
  }
  run.group_of = fw__arena_allocate(context->scratch, (size_t)problem->robot_count, sizeof(*run.group_of));
  if (run.group_of == NULL || !fw__path_buffers_init(&run.paths, context->scratch, problem)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    run.group_of[r] = r;
  }
  run.bound = run.scene.fleet.lower_bound;
  run.scene.rule = way->rule;
  run.meter = share_out(context->meter, way->has_fallback);
  run.scene.meter = &run.meter;
  return answer(&run, way, problem, error);
}
