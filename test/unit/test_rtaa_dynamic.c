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

// ---- learned values -------------------------------------------------------------------------------------------------

enum { SIDE_MAX = 24, CELLS_MAX = SIDE_MAX * SIDE_MAX, ROBOTS = 12 };

static int32_t plain_distance(const fw_grid_t * grid, int32_t connectivity, fw_cell_t from, fw_cell_t to)
{
  const int32_t dx = abs(fw_grid_x(grid, from) - fw_grid_x(grid, to));
  const int32_t dy = abs(fw_grid_y(grid, from) - fw_grid_y(grid, to));
  return connectivity == 4 ? dx + dy : dx > dy ? dx : dy;
}

// The true distances to the goal, from scratch: relaxed until nothing changes. INT32_MAX where there is no way.
static void measure(const fw_grid_t * grid, int32_t connectivity, fw_cell_t goal, int32_t * distance)
{
  static const int32_t dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    distance[cell] = cell == goal ? 0 : INT32_MAX;
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
      const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
      for (int32_t heading = 0; heading < 8; heading += connectivity == 4 ? 2 : 1) {
        const int32_t to_x = x + dx[heading], to_y = y + dy[heading];
        if (!fw_grid_is_free(grid, to_x, to_y) || !fw_grid_is_free(grid, to_x, y) || !fw_grid_is_free(grid, x, to_y)) {
          continue;
        }
        const fw_cell_t to = fw_grid_cell(grid, to_x, to_y);
        if (distance[to] < INT32_MAX && distance[to] + grid->cost[to] < distance[cell]) {
          distance[cell] = distance[to] + grid->cost[to];
          has_changed = true;
        }
      }
    }
  }
}

static bool are_lower_bounds(const fw_batch_t * batch, int32_t connectivity, int32_t robot)
{
  static int32_t distance[CELLS_MAX];
  const fw_grid_t known = fw_batch_known(batch);
  measure(&known, connectivity, fw_batch_robot(batch, robot).goal, distance);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&known); ++cell) {
    if (known.cost[cell] != 0 && fw_batch_estimate(batch, robot, cell) > (uint32_t)distance[cell]) {
      return false;
    }
  }
  return true;
}

// Lower bounds stay lower bounds, whatever is blocked or freed; and only values that a freed cell can affect fall, as
// far as they must.
static void a_changed_cell_lowers_only_what_it_can_affect(void ** state)
{
  (void)state;
  int32_t lowered = 0, kept = 0, bounds = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(30); ++number) {
    static uint32_t before[ROBOTS][CELLS_MAX];
    fw_rng_t rng = fw__rng(number);
    fw_grid_t grid = world_grid(&rng, SIDE_MAX, SIDE_MAX, 35, false);
    fw_cell_t starts[ROBOTS], goals[ROBOTS];
    for (int32_t r = 0; r < ROBOTS; ++r) {
      do {
        starts[r] = fw__rng_below(&rng, CELLS_MAX);
        goals[r] = fw__rng_below(&rng, CELLS_MAX);
      } while (grid.cost[starts[r]] == 0 || grid.cost[goals[r]] == 0);
    }
    fw_batch_options_t options = fw_batch_options_default();
    options.connectivity = number % 2 == 0 ? 4 : 8;
    options.lookahead = 3 + fw__rng_below(&rng, 6);
    options.moves = 1 + fw__rng_below(&rng, 2);
    fw_batch_t batch;
    assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, ROBOTS, &options, NULL), FW_RET_OK);
    for (int32_t turn = 0; turn < 10; ++turn) {
      run(&batch, 4);
      bool were_bounds[ROBOTS];
      for (int32_t r = 0; r < ROBOTS; ++r) {
        were_bounds[r] = are_lower_bounds(&batch, options.connectivity, r);
        for (fw_cell_t cell = 0; cell < CELLS_MAX; ++cell) {
          before[r][cell] = fw_batch_estimate(&batch, r, cell);
        }
      }
      const fw_cell_t changed = fw__rng_below(&rng, CELLS_MAX);
      const bool is_freed = fw_batch_known(&batch).cost[changed] == 0;
      const uint8_t cost = (uint8_t)(is_freed ? 1 + fw__rng_below(&rng, 3) : 0);
      set_cost(&batch, changed, cost);
      for (int32_t r = 0; r < ROBOTS; ++r) {
        for (fw_cell_t cell = 0; cell < CELLS_MAX; ++cell) {
          const int32_t by_way = plain_distance(&grid, options.connectivity, cell, changed) +
                                 plain_distance(&grid, options.connectivity, changed, goals[r]) +
                                 (options.connectivity == 8 ? -1 : cost - 1);
          const int32_t plain = plain_distance(&grid, options.connectivity, cell, goals[r]);
          const uint32_t most = (uint32_t)(by_way > plain ? by_way : plain);
          const uint32_t expected = is_freed && before[r][cell] > most ? most : before[r][cell];
          assert_int_equal(fw_batch_estimate(&batch, r, cell), expected);
          lowered += expected < before[r][cell] ? 1 : 0;
          kept += is_freed && before[r][cell] > (uint32_t)plain && expected == before[r][cell] ? 1 : 0;
        }
        bounds += were_bounds[r] ? 1 : 0;
        assert_true(!were_bounds[r] || are_lower_bounds(&batch, options.connectivity, r));
      }
    }
    fw_batch_fini(&batch);
    fw_grid_fini(&grid);
  }
  assert_true(lowered > 20 && kept > 200 && bounds > 500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_door_shuts_and_opens),
    cmocka_unit_test(whoever_was_stuck_tries_again),
    cmocka_unit_test(robots_keep_clear_of_an_obstacle_that_moves),
    cmocka_unit_test(floor_may_become_dear),
    cmocka_unit_test(a_changed_cell_lowers_only_what_it_can_affect),
  };
  return TEST_RUN(tests);
}
