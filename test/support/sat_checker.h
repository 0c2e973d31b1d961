// Checks the proofs of the SAT solver: an observer that derives every learnt clause again by unit propagation alone
// (RUP), and every unsatisfiable answer from the core. It shares no code and no data structure with the solver, and is
// slow: it visits all clauses until nothing changes.

#ifndef SUPPORT__SAT_CHECKER_H_
#define SUPPORT__SAT_CHECKER_H_

#include "sat/sat.h"

typedef struct sat_checker_t {
  bool derives;  // false: it only records, for formulas that are too large for it
  // Everything that was heard: the kind, the number of literals, the literals; and so on.
  int32_t * items;
  int32_t count;
  int32_t capacity;
  int8_t * values;  // by literal, all 0 between two checks
  int32_t literal_count;
  int32_t solver_count;         // so far
  int32_t learnt_count;         // of the present solver
  int32_t underived_count;      // learnt clauses and answers that do not follow
  int32_t unsatisfiable_count;  // answers, of all solvers
  int32_t deleted_count;
  // Called after each answer; may be NULL.
  void (*on_answer)(
    struct sat_checker_t * checker, const fw_sat_t * sat, const fw_sat_query_t * query, fw_sat_result_t result);
  void * user;
} sat_checker_t;

// `checker` lives as long as solvers that were initialised with the observer.
fw_sat_observer_t sat_checker_observer(sat_checker_t * checker);
void sat_checker_fini(sat_checker_t * checker);

// Writes the clauses that were given and a unit clause for each literal of `core` in the DIMACS format, and what was
// learnt in the DRAT format (without deletions, which a proof does not need), so that public programs can check it.
// False if a file cannot be written.
bool sat_checker_write(const sat_checker_t * checker, const fw_list_t * core, const char * formula, const char * proof);

// The same literal in DIMACS.
static inline int sat_dimacs(int32_t literal)
{
  return (literal & 1) == 0 ? (literal >> 1) + 1 : -((literal >> 1) + 1);
}

#endif  // SUPPORT__SAT_CHECKER_H_
