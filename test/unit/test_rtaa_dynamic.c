// Worlds that change: obstacles that come, go and move, and floor that becomes dear.

#include "fleetweave/batch.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

static void run(fw_batch_t * batch, int32_t episodes)
{
  assert_int_equal(fw_batch_run(batch, episodes, NULL), FW_RET_OK);
}

static void set_cost(fw_batch_t * batch, fw_cell_t cell, uint8_t cost)
{
  assert_int_equal(fw_batch_set_cost(batch, cell, cost, NULL), FW_RET_OK);
}

// Everything known: a door that shuts before a robot holds it up, and one that opens lets it through.
static void a_door_shuts_and_opens(void ** state)
{
  (void)state;
  DRAW(grid, ".........");
  const fw_cell_t start = 0, goal = 8;
  fw_batch_options_t options = fw_batch_options_default();
  options.moves = 1;
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, &start, &goal, 1, &options, NULL), FW_RET_OK);
  run(&batch, 2);
  set_cost(&batch, 5, 0);
  run(&batch, 30);
  assert_true(fw_batch_robot(&batch, 0).cell < 5);
  assert_int_not_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
  set_cost(&batch, 5, 1);
  run(&batch, 60);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
  fw_batch_fini(&batch);
}

// Shut in on all sides is stuck, and a wall that goes wakes it; with sight, when it can be seen.
static void whoever_was_stuck_tries_again(void ** state)
{
  (void)state;
  DRAW(grid, ".#...", "##...", ".....");
  const fw_cell_t start = 0, goal = 14;
  for (int32_t sight = 0; sight < 2; ++sight) {
    fw_batch_options_t options = fw_batch_options_default();
    options.sight = sight;
    const fw_cell_t starts[] = {start, 2}, goals[] = {goal, 10};  // the second walks by and sees
    fw_batch_t batch;
    assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, 2, &options, NULL), FW_RET_OK);
    set_cost(&batch, 1, 1);
    run(&batch, 12);
    assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
    fw_batch_fini(&batch);
  }
}

// An obstacle that wanders: robots keep clear of where it is, and all arrive in the end.
static void robots_keep_clear_of_an_obstacle_that_moves(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(3);
  fw_grid_t grid = world_grid(&rng, 24, 24, 0, false);
  enum { ROBOTS = 60 };
  fw_cell_t starts[ROBOTS], goals[ROBOTS];
  for (int32_t r = 0; r < ROBOTS; ++r) {
    starts[r] = fw__rng_below(&rng, 24 * 8);
    goals[r] = 24 * 16 + fw__rng_below(&rng, 24 * 8);
  }
  fw_batch_options_t options = fw_batch_options_default();
  options.sight = 2;
  options.moves = 1;
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, ROBOTS, &options, NULL), FW_RET_OK);
  fw_cell_t at = 24 * 12;
  for (int32_t episode = 0; episode < 200 && fw_batch_running(&batch) > 0; ++episode) {
    set_cost(&batch, at, 1);
    at = 24 * 12 + (at - 24 * 12 + 1) % 24;
    set_cost(&batch, at, 0);
    fw_cell_t before[ROBOTS];
    for (int32_t r = 0; r < ROBOTS; ++r) {
      before[r] = fw_batch_robot(&batch, r).cell;
    }
    run(&batch, 1);
    for (int32_t r = 0; r < ROBOTS; ++r) {
      assert_true(fw_batch_robot(&batch, r).cell != at || before[r] == at);  // caught, but never walked in
    }
  }
  assert_int_equal(fw_batch_running(&batch), 0);
  fw_batch_fini(&batch);
  fw_grid_fini(&grid);
}

// Floor that becomes dear is gone around, also where the whole map was plain before.
static void floor_may_become_dear(void ** state)
{
  (void)state;
  DRAW(grid, ".........", ".........", ".........");
  const fw_cell_t start = 9, goal = 17;
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, &start, &goal, 1, NULL, NULL), FW_RET_OK);
  set_cost(&batch, 13, 200);
  run(&batch, 20);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
  assert_int_equal(fw_batch_robot(&batch, 0).length, 8);  // a diagonal aside and one back cost nothing
  assert_int_equal(fw_batch_set_cost(&batch, 27, 1, NULL), FW_RET_INVALID_ARGUMENT);
  fw_batch_fini(&batch);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_door_shuts_and_opens),
    cmocka_unit_test(whoever_was_stuck_tries_again),
    cmocka_unit_test(robots_keep_clear_of_an_obstacle_that_moves),
    cmocka_unit_test(floor_may_become_dear),
  };
  return TEST_RUN(tests);
}
