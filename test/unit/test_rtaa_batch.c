// Batches of RTAA*: the same as a plain one, estimate by estimate, however they are run.

#include "fleetweave/batch.h"
#include "fleetweave/files.h"
#include "support/draw.h"
#include "support/plain_rtaa.h"
#include "support/tally.h"
#include "support/test.h"
#include "support/world.h"

// ---- worlds ---------------------------------------------------------------------------------------------------------

enum { ROBOTS_MAX = 400 };

typedef struct batch_world_t {
  fw_grid_t grid;
  fw_cell_t starts[ROBOTS_MAX];
  fw_cell_t goals[ROBOTS_MAX];
  int32_t count;
  fw_batch_options_t options;
} batch_world_t;

static fw_cell_t draw_free(fw_rng_t * rng, const fw_grid_t * grid)
{
  fw_cell_t cell = fw_rng_below(rng, fw_grid_cell_count(grid));
  while (grid->cost[cell] == 0) {
    cell = (cell + 1) % fw_grid_cell_count(grid);
  }
  return cell;
}

static void make(batch_world_t * world, uint64_t number, int32_t count)
{
  fw_rng_t rng = fw_rng(number);
  const int32_t width = 3 + fw_rng_below(&rng, 38), height = 3 + fw_rng_below(&rng, 38);
  world->grid = world_grid(&rng, width, height, fw_rng_below(&rng, 45), number % 3 == 0);
  world->grid.cost[0] = 1;
  world->count = count;
  for (int32_t r = 0; r < count; ++r) {
    world->starts[r] = draw_free(&rng, &world->grid);
    world->goals[r] = draw_free(&rng, &world->grid);
  }
  world->options = fw_batch_options_default();
  world->options.lookahead = 1 + fw_rng_below(&rng, number % 5 == 0 ? FW_LOOKAHEAD_MAX : 7);
  world->options.moves = 1 + fw_rng_below(&rng, world->options.lookahead);
  world->options.connectivity = number % 2 == 0 ? 8 : 4;
  world->options.is_fused = number % 4 < 2;
}

static void begin(fw_batch_t * batch, const batch_world_t * world)
{
  fw_error_t error = {0};
  if (
    fw_batch_init(batch, &world->grid, world->starts, world->goals, world->count, &world->options, &error) !=
    FW_RET_OK) {
    fail_msg("%s", error.text);
  }
}

static void run(fw_batch_t * batch, int32_t episodes)
{
  assert_int_equal(fw_batch_run(batch, episodes, NULL), FW_RET_OK);
}

static uint64_t mix(uint64_t digest, uint64_t value) { return (digest ^ value) * UINT64_C(1099511628211); }

// Everything that can be asked of the robots, in a number.
static uint64_t digest_batch(const fw_batch_t * batch, const batch_world_t * world)
{
  uint64_t digest = UINT64_C(14695981039346656037);
  for (int32_t r = 0; r < world->count; ++r) {
    const fw_batch_robot_t robot = fw_batch_robot(batch, r);
    uint8_t way[FW_LOOKAHEAD_MAX];
    const int32_t steps = fw_batch_way(batch, r, way);
    digest = mix(mix(mix(mix(digest, (uint64_t)robot.cell), robot.state), robot.length), robot.episodes);
    for (int32_t i = 0; i < steps; ++i) {
      digest = mix(digest, way[i]);
    }
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&world->grid); ++cell) {
      digest = mix(digest, fw_batch_estimate(batch, r, cell));
    }
  }
  return digest;
}

// ---- against the plain one ------------------------------------------------------------------------------------------

static void assert_alike(
  const fw_batch_t * batch, int32_t r, const plain_rtaa_t * plain, uint64_t number, int32_t episode)
{
  const fw_batch_robot_t robot = fw_batch_robot(batch, r);
  uint8_t way[FW_LOOKAHEAD_MAX];
  if (robot.cell != plain->cell || robot.state != plain->state || robot.length != plain->length) {
    fail_msg(
      "world %d, robot %d, episode %d: at %d, not %d; %u cells gone, not %u; state %d, not %d", (int)number, r, episode,
      robot.cell, plain->cell, robot.length, plain->length, robot.state, plain->state);
  }
  assert_int_equal(fw_batch_way(batch, r, way), plain->way_count);
  for (fw_cell_t cell = 0; cell < plain->width * plain->height; ++cell) {
    if (fw_batch_estimate(batch, r, cell) != (uint32_t)plain_rtaa_estimate(plain, cell)) {
      fail_msg(
        "world %d, robot %d, episode %d: estimate of %d is %u, not %d", (int)number, r, episode, cell,
        fw_batch_estimate(batch, r, cell), plain_rtaa_estimate(plain, cell));
    }
  }
}

static void every_estimate_is_that_of_the_plain_one(void ** state)
{
  (void)state;
  static plain_rtaa_t plain[8];
  int32_t arrived = 0, stuck = 0, learned = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(250); ++number) {
    static batch_world_t world;
    make(&world, number, TEST_COUNT(plain));
    fw_batch_t batch;
    begin(&batch, &world);
    for (int32_t r = 0; r < world.count; ++r) {
      plain_rtaa_begin(&plain[r], &world.grid, &world.options, world.starts[r], world.goals[r]);
    }
    for (int32_t episode = 0; episode < 120 && fw_batch_running(&batch) > 0; ++episode) {
      run(&batch, 1);
      for (int32_t r = 0; r < world.count; ++r) {
        if (plain[r].state == FW_BATCH_RUNNING) {
          plain_rtaa_episode(&plain[r]);
          assert_alike(&batch, r, &plain[r], number, episode);
        }
      }
    }
    for (int32_t r = 0; r < world.count; ++r) {
      arrived += plain[r].state == FW_BATCH_ARRIVED ? 1 : 0;
      stuck += plain[r].state == FW_BATCH_STUCK ? 1 : 0;
      for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&world.grid); ++cell) {
        learned += plain[r].learned[cell] > 0 ? 1 : 0;
      }
    }
    fw_batch_fini(&batch);
    fw_grid_fini(&world.grid);
  }
  assert_true(arrived > 500 && stuck > 20 && learned > 1000);  // all of it was seen
}

// ---- estimates ------------------------------------------------------------------------------------------------------

// Where the whole map is inside the movements array nothing is forgotten: estimates never fall, and no move leads to
// where the estimate is lower by more than the move costs.
static void estimates_never_fall_and_stay_consistent(void ** state)
{
  (void)state;
  static plain_rtaa_t map;  // for its neighbours
  for (uint64_t number = 0; number < (uint64_t)test_rounds(120); ++number) {
    static batch_world_t world;
    make(&world, 5000 + number, 1);
    fw_rng_t rng = fw_rng(number);
    fw_grid_fini(&world.grid);
    world.options.lookahead = 4 + fw_rng_below(&rng, 4);
    world.options.moves = world.options.lookahead;
    const int32_t side = world.options.lookahead + 1;  // never further than that from the first centre
    world.grid = world_grid(&rng, side, side, fw_rng_below(&rng, 40), number % 2 == 0);
    world.grid.cost[0] = 1;
    world.starts[0] = draw_free(&rng, &world.grid);
    world.goals[0] = draw_free(&rng, &world.grid);
    plain_rtaa_begin(&map, &world.grid, &world.options, world.starts[0], world.goals[0]);
    fw_batch_t batch;
    begin(&batch, &world);
    uint32_t before[PLAIN_CELLS_MAX] = {0};
    for (int32_t episode = 0; episode < 200 && fw_batch_running(&batch) > 0; ++episode) {
      run(&batch, 1);
      for (fw_cell_t cell = 0; cell < side * side; ++cell) {
        const uint32_t estimate = fw_batch_estimate(&batch, 0, cell);
        assert_true(estimate >= before[cell]);
        before[cell] = estimate;
        for (int32_t heading = 0; heading < 8 && world.grid.cost[cell] != 0; ++heading) {
          const fw_cell_t to = plain_rtaa_neighbour(&map, cell, heading);
          assert_true(to < 0 || estimate <= world.grid.cost[to] + fw_batch_estimate(&batch, 0, to));
        }
      }
    }
    const fw_batch_robot_t robot = fw_batch_robot(&batch, 0);
    assert_true(robot.state != FW_BATCH_ARRIVED || before[world.goals[0]] == 0);
    fw_batch_fini(&batch);
    fw_grid_fini(&world.grid);
  }
}

// ---- however it is run ----------------------------------------------------------------------------------------------

static void staged_fused_threads_and_calls_give_the_same_bytes(void ** state)
{
  (void)state;
  static const struct {
    bool is_fused;
    int32_t threads;
    int32_t episodes;  // per call
  } ways[] = {{true, 1, 1}, {false, 1, 1}, {true, 3, 1}, {false, 2, 1}, {true, 2, 60}, {false, 3, 60}, {true, 1, 7}};
  for (uint64_t number = 0; number < (uint64_t)test_rounds(12); ++number) {
    static batch_world_t world;
    make(&world, 9000 + number, number % 2 == 0 ? ROBOTS_MAX : 129);
    uint64_t digest = 0;
    for (int32_t i = 0; i < TEST_COUNT(ways); ++i) {
      world.options.is_fused = ways[i].is_fused;
      world.options.threads = ways[i].threads;
      fw_batch_t batch;
      begin(&batch, &world);
      for (int32_t episode = 0; episode < 60;) {
        const int32_t left = 60 - episode;
        const int32_t now = ways[i].episodes < left ? ways[i].episodes : left;
        run(&batch, now);
        episode += now;
      }
      digest = i == 0 ? digest_batch(&batch, &world) : digest;
      assert_int_equal(digest_batch(&batch, &world), digest);
      assert_int_equal(fw_batch_stats(&batch).episodes, 60);
      assert_string_equal(fw_batch_stats(&batch).backend, "cpu");
      fw_batch_fini(&batch);
    }
    fw_grid_fini(&world.grid);
  }
}

// ---- small worlds that can be drawn ---------------------------------------------------------------------------------

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
    cmocka_unit_test(every_estimate_is_that_of_the_plain_one),
    cmocka_unit_test(estimates_never_fall_and_stay_consistent),
    cmocka_unit_test(staged_fused_threads_and_calls_give_the_same_bytes),
    cmocka_unit_test(a_robot_learns_its_way_out_of_a_bay),
    cmocka_unit_test(whoever_is_shut_in_is_stuck_and_whoever_is_there_has_arrived),
    cmocka_unit_test(robots_can_be_moved_and_sent_elsewhere),
    cmocka_unit_test(what_is_wrong_is_named),
    cmocka_unit_test(each_allocation_may_fail),
  };
  return TEST_RUN(tests);
}
