// Random robots: distinct, reachable, the same for the same seed.

#include "base/rng.h"
#include "fleetweave/files.h"
#include "support/dijkstra.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

static void robots_are_apart_and_have_a_way(void ** state)
{
  (void)state;
  static int32_t distance[400];
  for (int32_t round = 0; round < test_rounds(100); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(&rng, 1 + fw__rng_below(&rng, 20), 1 + fw__rng_below(&rng, 20), 40, false);
    int32_t free_count = 0;
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&grid); ++cell) {
      free_count += grid.cost[cell];
    }
    // Now and then as many robots as there are cells.
    const int32_t count = round % 3 == 0 ? free_count : fw__rng_below(&rng, free_count + 1);
    fw_scenario_t scenario;
    assert_int_equal(fw_scenario_make(&scenario, &grid, count, (uint64_t)round, NULL, NULL), FW_RET_OK);
    assert_int_equal(scenario.robot_count, count);
    const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = count};
    assert_int_equal(fw_problem_check(&problem, NULL), FW_RET_OK);
    for (int32_t r = 0; r < count; r += 1 + count / 10) {
      dijkstra_to(&(dijkstra_t){.grid = &grid, .connectivity = 4}, scenario.robots[r].goal, distance);
      assert_true(distance[scenario.robots[r].start] >= 0);
    }
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
}

static void the_same_seed_gives_the_same_robots(void ** state)
{
  (void)state;
  DRAW(grid, "........", "..##....", "........", "....#...");
  fw_scenario_t one, again, other;
  assert_int_equal(fw_scenario_make(&one, &grid, 10, 1, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&again, &grid, 10, 1, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&other, &grid, 10, 2, NULL, NULL), FW_RET_OK);
  const fw_cell_t expected[] = {16, 3, 15, 30, 4, 1};
  bool differs = false;
  for (int32_t r = 0; r < 10; ++r) {
    assert_int_equal(one.robots[r].start, again.robots[r].start);
    assert_int_equal(one.robots[r].goal, again.robots[r].goal);
    differs = differs || one.robots[r].start != other.robots[r].start;
  }
  assert_true(differs);
  for (int32_t r = 0; r < 3; ++r) {  // on every machine
    assert_int_equal(one.robots[r].start, expected[2 * r]);
    assert_int_equal(one.robots[r].goal, expected[2 * r + 1]);
  }
  fw_scenario_fini(&one);
  fw_scenario_fini(&again);
  fw_scenario_fini(&other);
}

static void too_many_and_too_few_are_refused(void ** state)
{
  (void)state;
  DRAW(grid, ".#.");
  fw_scenario_t scenario;
  fw_error_t error;
  assert_int_equal(fw_scenario_make(&scenario, &grid, 3, 1, NULL, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "3 robots do not fit on 2 free cells: use fewer robots or a larger map");
  assert_null(scenario.robots);
  assert_int_equal(fw_scenario_make(&scenario, &grid, -1, 1, NULL, &error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 0, 1, NULL, &error), FW_RET_OK);
  assert_int_equal(scenario.robot_count, 0);
  fw_scenario_fini(&scenario);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(robots_are_apart_and_have_a_way),
    cmocka_unit_test(the_same_seed_gives_the_same_robots),
    cmocka_unit_test(too_many_and_too_few_are_refused),
  };
  return TEST_RUN(tests);
}
