// Closures for every planner that takes them: doors that open, goals that close, places where nobody can stay.

#include "fleetweave/planner_def.h"
#include "support/planner_features.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

typedef struct answer_t {
  fw_planner_t planner;
  fw_plan_t plan;
  fw_error_t error;
} answer_t;

// Solves, and holds the answer against the check; the caller ends it.
static void solve(answer_t * answer, const fw_planner_def_t * def, const fw_problem_t * problem)
{
  const fw_budget_t budget = {.expansions_max = 200000};
  fw_conflict_t conflict;
  *answer = (answer_t){0};
  assert_int_equal(fw_planner_init(&answer->planner, def->name, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&answer->planner, problem, &budget, &answer->plan, &answer->error), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &answer->plan, NULL, &conflict, NULL), FW_RET_OK);
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[160];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    fail_msg("%s: %s", def->name, text);
  }
}

#define EACH_PLANNER(def)                                                             \
  const fw_planner_def_t * def = fw_planner_def_at(0);                                \
  for (int32_t planner_ = 0; (def = fw_planner_def_at(planner_)) != NULL; ++planner_) \
    if (planner_features_within(def, WORLD_CLOSURES) != 0)

// The door in the middle is closed up to tick 10: the robot is on it at tick 11 and at its goal at tick 13.
static void a_door_that_opens_delays_a_robot_to_the_right_tick(void ** state)
{
  (void)state;
  DRAW(corridor, ".....");
  const fw_robot_t robot = {.start = 0, .goal = 4};
  const fw_closure_t doors[] = {{2, 0, 6}, {2, 5, 10}};
  const fw_problem_t problem = {
    .grid = &corridor, .robots = &robot, .robot_count = 1, .closures = doors, .closure_count = 2};
  EACH_PLANNER(def)
  {
    answer_t answer;
    solve(&answer, def, &problem);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(answer.plan.stats.makespan, 13);
    assert_int_equal(fw_path_at(&answer.plan.paths[0], 11), 2);
    fw_planner_fini(&answer.planner);
  }
}

// The floor rolls up behind the robot and unrolls before it: it leaves a cell in the tick in which that closes and
// enters the next in the tick in which it opens. That is no swap: a closure does not move.
static void a_robot_may_go_where_a_closure_goes(void ** state)
{
  (void)state;
  DRAW(corridor, "....");
  const fw_robot_t robot = {.start = 0, .goal = 3};
  const fw_closure_t floor[] = {{0, 4, FW_TICK_MAX}, {1, 0, 3}, {1, 5, FW_TICK_MAX}, {2, 0, 4}, {2, 6, FW_TICK_MAX}};
  fw_problem_t problem = {.grid = &corridor, .robots = &robot, .robot_count = 1, .closures = floor, .closure_count = 5};
  EACH_PLANNER(def)
  {
    for (problem.connectivity = 4; problem.connectivity <= 8; problem.connectivity += 4) {
      answer_t answer;
      solve(&answer, def, &problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(answer.plan.stats.makespan, 6);
      fw_planner_fini(&answer.planner);
    }
  }
}

// A robot on its goal steps aside while that is closed, and is back in the tick in which it opens.
static void a_goal_that_closes_for_a_time_is_left_and_reached_again(void ** state)
{
  (void)state;
  DRAW(corridor, "...");
  const fw_robot_t robot = {.start = 1, .goal = 1};
  const fw_closure_t closure = {1, 5, 8};
  const fw_problem_t problem = {
    .grid = &corridor, .robots = &robot, .robot_count = 1, .closures = &closure, .closure_count = 1};
  EACH_PLANNER(def)
  {
    answer_t answer;
    solve(&answer, def, &problem);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(answer.plan.stats.makespan, 9);
    fw_planner_fini(&answer.planner);
  }
}

// A closure across the only path or on the goal: the planner proves it, names the robot, and all robots wait.
static void closed_for_ever_is_unsolvable(void ** state)
{
  (void)state;
  DRAW(corridor, ".....");
  const fw_robot_t robots[] = {{.start = 4, .goal = 3}, {.start = 0, .goal = 4}};
  const fw_closure_t closures[] = {{2, 1, FW_TICK_MAX}, {4, 9, FW_TICK_MAX}};
  EACH_PLANNER(def)
  {
    for (int32_t i = 0; i < 2; ++i) {
      const fw_problem_t problem = {
        .grid = &corridor, .robots = robots, .robot_count = 2, .closures = &closures[i], .closure_count = 1};
      answer_t answer;
      solve(&answer, def, &problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_UNSOLVABLE);
      assert_int_equal(answer.error.fault, FW_FAULT_NO_VALID_PATH);
      assert_int_equal(answer.error.robot, 1);
      assert_int_equal(answer.plan.safe_until, i == 0 ? FW_TICK_MAX : 8);  // robot 0 waits on (4,0)
      fw_planner_fini(&answer.planner);
    }
  }
}

// A complete planner proves that there is no plan; others may (`improve`, if it asks `lacam`).
static bool is_denied(const fw_planner_def_t * def, const fw_plan_t * plan)
{
  return plan->outcome == FW_OUTCOME_UNSOLVABLE || (plan->outcome == FW_OUTCOME_PARTIAL && !def->is_complete);
}

// Two robots want to change places in a corridor, which nobody can solve. The start of one closes at tick 7: no answer
// may call itself safe for longer unless it takes that robot away.
static void nobody_is_parked_where_it_closes(void ** state)
{
  (void)state;
  DRAW(corridor, ".....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 4}, {.start = 4, .goal = 0}};
  const fw_closure_t closures[] = {{0, 7, 20}, {4, 9, 20}};
  const fw_problem_t problem = {
    .grid = &corridor, .robots = robots, .robot_count = 2, .closures = closures, .closure_count = 2};
  EACH_PLANNER(def)
  {
    answer_t answer;
    solve(&answer, def, &problem);
    assert_true(is_denied(def, &answer.plan));
    assert_true(answer.plan.safe_until >= 6 && answer.plan.safe_until < FW_TICK_MAX);
    for (int32_t r = 0; r < 2; ++r) {
      const bool has_left = fw_path_at(&answer.plan.paths[r], closures[r].from) != robots[r].start;
      assert_true(has_left || answer.plan.safe_until < closures[r].from);
    }
    fw_planner_fini(&answer.planner);
  }
}

// The robot on the lift (cell 2) has nowhere to go before it closes at tick 3: the walls are other robots at rest.
static void a_robot_that_can_neither_stay_nor_go(void ** state)
{
  (void)state;
  DRAW(grid, "...", "#.#");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 0}, {.start = 2, .goal = 2}, {.start = 1, .goal = 4}, {.start = 4, .goal = 1}};
  const fw_closure_t closure = {1, 3, 5};
  const fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 4, .closures = &closure, .closure_count = 1};
  EACH_PLANNER(def)
  {
    answer_t answer;
    solve(&answer, def, &problem);
    assert_true(is_denied(def, &answer.plan));
    assert_int_equal(answer.plan.safe_until, 2);
    fw_planner_fini(&answer.planner);
  }
}

// Without a single expansion everybody waits, as long as that is safe.
static void out_of_budget_is_safe_as_long_as_it_says(void ** state)
{
  (void)state;
  DRAW(corridor, ".....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 4, .goal = 3}};
  const fw_closure_t closures[] = {{4, 30, 30}, {0, 12, 12}, {2, 0, FW_TICK_MAX}};
  const fw_problem_t problem = {
    .grid = &corridor, .robots = robots, .robot_count = 2, .closures = closures, .closure_count = 3};
  EACH_PLANNER(def)
  {
    fw_planner_t planner;
    fw_plan_t plan;
    const fw_budget_t budget = {.expansions_max = 1};
    assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, &budget, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
    assert_int_equal(plan.safe_until, 11);
    fw_planner_fini(&planner);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_door_that_opens_delays_a_robot_to_the_right_tick),
    cmocka_unit_test(a_robot_may_go_where_a_closure_goes),
    cmocka_unit_test(a_goal_that_closes_for_a_time_is_left_and_reached_again),
    cmocka_unit_test(closed_for_ever_is_unsolvable),
    cmocka_unit_test(nobody_is_parked_where_it_closes),
    cmocka_unit_test(a_robot_that_can_neither_stay_nor_go),
    cmocka_unit_test(out_of_budget_is_safe_as_long_as_it_says),
  };
  return TEST_RUN(tests);
}
