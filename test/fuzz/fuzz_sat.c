// The SAT solver: formulas of up to ten variables, in several calls with assumptions. Answers equal those of trying
// every assignment, models satisfy the clauses, and cores contradict them.

#include "base/arena.h"
#include "base/memory.h"
#include "base/meter.h"
#include "fuzz/fuzz.h"
#include "sat/sat.h"

enum { VARIABLES_MAX = 10, CLAUSES_MAX = 64, SIZE_MAX_LITERALS = 4 };

typedef struct formula_t {
  int32_t literals[CLAUSES_MAX][SIZE_MAX_LITERALS];
  int32_t sizes[CLAUSES_MAX];
  int32_t clause_count;
  int32_t variables;
} formula_t;

static bool holds(int32_t literal, uint32_t assignment)
{
  return ((assignment >> (literal >> 1)) & 1U) != (uint32_t)(literal & 1);
}

static bool satisfies(const formula_t * formula, uint32_t assignment)
{
  for (int32_t c = 0; c < formula->clause_count; ++c) {
    bool is_true = false;
    for (int32_t k = 0; k < formula->sizes[c]; ++k) {
      is_true = is_true || holds(formula->literals[c][k], assignment);
    }
    if (!is_true) {
      return false;
    }
  }
  return true;
}

static bool is_satisfiable(const formula_t * formula, const int32_t * assumptions, int32_t count)
{
  for (uint32_t assignment = 0; assignment < 1U << formula->variables; ++assignment) {
    bool is_as_assumed = true;
    for (int32_t k = 0; k < count; ++k) {
      is_as_assumed = is_as_assumed && holds(assumptions[k], assignment);
    }
    if (is_as_assumed && satisfies(formula, assignment)) {
      return true;
    }
  }
  return false;
}

static void ask(fw_sat_t * sat, const formula_t * formula, fuzz_bytes_t * bytes)
{
  int32_t assumptions[4];
  const int32_t count = fuzz_below(bytes, 5);
  for (int32_t k = 0; k < count; ++k) {
    assumptions[k] = fuzz_below(bytes, 2 * formula->variables);
  }
  const fw_sat_query_t query = {.assumptions = assumptions, .count = count};
  const fw_sat_result_t result = fw__sat_solve(sat, &query);
  fuzz_require(result == FW_SAT_SATISFIABLE || result == FW_SAT_UNSATISFIABLE, "there is an answer");
  const bool is_true = is_satisfiable(formula, assumptions, count);
  fuzz_require((result == FW_SAT_SATISFIABLE) == is_true, "the answer is that of trying all assignments");
  if (result == FW_SAT_SATISFIABLE) {
    uint32_t model = 0;
    for (int32_t v = 0; v < formula->variables; ++v) {
      model |= sat->variables[v].is_in_model ? 1U << v : 0U;
    }
    fuzz_require(satisfies(formula, model), "the model satisfies the clauses");
    for (int32_t k = 0; k < count; ++k) {
      fuzz_require(holds(assumptions[k], model), "the model satisfies the assumptions");
    }
  } else {
    fuzz_require(!is_satisfiable(formula, sat->core.items, sat->core.count), "the core contradicts the clauses");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fuzz_bytes_t bytes = {.data = data, .size = size};
  fw_arena_t arena = {0};
  fw_meter_t meter = {0};
  fw_sat_t sat;
  formula_t formula = {.variables = 1 + fuzz_below(&bytes, VARIABLES_MAX)};
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = (size_t)64 << 20};
  fw__arena_init(&arena, &memory);
  fw__meter_start(&meter, NULL);
  fw__sat_init(&sat, &arena, &meter);
  for (int32_t v = 0; v < formula.variables; ++v) {
    fuzz_require(fw__sat_add_variable(&sat, (v & 1) != 0) == v, "variables are numbered");
  }
  while (fuzz_has_more(&bytes)) {
    if (fuzz_below(&bytes, 4) == 0 || formula.clause_count == CLAUSES_MAX) {
      ask(&sat, &formula, &bytes);
      continue;
    }
    const int32_t c = formula.clause_count++;
    formula.sizes[c] = 1 + fuzz_below(&bytes, SIZE_MAX_LITERALS);
    for (int32_t k = 0; k < formula.sizes[c]; ++k) {
      formula.literals[c][k] = fuzz_below(&bytes, 2 * formula.variables);
    }
    int32_t copy[SIZE_MAX_LITERALS];
    for (int32_t k = 0; k < formula.sizes[c]; ++k) {
      copy[k] = formula.literals[c][k];
    }
    (void)fw__sat_add_clause(&sat, copy, formula.sizes[c]);
  }
  ask(&sat, &formula, &bytes);
  fw__arena_fini(&arena);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  const uint8_t chain[] = {5, 1, 1, 0, 3, 1, 1, 2, 5, 1, 1, 4, 7, 0, 1, 0, 1, 0, 1, 1, 0, 2, 0, 7};
  const uint8_t pigeons[] = {5, 1, 1, 0, 2, 1, 1, 4, 6, 1, 1, 8, 10, 1,  1, 1, 5, 1,  1, 1, 9,
                             1, 1, 5, 9, 0, 0, 1, 1, 3, 7, 1, 1, 3,  11, 1, 1, 7, 11, 0, 0};
  add(context, chain, sizeof(chain));
  add(context, pigeons, sizeof(pigeons));
}
