// Faults, robot by robot: late, stopped, off its path, silent, back again, removed, obstructed, new map.

#include <math.h>

#include "execution/execution.h"
#include "support/draw.h"
#include "support/letters.h"
#include "support/tally.h"
#include "support/test.h"

typedef struct scene_t {
  fw_problem_t problem;
  letters_t letters;
  fw_execution_t execution;
  fw_error_t error;
} scene_t;

static void begin(scene_t * scene, const fw_execution_options_t * options, const char * const * words)
{
  assert_int_equal(fw_execution_init(&scene->execution, options, NULL), FW_RET_OK);
  letters_plan(&scene->letters, &scene->problem, words);
  const fw_execution_splice_t splice = {.problem = &scene->problem, .plan = &scene->letters.plan};
  assert_int_equal(fw_execution_splice(&scene->execution, &splice, &scene->error), FW_RET_OK);
}

static fw_execution_status_t status(const scene_t * scene, int32_t robot)
{
  fw_execution_status_t status;
  assert_int_equal(fw_execution_robot(&scene->execution, robot, &status, NULL), FW_RET_OK);
  return status;
}

static fw_ret_t at(scene_t * scene, int32_t robot, double time, double x, double y)
{
  const fw_execution_measure_t measure = {.time = time, .x = x, .y = y};
  return fw_execution_report(&scene->execution, robot, &measure, &scene->error);
}

static const char * words_of(const scene_t * scene, int32_t robot)
{
  static char text[200];
  fw_execution_describe(&scene->execution, robot, text, sizeof(text));
  return text;
}

// ---- progress -------------------------------------------------------------------------------------------------------

// East three cells, back two, and on: the same cells twice. A position means the first visit until that is over.
static void a_place_that_is_visited_twice_is_not_confused(void ** state)
{
  (void)state;
  DRAW(grid, ".....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  begin(&scene, NULL, (const char * const[]){"EEEWWEW"});
  assert_int_equal(status(&scene, 0).released, 3);  // to where it turns back, not on
  assert_int_equal(status(&scene, 0).wait, FW_EXECUTION_WAIT_PROGRESS);
  assert_int_equal(at(&scene, 0, 1.0, 2.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).reached, 2);
  assert_int_equal(status(&scene, 0).released, 3);
  assert_int_equal(at(&scene, 0, 2.0, 3.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).reached, 3);
  assert_int_equal(status(&scene, 0).released, 5);
  assert_int_equal(at(&scene, 0, 3.0, 2.5, 0.0), FW_RET_OK);
  assert_int_equal(at(&scene, 0, 3.1, 2.8, 0.0), FW_RET_OK);  // noise, or pushed: never back
  assert_int_equal(status(&scene, 0).reached, 3);
  assert_true(fabs(status(&scene, 0).place - 0.5) < 1e-9);
  assert_int_equal(at(&scene, 0, 4.0, 1.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).reached, 5);
  assert_int_equal(status(&scene, 0).released, 6);
  fw_execution_fini(&scene.execution);
}

// Around a block and across its own start: the loop is released up to where it closes.
static void a_loop_is_released_up_to_where_it_closes(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const fw_robot_t robots[] = {{.start = 1, .goal = 0}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  begin(&scene, NULL, (const char * const[]){"ESWNW"});
  assert_int_equal(status(&scene, 0).released, 3);
  assert_int_equal(at(&scene, 0, 1.0, 1.99, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 5);
  // Silent over two corners: found again where it is.
  assert_int_equal(at(&scene, 0, 4.0, 1.4, 1.02), FW_RET_OK);
  assert_int_equal(status(&scene, 0).reached, 2);
  fw_execution_fini(&scene.execution);
}

// A robot with a heading has reached the end of a turn when it faces there, not when it stands on the cell.
static void a_turn_is_over_when_the_robot_faces_there(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 4, .turn_ticks = 1}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  begin(&scene, NULL, (const char * const[]){"E>S"});
  // A position that is off by more than the tolerance does not mean that it drives on already.
  const double yaws[] = {0.0, 0.7, 0.7, 1.4, 1.52};
  const double errors[] = {0.03, 0.03, 0.08, 0.08, 0.03};
  const int32_t reached[] = {1, 1, 1, 1, 2};
  for (int32_t i = 0; i < TEST_COUNT(yaws); ++i) {
    const fw_execution_measure_t measure = {.time = i, .x = 1.0 + errors[i], .y = errors[i], .yaw = yaws[i]};
    assert_int_equal(fw_execution_report(&scene.execution, 0, &measure, NULL), FW_RET_OK);
    assert_int_equal(status(&scene, 0).reached, reached[i]);
  }
  fw_execution_fini(&scene.execution);
}

static void bad_reports_change_nothing(void ** state)
{
  (void)state;
  DRAW(grid, "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  begin(&scene, NULL, (const char * const[]){"EE"});
  assert_int_equal(at(&scene, 0, 2.0, 0.5, 0.0), FW_RET_OK);
  assert_int_equal(at(&scene, 1, 3.0, 1.0, 0.0), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(at(&scene, -1, 3.0, 1.0, 0.0), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(at(&scene, 0, 3.0, NAN, 0.0), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(at(&scene, 0, INFINITY, 1.0, 0.0), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(at(&scene, 0, 1.9, 1.0, 0.0), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(scene.error.text, "robot 0"));
  assert_int_equal(status(&scene, 0).reached, 0);
  assert_true(status(&scene, 0).last_time == 2.0);
  fw_execution_fini(&scene.execution);
}

// ---- time -----------------------------------------------------------------------------------------------------------

// 1 waits for 0, which is late: both are expected later by the same delay.
static void lateness_is_passed_on(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".....");
  const fw_robot_t robots[] = {{.start = 2, .goal = 4}, {.start = 0, .goal = 3}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  begin(&scene, NULL, (const char * const[]){"EE", "EEE"});
  fw_execution_update(&scene.execution, 0.0);
  assert_true(fabs(status(&scene, 0).expected - 2.0) < 1e-9);
  assert_true(fabs(status(&scene, 1).expected - 3.0) < 1e-9);
  assert_int_equal(at(&scene, 0, 4.0, 2.5, 0.0), FW_RET_OK);
  assert_int_equal(at(&scene, 1, 4.0, 1.0, 0.0), FW_RET_OK);
  fw_execution_update(&scene.execution, 4.0);
  assert_true(fabs(status(&scene, 0).expected - 5.5) < 1e-9);  // half a motion and one more
  assert_true(fabs(status(&scene, 0).delay - 3.5) < 1e-9);
  assert_true(fabs(status(&scene, 1).expected - 6.5) < 1e-9);  // (3,0) is left at 5.5
  fw_execution_set_pace(&scene.execution, 0, 2.0);
  fw_execution_update(&scene.execution, 4.0);
  assert_true(fabs(status(&scene, 0).expected - 7.0) < 1e-9);
  assert_true(fabs(status(&scene, 1).expected - 8.0) < 1e-9);
  fw_execution_fini(&scene.execution);
}

static void a_robot_that_does_not_move_has_stopped_and_is_the_root(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 3, .goal = 5}, {.start = 1, .goal = 4}, {.start = 0, .goal = 3}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  begin(&scene, NULL, (const char * const[]){"EE", ".EEE", "..EEE"});
  for (double t = 0.0; t < 20.0; t += 0.5) {
    assert_int_equal(at(&scene, 0, t, 3.0, 0.0), FW_RET_OK);
    assert_int_equal(at(&scene, 1, t, t < 1.0 ? 1.0 : 2.0, 0.0), FW_RET_OK);
    assert_int_equal(at(&scene, 2, t, t < 2.0 ? 0.0 : 1.0, 0.0), FW_RET_OK);
    fw_execution_update(&scene.execution, t);
  }
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_STOPPED);
  assert_int_equal(status(&scene, 1).state, FW_EXECUTION_WAITING);
  assert_int_equal(status(&scene, 2).other, 1);
  assert_int_equal(status(&scene, 2).root, 0);
  assert_true(status(&scene, 2).expected == INFINITY);
  assert_string_equal(
    words_of(&scene, 2), "waiting for robot 1 to leave (2,0); robot 0 has not moved for 14.0 s though it may");
  assert_int_equal(at(&scene, 0, 21.0, 3.5, 0.0), FW_RET_OK);
  assert_int_equal(at(&scene, 1, 21.0, 2.0, 0.0), FW_RET_OK);
  assert_int_equal(at(&scene, 2, 21.0, 1.0, 0.0), FW_RET_OK);
  fw_execution_update(&scene.execution, 21.0);
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_LATE);
  assert_true(status(&scene, 2).expected < 100.0);
  fw_execution_fini(&scene.execution);
}

// ---- silent and displaced robots ------------------------------------------------------------------------------------

static void the_space_of_a_silent_robot_stays_reserved(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 5, .goal = 1}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  begin(&scene, NULL, (const char * const[]){"EEE", "...N"});
  assert_int_equal(at(&scene, 0, 0.5, 0.4, 0.0), FW_RET_OK);
  assert_int_equal(at(&scene, 1, 9.0, 1.0, 1.0), FW_RET_OK);
  fw_execution_update(&scene.execution, 9.0);
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_STALE);
  assert_int_equal(status(&scene, 1).released, 0);
  assert_string_equal(words_of(&scene, 1), "waiting for robot 0 to leave (1,0); robot 0 has not reported for 8.5 s");
  fw_cell_t held[8];
  assert_int_equal(fw_execution_held(&scene.execution, 0, held, 8), 4);
  // Back after the gap, three cells further.
  assert_int_equal(at(&scene, 0, 10.0, 2.98, 0.0), FW_RET_OK);
  fw_execution_update(&scene.execution, 10.0);
  assert_int_equal(status(&scene, 0).reached, 3);
  assert_int_equal(status(&scene, 0).gaps, 1);
  assert_int_equal(status(&scene, 1).released, 1);
  fw_execution_fini(&scene.execution);
}

static void a_robot_off_its_path_keeps_its_space_and_blocks_where_it_is(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....", "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 11, .goal = 5}};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 1.0;
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  begin(&scene, &options, (const char * const[]){"EEE", "WWN"});
  assert_int_equal(at(&scene, 0, 1.0, 1.0, 0.0), FW_RET_OK);
  assert_int_equal(at(&scene, 0, 1.5, 1.3, 1.2), FW_RET_OK);
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_OFF_PATH);
  assert_int_equal(status(&scene, 0).reached, 1);
  assert_int_equal(fw_execution_withdraw(&scene.execution, 0, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(at(&scene, 1, 2.0, 2.0, 2.0), FW_RET_OK);
  assert_int_equal(status(&scene, 1).released, 1);  // (1,2) touches where 0 is
  assert_int_equal(status(&scene, 1).wait, FW_EXECUTION_WAIT_ROBOT);
  assert_int_equal(status(&scene, 1).other, 0);
  assert_int_equal(at(&scene, 0, 3.0, 1.4, 0.1), FW_RET_OK);  // carried back
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_DRIVING);
  assert_int_equal(status(&scene, 1).released, 2);
  fw_execution_fini(&scene.execution);
}

// ---- obstacles ------------------------------------------------------------------------------------------------------

// An obstacle appears on a path that is half released: the robot has to stop before it, and nothing is released over
// it. A new map is the same with more cells.
static void an_obstacle_on_the_path_stops_the_robot_before_it(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 3.0;
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  begin(&scene, &options, (const char * const[]){"EEEEE"});
  int32_t count = 0;
  (void)fw_execution_changed(&scene.execution, &count);
  assert_int_equal(status(&scene, 0).released, 3);
  const fw_cell_t near[] = {3, 99, -1}, far[] = {5};
  assert_int_equal(fw_execution_set_obstacles(&scene.execution, near, 3, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_OBSTRUCTED);
  assert_int_equal(status(&scene, 0).stop_at, 2);
  assert_int_equal(status(&scene, 0).released, 3);
  assert_int_equal(fw_execution_changed(&scene.execution, &count)[0], 0);
  assert_int_equal(count, 1);
  assert_int_equal(fw_execution_set_obstacles(&scene.execution, far, 1, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).stop_at, 3);
  assert_int_equal(at(&scene, 0, 1.0, 3.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 4);
  assert_int_equal(status(&scene, 0).wait, FW_EXECUTION_WAIT_OBSTACLE);
  assert_int_equal(status(&scene, 0).cell, 5);
  assert_int_equal(at(&scene, 0, 2.0, 4.0, 0.0), FW_RET_OK);
  assert_string_equal(words_of(&scene, 0), "waiting before the obstacle on (5,0)");
  assert_int_equal(fw_execution_set_obstacles(&scene.execution, NULL, 0, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 5);
  fw_execution_fini(&scene.execution);
}

// The same cell by cell: what is not named stays as it is, and the last word on a cell counts.
static void obstacles_change_cell_by_cell(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 3.0;
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  begin(&scene, &options, (const char * const[]){"EEEEE"});
  fw_error_t error = {0};
  const fw_obstacle_change_t near[] = {{.cell = 3}, {3, true, false}, {99, true, false}, {-1, true, false}};
  const fw_obstacle_change_t gone[] = {{3, true, false}, {.cell = 3}};
  assert_int_equal(fw_execution_change_obstacles(&scene.execution, near, 4, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "the obstacles of the present grid have not been set yet");
  assert_int_equal(status(&scene, 0).stop_at, 3);
  assert_int_equal(fw_execution_set_obstacles(&scene.execution, (const fw_cell_t[]){5}, 1, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_change_obstacles(&scene.execution, near, 4, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).state, FW_EXECUTION_OBSTRUCTED);
  assert_int_equal(status(&scene, 0).stop_at, 2);
  assert_int_equal(fw_execution_change_obstacles(&scene.execution, NULL, 0, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).stop_at, 2);
  assert_int_equal(fw_execution_change_obstacles(&scene.execution, gone, 2, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).stop_at, 3);
  assert_int_equal(at(&scene, 0, 1.0, 3.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 4);
  assert_int_equal(status(&scene, 0).cell, 5);  // the first one is still there
  fw_execution_fini(&scene.execution);
}

// 0 stands on the way out and drives along it; 1 and 2, with a body of two cells, come from outside and stop before it.
static void only_robots_on_a_way_out_may_use_it(void ** state)
{
  (void)state;
  static const fw_offset_t two[] = {{0, 0}, {1, 0}};
  DRAW(grid, ".......", ".......", ".......");
  const fw_robot_t robots[] = {
    {.start = 1, .goal = 4},
    {.start = 7, .goal = 12},
    {.start = 14, .goal = 18, .footprint = two, .footprint_count = 2}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  begin(&scene, NULL, (const char * const[]){"EEE", "EEEEE", "EEEE"});
  assert_int_equal(status(&scene, 1).released, 5);
  assert_int_equal(fw_execution_set_obstacles(&scene.execution, NULL, 0, NULL), FW_RET_OK);
  const fw_obstacle_change_t exits[] = {{1, true, true},  {2, true, true},  {3, true, true},
                                        {10, true, true}, {11, true, true}, {18, true, true}};
  assert_int_equal(fw_execution_change_obstacles(&scene.execution, exits, 6, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).stop_at, 3);
  assert_int_equal(status(&scene, 1).stop_at, 2);
  assert_int_equal(status(&scene, 1).state, FW_EXECUTION_OBSTRUCTED);
  assert_int_equal(status(&scene, 2).stop_at, 2);  // its second cell would be on 18
  const fw_obstacle_change_t blocked = {2, true, false};
  assert_int_equal(fw_execution_change_obstacles(&scene.execution, &blocked, 1, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).stop_at, 0);
  assert_int_equal(fw_execution_set_obstacles(&scene.execution, NULL, 0, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 1).stop_at, 5);
  fw_execution_fini(&scene.execution);
}

// ---- leaving, pausing, doors ----------------------------------------------------------------------------------------

// 1 waits for 0 and 2 for 1. When 1 is removed, 2 still waits for 0.
static void dependencies_hold_through_a_removed_robot(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_robot_t robots[] = {{.start = 4, .goal = 5}, {.start = 1, .goal = 7}, {.start = 3, .goal = 4}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  begin(&scene, NULL, (const char * const[]){"E", ".SS", "...E"});
  assert_int_equal(status(&scene, 2).other, 1);
  fw_execution_remove(&scene.execution, 1);
  assert_int_equal(status(&scene, 2).released, 0);
  assert_int_equal(status(&scene, 2).other, 0);
  fw_execution_update(&scene.execution, 1.0);
  assert_int_equal(at(&scene, 0, 2.0, 2.0, 1.0), FW_RET_OK);
  assert_int_equal(status(&scene, 2).released, 1);
  fw_execution_fini(&scene.execution);
}

// An ahead_max below the braking distance is raised to it, and is_short marks a robot with less ahead.
static void the_braking_distance_is_released_where_possible(void ** state)
{
  (void)state;
  DRAW(grid, ".......");
  const fw_robot_t robots[] = {{.start = 4, .goal = 6}, {.start = 0, .goal = 5}};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 1.0;
  options.braking = 2.5;
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  begin(&scene, &options, (const char * const[]){"..EE", "EEEEE"});
  assert_int_equal(status(&scene, 1).released, 3);
  assert_false(status(&scene, 1).is_short);
  assert_int_equal(at(&scene, 1, 1.0, 1.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 1).released, 3);
  assert_int_equal(status(&scene, 1).wait, FW_EXECUTION_WAIT_ROBOT);
  assert_true(status(&scene, 1).is_short);  // 0 is too near
  assert_int_equal(at(&scene, 0, 3.0, 5.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 1).released, 4);
  assert_false(status(&scene, 1).is_short);
  fw_execution_fini(&scene.execution);
}

static void a_pause_lets_robots_drive_to_the_ends_of_their_releases(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}};
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 2.0;
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  begin(&scene, &options, (const char * const[]){"EEEEE"});
  fw_execution_pause(&scene.execution);
  assert_int_equal(at(&scene, 0, 2.0, 2.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).reached, 2);
  assert_int_equal(status(&scene, 0).released, 2);
  assert_string_equal(words_of(&scene, 0), "waiting, paused");
  fw_execution_resume(&scene.execution);
  assert_int_equal(status(&scene, 0).released, 4);
  fw_execution_fini(&scene.execution);
}

// A door that is closed to tick 3, and again from 8 on: it is not entered before it opens, by the clock, and not too
// late.
static void closures_are_kept_by_the_clock(void ** state)
{
  (void)state;
  DRAW(grid, ".....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}};
  const fw_closure_t closures[] = {{.cell = 2, .from = 0, .to = 3}, {.cell = 2, .from = 8, .to = FW_TICK_MAX}};
  for (int32_t is_late = 0; is_late < 2; ++is_late) {
    scene_t scene = {
      .problem = {.grid = &grid, .robots = robots, .robot_count = 1, .closures = closures, .closure_count = 2}};
    begin(&scene, NULL, (const char * const[]){"E..EE"});
    assert_int_equal(status(&scene, 0).released, 1);
    assert_int_equal(at(&scene, 0, is_late ? 7.5 : 1.0, 1.0, 0.0), FW_RET_OK);
    fw_execution_update(&scene.execution, is_late ? 7.5 : 3.9);
    assert_int_equal(status(&scene, 0).released, 1);
    assert_int_equal(status(&scene, 0).wait, FW_EXECUTION_WAIT_CLOSURE);
    fw_execution_update(&scene.execution, is_late ? 9.0 : 4.0);
    assert_int_equal(status(&scene, 0).released, is_late ? 1 : 3);
    fw_execution_fini(&scene.execution);
  }
}

// A door at a distance of five cells that closes at tick 9 is not released from afar, since a robot that is delayed on
// the way would be in it when it closes.
static void a_door_that_closes_soon_is_entered_from_right_before_it(void ** state)
{
  (void)state;
  DRAW(grid, "........");
  const fw_robot_t robots[] = {{.start = 0, .goal = 7}};
  const fw_closure_t closure = {.cell = 5, .from = 9, .to = FW_TICK_MAX};
  scene_t scene = {
    .problem = {.grid = &grid, .robots = robots, .robot_count = 1, .closures = &closure, .closure_count = 1}};
  begin(&scene, NULL, (const char * const[]){"EEEEEEE"});
  assert_int_equal(status(&scene, 0).released, 4);
  assert_int_equal(at(&scene, 0, 3.0, 3.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 4);
  assert_int_equal(at(&scene, 0, 4.0, 4.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 7);
  fw_execution_fini(&scene.execution);
}

// It is not entered while the cell after it is not free.
static void a_door_that_closes_is_entered_when_the_next_cell_is_free(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 3, .goal = 5}};
  const fw_closure_t closure = {.cell = 2, .from = 8, .to = FW_TICK_MAX};
  scene_t scene = {
    .problem = {.grid = &grid, .robots = robots, .robot_count = 2, .closures = &closure, .closure_count = 1}};
  begin(&scene, NULL, (const char * const[]){".EEE", "EE"});
  assert_int_equal(at(&scene, 0, 2.0, 1.0, 0.0), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 1);  // robot 1 has not left the cell behind the door
  assert_int_equal(at(&scene, 1, 3.0, 4.0, 0.0), FW_RET_OK);
  fw_execution_update(&scene.execution, 3.0);
  assert_int_equal(status(&scene, 0).released, 3);
  fw_execution_fini(&scene.execution);
}

// Too late for a door that closes and opens again: the next cut is before the door.
static void a_door_that_was_missed_is_behind_the_next_cut(void ** state)
{
  (void)state;
  DRAW(grid, ".....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 4}};
  const fw_closure_t closure = {.cell = 2, .from = 5, .to = 8};
  scene_t scene = {
    .problem = {.grid = &grid, .robots = robots, .robot_count = 1, .closures = &closure, .closure_count = 1}};
  begin(&scene, NULL, (const char * const[]){"EEEE"});
  assert_int_equal(at(&scene, 0, 6.0, 1.0, 0.0), FW_RET_OK);
  fw_execution_update(&scene.execution, 20.0);  // long open again
  assert_int_equal(status(&scene, 0).wait, FW_EXECUTION_WAIT_CLOSURE);
  assert_true(isinf(status(&scene, 0).expected));
  fw_execution_cut_t cut;
  assert_int_equal(fw_execution_cut(&scene.execution, 5.0, &cut, NULL), FW_RET_OK);
  assert_int_equal(cut.ends[0].cell, 1);
  fw_robot_t next = robots[0];
  next.start = 1;
  fw_problem_t problem = {.grid = &grid, .robots = &next, .robot_count = 1};
  letters_t letters;
  letters_plan(&letters, &problem, (const char * const[]){"EEE"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &letters.plan, .time = 20.0};
  assert_int_equal(fw_execution_splice(&scene.execution, &splice, NULL), FW_RET_OK);
  assert_int_equal(status(&scene, 0).released, 4);
  fw_execution_fini(&scene.execution);
}

// ---- options and memory ---------------------------------------------------------------------------------------------

static void options_are_checked_and_empty_objects_are_fine(void ** state)
{
  (void)state;
  fw_execution_t execution = {0};
  fw_error_t error;
  fw_execution_options_t options = fw_execution_options_default();
  options.tolerance = 0.6;
  assert_int_equal(fw_execution_init(&execution, &options, &error), FW_RET_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "tolerance"));
  fw_execution_fini(&execution);
  assert_int_equal(fw_execution_init(&execution, NULL, &error), FW_RET_OK);
  int32_t count = 1;
  fw_execution_cut_t cut;
  fw_execution_update(&execution, 1.0);
  (void)fw_execution_changed(&execution, &count);
  assert_int_equal(count, 0);
  assert_int_equal(fw_execution_cut(&execution, 1.0, &cut, &error), FW_RET_OK);
  assert_int_equal(cut.count, 0);
  fw_execution_uncut(&execution);
  fw_execution_remove(&execution, 3);
  assert_int_equal(fw_execution_set_obstacles(&execution, (const fw_cell_t[]){1}, 1, &error), FW_RET_OK);
  fw_execution_fini(&execution);
}

// Reports, updates and queries allocate nothing; a splice without memory changes nothing.
static void only_splices_allocate(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......");
  fw_robot_t robots[] = {{.start = 1, .goal = 5}, {.start = 0, .goal = 4}};
  tally_t tally = {0};
  fw_execution_options_t options = fw_execution_options_default();
  options.allocator = tally_allocator(&tally);
  options.ahead_max = 1.0;
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  begin(&scene, &options, (const char * const[]){"EEEE", ".EEEE"});
  const int64_t before = tally.calls;
  int32_t count;
  for (int32_t i = 0; i < 20; ++i) {
    assert_int_equal(at(&scene, 0, 0.1 * i, 1.0 + 0.1 * i, 0.0), FW_RET_OK);
    fw_execution_update(&scene.execution, 0.1 * i);
    (void)fw_execution_changed(&scene.execution, &count);
  }
  assert_int_equal(tally.calls, before);
  const fw_execution_status_t here = status(&scene, 0);
  fw_execution_cut_t cut;
  assert_int_equal(fw_execution_cut(&scene.execution, 0.0, &cut, NULL), FW_RET_OK);
  robots[0].start = cut.ends[0].cell;
  robots[1].start = cut.ends[1].cell;
  letters_plan(&scene.letters, &scene.problem, (const char * const[]){"", "S"});
  robots[0].goal = robots[0].start;
  robots[1].goal = robots[1].start + 6;
  const fw_execution_splice_t splice = {.problem = &scene.problem, .plan = &scene.letters.plan};
  fw_ret_t ret = FW_RET_BAD_ALLOC;
  for (int64_t call = 1; call < 50 && ret != FW_RET_OK; ++call) {
    tally_fail(&tally, call, true);
    ret = fw_execution_splice(&scene.execution, &splice, &scene.error);
    tally_fail(&tally, 0, false);
    assert_true(ret == FW_RET_OK || ret == FW_RET_BAD_ALLOC);
    if (ret != FW_RET_OK) {
      assert_int_equal(status(&scene, 0).released, here.released);
      assert_int_equal(status(&scene, 0).end, here.end);
    }
  }
  assert_int_equal(ret, FW_RET_OK);
  fw_execution_fini(&scene.execution);
  assert_int_equal(tally.live, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_place_that_is_visited_twice_is_not_confused),
    cmocka_unit_test(a_loop_is_released_up_to_where_it_closes),
    cmocka_unit_test(a_turn_is_over_when_the_robot_faces_there),
    cmocka_unit_test(bad_reports_change_nothing),
    cmocka_unit_test(lateness_is_passed_on),
    cmocka_unit_test(a_robot_that_does_not_move_has_stopped_and_is_the_root),
    cmocka_unit_test(the_space_of_a_silent_robot_stays_reserved),
    cmocka_unit_test(a_robot_off_its_path_keeps_its_space_and_blocks_where_it_is),
    cmocka_unit_test(an_obstacle_on_the_path_stops_the_robot_before_it),
    cmocka_unit_test(obstacles_change_cell_by_cell),
    cmocka_unit_test(only_robots_on_a_way_out_may_use_it),
    cmocka_unit_test(dependencies_hold_through_a_removed_robot),
    cmocka_unit_test(the_braking_distance_is_released_where_possible),
    cmocka_unit_test(a_pause_lets_robots_drive_to_the_ends_of_their_releases),
    cmocka_unit_test(closures_are_kept_by_the_clock),
    cmocka_unit_test(a_door_that_closes_soon_is_entered_from_right_before_it),
    cmocka_unit_test(a_door_that_closes_is_entered_when_the_next_cell_is_free),
    cmocka_unit_test(a_door_that_was_missed_is_behind_the_next_cut),
    cmocka_unit_test(options_are_checked_and_empty_objects_are_fine),
    cmocka_unit_test(only_splices_allocate),
  };
  return TEST_RUN(tests);
}
