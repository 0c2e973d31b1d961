// The SAT solver against exhaustive search, and its unsatisfiable cores against itself.

#include "sat/sat.h"

#include "base/rng.h"
#include "sat/totalizer.h"
#include "support/sat_solver.h"
#include "support/test.h"

enum { VARIABLES = 11, CLAUSES_MAX = 64, ASSUMPTIONS_MAX = 4 };

typedef struct formula_t {
  int32_t clauses[CLAUSES_MAX][3];
  int32_t count;
  int32_t assumptions[ASSUMPTIONS_MAX];
  int32_t assumption_count;
} formula_t;

static formula_t draw(fw_rng_t * rng)
{
  formula_t formula = {.count = 20 + fw__rng_below(rng, CLAUSES_MAX - 20)};
  for (int32_t i = 0; i < formula.count; ++i) {
    for (int32_t k = 0; k < 3; ++k) {  // three variables that differ
      formula.clauses[i][k] = 2 * ((fw__rng_below(rng, 3) + 3 * k + i) % VARIABLES) + fw__rng_below(rng, 2);
    }
  }
  formula.assumption_count = fw__rng_below(rng, ASSUMPTIONS_MAX + 1);
  for (int32_t i = 0; i < formula.assumption_count; ++i) {
    formula.assumptions[i] = 2 * ((i * 3 + fw__rng_below(rng, 3)) % VARIABLES) + fw__rng_below(rng, 2);
  }
  return formula;
}

static bool is_true(int32_t literal, int32_t values)
{
  return ((values >> (literal >> 1) & 1) != 0) == ((literal & 1) == 0);
}

static bool holds(
  const formula_t * formula, int32_t clauses, const int32_t * assumptions, int32_t count, int32_t values)
{
  bool is = true;
  for (int32_t i = 0; i < clauses && is; ++i) {
    const int32_t * clause = formula->clauses[i];
    is = is_true(clause[0], values) || is_true(clause[1], values) || is_true(clause[2], values);
  }
  for (int32_t i = 0; i < count && is; ++i) {
    is = is_true(assumptions[i], values);
  }
  return is;
}

static bool has_model(const formula_t * formula, int32_t clauses, const int32_t * assumptions, int32_t count)
{
  bool has = false;
  for (int32_t values = 0; values < 1 << VARIABLES && !has; ++values) {
    has = holds(formula, clauses, assumptions, count, values);
  }
  return has;
}

// Solves and compares the result with exhaustive search: the model, or the core.
static void solve_and_compare(sat_solver_t * solver, const formula_t * formula, int32_t clauses, int32_t * counts)
{
  fw_sat_t * sat = &solver->sat;
  const fw_sat_query_t query = {.assumptions = formula->assumptions, .count = formula->assumption_count};
  const fw_sat_result_t answer = fw__sat_solve(sat, &query);
  assert_true(fw__sat_validate(sat));
  const bool truth = has_model(formula, clauses, formula->assumptions, formula->assumption_count);
  assert_int_equal(answer, truth ? FW_SAT_SATISFIABLE : FW_SAT_UNSATISFIABLE);
  ++counts[truth ? 1 : 0];
  if (truth) {
    int32_t values = 0;
    for (int32_t i = 0; i < VARIABLES; ++i) {
      values |= fw__sat_model_is_true(sat, 2 * i) ? 1 << i : 0;
    }
    assert_true(holds(formula, clauses, formula->assumptions, formula->assumption_count, values));
    return;
  }
  assert_true(sat->core.count <= formula->assumption_count);
  for (int32_t i = 0; i < sat->core.count; ++i) {
    bool is_assumed = false;
    for (int32_t k = 0; k < formula->assumption_count; ++k) {
      is_assumed = is_assumed || formula->assumptions[k] == sat->core.items[i];
    }
    assert_true(is_assumed);
  }
  assert_false(has_model(formula, clauses, sat->core.items, sat->core.count));
}

// Half of the clauses, then the others: what was learnt in between must still be right.
static void it_agrees_with_exhaustive_search(void ** state)
{
  (void)state;
  int32_t counts[2] = {0};
  for (int32_t round = 0; round < test_rounds(400); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round + 9);
    formula_t formula = draw(&rng);
    sat_solver_t solver;
    sat_solver_init(&solver, VARIABLES);
    for (int32_t half = 0; half < 2; ++half) {
      const int32_t from = half * (formula.count / 2);
      const int32_t to = half == 0 ? formula.count / 2 : formula.count;
      for (int32_t i = from; i < to; ++i) {
        assert_true(fw__sat_add_clause(&solver.sat, formula.clauses[i], 3));
      }
      solve_and_compare(&solver, &formula, to, counts);
      for (int32_t i = 0; i < formula.assumption_count; ++i) {
        formula.assumptions[i] = fw__sat_not(formula.assumptions[i]);
      }
      solve_and_compare(&solver, &formula, to, counts);
    }
    sat_solver_fini(&solver);
  }
  assert_true(counts[0] > 100 && counts[1] > 100);
}

// ---- optional variables ---------------------------------------------------------------------------------------------

typedef struct decider_t {
  const fw_sat_t * sat;
  const formula_t * formula;
  int32_t clauses;
  int64_t calls;
} decider_t;

// The first unassigned literal of a clause that is not satisfied; what is unassigned is false in the model.
static int32_t choose(void * state)
{
  decider_t * decider = state;
  ++decider->calls;
  for (int32_t i = 0; i < decider->clauses; ++i) {
    const int32_t * clause = decider->formula->clauses[i];
    bool has_true = false;
    int32_t unassigned = -1;
    for (int32_t k = 0; k < 3; ++k) {
      const int8_t value = decider->sat->values[clause[k]];
      has_true = has_true || value > 0 || (value == 0 && (clause[k] & 1) != 0);
      unassigned = value == 0 ? clause[k] : unassigned;
    }
    if (!has_true) {
      assert_true(unassigned >= 0);
      return unassigned;
    }
  }
  return -1;
}

static void optional_variables_are_left_to_the_decider(void ** state)
{
  (void)state;
  int32_t counts[2] = {0};
  int64_t calls = 0;
  for (int32_t round = 0; round < test_rounds(200); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round + 900);
    const formula_t formula = draw(&rng);
    const int32_t required = round % 4;
    sat_solver_t solver;
    sat_solver_init(&solver, required);
    for (int32_t i = required; i < VARIABLES; ++i) {
      assert_int_equal(fw__sat_add_optional_variable(&solver.sat), i);
    }
    decider_t decider = {.sat = &solver.sat, .formula = &formula};
    solver.sat.decider = (fw_sat_decider_t){.choose = choose, .state = &decider};
    for (int32_t half = 0; half < 2; ++half) {
      const int32_t from = half * (formula.count / 2);
      decider.clauses = half == 0 ? formula.count / 2 : formula.count;
      for (int32_t i = from; i < decider.clauses; ++i) {
        assert_true(fw__sat_add_clause(&solver.sat, formula.clauses[i], 3));
      }
      solve_and_compare(&solver, &formula, decider.clauses, counts);
    }
    calls += decider.calls;
    sat_solver_fini(&solver);
  }
  assert_true(counts[0] > 50 && counts[1] > 50 && calls > 200);
}

// More pigeons than holes: unsatisfiable, after many conflicts and several deletions of learnt clauses.
static void pigeons_do_not_fit(void ** state)
{
  (void)state;
  enum { HOLES = 7, PIGEONS = HOLES + 1 };
  sat_solver_t solver;
  sat_solver_init(&solver, HOLES * PIGEONS);
  solver.sat.learnt_max = 50;
  for (int32_t pigeon = 0; pigeon < PIGEONS; ++pigeon) {
    int32_t clause[HOLES];
    for (int32_t hole = 0; hole < HOLES; ++hole) {
      clause[hole] = 2 * (pigeon * HOLES + hole);
    }
    assert_true(fw__sat_add_clause(&solver.sat, clause, HOLES));
    for (int32_t other = 0; other < pigeon; ++other) {
      for (int32_t hole = 0; hole < HOLES; ++hole) {
        const int32_t two[2] = {2 * (pigeon * HOLES + hole) + 1, 2 * (other * HOLES + hole) + 1};
        assert_true(fw__sat_add_clause(&solver.sat, two, 2));
      }
    }
  }
  assert_int_equal(fw__sat_solve(&solver.sat, &(fw_sat_query_t){.conflicts_max = 10}), FW_SAT_UNKNOWN);
  assert_int_equal(fw__sat_solve(&solver.sat, &(fw_sat_query_t){0}), FW_SAT_UNSATISFIABLE);
  assert_int_equal(solver.sat.core.count, 0);
  assert_true(solver.sat.conflicts > 200);
  assert_true(fw__sat_validate(&solver.sat));
  sat_solver_fini(&solver);
}

// The sum can be bounded from above by the number of inputs that are true, and by no less.
static void a_totalizer_counts_its_inputs(void ** state)
{
  (void)state;
  for (int32_t count = 2; count <= 9; ++count) {
    for (int32_t set = 0; set < 1 << count; set += count < 6 ? 1 : 7) {
      sat_solver_t solver;
      fw_totalizer_t totalizer;
      int32_t inputs[9];
      int32_t ones = 0;
      sat_solver_init(&solver, count);
      for (int32_t i = 0; i < count; ++i) {
        inputs[i] = 2 * i;
        ones += set >> i & 1;
      }
      assert_true(fw__totalizer_init(&totalizer, &solver.sat, inputs, count));
      assert_int_equal(totalizer.count, count);
      for (int32_t i = 0; i < count; ++i) {
        const int32_t literal = 2 * i + ((set >> i & 1) != 0 ? 0 : 1);
        assert_true(fw__sat_add_clause(&solver.sat, &literal, 1));
      }
      for (int32_t most = 0; most < count; ++most) {  // no more than `most` of them
        const int32_t bound = fw__sat_not(totalizer.outputs[most]);
        const fw_sat_query_t query = {.assumptions = &bound, .count = 1};
        assert_int_equal(fw__sat_solve(&solver.sat, &query), ones <= most ? FW_SAT_SATISFIABLE : FW_SAT_UNSATISFIABLE);
      }
      sat_solver_fini(&solver);
    }
  }
}

// A formula with clauses of two and three literals, assigned variables, activity, and learnt clauses.
static void make_formula(sat_solver_t * solver)
{
  fw_rng_t rng = fw__rng(4);
  sat_solver_init(solver, VARIABLES);
  for (int32_t i = 0; i < 30; ++i) {
    const int32_t clause[3] = {
      2 * (i % VARIABLES) + fw__rng_below(&rng, 2), 2 * ((i + 1 + i / VARIABLES) % VARIABLES) + fw__rng_below(&rng, 2),
      2 * ((i + 5) % VARIABLES) + fw__rng_below(&rng, 2)};
    assert_true(fw__sat_add_clause(&solver->sat, clause, i % 4 == 0 ? 2 : 3));
  }
  const int32_t unit = 2 * 3 + 1;
  assert_true(fw__sat_add_clause(&solver->sat, &unit, 1));
  (void)fw__sat_solve(&solver->sat, &(fw_sat_query_t){0});
}

static void a_corrupted_solver_is_found(void ** state)
{
  (void)state;
  sat_solver_t solver;
  make_formula(&solver);
  fw_sat_t * sat = &solver.sat;
  assert_true(fw__sat_validate(sat));
  assert_true(sat->clauses.count > 0 && sat->trail.count > 0 && sat->heap.count > 0);
  // A clause that is watched by another literal than its first two.
  int32_t * literals = &sat->clauses.items[2];
  const int32_t first = literals[0];
  literals[0] = literals[2];
  literals[2] = first;
  assert_false(fw__sat_validate(sat));
  literals[2] = literals[0];
  literals[0] = first;
  assert_true(fw__sat_validate(sat));
  // A watch that is missing, or is there twice in place of another one.
  for (int32_t literal = 0; literal < 2 * VARIABLES; ++literal) {
    fw_sat_watch_list_t * list = &sat->watches[literal];
    if (list->count > 1) {
      --list->count;
      assert_false(fw__sat_validate(sat));
      ++list->count;
      const fw_sat_watch_t watch = list->items[0];
      list->items[0] = list->items[1];
      assert_int_equal(
        fw__sat_validate(sat), watch.clause == FW_SAT_BINARY && list->items[1].clause == FW_SAT_BINARY &&
                                 watch.blocker == list->items[1].blocker);
      list->items[0] = watch;
    }
  }
  assert_true(fw__sat_validate(sat));
  // Values, trail and levels.
  sat->values[sat->trail.items[0]] = 0;
  assert_false(fw__sat_validate(sat));
  sat->values[sat->trail.items[0]] = 1;
  sat->assignments[sat->trail.items[0] >> 1].level = 1;
  assert_false(fw__sat_validate(sat));
  sat->assignments[sat->trail.items[0] >> 1].level = 0;
  --sat->trail.count;
  assert_false(fw__sat_validate(sat));
  ++sat->trail.count;
  // The heap: its order and its positions.
  const int32_t top = sat->heap.items[0];
  ++sat->variables[top].heap_index;
  assert_false(fw__sat_validate(sat));
  --sat->variables[top].heap_index;
  const uint64_t activity = sat->variables[top].activity;
  if (sat->heap.count > 1) {
    sat->variables[top].activity = 1;
    assert_false(fw__sat_validate(sat));
    sat->variables[top].activity = activity;
  }
  assert_true(fw__sat_validate(sat));
  sat_solver_fini(&solver);
}

static void it_stops_when_cancelled_and_when_memory_is_out(void ** state)
{
  (void)state;
  sat_solver_t solver;
  sat_solver_init(&solver, VARIABLES);
  fw__meter_stop(&solver.meter, FW_STOP_CANCELLED);
  assert_int_equal(fw__sat_solve(&solver.sat, &(fw_sat_query_t){0}), FW_SAT_STOPPED);
  sat_solver_fini(&solver);
  sat_solver_init(&solver, VARIABLES);
  solver.memory.max_bytes = solver.memory.used_bytes;
  int32_t variable = 0;
  while (variable >= 0 && variable < 1 << 20) {
    variable = fw__sat_add_variable(&solver.sat, false);
  }
  assert_int_equal(variable, -1);
  assert_false(fw__sat_add_clause(&solver.sat, (const int32_t[]){0, 2}, 2));  // failure is sticky
  assert_int_equal(fw__sat_solve(&solver.sat, &(fw_sat_query_t){0}), FW_SAT_STOPPED);
  assert_int_equal(solver.meter.stop, FW_STOP_MEMORY);
  sat_solver_fini(&solver);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_agrees_with_exhaustive_search),
    cmocka_unit_test(optional_variables_are_left_to_the_decider),
    cmocka_unit_test(pigeons_do_not_fit),
    cmocka_unit_test(a_totalizer_counts_its_inputs),
    cmocka_unit_test(a_corrupted_solver_is_found),
    cmocka_unit_test(it_stops_when_cancelled_and_when_memory_is_out),
  };
  return TEST_RUN(tests);
}
