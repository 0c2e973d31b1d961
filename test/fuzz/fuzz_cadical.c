// The SAT solver against CaDiCaL: formulas of up to 60 variables in several parts, each asked about with assumptions.
// Answers are equal, what is true in our model can be extended to one of CaDiCaL's, and our core has none there. The
// target `sat` compares small formulas with all assignments; these are too large for that.

#include <ccadical.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/meter.h"
#include "fuzz/fuzz.h"
#include "sat/sat.h"

enum { VARIABLES_MAX = 60, CLAUSES_MAX = 400, LITERALS_MAX = 6, ASSUMPTIONS_MAX = 6, ASKED_MAX = 12 };
enum { SATISFIABLE = 10, UNSATISFIABLE = 20 };

typedef struct pair_t {
  fw_sat_t ours;
  CCaDiCaL * theirs;
  int32_t variables;
  int32_t asked;
} pair_t;

static int dimacs(int32_t literal) { return (literal & 1) != 0 ? -(literal / 2 + 1) : literal / 2 + 1; }

static int32_t read_literal(const pair_t * pair, fuzz_bytes_t * bytes)
{
  return fuzz_below(bytes, 2 * pair->variables);
}

static int ask_theirs(const pair_t * pair, const int32_t * assumptions, int32_t count)
{
  for (int32_t k = 0; k < count; ++k) {
    ccadical_assume(pair->theirs, dimacs(assumptions[k]));
  }
  return ccadical_solve(pair->theirs);
}

static bool is_among(int32_t literal, const int32_t * literals, int32_t count)
{
  for (int32_t k = 0; k < count; ++k) {
    if (literals[k] == literal) {
      return true;
    }
  }
  return false;
}

static void ask(pair_t * pair, fuzz_bytes_t * bytes)
{
  int32_t assumptions[ASSUMPTIONS_MAX];
  const int32_t count = fuzz_below(bytes, ASSUMPTIONS_MAX + 1);
  for (int32_t k = 0; k < count; ++k) {
    assumptions[k] = read_literal(pair, bytes);
  }
  const fw_sat_result_t result =
    fw__sat_solve(&pair->ours, &(fw_sat_query_t){.assumptions = assumptions, .count = count});
  const int theirs = ask_theirs(pair, assumptions, count);
  pair->asked += 1;
  if (result == FW_SAT_SATISFIABLE) {
    fuzz_require(theirs == SATISFIABLE, "CaDiCaL finds a model, too");
    for (int32_t v = 0; v < pair->variables; ++v) {
      if (fw__sat_model_is_true(&pair->ours, 2 * v)) {
        ccadical_assume(pair->theirs, v + 1);
      }
    }
    fuzz_require(ask_theirs(pair, assumptions, count) == SATISFIABLE, "CaDiCaL agrees with the model");
  } else {
    fuzz_require(result == FW_SAT_UNSATISFIABLE, "there is an answer");
    fuzz_require(theirs == UNSATISFIABLE, "CaDiCaL finds no model either");
    const int32_t * core = pair->ours.core.items;
    for (int32_t k = 0; k < pair->ours.core.count; ++k) {
      fuzz_require(is_among(core[k], assumptions, count), "the core is of assumptions");
    }
    fuzz_require(ask_theirs(pair, core, pair->ours.core.count) == UNSATISFIABLE, "CaDiCaL agrees with the core");
  }
}

// Clauses may name a variable twice, with either sign, and repeat each other.
static void add_clause(pair_t * pair, fuzz_bytes_t * bytes)
{
  int32_t literals[LITERALS_MAX];
  const int32_t kind = fuzz_below(bytes, 8);
  const int32_t size = kind < 5 ? 3 : kind == 5 ? 2 : 1 + fuzz_below(bytes, LITERALS_MAX);
  for (int32_t k = 0; k < size; ++k) {
    literals[k] = read_literal(pair, bytes);
    ccadical_add(pair->theirs, dimacs(literals[k]));
  }
  ccadical_add(pair->theirs, 0);
  (void)fw__sat_add_clause(&pair->ours, literals, size);
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fuzz_bytes_t bytes = {.data = data, .size = size};
  fw_arena_t arena = {0};
  fw_meter_t meter = {0};
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = (size_t)64 << 20};
  pair_t pair = {.theirs = ccadical_init(), .variables = 1 + fuzz_below(&bytes, VARIABLES_MAX)};
  ccadical_set_option(pair.theirs, "quiet", 1);
  fw__arena_init(&arena, &memory);
  fw__meter_start(&meter, NULL);
  fw__sat_init(&pair.ours, &arena, &meter);
  for (int32_t v = 0; v < pair.variables; ++v) {
    fuzz_require(fw__sat_add_variable(&pair.ours, (v & 1) != 0) == v, "variables are numbered");
  }
  for (int32_t clauses = 0; fuzz_has_more(&bytes) && clauses < CLAUSES_MAX && pair.asked < ASKED_MAX;) {
    if (fuzz_below(&bytes, 64) == 0) {
      ask(&pair, &bytes);
    } else {
      add_clause(&pair, &bytes);
      ++clauses;
    }
  }
  ask(&pair, &bytes);
  ccadical_release(pair.theirs);
  fw__arena_fini(&arena);
  return 0;
}

// ---- seeds: random formulas near the ratio of clauses to variables where half of them have a model

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  uint32_t state = 1;
  for (uint8_t variables = 12; variables <= VARIABLES_MAX; variables = (uint8_t)(variables + 16)) {
    uint8_t data[1 + 5 * CLAUSES_MAX] = {(uint8_t)(variables - 1)};
    size_t size = 1;
    for (int32_t clause = 1; clause <= 17 * variables / 4; ++clause) {
      const bool is_question = clause % variables == 0;  // with two assumptions; else a clause of three literals
      data[size++] = is_question ? 0 : 1;
      data[size++] = is_question ? 2 : 0;
      for (int32_t k = 0; k < (is_question ? 2 : 3); ++k) {
        state = state * UINT32_C(1664525) + UINT32_C(1013904223);
        data[size++] = (uint8_t)((state >> 16) % (2 * (uint32_t)variables));
      }
    }
    add(context, data, size);
  }
}
