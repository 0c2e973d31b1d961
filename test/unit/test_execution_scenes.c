// Whole scenes that can be drawn: planned, then driven with delays. And expected times against a full recomputation.

#include <math.h>
#include <stdio.h>

#include "execution/execution.h"
#include "support/draw.h"
#include "support/letters.h"
#include "support/solvable.h"
#include "support/test.h"

typedef struct scene_t {
  fw_problem_t problem;
  fw_planner_t planner;
  fw_plan_t plan;
  fw_execution_t execution;
  fw_simulated_fleet_t fleet;
  fw_error_t error;
} scene_t;

static void splice(scene_t * scene, const int32_t * robots, const fw_plan_t * plan)
{
  const fw_execution_splice_t request = {.problem = &scene->problem, .plan = plan, .robots = robots};
  if (fw_execution_splice(&scene->execution, &request, &scene->error) != FW_RET_OK) {
    fail_msg("%s", scene->error.text);
  }
}

static void begin(scene_t * scene, const char * planner, const fw_plan_t * plan, uint64_t seed)
{
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 3.0;
  assert_int_equal(fw_planner_init(&scene->planner, planner, NULL, NULL), FW_RET_OK);
  if (plan == NULL) {
    assert_int_equal(fw_planner_solve(&scene->planner, &scene->problem, NULL, &scene->plan, NULL), FW_RET_OK);
    assert_int_equal(scene->plan.outcome, FW_OUTCOME_SOLVED);
  }
  assert_int_equal(fw_execution_init(&scene->execution, &options, NULL), FW_RET_OK);
  splice(scene, NULL, plan != NULL ? plan : &scene->plan);
  fw_simulated_fleet_options_t delays = fw_simulated_fleet_options_default();
  delays.seed = seed;
  delays.slow_chance = 0.4;
  delays.stops_per_hour = 300.0;
  assert_int_equal(fw_simulated_fleet_init(&scene->fleet, &scene->execution, &delays, NULL), FW_RET_OK);
}

static void end(scene_t * scene)
{
  fw_simulated_fleet_fini(&scene->fleet);
  fw_execution_fini(&scene->execution);
  fw_planner_fini(&scene->planner);
}

static fw_execution_status_t status(const scene_t * scene, int32_t robot)
{
  fw_execution_status_t status;
  assert_int_equal(fw_execution_robot(&scene->execution, robot, &status, NULL), FW_RET_OK);
  return status;
}

// Two robots swap in a corridor with one bay: one must enter it and let the other pass, however late either is.
//
//   0 . . . . 1
//   # # . # # #
static void two_robots_swap_in_a_corridor_with_a_bay(void ** state)
{
  (void)state;
  DRAW(grid, "......", "##.###");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 5, .goal = 0}};
  for (int32_t slow = 0; slow < 2; ++slow) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
      letters_t letters = {0};
      letters_plan(&letters, &scene.problem, (const char * const[]){"EES.....NEEE", "WW.WWW"});
      begin(&scene, "hca", &letters.plan, seed);
      fw_simulated_fleet_stop(&scene.fleet, slow, 30.0);
      assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 1000.0, NULL), FW_RET_OK);
      const fw_simulated_result_t result = fw_simulated_fleet_result(&scene.fleet);
      assert_int_equal(result.overlaps, 0);
      assert_int_equal(result.arrived, 2);
      assert_true(result.seconds > 30.0);
      // Whoever was held up made the other wait.
      assert_true(result.wait_count > 0);
      assert_int_equal(result.waits[0].other, slow);
      end(&scene);
    }
  }
}

// A ring of eight cells with seven robots: each moves on by one cell, one after the other.
static void a_ring_with_one_gap_rotates(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 3, .goal = 0}, {.start = 6, .goal = 3},
                               {.start = 7, .goal = 6}, {.start = 8, .goal = 7}, {.start = 5, .goal = 8},
                               {.start = 2, .goal = 5}};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 7, .robust_ticks = 1}};
    letters_t letters = {0};
    letters_plan(
      &letters, &scene.problem, (const char * const[]){"E", ".N", "..N", "...W", "....W", ".....S", "......S"});
    begin(&scene, "hca", &letters.plan, seed);
    assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 1000.0, NULL), FW_RET_OK);
    const fw_simulated_result_t result = fw_simulated_fleet_result(&scene.fleet);
    assert_int_equal(result.overlaps, 0);
    assert_int_equal(result.arrived, 7);
    end(&scene);
  }
}

// ---- a robot that breaks down in a doorway --------------------------------------------------------------------------

static const fw_cell_t doorway = 9 + 4;  // (4,1) in both maps

// Drives until robot 0 is in the doorway, where it breaks down, and until the execution knows.
static void break_down(scene_t * scene)
{
  double x = 0.0, y = 0.0, speed = 0.0;
  for (int32_t i = 0; i < 2000 && x < 3.6; ++i) {
    assert_int_equal(fw_simulated_fleet_step(&scene->fleet, NULL), FW_RET_OK);
    fw_simulated_fleet_position(&scene->fleet, 0, &x, &y, &speed);
  }
  fw_simulated_fleet_stop(&scene->fleet, 0, INFINITY);
  for (int32_t i = 0; i < 600; ++i) {
    assert_int_equal(fw_simulated_fleet_step(&scene->fleet, NULL), FW_RET_OK);
  }
  assert_int_equal(status(scene, 0).state, FW_EXECUTION_STOPPED);
}

// With a detour: the others are planned for again from the cut, around the space reserved for the broken robot.
//
//   . . . . # . . . .
//   1 0 . . . . . . .    (4,1) is the door
//   . . . . # . . . .
//   . . . . . . . . .    and this is the detour
static void others_take_a_detour_around_a_broken_robot(void ** state)
{
  (void)state;
  DRAW(map, "....#....", ".........", "....#....", ".........");
  fw_robot_t robots[] = {{.start = 10, .goal = 17}, {.start = 9, .goal = 8}};
  scene_t scene = {.problem = {.grid = &map, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  begin(&scene, "hca", NULL, 1);
  break_down(&scene);
  assert_int_equal(status(&scene, 1).state, FW_EXECUTION_WAITING);
  assert_int_equal(status(&scene, 1).root, 0);

  fw_execution_cut_t cut;
  assert_int_equal(fw_execution_cut(&scene.execution, 0.0, &cut, NULL), FW_RET_OK);
  fw_cell_t held[16];
  const int32_t held_count = fw_execution_held(&scene.execution, 0, held, 16);
  assert_in_range(held_count, 1, 16);
  drawing_t drawing = map_drawing;
  const fw_grid_t blocked = {.width = map.width, .height = map.height, .cost = drawing.cost};
  for (int32_t i = 0; i < held_count; ++i) {
    drawing.cost[held[i]] = 0;
  }
  assert_int_equal(drawing.cost[doorway], 0);
  fw_robot_t rest = robots[1];
  rest.start = cut.ends[1].cell;
  scene.problem = (fw_problem_t){.grid = &blocked, .robots = &rest, .robot_count = 1, .robust_ticks = 1};
  assert_int_equal(fw_planner_solve(&scene.planner, &scene.problem, NULL, &scene.plan, NULL), FW_RET_OK);
  assert_int_equal(scene.plan.outcome, FW_OUTCOME_SOLVED);
  splice(&scene, (const int32_t[]){1}, &scene.plan);
  assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 500.0, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 1).state, FW_EXECUTION_ARRIVED);
  assert_int_equal(fw_simulated_fleet_result(&scene.fleet).overlaps, 0);
  end(&scene);
}

// Without a detour the others wait, and the reason names the broken robot.
static void without_a_detour_they_wait_and_name_the_robot(void ** state)
{
  (void)state;
  DRAW(map, "....#....", ".........", "....#....");
  const fw_robot_t robots[] = {{.start = 10, .goal = 17}, {.start = 9, .goal = 16}, {.start = 0, .goal = 15}};
  scene_t scene = {.problem = {.grid = &map, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  begin(&scene, "hca", NULL, 2);
  break_down(&scene);
  assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 300.0, NULL), FW_RET_OK);
  const fw_simulated_result_t result = fw_simulated_fleet_result(&scene.fleet);
  assert_int_equal(result.overlaps, 0);
  assert_int_equal(result.arrived, 0);
  for (int32_t robot = 1; robot < 3; ++robot) {
    char text[200];
    fw_execution_describe(&scene.execution, robot, text, sizeof(text));
    assert_int_equal(status(&scene, robot).state, FW_EXECUTION_WAITING);
    assert_int_equal(status(&scene, robot).root, 0);
    assert_true(status(&scene, robot).expected == INFINITY);
    assert_non_null(strstr(text, "robot 0 has not moved for"));
  }
  // Repaired, it drives on, and so do they.
  fw_simulated_fleet_stop(&scene.fleet, 0, 0.0);
  assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 1000.0, NULL), FW_RET_OK);
  assert_int_equal(fw_simulated_fleet_result(&scene.fleet).arrived, 3);
  end(&scene);
}

// A robot without odometry drives on to the end of its release; no other robot comes near; then it reports again.
static void silence_costs_time_and_nothing_else(void ** state)
{
  (void)state;
  DRAW(map, "....#....", ".........", "....#....");
  const fw_robot_t robots[] = {{.start = 10, .goal = 17}, {.start = 9, .goal = 16}};
  scene_t scene = {.problem = {.grid = &map, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  begin(&scene, "hca", NULL, 3);
  fw_simulated_fleet_silence(&scene.fleet, 0, true);
  assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 100.0, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_STALE);
  fw_simulated_fleet_silence(&scene.fleet, 0, false);
  assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 1000.0, NULL), FW_RET_OK);
  const fw_simulated_result_t result = fw_simulated_fleet_result(&scene.fleet);
  assert_int_equal(result.arrived, 2);
  assert_int_equal(result.overlaps, 0);
  assert_int_equal(status(&scene, 0).gaps, 1);
  end(&scene);
}

// ---- the same twice -------------------------------------------------------------------------------------------------

static void the_same_seed_gives_the_same_run(void ** state)
{
  (void)state;
  double seconds[3];
  for (int32_t i = 0; i < 3; ++i) {
    world_t world;
    world_make(&world, 31, WORLD_ROBUST, 12);
    world.problem.robust_ticks = 1;
    scene_t scene = {.problem = {0}};
    assert_int_equal(fw_planner_init(&scene.planner, "hca", NULL, NULL), FW_RET_OK);
    assert_true(solvable_solve(&scene.planner, &world, &scene.plan));
    scene.problem = world.problem;
    fw_planner_fini(&scene.planner);
    begin(&scene, "hca", NULL, i == 2 ? 8 : 7);
    assert_int_equal(fw_simulated_fleet_run(&scene.fleet, 1e4, NULL), FW_RET_OK);
    const fw_simulated_result_t result = fw_simulated_fleet_result(&scene.fleet);
    seconds[i] = result.delay_sum + result.nearest;
    end(&scene);
    world_fini(&world);
  }
  assert_true(seconds[0] == seconds[1]);
  assert_true(seconds[0] != seconds[2]);
}

// ---- times ----------------------------------------------------------------------------------------------------------

// Expected times computed only where something has changed equal those of a full pass.
static void incremental_retiming_equals_a_full_pass(void ** state)
{
  (void)state;
  int64_t retimed = 0, all = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(20); ++number) {
    world_t world;
    world_make(&world, 400 + number, WORLD_ALL & ~WORLD_COSTS, 16);
    world.problem.robust_ticks = 1;
    fw_planner_t planner;
    fw_plan_t plan;
    fw_execution_t execution;
    fw_simulated_fleet_t fleet;
    fw_execution_options_t options = fw_execution_options_default();
    options.retime_seconds = 0.0;
    assert_int_equal(fw_planner_init(&planner, "hca", NULL, NULL), FW_RET_OK);
    assert_true(solvable_solve(&planner, &world, &plan));
    assert_int_equal(fw_execution_init(&execution, &options, NULL), FW_RET_OK);
    const fw_execution_splice_t request = {.problem = &world.problem, .plan = &plan};
    assert_int_equal(fw_execution_splice(&execution, &request, NULL), FW_RET_OK);
    fw_simulated_fleet_options_t delays = fw_simulated_fleet_options_default();
    delays.stops_per_hour = 600.0;
    delays.seed = number;
    assert_int_equal(fw_simulated_fleet_init(&fleet, &execution, &delays, NULL), FW_RET_OK);
    for (int32_t step = 0; step < 400; ++step) {
      assert_int_equal(fw_simulated_fleet_step(&fleet, NULL), FW_RET_OK);
      if (step % 7 == 0) {
        fw_execution_update(&execution, 0.05 * (step + 1));
        const fw_dependency_graph_t * graph = fw__execution_graph_const(execution.impl);
        for (int32_t i = 0; i < graph->node_count; ++i) {
          const int32_t node = graph->topological_order[i];
          if (!fw__execution_is_reached(execution.impl, node)) {
            assert_true(graph->nodes[node].expected == fw__retiming_expected(execution.impl, node));
            ++all;
          }
        }
      }
    }
    retimed += fw_execution_stats(&execution).retimed;
    fw_simulated_fleet_fini(&fleet);
    fw_execution_fini(&execution);
    fw_planner_fini(&planner);
    world_fini(&world);
  }
  assert_true(retimed < 2 * all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_robots_swap_in_a_corridor_with_a_bay),
    cmocka_unit_test(a_ring_with_one_gap_rotates),
    cmocka_unit_test(others_take_a_detour_around_a_broken_robot),
    cmocka_unit_test(without_a_detour_they_wait_and_name_the_robot),
    cmocka_unit_test(silence_costs_time_and_nothing_else),
    cmocka_unit_test(the_same_seed_gives_the_same_run),
    cmocka_unit_test(incremental_retiming_equals_a_full_pass),
  };
  return TEST_RUN(tests);
}
