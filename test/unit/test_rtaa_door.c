// Batches in worlds that can be drawn, and what is refused at their door.

#include <string.h>

#include "fleetweave/batch.h"
#include "support/draw.h"
#include "support/tally.h"
#include "support/test.h"

static void run(fw_batch_t * batch, int32_t episodes)
{
  assert_int_equal(fw_batch_run(batch, episodes, NULL), FW_RET_OK);
}

static void a_robot_learns_its_way_out_of_a_bay(void ** state)
{
  (void)state;
  DRAW(
    grid,
    "..........",  //
    "....##....",  //
    ".....#....",  //
    ".....#....",  //
    ".....#....",  //
    "....##....",  //
    "..........");
  const fw_cell_t start = 31, goal = 39;
  fw_batch_options_t options = fw_batch_options_default();
  options.connectivity = 4;
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, &start, &goal, 1, &options, NULL), FW_RET_OK);
  const uint32_t before = fw_batch_estimate(&batch, 0, 34);
  assert_int_equal(before, 5);
  run(&batch, 60);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
  assert_true(fw_batch_robot(&batch, 0).length >= 14);  // 8 as the crow flies, 14 around the wall
  fw_batch_fini(&batch);
}

static void whoever_is_shut_in_is_stuck_and_whoever_is_there_has_arrived(void ** state)
{
  (void)state;
  DRAW(grid, ".#..", "##..");
  const fw_cell_t starts[] = {0, 2, 3}, goals[] = {7, 2, 6};
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, 3, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_batch_running(&batch), 2);
  run(&batch, 5);
  assert_int_equal(fw_batch_running(&batch), 0);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_STUCK);
  assert_int_equal(fw_batch_robot(&batch, 0).length, 0);
  assert_int_equal(fw_batch_robot(&batch, 1).state, FW_BATCH_ARRIVED);
  assert_int_equal(fw_batch_robot(&batch, 1).episodes, 0);
  assert_int_equal(fw_batch_robot(&batch, 2).state, FW_BATCH_ARRIVED);
  assert_int_equal(fw_batch_robot(&batch, 2).length, 1);
  assert_int_equal(fw_batch_robot(&batch, 2).episodes, 1);
  fw_batch_fini(&batch);
}

static void robots_can_be_moved_and_sent_elsewhere(void ** state)
{
  (void)state;
  DRAW(grid, "....#...", "....#...", "........");
  const fw_cell_t start = 3, goal = 5;
  fw_batch_options_t options = fw_batch_options_default();
  options.moves = 0;
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, &start, &goal, 1, &options, NULL), FW_RET_OK);
  run(&batch, 1);
  assert_int_equal(fw_batch_robot(&batch, 0).cell, start);
  uint8_t way[FW_LOOKAHEAD_MAX];
  assert_true(fw_batch_way(&batch, 0, way) > 0);
  const uint32_t learned = fw_batch_estimate(&batch, 0, start);
  assert_true(learned > 2);
  fw_batch_set_cell(&batch, 0, 11);  // a step: what is learned stays
  assert_int_equal(fw_batch_estimate(&batch, 0, start), learned);
  fw_batch_set_cell(&batch, 0, 7);  // a jump
  assert_int_equal(fw_batch_estimate(&batch, 0, start), 2);
  fw_batch_set_cell(&batch, 0, goal);
  assert_int_equal(fw_batch_running(&batch), 0);
  fw_batch_set_goal(&batch, 0, 0);
  assert_int_equal(fw_batch_running(&batch), 1);
  assert_int_equal(fw_batch_robot(&batch, 0).goal, 0);
  assert_int_equal(fw_batch_estimate(&batch, 0, 3), 3);
  fw_batch_fini(&batch);
}

// ---- the door -------------------------------------------------------------------------------------------------------

static void assert_refused(
  const fw_grid_t * grid, fw_cell_t start, fw_cell_t goal, fw_batch_options_t options, const char * text)
{
  fw_batch_t batch;
  fw_error_t error = {0};
  assert_int_equal(fw_batch_init(&batch, grid, &start, &goal, 1, &options, &error), FW_RET_INVALID_ARGUMENT);
  assert_null(batch.impl);
  if (strstr(error.text, text) == NULL) {
    fail_msg("\"%s\" has no \"%s\"", error.text, text);
  }
  fw_batch_fini(&batch);
}

static void what_is_wrong_is_named(void ** state)
{
  (void)state;
  DRAW(grid, "..#", "...");
  const fw_batch_options_t good = fw_batch_options_default();
  assert_refused(&grid, 6, 0, good, "robot 0: start 6 is outside");
  assert_refused(&grid, 0, -1, good, "robot 0: goal -1 is outside");
  assert_refused(&grid, 2, 0, good, "robot 0: start (2, 0) is blocked");
  assert_refused(&grid, 0, 2, good, "robot 0: goal (2, 0) is blocked");
  fw_batch_options_t bad = good;
  bad.lookahead = 32;
  assert_refused(&grid, 0, 1, bad, "lookahead must be 1 to 31, not 32");
  bad = good;
  bad.moves = 4;
  assert_refused(&grid, 0, 1, bad, "moves must be 0 to lookahead (3), not 4");
  bad = good;
  bad.connectivity = 6;
  assert_refused(&grid, 0, 1, bad, "connectivity must be 4 or 8");
  bad = good;
  bad.sight = 16;
  assert_refused(&grid, 0, 1, bad, "sight must be 0 to 15");
  bad = good;
  bad.threads = 0;
  assert_refused(&grid, 0, 1, bad, "threads must be at least 1");
}

static void each_allocation_may_fail(void ** state)
{
  (void)state;
  DRAW(grid, "..2", "...");
  const fw_cell_t start = 0, goal = 5;
  int32_t failures = 0;
  for (int64_t call = 1;; ++call) {
    tally_t tally = {0};
    fw_batch_options_t options = fw_batch_options_default();
    options.allocator = tally_allocator(&tally);
    options.sight = 1;
    tally_fail(&tally, call, false);
    fw_batch_t batch;
    const fw_ret_t ret = fw_batch_init(&batch, &grid, &start, &goal, 1, &options, NULL);
    if (ret == FW_RET_OK) {
      run(&batch, 3);
      assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
    }
    fw_batch_fini(&batch);
    assert_int_equal(tally.live, 0);
    if (tally.calls < call) {
      assert_int_equal(ret, FW_RET_OK);
      break;
    }
    assert_int_equal(ret, FW_RET_BAD_ALLOC);
    ++failures;
  }
  assert_true(failures >= 15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_robot_learns_its_way_out_of_a_bay),
    cmocka_unit_test(whoever_is_shut_in_is_stuck_and_whoever_is_there_has_arrived),
    cmocka_unit_test(robots_can_be_moved_and_sent_elsewhere),
    cmocka_unit_test(what_is_wrong_is_named),
    cmocka_unit_test(each_allocation_may_fail),
  };
  return TEST_RUN(tests);
}
