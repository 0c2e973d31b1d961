// Core-guided MaxSAT over the cost bounds of the robots: minimises the sum of costs.
//
// Each soft constraint is an assumption literal that costs one to violate: "robot r stays within its bound", or "at
// most k of the bounds of this core are violated" (an output of a totalizer). If the solver cannot keep all of them it
// returns an unsatisfiable core: soft constraints of which at least one must be violated. That raises the lower bound
// by one.
//
// A. Morgado, C. Dodaro, J. Marques-Silva, Core-Guided MaxSAT with Soft Cardinality Constraints, CP 2014 (OLL: a core
// becomes a totalizer whose outputs are soft). J. Berg, M. Järvisalo, Weight-Aware Core Extraction in SAT-Based MaxSAT
// Solving, CP 2017: disjoint cores are extracted first, their constraints suspended meanwhile; totalizers come later.
// J. Marques-Silva, Minimal Unsatisfiability: Models, Algorithms and Applications, ISMVL 2010 (deletion-based reduction
// of cores).

#ifndef PLANNER__LAZY_SAT__CORE_GUIDED_H_
#define PLANNER__LAZY_SAT__CORE_GUIDED_H_

#include "planner/lazy_sat/mdd_encoding.h"
#include "sat/totalizer.h"

typedef struct fw_soft_constraint_t {
  int32_t literal;           // the assumption
  int32_t robot;             // whose bound it is, or one of those in the totalizer
  fw_totalizer_t totalizer;  // count 0: a bound of a robot
  int32_t output;            // of the totalizer: no more violations than that
  bool is_suspended;         // in a core that is not relaxed yet: not assumed at present
} fw_soft_constraint_t;

typedef struct fw_core_guided_options_t {
  bool is_reduced;   // cores are reduced before they are used
  bool is_disjoint;  // disjoint cores are extracted before constraints are relaxed
} fw_core_guided_options_t;

typedef struct fw_core_guided_t {
  fw_mdd_encoding_t * mdd;
  fw_arena_t * arena;
  fw_core_guided_options_t options;
  fw_soft_constraint_t * constraints;
  int32_t constraint_count;
  int32_t constraint_capacity;
  fw_list_t assumptions;
  fw_list_t core;       // the last one
  fw_list_t needed;     // literals of the core that the reduction has tried
  fw_list_t suspended;  // cores that are not relaxed yet: the number of literals, the literals; and so on
  fw_list_t violated;   // negated literals of the core that is relaxed
  int32_t * group_of;   // by robot: robots that were in cores together have the same number, that of one of them
  int32_t * excess_of;  // by group number: what its robots cost at least beyond their costs alone
  fw_cost_t bound;      // sum of the excesses: lower bound beyond the sum of the costs alone
} fw_core_guided_t;

// Soft constraints are the bounds that the encoding has. Check fw__arena_has_failed() afterwards.
void fw__core_guided_init(fw_core_guided_t * search, fw_mdd_encoding_t * mdd, const fw_core_guided_options_t * options);

// Solves under all soft constraints that are not suspended, and the horizon.
fw_sat_result_t fw__core_guided_solve(fw_core_guided_t * search);

// After an unsatisfiable answer: raises the lower bound or the horizon, or leaves an empty core: there is no plan at
// any cost. False when the meter has stopped the work or memory has run out.
bool fw__core_guided_process_core(fw_core_guided_t * search);

static inline bool fw__core_guided_has_suspended(const fw_core_guided_t * search)
{
  return search->suspended.count > 0;
}
// After a satisfiable answer: relaxes the suspended constraints, so that they are assumed again. False as above.
bool fw__core_guided_relax_suspended(fw_core_guided_t * search);

#endif  // PLANNER__LAZY_SAT__CORE_GUIDED_H_
