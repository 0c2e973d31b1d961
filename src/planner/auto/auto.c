// auto: looks at the problem and lets other planners solve it, one after another, within one budget.
//
//   horizon ────────────> whca: one window, and the next one from there
//   fleet under way ────> hca, once
//   otherwise ──────────> hca or lacam, whichever answers first (first_plan.h)
//                           └> the other one, where its plan may be better
//                                └> large neighbourhood search (local_search.h), while it gains
//                                     └> a proof that nothing better exists, by lazy_sat, where that is near
//
// `decide` has the rule and its reasons. The statistics and the note say what was done.

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/planner_def.h"
#include "planner/improve/first_plan.h"
#include "planner/improve/local_search.h"

extern const fw_planner_def_t fw__planner_whca;
extern const fw_planner_def_t fw__planner_lazy_sat;

enum { EFFORT, LEAST_GAIN, COST, DISTANCES, EXACT_MB };
typedef enum effort_t { EFFORT_FIRST, EFFORT_SOON, EFFORT_BALANCED, EFFORT_ALL } effort_t;
static const char * const effort_names[] = {"first", "soon", "balanced", "all"};
static const char * const cost_names[] = {"off_goal", "last_arrival"};  // as of `hca` and of `lazy_sat`
enum { COST_OFF_GOAL, COST_LAST_ARRIVAL };

static const fw_parameter_def_t parameters[] = {
  [EFFORT] =
    {.name = "effort",
     .type = FW_PARAMETER_CHOICE,
     .initial = EFFORT_BALANCED,
     .max = EFFORT_ALL,
     .choices = effort_names,
     .help =
       "how much of the budget is used: until there is a plan (first); by hca, and by lacam if hca has none for all "
       "robots in 7/8 of it (soon); as long as the plan becomes better soon, see least_gain (balanced); all of it, or "
       "until the plan is proved to be the best (all)",
     .in_fleet = "soon"},  // robots wait for the answer, and drive what it says
  [LEAST_GAIN] =
    {.name = "least_gain",
     .initial = 10,
     .min = 1,
     .max = 1000,
     .help = "with effort=balanced: the improvement ends when the second half of its expansions has gained less than "
             "this many per mille of the cost"},
  [COST] =
    {.name = "cost",
     .type = FW_PARAMETER_CHOICE,
     .initial = COST_LAST_ARRIVAL,
     .max = COST_LAST_ARRIVAL,
     .choices = cost_names,
     .help =
       "what is minimised: the sum of last arrivals (last_arrival), or of ticks off the goal (off_goal), which is "
       "the sum of costs in the statistics"},
  [DISTANCES] = FW_FLEET_DISTANCES_PARAMETER,
  [EXACT_MB] = FW_FLEET_EXACT_MB_PARAMETER,
};

enum {
  PATIENCE = 100,        // the improvement ends after so many neighbourhoods for each robot that gained nothing
  PROOF_ROBOTS = 200,    // more are not proved within a minute, even far apart
  PROOF_GAP = 64,        // ticks between the plan and the least costs of all robots: proofs take exponentially longer
  PROOF_EFFORT = 10000,  // expansions of a proof for each robot, if not all of the budget may be used
};

// A planner with a state of its own, inside of this one.
typedef struct part_t {
  const fw_planner_def_t * def;
  fw_planner_context_t context;
  fw_meter_t meter;  // whca refers to it from one solve to the next
  int64_t values[FW_PARAMETERS_MAX];
} part_t;

typedef struct auto_state_t {
  part_t windows;
  part_t prover;
  bool has_window;  // the last solve was that of a window, which the next one may continue
} auto_state_t;

static fw_ret_t begin_part(
  part_t * part, const fw_planner_def_t * def, const fw_planner_context_t * whole, fw_error_t * error)
{
  part->def = def;
  part->context = *whole;
  part->context.state = NULL;
  part->context.parameters = part->values;
  part->context.meter = &part->meter;
  fw__share_parameters(def, part->values);
  return def->init(&part->context, error);
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  auto_state_t * state = fw__arena_allocate_zeroed(context->keep, 1, sizeof(*state));
  if (state == NULL) {
    return fw__error_memory(error);
  }
  context->state = state;
  const fw_ret_t ret = begin_part(&state->windows, &fw__planner_whca, context, error);
  return ret == FW_RET_OK ? begin_part(&state->prover, &fw__planner_lazy_sat, context, error) : ret;
}

static void fini(fw_planner_context_t * context)
{
  auto_state_t * state = context->state;
  if (state == NULL) {
    return;
  }
  part_t * const parts[] = {&state->windows, &state->prover};
  for (int32_t i = 0; i < 2; ++i) {
    if (parts[i]->def != NULL) {
      parts[i]->def->fini(&parts[i]->context);
    }
  }
}

static void set_parameter(part_t * part, const char * name, int64_t value)
{
  for (int32_t i = 0; i < part->def->parameter_count; ++i) {
    if (strcmp(part->def->parameters[i].name, name) == 0) {
      part->values[i] = value;
      return;
    }
  }
  FW_ASSERT(false);
}

// Solves within a share of what is left of the budget.
static fw_ret_t solve_part(
  part_t * part, fw_planner_context_t * whole, const fw_share_t * share, const fw_problem_t * problem, fw_plan_t * plan,
  fw_error_t * error)
{
  const fw_budget_t budget = fw__share_budget(whole->meter, share);
  fw__meter_start(&part->meter, &budget);
  const fw_ret_t ret = part->def->solve(&part->context, problem, plan, error);
  fw__share_count(whole->meter, &part->meter);
  return ret;
}

// ---- the rule -------------------------------------------------------------------------------------------------------

typedef struct decision_t {
  bool is_window;        // whca plans as far as the horizon
  bool is_on_way;        // hca plans once: the fleet drives and waits for the answer
  bool is_soon;          // the plan is that of hca, if it has one
  bool improves;         // the first plan is not enough
  bool may_prove;        // lazy_sat handles the problem
  int64_t least_gain;    // of the improvement, see fw_local_search_request_t
  int64_t proof_effort;  // expansions of a proof; 0: all that are left
} decision_t;

static bool has_budget(const fw_budget_t * budget)
{
  return budget->deadline_ns > 0 || budget->expansions_max > 0 || budget->is_cancelled != NULL;
}

static bool is_under_way(const fw_problem_t * problem)
{
  bool is = problem->since > 0;
  for (int32_t r = 0; r < problem->robot_count && !is; ++r) {
    is = problem->robots[r].arrives > 0;
  }
  return is;
}

static bool has_one_priority(const fw_problem_t * problem)
{
  bool is = true;
  for (int32_t r = 1; r < problem->robot_count && is; ++r) {
    is = problem->robots[r].priority == problem->robots[0].priority;
  }
  return is;
}

static bool has_one_cost(const fw_grid_t * grid)
{
  bool is = true;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid) && is; ++cell) {
    is = grid->cost[cell] <= 1;
  }
  return is;
}

// What is done, and why:
// - A problem with a horizon asks for a window. Only whca goes on from the last one, and lets robots share goals.
// - Robots that are under way wait for the answer, or drive on with an old plan: hca's plan is good, and soon there.
// - With effort=soon, for fleets that drive, the plan is that of hca, also in crowds: where goals change all the time,
//   the long paths of lacam cost more than robots that park for a round. lacam is for fleets that hca cannot untangle.
// - Otherwise the planner that answers first makes the first plan; which one, and when the other one is tried, is the
//   rule of fw__first_plan_make, which `improve` has too: lacam in crowds, hca elsewhere, and for all that lacam
//   refuses (footprints, speeds, headings, traffic rules).
// - The improvement goes on for as long as each doubling of its expansions gains a hundredth: beyond that, the user
//   would wait twice as long for less.
// - A proof is tried if what separates the plan from the least costs of all robots is a few dozen ticks: each tick
//   multiplies its effort. lazy_sat minimises neither by priority nor by the cost of cells, and knows no traffic rules.
static decision_t decide(const fw_planner_context_t * context, const fw_problem_t * problem)
{
  const effort_t effort = (effort_t)context->parameters[EFFORT];
  const bool uses_all = effort == EFFORT_ALL && has_budget(&context->meter->budget);
  decision_t decision = {
    .is_window = problem->horizon > 0,
    .is_on_way = is_under_way(problem) && effort != EFFORT_ALL,
    .least_gain = effort == EFFORT_ALL ? 0 : context->parameters[LEAST_GAIN],
    .proof_effort = uses_all ? 0 : (int64_t)PROOF_EFFORT * problem->robot_count,
  };
  decision.is_soon = effort == EFFORT_SOON;
  decision.improves = effort >= EFFORT_BALANCED && !decision.is_on_way;
  decision.may_prove = decision.improves && problem->robot_count <= PROOF_ROBOTS && has_one_priority(problem) &&
                       has_one_cost(problem->grid) && fw__first_plan_suits_lacam(problem, context->scratch);
  return decision;
}

// ---- one solve ------------------------------------------------------------------------------------------------------

typedef enum ending_t { END_FIRST, END_BEST, END_GAIN, END_BUDGET } ending_t;

typedef struct auto_run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  auto_state_t * state;
  decision_t decision;
  fw_first_plan_t first;
  fw_local_search_t found;  // its cost is that of the plan
  int64_t improve_expanded;
  int64_t proof_expanded;
  int64_t bound;  // on what is minimised
  bool has_proof;
  bool is_provers;  // the plan is that of lazy_sat
} auto_run_t;

static int64_t counter_of(const fw_plan_t * plan, const char * name)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, name) == 0) {
      return plan->stats.counters[i].value;
    }
  }
  return 0;
}

static bool has_stopped(const auto_run_t * run) { return fw__meter_has_stopped(run->context->meter); }

static void improve(auto_run_t * run, fw_plan_t * plan)
{
  const int64_t before = run->context->meter->expanded;
  const fw_local_search_request_t request = {
    .context = run->context,
    .fleet = &run->first.fleet,
    .paths = plan->paths,
    .is_rest_free = run->first.is_rest_free,
    .patience = PATIENCE,
    .least_gain = run->decision.least_gain,
  };
  const int64_t cost = run->found.cost;
  if (!fw__local_search_run(&request, &run->found)) {
    run->found = (fw_local_search_t){.paths = plan->paths, .first_cost = cost, .cost = cost};
  }
  plan->paths = run->found.paths;
  plan->groups = NULL;
  run->improve_expanded = run->context->meter->expanded - before;
}

// Takes over what lazy_sat has proved, and its plan if that is better.
static void prove(auto_run_t * run, fw_plan_t * plan)
{
  fw_plan_t other = {0};
  fw_error_t error = {.robot = -1, .cell = FW_CELL_NONE};
  part_t * prover = &run->state->prover;
  const fw_share_t share = {.eighths = 8, .expansions_max = run->decision.proof_effort};
  const int64_t before = run->context->meter->expanded;
  set_parameter(prover, "cost", run->first.is_rest_free ? COST_OFF_GOAL : COST_LAST_ARRIVAL);
  const fw_ret_t ret = solve_part(prover, run->context, &share, run->problem, &other, &error);
  run->proof_expanded = run->context->meter->expanded - before;
  if (ret != FW_RET_OK || other.outcome == FW_OUTCOME_UNSOLVABLE) {
    FW_ASSERT(ret != FW_RET_OK);  // there is a plan
    return;
  }
  const int64_t bound = run->first.is_rest_free ? other.stats.lower_bound : counter_of(&other, "bound_to_last_arrival");
  run->bound = bound > run->bound ? bound : run->bound;
  if (other.outcome == FW_OUTCOME_SOLVED) {
    const int64_t cost = fw__local_search_cost(&run->first.fleet, other.paths, run->first.is_rest_free);
    run->is_provers = cost < run->found.cost;
    plan->paths = run->is_provers ? other.paths : plan->paths;
    run->found.cost = run->is_provers ? cost : run->found.cost;
  }
}

// The plan is solved: makes it better, as far as was decided.
static void go_on(auto_run_t * run, fw_plan_t * plan)
{
  fw_error_t error = {.robot = -1, .cell = FW_CELL_NONE};
  if (has_stopped(run) || fw__first_plan_prepare(&run->first, &error) != FW_FLEET_READY) {
    return;
  }
  plan->stats.lower_bound = run->first.fleet.lower_bound;
  const int64_t cost = fw__local_search_cost(&run->first.fleet, plan->paths, run->first.is_rest_free);
  run->bound = fw__local_search_least(&run->first.fleet, run->context->meter);
  run->found.cost = run->found.first_cost = cost;
  if (cost > run->bound && run->decision.improves) {
    improve(run, plan);
  }
  if (
    run->found.cost > run->bound && run->decision.may_prove && !has_stopped(run) &&
    (run->decision.proof_effort == 0 || run->found.cost - run->bound <= PROOF_GAP)) {
    prove(run, plan);
  }
  FW_ASSERT(has_stopped(run) || run->found.cost >= run->bound);
  run->has_proof = run->bound > 0 && run->found.cost == run->bound;
  if (run->first.is_rest_free && run->bound > plan->stats.lower_bound && has_one_cost(run->problem->grid)) {
    plan->stats.lower_bound = run->bound;
  }
}

static void note(const auto_run_t * run, fw_plan_t * plan)
{
  const fw_first_plan_t * first = &run->first;
  const char * planners = first->hca_expanded == 0     ? "lacam"
                          : first->lacam_expanded == 0 ? "hca"
                          : first->is_lacams           ? "lacam, no better one by hca"
                                                       : "hca, better than lacam";
  const char * improved = run->found.tried == 0 ? "" : run->found.improved > 0 ? ", improved" : ", not improved";
  const char * ending = run->decision.is_on_way              ? "; the fleet is under way"
                        : run->has_proof && run->is_provers  ? "; the best plan, by lazy_sat"
                        : run->has_proof                     ? "; proved to be the best plan"
                        : plan->outcome != FW_OUTCOME_SOLVED ? ""
                        : has_stopped(run)                   ? "; more might be gained"
                        : run->decision.is_soon              ? "; effort=soon"
                        : !run->decision.improves            ? "; effort=first"
                                                             : "; little more to be gained soon";
  (void)snprintf(plan->stats.note, sizeof(plan->stats.note), "%s%s%s", planners, improved, ending);
}

static void answer(const auto_run_t * run, fw_plan_t * plan)
{
  fw__plan_count(plan, "first_cost", run->found.first_cost);
  fw__plan_count(plan, "cost", run->found.cost);
  fw__plan_count(plan, "bound", run->bound);
  fw__plan_count(plan, "proved", run->has_proof);
  fw__plan_count(plan, "hca_expanded", run->first.hca_expanded);
  fw__plan_count(plan, "lacam_expanded", run->first.lacam_expanded);
  fw__plan_count(plan, "improve_expanded", run->improve_expanded);
  fw__plan_count(plan, "proof_expanded", run->proof_expanded);
  fw__plan_count(plan, "neighbourhoods", run->found.tried);
  fw__plan_count(plan, "improved", run->found.improved);
  note(run, plan);
}

static fw_ret_t solve_window(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  auto_state_t * state = context->state;
  fw_problem_t window = *problem;
  window.since = state->has_window ? problem->since : 0;
  part_t * windows = &state->windows;
  set_parameter(windows, "distances", context->parameters[DISTANCES]);
  set_parameter(windows, "exact_mb", context->parameters[EXACT_MB]);
  const fw_ret_t ret = solve_part(windows, context, &(fw_share_t){.eighths = 8}, &window, plan, error);
  state->has_window = ret == FW_RET_OK;
  if (ret == FW_RET_OK && plan->stats.note[0] == '\0') {
    (void)snprintf(plan->stats.note, sizeof(plan->stats.note), "whca: a horizon is given");
  }
  return ret;
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  auto_run_t run = {
    .context = context, .problem = problem, .state = context->state, .decision = decide(context, problem)};
  if (run.decision.is_window) {
    return solve_window(context, problem, plan, error);
  }
  run.state->has_window = false;
  run.first = (fw_first_plan_t){
    .context = context, .problem = problem, .is_rest_free = context->parameters[COST] == COST_OFF_GOAL};
  run.first.fleet.options = (fw_fleet_options_t){
    .distances = (int32_t)context->parameters[DISTANCES], .exact_mb = (int32_t)context->parameters[EXACT_MB]};
  run.first.fleet.is_prioritized = !run.decision.improves;  // the improvement needs all distances at once
  run.first.begins_with_hca = run.decision.is_soon;
  const fw_ret_t ret = run.decision.is_on_way
                         ? fw__first_plan_by_hca(&run.first, &(fw_share_t){.eighths = 8}, plan, error)
                         : fw__first_plan_make(&run.first, run.decision.improves, plan, error);
  plan->stats.counter_count = 0;
  plan->stats.first_plan_ns = run.first.first_ns;
  if (ret != FW_RET_OK || plan->outcome == FW_OUTCOME_UNSOLVABLE) {
    return ret;
  }
  if (plan->outcome == FW_OUTCOME_SOLVED) {
    go_on(&run, plan);
  }
  plan->stop = run.has_proof ? FW_STOP_DONE : context->meter->stop;
  answer(&run, plan);
  return FW_RET_OK;
}

const fw_planner_def_t fw__planner_auto = {
  .name = "auto",
  .summary =
    "hca or lacam, whichever answers first; then improvement while it gains, and a proof where that is near; windows "
    "by "
    "whca",
  .paper = "those of hca, lacam, improve, lazy_sat and whca",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .goes_on = true,
  .is_anytime = true,
  .has_rules = true,
  .init = init,
  .solve = solve,
  .fini = fini,
};
