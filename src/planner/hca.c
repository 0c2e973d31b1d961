// hca: hierarchical cooperative A*. Robot after robot, each guided by its true distance.

#include "planner/prioritized.h"
#include "planner/registry.h"

enum { ORDER, ORDERS, OVERRIDES, PLAIN };

static const char * const order_names[] = {"index", "longest", "shortest"};

static const fw_parameter_def_t parameters[] = {
  [ORDER] =
    {.name = "order",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_ORDER_SHORTEST,
     .max = 2,
     .choices = order_names,
     .help = "which robot plans first among those of equal priority"},
  [ORDERS] =
    {.name = "orders",
     .initial = 10000,
     .min = 1,
     .max = 1000000,
     .help = "orders of robots that are tried before giving up; 1 with overrides=0 is the paper's single order"},
  [OVERRIDES] =
    {.name = "overrides",
     .initial = 10,
     .max = 1000,
     .help = "how often in one order a robot that is shut in may plan through others, who plan again, times the number "
             "of robots; 0 is never"},
  [PLAIN] =
    {.name = "plain_search",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "search over (place, tick) instead of gaps between reservations: slower, the same costs"},
};

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_prioritized_options_t options = {
    .has_true_distance = true,
    .order = (fw_order_rule_t)context->parameters[ORDER],
    .orders_max = (int32_t)context->parameters[ORDERS],
    .overrides_max = (int32_t)context->parameters[OVERRIDES],
    .is_plain_search = context->parameters[PLAIN] != 0,
  };
  return fw__prioritized_solve(context, problem, &options, plan, error);
}

const fw_planner_def_t fw_planner_hca = {
  .name = "hca",
  .summary = "hierarchical cooperative A*: robot after robot, guided by true distances",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = parameters,
  .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
  .solve = solve,
};
