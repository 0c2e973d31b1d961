// Landmarks of HPA*: the bound holds on every edge, whatever has changed, and so paths cost the same with and without
// them.

#include "fleetweave/files.h"
#include "search/hpa/abstract_graph.h"
#include "search/router.h"
#include "support/reference.h"
#include "support/test.h"

enum { CHANGES = 8, QUESTIONS = 8 };

static void open_router(fw_router_t * router, const fw_grid_t * grid, int32_t connectivity, const char * landmarks)
{
  const fw_router_options_t options = {.connectivity = connectivity, .diagonal = FW_DIAGONAL_ROOT};
  assert_int_equal(fw_router_init(router, "hpa", &options, NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(router, "cluster", "8", NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(router, "spread", "4", NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(router, "smoothing", "0", NULL), FW_RET_OK);  // what clusters cost decides
  assert_int_equal(fw_router_set(router, "landmarks", landmarks, NULL), FW_RET_OK);
  assert_int_equal(fw_router_build(router, grid, NULL), FW_RET_OK);
}

// The graph is the first member of the search's state.
static const fw_hpa_t * hpa_of(const fw_router_t * router) { return fw__router_context(router)->state; }

static void assert_edge(const fw_hpa_t * hpa, int32_t from, int32_t to, int32_t cost)
{
  const int32_t * a = fw__hpa_landmarks_row(&hpa->landmarks, from);
  const int32_t * b = fw__hpa_landmarks_row(&hpa->landmarks, to);
  for (int32_t i = 0; i < hpa->landmarks.count; ++i) {
    assert_int_equal(a[i] == FW_HPA_NONE, b[i] == FW_HPA_NONE);
    assert_true(abs(a[i] - b[i]) <= cost);
  }
}

// Edges of all levels, and transitions.
static void assert_bound(const fw_hpa_t * hpa)
{
  for (int32_t level = 0; level < hpa->level_count; ++level) {
    const fw_hpa_level_t * l = &hpa->levels[level];
    for (int32_t c = 0; c < l->columns * l->rows; ++c) {
      const fw_hpa_cluster_t * cluster = &l->clusters[c];
      for (int32_t k = 0; k < cluster->count * cluster->count; ++k) {
        if (cluster->cost[k] != FW_HPA_NONE) {
          assert_edge(hpa, cluster->nodes[k / cluster->count], cluster->nodes[k % cluster->count], cluster->cost[k]);
        }
      }
      for (int32_t k = 0; k < 4 * cluster->count; ++k) {
        const int32_t twin = hpa->nodes[cluster->nodes[k / 4]].twins[k % 4];
        if (twin >= 0) {
          assert_edge(hpa, cluster->nodes[k / 4], twin, hpa->floor->straight);
        }
      }
    }
  }
}

// A few cells, or a wall right across the map, with a door or none, or all of that wall again floor.
static int32_t change(fw_grid_t * grid, fw_rng_t * rng, fw_cell_t * cells)
{
  const int32_t kind = fw__rng_below(rng, 4);
  const int32_t x = fw__rng_below(rng, grid->width);
  const int32_t door = fw__rng_below(rng, 2 * grid->height);
  const int32_t count = kind < 2 ? 1 + fw__rng_below(rng, 5) : grid->height;
  for (int32_t i = 0; i < count; ++i) {
    cells[i] = kind < 2 ? fw__rng_below(rng, fw_grid_cell_count(grid)) : fw_grid_cell(grid, x, i);
    grid->cost[cells[i]] = kind < 2 ? grid->cost[cells[i]] == 0 : kind == 2 || i == door;
  }
  return count;
}

static void assert_same_costs(fw_router_t * with, fw_router_t * without, const fw_grid_t * grid, fw_rng_t * rng)
{
  const fw_router_options_t rules = {.connectivity = fw__router_context(with)->floor->degree};
  const fw_router_options_t * options = &rules;
  for (int32_t i = 0; i < QUESTIONS; ++i) {
    const fw_cell_t ends[2] = {reference_cell(grid, options, rng), reference_cell(grid, options, rng)};
    fw_route_t a;
    fw_route_t b;
    assert_int_equal(fw_router_find(with, ends[0], ends[1], NULL, &a, NULL), FW_RET_OK);
    assert_int_equal(fw_router_find(without, ends[0], ends[1], NULL, &b, NULL), FW_RET_OK);
    assert_int_equal(a.cost, b.cost);
    assert_int_equal(a.length > 0, b.length > 0);
    if (a.length > 0) {
      assert_int_equal(fw_route_check(&a, grid, options, ends, NULL), FW_RET_OK);
    }
  }
}

static void the_bound_holds_whatever_changes(void ** state)
{
  (void)state;
  const char * const maps[] = {
    "random:70x60,obstacles=25,seed=3", "rooms:61x75,room=9,seed=4", "warehouse:64x70", "random:60x60,obstacles=45"};
  const char * const landmarks[] = {"1", "3", "8", "16"};
  for (int32_t round = 0; round < test_rounds(16); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid;
    assert_int_equal(fw_grid_make(&grid, maps[round % 4], NULL, NULL), FW_RET_OK);
    fw_router_t with = {0};
    fw_router_t without = {0};
    open_router(&with, &grid, round % 3 == 0 ? 4 : 8, landmarks[round / 4 % 4]);
    open_router(&without, &grid, round % 3 == 0 ? 4 : 8, "0");
    assert_true(hpa_of(&with)->landmarks.count > 0 && hpa_of(&without)->landmarks.count == 0);
    for (int32_t k = 0; k <= CHANGES; ++k) {
      assert_bound(hpa_of(&with));
      assert_true(fw__hpa_validate(hpa_of(&with)) && fw__hpa_validate(hpa_of(&without)));
      assert_same_costs(&with, &without, &grid, &rng);
      fw_cell_t cells[80];
      const int32_t count = change(&grid, &rng, cells);
      assert_int_equal(fw_router_update(&with, cells, count, NULL), FW_RET_OK);
      assert_int_equal(fw_router_update(&without, cells, count, NULL), FW_RET_OK);
    }
    fw_router_fini(&with);
    fw_router_fini(&without);
    fw_grid_fini(&grid);
  }
}

// Shelves make every way longer than open floor says: landmarks know by how much.
static void a_tenth_of_the_expansions_in_a_warehouse(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_rng_t rng = fw__rng(5);
  assert_int_equal(fw_grid_make(&grid, "warehouse:250x250", NULL, NULL), FW_RET_OK);
  const fw_router_options_t options = {.connectivity = 8};
  int64_t expanded[2] = {0, 0};
  int64_t costs[2] = {0, 0};
  fw_router_t routers[2] = {0};
  open_router(&routers[0], &grid, 8, "0");
  open_router(&routers[1], &grid, 8, "8");
  for (int32_t i = 0; i < 40; ++i) {
    const fw_cell_t ends[2] = {reference_cell(&grid, &options, &rng), reference_cell(&grid, &options, &rng)};
    for (int32_t k = 0; k < 2; ++k) {
      fw_route_t route;
      assert_int_equal(fw_router_find(&routers[k], ends[0], ends[1], NULL, &route, NULL), FW_RET_OK);
      expanded[k] += route.expanded;
      costs[k] += route.cost;
    }
  }
  assert_int_equal(costs[0], costs[1]);
  assert_true(expanded[0] > 10 * expanded[1]);
  fw_router_fini(&routers[0]);
  fw_router_fini(&routers[1]);
  fw_grid_fini(&grid);
}

// Two halves with landmarks of their own: there is no way, and nothing has to be searched to see it. A door joins them.
static void two_halves_and_a_door(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "open:81x60", NULL, NULL), FW_RET_OK);
  for (int32_t y = 0; y < 60; ++y) {
    grid.cost[fw_grid_cell(&grid, 40, y)] = 0;
  }
  fw_router_t router = {0};
  fw_route_t route;
  open_router(&router, &grid, 8, "8");
  const fw_hpa_t * hpa = hpa_of(&router);
  int32_t in_left = 0;
  const int32_t * row = fw__hpa_landmarks_row(&hpa->landmarks, hpa->levels[0].clusters[0].nodes[0]);
  for (int32_t i = 0; i < 8; ++i) {
    in_left += row[i] != FW_HPA_NONE;
  }
  assert_int_equal(in_left, 4);
  const fw_cell_t ends[2] = {fw_grid_cell(&grid, 3, 50), fw_grid_cell(&grid, 77, 55)};
  assert_int_equal(fw_router_find(&router, ends[0], ends[1], NULL, &route, NULL), FW_RET_OK);
  assert_int_equal(route.length, 0);
  assert_int_equal(route.expanded, 0);
  const fw_cell_t door = fw_grid_cell(&grid, 40, 5);
  for (int32_t i = 0; i < 4; ++i) {
    grid.cost[door] = i % 2 == 0;
    assert_int_equal(fw_router_update(&router, &door, 1, NULL), FW_RET_OK);
    assert_bound(hpa);
    assert_int_equal(fw_router_find(&router, ends[0], ends[1], NULL, &route, NULL), FW_RET_OK);
    assert_int_equal(route.length > 0, i % 2 == 0);
  }
  fw_router_fini(&router);
  fw_grid_fini(&grid);
}

// A node in the wrong cluster, a twin that does not point back, a cost without a path.
static void a_corrupted_graph_is_found(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "open:40x40", NULL, NULL), FW_RET_OK);
  fw_router_t router = {0};
  open_router(&router, &grid, 8, "2");
  fw_hpa_t graph = *hpa_of(&router);
  assert_true(fw__hpa_validate(&graph));
  const fw_hpa_cluster_t * cluster = &graph.levels[0].clusters[0];
  assert_true(cluster->count > 1);
  fw_hpa_node_t * node = &graph.nodes[cluster->nodes[0]];
  const fw_hpa_node_t before = *node;
  node->slots[0] = 1;
  assert_false(fw__hpa_validate(&graph));
  *node = before;
  node->clusters[0] = 1;
  assert_false(fw__hpa_validate(&graph));
  *node = before;
  for (int32_t d = 0; d < 4; ++d) {
    node->twins[d] = before.twins[d] >= 0 ? cluster->nodes[1] : -1;
  }
  assert_false(fw__hpa_validate(&graph));
  *node = before;
  assert_true(fw__hpa_validate(&graph));
  cluster->cost[1] = FW_HPA_NONE;
  assert_false(fw__hpa_validate(&graph));
  fw_router_fini(&router);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_bound_holds_whatever_changes),
    cmocka_unit_test(a_tenth_of_the_expansions_in_a_warehouse),
    cmocka_unit_test(two_halves_and_a_door),
    cmocka_unit_test(a_corrupted_graph_is_found),
  };
  return TEST_RUN(tests);
}
