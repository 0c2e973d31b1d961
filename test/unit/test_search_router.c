// The contract that all searches keep: the door, limits, memory, and what is the same for all of them.

#include <stdio.h>

#include "fleetweave/files.h"
#include "support/draw.h"
#include "support/reference.h"
#include "support/tally.h"
#include "support/test.h"

static void open_on(
  fw_router_t * router, const char * name, const fw_router_options_t * options, const fw_grid_t * grid)
{
  assert_int_equal(fw_router_init(router, name, options, NULL), FW_RET_OK);
  assert_int_equal(fw_router_build(router, grid, NULL), FW_RET_OK);
}

static void bad_ends_are_refused_with_the_cell(void ** state)
{
  (void)state;
  DRAW(grid, "..#");
  const struct {
    fw_cell_t start;
    fw_cell_t goal;
    fw_fault_t fault;
    fw_cell_t cell;
  } cases[] = {
    {-1, 0, FW_FAULT_START_OUTSIDE, -1}, {3, 0, FW_FAULT_START_OUTSIDE, 3}, {0, 3, FW_FAULT_GOAL_OUTSIDE, 3},
    {2, 0, FW_FAULT_START_OCCUPIED, 2},  {0, 2, FW_FAULT_GOAL_OCCUPIED, 2},
  };
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    fw_router_t router = {0};
    open_on(&router, fw_router_def_at(i)->name, NULL, &grid);
    for (int32_t k = 0; k < TEST_COUNT(cases); ++k) {
      fw_route_t route;
      fw_error_t error = {0};
      assert_int_equal(
        fw_router_find(&router, cases[k].start, cases[k].goal, NULL, &route, &error), FW_RET_INVALID_ARGUMENT);
      assert_int_equal(error.fault, cases[k].fault);
      assert_int_equal(error.cell, cases[k].cell);
      assert_int_equal(route.length, 0);
    }
    fw_router_fini(&router);
    fw_router_fini(&router);
  }
}

static void what_makes_no_router_is_refused(void ** state)
{
  (void)state;
  static const fw_offset_t beside[] = {{1, 0}};
  const struct {
    const char * name;
    fw_router_options_t options;
    fw_ret_t ret;
  } cases[] = {
    {"astra", {0}, FW_RET_NOT_FOUND},
    {"astar", {.connectivity = 5}, FW_RET_INVALID_ARGUMENT},
    {"astar", {.clearance = FW_CLEARANCE_MAX + 1}, FW_RET_INVALID_ARGUMENT},
    {"astar", {.footprint = beside, .footprint_count = 1}, FW_RET_INVALID_ARGUMENT},
    {"jps", {.connectivity = 6}, FW_RET_UNSUPPORTED},
    {"astar", {.connectivity = 6, .clearance = 1}, FW_RET_UNSUPPORTED},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_router_t router = {0};
    fw_error_t error = {0};
    assert_int_equal(fw_router_init(&router, cases[i].name, &cases[i].options, &error), cases[i].ret);
    assert_true(error.text[0] != '\0');
    assert_null(router.impl);
  }
  fw_router_t router = {0};
  fw_route_t route;
  assert_int_equal(fw_router_init(&router, "weighted", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_router_find(&router, 0, 0, NULL, &route, NULL), FW_RET_INVALID_ARGUMENT);  // no map
  assert_int_equal(fw_router_set(&router, "percent", "99", NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_router_set(&router, "per cent", "120", NULL), FW_RET_NOT_FOUND);
  assert_int_equal(fw_router_build(&router, &(fw_grid_t){0}, NULL), FW_RET_INVALID_ARGUMENT);
  fw_router_fini(&router);
}

static void a_start_that_is_the_goal_is_a_way_of_one(void ** state)
{
  (void)state;
  DRAW(grid, "..", "#.");
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    fw_router_t router = {0};
    fw_route_t route;
    open_on(&router, fw_router_def_at(i)->name, &(fw_router_options_t){.finds_corners = true}, &grid);
    assert_int_equal(fw_router_find(&router, 1, 1, NULL, &route, NULL), FW_RET_OK);
    assert_int_equal(route.length, 1);
    assert_int_equal(route.cost, 0);
    assert_int_equal(route.corner_count, 1);
    fw_router_fini(&router);
  }
}

static bool always(void * state)
{
  ++*(int32_t *)state;
  return true;
}

// Searches that look at hundreds of places stop when they are told to, and say why.
static void limits_end_a_search(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "maze:101x101,corridor=1,seed=1", NULL, NULL), FW_RET_OK);
  fw_router_t router = {0};
  fw_route_t route;
  open_on(&router, "dijkstra", NULL, &grid);
  assert_int_equal(fw_router_find(&router, 0, 101 * 101 - 1, NULL, &route, NULL), FW_RET_OK);
  const int64_t whole = route.expanded;
  assert_true(route.length > 0 && whole > 1000);
  fw_budget_t budget = {.expansions_max = 512};
  assert_int_equal(fw_router_find(&router, 0, 101 * 101 - 1, &budget, &route, NULL), FW_RET_OK);
  assert_int_equal(route.stop, FW_STOP_EXPANSIONS);
  assert_int_equal(route.length, 0);
  assert_true(route.expanded < whole && route.expanded <= 512 + 256);
  int32_t asked = 0;
  budget = (fw_budget_t){.is_cancelled = always, .cancel_state = &asked};
  assert_int_equal(fw_router_find(&router, 0, 101 * 101 - 1, &budget, &route, NULL), FW_RET_OK);
  assert_int_equal(route.stop, FW_STOP_CANCELLED);
  assert_true(asked > 0);
  budget = (fw_budget_t){.deadline_ns = 1};
  assert_int_equal(fw_router_find(&router, 0, 101 * 101 - 1, &budget, &route, NULL), FW_RET_OK);
  assert_int_equal(route.stop, FW_STOP_DEADLINE);
  assert_int_equal(fw_router_find(&router, 0, 101 * 101 - 1, NULL, &route, NULL), FW_RET_OK);
  assert_int_equal(route.expanded, whole);
  fw_router_fini(&router);
  fw_grid_fini(&grid);
}

// A limit on memory is an answer, of the build or of the search; the router can be used again with a smaller map.
static void memory_has_a_limit(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_grid_t small;
  assert_int_equal(fw_grid_make(&grid, "maze:301x301,corridor=1,seed=1", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_grid_make(&small, "open:5x5", NULL, NULL), FW_RET_OK);
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    fw_router_t router = {0};
    const fw_router_options_t options = {.memory_max_bytes = 200 * 1024};
    assert_int_equal(fw_router_init(&router, fw_router_def_at(i)->name, &options, NULL), FW_RET_OK);
    assert_int_equal(fw_router_build(&router, &grid, NULL), FW_RET_BAD_ALLOC);
    assert_true(fw_router_stats(&router).memory_bytes <= 200 * 1024);
    fw_router_fini(&router);
  }
  fw_router_t router = {0};
  fw_route_t route;
  open_on(&router, "bank", &(fw_router_options_t){.memory_max_bytes = 1200 * 1024}, &grid);
  assert_int_equal(fw_router_find(&router, 0, 301 * 301 - 1, NULL, &route, NULL), FW_RET_OK);
  assert_int_equal(route.stop, FW_STOP_MEMORY);
  assert_int_equal(fw_router_build(&router, &small, NULL), FW_RET_OK);
  assert_int_equal(fw_router_find(&router, 0, 24, NULL, &route, NULL), FW_RET_OK);
  assert_int_equal(route.length, 9);
  fw_router_fini(&router);
  fw_grid_fini(&grid);
  fw_grid_fini(&small);
}

// Fails one allocation after the other, in everything that a router does.
static void each_failed_allocation_is_a_clean_answer(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:60x60,obstacles=20,seed=5", NULL, NULL), FW_RET_OK);
  const fw_cell_t ends[2] = {fw_grid_cell(&grid, 2, 3), fw_grid_cell(&grid, 57, 55)};
  grid.cost[ends[0]] = grid.cost[ends[1]] = 1;
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    tally_t tally = {0};
    for (int64_t n = 1;; ++n) {
      const fw_router_options_t options = {.allocator = tally_allocator(&tally), .connectivity = 8};
      fw_router_t router = {0};
      fw_route_t route = {0};
      tally_fail(&tally, n, true);
      fw_ret_t ret = fw_router_init(&router, fw_router_def_at(i)->name, &options, NULL);
      ret = ret == FW_RET_OK ? fw_router_build(&router, &grid, NULL) : ret;
      const fw_budget_t budget = {.expansions_max = 200000};
      ret = ret == FW_RET_OK ? fw_router_find(&router, ends[0], ends[1], &budget, &route, NULL) : ret;
      ret = ret == FW_RET_OK ? fw_router_update(&router, &ends[0], 1, NULL) : ret;
      assert_true(ret == FW_RET_OK || ret == FW_RET_BAD_ALLOC);
      const bool is_through = tally.calls < n;
      assert_true(!is_through || ret == FW_RET_OK);
      fw_router_fini(&router);
      assert_int_equal(tally.live, 0);
      if (is_through) {
        assert_true(n > 3);
        break;
      }
    }
  }
  fw_grid_fini(&grid);
}

// Asked again, a router gives the same answer and takes no memory.
static void a_warm_router_asks_for_no_memory(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "rooms:80x80,room=9,seed=5", NULL, NULL), FW_RET_OK);
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    tally_t tally = {0};
    const fw_router_options_t options = {
      .allocator = tally_allocator(&tally), .connectivity = 8, .diagonal = FW_DIAGONAL_ROOT, .finds_corners = true};
    fw_router_t router = {0};
    open_on(&router, fw_router_def_at(i)->name, &options, &grid);
    int64_t costs[2] = {0, 0};
    int64_t expanded[2] = {0, 0};
    int64_t calls = 0;
    for (int32_t pass = 0; pass < 2; ++pass) {
      fw_rng_t rng = fw__rng(3);
      calls = tally.calls;
      for (int32_t k = 0; k < 30; ++k) {
        fw_route_t route;
        const fw_cell_t start = reference_cell(&grid, &options, &rng);
        const fw_cell_t goal = reference_cell(&grid, &options, &rng);
        const fw_budget_t budget = {.expansions_max = 50000};
        assert_int_equal(fw_router_find(&router, start, goal, &budget, &route, NULL), FW_RET_OK);
        costs[pass] += route.cost;
        expanded[pass] += route.expanded;
      }
    }
    assert_int_equal(tally.calls, calls);
    assert_int_equal(costs[0], costs[1]);
    assert_int_equal(expanded[0], expanded[1]);
    fw_router_fini(&router);
    assert_int_equal(tally.live, 0);
  }
  fw_grid_fini(&grid);
}

static void lengths_are_as_fine_as_the_map_allows(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_router_t router = {0};
  assert_int_equal(fw_grid_make(&grid, "open:100x100", NULL, NULL), FW_RET_OK);
  const fw_router_options_t options = {.connectivity = 8, .diagonal = FW_DIAGONAL_ROOT};
  open_on(&router, "astar", &options, &grid);
  assert_int_equal(fw_router_stats(&router).unit, 2378);
  assert_int_equal(fw_router_stats(&router).diagonal, 3363);
  grid.cost[5] = 255;
  assert_int_equal(fw_router_build(&router, &grid, NULL), FW_RET_OK);
  assert_int_equal(fw_router_stats(&router).unit, 408);
  fw_router_fini(&router);
  fw_grid_fini(&grid);
}

// Terrain: a way round is taken where the floor is bad, and refused by those who do not know it.
static void terrain_is_known_or_refused(void ** state)
{
  (void)state;
  DRAW(grid, ".9.", "...", ".9.");
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    const fw_router_def_t * def = fw_router_def_at(i);
    fw_router_t router = {0};
    fw_route_t route;
    assert_int_equal(fw_router_init(&router, def->name, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_router_build(&router, &grid, NULL), def->takes_terrain ? FW_RET_OK : FW_RET_UNSUPPORTED);
    if (def->is_optimal && def->takes_terrain) {
      assert_int_equal(fw_router_find(&router, 0, 2, NULL, &route, NULL), FW_RET_OK);
      assert_int_equal(route.cost, 4);
      assert_int_equal(route.length, 5);
    }
    fw_router_fini(&router);
  }
}

// The check finds what is wrong with a route.
static void a_spoiled_route_is_found_out(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..", "....");
  fw_cell_t cells[] = {0, 1, 2, 3};
  fw_route_t route = {.cells = cells, .length = 4};
  const fw_router_options_t options = {.connectivity = 8};
  const fw_cell_t ends[2] = {0, 3};
  assert_int_equal(fw_route_check(&route, &grid, &options, ends, NULL), FW_RET_OK);
  const fw_cell_t spoiled[][4] = {{0, 1, 2, 2}, {0, 1, 3, 3}, {0, 5, 2, 3}, {0, 1, 6, 3}, {1, 1, 2, 3}, {0, 1, 99, 3}};
  for (int32_t i = 0; i < TEST_COUNT(spoiled); ++i) {
    memcpy(cells, spoiled[i], sizeof(cells));
    fw_error_t error = {0};
    assert_int_equal(fw_route_check(&route, &grid, &options, ends, &error), FW_RET_INVALID_ARGUMENT);
    assert_true(error.text[0] != '\0');
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bad_ends_are_refused_with_the_cell),
    cmocka_unit_test(what_makes_no_router_is_refused),
    cmocka_unit_test(a_start_that_is_the_goal_is_a_way_of_one),
    cmocka_unit_test(limits_end_a_search),
    cmocka_unit_test(memory_has_a_limit),
    cmocka_unit_test(each_failed_allocation_is_a_clean_answer),
    cmocka_unit_test(a_warm_router_asks_for_no_memory),
    cmocka_unit_test(lengths_are_as_fine_as_the_map_allows),
    cmocka_unit_test(terrain_is_known_or_refused),
    cmocka_unit_test(a_spoiled_route_is_found_out),
  };
  return TEST_RUN(tests);
}
