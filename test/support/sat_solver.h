// A SAT solver with the memory and the meter that it needs.

#ifndef SUPPORT__SAT_SOLVER_H_
#define SUPPORT__SAT_SOLVER_H_

#include "sat/sat.h"
#include "support/tally.h"

typedef struct sat_solver_t {
  tally_t tally;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_meter_t meter;
  fw_sat_t sat;
} sat_solver_t;

// With these many variables, of which every second is first tried with true.
void sat_solver_init(sat_solver_t * solver, int32_t variable_count);
void sat_solver_fini(sat_solver_t * solver);

#endif  // SUPPORT__SAT_SOLVER_H_
