// subgoals: shortest paths whatever is precomputed: labels of cells, labels of subgoals alone, a contraction hierarchy,
// or one with a core.

#include <stdio.h>

#include "fleetweave/files.h"
#include "search/router.h"
#include "support/reference.h"
#include "support/test.h"

typedef struct setting_t {
  const char * labels;
  const char * effort;
  const char * labels_mb;
} setting_t;

static const setting_t settings[] = {
  {"cells", "0", "512"},     // labels of cells
  {"subgoals", "0", "512"},  // labels of subgoals
  {"none", "0", "512"},      // searches in the hierarchy
  {"none", "1", "512"},      // a core is left on all but small maps
  {"cells", "0", "0"},       // no room for labels
};

static void open_with(
  fw_router_t * router, const setting_t * setting, const fw_router_options_t * options, const fw_grid_t * grid)
{
  assert_int_equal(fw_router_init(router, "subgoals", options, NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(router, "labels", setting->labels, NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(router, "effort", setting->effort, NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(router, "labels_mb", setting->labels_mb, NULL), FW_RET_OK);
  assert_int_equal(fw_router_build(router, grid, NULL), FW_RET_OK);
}

// Every map of the generators, with random sizes and densities.
static void make_map(fw_grid_t * grid, fw_rng_t * rng, int32_t number, char line[96])
{
  const int32_t width = 3 + fw__rng_below(rng, 46);
  const int32_t height = 3 + fw__rng_below(rng, 46);
  const struct {
    const char * kind;
    const char * key;
    int32_t from;
    int32_t count;
  } kinds[] = {
    {"random", "obstacles", 1, 45}, {"random", "obstacles", 10, 20}, {"rooms", "room", 2, 9},
    {"maze", "corridor", 1, 4},     {"warehouse", "shelf", 1, 9},
  };
  const int32_t kind = fw__rng_below(rng, TEST_COUNT(kinds));
  snprintf(
    line, 96, "%s:%dx%d,%s=%d,seed=%d", kinds[kind].kind, width, height, kinds[kind].key,
    kinds[kind].from + fw__rng_below(rng, kinds[kind].count), number);
  assert_int_equal(fw_grid_make(grid, line, NULL, NULL), FW_RET_OK);
}

enum { MAPS = 300, GOALS = 3, STARTS = 12 };

// 300 maps, 4 and 8 directions, both lengths of a diagonal, some with a larger robot: 54,000 queries against Dijkstra's
// algorithm.
static void every_path_is_shortest(void ** state)
{
  (void)state;
  static const fw_offset_t wide[] = {{0, 0}, {1, 0}};
  static int64_t costs[REFERENCE_CELLS_MAX];
  for (int32_t number = 0; number < MAPS; ++number) {
    fw_rng_t rng = fw__rng((uint64_t)number + 1);
    fw_grid_t grid;
    char line[96];
    make_map(&grid, &rng, number, line);
    const fw_router_options_t options = {
      .connectivity = fw__rng_below(&rng, 2) == 0 ? 4 : 8,
      .diagonal = fw__rng_below(&rng, 2) == 0 ? FW_DIAGONAL_TICK : FW_DIAGONAL_ROOT,
      .footprint = wide,
      .footprint_count = number % 5 == 0 ? 2 : 1,
    };
    fw_router_t routers[TEST_COUNT(settings)] = {0};
    for (int32_t i = 0; i < TEST_COUNT(settings); ++i) {
      open_with(&routers[i], &settings[i], &options, &grid);
    }
    const fw_router_stats_t stats = fw_router_stats(&routers[0]);
    for (int32_t g = 0; g < GOALS; ++g) {
      const fw_cell_t goal = reference_cell(&grid, &options, &rng);
      if (goal == FW_CELL_NONE) {
        continue;
      }
      reference_costs(&grid, &options, (int32_t[]){stats.unit, stats.diagonal}, goal, costs);
      for (int32_t s = 0; s < STARTS; ++s) {
        const fw_cell_t ends[2] = {reference_cell(&grid, &options, &rng), goal};
        for (int32_t i = 0; i < TEST_COUNT(settings) && ends[0] != FW_CELL_NONE; ++i) {
          fw_route_t route;
          fw_error_t error = {0};
          assert_int_equal(fw_router_find(&routers[i], ends[0], ends[1], NULL, &route, &error), FW_RET_OK);
          const bool is_right =
            route.length == 0
              ? costs[ends[0]] < 0
              : route.cost == costs[ends[0]] && fw_route_check(&route, &grid, &options, ends, &error) == FW_RET_OK;
          if (!is_right) {
            fail_msg(
              "%s, connectivity %d, labels %s, effort %s: %d to %d costs %lld, not %lld %s", line, options.connectivity,
              settings[i].labels, settings[i].effort, ends[0], ends[1], (long long)route.cost,
              (long long)costs[ends[0]], error.text);
          }
        }
      }
    }
    for (int32_t i = 0; i < TEST_COUNT(settings); ++i) {
      fw_router_fini(&routers[i]);
    }
    fw_grid_fini(&grid);
  }
}

// What the settings choose shows in the queries: labels need no expansions, a core more than a whole hierarchy.
static void labels_need_no_search(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:96x96,obstacles=20,seed=3", NULL, NULL), FW_RET_OK);
  const fw_router_options_t options = {.connectivity = 8, .diagonal = FW_DIAGONAL_ROOT};
  int64_t expanded[TEST_COUNT(settings)] = {0};
  size_t built[TEST_COUNT(settings)];
  int64_t cost[TEST_COUNT(settings)] = {0};
  for (int32_t i = 0; i < TEST_COUNT(settings); ++i) {
    fw_router_t router = {0};
    fw_rng_t rng = fw__rng(5);
    open_with(&router, &settings[i], &options, &grid);
    built[i] = fw_router_stats(&router).built_bytes;
    for (int32_t k = 0; k < 40; ++k) {
      const fw_cell_t start = reference_cell(&grid, &options, &rng);
      const fw_cell_t goal = reference_cell(&grid, &options, &rng);
      fw_route_t route;
      assert_int_equal(fw_router_find(&router, start, goal, NULL, &route, NULL), FW_RET_OK);
      expanded[i] += route.expanded;
      cost[i] += route.cost;
    }
    fw_router_fini(&router);
  }
  for (int32_t i = 1; i < TEST_COUNT(settings); ++i) {
    assert_int_equal(cost[i], cost[0]);
  }
  assert_int_equal(expanded[0], 0);
  assert_int_equal(expanded[1], 0);
  assert_true(built[0] > built[1] && built[1] > built[2]);
  assert_true(expanded[2] > 0 && expanded[3] > 2 * expanded[2]);
  assert_int_equal(expanded[4], expanded[2]);
  fw_grid_fini(&grid);
}

// Counts calls, and is cancelled after some of them.
typedef struct patience_t {
  int32_t calls;
  int32_t limit;
} patience_t;

static bool is_over(void * state)
{
  patience_t * patience = state;
  return ++patience->calls > patience->limit;
}

// A build that is cancelled, at any moment, leaves a router with exact answers.
static void a_cancelled_build_answers_exactly(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:64x64,obstacles=25,seed=4", NULL, NULL), FW_RET_OK);
  const fw_router_options_t options = {.connectivity = 8, .diagonal = FW_DIAGONAL_ROOT};
  fw_router_t whole = {0};
  open_with(&whole, &settings[0], &options, &grid);
  patience_t all = {.limit = INT32_MAX};
  fw_budget_t budget = {.is_cancelled = is_over, .cancel_state = &all};
  assert_int_equal(fw_router_build_within(&whole, &grid, &budget, NULL), FW_RET_OK);
  assert_true(all.calls > 20);  // the callback is called throughout
  for (int32_t i = 0; i <= 20; ++i) {
    patience_t patience = {.limit = all.calls * i / 20};
    budget.cancel_state = &patience;
    fw_router_t router = {0};
    assert_int_equal(fw_router_init(&router, "subgoals", &options, NULL), FW_RET_OK);
    assert_int_equal(fw_router_build_within(&router, &grid, &budget, NULL), FW_RET_OK);
    assert_true(patience.calls <= patience.limit + 64);  // it stops after the node under way
    fw_rng_t rng = fw__rng(6);
    for (int32_t k = 0; k < 20; ++k) {
      const fw_cell_t start = reference_cell(&grid, &options, &rng);
      const fw_cell_t goal = reference_cell(&grid, &options, &rng);
      fw_route_t expected, route;
      assert_int_equal(fw_router_find(&whole, start, goal, NULL, &expected, NULL), FW_RET_OK);
      assert_int_equal(fw_router_find(&router, start, goal, NULL, &route, NULL), FW_RET_OK);
      assert_int_equal(route.cost, expected.cost);
      assert_int_equal(route.length > 0, expected.length > 0);
    }
    fw_router_fini(&router);
  }
  fw_router_fini(&whole);
  fw_grid_fini(&grid);
}

// A limit on memory leaves out labels before it makes the build fail.
static void labels_give_way_to_the_memory_limit(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:128x128,obstacles=20,seed=7", NULL, NULL), FW_RET_OK);
  size_t built[2];
  for (int32_t i = 0; i < 2; ++i) {
    fw_router_t router = {0};
    const fw_router_options_t options = {.connectivity = 8, .memory_max_bytes = i == 0 ? 0 : (size_t)8 << 20};
    assert_int_equal(fw_router_init(&router, "subgoals", &options, NULL), FW_RET_OK);
    assert_int_equal(fw_router_build(&router, &grid, NULL), FW_RET_OK);
    built[i] = fw_router_stats(&router).built_bytes;
    fw_router_fini(&router);
  }
  assert_true(built[0] > (size_t)8 << 20 && built[1] <= (size_t)8 << 20);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_path_is_shortest),
    cmocka_unit_test(labels_need_no_search),
    cmocka_unit_test(a_cancelled_build_answers_exactly),
    cmocka_unit_test(labels_give_way_to_the_memory_limit),
  };
  return TEST_RUN(tests);
}
