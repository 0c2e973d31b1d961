// Boxes cover exactly the blocked cells, each once, and are few where walls are straight.

#include "world/boxes.h"

#include <stdio.h>

#include "fleetweave/files.h"
#include "support/test.h"

// How many boxes, after it was checked that they are right.
static int32_t check(const char * line, int32_t * blocked)
{
  fw_grid_t grid = {0};
  fw_boxes_t boxes = {0};
  fw_error_t error = {0};
  assert_int_equal(fw_grid_make(&grid, line, NULL, &error), FW_RET_OK);
  assert_int_equal(fw__boxes_init(&boxes, &grid, &error), FW_RET_OK);
  int32_t * covered = calloc((size_t)grid.width * (size_t)grid.height, sizeof(*covered));
  assert_non_null(covered);
  for (int32_t i = 0; i < boxes.count; ++i) {
    const fw_box_t box = boxes.items[i];
    assert_true(box.width >= 1 && box.height >= 1);
    for (int32_t k = 0; k < box.width * box.height; ++k) {
      const int32_t x = box.x + k % box.width, y = box.y + k / box.width;
      assert_true(fw_grid_contains(&grid, x, y));
      ++covered[y * grid.width + x];
    }
  }
  *blocked = 0;
  for (int32_t y = 0; y < grid.height; ++y) {
    for (int32_t x = 0; x < grid.width; ++x) {
      const int32_t wanted = fw_grid_is_free(&grid, x, y) ? 0 : 1;
      *blocked += wanted;
      assert_int_equal(covered[y * grid.width + x], wanted);
    }
  }
  const int32_t count = boxes.count;
  free(covered);
  fw__boxes_fini(&boxes);
  fw_grid_fini(&grid);
  return count;
}

static void every_blocked_cell_is_in_one_box(void ** state)
{
  (void)state;
  const char * const kinds[] = {
    "random:37x23,obstacles=30,seed=%d", "rooms:41x33,room=7,seed=%d", "warehouse:61x33,seed=%d", "maze:31x21,seed=%d"};
  for (int32_t seed = 0; seed < test_rounds(10); ++seed) {
    for (int32_t k = 0; k < TEST_COUNT(kinds); ++k) {
      char line[64];
      snprintf(line, sizeof(line), kinds[k], seed);
      int32_t blocked;
      const int32_t count = check(line, &blocked);
      assert_true(count <= blocked);
    }
  }
}

static void shelves_are_one_box_each(void ** state)
{
  (void)state;
  int32_t blocked;
  assert_int_equal(check("open:16x9", &blocked), 0);
  assert_int_equal(blocked, 0);
  const int32_t count = check("warehouse:61x33,seed=1", &blocked);
  assert_true(blocked > 600);
  assert_true(8 * count <= blocked);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_blocked_cell_is_in_one_box),
    cmocka_unit_test(shelves_are_one_box_each),
  };
  return TEST_RUN(tests);
}
