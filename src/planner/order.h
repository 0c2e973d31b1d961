// The order in which robots plan (prioritized planning). Higher priorities come first; a rule orders robots of equal
// priority, and shuffling replaces the rule where it fails. Where no order of that kind helps, `floor` makes the lowest
// priorities equal, as many as necessary.

#ifndef PLANNER__ORDER_H_
#define PLANNER__ORDER_H_

#include "base/rng.h"
#include "planner/fleet.h"

typedef enum fw_order_rule_t {
  FW_ORDER_INDEX,     // as listed in the problem
  FW_ORDER_LONGEST,   // the longest path first
  FW_ORDER_SHORTEST,  // the shortest path first
  FW_ORDER_MANHATTAN  // the least Manhattan distance from start to goal first
} fw_order_rule_t;

typedef struct fw_order_t {
  const fw_fleet_t * fleet;
  int32_t * robots;  // all robots, sorted by falling priority
  int32_t floor;     // lower priorities count as this one
} fw_order_t;

// `fleet` stays borrowed. False when there is no memory.
bool fw__order_init(fw_order_t * order, fw_arena_t * arena, const fw_fleet_t * fleet, fw_order_rule_t rule);
// Its priority, or the floor if that is higher.
int32_t fw__order_priority(const fw_order_t * order, int32_t robot);
// Raises the floor to the next priority of any robot. False if all are equal already.
bool fw__order_raise_floor(fw_order_t * order);
// Moves a robot before all others of its priority.
void fw__order_put_first(fw_order_t * order, int32_t robot);
// Shuffles the robots of each priority among themselves.
void fw__order_shuffle(fw_order_t * order, fw_rng_t * rng);

// True if all indices are in range and have the sum of a permutation, and priorities fall. For assertions and tests.
bool fw__order_validate(const fw_order_t * order);

#endif  // PLANNER__ORDER_H_
