// improve: large neighbourhood search (local_search.h) over the plan of `hca` or `lacam` (first_plan.h), until the
// budget is exhausted.

#include "fleetweave/planner_def.h"
#include "planner/improve/first_plan.h"
#include "planner/improve/local_search.h"

enum { FIRST, PATIENCE, LEAST_GAIN, COST, DISTANCES, EXACT_MB };
typedef enum first_t { FIRST_AUTO, FIRST_HCA, FIRST_LACAM } first_t;
static const char * const first_names[] = {"auto", "hca", "lacam"};
static const char * const cost_names[] = {"off_goal", "last_arrival"};  // as of `hca`
enum { COST_OFF_GOAL, COST_LAST_ARRIVAL };

static const fw_parameter_def_t parameters[] = {
  [FIRST] =
    {.name = "first",
     .type = FW_PARAMETER_CHOICE,
     .initial = FIRST_AUTO,
     .max = FIRST_LACAM,
     .choices = first_names,
     .help =
       "planner of the first plan: hca, lacam, or auto: in crowds lacam, then hca; elsewhere hca and, if it has no "
       "plan soon, lacam"},
  [PATIENCE] =
    {.name = "patience",
     .initial = 100,
     .max = 1000000,
     .help = "the search ends when this many neighbourhoods in a row, times the number of robots, were no better; 0: "
             "when the budget is exhausted"},
  [LEAST_GAIN] =
    {.name = "least_gain",
     .max = 1000,
     .help = "the search ends when the second half of its expansions has gained less than this many per mille of the "
             "cost; 0: it does not"},
  [COST] =
    {.name = "cost",
     .type = FW_PARAMETER_CHOICE,
     .initial = COST_LAST_ARRIVAL,
     .max = COST_LAST_ARRIVAL,
     .choices = cost_names,
     .help = "what is minimised: the sum of last arrivals (last_arrival), or of ticks off the goal (off_goal): a robot "
             "may then reach its goal, step aside for another robot and come back"},
  [DISTANCES] = FW_FLEET_DISTANCES_PARAMETER,
  [EXACT_MB] = FW_FLEET_EXACT_MB_PARAMETER,
};

// Fills the plan with the first one, whatever its outcome.
static fw_ret_t make_first(fw_first_plan_t * first, fw_plan_t * plan, fw_error_t * error)
{
  const fw_share_t all = {.eighths = 8};
  switch ((first_t)first->context->parameters[FIRST]) {
    case FIRST_HCA:
      return fw__first_plan_by_hca(first, &all, plan, error);
    case FIRST_LACAM:
      first->is_lacams = true;
      return fw__first_plan_by_lacam(first, &all, plan, error);
    case FIRST_AUTO:
      break;
  }
  return fw__first_plan_make(first, true, plan, error);
}

static void answer(const fw_local_search_t * found, const fw_first_plan_t * first, fw_plan_t * plan)
{
  fw__plan_count(plan, "first_plan_lacam", first->is_lacams);
  fw__plan_count(plan, "hca_expanded", first->hca_expanded);
  fw__plan_count(plan, "lacam_expanded", first->lacam_expanded);
  fw__plan_count(plan, "first_cost", found->first_cost);
  fw__plan_count(plan, "cost", found->cost);
  fw__plan_count(plan, "neighbourhoods", found->tried);
  fw__plan_count(plan, "accepted", found->accepted);
  fw__plan_count(plan, "improved", found->improved);
  fw__plan_count(plan, "refused", found->refused);
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_first_plan_t first = {
    .context = context,
    .problem = problem,
    .is_rest_free = context->parameters[COST] == COST_OFF_GOAL,
  };
  first.fleet.options = (fw_fleet_options_t){
    .distances = (int32_t)context->parameters[DISTANCES], .exact_mb = (int32_t)context->parameters[EXACT_MB]};
  const fw_ret_t ret = make_first(&first, plan, error);
  plan->stats = (fw_stats_t){.lower_bound = plan->stats.lower_bound, .first_plan_ns = first.first_ns};
  if (ret != FW_RET_OK || plan->outcome != FW_OUTCOME_SOLVED) {
    plan->stop = plan->outcome == FW_OUTCOME_PARTIAL ? context->meter->stop : FW_STOP_DONE;
    return ret;
  }
  if (fw__first_plan_prepare(&first, error) != FW_FLEET_READY) {
    plan->stop = context->meter->stop;
    return FW_RET_OK;
  }
  plan->stats.lower_bound = first.fleet.lower_bound;
  const fw_local_search_request_t request = {
    .context = context,
    .fleet = &first.fleet,
    .paths = plan->paths,
    .is_rest_free = first.is_rest_free,
    .patience = context->parameters[PATIENCE],
    .least_gain = context->parameters[LEAST_GAIN],
  };
  fw_local_search_t found;
  (void)fw__local_search_run(&request, &found);
  plan->paths = found.paths;
  plan->groups = NULL;
  plan->stop = context->meter->stop;
  answer(&found, &first, plan);
  return FW_RET_OK;
}

const fw_planner_def_t fw__planner_improve = {
  .name = "improve",
  .summary =
    "large neighbourhood search: a few robots at a time plan again, and keep what is better, until the time is "
    "over; the first plan is that of hca or lacam",
  .paper =
    "J. Li, Z. Chen, D. Harabor, P. Stuckey, S. Koenig, Anytime Multi-Agent Path Finding via Large Neighborhood "
    "Search, IJCAI 2021",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_anytime = true,
  .may_delay_first = true,
  .has_rules = true,
  .solve = solve,
};
