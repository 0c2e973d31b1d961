// Cells change: a router that mends what it built answers as one that is built anew, and hpa touches few clusters.

#include "fleetweave/files.h"
#include "support/reference.h"
#include "support/test.h"

enum { SIDE = 60, CHANGES = 6 };

static const fw_offset_t shape_2x1[] = {{0, 0}, {1, 0}};

// Some cells become walls, or floor again.
static int32_t change(fw_grid_t * grid, fw_rng_t * rng, fw_cell_t * cells)
{
  const int32_t count = 1 + fw__rng_below(rng, 4);
  for (int32_t i = 0; i < count; ++i) {
    cells[i] = fw__rng_below(rng, fw_grid_cell_count(grid));
    grid->cost[cells[i]] = grid->cost[cells[i]] == 0 ? 1 : 0;
  }
  return count;
}

static void open_router(fw_router_t * router, const char * name, const fw_router_options_t * options)
{
  assert_int_equal(fw_router_init(router, name, options, NULL), FW_RET_OK);
  if (strcmp(name, "hpa") == 0) {  // small clusters, and no smoothing: what is built decides the cost
    assert_int_equal(fw_router_set(router, "cluster", "8", NULL), FW_RET_OK);
    assert_int_equal(fw_router_set(router, "factor", "2", NULL), FW_RET_OK);
    assert_int_equal(fw_router_set(router, "spread", "4", NULL), FW_RET_OK);
    assert_int_equal(fw_router_set(router, "smoothing", "0", NULL), FW_RET_OK);
  }
}

static void assert_same(
  fw_router_t * mended, const char * name, const fw_grid_t * grid, const fw_router_options_t * options, fw_rng_t * rng)
{
  fw_router_t fresh = {0};
  open_router(&fresh, name, options);
  assert_int_equal(fw_router_build(&fresh, grid, NULL), FW_RET_OK);
  assert_int_equal(fw_router_stats(mended).node_count, fw_router_stats(&fresh).node_count);
  assert_int_equal(fw_router_stats(mended).edge_count, fw_router_stats(&fresh).edge_count);
  for (int32_t i = 0; i < 10; ++i) {
    const fw_cell_t ends[2] = {reference_cell(grid, options, rng), reference_cell(grid, options, rng)};
    fw_route_t a;
    fw_route_t b;
    const fw_budget_t budget = {.expansions_max = 20000};  // ida may well need it
    assert_int_equal(fw_router_find(mended, ends[0], ends[1], &budget, &a, NULL), FW_RET_OK);
    assert_int_equal(fw_router_find(&fresh, ends[0], ends[1], &budget, &b, NULL), FW_RET_OK);
    assert_int_equal(a.stop, b.stop);
    assert_int_equal(a.cost, b.cost);
    assert_int_equal(a.length > 0, b.length > 0);
    if (a.length > 0) {
      assert_int_equal(fw_route_check(&a, grid, options, ends, NULL), FW_RET_OK);
    }
  }
  fw_router_fini(&fresh);
}

static void a_mended_router_answers_as_a_new_one(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(12); ++round) {
    for (int32_t i = 0; i < fw_router_def_count(); ++i) {
      const fw_router_def_t * def = fw_router_def_at(i);
      fw_rng_t rng = fw__rng((uint64_t)round * 100);
      fw_grid_t grid;
      assert_int_equal(
        fw_grid_make(
          &grid, round % 3 == 0 ? "rooms:60x60,room=9,seed=4" : "random:60x60,obstacles=25,seed=2", NULL, NULL),
        FW_RET_OK);
      fw_router_options_t options = {.connectivity = round % 2 == 0 ? 8 : 4, .diagonal = FW_DIAGONAL_ROOT};
      if (round % 4 == 3) {
        options.footprint = shape_2x1;
        options.footprint_count = 2;
      }
      fw_router_t router = {0};
      open_router(&router, def->name, &options);
      assert_int_equal(fw_router_build(&router, &grid, NULL), FW_RET_OK);
      for (int32_t k = 0; k < CHANGES; ++k) {
        fw_cell_t cells[4];
        const int32_t count = change(&grid, &rng, cells);
        assert_int_equal(fw_router_update(&router, cells, count, NULL), FW_RET_OK);
        assert_same(&router, def->name, &grid, &options, &rng);
      }
      fw_router_fini(&router);
      fw_grid_fini(&grid);
    }
  }
}

static void hpa_rebuilds_only_the_clusters_concerned(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "open:256x256", NULL, NULL), FW_RET_OK);
  fw_router_t router = {0};
  assert_int_equal(fw_router_init(&router, "hpa", &(fw_router_options_t){.connectivity = 8}, NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(&router, "cluster", "16", NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(&router, "factor", "4", NULL), FW_RET_OK);
  assert_int_equal(fw_router_set(&router, "levels", "2", NULL), FW_RET_OK);
  assert_int_equal(fw_router_build(&router, &grid, NULL), FW_RET_OK);
  assert_int_equal(fw_router_stats(&router).rebuilt, 16 * 16 + 4 * 4);
  // In the middle of a cluster: that one, and the one above it.
  fw_cell_t cell = fw_grid_cell(&grid, 40, 40);
  grid.cost[cell] = 0;
  assert_int_equal(fw_router_update(&router, &cell, 1, NULL), FW_RET_OK);
  assert_int_equal(fw_router_stats(&router).rebuilt, 2);
  // On the border of two clusters whose opening it divides, inside one cluster of the next level.
  cell = fw_grid_cell(&grid, 47, 40);
  grid.cost[cell] = 0;
  assert_int_equal(fw_router_update(&router, &cell, 1, NULL), FW_RET_OK);
  assert_int_equal(fw_router_stats(&router).rebuilt, 3);
  fw_router_fini(&router);
  fw_grid_fini(&grid);
}

static void cells_outside_are_refused(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_router_t router = {0};
  const fw_cell_t cell = 100;
  assert_int_equal(fw_grid_make(&grid, "open:10x10", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_router_init(&router, "hpa", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_router_update(&router, &cell, 1, NULL), FW_RET_INVALID_ARGUMENT);  // no map yet
  assert_int_equal(fw_router_build(&router, &grid, NULL), FW_RET_OK);
  assert_int_equal(fw_router_update(&router, &cell, 1, NULL), FW_RET_INVALID_ARGUMENT);
  fw_router_fini(&router);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_mended_router_answers_as_a_new_one),
    cmocka_unit_test(hpa_rebuilds_only_the_clusters_concerned),
    cmocka_unit_test(cells_outside_are_refused),
  };
  return TEST_RUN(tests);
}
