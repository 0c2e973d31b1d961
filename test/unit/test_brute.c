// Every planner against the truth on tiny worlds.

#include "support/planner_features.h"
#include "support/brute.h"

#include "fleetweave/planner_def.h"
#include "support/brute_motion.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

// The brute force itself, where the answer can be seen.
static void the_truth_is_true(void ** state)
{
  (void)state;
  DRAW(corridor, "...");
  DRAW(niche, "...", "#.#");
  DRAW(square, "..", "..");
  const fw_robot_t swap[] = {{.start = 0, .goal = 2}, {.start = 2, .goal = 0}};
  const fw_robot_t ring[] = {{.start = 0, .goal = 1}, {.start = 1, .goal = 3}, {.start = 3, .goal = 2}};
  const fw_robot_t cross[] = {{.start = 0, .goal = 3}, {.start = 1, .goal = 2}};
  const fw_robot_t rest[] = {{.start = 1, .goal = 1}, {.start = 0, .goal = 2}};
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &corridor, .robots = swap, .robot_count = 1, .connectivity = 4}), 2);
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &corridor, .robots = swap, .robot_count = 2, .connectivity = 4}), -1);
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &niche, .robots = swap, .robot_count = 2, .connectivity = 4}), 7);
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &square, .robots = ring, .robot_count = 3, .connectivity = 4}), 3);
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &square, .robots = cross, .robot_count = 2, .connectivity = 4}), 4);
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &square, .robots = cross, .robot_count = 2, .connectivity = 8}), 3);
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &corridor, .robots = rest, .robot_count = 2, .connectivity = 4}), -1);
  assert_int_equal(
    brute_solve(&(fw_problem_t){.grid = &niche, .robots = rest, .robot_count = 2, .connectivity = 4}), 4);
}

// Returns what the planner's answer costs.
static fw_cost_t compare(const fw_planner_def_t * def, const world_t * world, fw_cost_t truth, int32_t * solved)
{
  fw_planner_t planner;
  fw_plan_t plan;
  assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
  if (strcmp(def->name, "lazy_sat") == 0 && *solved % 4 > 0) {  // its clauses too, which tiny worlds do not need
    assert_int_equal(fw_planner_set(&planner, "detect", "0", NULL), FW_RET_OK);
  }
  // A complete planner has no limit; the others try orders until the expansions are used up.
  const fw_budget_t budget = {.expansions_max = def->is_complete ? 0 : 20000};
  const fw_ret_t ret = fw_planner_solve(&planner, &world->problem, &budget, &plan, NULL);
  assert_true(ret == FW_RET_OK || ret == FW_RET_UNSUPPORTED);
  const bool is_solved = ret == FW_RET_OK && plan.outcome == FW_OUTCOME_SOLVED;
  const bool is_denied = ret == FW_RET_OK && plan.outcome == FW_OUTCOME_UNSOLVABLE;
  const bool is_wrong = (is_solved && truth < 0) || (is_denied && truth >= 0) ||
                        (is_solved && plan.stats.sum_of_costs < truth) ||
                        (ret == FW_RET_OK && truth >= 0 && plan.stats.lower_bound > truth);
  const bool is_incomplete = ret == FW_RET_OK && def->is_complete && (truth >= 0 ? !is_solved : !is_denied);
  const bool is_dearer = def->is_optimal && is_solved && plan.stats.sum_of_costs != truth;
  if (is_wrong || is_incomplete || is_dearer) {
    fail_msg(
      "%s: %s: %s, cost %d, bound %d, the truth is %d", def->name, world->text, fw_outcome_name(plan.outcome),
      (int)plan.stats.sum_of_costs, (int)plan.stats.lower_bound, (int)truth);
  }
  *solved += is_solved ? 1 : 0;
  const fw_cost_t cost = ret == FW_RET_OK ? plan.stats.sum_of_costs : -1;
  fw_planner_fini(&planner);
  return cost;
}

static void no_planner_contradicts_the_truth(void ** state)
{
  (void)state;
  int32_t solvable = 0, unsolvable = 0;
  int32_t solved[64] = {0};
  for (int32_t round = 0; round < test_rounds(500); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const int32_t width = 2 + fw__rng_below(&rng, 3);
    fw_grid_t grid = world_grid(&rng, width, 1 + fw__rng_below(&rng, 4), 25, false);
    world_t world;
    world_settle(&world, grid, &rng, WORLD_DIAGONALS, BRUTE_ROBOTS_MAX);
    if (world.problem.robot_count > 0) {
      const fw_cost_t truth = brute_solve(&world.problem);
      *(truth >= 0 ? &solvable : &unsolvable) += 1;
      for (int32_t i = 0; i < fw_planner_def_count() && i < TEST_COUNT(solved); ++i) {
        (void)compare(fw_planner_def_at(i), &world, truth, &solved[i]);
      }
    }
    world_fini(&world);
  }
  assert_true(unsolvable > solvable / 20 && solvable > unsolvable);  // both answers are asked for
  for (int32_t i = 0; i < fw_planner_def_count() && i < TEST_COUNT(solved); ++i) {
    assert_true(solved[i] * 2 > solvable);
  }
}

// The brute force for motions, where the answer can be seen, and against the other one.
static void the_truth_about_motions_is_true(void ** state)
{
  (void)state;
  DRAW(corridor, "...");
  DRAW(hall, "...", "...");
  const fw_robot_t east = {.start = 0, .goal = 2, .turn_ticks = 2};
  const fw_robot_t west = {.start = 0, .goal = 2, .turn_ticks = 2, .heading = FW_HEADING_WEST};
  const fw_robot_t slow = {.start = 0, .goal = 5, .turn_ticks = 1, .ticks_per_move = 3};
  assert_int_equal(
    brute_motion_solve(&(fw_problem_t){.grid = &corridor, .robots = &east, .robot_count = 1, .connectivity = 4}), 2);
  assert_int_equal(
    brute_motion_solve(&(fw_problem_t){.grid = &corridor, .robots = &west, .robot_count = 1, .connectivity = 4}), 6);
  assert_int_equal(
    brute_motion_solve(&(fw_problem_t){.grid = &hall, .robots = &slow, .robot_count = 1, .connectivity = 4}), 10);
  assert_int_equal(
    brute_motion_solve(&(fw_problem_t){.grid = &hall, .robots = &slow, .robot_count = 1, .connectivity = 8}), 7);
  // A nose turns only where its way is free.
  DRAW(room, "...", "...", "...");
  DRAW(ring, "...", ".#.", "...");
  static const fw_offset_t nose[] = {{0, 0}, {1, 0}};
  const fw_robot_t long_one = {.start = 0, .goal = 3, .turn_ticks = 1, .footprint = nose, .footprint_count = 2};
  assert_int_equal(
    brute_motion_solve(&(fw_problem_t){.grid = &room, .robots = &long_one, .robot_count = 1, .connectivity = 4}), 2);
  assert_int_equal(
    brute_motion_solve(&(fw_problem_t){.grid = &ring, .robots = &long_one, .robot_count = 1, .connectivity = 4}), -1);
  // Sides that are swept: the other has to go first.
  const fw_robot_t sweeping[] = {{.start = 0, .goal = 4, .sweeps_sides = true}, {.start = 1, .goal = 1}};
  assert_int_equal(
    brute_motion_solve(&(fw_problem_t){.grid = &hall, .robots = sweeping, .robot_count = 2, .connectivity = 8}), 2);
  for (int32_t round = 0; round < test_rounds(100); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(&rng, 2 + fw__rng_below(&rng, 2), 1 + fw__rng_below(&rng, 4), 25, false);
    world_t world;
    world_settle(&world, grid, &rng, WORLD_DIAGONALS, 2);
    if (world.problem.robot_count > 0) {
      assert_int_equal(brute_motion_solve(&world.problem), brute_solve(&world.problem));
    }
    world_fini(&world);
  }
}

// A robot alone takes a shortest path, whatever its motions are.
static void no_planner_contradicts_the_truth_about_motions(void ** state)
{
  (void)state;
  const int32_t features = WORLD_DIAGONALS | WORLD_SPEEDS | WORLD_SHAPES | WORLD_HEADINGS | WORLD_SWEEPS;
  int32_t solvable = 0, unsolvable = 0;
  int32_t solved[64] = {0};
  for (int32_t round = 0; round < test_rounds(300); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const int32_t width = 2 + fw__rng_below(&rng, 3);
    fw_grid_t grid = world_grid(&rng, width, 2 + fw__rng_below(&rng, width == 4 ? 2 : 3), 12, false);
    world_t world;
    const int32_t under_way = round % 2 == 0 ? WORLD_UNDER_WAY : 0;
    world_settle(&world, grid, &rng, features | under_way, BRUTE_MOTION_ROBOTS_MAX);
    if (world.problem.robot_count > 0) {
      const fw_cost_t truth = brute_motion_solve(&world.problem);
      *(truth >= 0 ? &solvable : &unsolvable) += 1;
      for (int32_t i = 0; i < fw_planner_def_count() && i < TEST_COUNT(solved); ++i) {
        if (planner_features_within(fw_planner_def_at(i), features) != features) {
          continue;
        }
        const int32_t before = solved[i];
        const fw_cost_t cost = compare(fw_planner_def_at(i), &world, truth, &solved[i]);
        const bool is_alone = world.problem.robot_count == 1;
        if (is_alone && ((truth >= 0) != (solved[i] > before) || (truth >= 0 && cost != truth))) {
          fail_msg("%s: %s: alone %d, not %d", fw_planner_def_at(i)->name, world.text, (int)cost, (int)truth);
        }
      }
    }
    world_fini(&world);
  }
  assert_true(unsolvable > solvable / 20 && solvable > unsolvable / 2);  // both answers are asked for
  for (int32_t i = 0; i < fw_planner_def_count() && i < TEST_COUNT(solved); ++i) {
    assert_true(solved[i] * 2 > solvable || planner_features_within(fw_planner_def_at(i), features) != features);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_truth_is_true),
    cmocka_unit_test(no_planner_contradicts_the_truth),
    cmocka_unit_test(the_truth_about_motions_is_true),
    cmocka_unit_test(no_planner_contradicts_the_truth_about_motions),
  };
  return TEST_RUN(tests);
}
