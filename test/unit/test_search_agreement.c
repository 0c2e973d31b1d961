// Every search of the list, on random worlds: what it answers is a way on the map, optimal ones cost what the slow
// reference says, others keep their bound, and all agree on whether there is a way.

#include <stdio.h>

#include "fleetweave/files.h"
#include "support/reference.h"
#include "support/test.h"
#include "support/world.h"

enum { QUESTIONS = 10, SEARCHES_MAX = 32 };

static const fw_offset_t shape_2x2[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
static const fw_offset_t shape_l[] = {{0, -1}, {0, 0}, {1, 0}};

typedef struct case_t {
  fw_grid_t grid;
  fw_router_options_t options;
  bool has_costs;
  char text[160];
} case_t;

static void make_map(case_t * test, fw_rng_t * rng, uint64_t number)
{
  const int32_t width = 2 + fw__rng_below(rng, 38);
  const int32_t height = 2 + fw__rng_below(rng, 38);
  char line[96];
  switch (fw__rng_below(rng, 6)) {
    case 0:
      snprintf(
        line, sizeof(line), "rooms:%dx%d,room=%d,seed=%d", width, height, 2 + fw__rng_below(rng, 9), (int)number);
      break;
    case 1:
      snprintf(
        line, sizeof(line), "maze:%dx%d,corridor=%d,seed=%d", width, height, 1 + fw__rng_below(rng, 4), (int)number);
      break;
    case 2:
      snprintf(
        line, sizeof(line), "warehouse:%dx%d,shelf=%d,seed=%d", width, height, 1 + fw__rng_below(rng, 9), (int)number);
      break;
    default:
      snprintf(
        line, sizeof(line), "random:%dx%d,obstacles=%d,seed=%d", width, height, fw__rng_below(rng, 45), (int)number);
  }
  assert_int_equal(fw_grid_make(&test->grid, line, NULL, NULL), FW_RET_OK);
  snprintf(
    test->text, sizeof(test->text), "%s connectivity %d %s %d cells, clearance %d%s", line, test->options.connectivity,
    test->options.diagonal == FW_DIAGONAL_ROOT ? "root" : "tick", test->options.footprint_count,
    test->options.clearance, test->has_costs ? ", costs" : "");
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&test->grid) && test->has_costs; ++cell) {
    test->grid.cost[cell] = (uint8_t)(test->grid.cost[cell] * (1 + fw__rng_below(rng, 5)));
  }
}

static void make_case(case_t * test, uint64_t number)
{
  static const int32_t connectivities[] = {4, 8, 8, 6};
  fw_rng_t rng = fw__rng(number);
  *test = (case_t){0};
  fw_router_options_t * options = &test->options;
  options->connectivity = connectivities[fw__rng_below(&rng, 4)];
  options->diagonal = fw__rng_below(&rng, 2) == 0 ? FW_DIAGONAL_TICK : FW_DIAGONAL_ROOT;
  test->has_costs = fw__rng_below(&rng, 4) == 0;
  const int32_t shape = options->connectivity == 6 ? 0 : fw__rng_below(&rng, 8);
  options->footprint = shape == 1 ? shape_2x2 : (shape == 2 ? shape_l : NULL);
  options->footprint_count = shape == 1 ? 4 : (shape == 2 ? 3 : 0);
  options->clearance = shape == 3 ? 1 + fw__rng_below(&rng, 2) : 0;
  options->finds_corners = options->connectivity != 6;
  make_map(test, &rng, number);
}

static void measure(fw_router_t * router, int32_t lengths[2])
{
  const fw_router_stats_t stats = fw_router_stats(router);
  lengths[0] = stats.unit;
  lengths[1] = stats.diagonal;
}

// Lines between corners: the independent check of a line looks at every cell that a fine sampling of it touches.
static void assert_corners_see_each_other(const case_t * test, const fw_route_t * route)
{
  const fw_grid_t * grid = &test->grid;
  assert_int_equal(route->corners[0], route->cells[0]);
  assert_int_equal(route->corners[route->corner_count - 1], route->cells[route->length - 1]);
  for (int32_t i = 1; i < route->corner_count; ++i) {
    const int32_t x = fw_grid_x(grid, route->corners[i - 1]);
    const int32_t y = fw_grid_y(grid, route->corners[i - 1]);
    const int32_t dx = fw_grid_x(grid, route->corners[i]) - x;
    const int32_t dy = fw_grid_y(grid, route->corners[i]) - y;
    const int32_t parts = 64 * (abs(dx) > abs(dy) ? abs(dx) : abs(dy));
    for (int32_t k = 0; k <= parts; ++k) {
      const double at_x = x + 0.5 + (double)dx * k / parts;
      const double at_y = y + 0.5 + (double)dy * k / parts;
      assert_true(reference_fits(grid, &test->options, fw_grid_cell(grid, (int32_t)at_x, (int32_t)at_y)));
    }
  }
}

typedef struct question_t {
  fw_cell_t ends[2];
  int64_t best;  // -1: there is no way
  const int32_t * lengths;
} question_t;

static void ask(fw_router_t * router, const fw_router_def_t * def, const case_t * test, const question_t * question)
{
  fw_route_t route;
  fw_error_t error = {0};
  assert_int_equal(fw_router_find(router, question->ends[0], question->ends[1], NULL, &route, &error), FW_RET_OK);
  assert_int_equal(route.stop, FW_STOP_DONE);
  if (question->best < 0 || route.length == 0) {
    if (question->best >= 0 || route.length > 0) {
      fail_msg(
        "%s on %s: %d cells, the reference says %lld", def->name, test->text, route.length, (long long)question->best);
    }
    return;
  }
  if (fw_route_check(&route, &test->grid, &test->options, question->ends, &error) != FW_RET_OK) {
    fail_msg("%s on %s: %s", def->name, test->text, error.text);
  }
  assert_int_equal(route.cost, reference_route_cost(&test->grid, &route, question->lengths));
  if (def->is_optimal ? route.cost != question->best : route.cost < question->best) {
    fail_msg(
      "%s on %s, %d to %d: cost %lld, best %lld", def->name, test->text, question->ends[0], question->ends[1],
      (long long)route.cost, (long long)question->best);
  }
  if (strcmp(def->name, "weighted") == 0) {
    assert_true(100 * route.cost <= 120 * question->best);
  }
  if (strcmp(def->name, "breadth") == 0 && !test->has_costs && question->lengths[0] == question->lengths[1]) {
    assert_int_equal(route.cost, question->best);  // the fewest moves
  }
  if (test->options.finds_corners) {
    assert_corners_see_each_other(test, &route);
  }
}

// Opens a search on the world. False if it does not do such worlds, which it has to say.
static bool open_search(fw_router_t * router, const fw_router_def_t * def, const case_t * test)
{
  fw_error_t error = {0};
  const fw_ret_t ret = fw_router_init(router, def->name, &test->options, &error);
  if (test->options.connectivity == 6 && !def->takes_hexagons) {
    assert_int_equal(ret, FW_RET_UNSUPPORTED);
    return false;
  }
  assert_int_equal(ret, FW_RET_OK);
  const fw_ret_t built = fw_router_build(router, &test->grid, &error);
  if (built == FW_RET_UNSUPPORTED) {
    assert_false(def->takes_terrain);
    assert_true(test->has_costs);
    return false;
  }
  if (built != FW_RET_OK) {
    fail_msg("%s on %s: %s", def->name, test->text, error.text);
  }
  return true;
}

static void ask_all(const case_t * test, uint64_t number)
{
  static int64_t truth[REFERENCE_CELLS_MAX];
  fw_router_t routers[SEARCHES_MAX] = {{0}};
  bool is_open[SEARCHES_MAX];
  int32_t lengths[2];
  const int32_t count = fw_router_def_count();
  assert_in_range(count, 1, SEARCHES_MAX);
  for (int32_t i = 0; i < count; ++i) {
    is_open[i] = open_search(&routers[i], fw_router_def_at(i), test);
  }
  assert_true(is_open[0]);
  measure(&routers[0], lengths);
  fw_rng_t rng = fw__rng(~number);
  fw_cell_t goal = FW_CELL_NONE;
  for (int32_t i = 0; i < QUESTIONS; ++i) {
    if (i % 5 == 0) {
      goal = reference_cell(&test->grid, &test->options, &rng);
      if (goal != FW_CELL_NONE) {
        reference_costs(&test->grid, &test->options, lengths, goal, truth);
      }
    }
    const fw_cell_t start = reference_cell(&test->grid, &test->options, &rng);
    if (goal == FW_CELL_NONE || start == FW_CELL_NONE) {
      continue;
    }
    const question_t question = {.ends = {start, goal}, .best = truth[start], .lengths = lengths};
    for (int32_t k = 0; k < count; ++k) {
      if (is_open[k]) {
        ask(&routers[k], fw_router_def_at(k), test, &question);
      }
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    fw_router_fini(&routers[i]);
  }
}

// 200 worlds of 10 questions each; a hundred thousand with the long option.
static void every_search_agrees_with_the_reference(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(200); ++round) {
    case_t test;
    make_case(&test, (uint64_t)round);
    ask_all(&test, (uint64_t)round);
    fw_grid_fini(&test.grid);
  }
}

// Estimates that are not the default: all but manhattan, which is too much where there are diagonals, stay optimal.
static void every_estimate_keeps_its_promise(void ** state)
{
  (void)state;
  static const char * const names[] = {"octile", "zero", "manhattan", "euclidean", "true"};
  static int64_t truth[REFERENCE_CELLS_MAX];
  for (int32_t round = 0; round < test_rounds(100); ++round) {
    case_t test;
    make_case(&test, (uint64_t)round + 7000000);
    fw_rng_t rng = fw__rng((uint64_t)round);
    const fw_cell_t ends[2] = {
      reference_cell(&test.grid, &test.options, &rng), reference_cell(&test.grid, &test.options, &rng)};
    for (int32_t i = 0; i < TEST_COUNT(names) && ends[0] >= 0 && ends[1] >= 0; ++i) {
      fw_router_t router = {0};
      int32_t lengths[2];
      fw_route_t route;
      assert_int_equal(fw_router_init(&router, "astar", &test.options, NULL), FW_RET_OK);
      assert_int_equal(fw_router_set(&router, "heuristic", names[i], NULL), FW_RET_OK);
      assert_int_equal(fw_router_build(&router, &test.grid, NULL), FW_RET_OK);
      measure(&router, lengths);
      reference_costs(&test.grid, &test.options, lengths, ends[1], truth);
      assert_int_equal(fw_router_find(&router, ends[0], ends[1], NULL, &route, NULL), FW_RET_OK);
      const bool is_promised = strcmp(names[i], "manhattan") != 0 || test.options.connectivity == 4;
      assert_int_equal(route.length > 0, truth[ends[0]] >= 0);
      if (route.length > 0) {
        assert_true(is_promised ? route.cost == truth[ends[0]] : route.cost >= truth[ends[0]]);
      }
      fw_router_fini(&router);
    }
    fw_grid_fini(&test.grid);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_search_agrees_with_the_reference),
    cmocka_unit_test(every_estimate_keeps_its_promise),
  };
  return TEST_RUN(tests);
}
