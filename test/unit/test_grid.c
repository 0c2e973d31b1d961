// The grid: its memory and its numbers.

#include "fleetweave/fleetweave.h"

#include "support/draw.h"
#include "support/tally.h"
#include "support/test.h"

static void a_new_grid_is_blocked_everywhere(void ** state)
{
  (void)state;
  tally_t tally = {0};
  const fw_allocator_t allocator = tally_allocator(&tally);
  fw_grid_t grid;
  assert_int_equal(fw_grid_init(&grid, 5, 3, &allocator, NULL), FW_RET_OK);
  for (int32_t y = 0; y < 3; ++y) {
    for (int32_t x = 0; x < 5; ++x) {
      assert_false(fw_grid_is_free(&grid, x, y));
    }
  }
  fw_grid_fini(&grid);
  assert_int_equal(tally.live, 0);
  assert_null(grid.cost);
  fw_grid_fini(&grid);
  fw_grid_fini(NULL);
}

static void sides_have_bounds(void ** state)
{
  (void)state;
  const int32_t sides[][2] = {{0, 5}, {5, 0}, {-1, 5}, {5, -1}, {FW_GRID_SIDE_MAX + 1, 1}, {1, INT32_MAX}};
  for (int32_t i = 0; i < TEST_COUNT(sides); ++i) {
    fw_grid_t grid;
    fw_error_t error;
    assert_int_equal(fw_grid_init(&grid, sides[i][0], sides[i][1], NULL, &error), FW_RET_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "16384"));
    assert_null(grid.cost);
  }
  fw_grid_t wide;
  assert_int_equal(fw_grid_init(&wide, FW_GRID_SIDE_MAX, 1, NULL, NULL), FW_RET_OK);
  fw_grid_fini(&wide);
}

static void cells_and_coordinates_go_both_ways(void ** state)
{
  (void)state;
  DRAW(grid, "..#", "5..");
  assert_int_equal(fw_grid_cell_count(&grid), 6);
  for (fw_cell_t cell = 0; cell < 6; ++cell) {
    assert_int_equal(fw_grid_cell(&grid, fw_grid_x(&grid, cell), fw_grid_y(&grid, cell)), cell);
  }
  assert_int_equal(fw_grid_cell(&grid, 2, 1), 5);
  assert_int_equal(grid.cost[3], 5);
  assert_true(fw_grid_is_free(&grid, 0, 1));
  assert_false(fw_grid_is_free(&grid, 2, 0));
  assert_false(fw_grid_is_free(&grid, -1, 0));
  assert_false(fw_grid_is_free(&grid, 0, 2));
}

static void memory_of_the_callers_own_is_left_alone(void ** state)
{
  (void)state;
  uint8_t cost[4] = {1, 1, 1, 1};
  fw_grid_t grid = {.width = 2, .height = 2, .cost = cost};
  fw_grid_fini(&grid);
  assert_int_equal(cost[3], 1);
}

static void a_failed_allocation_leaves_an_empty_grid(void ** state)
{
  (void)state;
  tally_t tally = {0};
  const fw_allocator_t allocator = tally_allocator(&tally);
  tally_fail(&tally, 1, true);
  fw_grid_t grid;
  fw_error_t error;
  assert_int_equal(fw_grid_init(&grid, 4, 4, &allocator, &error), FW_RET_BAD_ALLOC);
  assert_string_equal(error.text, "out of memory");
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_new_grid_is_blocked_everywhere),
    cmocka_unit_test(sides_have_bounds),
    cmocka_unit_test(cells_and_coordinates_go_both_ways),
    cmocka_unit_test(memory_of_the_callers_own_is_left_alone),
    cmocka_unit_test(a_failed_allocation_leaves_an_empty_grid),
  };
  return TEST_RUN(tests);
}
