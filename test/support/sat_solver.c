// See sat_solver.h.

#include "support/sat_solver.h"

#include "support/test.h"

void sat_solver_init(sat_solver_t * solver, int32_t variable_count)
{
  *solver = (sat_solver_t){0};
  solver->memory = (fw_memory_t){.allocator = tally_allocator(&solver->tally), .max_bytes = SIZE_MAX};
  fw__arena_init(&solver->arena, &solver->memory);
  fw__meter_start(&solver->meter, &(fw_budget_t){0});
  fw__sat_init(&solver->sat, &solver->arena, &solver->meter);
  for (int32_t i = 0; i < variable_count; ++i) {
    assert_int_equal(fw__sat_add_variable(&solver->sat, i % 2 == 0), i);
  }
}

void sat_solver_fini(sat_solver_t * solver) { fw__arena_fini(&solver->arena); }
