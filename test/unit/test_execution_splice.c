// Replanning while robots drive: cuts, splices, and everything that may happen in between.

#include <math.h>
#include <stdio.h>

#include "fleetweave/execution.h"
#include "support/draw.h"
#include "support/letters.h"
#include "support/solvable.h"
#include "support/test.h"

// ---- by hand --------------------------------------------------------------------------------------------------------

static fw_execution_status_t status(const fw_execution_t * execution, int32_t robot)
{
  fw_execution_status_t status;
  assert_int_equal(fw_execution_robot(execution, robot, &status, NULL), FW_RET_OK);
  return status;
}

static void at(fw_execution_t * execution, int32_t robot, double time, double x, double y)
{
  const fw_execution_measure_t measure = {.time = time, .x = x, .y = y};
  assert_int_equal(fw_execution_report(execution, robot, &measure, NULL), FW_RET_OK);
}

// 0 is released two cells to the east and gets a new goal in the south: it still drives to the end of its release, and
// 1, whose new plan goes through there, waits until it has.
//
//   0 . . .
//   . . 1 .
static void the_new_part_waits_for_the_old(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 6, .goal = 4}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 2.0;
  letters_t letters = {0};
  fw_execution_t execution;
  fw_execution_cut_t cut;
  fw_error_t error;
  assert_int_equal(fw_execution_init(&execution, &options, NULL), FW_RET_OK);
  letters_plan(&letters, &problem, (const char * const[]){"EEE", "WW"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  assert_int_equal(status(&execution, 0).released, 2);
  at(&execution, 1, 1.0, 5.0 - 4.0, 1.0);
  assert_int_equal(fw_execution_cut(&execution, 0.0, &cut, NULL), FW_RET_OK);
  assert_int_equal(cut.count, 2);
  assert_int_equal(cut.ends[0].cell, 2);
  assert_int_equal(cut.ends[1].cell, 4);
  assert_false(cut.ends[0].is_standing);

  // While the planner works they go on, up to the cut.
  at(&execution, 0, 1.5, 1.0, 0.0);
  assert_int_equal(status(&execution, 0).released, 2);
  assert_int_equal(status(&execution, 0).wait, FW_EXECUTION_WAIT_CUT);

  // Not from where they are now, but from the cut.
  robots[0].start = 1;
  robots[0].goal = 6;
  letters_plan(&letters, &problem, (const char * const[]){"S", ""});
  assert_int_equal(fw_execution_splice(&execution, &splice, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "robot 0 must begin at (2,0)"));
  assert_int_equal(status(&execution, 0).wait, FW_EXECUTION_WAIT_CUT);

  robots[0].start = 2;
  robots[1].start = 4;
  robots[1].goal = 1;
  letters_plan(&letters, &problem, (const char * const[]){"S", "NE"});
  assert_int_equal(fw_execution_splice(&execution, &splice, &error), FW_RET_OK);
  assert_int_equal(status(&execution, 0).reached, 1);
  assert_int_equal(status(&execution, 0).released, 3);
  // (0,0) is free, (1,0) is where 0 is: by the new plan nobody is there.
  assert_int_equal(status(&execution, 1).released, 3);
  assert_int_equal(status(&execution, 1).other, 0);
  at(&execution, 1, 2.0, 0.0, 1.0);
  assert_int_equal(status(&execution, 1).released, 3);
  at(&execution, 0, 2.5, 2.0, 0.0);
  assert_int_equal(status(&execution, 1).released, 4);
  fw_execution_fini(&execution);
}

// A planner that fails changes nothing: the old plan is executed to its end.
static void without_a_plan_the_old_one_goes_on(void ** state)
{
  (void)state;
  DRAW(grid, ".....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 4}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 1};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 1.0;
  letters_t letters = {0};
  fw_execution_t execution;
  fw_execution_cut_t cut;
  assert_int_equal(fw_execution_init(&execution, &options, NULL), FW_RET_OK);
  letters_plan(&letters, &problem, (const char * const[]){"EEEE"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_cut(&execution, 0.0, &cut, NULL), FW_RET_OK);
  at(&execution, 0, 1.0, 1.0, 0.0);
  assert_int_equal(status(&execution, 0).released, 1);
  fw_execution_uncut(&execution);
  assert_int_equal(status(&execution, 0).released, 2);
  // A cut with time for the planner is further away.
  assert_int_equal(fw_execution_cut(&execution, 2.5, &cut, NULL), FW_RET_OK);
  assert_int_equal(cut.ends[0].cell, 3);
  assert_int_equal(fw_execution_cut(&execution, -1.0, &cut, NULL), FW_RET_INVALID_ARGUMENT);
  fw_execution_fini(&execution);
}

// 1 follows 0, which an obstacle keeps from going on: however far ahead the cut is, 1 ends before 0 does.
static void the_ends_of_a_cut_do_not_overlap(void ** state)
{
  (void)state;
  DRAW(grid, ".....");
  const fw_robot_t robots[] = {{.start = 1, .goal = 4}, {.start = 0, .goal = 3}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 1.0;
  letters_t letters = {0};
  fw_execution_t execution;
  fw_execution_cut_t cut;
  assert_int_equal(fw_execution_init(&execution, &options, NULL), FW_RET_OK);
  letters_plan(&letters, &problem, (const char * const[]){"EEE", ".EEE"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_set_obstacles(&execution, (const fw_cell_t[]){3}, 1, NULL), FW_RET_OK);
  fw_execution_update(&execution, 0.1);
  assert_int_equal(fw_execution_cut(&execution, 100.0, &cut, NULL), FW_RET_OK);
  assert_int_equal(cut.ends[0].cell, 2);
  assert_int_equal(cut.ends[1].cell, 1);
  // The obstacle goes: a cut in place of the cut moves on, never back.
  assert_int_equal(fw_execution_set_obstacles(&execution, NULL, 0, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_cut(&execution, 100.0, &cut, NULL), FW_RET_OK);
  assert_int_equal(cut.ends[0].cell, 4);
  assert_int_equal(cut.ends[1].cell, 3);
  fw_execution_fini(&execution);
}

// New robots must not stand where somebody has been released to.
static void a_new_robot_needs_a_place(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 2, .goal = 2}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 1, .robust_ticks = 1};
  letters_t letters = {0};
  fw_execution_t execution;
  fw_error_t error;
  assert_int_equal(fw_execution_init(&execution, NULL, NULL), FW_RET_OK);
  letters_plan(&letters, &problem, (const char * const[]){"EEE", ""});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  problem.robot_count = 2;
  robots[0].start = 3;
  letters_plan(&letters, &problem, (const char * const[]){"", ""});
  assert_int_equal(fw_execution_splice(&execution, &splice, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "robot 1"));
  robots[1].start = robots[1].goal = 6;
  letters_plan(&letters, &problem, (const char * const[]){"", ""});
  assert_int_equal(fw_execution_splice(&execution, &splice, &error), FW_RET_OK);
  assert_int_equal(status(&execution, 0).released, 3);
  fw_execution_fini(&execution);
}

// A robot that has stopped between two cells gives its way back and drives back to the one where it was; whom it kept
// waiting can go.
//
//   0 > . .
//   . . 1 .
static void a_robot_that_withdraws_gives_its_way_back(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 6, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  letters_t letters = {0};
  fw_execution_t execution;
  fw_execution_cut_t cut;
  assert_int_equal(fw_execution_init(&execution, NULL, NULL), FW_RET_OK);
  letters_plan(&letters, &problem, (const char * const[]){"EEE", "...N"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  at(&execution, 0, 1.0, 0.5, 0.0);
  at(&execution, 1, 1.0, 2.0, 1.0);
  assert_int_equal(fw_execution_withdraw(&execution, 0, NULL), FW_RET_OK);
  assert_int_equal(status(&execution, 0).state, FW_EXECUTION_WITHDRAWN);
  assert_int_equal(status(&execution, 0).stop_at, 0);
  assert_int_equal(status(&execution, 1).released, 0);
  assert_int_equal(fw_execution_cut(&execution, 0.0, &cut, NULL), FW_RET_OK);
  assert_int_equal(cut.ends[0].cell, 0);
  assert_false(cut.ends[0].is_standing);
  robots[0].goal = 4;
  letters_plan(&letters, &problem, (const char * const[]){".S", "N"});
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  const int32_t first = status(&execution, 0).reached;
  assert_true(first >= 3);  // numbers rise
  assert_int_equal(status(&execution, 0).released, first + 2);
  assert_int_equal(status(&execution, 1).released, status(&execution, 1).end);
  fw_cell_t held[8];
  assert_int_equal(fw_execution_held(&execution, 0, held, 8), 3);
  at(&execution, 0, 2.0, 0.3, 0.0);
  assert_true(fabs(status(&execution, 0).place - 0.7) < 1e-9);
  at(&execution, 0, 3.0, 0.05, 0.0);
  assert_int_equal(status(&execution, 0).reached, first + 1);
  at(&execution, 0, 4.0, 0.0, 1.0);
  assert_int_equal(status(&execution, 0).state, FW_EXECUTION_ARRIVED);
  fw_execution_fini(&execution);
}

// Robots that are not in the new problem stay and hold what they hold.
static void who_is_left_out_stays(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 4, .goal = 7}};
  const fw_robot_t other[] = {{.start = 7, .goal = 1}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  const fw_problem_t rest = {.grid = &grid, .robots = other, .robot_count = 1, .robust_ticks = 1};
  letters_t letters = {0};
  fw_execution_t execution;
  fw_error_t error;
  assert_int_equal(fw_execution_init(&execution, NULL, NULL), FW_RET_OK);
  letters_plan(&letters, &problem, (const char * const[]){"E", "EEE"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  letters_t next = {0};
  letters_plan(&next, &rest, (const char * const[]){"NWW"});
  const fw_execution_splice_t second = {.problem = &rest, .plan = &next.plan, .robots = (const int32_t[]){1}};
  assert_int_equal(fw_execution_splice(&execution, &second, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "robot 1 is to enter (1,0), where robot 0 stays"));
  letters_plan(&next, &rest, (const char * const[]){"NW"});
  assert_int_equal(fw_execution_splice(&execution, &second, &error), FW_RET_OK);
  assert_int_equal(status(&execution, 0).released, 1);
  fw_execution_remove(&execution, 0);
  assert_int_equal(fw_execution_robot(&execution, 0, &(fw_execution_status_t){0}, NULL), FW_RET_INVALID_ARGUMENT);
  fw_execution_fini(&execution);
}

// ---- at random ------------------------------------------------------------------------------------------------------

typedef struct story_t {
  world_t world;
  fw_planner_t planner;
  fw_execution_t execution;
  fw_simulated_fleet_t fleet;
  fw_rng_t rng;
  int32_t slots[WORLD_ROBOTS_MAX];  // of the problem's robots
  int32_t withdrawn;
  fw_robot_t removed;    // a robot that was carried away and may come back,
  int32_t removed_slot;  // -1: nobody
  int32_t splices;
  int32_t returns;
} story_t;

static void drive(story_t * story, int32_t steps)
{
  fw_error_t error;
  for (int32_t i = 0; i < steps; ++i) {
    assert_int_equal(fw_simulated_fleet_step(&story->fleet, &error), FW_RET_OK);
  }
}

// New goals for some, where the problem stays a right one.
static void change_goals(story_t * story)
{
  for (int32_t i = 0; i < story->world.problem.robot_count; ++i) {
    const fw_cell_t before = story->world.robots[i].goal;
    if (fw__rng_below(&story->rng, 2) == 0) {
      story->world.robots[i].goal = fw__rng_below(&story->rng, fw_grid_cell_count(&story->world.grid));
    }
    if (fw_problem_check(&story->world.problem, NULL) != FW_RET_OK) {
      story->world.robots[i].goal = before;
    }
  }
}

// The problem from the cut: goals of before where they are still possible, else to stay.
static bool make_problem(story_t * story, const fw_execution_cut_t * cut)
{
  fw_problem_t * problem = &story->world.problem;
  int32_t count = 0;
  for (int32_t i = 0; i < cut->count; ++i) {
    int32_t from = 0;
    while (story->slots[from] != cut->ends[i].robot) {
      ++from;
    }
    fw_robot_t robot = story->world.robots[from];
    robot.start = cut->ends[i].cell;
    robot.heading = cut->ends[i].heading;
    const fw_robot_t held = story->world.robots[count];
    const int32_t slot = story->slots[count];
    story->world.robots[from] = held;
    story->slots[from] = slot;
    story->world.robots[count] = robot;
    story->slots[count++] = cut->ends[i].robot;
  }
  problem->robot_count = count;
  if (fw_problem_check(problem, NULL) != FW_RET_OK) {
    return false;
  }
  change_goals(story);
  return true;
}

// Somebody stops, gives its word, and goes on by the next plan.
static void withdraw_somebody(story_t * story)
{
  const int32_t robot = story->slots[fw__rng_below(&story->rng, story->world.problem.robot_count)];
  double x, y, speed;
  fw_simulated_fleet_stop(&story->fleet, robot, INFINITY);
  drive(story, 80);
  fw_simulated_fleet_position(&story->fleet, robot, &x, &y, &speed);
  assert_true(speed == 0.0);
  if (fw_execution_withdraw(&story->execution, robot, NULL) == FW_RET_OK) {
    story->withdrawn = robot;
  }
}

// Who was carried away comes back, anywhere. False if there is nobody, or no place by the problem alone.
static bool bring_back(story_t * story)
{
  fw_problem_t * problem = &story->world.problem;
  if (story->removed_slot < 0 || fw__rng_below(&story->rng, 2) == 0) {
    return false;
  }
  story->removed.start = story->removed.goal = fw__rng_below(&story->rng, fw_grid_cell_count(&story->world.grid));
  story->world.robots[problem->robot_count] = story->removed;
  story->slots[problem->robot_count] = story->removed_slot;
  ++problem->robot_count;
  const bool is_right = fw_problem_check(problem, NULL) == FW_RET_OK;
  problem->robot_count -= is_right ? 0 : 1;
  return is_right;
}

static fw_ret_t solve_and_splice(story_t * story, fw_error_t * error)
{
  fw_plan_t plan;
  const fw_budget_t budget = {.expansions_max = 30000};
  assert_int_equal(fw_planner_solve(&story->planner, &story->world.problem, &budget, &plan, NULL), FW_RET_OK);
  const fw_execution_splice_t splice = {.problem = &story->world.problem, .plan = &plan, .robots = story->slots};
  return fw_execution_splice(&story->execution, &splice, error);
}

static void replan(story_t * story)
{
  fw_execution_cut_t cut;
  fw_error_t error;
  story->withdrawn = -1;
  if (fw__rng_below(&story->rng, 3) == 0) {
    withdraw_somebody(story);
  }
  const double ahead = fw__rng_below(&story->rng, 2) == 0 ? 0.0 : 0.5 * fw__rng_below(&story->rng, 20);
  assert_int_equal(fw_execution_cut(&story->execution, ahead, &cut, NULL), FW_RET_OK);
  const bool is_possible = make_problem(story, &cut);
  // While the planner works, everybody goes on.
  drive(story, fw__rng_below(&story->rng, 120));
  if (!is_possible || fw__rng_below(&story->rng, 5) == 0) {
    fw_execution_uncut(&story->execution);
    drive(story, fw__rng_below(&story->rng, 60));
    if (story->withdrawn < 0) {
      return;
    }
    assert_int_equal(fw_execution_cut(&story->execution, 0.0, &cut, NULL), FW_RET_OK);
    if (!make_problem(story, &cut)) {
      fail_msg("%s: the ends of a cut are no starts", story->world.text);
    }
  }
  const bool is_back = bring_back(story);
  fw_ret_t ret = solve_and_splice(story, &error);
  if (is_back && ret == FW_RET_INVALID_ARGUMENT) {
    --story->world.problem.robot_count;  // it stands in somebody's way: another time
    ret = solve_and_splice(story, &error);
  } else if (is_back) {
    ++story->returns;
    story->removed_slot = -1;
  }
  if (ret != FW_RET_OK) {
    fail_msg("%s: %s", story->world.text, error.text);
  }
  if (story->withdrawn >= 0) {
    fw_simulated_fleet_stop(&story->fleet, story->withdrawn, 0.0);
  }
  ++story->splices;
}

static bool begin(story_t * story, uint64_t number)
{
  static const char * const planners[] = {"hca", "whca", "lra"};
  world_make(&story->world, 20000 + number, number % 2 == 0 ? WORLD_ROBUST : WORLD_ALL & ~WORLD_COSTS, 14);
  if (story->world.problem.robot_count == 0) {
    world_fini(&story->world);
    return false;
  }
  story->world.problem.robust_ticks += story->world.problem.robust_ticks == 0 ? 1 : 0;
  story->rng = fw__rng(number);
  story->removed_slot = -1;
  fw_plan_t plan;
  assert_int_equal(fw_planner_init(&story->planner, planners[number % 3], NULL, NULL), FW_RET_OK);
  assert_true(solvable_solve(&story->planner, &story->world, &plan));
  for (int32_t i = 0; i < WORLD_ROBOTS_MAX; ++i) {
    story->slots[i] = i;
  }
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 1.0 + fw__rng_below(&story->rng, 4);
  options.retime_seconds = 0.0;
  assert_int_equal(fw_execution_init(&story->execution, &options, NULL), FW_RET_OK);
  const fw_execution_splice_t splice = {.problem = &story->world.problem, .plan = &plan};
  assert_int_equal(fw_execution_splice(&story->execution, &splice, NULL), FW_RET_OK);
  fw_simulated_fleet_options_t delays = fw_simulated_fleet_options_default();
  delays.seed = number;
  delays.slow_chance = 0.3;
  delays.stops_per_hour = 200.0;
  assert_int_equal(fw_simulated_fleet_init(&story->fleet, &story->execution, &delays, NULL), FW_RET_OK);
  return true;
}

static void replanning_while_driving_is_safe(void ** state)
{
  (void)state;
  int32_t splices = 0, returns = 0;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    static story_t story;
    memset(&story, 0, sizeof(story));
    if (!begin(&story, (uint64_t)number)) {
      continue;
    }
    for (int32_t round = 0; round < 6; ++round) {
      drive(&story, fw__rng_below(&story.rng, 150));
      if (round == 3 && story.world.problem.robot_count > 2) {
        fw_execution_remove(&story.execution, story.slots[0]);  // carried away
        story.removed = story.world.robots[0];
        story.removed_slot = story.slots[0];
        story.world.robots[0] = story.world.robots[story.world.problem.robot_count - 1];
        story.slots[0] = story.slots[--story.world.problem.robot_count];
      }
      replan(&story);
    }
    assert_int_equal(fw_simulated_fleet_run(&story.fleet, 1e5, NULL), FW_RET_OK);
    const fw_simulated_result_t result = fw_simulated_fleet_result(&story.fleet);
    if (result.overlaps > 0 || result.is_deadlock || result.arrived != result.robots) {
      fail_msg(
        "%s: %d overlaps (%d and %d), %s, %d of %d arrived", story.world.text, (int)result.overlaps,
        result.overlap_first[0], result.overlap_first[1], result.is_deadlock ? "deadlock" : "no deadlock",
        result.arrived, result.robots);
    }
    splices += story.splices;
    returns += story.returns;
    fw_simulated_fleet_fini(&story.fleet);
    fw_execution_fini(&story.execution);
    fw_planner_fini(&story.planner);
    world_fini(&story.world);
  }
  assert_true(splices > 2 * test_rounds(60));
  assert_true(returns > test_rounds(60) / 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_new_part_waits_for_the_old),
    cmocka_unit_test(without_a_plan_the_old_one_goes_on),
    cmocka_unit_test(the_ends_of_a_cut_do_not_overlap),
    cmocka_unit_test(a_new_robot_needs_a_place),
    cmocka_unit_test(a_robot_that_withdraws_gives_its_way_back),
    cmocka_unit_test(who_is_left_out_stays),
    cmocka_unit_test(replanning_while_driving_is_safe),
  };
  return TEST_RUN(tests);
}
