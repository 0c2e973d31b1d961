// The proofs of the SAT solver: every learnt clause and every unsatisfiable answer follows by unit propagation. Where
// drat-trim is installed (github.com/marijnheule/drat-trim), it has to accept them, too.

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "fleetweave/planner_def.h"
#include "support/sat_checker.h"
#include "support/sat_solver.h"
#include "support/temp_file.h"
#include "support/test.h"
#include "support/world.h"

static void add_random_clauses(sat_solver_t * solver, fw_rng_t * rng, int32_t count)
{
  const int32_t variables = solver->sat.variable_count;
  for (int32_t i = 0; i < count; ++i) {
    int32_t literals[3];
    for (int32_t k = 0; k < 3;) {
      literals[k] = 2 * fw__rng_below(rng, variables) + fw__rng_below(rng, 2);
      const bool is_new =
        (k < 1 || literals[k] >> 1 != literals[0] >> 1) && (k < 2 || literals[k] >> 1 != literals[1] >> 1);
      k += is_new ? 1 : 0;
    }
    assert_true(fw__sat_add_clause(&solver->sat, literals, 3));
  }
}

// Clauses come in three parts with questions between them, each with some assumptions.
static int32_t ask_three_times(uint64_t seed)
{
  fw_rng_t rng = fw__rng(seed);
  sat_solver_t solver;
  const int32_t variables = 30 + fw__rng_below(&rng, 50);
  int32_t answers = 0;
  sat_solver_init(&solver, variables);
  for (int32_t part = 0; part < 3; ++part) {
    int32_t assumptions[3];
    const int32_t count = fw__rng_below(&rng, 4);
    add_random_clauses(&solver, &rng, 2 * variables - variables / 3);
    for (int32_t i = 0; i < count; ++i) {
      assumptions[i] =
        2 * ((i * (variables / 3) + fw__rng_below(&rng, variables / 3)) % variables) + fw__rng_below(&rng, 2);
    }
    const fw_sat_result_t result = fw__sat_solve(&solver.sat, &(fw_sat_query_t){assumptions, count, 0});
    assert_true(result == FW_SAT_SATISFIABLE || result == FW_SAT_UNSATISFIABLE);
    ++answers;
  }
  sat_solver_fini(&solver);
  return answers;
}

static void every_learnt_clause_follows(void ** state)
{
  (void)state;
  sat_checker_t checker = {.derives = true};
  const fw_sat_observer_t observer = sat_checker_observer(&checker);
  fw__sat_observe(&observer);
  int32_t answers = 0, learnt = 0;
  const int32_t rounds = test_many_rounds(300);
  for (uint64_t seed = 1; seed <= (uint64_t)rounds; ++seed) {
    answers += ask_three_times(seed);
    learnt += checker.learnt_count;
    assert_int_equal(checker.underived_count, 0);
  }
  fw__sat_observe(NULL);
  assert_int_equal(answers, 3 * rounds);
  assert_true(3 * learnt > 50 * rounds && 3 * checker.unsatisfiable_count > 2 * rounds);
  sat_checker_fini(&checker);
}

// n + 1 pigeons in n holes, which takes so many conflicts that learnt clauses are deleted.
static void add_pigeons(sat_solver_t * solver, int32_t holes)
{
  for (int32_t pigeon = 0; pigeon <= holes; ++pigeon) {
    int32_t somewhere[16];
    for (int32_t hole = 0; hole < holes; ++hole) {
      somewhere[hole] = 2 * (pigeon * holes + hole);
      for (int32_t other = 0; other < pigeon; ++other) {
        assert_true(
          fw__sat_add_clause(&solver->sat, (int32_t[]){somewhere[hole] + 1, 2 * (other * holes + hole) + 1}, 2));
      }
    }
    assert_true(fw__sat_add_clause(&solver->sat, somewhere, holes));
  }
}

static void proofs_with_deletions_are_whole(void ** state)
{
  (void)state;
  sat_checker_t checker = {.derives = true};
  const fw_sat_observer_t observer = sat_checker_observer(&checker);
  sat_solver_t solver;
  fw__sat_observe(&observer);
  sat_solver_init(&solver, 7 * 6);
  fw__sat_observe(NULL);
  solver.sat.learnt_max = 60;
  add_pigeons(&solver, 6);
  assert_int_equal(fw__sat_solve(&solver.sat, &(fw_sat_query_t){0}), FW_SAT_UNSATISFIABLE);
  assert_int_equal(checker.underived_count, 0);
  assert_true(checker.deleted_count > 50);
  sat_solver_fini(&solver);
  sat_checker_fini(&checker);
}

static void a_wrong_proof_is_found(void ** state)
{
  (void)state;
  sat_checker_t checker = {.derives = true};
  const fw_sat_observer_t observer = sat_checker_observer(&checker);
  const int32_t given[] = {0, 2}, wrong[] = {0, 3};
  observer.on_init(&checker);
  observer.on_clause(&checker, FW_SAT_CLAUSE_GIVEN, given, 2);
  observer.on_clause(&checker, FW_SAT_CLAUSE_LEARNT, wrong, 2);
  assert_int_equal(checker.underived_count, 1);
  observer.on_clause(&checker, FW_SAT_CLAUSE_DELETED, given, 2);  // not a learnt one
  assert_int_equal(checker.underived_count, 2);
  sat_checker_fini(&checker);
}

// ---- proofs of plans

enum { PROOFS_MAX = 100 };

typedef struct proof_files_t {
  temp_file_t formula;
  temp_file_t proof;
  int32_t accepted;
  int32_t refused;
} proof_files_t;

static void let_it_be_checked(
  sat_checker_t * checker, const fw_sat_t * sat, const fw_sat_query_t * query, fw_sat_result_t result)
{
  proof_files_t * files = checker->user;
  char command[600];
  (void)query;
  if (result != FW_SAT_UNSATISFIABLE || checker->learnt_count == 0 || files->accepted == PROOFS_MAX) {
    return;
  }
  assert_true(sat_checker_write(checker, &sat->core, files->formula.path, files->proof.path));
  (void)snprintf(
    command, sizeof command, "drat-trim '%s' '%s' | grep -q 's VERIFIED'", files->formula.path, files->proof.path);
  *(system(command) == 0 ? &files->accepted : &files->refused) += 1;
}

static void plan_with_clauses(uint64_t number)
{
  world_t world;
  fw_planner_t planner;
  fw_plan_t plan;
  const fw_budget_t budget = {.expansions_max = 100000};
  world_make(&world, number, WORLD_PLAIN, 8);
  assert_int_equal(fw_planner_init(&planner, "lazy_sat", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "detect", "0", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
  fw_planner_fini(&planner);
  world_fini(&world);
}

static void plans_are_proved(void ** state)
{
  (void)state;
  sat_checker_t checker = {.derives = true};
  const fw_sat_observer_t observer = sat_checker_observer(&checker);
  int32_t learnt = 0;
  fw__sat_observe(&observer);
  for (uint64_t number = 1; number <= (uint64_t)test_many_rounds(20); ++number) {
    plan_with_clauses(number);
    learnt += checker.learnt_count;
  }
  fw__sat_observe(NULL);
  print_message("%d answers, %d learnt clauses\n", checker.unsatisfiable_count, learnt);
  assert_int_equal(checker.underived_count, 0);
  assert_true(
    checker.unsatisfiable_count > (test_is_set("FLEETWEAVE_SHORT") ? 5 : 50) &&
    learnt > (test_is_set("FLEETWEAVE_SHORT") ? 50 : 500));
  sat_checker_fini(&checker);
}

static void a_public_checker_accepts_them(void ** state)
{
  (void)state;
  if (system("command -v drat-trim >/dev/null") != 0) {
    print_message("drat-trim is not installed: only this test's own checker has derived these proofs, above\n");
    skip();
  }
  proof_files_t files = {0};
  temp_file_write_text(&files.formula, "");
  temp_file_write_text(&files.proof, "");
  sat_checker_t checker = {.on_answer = let_it_be_checked, .user = &files};
  const fw_sat_observer_t observer = sat_checker_observer(&checker);
  fw__sat_observe(&observer);
  for (uint64_t number = 1; number <= (uint64_t)test_many_rounds(20); ++number) {
    plan_with_clauses(number);
    (void)ask_three_times(number);
  }
  fw__sat_observe(NULL);
  print_message("%d proofs were accepted\n", files.accepted);
  assert_int_equal(files.refused, 0);
  assert_true(files.accepted > (test_is_set("FLEETWEAVE_SHORT") ? 5 : 30));
  temp_file_remove(&files.formula);
  temp_file_remove(&files.proof);
  sat_checker_fini(&checker);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_learnt_clause_follows),   cmocka_unit_test(proofs_with_deletions_are_whole),
    cmocka_unit_test(a_wrong_proof_is_found),        cmocka_unit_test(plans_are_proved),
    cmocka_unit_test(a_public_checker_accepts_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
