// Batches of RTAA*: the same as a plain one, estimate by estimate, however they are run.

#include "fleetweave/batch.h"
#include "kernel/batch.h"
#include "support/plain_rtaa.h"
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
  fw_cell_t cell = fw__rng_below(rng, fw_grid_cell_count(grid));
  while (grid->cost[cell] == 0) {
    cell = (cell + 1) % fw_grid_cell_count(grid);
  }
  return cell;
}

static void make(batch_world_t * world, uint64_t number, int32_t count)
{
  fw_rng_t rng = fw__rng(number);
  const int32_t width = 3 + fw__rng_below(&rng, 38), height = 3 + fw__rng_below(&rng, 38);
  world->grid = world_grid(&rng, width, height, fw__rng_below(&rng, 45), number % 3 == 0);
  world->grid.cost[0] = 1;
  world->count = count;
  for (int32_t r = 0; r < count; ++r) {
    world->starts[r] = draw_free(&rng, &world->grid);
    world->goals[r] = draw_free(&rng, &world->grid);
  }
  world->options = fw_batch_options_default();
  world->options.lookahead = 1 + fw__rng_below(&rng, number % 5 == 0 ? FW_LOOKAHEAD_MAX : 7);
  world->options.moves = 1 + fw__rng_below(&rng, world->options.lookahead);
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
  assert_true(fw__batch_validate(batch));
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
    fw_rng_t rng = fw__rng(number);
    fw_grid_fini(&world.grid);
    world.options.lookahead = 4 + fw__rng_below(&rng, 4);
    world.options.moves = world.options.lookahead;
    const int32_t side = world.options.lookahead + 1;  // never further than that from the first centre
    world.grid = world_grid(&rng, side, side, fw__rng_below(&rng, 40), number % 2 == 0);
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

static void validation_finds_a_corrupted_map(void ** state)
{
  (void)state;
  batch_world_t world = {0};
  fw_batch_t batch = {0};
  make(&world, 1, 5);
  begin(&batch, &world);
  assert_true(fw__batch_validate(&batch));
  const fw_grid_t known = fw_batch_known(&batch);
  known.cost[0] = 0;  // without the moves around it
  assert_false(fw__batch_validate(&batch));
  known.cost[0] = 1;
  assert_true(fw__batch_validate(&batch));
  fw_batch_fini(&batch);
  fw_grid_fini(&world.grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_estimate_is_that_of_the_plain_one),
    cmocka_unit_test(estimates_never_fall_and_stay_consistent),
    cmocka_unit_test(staged_fused_threads_and_calls_give_the_same_bytes),
    cmocka_unit_test(validation_finds_a_corrupted_map),
  };
  return TEST_RUN(tests);
}
