// whca with robots that are large and turn: they need time to leave a place, and the others plan with that.

#include "fleetweave/files.h"
#include "planner/window/window.h"
#include "planner/window/departure.h"
#include "support/draw.h"
#include "support/test.h"
#include "world/problem.h"

static const fw_offset_t square3[] = {{0, 0}, {-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
static const fw_offset_t bar3[] = {{0, 0}, {1, 0}, {2, 0}};
static const fw_offset_t square2[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};

// ---- earliest departures --------------------------------------------------------------------------------------------

// The earliest departure of robot 0 from each cell of its footprint, in the order of the footprint.
static void compute_departures(const fw_problem_t * given, fw_tick_t * ticks, int32_t count)
{
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw_meter_t meter;
  fw__arena_init(&arena, &memory);
  fw__meter_start(&meter, NULL);
  fw_planner_context_t context = {.scratch = &arena, .meter = &meter, .threads = 1};
  const fw_problem_t problem = fw__problem_normalise(given, &arena);
  fw_fleet_t fleet = {0};
  fw_window_t window;
  const fw_window_options_t options = fw__window_options_default();
  assert_int_equal(fw__fleet_init(&fleet, &context, &problem, NULL), FW_FLEET_READY);
  assert_true(fw__window_init(&window, &fleet, &meter, &options));
  assert_true(fw__departures_update(&window));
  assert_int_equal(window.departures.of[0].count, count);
  memcpy(ticks, window.departures.of[0].ticks, (size_t)count * sizeof(*ticks));
  fw__arena_fini(&arena);
}

// Facing south it leaves its northern row at once, and the others row after row.
static void a_square_leaves_row_after_row(void ** state)
{
  (void)state;
  DRAW(
    grid, ".........", ".........", ".........", ".........", ".........", ".........", ".........", ".........",
    ".........");
  const fw_robot_t robot = {
    .start = 2 * 9 + 4,
    .goal = 6 * 9 + 4,
    .footprint = square3,
    .footprint_count = 9,
    .turn_ticks = 2,
    .heading = FW_HEADING_SOUTH};
  fw_tick_t ticks[9];
  compute_departures(&(fw_problem_t){.grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 4}, ticks, 9);
  for (int32_t i = 0; i < 9; ++i) {
    assert_int_equal(ticks[i], square3[i].dx + 1);  // turned to the south, its dx is dy
  }
}

// A slow robot covers its cell until it has arrived beside it; one that faces elsewhere turns first.
static void a_slow_robot_leaves_late(void ** state)
{
  (void)state;
  DRAW(grid, "...");
  fw_robot_t robot = {.start = 1, .goal = 0, .ticks_per_move = 3};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 4};
  fw_tick_t tick;
  compute_departures(&problem, &tick, 1);
  assert_int_equal(tick, 2);
  robot.turn_ticks = 2;
  robot.heading = FW_HEADING_NORTH;
  compute_departures(&problem, &tick, 1);
  assert_int_equal(tick, 2 + 2);
}

// Beside the wall it can neither turn nor move.
static void a_robot_that_cannot_move_never_leaves(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".....", ".....", ".....", ".....");
  const fw_robot_t robot = {
    .start = 1 * 5 + 1,
    .goal = 1 * 5 + 1,
    .footprint = square3,
    .footprint_count = 9,
    .turn_ticks = 1,
    .heading = FW_HEADING_WEST};
  fw_tick_t ticks[9];
  compute_departures(&(fw_problem_t){.grid = &grid, .robots = &robot, .robot_count = 1, .connectivity = 4}, ticks, 9);
  for (int32_t i = 0; i < 9; ++i) {
    assert_int_equal(ticks[i], FW_TICK_MAX);
  }
}

// ---- whole problems -------------------------------------------------------------------------------------------------

static bool is_solved(const fw_problem_t * problem, int64_t expansions)
{
  fw_planner_t planner;
  fw_plan_t plan;
  fw_conflict_t conflict;
  const fw_budget_t budget = {.expansions_max = expansions};
  assert_int_equal(fw_planner_init(&planner, "whca", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, problem, &budget, &plan, NULL), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  const bool is = plan.outcome == FW_OUTCOME_SOLVED;
  fw_planner_fini(&planner);
  return is;
}

// Eight squares that turn, on open floor. One of them stops where three others stand on their goals around it: it
// cannot turn, and the robot before it cannot leave at once.
static void a_robot_that_is_wedged_in_gets_out(void ** state)
{
  (void)state;
  static const int32_t places[8][4] = {{17, 16, 9, 11}, {9, 1, 1, 1},   {17, 2, 8, 4},  {3, 4, 14, 10},
                                       {8, 5, 17, 13},  {3, 8, 11, 15}, {8, 10, 16, 7}, {15, 9, 2, 5}};
  fw_grid_t grid;
  fw_robot_t robots[8];
  assert_int_equal(fw_grid_make(&grid, "open:20x20", NULL, NULL), FW_RET_OK);
  for (int32_t r = 0; r < 8; ++r) {
    robots[r] = (fw_robot_t){
      .start = fw_grid_cell(&grid, places[r][0], places[r][1]),
      .goal = fw_grid_cell(&grid, places[r][2], places[r][3]),
      .footprint = square3,
      .footprint_count = 9,
      .turn_ticks = 1,
      .heading = FW_HEADING_WEST,
    };
  }
  assert_true(is_solved(&(fw_problem_t){.grid = &grid, .robots = robots, .robot_count = 8, .connectivity = 4}, 100000));
  fw_grid_fini(&grid);
}

// In corridors of a maze that the robots nearly fill, robot 2 has to pass two robots on their goals, which can only
// move ahead of it until there is room.
static void robots_in_a_corridor_get_a_head_start(void ** state)
{
  (void)state;
  static const int32_t places[4][4] = {{16, 12, 0, 0}, {11, 21, 14, 9}, {12, 9, 1, 13}, {1, 20, 20, 11}};
  fw_grid_t grid;
  fw_robot_t robots[4];
  assert_int_equal(fw_grid_make(&grid, "maze:25x25,corridor=3,seed=1", NULL, NULL), FW_RET_OK);
  for (int32_t r = 0; r < 4; ++r) {
    robots[r] = (fw_robot_t){
      .start = fw_grid_cell(&grid, places[r][0], places[r][1]),
      .goal = fw_grid_cell(&grid, places[r][2], places[r][3]),
      .footprint = square2,
      .footprint_count = 4,
    };
  }
  assert_true(is_solved(&(fw_problem_t){.grid = &grid, .robots = robots, .robot_count = 4, .connectivity = 4}, 600000));
  fw_grid_fini(&grid);
}

// Random fleets of one body on small maps. A quarter of them arrived before the planner knew earliest departures. Of
// the others, some have turned into each other within their windows and can move neither ahead nor back.
static void most_fleets_of_large_robots_arrive(void ** state)
{
  (void)state;
  static const struct {
    const char * line;
    int32_t robot_count;
    fw_robot_t shape;
  } kinds[] = {
    {"open:20x20", 8, {.footprint = square3, .footprint_count = 9}},
    {"open:20x20", 20, {.footprint = bar3, .footprint_count = 3}},
    {"open:16x16", 12, {.footprint = square2, .footprint_count = 4}},
    {"random:24x24,obstacles=4,seed=2", 6, {.footprint = square3, .footprint_count = 9}},
    {"warehouse:31x21,aisle=3,lane=4", 9, {.footprint = square2, .footprint_count = 4}},
  };
  int32_t solved = 0;
  for (int32_t number = 0; number < 4 * TEST_COUNT(kinds); ++number) {
    const int32_t kind = number / 4;
    const int32_t connectivity = number % 2 == 0 ? 4 : 8;
    fw_grid_t grid;
    fw_robot_t robots[20];
    assert_int_equal(fw_grid_make(&grid, kinds[kind].line, NULL, NULL), FW_RET_OK);
    for (int32_t r = 0; r < kinds[kind].robot_count; ++r) {
      robots[r] = kinds[kind].shape;
      robots[r].turn_ticks = 1 + number % 4 / 2;
      robots[r].heading = FW_HEADING_WEST;
    }
    fw_scenario_t scenario = {.robots = robots, .robot_count = kinds[kind].robot_count};
    const fw_problem_t problem = {
      .grid = &grid, .robots = robots, .robot_count = scenario.robot_count, .connectivity = connectivity};
    assert_int_equal(fw_scenario_place(&scenario, &problem, (uint64_t)number, NULL), FW_RET_OK);
    solved += is_solved(&problem, 100000) ? 1 : 0;
    fw_grid_fini(&grid);
  }
  assert_true(solved >= 3 * TEST_COUNT(kinds) - 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_square_leaves_row_after_row),         cmocka_unit_test(a_slow_robot_leaves_late),
    cmocka_unit_test(a_robot_that_cannot_move_never_leaves), cmocka_unit_test(a_robot_that_is_wedged_in_gets_out),
    cmocka_unit_test(robots_in_a_corridor_get_a_head_start), cmocka_unit_test(most_fleets_of_large_robots_arrive),
  };
  return TEST_RUN(tests);
}
