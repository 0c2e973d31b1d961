// A second opinion on the SAT solver: CaDiCaL, linked into this test only, gets the same clauses and the same
// questions. Answers must be equal; CaDiCaL must find a model in which all is true that is true in ours (optional
// variables may be unassigned in ours), and no model under our core.

#include <ccadical.h>

#include "base/rng.h"
#include "fleetweave/planner_def.h"
#include "support/sat_checker.h"
#include "support/sat_solver.h"
#include "support/test.h"
#include "support/world.h"

enum { SATISFIABLE = 10, UNSATISFIABLE = 20 };

// The other solver and what came of the comparison.
typedef struct peer_t {
  CCaDiCaL * solver;
  bool has_optional;  // variables
  int32_t number;     // of the solver of ours
  int32_t heard;      // items of the checker that the other solver has
  int32_t satisfiable;
  int32_t unsatisfiable;
  int32_t open;  // answers that ours left open: budgets
  int32_t core_literals;
} peer_t;

static void tell_clauses(peer_t * peer, const sat_checker_t * checker)
{
  if (peer->number != checker->solver_count) {
    if (peer->solver != NULL) {
      ccadical_release(peer->solver);
    }
    peer->solver = ccadical_init();
    ccadical_set_option(peer->solver, "quiet", 1);
    peer->number = checker->solver_count;
    peer->heard = 0;
  }
  for (; peer->heard < checker->count; peer->heard += checker->items[peer->heard + 1] + 2) {
    const int32_t * item = &checker->items[peer->heard];
    for (int32_t i = 0; i < item[1] && item[0] == FW_SAT_CLAUSE_GIVEN; ++i) {
      ccadical_add(peer->solver, sat_dimacs(item[i + 2]));
    }
    if (item[0] == FW_SAT_CLAUSE_GIVEN) {
      ccadical_add(peer->solver, 0);
    }
  }
}

static int ask(peer_t * peer, const int32_t * assumptions, int32_t count)
{
  for (int32_t i = 0; i < count; ++i) {
    ccadical_assume(peer->solver, sat_dimacs(assumptions[i]));
  }
  return ccadical_solve(peer->solver);
}

// What is true in our model is true in one of the other solver's.
static bool model_extends(peer_t * peer, const fw_sat_t * sat, const fw_sat_query_t * query)
{
  for (int32_t i = 0; i < sat->variable_count; ++i) {
    if (fw__sat_model_is_true(sat, 2 * i)) {
      ccadical_assume(peer->solver, sat_dimacs(2 * i));
    }
  }
  return ask(peer, query->assumptions, query->count) == SATISFIABLE;
}

// Every clause is true in our model, in which every variable is assigned.
static bool model_holds(const sat_checker_t * checker, const fw_sat_t * sat, const fw_sat_query_t * query)
{
  bool holds = true;
  for (int32_t at = 0; at < checker->count && holds; at += checker->items[at + 1] + 2) {
    holds = false;
    for (int32_t i = 0; i < checker->items[at + 1] && !holds; ++i) {
      holds = fw__sat_model_is_true(sat, checker->items[at + 2 + i]);
    }
  }
  for (int32_t i = 0; i < query->count && holds; ++i) {
    holds = fw__sat_model_is_true(sat, query->assumptions[i]);
  }
  return holds;
}

static bool core_is_assumed(const fw_sat_t * sat, const fw_sat_query_t * query)
{
  bool is = true;
  for (int32_t i = 0; i < sat->core.count && is; ++i) {
    is = false;
    for (int32_t k = 0; k < query->count && !is; ++k) {
      is = sat->core.items[i] == query->assumptions[k];
    }
  }
  return is;
}

static void compare(sat_checker_t * checker, const fw_sat_t * sat, const fw_sat_query_t * query, fw_sat_result_t result)
{
  peer_t * peer = checker->user;
  tell_clauses(peer, checker);
  if (result == FW_SAT_SATISFIABLE) {
    ++peer->satisfiable;
    assert_int_equal(ask(peer, query->assumptions, query->count), SATISFIABLE);
    assert_true(model_extends(peer, sat, query));
    assert_true(peer->has_optional || model_holds(checker, sat, query));
  } else if (result == FW_SAT_UNSATISFIABLE) {
    ++peer->unsatisfiable;
    peer->core_literals += sat->core.count;
    assert_true(core_is_assumed(sat, query));
    assert_int_equal(ask(peer, sat->core.items, sat->core.count), UNSATISFIABLE);
  } else {
    ++peer->open;
  }
}

// ---- random formulas

static int32_t draw_literal(fw_rng_t * rng, int32_t variables)
{
  return 2 * fw__rng_below(rng, variables) + fw__rng_below(rng, 2);
}

// Clauses of two to five literals in four parts; each part is asked about with some assumptions.
static void ask_four_times(uint64_t seed)
{
  fw_rng_t rng = fw__rng(seed);
  sat_solver_t solver;
  const int32_t variables = 12 + fw__rng_below(&rng, 80);
  sat_solver_init(&solver, variables);
  for (int32_t part = 0; part < 4; ++part) {
    int32_t assumptions[4];
    const int32_t count = fw__rng_below(&rng, 5);
    for (int32_t clause = 0; clause < variables + variables / 3; ++clause) {
      int32_t literals[5];
      const int32_t wanted = fw__rng_below(&rng, 8) == 0 ? 2 + fw__rng_below(&rng, 4) : 3;
      int32_t size = 0;
      while (size < wanted) {  // of variables that differ
        literals[size] = draw_literal(&rng, variables);
        int32_t same = 0;
        while (literals[same] >> 1 != literals[size] >> 1) {
          ++same;
        }
        size += same == size ? 1 : 0;
      }
      assert_true(fw__sat_add_clause(&solver.sat, literals, size));
    }
    for (int32_t i = 0; i < count; ++i) {
      assumptions[i] = draw_literal(&rng, variables);
    }
    (void)fw__sat_solve(&solver.sat, &(fw_sat_query_t){assumptions, count, 0});
  }
  sat_solver_fini(&solver);
}

static void random_formulas(void ** state)
{
  (void)state;
  peer_t peer = {0};
  sat_checker_t checker = {.on_answer = compare, .user = &peer};
  const fw_sat_observer_t observer = sat_checker_observer(&checker);
  fw__sat_observe(&observer);
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    ask_four_times(seed);
  }
  fw__sat_observe(NULL);
  print_message(
    "random: %d satisfiable, %d not, %d literals in cores\n", peer.satisfiable, peer.unsatisfiable, peer.core_literals);
  assert_int_equal(peer.satisfiable + peer.unsatisfiable, 6000);
  assert_true(peer.satisfiable > 1500 && peer.unsatisfiable > 1500 && peer.core_literals > 500);
  ccadical_release(peer.solver);
  sat_checker_fini(&checker);
}

// ---- formulas of the planner

static void formulas_of_plans(void ** state)
{
  (void)state;
  peer_t peer = {.has_optional = true};
  sat_checker_t checker = {.on_answer = compare, .user = &peer};
  const fw_sat_observer_t observer = sat_checker_observer(&checker);
  const fw_budget_t budget = {.expansions_max = 60000};
  fw__sat_observe(&observer);
  for (uint64_t number = 1; number <= 150; ++number) {
    world_t world;
    fw_planner_t planner;
    fw_plan_t plan;
    world_make(&world, number, number % 2 == 0 ? WORLD_PLAIN : WORLD_ONE_CELL, 10);
    assert_int_equal(fw_planner_init(&planner, "lazy_sat", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "detect", "0", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
    fw_planner_fini(&planner);
    world_fini(&world);
  }
  fw__sat_observe(NULL);
  print_message("plans: %d satisfiable, %d not, %d left open\n", peer.satisfiable, peer.unsatisfiable, peer.open);
  assert_true(peer.satisfiable > 150 && peer.unsatisfiable > 300);
  ccadical_release(peer.solver);
  sat_checker_fini(&checker);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_formulas), cmocka_unit_test(formulas_of_plans)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
