// HPA*: far fewer expansions than A* for ways that are little longer, whatever its parameters are.

#include "fleetweave/files.h"
#include "support/reference.h"
#include "support/test.h"

enum { QUESTIONS = 60 };

typedef struct sum_t {
  int64_t cost;
  int64_t expanded;
  int32_t nodes;
} sum_t;

typedef struct setting_t {
  const char * name;
  const char * value;
} setting_t;

enum { SETTINGS_MAX = 3 };

// The same questions, by a search with some parameters; every way is checked.
static sum_t ask(const fw_grid_t * grid, int32_t connectivity, const char * name, const setting_t * settings)
{
  const fw_router_options_t options = {.connectivity = connectivity, .diagonal = FW_DIAGONAL_ROOT};
  fw_router_t router = {0};
  sum_t sum = {0};
  fw_rng_t rng = fw__rng(77);
  assert_int_equal(fw_router_init(&router, name, &options, NULL), FW_RET_OK);
  for (int32_t i = 0; i < SETTINGS_MAX && settings[i].name != NULL; ++i) {
    assert_int_equal(fw_router_set(&router, settings[i].name, settings[i].value, NULL), FW_RET_OK);
  }
  assert_int_equal(fw_router_build(&router, grid, NULL), FW_RET_OK);
  for (int32_t i = 0; i < QUESTIONS; ++i) {
    const fw_cell_t ends[2] = {reference_cell(grid, &options, &rng), reference_cell(grid, &options, &rng)};
    fw_route_t route;
    assert_int_equal(fw_router_find(&router, ends[0], ends[1], NULL, &route, NULL), FW_RET_OK);
    if (route.length > 0) {
      assert_int_equal(fw_route_check(&route, grid, &options, ends, NULL), FW_RET_OK);
    }
    sum.cost += route.cost;
    sum.expanded += route.expanded;
  }
  sum.nodes = fw_router_stats(&router).node_count;
  fw_router_fini(&router);
  return sum;
}

static const setting_t none[SETTINGS_MAX] = {{0}};

// A tenth of the expansions of A*, and less than 3 % longer.
static void a_tenth_of_the_expansions_of_a_star(void ** state)
{
  (void)state;
  const char * const maps[] = {
    "random:512x512,obstacles=20,seed=1", "rooms:512x512,room=15,seed=2", "maze:511x511,corridor=9,seed=3",
    "warehouse:512x512"};
  for (int32_t i = 0; i < TEST_COUNT(maps); ++i) {
    fw_grid_t grid;
    assert_int_equal(fw_grid_make(&grid, maps[i], NULL, NULL), FW_RET_OK);
    const sum_t plain = ask(&grid, 8, "astar", none);
    const sum_t hpa = ask(&grid, 8, "hpa", none);
    assert_true(hpa.cost >= plain.cost && 100 * hpa.cost < 103 * plain.cost);
    assert_true(10 * hpa.expanded < plain.expanded);
    fw_grid_fini(&grid);
  }
}

// Fewer transitions, tables or none, one level or three: always a way where A* has one, and not much longer.
static void whatever_its_parameters_are(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:150x120,obstacles=30,seed=5", NULL, NULL), FW_RET_OK);
  const char * const clusters[] = {"0", "4", "16", "40"};
  const char * const spreads[] = {"0", "6", "20"};
  for (int32_t connectivity = 4; connectivity <= 8; connectivity += 4) {
    const sum_t plain = ask(&grid, connectivity, "astar", none);
    for (int32_t c = 0; c < TEST_COUNT(clusters); ++c) {
      int32_t nodes = INT32_MAX;
      for (int32_t s = 0; s < TEST_COUNT(spreads); ++s) {
        const setting_t with[SETTINGS_MAX] = {{"cluster", clusters[c]}, {"spread", spreads[s]}};
        const setting_t without[SETTINGS_MAX] = {{"cluster", clusters[c]}, {"spread", spreads[s]}, {"tables", "false"}};
        const sum_t hpa = ask(&grid, connectivity, "hpa", with);
        assert_true(hpa.cost >= plain.cost && 100 * hpa.cost < 110 * plain.cost);
        assert_true(hpa.nodes <= nodes);
        nodes = hpa.nodes;
        const sum_t flooded = ask(&grid, connectivity, "hpa", without);
        assert_true(100 * flooded.cost < 110 * plain.cost);
        assert_int_equal(flooded.nodes, hpa.nodes);
      }
    }
  }
  fw_grid_fini(&grid);
}

// Small clusters and as many levels as a map can have: fewer expansions on the way up, and ways that stay short.
static void levels_upon_levels(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:300x300,obstacles=25,seed=9", NULL, NULL), FW_RET_OK);
  const sum_t plain = ask(&grid, 8, "astar", none);
  int64_t expanded = INT64_MAX;
  for (int32_t levels = 1; levels <= 6; ++levels) {
    const char text[] = {(char)('0' + levels), '\0'};
    const setting_t with[SETTINGS_MAX] = {{"cluster", "8"}, {"levels", text}};
    const sum_t hpa = ask(&grid, 8, "hpa", with);
    assert_true(hpa.cost >= plain.cost && 100 * hpa.cost < 110 * plain.cost);
    if (levels == 1 || levels == 4) {
      assert_true(hpa.expanded < expanded);
      expanded = hpa.expanded;
    }
  }
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tenth_of_the_expansions_of_a_star),
    cmocka_unit_test(whatever_its_parameters_are),
    cmocka_unit_test(levels_upon_levels),
  };
  return TEST_RUN(tests);
}
