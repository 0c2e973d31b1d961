// The parameters of `ca` and `hca`: the heuristic of the one, what they share, and the distances of the other.

#include "planner/prioritized/prioritized.h"

enum { ORDER, ORDERS, OVERRIDES, PLAIN, DISTANCES, EXACT_MB };

static const char * const heuristic_names[] = {"auto", "manhattan", "octile"};
static const char * const order_names[] = {"index", "longest", "shortest"};

const fw_parameter_def_t fw_prioritized_parameters[] = {
  {.name = "heuristic",
   .type = FW_PARAMETER_CHOICE,
   .initial = FW_HEURISTIC_AUTO,
   .max = 2,
   .choices = heuristic_names,
   .help = "manhattan, or octile (a diagonal takes one tick: the larger difference); auto goes by the connectivity"},
  [FW_PRIORITIZED_OWN + ORDER] =
    {.name = "order",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_ORDER_SHORTEST,
     .max = 2,
     .choices = order_names,
     .help = "which robot plans first among those of equal priority"},
  [FW_PRIORITIZED_OWN + ORDERS] =
    {.name = "orders",
     .initial = 10000,
     .min = 1,
     .max = 1000000,
     .help = "orders of robots that are tried before giving up; 1 with overrides=0 is the paper's single order"},
  [FW_PRIORITIZED_OWN + OVERRIDES] =
    {.name = "overrides",
     .initial = 10,
     .max = 1000,
     .help = "how often in one order a robot that is shut in may plan through others, who plan again, times the number "
             "of robots; 0 is never"},
  [FW_PRIORITIZED_OWN + PLAIN] =
    {.name = "plain_search",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "search over (place, tick) instead of gaps between reservations: slower, the same arrivals"},
  [FW_PRIORITIZED_OWN + DISTANCES] =
    {.name = "distances",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_DISTANCES_AUTO,
     .max = FW_DISTANCES_COARSE,
     .choices = fw_distances_names,
     .help = "true distances are exact, or over clusters (HPA*): a few per cent too long, in a fraction of the memory; "
             "auto changes over at exact_mb"},
  [FW_PRIORITIZED_OWN + EXACT_MB] =
    {.name = "exact_mb",
     .max = 1 << 20,
     .help = "with distances auto: those of all robots may take so many megabytes; 0: half of the planner's memory"},
};

fw_prioritized_options_t fw__prioritized_options(const int64_t * shared)
{
  return (fw_prioritized_options_t){
    .order = (fw_order_rule_t)shared[ORDER],
    .orders_max = (int32_t)shared[ORDERS],
    .overrides_max = (int32_t)shared[OVERRIDES],
    .is_plain_search = shared[PLAIN] != 0,
  };
}

fw_fleet_options_t fw__prioritized_distances(const int64_t * shared)
{
  return (fw_fleet_options_t){.distances = (int32_t)shared[DISTANCES], .exact_mb = (int32_t)shared[EXACT_MB]};
}
