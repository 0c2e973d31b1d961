// Worlds that are not as they are known: obstacles that nobody has seen yet.

#include <stdlib.h>

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

static bool knows(const fw_batch_t * batch, fw_cell_t cell) { return fw_batch_known(batch).cost[cell] == 0; }

// ---- unknown --------------------------------------------------------------------------------------------------------

// A wall in a lane: a robot that sees one cell far knows it when it stands before it, and not earlier.
static void an_obstacle_is_known_when_somebody_sees_it(void ** state)
{
  (void)state;
  DRAW(grid, "..........", "..........");
  const fw_cell_t start = 0, goal = 9;
  for (int32_t sight = 1; sight <= 4; ++sight) {
    fw_batch_options_t options = fw_batch_options_default();
    options.connectivity = 4;
    options.lookahead = 1;
    options.moves = 1;
    options.sight = sight;
    fw_batch_t batch;
    assert_int_equal(fw_batch_init(&batch, &grid, &start, &goal, 1, &options, NULL), FW_RET_OK);
    set_cost(&batch, 6, 0);
    for (int32_t episode = 1; episode <= 40 && fw_batch_running(&batch) > 0; ++episode) {
      run(&batch, 1);
      const int32_t x = fw_batch_robot(&batch, 0).cell % 10;
      assert_true(knows(&batch, 6) == (episode >= 6 - sight));  // it walks a cell in each
      assert_true(episode > 6 - sight || x == episode);
    }
    assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
    assert_true(fw_batch_robot(&batch, 0).length >= 11);  // around it
    fw_batch_fini(&batch);
  }
}

// Two lanes apart: what the first robot has run into, the second goes around from the start.
static void what_one_sees_all_know_in_the_next_episode(void ** state)
{
  (void)state;
  DRAW(
    grid,
    "...............",  //
    "...............",  //
    "...............",  //
    "...............",  //
    "...............");
  const fw_cell_t starts[] = {36, 30}, goals[] = {44, 44};  // row 2: one near the wall, one far
  fw_batch_options_t options = fw_batch_options_default();
  options.sight = 2;
  options.lookahead = 7;
  options.moves = 1;
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, 2, &options, NULL), FW_RET_OK);
  const fw_cell_t wall[] = {24, 39, 54};  // x = 9, rows 1 to 3
  for (int32_t i = 0; i < TEST_COUNT(wall); ++i) {
    set_cost(&batch, wall[i], 0);
  }
  run(&batch, 1);  // to x = 7: the first sees x = 9; the other is at x = 1
  assert_true(knows(&batch, wall[1]));
  assert_int_equal(fw_batch_robot(&batch, 1).cell, 31);
  const uint32_t before = fw_batch_estimate(&batch, 1, 37);
  run(&batch, 12);
  assert_true(fw_batch_robot(&batch, 1).cell % 15 > 6);
  // The second has never been nearer than its sight before it turned off, since it knew.
  run(&batch, 30);
  assert_int_equal(fw_batch_running(&batch), 0);
  assert_true(fw_batch_robot(&batch, 1).length <= 16);
  assert_int_equal(before, 7);
  fw_batch_fini(&batch);
}

// Goes along with a robot, step by step of its last way; true if it stopped before the end of what it may go.
static bool walk(const fw_batch_t * batch, int32_t r, const fw_grid_t * truth, fw_cell_t * at, uint32_t * length)
{
  static const int32_t dx[] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[] = {0, 1, 1, 1, 0, -1, -1, -1};
  const fw_batch_robot_t robot = fw_batch_robot(batch, r);
  uint8_t way[FW_LOOKAHEAD_MAX];
  const int32_t steps = fw_batch_way(batch, r, way), gone = (int32_t)(robot.length - *length);
  for (int32_t step = 0; step < gone; ++step) {
    const int32_t x = *at % truth->width, y = *at / truth->width;
    const int32_t to_x = x + dx[way[step]], to_y = y + dy[way[step]];
    assert_true(fw_grid_is_free(truth, to_x, to_y));
    assert_true(fw_grid_is_free(truth, to_x, y) && fw_grid_is_free(truth, x, to_y));  // both sides of a diagonal
    *at = fw_grid_cell(truth, to_x, to_y);
  }
  assert_int_equal(robot.cell, *at);
  *length = robot.length;
  return robot.state == FW_BATCH_RUNNING && gone < steps;
}

// Nobody walks through what is there, known or not, nor cuts its corners.
static void nobody_walks_through_what_is_there(void ** state)
{
  (void)state;
  int32_t stopped = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(60); ++number) {
    fw_rng_t rng = fw__rng(number);
    const int32_t width = 12 + fw__rng_below(&rng, 20), height = 12 + fw__rng_below(&rng, 20);
    fw_grid_t grid = world_grid(&rng, width, height, 0, false);
    fw_grid_t truth = world_grid(&rng, width, height, 25, false);
    enum { ROBOTS = 40 };
    fw_cell_t starts[ROBOTS], goals[ROBOTS], at[ROBOTS];
    uint32_t lengths[ROBOTS] = {0};
    for (int32_t r = 0; r < ROBOTS; ++r) {
      do {
        starts[r] = fw__rng_below(&rng, width * height);
      } while (truth.cost[starts[r]] == 0);
      do {
        goals[r] = fw__rng_below(&rng, width * height);
      } while (truth.cost[goals[r]] == 0);
      at[r] = starts[r];
    }
    fw_batch_options_t options = fw_batch_options_default();
    options.sight = 1 + (int32_t)(number % 3);
    options.threads = 2;
    options.is_fused = number % 2 == 0;
    fw_batch_t batch;
    assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, ROBOTS, &options, NULL), FW_RET_OK);
    for (fw_cell_t cell = 0; cell < width * height; ++cell) {
      set_cost(&batch, cell, truth.cost[cell]);
    }
    for (int32_t episode = 0; episode < 80; ++episode) {
      run(&batch, 1);
      for (int32_t r = 0; r < ROBOTS; ++r) {
        stopped += walk(&batch, r, &truth, &at[r], &lengths[r]) ? 1 : 0;
      }
    }
    const fw_grid_t known = fw_batch_known(&batch);
    for (fw_cell_t cell = 0; cell < width * height; ++cell) {
      assert_true(known.cost[cell] == truth.cost[cell] || known.cost[cell] == 1);  // nobody imagines obstacles
    }
    fw_batch_fini(&batch);
    fw_grid_fini(&grid);
    fw_grid_fini(&truth);
  }
  assert_true(stopped > 20);  // some had to stop before something that was not known
}

// Walls with gaps that nobody knows of, across the whole hall: everybody runs into them, and everybody arrives.
static void whoever_is_surprised_arrives(void ** state)
{
  (void)state;
  enum { SIDE = 40, ROBOTS = 50 };
  for (int32_t sight = 1; sight <= 3; ++sight) {
    fw_rng_t rng = fw__rng((uint64_t)sight);
    fw_grid_t grid = world_grid(&rng, SIDE, SIDE, 0, false);
    fw_cell_t starts[ROBOTS], goals[ROBOTS];
    for (int32_t r = 0; r < ROBOTS; ++r) {
      starts[r] = fw__rng_below(&rng, SIDE) * SIDE + fw__rng_below(&rng, 9);
      goals[r] = fw__rng_below(&rng, SIDE) * SIDE + SIDE - 1 - fw__rng_below(&rng, 9);
    }
    fw_batch_options_t options = fw_batch_options_default();
    options.sight = sight;
    fw_batch_t batch;
    assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, ROBOTS, &options, NULL), FW_RET_OK);
    for (int32_t y = 0; y < SIDE; ++y) {
      for (int32_t x = 12; x <= 28; x += 8) {
        set_cost(&batch, y * SIDE + x, (y + x) % 8 < 2 ? 1 : 0);  // gaps of two cells, six apart
      }
    }
    run(&batch, 400);
    int32_t longer = 0;
    for (int32_t r = 0; r < ROBOTS; ++r) {
      const fw_batch_robot_t robot = fw_batch_robot(&batch, r);
      const int32_t across = abs(goals[r] % SIDE - starts[r] % SIDE), down = abs(goals[r] / SIDE - starts[r] / SIDE);
      assert_int_equal(robot.state, FW_BATCH_ARRIVED);
      longer += robot.length > (uint32_t)(across > down ? across : down) ? 1 : 0;
    }
    assert_true(longer > ROBOTS / 4);  // the walls were in their way
    fw_batch_fini(&batch);
    fw_grid_fini(&grid);
  }
}

static void staged_fused_and_threads_see_the_same(void ** state)
{
  (void)state;
  uint64_t digests[4];
  for (int32_t way = 0; way < 4; ++way) {
    fw_rng_t rng = fw__rng(5);
    fw_grid_t grid = world_grid(&rng, 60, 60, 10, false);
    enum { ROBOTS = 300 };
    fw_cell_t starts[ROBOTS], goals[ROBOTS];
    for (int32_t r = 0; r < ROBOTS; ++r) {
      do {
        starts[r] = fw__rng_below(&rng, 3600);
      } while (grid.cost[starts[r]] == 0);
      do {
        goals[r] = fw__rng_below(&rng, 3600);
      } while (grid.cost[goals[r]] == 0);
    }
    fw_batch_options_t options = fw_batch_options_default();
    options.sight = 2;
    options.is_fused = way % 2 == 0;
    options.threads = 1 + way;
    fw_batch_t batch;
    assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, ROBOTS, &options, NULL), FW_RET_OK);
    for (int32_t i = 0; i < 700; ++i) {
      set_cost(&batch, fw__rng_below(&rng, 3600), 0);
    }
    run(&batch, 40);
    digests[way] = 0;
    for (int32_t r = 0; r < ROBOTS; ++r) {
      const fw_batch_robot_t robot = fw_batch_robot(&batch, r);
      digests[way] = digests[way] * 31 + (uint64_t)robot.cell * 7 + robot.length * 3 + robot.state;
    }
    for (fw_cell_t cell = 0; cell < 3600; ++cell) {
      digests[way] = digests[way] * 31 + fw_batch_known(&batch).cost[cell];
    }
    assert_true(digests[way] == digests[0]);
    fw_batch_fini(&batch);
    fw_grid_fini(&grid);
  }
}

// Shut in and alone: it sees by itself that its wall is gone. One that has arrived sees as well, and tells the others.
static void robots_without_an_episode_see_too(void ** state)
{
  (void)state;
  DRAW(grid, ".#.....", "##.....");
  for (int32_t memory = 0; memory < 2; ++memory) {
    const fw_cell_t starts[] = {0, 3}, goals[] = {6, 3};  // the second is on its goal
    fw_batch_options_t options = fw_batch_options_default();
    options.sight = 2;
    options.memory = (fw_memory_kind_t)memory;
    fw_batch_t batch;
    assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, 1, &options, NULL), FW_RET_OK);
    run(&batch, 3);
    assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_STUCK);
    set_cost(&batch, 1, 1);
    run(&batch, 20);
    assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
    fw_batch_fini(&batch);

    assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, 2, &options, NULL), FW_RET_OK);
    run(&batch, 3);
    set_cost(&batch, 5, 0);
    assert_false(knows(&batch, 5));
    run(&batch, 1);
    assert_true(knows(&batch, 5));
    fw_batch_fini(&batch);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_obstacle_is_known_when_somebody_sees_it),
    cmocka_unit_test(what_one_sees_all_know_in_the_next_episode),
    cmocka_unit_test(nobody_walks_through_what_is_there),
    cmocka_unit_test(whoever_is_surprised_arrives),
    cmocka_unit_test(staged_fused_and_threads_see_the_same),
    cmocka_unit_test(robots_without_an_episode_see_too),
  };
  return TEST_RUN(tests);
}
