// Releases: which robot may drive how far, in scenes that can be drawn.

#include "fleetweave/execution.h"
#include "support/draw.h"
#include "support/letters.h"
#include "support/test.h"

typedef struct scene_t {
  fw_problem_t problem;
  letters_t letters;
  fw_execution_t execution;
  fw_error_t error;
} scene_t;

static fw_ret_t begin(scene_t * scene, const char * const * words, fw_rings_t rings)
{
  fw_execution_options_t options = fw_execution_options_default();
  options.rings = rings;
  assert_int_equal(fw_execution_init(&scene->execution, &options, NULL), FW_RET_OK);
  letters_plan(&scene->letters, &scene->problem, words);
  const fw_execution_splice_t splice = {.problem = &scene->problem, .plan = &scene->letters.plan};
  return fw_execution_splice(&scene->execution, &splice, &scene->error);
}

static fw_execution_status_t status(const scene_t * scene, int32_t robot)
{
  fw_execution_status_t status;
  assert_int_equal(fw_execution_robot(&scene->execution, robot, &status, NULL), FW_RET_OK);
  return status;
}

static void at(scene_t * scene, int32_t robot, double time, double x, double y)
{
  const fw_execution_measure_t measure = {.time = time, .x = x, .y = y};
  assert_int_equal(fw_execution_report(&scene->execution, robot, &measure, &scene->error), FW_RET_OK);
}

#define ASSERT_ON(scene, robot, is_reached, is_released)          \
  do {                                                            \
    assert_int_equal(status(scene, robot).reached, is_reached);   \
    assert_int_equal(status(scene, robot).released, is_released); \
  } while (0)

static void a_robot_alone_is_released_to_its_end(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 1}};
  assert_int_equal(begin(&scene, (const char * const[]){"E..EE"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&scene, 0, 0, 3);  // waits vanish
  assert_int_equal(fw_execution_stats(&scene.execution).waypoints, 4);
  assert_int_equal(fw_execution_stats(&scene.execution).dependencies, 0);
  fw_execution_fini(&scene.execution);
}

// 1 follows 0 through a lane: one edge for each cell, no more.
static void a_follower_enters_a_cell_after_it_was_left(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 1, .goal = 5}, {.start = 0, .goal = 4}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  assert_int_equal(begin(&scene, (const char * const[]){"EEEE", ".EEEE"}, FW_RINGS_REFUSED), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&scene.execution).dependencies, 4);
  ASSERT_ON(&scene, 0, 0, 4);
  ASSERT_ON(&scene, 1, 0, 0);
  assert_int_equal(status(&scene, 1).wait, FW_EXECUTION_WAIT_ROBOT);
  assert_int_equal(status(&scene, 1).other, 0);
  assert_int_equal(status(&scene, 1).cell, 1);
  at(&scene, 0, 1.0, 1.85, 0.0);  // near the waypoint is not at it
  ASSERT_ON(&scene, 0, 0, 4);
  ASSERT_ON(&scene, 1, 0, 0);
  at(&scene, 0, 1.1, 1.92, 0.0);
  ASSERT_ON(&scene, 0, 1, 4);
  ASSERT_ON(&scene, 1, 0, 1);
  at(&scene, 0, 3.0, 4.0, 0.0);
  ASSERT_ON(&scene, 1, 0, 3);
  fw_execution_fini(&scene.execution);
}

// A robot of two cells has left the first one only when all of it has.
static void a_cell_is_left_when_the_whole_body_has_left_it(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......");
  const fw_offset_t two[] = {{0, 0}, {-1, 0}};
  const fw_robot_t robots[] = {
    {.start = 1, .goal = 4, .footprint = two, .footprint_count = 2}, {.start = 6, .goal = 0}, {.start = 7, .goal = 1}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  assert_int_equal(begin(&scene, (const char * const[]){"EEE", "..N", "...N"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&scene, 1, 0, 0);
  at(&scene, 0, 1.0, 2.0, 0.0);
  ASSERT_ON(&scene, 1, 0, 1);
  ASSERT_ON(&scene, 2, 0, 0);
  at(&scene, 0, 2.0, 3.0, 0.0);
  ASSERT_ON(&scene, 2, 0, 1);
  fw_execution_fini(&scene.execution);
}

// Two diagonals through one corner share no cell, and still one waits for the other.
static void diagonals_cross_one_after_the_other(void ** state)
{
  (void)state;
  DRAW(grid, "..", "..");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 1, .goal = 2}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8}};
  assert_int_equal(begin(&scene, (const char * const[]){"e", ".s"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&scene, 1, 0, 0);
  at(&scene, 0, 1.0, 1.0, 1.0);
  ASSERT_ON(&scene, 1, 0, 1);
  fw_execution_fini(&scene.execution);
}

// 2 enters what 1 leaves, and 1 entered what 0 left: the edge from 0 to 2 is redundant.
static void redundant_edges_are_removed(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_robot_t robots[] = {{.start = 4, .goal = 5}, {.start = 1, .goal = 7}, {.start = 3, .goal = 4}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  assert_int_equal(begin(&scene, (const char * const[]){"E", ".SS", "...E"}, FW_RINGS_REFUSED), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&scene.execution).dependencies, 2);
  fw_execution_fini(&scene.execution);
}

// Four robots around an obstacle, each to where the next one is.
//
//   0 1      with k = 0 all at once
//   3 2      with k = 1 there must be a gap
static void a_ring_rotates_together_or_not_at_all(void ** state)
{
  (void)state;
  DRAW(grid, "..", "..");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 1}, {.start = 1, .goal = 3}, {.start = 3, .goal = 2}, {.start = 2, .goal = 0}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 4}};
  const char * const words[] = {"E", "S", "W", "N"};
  assert_int_equal(begin(&scene, words, FW_RINGS_REFUSED), FW_RET_UNSUPPORTED);
  assert_non_null(strstr(scene.error.text, "rotate in a ring"));
  assert_int_equal(fw_execution_stats(&scene.execution).splices, 0);
  fw_execution_fini(&scene.execution);

  assert_int_equal(begin(&scene, words, FW_RINGS_TOGETHER), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&scene.execution).rings, 1);
  for (int32_t robot = 0; robot < 4; ++robot) {
    ASSERT_ON(&scene, robot, 0, 1);
  }
  fw_execution_fini(&scene.execution);
}

// The ring waits for the last of its robots, which has another motion before.
static void a_ring_waits_for_a_robot_that_is_not_ready(void ** state)
{
  (void)state;
  DRAW(grid, "...", "..#");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 1}, {.start = 2, .goal = 4}, {.start = 4, .goal = 3}, {.start = 3, .goal = 0}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 4}};
  assert_int_equal(begin(&scene, (const char * const[]){".E", "WS", ".W", ".N"}, FW_RINGS_TOGETHER), FW_RET_OK);
  ASSERT_ON(&scene, 0, 0, 0);
  ASSERT_ON(&scene, 1, 0, 1);
  assert_int_equal(status(&scene, 0).wait, FW_EXECUTION_WAIT_RING);
  assert_int_equal(status(&scene, 0).other, 1);
  at(&scene, 1, 1.0, 1.0, 0.0);
  for (int32_t robot = 0; robot < 4; ++robot) {
    assert_int_equal(status(&scene, robot).released, status(&scene, robot).end);
  }
  fw_execution_fini(&scene.execution);
}

// Robot 1 has rotated and left the ring, robot 2 is to follow it, and nobody has heard of robot 0, which may still be
// where robot 1 has been and robot 2 is to go.
//   4 5
//   1 0      the ring: 1 to 0's cell, 0 down, 3 to the left, 2 up; then 1 goes on to 5, and 2 follows to where 0 was
//   2 3
static void a_robot_of_a_ring_that_was_not_heard_of_keeps_its_cell(void ** state)
{
  (void)state;
  DRAW(grid, "..", "..", "..");
  const fw_robot_t robots[] = {
    {.start = 3, .goal = 5}, {.start = 2, .goal = 1}, {.start = 4, .goal = 3}, {.start = 5, .goal = 4}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 4}};
  assert_int_equal(begin(&scene, (const char * const[]){"S", "EN", "NE", "W"}, FW_RINGS_TOGETHER), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&scene.execution).rings, 1);
  at(&scene, 1, 1.0, 1.0, 1.0);
  at(&scene, 1, 2.0, 1.0, 0.0);
  at(&scene, 2, 2.0, 0.0, 1.0);
  at(&scene, 3, 2.0, 0.0, 2.0);
  ASSERT_ON(&scene, 1, 2, 2);
  ASSERT_ON(&scene, 2, 1, 1);
  at(&scene, 0, 3.0, 1.0, 2.0);
  ASSERT_ON(&scene, 2, 1, 2);
  fw_execution_fini(&scene.execution);
}

// A ring of eight cells with seven robots and k = 1: the gap goes around, nothing is refused.
static void a_ring_with_a_gap_is_no_cycle(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 3, .goal = 0}, {.start = 6, .goal = 3}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3, .robust_ticks = 1}};
  assert_int_equal(begin(&scene, (const char * const[]){"E", ".N", "..N"}, FW_RINGS_REFUSED), FW_RET_OK);
  assert_int_equal(fw_execution_stats(&scene.execution).rings, 0);
  ASSERT_ON(&scene, 0, 0, 1);
  ASSERT_ON(&scene, 1, 0, 0);
  fw_execution_fini(&scene.execution);
}

// Followers in the same tick are no ring: they are released one after the other.
static void a_train_goes_one_after_the_other(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 1, .goal = 2}, {.start = 2, .goal = 3}};
  scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 3}};
  assert_int_equal(begin(&scene, (const char * const[]){"E", "E", "E"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&scene, 0, 0, 0);
  ASSERT_ON(&scene, 2, 0, 1);
  assert_int_equal(status(&scene, 0).other, 1);
  assert_int_equal(status(&scene, 0).root, 2);
  at(&scene, 2, 1.0, 3.0, 0.0);
  ASSERT_ON(&scene, 1, 0, 1);
  ASSERT_ON(&scene, 0, 0, 0);
  fw_execution_fini(&scene.execution);
}

// Plans with a conflict: each is refused with the robots' numbers, and the execution stays empty.
static void plans_with_conflicts_are_refused(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 2, .goal = 6}};
  static const char * const words[][2] = {
    {"EEE", ""},     // into a robot that stays
    {"EE", "WW"},    // through each other
    {"EE", "...S"},  // into a robot that leaves too late
    {"EE", ".S"},    // into a robot that leaves in the same tick
    {"E.", "W."},    // both to one cell
    {"N", "S"},      // out of the grid
  };
  for (int32_t i = 0; i < TEST_COUNT(words); ++i) {
    scene_t scene = {.problem = {.grid = &grid, .robots = robots, .robot_count = 2}};
    const fw_ret_t ret = begin(&scene, words[i], FW_RINGS_TOGETHER);
    if (i != 3) {
      assert_int_equal(ret, FW_RET_INVALID_ARGUMENT);
      assert_non_null(strstr(scene.error.text, "robot 0"));
      assert_int_equal(
        fw_execution_robot(&scene.execution, 0, &(fw_execution_status_t){0}, NULL), FW_RET_INVALID_ARGUMENT);
    } else {
      assert_int_equal(ret, FW_RET_OK);  // that is following, which is allowed
    }
    fw_execution_fini(&scene.execution);
  }
}

// ---- areas without waiting

// 0 crosses cells 2 and 3 in the upper row. 1 comes through (4,0) before it, by the plan after 0 has entered: 0 is held
// before the area until 1 has left, and then released through it as a whole.
static void a_robot_is_held_before_an_area_without_waiting(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......", "......");
  uint16_t rules[18] = {0};
  rules[2] = rules[3] = FW_RULE_NO_WAITING;
  fw_grid_t ruled = grid;
  ruled.rules = rules;
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 16, .goal = 5 + 6}};
  scene_t scene = {.problem = {.grid = &ruled, .robots = robots, .robot_count = 2, .robust_ticks = 1}};
  assert_int_equal(begin(&scene, (const char * const[]){".EEEEE", "NNES"}, FW_RINGS_REFUSED), FW_RET_OK);
  ASSERT_ON(&scene, 0, 0, 1);
  assert_int_equal(status(&scene, 0).wait, FW_EXECUTION_WAIT_ROBOT);
  assert_int_equal(status(&scene, 0).other, 1);
  at(&scene, 0, 1.0, 1.0, 0.0);
  at(&scene, 1, 2.0, 4.0, 1.0);
  ASSERT_ON(&scene, 0, 1, 1);  // as far as planned when 0 enters: that is not enough
  at(&scene, 1, 3.0, 4.0, 0.0);
  ASSERT_ON(&scene, 0, 1, 1);
  at(&scene, 1, 4.0, 5.0, 0.0);  // it has left (4,0)
  ASSERT_ON(&scene, 0, 1, 4);
  fw_execution_fini(&scene.execution);
}

// Robots rotate one after the other, and 4 leaves (2,0) only after 0 has entered the area, on which all depend: 0 is
// not held for it, or nobody would move.
static void a_robot_enters_an_area_if_others_wait_for_that(void ** state)
{
  (void)state;
  DRAW(grid, "....", "...#");
  uint16_t rules[8] = {0};
  rules[1] = FW_RULE_NO_WAITING;
  fw_grid_t ruled = grid;
  ruled.rules = rules;
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 2},
    {.start = 4, .goal = 0},
    {.start = 5, .goal = 4},
    {.start = 6, .goal = 5},
    {.start = 2, .goal = 6}};
  scene_t scene = {.problem = {.grid = &ruled, .robots = robots, .robot_count = 5, .robust_ticks = 1}};
  assert_int_equal(
    begin(&scene, (const char * const[]){"E..........E", "..N", "....W", "......W", "........S"}, FW_RINGS_REFUSED),
    FW_RET_OK);
  ASSERT_ON(&scene, 0, 0, 1);
  at(&scene, 0, 1.0, 1.0, 0.0);
  at(&scene, 1, 2.0, 0.0, 0.0);
  at(&scene, 2, 3.0, 0.0, 1.0);
  at(&scene, 3, 4.0, 1.0, 1.0);
  ASSERT_ON(&scene, 0, 1, 1);
  at(&scene, 4, 5.0, 2.0, 1.0);
  ASSERT_ON(&scene, 0, 1, 2);
  fw_execution_fini(&scene.execution);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_robot_alone_is_released_to_its_end),
    cmocka_unit_test(a_follower_enters_a_cell_after_it_was_left),
    cmocka_unit_test(a_cell_is_left_when_the_whole_body_has_left_it),
    cmocka_unit_test(diagonals_cross_one_after_the_other),
    cmocka_unit_test(redundant_edges_are_removed),
    cmocka_unit_test(a_ring_rotates_together_or_not_at_all),
    cmocka_unit_test(a_ring_waits_for_a_robot_that_is_not_ready),
    cmocka_unit_test(a_robot_of_a_ring_that_was_not_heard_of_keeps_its_cell),
    cmocka_unit_test(a_ring_with_a_gap_is_no_cycle),
    cmocka_unit_test(a_train_goes_one_after_the_other),
    cmocka_unit_test(plans_with_conflicts_are_refused),
    cmocka_unit_test(a_robot_is_held_before_an_area_without_waiting),
    cmocka_unit_test(a_robot_enters_an_area_if_others_wait_for_that),
  };
  return TEST_RUN(tests);
}
