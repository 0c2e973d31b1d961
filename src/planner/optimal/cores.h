// An optimal plan for everybody by clauses: costs are raised as little as reasons demand.
//
// G. Gange, D. Harabor, P. Stuckey, Lazy CBS: Implicit Conflict-Based Search Using Lazy Clause Generation, ICAPS 2019.
//
// Everybody is asked to cost no more than alone. If that cannot be, the solver of clauses (base/sat.h) names a core: robots
// of which at least one costs more. The bound rises by one, and they wait, asked for nothing, until the others can all have
// theirs. Then all who waited may cost one more, and from then on the sum over a core is asked to be no more than one
// (asks.h). What was learned stays. The first answer in which nobody waits and nobody meets is a cheapest plan (flow.h).

#ifndef PLANNER__OPTIMAL__CORES_H_
#define PLANNER__OPTIMAL__CORES_H_

#include "planner/optimal/optimal.h"

typedef struct fw_cores_options_t {
  bool is_minimised;  // cores are made smaller before they are used
  bool is_disjoint;   // further cores are looked for before robots of one may cost more
  bool has_layers;    // clauses that say: a robot is somewhere at each tick
  bool has_places;    // two that meet on a place: clauses for all who can come there
} fw_cores_options_t;

// As the search of fw_optimal_way_t. Robust ticks up to FW_CORES_ROBUST_MAX.
enum { FW_CORES_ROBUST_MAX = 31 };
fw_found_t fw__cores_search(fw_optimal_t * run, const fw_cores_options_t * options);

#endif  // PLANNER__OPTIMAL__CORES_H_
