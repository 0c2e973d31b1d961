// What is asked of the robots, each ask to be given up at the price of one: that a robot costs no more than its limit,
// that a sum over some of them is no more than so many. Sets of asks that cannot all be kept (cores) raise the bound.
//
// A. Morgado, C. Dodaro, J. Marques-Silva, Core-Guided MaxSAT with Soft Cardinality Constraints, CP 2014 (OLL); J. Berg,
// M. Järvisalo, Weight-Aware Core Extraction in SAT-Based MaxSAT Solving, CP 2017 (all disjoint cores first, then sums).

#ifndef PLANNER__OPTIMAL__ASKS_H_
#define PLANNER__OPTIMAL__ASKS_H_

#include "planner/optimal/cores.h"
#include "planner/optimal/flow.h"
#include "sat/totalizer.h"

typedef struct fw_ask_t {
  int32_t literal;
  int32_t robot;         // its limit, or one of those in the sum
  fw_totalizer_t total;  // count 0: no sum
  int32_t place;         // of the sum: no more than that
  bool is_waiting;       // in a core that has not been settled: not asked at present
} fw_ask_t;

typedef struct fw_asks_t {
  fw_flow_t * flow;
  fw_arena_t * arena;
  bool is_minimised;  // cores are made smaller before they are used
  bool is_disjoint;   // what was in a core waits for others
  fw_ask_t * items;
  int32_t count;
  int32_t capacity;
  fw_list_t all;  // literals
  fw_list_t core;
  fw_list_t needed;   // of the core, as far as has been tried
  fw_list_t waiting;  // cores that have not been settled: how many literals, the literals
  fw_list_t violated;
  int32_t * group_of;  // by robot: robots that have been in cores together, by one of them
  int32_t * charges;   // by robot that stands for a group: how much its robots cost beyond what they cost alone
  fw_cost_t bound;     // sum of the charges
} fw_asks_t;

// Limits of all robots, as the flow has them. False when there is no memory.
bool fw__asks_init(fw_asks_t * asks, fw_flow_t * flow, const fw_cores_options_t * options);
// Can all of it be had, but for what is waiting?
fw_sat_result_t fw__asks_try(fw_asks_t * asks);
// After FW_SAT_UNSATISFIABLE: the bound or the horizon rises, or the core is empty: there is no plan at any cost. What was in the core
// waits. False when the meter has stopped it or there is no memory.
bool fw__asks_learn(fw_asks_t * asks);
// After FW_SAT_SATISFIABLE: asks more modestly for what waits. True if something did; `is_fine` as above.
bool fw__asks_settle(fw_asks_t * asks, bool * is_fine);

#endif  // PLANNER__OPTIMAL__ASKS_H_
