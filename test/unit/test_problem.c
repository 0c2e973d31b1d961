// The check of a problem: every error names its fault, robot and cell.

#include "world/problem.h"

#include "support/draw.h"
#include "support/test.h"
#include "world/closures.h"

static const fw_offset_t two_wide[] = {{0, 0}, {1, 0}};
static const fw_offset_t without_own_cell[] = {{1, 0}, {2, 0}};
static const fw_offset_t twice[] = {{0, 0}, {1, 0}, {1, 0}};
static const fw_offset_t block[] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
static const fw_offset_t far_away[] = {{0, 0}, {INT32_MAX, 0}};
static const fw_offset_t far_below[] = {{0, 0}, {0, INT32_MIN}};

// The grid of all cases:
//   cells 0  1  2  3      ....
//         4  5  6  7      .#..
typedef struct case_t {
  fw_robot_t robots[2];
  fw_fault_t fault;
  int32_t robot;
  fw_cell_t cell;
  const char * words;  // in the text
} case_t;

static void every_robots_fault_is_named(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..");
  // clang-format off
  const case_t cases[] = {
    {{{.start = -1, .goal = 1}, {.start = 2, .goal = 3}}, FW_FAULT_START_OUTSIDE, 0, -1, "start of robot 0"},
    {{{.start = 0, .goal = 1}, {.start = 8, .goal = 3}}, FW_FAULT_START_OUTSIDE, 1, 8, "cell 8"},
    {{{.start = 0, .goal = 1}, {.start = 2, .goal = -5}}, FW_FAULT_GOAL_OUTSIDE, 1, -5, "goal of robot 1"},
    {{{.start = 0, .goal = INT32_MAX}, {.start = 2, .goal = 3}}, FW_FAULT_GOAL_OUTSIDE, 0, INT32_MAX, "4 x 2"},
    {{{.start = 5, .goal = 1}, {.start = 2, .goal = 3}}, FW_FAULT_START_OCCUPIED, 0, 5, "(1,1)"},
    {{{.start = 0, .goal = 1}, {.start = 2, .goal = 5}}, FW_FAULT_GOAL_OCCUPIED, 1, 5, "robot 1, (1,1)"},
    {{{.start = 2, .goal = 1}, {.start = 2, .goal = 3}}, FW_FAULT_START_OCCUPIED, 1, 2, "robots 0 and 1"},
    {{{.start = 0, .goal = 3}, {.start = 2, .goal = 3}}, FW_FAULT_GOAL_OCCUPIED, 1, 3, "same goal cell (3,0)"},
    {{{.start = 0, .goal = 1, .ticks_per_move = -1}, {.start = 2, .goal = 3}}, FW_FAULT_INVALID, 0, -1, "-1 ticks"},
    {{{.start = 0, .goal = 1}, {.start = 2, .goal = 3, .ticks_per_move = 9}}, FW_FAULT_INVALID, 1, -1, "1 to 8"},
    {{{.start = 0, .goal = 1, .footprint_count = -2}, {.start = 2, .goal = 3}}, FW_FAULT_INVALID, 0, -1,
     "footprint_count -2"},
    {{{.start = 0, .goal = 1, .footprint_count = 1}, {.start = 2, .goal = 3}}, FW_FAULT_INVALID, 0, -1,
     "footprint_count 1"},
    {{{.start = 0, .goal = 1, .footprint = without_own_cell, .footprint_count = 2}, {.start = 3, .goal = 6}},
     FW_FAULT_INVALID, 0, -1, "lacks its own cell"},
    {{{.start = 7, .goal = 7}, {.start = 0, .goal = 1, .footprint = twice, .footprint_count = 3}},
     FW_FAULT_INVALID, 1, -1, "(1,0) twice"},
    {{{.start = 3, .goal = 0, .footprint = two_wide, .footprint_count = 2}, {.start = 7, .goal = 7}},
     FW_FAULT_START_OUTSIDE, 0, 3, "outside the grid"},
    {{{.start = 0, .goal = 7, .footprint = two_wide, .footprint_count = 2}, {.start = 7, .goal = 3}},
     FW_FAULT_GOAL_OUTSIDE, 0, 7, "outside the grid"},
    {{{.start = 4, .goal = 0, .footprint = two_wide, .footprint_count = 2}, {.start = 7, .goal = 7}},
     FW_FAULT_START_OCCUPIED, 0, 4, "obstacle at (1,1)"},
    {{{.start = 0, .goal = 2, .footprint = two_wide, .footprint_count = 2}, {.start = 1, .goal = 7}},
     FW_FAULT_START_OCCUPIED, 1, 1, "robots 0 and 1"},
    {{{.start = 0, .goal = 2, .footprint = two_wide, .footprint_count = 2}, {.start = 7, .goal = 3}},
     FW_FAULT_GOAL_OCCUPIED, 1, 3, "robots 0 and 1"},
    {{{.start = 1, .goal = 2, .footprint = far_away, .footprint_count = 2}, {.start = 7, .goal = 3}},
     FW_FAULT_INVALID, 0, -1, "(2147483647,0)"},
    {{{.start = 1, .goal = 2, .footprint = far_below, .footprint_count = 2}, {.start = 7, .goal = 3}},
     FW_FAULT_INVALID, 0, -1, "16384 away"},
    {{{.start = 0, .goal = 1, .turn_ticks = 9}, {.start = 2, .goal = 3}}, FW_FAULT_INVALID, 0, -1, "9 ticks per turn"},
    {{{.start = 0, .goal = 1}, {.start = 2, .goal = 3, .turn_ticks = -1}}, FW_FAULT_INVALID, 1, -1, "1 to 8, or 0"},
    {{{.start = 0, .goal = 1, .heading = 8}, {.start = 2, .goal = 3}}, FW_FAULT_INVALID, 0, -1, "heading 8"},
    {{{.start = 0, .goal = 1, .heading = -1}, {.start = 2, .goal = 3}}, FW_FAULT_INVALID, 0, -1, "heading -1"},
    {{{.start = 0, .goal = 1}, {.start = 2, .goal = 3, .turn_ticks = 1, .heading = 3}}, FW_FAULT_INVALID, 1, -1,
     "robot 1 has the diagonal heading south-west"},
    // Turned to the south it covers (1,1), which is an obstacle; to the north it reaches out of the grid.
    {{{.start = 1, .goal = 0, .turn_ticks = 1, .heading = 2, .footprint = two_wide, .footprint_count = 2},
      {.start = 7, .goal = 7}}, FW_FAULT_START_OCCUPIED, 0, 1, "obstacle at (1,1)"},
    {{{.start = 2, .goal = 0, .turn_ticks = 1, .heading = 6, .footprint = two_wide, .footprint_count = 2},
      {.start = 7, .goal = 7}}, FW_FAULT_START_OUTSIDE, 0, 2, "covers (2,-1), outside the grid, at its start"},
    {{{.start = 0, .goal = 6, .turn_ticks = 1, .footprint = block, .footprint_count = 9}, {.start = 7, .goal = 7}},
     FW_FAULT_START_OUTSIDE, 0, 0, "outside the grid"},
    // Heading south from (2,0) it is on (2,1), the other's start.
    {{{.start = 2, .goal = 0, .turn_ticks = 1, .heading = 2, .footprint = two_wide, .footprint_count = 2},
      {.start = 6, .goal = 7}}, FW_FAULT_START_OCCUPIED, 1, 6, "robots 0 and 1"},
    {{{.start = 2, .goal = 0, .turn_ticks = 1}, {.start = 6, .goal = 0, .turn_ticks = 1}},
     FW_FAULT_GOAL_OCCUPIED, 1, 0, "same goal cell (0,0)"},
  };
  // clang-format on
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const fw_problem_t problem = {.grid = &grid, .robots = cases[i].robots, .robot_count = 2};
    fw_error_t error = {0};
    assert_int_equal(fw_problem_check(&problem, &error), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(error.fault, cases[i].fault);
    assert_int_equal(error.robot, cases[i].robot);
    assert_int_equal(error.cell, cases[i].cell);
    if (strstr(error.text, cases[i].words) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(fw_problem_check(&problem, NULL), FW_RET_INVALID_ARGUMENT);
  }
}

static void what_is_not_a_robots_fault_names_none(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..");
  const fw_robot_t robot = {.start = 0, .goal = 1};
  const fw_grid_t no_cost = {.width = 4, .height = 2};
  const fw_grid_t flat = {.width = 4, .height = 0, .cost = grid.cost};
  const fw_grid_t wide = {.width = FW_GRID_SIDE_MAX + 1, .height = 1, .cost = grid.cost};
  const fw_problem_t problems[] = {
    {.grid = NULL, .robots = &robot, .robot_count = 1},
    {.grid = &no_cost, .robots = &robot, .robot_count = 1},
    {.grid = &flat, .robots = &robot, .robot_count = 1},
    {.grid = &wide, .robots = &robot, .robot_count = 1},
    {.grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 6},
    {.grid = &grid, .robots = &robot, .robot_count = 1, .robust_ticks = -1},
    {.grid = &grid, .robots = &robot, .robot_count = 1, .robust_ticks = FW_ROBUST_TICKS_MAX + 1},
    {.grid = &grid, .robots = &robot, .robot_count = -1},
    {.grid = &grid, .robots = NULL, .robot_count = 1},
    {.grid = &grid, .robots = &robot, .robot_count = FW_ROBOT_COUNT_MAX + 1},
    {.grid = &grid, .robots = &robot, .robot_count = 1, .horizon = FW_TICK_MAX / 4 + 1},
    {.grid = &grid, .robots = &robot, .robot_count = 1, .horizon = -1},
    {.grid = &grid, .robots = &robot, .robot_count = 1, .since = FW_TICK_MAX + 1},
  };
  for (int32_t i = 0; i < TEST_COUNT(problems); ++i) {
    fw_error_t error = {0};
    assert_int_equal(fw_problem_check(&problems[i], &error), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(error.fault, FW_FAULT_INVALID);
    assert_int_equal(error.robot, -1);
    assert_int_equal(error.cell, FW_CELL_NONE);
    assert_true(strlen(error.text) > 10);
  }
  assert_int_equal(fw_problem_check(NULL, NULL), FW_RET_INVALID_ARGUMENT);
}

static void what_is_right_passes(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 7},
    {.start = 7, .goal = 0, .ticks_per_move = FW_TICKS_PER_MOVE_MAX, .priority = INT32_MIN},
    {.start = 1, .goal = 2, .footprint = two_wide, .footprint_count = 2},
  };
  const fw_problem_t problems[] = {
    {.grid = &grid},
    {.grid = &grid, .robots = robots, .robot_count = 3, .connectivity = 8, .robust_ticks = FW_ROBUST_TICKS_MAX},
    {.grid = &grid, .robots = robots, .robot_count = 3, .connectivity = 4},
  };
  for (int32_t i = 0; i < TEST_COUNT(problems); ++i) {
    fw_error_t error = {0};
    assert_int_equal(fw_problem_check(&problems[i], &error), FW_RET_OK);
  }
}

// At its goal a robot with a heading needs room with one heading, and only its own cell is certain there.
static void goals_of_robots_that_turn(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..");
  DRAW(hole, "###", "#.#", "###");
  const fw_robot_t nose = {.start = 0, .goal = 3, .turn_ticks = 1, .footprint = two_wide, .footprint_count = 2};
  fw_robot_t robots[] = {nose, {.start = 7, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8};
  assert_int_equal(fw_problem_check(&problem, NULL), FW_RET_OK);  // heading west it is on the other's goal, south not
  robots[0].turn_ticks = 0;
  assert_int_equal(fw_problem_check(&problem, NULL), FW_RET_INVALID_ARGUMENT);
  fw_robot_t stuck = {.start = 4, .goal = 4, .turn_ticks = 1};
  const fw_problem_t narrow = {.grid = &hole, .robots = &stuck, .robot_count = 1};
  assert_int_equal(fw_problem_check(&narrow, NULL), FW_RET_OK);
  static const fw_offset_t bar[] = {{0, 0}, {1, 0}, {-1, 0}};
  const fw_robot_t wide = {
    .start = 3, .goal = 1, .turn_ticks = 1, .heading = 2, .footprint = bar, .footprint_count = 3};
  DRAW(lane, ".###", ".###", "....", ".###");
  fw_robot_t lost = wide;
  lost.start = 4;
  lost.goal = 11;
  const fw_problem_t no_room = {.grid = &lane, .robots = &lost, .robot_count = 1};
  fw_error_t error = {0};
  assert_int_equal(fw_problem_check(&no_room, &error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(error.fault, FW_FAULT_GOAL_OCCUPIED);
  assert_non_null(strstr(error.text, "robot 0 does not fit on its goal (3,2) with any heading"));
}

static void defaults_are_filled_in(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 2, .goal = 3, .ticks_per_move = 4}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  const fw_problem_t normal = fw__problem_normalise(&problem, &arena);
  assert_int_equal(normal.connectivity, 4);
  assert_int_equal(normal.robots[0].ticks_per_move, 1);
  assert_int_equal(normal.robots[1].ticks_per_move, 4);
  assert_int_equal(normal.robots[1].footprint_count, 1);
  assert_int_equal(normal.robots[1].footprint[0].dx, 0);
  fw__arena_fini(&arena);
}

static void faults_of_closures_are_named(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..");
  const fw_robot_t robots[] = {
    {.start = 4, .goal = 7}, {.start = 2, .goal = 2, .footprint = two_wide, .footprint_count = 2}};
  const struct {
    fw_closure_t closure;
    fw_fault_t fault;
    int32_t robot;
    const char * words;
  } cases[] = {
    {{-1, 0, 1}, FW_FAULT_INVALID, -1, "closure 1, cell -1, is outside the grid of 4 x 2"},
    {{8, 0, 1}, FW_FAULT_INVALID, -1, "outside"},
    {{7, -1, 1}, FW_FAULT_INVALID, -1, "closure 1 of (3,1) lasts from tick -1 to 1"},
    {{7, 2, 1}, FW_FAULT_INVALID, -1, "from tick 2 to 1"},
    {{7, 2, FW_TICK_MAX + 1}, FW_FAULT_INVALID, -1, "<="},
    {{4, 0, 0}, FW_FAULT_START_OCCUPIED, 0, "robot 0 is on (0,1) at the start, which is closed at tick 0"},
    {{3, 0, 5}, FW_FAULT_START_OCCUPIED, 1, "robot 1 is on (3,0)"},
    {{4, 1, FW_TICK_MAX}, FW_FAULT_NONE, 0, NULL},
    {{5, 0, FW_TICK_MAX}, FW_FAULT_NONE, 0, NULL},  // on an obstacle
    {{7, 0, FW_TICK_MAX}, FW_FAULT_NONE, 0, NULL},  // on a goal, for ever
    {{0, 3, 3}, FW_FAULT_NONE, 0, NULL},            // the same twice
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const fw_closure_t closures[] = {{0, 3, 3}, cases[i].closure};
    const fw_problem_t problem = {
      .grid = &grid, .robots = robots, .robot_count = 2, .closures = closures, .closure_count = 2};
    fw_error_t error = {0};
    const fw_ret_t ret = fw_problem_check(&problem, &error);
    if (cases[i].fault == FW_FAULT_NONE) {
      assert_int_equal(ret, FW_RET_OK);
      continue;
    }
    assert_int_equal(ret, FW_RET_INVALID_ARGUMENT);
    assert_int_equal(error.fault, cases[i].fault);
    assert_int_equal(error.robot, cases[i].robot);
    assert_int_equal(error.cell, cases[i].closure.cell);
    assert_non_null(strstr(error.text, cases[i].words));
  }
  fw_problem_t problem = {.grid = &grid, .closure_count = 1};
  assert_int_equal(fw_problem_check(&problem, NULL), FW_RET_INVALID_ARGUMENT);
  problem.closure_count = -1;
  assert_int_equal(fw_problem_check(&problem, NULL), FW_RET_INVALID_ARGUMENT);
}

static void closures_are_sorted_and_merged(void ** state)
{
  (void)state;
  DRAW(grid, "..#.");
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  const fw_closure_t closures[] = {{3, 4, FW_TICK_MAX}, {1, 7, 9}, {0, 5, 5}, {2, 0, 9}, {1, 2, 3},
                                   {3, 9, 12},          {1, 4, 5}, {1, 8, 8}, {1, 2, 2}};
  const fw_closure_t expected[] = {{0, 5, 5}, {1, 2, 5}, {1, 7, 9}, {3, 4, FW_TICK_MAX}};
  const fw_problem_t problem = {.grid = &grid, .closures = closures, .closure_count = TEST_COUNT(closures)};
  const fw_problem_t normal = fw__problem_normalise(&problem, &arena);
  assert_int_equal(normal.closure_count, TEST_COUNT(expected));
  assert_memory_equal(normal.closures, expected, sizeof(expected));
  assert_true(fw__closures_validate(normal.closures, normal.closure_count));
  assert_false(fw__closures_validate(closures, TEST_COUNT(closures)));
  const fw_closure_t adjoining[] = {{1, 2, 5}, {1, 6, 9}};
  assert_false(fw__closures_validate(adjoining, 2));
  fw__arena_fini(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(faults_of_closures_are_named), cmocka_unit_test(closures_are_sorted_and_merged),
    cmocka_unit_test(every_robots_fault_is_named),  cmocka_unit_test(what_is_not_a_robots_fault_names_none),
    cmocka_unit_test(goals_of_robots_that_turn),    cmocka_unit_test(what_is_right_passes),
    cmocka_unit_test(defaults_are_filled_in),
  };
  return TEST_RUN(tests);
}
