// Replanning while robots drive: cuts, splices, and what may happen in between.

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
// 1, whose new path leads through there, waits until it has.
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

  // While the planner works they drive on, up to the cut.
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
  // (0,0) is free, but 0 is still on (1,0), where the new plan has no robot.
  assert_int_equal(status(&execution, 1).released, 3);
  assert_int_equal(status(&execution, 1).other, 0);
  at(&execution, 1, 2.0, 0.0, 1.0);
  assert_int_equal(status(&execution, 1).released, 3);
  at(&execution, 0, 2.5, 2.0, 0.0);
  assert_int_equal(status(&execution, 1).released, 4);
  fw_execution_fini(&execution);
}

// A planner that fails changes nothing: the old plan is executed to its end.
static void without_a_new_plan_the_old_one_continues(void ** state)
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

// 1 follows 0, which is stopped by an obstacle: however far ahead the cut is, 1 ends behind 0.
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
  // Without the obstacle a second cut moves forward, never back.
  assert_int_equal(fw_execution_set_obstacles(&execution, NULL, 0, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_cut(&execution, 100.0, &cut, NULL), FW_RET_OK);
  assert_int_equal(cut.ends[0].cell, 4);
  assert_int_equal(cut.ends[1].cell, 3);
  fw_execution_fini(&execution);
}

// Obstacles are cells of one grid: after a splice with another grid they must be set again, and not only changed.
static void obstacles_end_with_their_grid(void ** state)
{
  (void)state;
  DRAW(small, "...");
  DRAW(large, "...", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}};
  const fw_problem_t first = {.grid = &small, .robots = robots, .robot_count = 1};
  const fw_problem_t second = {.grid = &large, .robots = robots, .robot_count = 1};
  const fw_execution_options_t options = fw_execution_options_default();
  const fw_obstacle_change_t change = {2, true, false};
  letters_t letters = {0}, others = {0};
  fw_execution_t execution;
  assert_int_equal(fw_execution_init(&execution, &options, NULL), FW_RET_OK);
  letters_plan(&letters, &first, (const char * const[]){"EE"});
  letters_plan(&others, &second, (const char * const[]){"EE"});
  assert_int_equal(
    fw_execution_splice(&execution, &(fw_execution_splice_t){.problem = &first, .plan = &letters.plan}, NULL),
    FW_RET_OK);
  assert_int_equal(fw_execution_set_obstacles(&execution, NULL, 0, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_change_obstacles(&execution, &change, 1, NULL), FW_RET_OK);
  fw_execution_remove(&execution, 0);
  assert_int_equal(
    fw_execution_splice(&execution, &(fw_execution_splice_t){.problem = &second, .plan = &others.plan}, NULL),
    FW_RET_OK);
  assert_int_equal(fw_execution_change_obstacles(&execution, &change, 1, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_execution_set_obstacles(&execution, NULL, 0, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_change_obstacles(&execution, &change, 1, NULL), FW_RET_OK);
  fw_execution_fini(&execution);
}

// New robots must not stand on space that is released to another.
static void a_new_robot_needs_free_space(void ** state)
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

// A robot that has stopped between two cells gives its release back and drives back to the cell where it was; the robot
// that waited for it can drive.
//
//   0 > . .
//   . . 1 .
static void a_withdrawn_robot_gives_its_release_back(void ** state)
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

// The obstacle for which a robot was withdrawn is on the motion that it has to drive back: its release leads back
// nevertheless, and never only to the cell that it had not reached.
static void a_robot_that_drives_back_is_not_sent_ahead(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  fw_robot_t robots[] = {{.start = 0, .goal = 3}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 1, .robust_ticks = 1};
  letters_t letters = {0};
  fw_execution_t execution;
  fw_execution_cut_t cut;
  const fw_cell_t obstacle = 1;
  assert_int_equal(fw_execution_init(&execution, NULL, NULL), FW_RET_OK);
  letters_plan(&letters, &problem, (const char * const[]){"EEE"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan};
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  at(&execution, 0, 1.0, 0.3, 0.0);
  assert_int_equal(fw_execution_set_obstacles(&execution, &obstacle, 1, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_withdraw(&execution, 0, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_cut(&execution, 0.0, &cut, NULL), FW_RET_OK);
  robots[0].goal = 0;
  letters_plan(&letters, &problem, (const char * const[]){""});
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_set_obstacles(&execution, &obstacle, 1, NULL), FW_RET_OK);
  const int32_t first = status(&execution, 0).reached;
  assert_int_equal(status(&execution, 0).stop_at, first + 1);
  assert_int_equal(fw_execution_withdraw(&execution, 0, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(status(&execution, 0).stop_at, first + 1);
  at(&execution, 0, 2.0, 0.0, 0.0);
  assert_int_equal(status(&execution, 0).state, FW_EXECUTION_ARRIVED);
  fw_execution_fini(&execution);
}

// Robots that are not in the new problem stay, and so does their reserved space.
static void robots_outside_the_problem_stay(void ** state)
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

typedef struct run_t {
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
} run_t;

static void drive(run_t * run, int32_t steps)
{
  fw_error_t error;
  for (int32_t i = 0; i < steps; ++i) {
    assert_int_equal(fw_simulated_fleet_step(&run->fleet, &error), FW_RET_OK);
  }
}

// New goals for some robots, where the problem stays valid.
static void change_goals(run_t * run)
{
  for (int32_t i = 0; i < run->world.problem.robot_count; ++i) {
    const fw_cell_t before = run->world.robots[i].goal;
    if (fw__rng_below(&run->rng, 2) == 0) {
      run->world.robots[i].goal = fw__rng_below(&run->rng, fw_grid_cell_count(&run->world.grid));
    }
    if (fw_problem_check(&run->world.problem, NULL) != FW_RET_OK) {
      run->world.robots[i].goal = before;
    }
  }
}

// The problem from the cut: the goals of before where they are still possible, else the robot stays.
static bool make_problem(run_t * run, const fw_execution_cut_t * cut)
{
  fw_problem_t * problem = &run->world.problem;
  int32_t count = 0;
  for (int32_t i = 0; i < cut->count; ++i) {
    int32_t from = 0;
    while (run->slots[from] != cut->ends[i].robot) {
      ++from;
    }
    fw_robot_t robot = run->world.robots[from];
    robot.start = cut->ends[i].cell;
    robot.heading = cut->ends[i].heading;
    const fw_robot_t held = run->world.robots[count];
    const int32_t slot = run->slots[count];
    run->world.robots[from] = held;
    run->slots[from] = slot;
    run->world.robots[count] = robot;
    run->slots[count++] = cut->ends[i].robot;
  }
  problem->robot_count = count;
  if (fw_problem_check(problem, NULL) != FW_RET_OK) {
    return false;
  }
  change_goals(run);
  return true;
}

// Some robot stops, is withdrawn, and continues with the next plan.
static void withdraw_somebody(run_t * run)
{
  const int32_t robot = run->slots[fw__rng_below(&run->rng, run->world.problem.robot_count)];
  double x, y, speed;
  fw_simulated_fleet_stop(&run->fleet, robot, INFINITY);
  drive(run, 80);
  fw_simulated_fleet_position(&run->fleet, robot, &x, &y, &speed);
  assert_true(speed == 0.0);
  if (fw_execution_withdraw(&run->execution, robot, NULL) == FW_RET_OK) {
    run->withdrawn = robot;
  } else {  // it drives back already
    fw_simulated_fleet_stop(&run->fleet, robot, 0.0);
  }
}

// A removed robot comes back anywhere. False if there is none, or no valid place for it.
static bool bring_back(run_t * run)
{
  fw_problem_t * problem = &run->world.problem;
  if (run->removed_slot < 0 || fw__rng_below(&run->rng, 2) == 0) {
    return false;
  }
  run->removed.start = run->removed.goal = fw__rng_below(&run->rng, fw_grid_cell_count(&run->world.grid));
  run->world.robots[problem->robot_count] = run->removed;
  run->slots[problem->robot_count] = run->removed_slot;
  ++problem->robot_count;
  const bool is_right = fw_problem_check(problem, NULL) == FW_RET_OK;
  problem->robot_count -= is_right ? 0 : 1;
  return is_right;
}

static fw_ret_t solve_and_splice(run_t * run, fw_error_t * error)
{
  fw_plan_t plan;
  const fw_budget_t budget = {.expansions_max = 30000};
  assert_int_equal(fw_planner_solve(&run->planner, &run->world.problem, &budget, &plan, NULL), FW_RET_OK);
  const fw_execution_splice_t splice = {.problem = &run->world.problem, .plan = &plan, .robots = run->slots};
  return fw_execution_splice(&run->execution, &splice, error);
}

static void replan(run_t * run)
{
  fw_execution_cut_t cut;
  fw_error_t error;
  run->withdrawn = -1;
  if (fw__rng_below(&run->rng, 3) == 0) {
    withdraw_somebody(run);
  }
  const double ahead = fw__rng_below(&run->rng, 2) == 0 ? 0.0 : 0.5 * fw__rng_below(&run->rng, 20);
  assert_int_equal(fw_execution_cut(&run->execution, ahead, &cut, NULL), FW_RET_OK);
  const bool is_possible = make_problem(run, &cut);
  // While the planner works, all robots drive on.
  drive(run, fw__rng_below(&run->rng, 120));
  if (!is_possible || fw__rng_below(&run->rng, 5) == 0) {
    fw_execution_uncut(&run->execution);
    drive(run, fw__rng_below(&run->rng, 60));
    if (run->withdrawn < 0) {
      return;
    }
    assert_int_equal(fw_execution_cut(&run->execution, 0.0, &cut, NULL), FW_RET_OK);
    if (!make_problem(run, &cut)) {
      fail_msg("%s: the ends of a cut are no starts", run->world.text);
    }
  }
  const bool is_back = bring_back(run);
  fw_ret_t ret = solve_and_splice(run, &error);
  if (is_back && ret == FW_RET_INVALID_ARGUMENT) {
    --run->world.problem.robot_count;  // it stands in somebody's way: another time
    ret = solve_and_splice(run, &error);
  } else if (is_back) {
    ++run->returns;
    run->removed_slot = -1;
  }
  if (ret != FW_RET_OK) {
    fail_msg("%s: %s", run->world.text, error.text);
  }
  if (run->withdrawn >= 0) {
    fw_simulated_fleet_stop(&run->fleet, run->withdrawn, 0.0);
  }
  ++run->splices;
}

static bool begin(run_t * run, uint64_t number)
{
  static const char * const planners[] = {"hca", "whca", "lra"};
  world_make(&run->world, 20000 + number, number % 2 == 0 ? WORLD_ROBUST : WORLD_ALL & ~WORLD_COSTS, 14);
  if (run->world.problem.robot_count == 0) {
    world_fini(&run->world);
    return false;
  }
  run->world.problem.robust_ticks += run->world.problem.robust_ticks == 0 ? 1 : 0;
  run->rng = fw__rng(number);
  run->removed_slot = -1;
  fw_plan_t plan;
  assert_int_equal(fw_planner_init(&run->planner, planners[number % 3], NULL, NULL), FW_RET_OK);
  assert_true(solvable_solve(&run->planner, &run->world, &plan));
  for (int32_t i = 0; i < WORLD_ROBOTS_MAX; ++i) {
    run->slots[i] = i;
  }
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 1.0 + fw__rng_below(&run->rng, 4);
  options.retime_seconds = 0.0;
  assert_int_equal(fw_execution_init(&run->execution, &options, NULL), FW_RET_OK);
  const fw_execution_splice_t splice = {.problem = &run->world.problem, .plan = &plan};
  assert_int_equal(fw_execution_splice(&run->execution, &splice, NULL), FW_RET_OK);
  fw_simulated_fleet_options_t delays = fw_simulated_fleet_options_default();
  delays.seed = number;
  delays.slow_chance = 0.3;
  delays.stops_per_hour = 200.0;
  assert_int_equal(fw_simulated_fleet_init(&run->fleet, &run->execution, &delays, NULL), FW_RET_OK);
  return true;
}

static void replanning_while_driving_is_safe(void ** state)
{
  (void)state;
  int32_t splices = 0, returns = 0;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    static run_t run;
    memset(&run, 0, sizeof(run));
    if (!begin(&run, (uint64_t)number)) {
      continue;
    }
    for (int32_t round = 0; round < 6; ++round) {
      drive(&run, fw__rng_below(&run.rng, 150));
      if (round == 3 && run.world.problem.robot_count > 2) {
        fw_execution_remove(&run.execution, run.slots[0]);  // carried away
        run.removed = run.world.robots[0];
        run.removed_slot = run.slots[0];
        run.world.robots[0] = run.world.robots[run.world.problem.robot_count - 1];
        run.slots[0] = run.slots[--run.world.problem.robot_count];
      }
      replan(&run);
    }
    assert_int_equal(fw_simulated_fleet_run(&run.fleet, 1e5, NULL), FW_RET_OK);
    const fw_simulated_result_t result = fw_simulated_fleet_result(&run.fleet);
    if (result.overlaps > 0 || result.is_deadlock || result.arrived != result.robots) {
      fail_msg(
        "%s: %d overlaps (%d and %d), %s, %d of %d arrived", run.world.text, (int)result.overlaps,
        result.overlap_first[0], result.overlap_first[1], result.is_deadlock ? "deadlock" : "no deadlock",
        result.arrived, result.robots);
    }
    splices += run.splices;
    returns += run.returns;
    fw_simulated_fleet_fini(&run.fleet);
    fw_execution_fini(&run.execution);
    fw_planner_fini(&run.planner);
    world_fini(&run.world);
  }
  assert_true(splices > 2 * test_rounds(60));
  assert_true(returns > test_rounds(60) / 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_new_part_waits_for_the_old),
    cmocka_unit_test(without_a_new_plan_the_old_one_continues),
    cmocka_unit_test(the_ends_of_a_cut_do_not_overlap),
    cmocka_unit_test(obstacles_end_with_their_grid),
    cmocka_unit_test(a_new_robot_needs_free_space),
    cmocka_unit_test(a_withdrawn_robot_gives_its_release_back),
    cmocka_unit_test(a_robot_that_drives_back_is_not_sent_ahead),
    cmocka_unit_test(robots_outside_the_problem_stay),
    cmocka_unit_test(replanning_while_driving_is_safe),
  };
  return TEST_RUN(tests);
}
