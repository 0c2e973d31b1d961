// An optimal plan for everybody by clauses: costs are raised as little as reasons demand.
//
// G. Gange, D. Harabor, P. Stuckey, Lazy CBS: Implicit Conflict-Based Search Using Lazy Clause Generation, ICAPS 2019;
// A. Morgado, C. Dodaro, J. Marques-Silva, Core-Guided MaxSAT with Soft Cardinality Constraints, CP 2014.
//
// Everybody is asked to cost no more than alone. If that cannot be, the solver names a core: robots of which at least one
// costs more. The bound rises by one, all of them may cost one more, and from then on the sum over the core is asked to be
// no more than one. What was learned stays. The first answer without conflicts is a cheapest plan.

#ifndef PLANNER__CORES_H_
#define PLANNER__CORES_H_

#include "planner/optimal.h"

// As the search of fw_optimal_way_t. Robust ticks up to FW_CORES_ROBUST_MAX.
enum { FW_CORES_ROBUST_MAX = 31 };
fw_found_t fw_cores_search(fw_optimal_t * run);

#endif  // PLANNER__CORES_H_
