// The first plan: see first_plan.h.

#include "planner/improve/first_plan.h"

#include "base/error.h"
#include "planner/improve/local_search.h"
#include "planner/optimal/instance.h"
#include "planner/prioritized/prioritized.h"

extern const fw_planner_def_t fw__planner_lacam;

enum {
  CROWD = 40,            // crowded: a robot for so many free cells, or more
  SPARSE_EFFORT = 48,    // of hca where it is sparse: expansions for each tick of the robots' least paths
  EFFORT_LEAST = 20000,  // and so many more
  BESIDE_LACAM = 16,     // of hca after lacam: times what lacam has expanded
  ORDERS_BEFORE_LACAM = 16,
};

// ---- shares of a budget ---------------------------------------------------------------------------------------------

fw_budget_t fw__share_budget(const fw_meter_t * meter, const fw_share_t * share)
{
  fw_budget_t budget = meter->budget;
  if (budget.expansions_max > 0) {
    const int64_t left = fw__meter_left(meter);
    budget.expansions_max = share->eighths < 8 ? left / 8 * share->eighths + 1 : left > 0 ? left : 1;
  }
  if (share->expansions_max > 0 && (budget.expansions_max == 0 || budget.expansions_max > share->expansions_max)) {
    budget.expansions_max = share->expansions_max;
  }
  if (budget.deadline_ns > 0 && share->eighths < 8) {
    const int64_t now_ns = fw__meter_now_ns(meter);
    budget.deadline_ns = now_ns + (budget.deadline_ns - now_ns) / 8 * share->eighths;
  }
  return budget;
}

void fw__share_count(fw_meter_t * whole, const fw_meter_t * part)
{
  (void)fw__meter_add(whole, part->expanded);
  if (part->stop == FW_STOP_CANCELLED || part->stop == FW_STOP_MEMORY) {
    fw__meter_stop(whole, part->stop);
  }
  (void)fw__meter_check(whole);
}

void fw__share_parameters(const fw_planner_def_t * def, int64_t * values)
{
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    values[i] = def->parameters[i].initial;
  }
}

// ---- planners -------------------------------------------------------------------------------------------------------

bool fw__first_plan_suits_lacam(const fw_problem_t * problem, fw_arena_t * scratch)
{
  return fw__instance_check(problem, scratch, NULL) == FW_RET_OK && !fw_grid_has_rules(problem->grid);
}

bool fw__first_plan_is_crowded(const fw_problem_t * problem)
{
  int64_t free = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(problem->grid); ++cell) {
    free += problem->grid->cost[cell] > 0 ? 1 : 0;
  }
  return (int64_t)CROWD * problem->robot_count >= free;
}

// `meter` is that of the planner that has made the plan.
static void note_plan(fw_first_plan_t * first, fw_ret_t ret, const fw_plan_t * plan, const fw_meter_t * meter)
{
  if (ret == FW_RET_OK && plan->outcome == FW_OUTCOME_SOLVED && first->first_ns == 0) {
    first->first_ns = meter->start_ns - first->context->meter->start_ns + plan->stats.first_plan_ns;
  }
}

fw_fleet_state_t fw__first_plan_prepare(fw_first_plan_t * first, fw_error_t * error)
{
  first->fleet.is_for_sipp = true;
  const fw_fleet_state_t state =
    first->has_fleet ? FW_FLEET_READY : fw__fleet_init(&first->fleet, first->context, first->problem, error);
  first->has_fleet = state == FW_FLEET_READY;
  return state;
}

// Makes the fleet ready. If that fails, `ret` and the plan are the answer.
static bool is_ready(fw_first_plan_t * first, fw_plan_t * plan, fw_error_t * error, fw_ret_t * ret)
{
  const fw_fleet_state_t state = fw__first_plan_prepare(first, error);
  if (state == FW_FLEET_UNREACHABLE) {
    *ret = fw__plan_unsolvable(first->context, first->problem, plan, error);
  } else if (state == FW_FLEET_STOPPED) {
    *ret = fw__plan_wait_all(first->context, first->problem, plan, error);
  }
  return state == FW_FLEET_READY;
}

fw_ret_t fw__first_plan_by_hca(fw_first_plan_t * first, const fw_share_t * share, fw_plan_t * plan, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  if (!is_ready(first, plan, error, &ret)) {
    return ret;
  }
  int64_t values[FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES];
  for (int32_t i = 0; i < FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES; ++i) {
    values[i] = fw__prioritized_parameters[FW_PRIORITIZED_OWN + i].initial;
  }
  fw_meter_t meter;
  fw_planner_context_t context = *first->context;
  const fw_budget_t budget = fw__share_budget(first->context->meter, share);
  fw__meter_start(&meter, &budget);
  context.meter = &meter;
  fw_prioritized_request_t request = {
    .context = &context, .problem = first->problem, .options = fw__prioritized_options(values), .fleet = &first->fleet};
  request.options.has_true_distance = true;
  request.options.is_rest_free = first->is_rest_free;
  request.options.is_whole_only = share->is_whole_only;
  request.options.orders_max = share->orders_max > 0 ? share->orders_max : request.options.orders_max;
  ret = fw__prioritized_solve(&request, plan, error);
  fw__share_count(first->context->meter, &meter);
  first->hca_expanded += meter.expanded;
  note_plan(first, ret, plan, &meter);
  return ret;
}

fw_ret_t fw__first_plan_by_lacam(
  fw_first_plan_t * first, const fw_share_t * share, fw_plan_t * plan, fw_error_t * error)
{
  int64_t values[FW_PARAMETERS_MAX];
  fw__share_parameters(&fw__planner_lacam, values);
  fw_meter_t meter;
  fw_planner_context_t context = *first->context;
  const fw_budget_t budget = fw__share_budget(first->context->meter, share);
  fw__meter_start(&meter, &budget);
  context.meter = &meter;
  context.parameters = values;
  const fw_ret_t ret = fw__planner_lacam.solve(&context, first->problem, plan, error);
  fw__share_count(first->context->meter, &meter);
  first->lacam_expanded += meter.expanded;
  note_plan(first, ret, plan, &meter);
  return ret;
}

// ---- which of them --------------------------------------------------------------------------------------------------

static bool has_priorities(const fw_problem_t * problem)
{
  bool differ = false;
  for (int32_t r = 1; r < problem->robot_count && !differ; ++r) {
    differ = problem->robots[r].priority != problem->robots[0].priority;
  }
  return differ;
}

static bool has_stopped(const fw_first_plan_t * first) { return fw__meter_has_stopped(first->context->meter); }

// What hca may expand: several times what it needs where there is room.
static int64_t sparse_effort(const fw_first_plan_t * first)
{
  return EFFORT_LEAST + SPARSE_EFFORT * first->fleet.lower_bound;
}

// After lacam: takes the plan of hca instead, if hca has one within its share, and lacam none or a worse one.
static void try_hca(fw_first_plan_t * first, fw_plan_t * plan, int32_t eighths)
{
  fw_error_t error = {.robot = -1, .cell = FW_CELL_NONE};
  if (has_stopped(first) || fw__first_plan_prepare(first, &error) != FW_FLEET_READY) {
    return;
  }
  const fw_share_t share = {
    .eighths = eighths,
    .expansions_max = eighths < 8 ? BESIDE_LACAM * first->lacam_expanded + sparse_effort(first) : 0,
    .is_whole_only = true,
  };
  fw_plan_t other = {0};
  const fw_ret_t ret = fw__first_plan_by_hca(first, &share, &other, &error);
  if (
    ret == FW_RET_OK && other.outcome == FW_OUTCOME_SOLVED &&
    (plan->outcome != FW_OUTCOME_SOLVED || fw__local_search_cost(&first->fleet, other.paths, first->is_rest_free) <
                                             fw__local_search_cost(&first->fleet, plan->paths, first->is_rest_free))) {
    *plan = other;
    first->is_lacams = false;
  }
}

// lacam after hca had no plan within its share: whatever lacam says more than that, a proof included. But a fleet that
// drives has more of hca's partial plan than of a proof.
static void try_lacam(fw_first_plan_t * first, fw_plan_t * plan, fw_error_t * error)
{
  fw_plan_t other = {0};
  fw_error_t other_error = {.robot = -1, .cell = FW_CELL_NONE};
  const fw_ret_t ret = fw__first_plan_by_lacam(first, &(fw_share_t){.eighths = 8}, &other, &other_error);
  const bool is_more =
    first->begins_with_hca ? other.outcome == FW_OUTCOME_SOLVED : other.outcome != FW_OUTCOME_PARTIAL;
  if (ret == FW_RET_OK && is_more) {
    *plan = other;
    *error = other_error;
    first->is_lacams = true;
  }
}

// Where robots fill a fortieth of the floor or more, lacam answers first, up to a hundred times sooner than hca, whose
// plan may cost half as much: warehouse-10-20-10-2-1 with 600 robots, 57 and 456 ms, 110,603 and 58,945. Where they
// fill less, both spend most of their time on distances, and hca is as fast, unless the map has long corridors of one
// cell. There it would use the whole budget: so its first share is what it needs elsewhere, several times. Robots of
// different priorities plan by hca first, since lacam does not minimise by priority.
fw_ret_t fw__first_plan_make(fw_first_plan_t * first, bool tries_both, fw_plan_t * plan, fw_error_t * error)
{
  const fw_problem_t * problem = first->problem;
  fw_ret_t ret = FW_RET_OK;
  if (!fw__first_plan_suits_lacam(problem, first->context->scratch)) {
    return fw__first_plan_by_hca(first, &(fw_share_t){.eighths = 8}, plan, error);
  }
  const bool differ = has_priorities(problem);
  if (!differ && !first->begins_with_hca && fw__first_plan_is_crowded(problem)) {
    first->is_lacams = true;
    ret = fw__first_plan_by_lacam(first, &(fw_share_t){.eighths = 6}, plan, error);
    if (ret == FW_RET_OK && plan->outcome == FW_OUTCOME_SOLVED && tries_both) {
      try_hca(first, plan, 6);
    } else if (ret == FW_RET_OK && plan->outcome == FW_OUTCOME_PARTIAL) {
      try_hca(first, plan, 8);
    }
    return ret;
  }
  fw_share_t share = {.eighths = first->begins_with_hca ? 7 : differ ? 4 : 6, .orders_max = ORDERS_BEFORE_LACAM};
  if (!is_ready(first, plan, error, &ret)) {
    return ret;
  }
  share.expansions_max = differ || first->begins_with_hca ? 0 : sparse_effort(first);
  share.orders_max = first->begins_with_hca ? 0 : share.orders_max;
  ret = fw__first_plan_by_hca(first, &share, plan, error);
  if (ret == FW_RET_OK && plan->outcome == FW_OUTCOME_PARTIAL && !has_stopped(first)) {
    try_lacam(first, plan, error);
    if (plan->outcome == FW_OUTCOME_SOLVED && tries_both && !differ) {
      try_hca(first, plan, 6);
    }
  }
  return ret;
}
