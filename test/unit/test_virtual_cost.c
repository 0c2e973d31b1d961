// Virtual costs: the Gaussian in whole numbers, and its sums over cells.

#include <math.h>

#include "planner/bcp/virtual_cost.h"
#include "support/draw.h"
#include "support/test.h"

static void the_gaussian_is_the_gaussian(void ** state)
{
  (void)state;
  for (int32_t sigma = 10; sigma < 2000; sigma += 37) {
    for (int32_t distance2 = 0; distance2 < 4000; ++distance2) {
      const double exact = exp(-distance2 / (2.0 * sigma * sigma / 10000.0));
      const int32_t value = fw__virtual_cost_gauss(1000000, sigma, distance2);
      if (distance2 * 10000.0 > 4.0 * sigma * sigma) {
        assert_int_equal(value, 0);
      } else {
        assert_true(fabs(value / 1e6 - exact) < 0.001 * exact);
      }
    }
  }
  assert_int_equal(fw__virtual_cost_gauss(128, 100, 0), 128);
  assert_int_equal(fw__virtual_cost_gauss(128, 100, 1), 77);  // 128 exp(-1/2)
  assert_int_equal(fw__virtual_cost_gauss(128, 100, 4), 17);  // 128 exp(-2), at two sigma
  assert_int_equal(fw__virtual_cost_gauss(128, 100, 5), 0);
}

typedef struct bench_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_virtual_field_t field;
  fw_virtual_costs_t bumps;
} bench_t;

static void begin(bench_t * bench, const fw_grid_t * grid, fw_virtual_shape_t shape)
{
  *bench = (bench_t){.memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX}};
  fw__arena_init(&bench->arena, &bench->memory);
  assert_true(fw__virtual_field_init(&bench->field, &bench->arena, grid, shape));
}

static void add(bench_t * bench, fw_virtual_cost_t bump)
{
  assert_true(fw__virtual_costs_push(&bench->bumps, &bench->arena, bump));
}

// Two robots, half a cell of sigma for each: 1 in all, so that it goes two cells far. Beside the edge it is cut off.
static void a_bump_on_a_small_floor(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".....", ".....", ".....");
  static const int32_t expected[4][5] = {
    {77, 47, 0, 0, 0},
    {128, 77, 17, 0, 0},
    {77, 47, 0, 0, 0},
    {17, 0, 0, 0, 0},
  };
  bench_t bench;
  begin(&bench, &grid, (fw_virtual_shape_t){.height = 200, .sigma = 50, .unit = 64});
  add(&bench, (fw_virtual_cost_t){.cell = 5, .tick = 3, .robots = 2});
  assert_true(fw__virtual_field_apply(&bench.field, &bench.bumps));
  for (fw_cell_t cell = 0; cell < 20; ++cell) {
    assert_int_equal(fw__virtual_field_at(&bench.field, cell), expected[cell / 5][cell % 5]);
    // In its own tick it is the same through time; a tick away it is as one cell farther.
    assert_int_equal(fw__virtual_field_at_tick(&bench.field, &bench.bumps, cell, 3), expected[cell / 5][cell % 5]);
  }
  assert_int_equal(fw__virtual_field_at_tick(&bench.field, &bench.bumps, 5, 4), 77);
  assert_int_equal(fw__virtual_field_at_tick(&bench.field, &bench.bumps, 6, 2), 47);
  assert_int_equal(fw__virtual_field_at_tick(&bench.field, &bench.bumps, 5, 6), 0);
  fw__virtual_field_clear(&bench.field, &bench.bumps);
  for (fw_cell_t cell = 0; cell < 20; ++cell) {
    assert_int_equal(fw__virtual_field_at(&bench.field, cell), 0);
  }
  fw__arena_fini(&bench.arena);
}

static void bumps_add_up_to_a_limit_and_grow_with_the_crowd(void ** state)
{
  (void)state;
  DRAW(grid, "...........");
  bench_t bench;
  begin(&bench, &grid, (fw_virtual_shape_t){.height = 100, .sigma = 50, .unit = 10});
  add(&bench, (fw_virtual_cost_t){.cell = 4, .robots = 2});
  add(&bench, (fw_virtual_cost_t){.cell = 5, .robots = 2});
  assert_true(fw__virtual_field_apply(&bench.field, &bench.bumps));
  assert_int_equal(fw__virtual_field_at(&bench.field, 4), 10 + 6);
  assert_int_equal(fw__virtual_field_at(&bench.field, 7), 1);
  fw__virtual_field_clear(&bench.field, &bench.bumps);

  bench.bumps.count = 0;
  add(&bench, (fw_virtual_cost_t){.cell = 4, .robots = 4});  // sigma 2
  assert_true(fw__virtual_field_apply(&bench.field, &bench.bumps));
  assert_int_equal(fw__virtual_field_at(&bench.field, 6), 6);
  assert_int_equal(fw__virtual_field_at(&bench.field, 8), 1);
  assert_int_equal(fw__virtual_field_at(&bench.field, 9), 0);
  fw__virtual_field_clear(&bench.field, &bench.bumps);

  for (int32_t i = 0; i < 1000; ++i) {
    add(&bench, (fw_virtual_cost_t){.cell = 4, .robots = 2});
  }
  assert_true(fw__virtual_field_apply(&bench.field, &bench.bumps));
  assert_int_equal(fw__virtual_field_at(&bench.field, 4), FW_VIRTUAL_COST_MOVES_MAX * 10);
  assert_int_equal(fw__virtual_field_at_tick(&bench.field, &bench.bumps, 4, 0), FW_VIRTUAL_COST_MOVES_MAX * 10);
  fw__arena_fini(&bench.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_gaussian_is_the_gaussian),
    cmocka_unit_test(a_bump_on_a_small_floor),
    cmocka_unit_test(bumps_add_up_to_a_limit_and_grow_with_the_crowd),
  };
  return TEST_RUN(tests);
}
