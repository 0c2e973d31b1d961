// A route for one robot: the cheapest way, or none.

#include "fleetweave/search.h"

#include "support/dijkstra.h"
#include "support/draw.h"
#include "support/tally.h"
#include "support/test.h"
#include "support/world.h"

enum { CELLS_MAX = 20 * 20 };

// Each step is a legal move, and the costs of the cells entered add up to the route's.
static void assert_walkable(const fw_route_t * route, const fw_grid_t * grid, int32_t connectivity)
{
  fw_cost_t cost = 0;
  for (int32_t i = 1; i < route->length; ++i) {
    const int32_t x = fw_grid_x(grid, route->cells[i]);
    const int32_t y = fw_grid_y(grid, route->cells[i]);
    const int32_t before_x = fw_grid_x(grid, route->cells[i - 1]);
    const int32_t before_y = fw_grid_y(grid, route->cells[i - 1]);
    assert_in_range(abs(x - before_x) + abs(y - before_y), 1, connectivity == 8 ? 2 : 1);
    assert_in_range(abs(x - before_x), 0, 1);
    assert_in_range(abs(y - before_y), 0, 1);
    assert_true(
      fw_grid_is_free(grid, x, y) && fw_grid_is_free(grid, before_x, y) && fw_grid_is_free(grid, x, before_y));
    cost += grid->cost[route->cells[i]];
  }
  assert_int_equal(route->cost, cost);
}

static void costs_as_little_as_dijkstra_says(void ** state)
{
  (void)state;
  static int32_t truth[CELLS_MAX];
  for (int32_t round = 0; round < test_rounds(600); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const int32_t width = 1 + fw__rng_below(&rng, 20);
    fw_grid_t grid = world_grid(&rng, width, 1 + fw__rng_below(&rng, 20), fw__rng_below(&rng, 40), round % 2 == 0);
    const int32_t connectivity = round % 4 < 2 ? 4 : 8;
    const fw_cell_t start = fw__rng_below(&rng, fw_grid_cell_count(&grid));
    const fw_cell_t goal = fw__rng_below(&rng, fw_grid_cell_count(&grid));
    grid.cost[start] = grid.cost[goal] = 1;
    dijkstra_to(&(dijkstra_t){.grid = &grid, .connectivity = connectivity, .is_weighted = true}, goal, truth);
    fw_route_t route;
    assert_int_equal(fw_route_find(&route, &grid, start, goal, connectivity, NULL, NULL), FW_RET_OK);
    if (truth[start] < 0) {
      assert_int_equal(route.length, 0);
      assert_null(route.cells);
    } else {
      assert_int_equal(route.cost, truth[start]);
      assert_int_equal(route.cells[0], start);
      assert_int_equal(route.cells[route.length - 1], goal);
      assert_walkable(&route, &grid, connectivity);
    }
    fw_route_fini(&route);
    fw_grid_fini(&grid);
  }
}

static void takes_the_long_way_round_bad_floor(void ** state)
{
  (void)state;
  DRAW(grid, ".9.", "...", ".9.");
  fw_route_t route;
  assert_int_equal(fw_route_find(&route, &grid, 0, 2, 4, NULL, NULL), FW_RET_OK);
  const fw_cell_t expected[] = {0, 3, 4, 5, 2};
  assert_int_equal(route.length, 5);
  assert_memory_equal(route.cells, expected, sizeof(expected));
  assert_int_equal(route.cost, 4);
  fw_route_fini(&route);
  fw_route_fini(&route);
}

static void a_start_that_is_the_goal_is_a_route_of_one(void ** state)
{
  (void)state;
  DRAW(grid, "..");
  fw_route_t route;
  assert_int_equal(fw_route_find(&route, &grid, 1, 1, 8, NULL, NULL), FW_RET_OK);
  assert_int_equal(route.length, 1);
  assert_int_equal(route.cost, 0);
  fw_route_fini(&route);
}

static void bad_ends_are_refused_with_the_cell(void ** state)
{
  (void)state;
  DRAW(grid, "..#");
  const struct {
    fw_cell_t start;
    fw_cell_t goal;
    int32_t connectivity;
    fw_fault_t fault;
    fw_cell_t cell;
  } cases[] = {
    {-1, 0, 4, FW_FAULT_START_OUTSIDE, -1},    {3, 0, 4, FW_FAULT_START_OUTSIDE, 3},
    {0, 3, 4, FW_FAULT_GOAL_OUTSIDE, 3},       {2, 0, 4, FW_FAULT_START_OCCUPIED, 2},
    {0, 2, 8, FW_FAULT_GOAL_OCCUPIED, 2},      {0, 1, 5, FW_FAULT_INVALID, FW_CELL_NONE},
    {0, 1, 0, FW_FAULT_INVALID, FW_CELL_NONE},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_route_t route;
    fw_error_t error = {0};
    assert_int_equal(
      fw_route_find(&route, &grid, cases[i].start, cases[i].goal, cases[i].connectivity, NULL, &error),
      FW_RET_INVALID_ARGUMENT);
    assert_int_equal(error.fault, cases[i].fault);
    assert_int_equal(error.cell, cases[i].cell);
    fw_route_fini(&route);
  }
}

static void each_failed_allocation_is_a_clean_error(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".###.", ".....");
  tally_t tally = {0};
  const fw_allocator_t allocator = tally_allocator(&tally);
  fw_ret_t ret = FW_RET_BAD_ALLOC;
  int64_t n = 0;
  while (ret != FW_RET_OK) {
    tally_fail(&tally, ++n, false);
    fw_route_t route;
    ret = fw_route_find(&route, &grid, 0, 14, 4, &allocator, NULL);
    // An arena that cannot have a large block asks for a small one: one failure need not be an error.
    assert_true(ret == FW_RET_BAD_ALLOC || route.length == 7);
    assert_true(ret == FW_RET_OK || tally.calls >= n);
    if (tally.calls >= n) {
      ret = FW_RET_BAD_ALLOC;
    }
    fw_route_fini(&route);
    assert_int_equal(tally.live, 0);
  }
  assert_true(n > 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(costs_as_little_as_dijkstra_says),           cmocka_unit_test(takes_the_long_way_round_bad_floor),
    cmocka_unit_test(a_start_that_is_the_goal_is_a_route_of_one), cmocka_unit_test(bad_ends_are_refused_with_the_cell),
    cmocka_unit_test(each_failed_allocation_is_a_clean_error),
  };
  return TEST_RUN(tests);
}
