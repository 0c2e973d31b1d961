// The optimal planners: the least cost by both ways of counting, proofs that there is no plan, and what they promise
// about their search.

#include "fleetweave/planner_def.h"
#include "support/brute.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

// "clauses" is lazy_sat without independence detection before; "s_id" is od_id with standard operators.
static const char * const names[] = {"standard", "od", "sid", "od_id", "s_id", "lazy_sat", "clauses"};
enum { STANDARD, OD };

static int64_t counter(const fw_plan_t * plan, const char * name)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, name) == 0) {
      return plan->stats.counters[i].value;
    }
  }
  return -1;
}

static void begin(fw_planner_t * planner, const char * name, bool is_to_last_arrival)
{
  const bool is_clauses = strcmp(name, "clauses") == 0;
  const bool is_s_id = strcmp(name, "s_id") == 0;
  assert_int_equal(fw_planner_init(planner, is_clauses ? "lazy_sat" : is_s_id ? "od_id" : name, NULL, NULL), FW_RET_OK);
  assert_true(!is_clauses || fw_planner_set(planner, "detect", "0", NULL) == FW_RET_OK);
  assert_true(!is_s_id || fw_planner_set(planner, "operators", "standard", NULL) == FW_RET_OK);
  const char * cost = is_to_last_arrival ? "last_arrival" : "off_goal";
  assert_int_equal(fw_planner_set(planner, "cost", cost, NULL), FW_RET_OK);
}

static void assert_holds(const fw_problem_t * problem, const fw_plan_t * plan)
{
  fw_conflict_t conflict;
  assert_int_equal(fw_check_plan(problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
}

// The cost by the rule that is set; -1 if there is no plan.
static fw_cost_t solve(const char * name, const fw_problem_t * problem, bool is_to_last_arrival)
{
  fw_planner_t planner;
  fw_plan_t plan;
  begin(&planner, name, is_to_last_arrival);
  assert_int_equal(fw_planner_solve(&planner, problem, NULL, &plan, NULL), FW_RET_OK);
  assert_int_equal(plan.stop, FW_STOP_DONE);
  assert_int_not_equal(plan.outcome, FW_OUTCOME_PARTIAL);
  assert_holds(problem, &plan);
  const bool is_solved = plan.outcome == FW_OUTCOME_SOLVED;
  const fw_cost_t cost = !is_solved           ? -1
                         : is_to_last_arrival ? counter(&plan, "cost_to_last_arrival")
                                              : plan.stats.sum_of_costs;
  const fw_cost_t bound = is_to_last_arrival ? counter(&plan, "bound_to_last_arrival") : plan.stats.lower_bound;
  assert_true(!is_solved || bound == cost);
  fw_planner_fini(&planner);
  return cost;
}

// A tiny world of up to three robots; false if it has none.
static bool make_tiny(world_t * world, uint64_t number)
{
  fw_rng_t rng = fw__rng(number);
  const int32_t width = 2 + fw__rng_below(&rng, 3);
  fw_grid_t grid = world_grid(&rng, width, 1 + fw__rng_below(&rng, 4), 25, false);
  world_settle(world, grid, &rng, WORLD_DIAGONALS, BRUTE_ROBOTS_MAX);
  return world->problem.robot_count > 0;
}

static void the_cost_is_the_least_by_both_ways_of_counting(void ** state)
{
  (void)state;
  int32_t solvable = 0, differ = 0;
  for (int32_t round = 0; round < test_rounds(2000); ++round) {
    world_t world;
    if (make_tiny(&world, (uint64_t)(70000 + round))) {
      const fw_cost_t truths[] = {brute_solve(&world.problem), brute_solve_to_last_arrival(&world.problem)};
      solvable += truths[0] >= 0;
      differ += truths[0] != truths[1];
      assert_true(truths[0] <= truths[1] && (truths[0] < 0) == (truths[1] < 0));
      for (int32_t i = 0; i < 2 * TEST_COUNT(names); ++i) {
        const fw_cost_t cost = solve(names[i / 2], &world.problem, i % 2 == 1);
        if (cost != truths[i % 2]) {
          fail_msg("%s: %s: cost %d, the truth is %d", names[i / 2], world.text, (int)cost, (int)truths[i % 2]);
        }
      }
    }
    world_fini(&world);
  }
  assert_true(solvable > 100 && differ > 10);
}

// Wherever two of them finish they agree, with robust ticks and doors as well.
static void they_agree_wherever_two_finish(void ** state)
{
  (void)state;
  int32_t compared = 0;
  for (int32_t number = 0; number < test_rounds(210); ++number) {
    static const int32_t features[] = {
      WORLD_PLAIN,
      WORLD_DIAGONALS,
      WORLD_DIAGONALS | WORLD_ROBUST,
      WORLD_DIAGONALS | WORLD_CLOSURES,
      WORLD_ONE_CELL | WORLD_CLOSURES,
      WORLD_CORNERS,
      WORLD_CORNERS | WORLD_ROBUST | WORLD_CLOSURES};
    world_t world;
    world_make(&world, (uint64_t)(6000 + number), features[number % TEST_COUNT(features)], 5);
    fw_cost_t known = -2;
    for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
      fw_planner_t planner;
      fw_plan_t plan;
      begin(&planner, names[i], false);
      const fw_budget_t budget = {.expansions_max = 20000};
      assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
      assert_holds(&world.problem, &plan);
      if (plan.stop == FW_STOP_DONE) {
        const fw_cost_t cost = plan.outcome == FW_OUTCOME_SOLVED ? plan.stats.sum_of_costs : -1;
        compared += known == -2 ? 0 : 1;
        known = known == -2 ? cost : known;
        if (cost != known) {
          fail_msg("%s: %s: %d, another said %d", names[i], world.text, (int)cost, (int)known);
        }
      } else if (known >= 0) {
        assert_true(plan.stats.lower_bound <= known);
        assert_true(plan.outcome != FW_OUTCOME_SOLVED || plan.stats.sum_of_costs >= known);
      }
      fw_planner_fini(&planner);
    }
    world_fini(&world);
  }
  assert_true(compared > 100);
}

static void an_expansion_has_no_more_children_than_there_are_moves(void ** state)
{
  (void)state;
  for (int32_t number = 0; number < 60; ++number) {
    world_t world;
    world_make(&world, (uint64_t)(8000 + number), WORLD_DIAGONALS, 6);
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, "od", false);
    const fw_budget_t budget = {.expansions_max = 20000};
    assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
    if (plan.outcome != FW_OUTCOME_UNSOLVABLE) {
      const int32_t moves = (world.problem.connectivity == 8 ? 8 : 4) + 1;
      assert_in_range(counter(&plan, "most_children"), 0, moves);
      assert_true(counter(&plan, "children") <= plan.stats.expanded * moves);
    }
    fw_planner_fini(&planner);
    world_fini(&world);
  }
}

// Figure 3 of the paper: both go east at once, into the place that the other leaves.
static void robots_may_follow_each_other_in_any_order(void ** state)
{
  (void)state;
  DRAW(grid, "...", "#.#");
  for (int32_t order = 0; order < 2; ++order) {
    fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 1, .goal = 2}};
    if (order == 1) {
      const fw_robot_t first = robots[0];
      robots[0] = robots[1];
      robots[1] = first;
    }
    const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
    for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
      assert_int_equal(solve(names[i], &problem, false), 2);
    }
  }
}

// A robot on its goal steps aside and comes back: that costs two by one count, the time of its return by the other.
static void who_makes_way_pays_by_the_rule(void ** state)
{
  (void)state;
  DRAW(grid, ".......", "##.####");
  const fw_robot_t robots[] = {{.start = 2, .goal = 2}, {.start = 6, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    assert_int_equal(solve(names[i], &problem, false), 6 + 2);
    assert_int_equal(solve(names[i], &problem, true), 6 + 5);  // leaves by tick 4, is back at tick 5
  }
}

// Nobody gets past anybody: a full search says so.
static void what_has_no_plan_is_proved(void ** state)
{
  (void)state;
  DRAW(corridor, "........");
  DRAW(rooms, "..#..", ".##..");
  const fw_robot_t swap[] = {{.start = 1, .goal = 6}, {.start = 6, .goal = 1}};
  const fw_robot_t full[] = {
    {.start = 0, .goal = 1}, {.start = 1, .goal = 5}, {.start = 5, .goal = 0}, {.start = 3, .goal = 9}};
  for (int32_t i = 0; i < TEST_COUNT(names); ++i) {
    for (int32_t rule = 0; rule < 2; ++rule) {
      const fw_problem_t one = {.grid = &corridor, .robots = swap, .robot_count = 2};
      const fw_problem_t two = {.grid = &rooms, .robots = full, .robot_count = 4};
      assert_int_equal(solve(names[i], &one, rule == 1), -1);
      assert_int_equal(solve(names[i], &two, rule == 1), -1);
    }
  }
}

// A cell closes while a robot is on it, and the only cell beside it is taken: each robot alone has a plan, both
// together have none.
static void neither_robot_can_stay_or_leave(void ** state)
{
  (void)state;
  DRAW(corridor, "..#...");
  const fw_closure_t closures[] = {{.cell = 0, .from = 3, .to = 4}};
  const fw_robot_t robots[] = {{.start = 0, .goal = 0}, {.start = 1, .goal = 1}, {.start = 3, .goal = 5}};
  const fw_problem_t problem = {
    .grid = &corridor, .robots = robots, .robot_count = 3, .closures = closures, .closure_count = 1};
  for (int32_t i = 0; i < 2 * TEST_COUNT(names); ++i) {
    assert_int_equal(solve(names[i / 2], &problem, i % 2 == 1), -1);
  }
}

static void what_is_not_handled_is_refused_with_the_reason(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_offset_t cells[] = {{0, 0}, {1, 0}};
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 2, .footprint = cells, .footprint_count = 2},
    {.start = 0, .goal = 2, .ticks_per_move = 2},
    {.start = 0, .goal = 2, .turn_ticks = 1},
  };
  static const char * const words[] = {"more than one cell", "more than one tick", "heading"};
  for (int32_t i = 0; i < TEST_COUNT(names) * TEST_COUNT(robots); ++i) {
    const fw_problem_t problem = {.grid = &grid, .robots = &robots[i % 3], .robot_count = 1};
    fw_planner_t planner;
    fw_plan_t plan;
    fw_error_t error;
    begin(&planner, names[i / 3], false);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_UNSUPPORTED);
    assert_non_null(strstr(error.text, words[i % 3]));
    assert_int_equal(error.robot, 0);
    fw_planner_fini(&planner);
  }
}

// Robots in a corridor keep their order, and robots on a full tree stay where they are: there is no plan, which is
// known before anything is searched. With a bay, on a ring, or with a cell to spare it is another matter.
static void the_obvious_is_not_searched(void ** state)
{
  (void)state;
  DRAW(corridor, "#........", "#.#######");
  DRAW(tree, "...", "#.#");
  DRAW(bay, ".........", "####.####");
  DRAW(ring, "...", ".#.", "...");
  const fw_robot_t swapped[] = {{.start = 1, .goal = 8}, {.start = 4, .goal = 10}, {.start = 8, .goal = 2}};
  const fw_robot_t ordered[] = {{.start = 1, .goal = 10}, {.start = 4, .goal = 3}, {.start = 8, .goal = 7}};
  const fw_robot_t full[] = {
    {.start = 0, .goal = 0}, {.start = 1, .goal = 2}, {.start = 2, .goal = 1}, {.start = 4, .goal = 4}};
  const fw_robot_t across[] = {{.start = 0, .goal = 8}, {.start = 8, .goal = 0}};
  const fw_robot_t round[] = {{.start = 0, .goal = 8}, {.start = 8, .goal = 0}};
  const struct {
    fw_problem_t problem;
    bool is_solvable;
  } cases[] = {
    {{.grid = &corridor, .robots = swapped, .robot_count = 3, .connectivity = 4}, false},
    {{.grid = &corridor, .robots = ordered, .robot_count = 3, .connectivity = 4}, true},
    {{.grid = &tree, .robots = full, .robot_count = 4, .connectivity = 4}, false},
    {{.grid = &bay, .robots = across, .robot_count = 2, .connectivity = 4}, true},
    {{.grid = &ring, .robots = round, .robot_count = 2, .connectivity = 4}, true},
  };
  const fw_budget_t budget = {.expansions_max = 10000000};
  for (int32_t i = 0; i < TEST_COUNT(cases) * TEST_COUNT(names); ++i) {
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, names[i % TEST_COUNT(names)], false);
    const fw_problem_t * problem = &cases[i / TEST_COUNT(names)].problem;
    assert_int_equal(fw_planner_solve(&planner, problem, &budget, &plan, NULL), FW_RET_OK);
    const bool is_solvable = cases[i / TEST_COUNT(names)].is_solvable;
    assert_int_equal(plan.outcome, is_solvable ? FW_OUTCOME_SOLVED : FW_OUTCOME_UNSOLVABLE);
    assert_int_equal(plan.stats.expanded > 0, is_solvable);
    assert_holds(problem, &plan);
    fw_planner_fini(&planner);
  }
}

// However little they may use, od_id and lazy_sat answer with a plan that holds, and with what it has proved.
static void the_anytime_planners_always_have_an_answer(void ** state)
{
  (void)state;
  int32_t without_proof = 0, with_proof = 0;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    static const int32_t features[] = {WORLD_DIAGONALS, WORLD_ONE_CELL, WORLD_CORNERS};
    world_t world;
    world_make(&world, (uint64_t)(9000 + number / 2), features[number / 2 % TEST_COUNT(features)], 12);
    fw_planner_t planner;
    begin(&planner, number % 2 == 0 ? "od_id" : "lazy_sat", false);
    fw_cost_t bound = 0;
    for (int64_t count = 500; count < 100000; count *= 4) {
      fw_plan_t plan;
      const fw_budget_t budget = {.expansions_max = count};
      assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
      assert_holds(&world.problem, &plan);
      if (plan.outcome == FW_OUTCOME_SOLVED) {
        assert_true(plan.stats.lower_bound <= plan.stats.sum_of_costs);
        assert_true(plan.stop != FW_STOP_DONE || plan.stats.lower_bound == plan.stats.sum_of_costs);
        without_proof += plan.stop != FW_STOP_DONE;
        with_proof += plan.stop == FW_STOP_DONE;
      }
      if (plan.outcome != FW_OUTCOME_UNSOLVABLE) {
        assert_true(plan.stats.lower_bound >= bound);  // what is proved stays proved
        bound = plan.stats.lower_bound;
      }
    }
    fw_planner_fini(&planner);
    world_fini(&world);
  }
  assert_true(without_proof > 0 && with_proof > 0);
}

// A limit that is too small for the search: the answer says so and is what hca would say.
static void out_of_memory_it_falls_back(void ** state)
{
  (void)state;
  int32_t fallen = 0;
  for (uint64_t number = 0; number < 12; ++number) {
    world_t world;
    world_make(&world, 9500 + number / 2, WORLD_PLAIN, 12);
    for (size_t limit = (size_t)1 << 18; limit < (size_t)1 << 23; limit *= 2) {
      fw_planner_options_t options = fw_planner_options_default();
      options.memory_max_bytes = limit;
      fw_planner_t planner;
      fw_plan_t plan;
      const fw_budget_t budget = {.expansions_max = 400000};
      assert_int_equal(fw_planner_init(&planner, number % 2 == 0 ? "od_id" : "lazy_sat", &options, NULL), FW_RET_OK);
      assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
      assert_holds(&world.problem, &plan);
      assert_true(plan.stats.memory_peak_bytes <= limit);
      fallen += plan.stop == FW_STOP_MEMORY && plan.outcome == FW_OUTCOME_SOLVED;
      fw_planner_fini(&planner);
    }
    world_fini(&world);
  }
  assert_true(fallen > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_obvious_is_not_searched),
    cmocka_unit_test(the_cost_is_the_least_by_both_ways_of_counting),
    cmocka_unit_test(they_agree_wherever_two_finish),
    cmocka_unit_test(an_expansion_has_no_more_children_than_there_are_moves),
    cmocka_unit_test(robots_may_follow_each_other_in_any_order),
    cmocka_unit_test(who_makes_way_pays_by_the_rule),
    cmocka_unit_test(what_has_no_plan_is_proved),
    cmocka_unit_test(neither_robot_can_stay_or_leave),
    cmocka_unit_test(what_is_not_handled_is_refused_with_the_reason),
    cmocka_unit_test(the_anytime_planners_always_have_an_answer),
    cmocka_unit_test(out_of_memory_it_falls_back),
  };
  return TEST_RUN(tests);
}
