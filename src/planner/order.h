// In which order robots plan. Higher priorities always come first; the rest is a rule, and chance when rules fail.

#ifndef PLANNER__ORDER_H_
#define PLANNER__ORDER_H_

#include "base/rng.h"
#include "planner/fleet.h"

typedef enum fw_order_rule_t {
  FW_ORDER_INDEX,     // as given
  FW_ORDER_LONGEST,   // the longest way first
  FW_ORDER_SHORTEST,  // the shortest way first
} fw_order_rule_t;

typedef struct fw_order_t {
  const fw_fleet_t * fleet;
  int32_t * robots;  // the order
} fw_order_t;

// False when there is no memory.
bool fw__order_init(fw_order_t * order, fw_arena_t * arena, const fw_fleet_t * fleet, fw_order_rule_t rule);
// Puts a robot before all others of its priority.
void fw__order_put_first(fw_order_t * order, int32_t robot);
// Shuffles robots among those of their priority.
void fw__order_shuffle(fw_order_t * order, fw_rng_t * rng);

#endif  // PLANNER__ORDER_H_
