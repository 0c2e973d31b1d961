// Batches with the memory `regions`: every robot arrives that can, however the batch is run.

#include "fleetweave/files.h"
#include "kernel/batch.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

// ---- worlds ---------------------------------------------------------------------------------------------------------

enum { ROBOTS = 150, CELLS_MAX = 300 * 300 };

typedef struct regions_world_t {
  fw_grid_t grid;
  fw_cell_t starts[ROBOTS];
  fw_cell_t goals[ROBOTS];
  int32_t count;
  fw_batch_options_t options;
} regions_world_t;

static fw_cell_t draw_free(fw_rng_t * rng, const fw_grid_t * grid)
{
  fw_cell_t cell = fw__rng_below(rng, fw_grid_cell_count(grid));
  while (grid->cost[cell] == 0) {
    cell = (cell + 1) % fw_grid_cell_count(grid);
  }
  return cell;
}

static void place_robots(regions_world_t * world, fw_rng_t * rng, int32_t count)
{
  world->count = count;
  for (int32_t r = 0; r < count; ++r) {
    world->starts[r] = draw_free(rng, &world->grid);
    world->goals[r] = draw_free(rng, &world->grid);
  }
}

static void make(regions_world_t * world, uint64_t number, int32_t count)
{
  fw_rng_t rng = fw__rng(number);
  const int32_t width = 2 + fw__rng_below(&rng, 70), height = 2 + fw__rng_below(&rng, 70);
  world->grid = world_grid(&rng, width, height, fw__rng_below(&rng, 50), false);
  world->grid.cost[0] = 1;
  place_robots(world, &rng, count);
  world->options = fw_batch_options_default();
  world->options.memory = FW_MEMORY_REGIONS;
  world->options.backend = FW_BACKEND_CPU;
  world->options.lookahead = 1 + fw__rng_below(&rng, number % 5 == 0 ? FW_LOOKAHEAD_MAX : 9);
  world->options.moves = 1 + fw__rng_below(&rng, world->options.lookahead);
  world->options.connectivity = number % 2 == 0 ? 8 : 4;
  world->options.is_fused = number % 4 < 2;
}

static void begin(fw_batch_t * batch, const regions_world_t * world)
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

// ---- a plain reference ----------------------------------------------------------------------------------------------

static const int32_t dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};

static bool has_move(const fw_grid_t * grid, fw_cell_t cell, int32_t heading)
{
  const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
  const int32_t to_x = x + dx[heading], to_y = y + dy[heading];
  return fw_grid_is_free(grid, to_x, to_y) && fw_grid_is_free(grid, to_x, y) && fw_grid_is_free(grid, x, to_y);
}

// Moves to the goal by breadth-first search, -1 where there is no way.
static void measure(const fw_grid_t * grid, int32_t connectivity, fw_cell_t goal, int32_t * distance)
{
  static fw_cell_t queue[CELLS_MAX];
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    distance[cell] = -1;
  }
  int32_t count = 1;
  queue[0] = goal;
  distance[goal] = 0;
  for (int32_t at = 0; at < count; ++at) {
    for (int32_t heading = 0; heading < 8; heading += connectivity == 4 ? 2 : 1) {
      if (has_move(grid, queue[at], heading)) {
        const fw_cell_t to = queue[at] + dy[heading] * grid->width + dx[heading];
        if (distance[to] < 0) {
          distance[to] = distance[queue[at]] + 1;
          queue[count++] = to;
        }
      }
    }
  }
}

// Whether the robot's estimates are lengths of ways without local minima.
static void assert_leads_to_the_goal(const fw_batch_t * batch, const fw_grid_t * grid, int32_t connectivity, int32_t r)
{
  static int32_t distance[CELLS_MAX];
  const fw_cell_t goal = fw_batch_robot(batch, r).goal;
  measure(grid, connectivity, goal, distance);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    const uint32_t h = fw_batch_estimate(batch, r, cell);
    if (distance[cell] < 0) {
      assert_int_equal(h, INT32_MAX);
      continue;
    }
    assert_true(h >= (uint32_t)distance[cell] && h < INT32_MAX);
    uint32_t least = UINT32_MAX;
    for (int32_t heading = 0; heading < 8; heading += connectivity == 4 ? 2 : 1) {
      if (has_move(grid, cell, heading)) {
        const uint32_t other = fw_batch_estimate(batch, r, cell + dy[heading] * grid->width + dx[heading]);
        least = other < least ? other : least;
      }
    }
    assert_true(cell == goal ? h == 0 : least + 1 <= h);
  }
}

// ---- the heuristic --------------------------------------------------------------------------------------------------

static void every_cell_but_the_goal_has_a_neighbour_with_a_smaller_estimate(void ** state)
{
  (void)state;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(120); ++number) {
    static regions_world_t world;
    make(&world, number, 3);
    fw_batch_t batch;
    begin(&batch, &world);
    for (int32_t r = 0; r < world.count; ++r) {
      assert_leads_to_the_goal(&batch, &world.grid, world.options.connectivity, r);
    }
    fw_batch_fini(&batch);
    fw_grid_fini(&world.grid);
  }
}

// ---- arrival --------------------------------------------------------------------------------------------------------

// All robots run to the end. Those that have a way arrive, within the estimate of their start; the others are stuck.
static void assert_all_arrive(const regions_world_t * world)
{
  static int32_t distance[CELLS_MAX];
  fw_batch_t batch;
  begin(&batch, world);
  static uint32_t before[ROBOTS];
  for (int32_t r = 0; r < world->count; ++r) {
    before[r] = fw_batch_estimate(&batch, r, world->starts[r]);
  }
  for (int32_t turn = 0; turn < 1000 && fw_batch_running(&batch) > 0; ++turn) {
    run(&batch, 64);
  }
  for (int32_t r = 0; r < world->count; ++r) {
    const fw_batch_robot_t robot = fw_batch_robot(&batch, r);
    measure(&world->grid, world->options.connectivity, world->goals[r], distance);
    const bool has_way = distance[world->starts[r]] >= 0;
    assert_int_equal(robot.state, has_way ? FW_BATCH_ARRIVED : FW_BATCH_STUCK);
    assert_true(!has_way || (robot.length >= (uint32_t)distance[world->starts[r]] && robot.length <= before[r]));
  }
  fw_batch_fini(&batch);
}

static void robots_arrive_wherever_there_is_a_way(void ** state)
{
  (void)state;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(100); ++number) {
    static regions_world_t world;
    make(&world, 1000 + number, 40);
    assert_all_arrive(&world);
    fw_grid_fini(&world.grid);
  }
}

static void robots_arrive_in_rooms_and_mazes(void ** state)
{
  (void)state;
  static const char * const maps[] = {
    "rooms:129x129,room=8,seed=7",    "rooms:129x129,room=32,seed=7", "maze:129x129,corridor=1,seed=7",
    "maze:161x161,corridor=4,seed=7", "random:120x90,obstacles=35",   "warehouse:161x63,seed=7",
    "maze:65x257,corridor=1,seed=8",
  };
  for (int32_t i = 0; i < TEST_COUNT(maps); ++i) {
    static regions_world_t world;
    fw_rng_t rng = fw__rng((uint64_t)i);
    make(&world, (uint64_t)i, 1);
    fw_grid_fini(&world.grid);
    assert_int_equal(fw_grid_make(&world.grid, maps[i], NULL, NULL), FW_RET_OK);
    place_robots(&world, &rng, ROBOTS);
    assert_all_arrive(&world);
    fw_grid_fini(&world.grid);
  }
}

// Blocks of more than 16 x 16 cells: a map with so many that they are made larger.
static void a_large_map_has_larger_blocks(void ** state)
{
  (void)state;
  static regions_world_t world;
  make(&world, 2, 1);
  fw_grid_fini(&world.grid);
  assert_int_equal(fw_grid_make(&world.grid, "rooms:2100x1100,room=60", NULL, NULL), FW_RET_OK);
  world.starts[0] = 2100 + 1;
  world.goals[0] = fw_grid_cell_count(&world.grid) - 2102;
  world.options.lookahead = 8;
  world.options.moves = 8;
  fw_batch_t batch;
  begin(&batch, &world);
  const uint32_t before = fw_batch_estimate(&batch, 0, world.starts[0]);
  run(&batch, 3000);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
  assert_true(fw_batch_robot(&batch, 0).length <= before);
  fw_batch_fini(&batch);
  fw_grid_fini(&world.grid);
}

// ---- however they are run -------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t digest, uint64_t value) { return (digest ^ value) * UINT64_C(1099511628211); }

static uint64_t digest_batch(const fw_batch_t * batch, const regions_world_t * world)
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
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&world->grid); cell += 7) {
      digest = mix(digest, fw_batch_estimate(batch, r, cell));
    }
  }
  return digest;
}

// A run with obstacles, costs and goals that change; they need searches and learning.
static uint64_t live(const regions_world_t * world, int32_t stride, uint64_t number)
{
  fw_rng_t rng = fw__rng(number);
  fw_batch_t batch;
  begin(&batch, world);
  for (int32_t turn = 0; turn < 12; ++turn) {
    for (int32_t done = 0; done < 6; done += stride) {
      run(&batch, stride);
    }
    for (int32_t i = 0; i < 8; ++i) {
      const fw_cell_t cell = fw__rng_below(&rng, fw_grid_cell_count(&world->grid));
      const uint8_t cost = (uint8_t)(fw__rng_below(&rng, 3) * 20);
      assert_int_equal(fw_batch_set_cost(&batch, cell, cost, NULL), FW_RET_OK);
    }
    const fw_grid_t known = fw_batch_known(&batch);
    fw_batch_set_goal(&batch, fw__rng_below(&rng, world->count), draw_free(&rng, &known));
  }
  run(&batch, 6);
  const uint64_t digest = digest_batch(&batch, world);
  fw_batch_fini(&batch);
  return digest;
}

static void the_answer_is_the_same_however_the_batch_is_run(void ** state)
{
  (void)state;
  static const int32_t threads[] = {1, 2, 8};
  for (uint64_t number = 0; number < (uint64_t)test_rounds(12); ++number) {
    static regions_world_t world;
    make(&world, 2000 + number, ROBOTS);
    world.options.threads = 1;
    const uint64_t expected = live(&world, 1, number);
    for (int32_t i = 0; i < 2 * TEST_COUNT(threads); ++i) {
      world.options.threads = threads[i / 2];
      world.options.is_fused = i % 2 == 0;
      assert_true(live(&world, i < 3 ? 6 : 2, number) == expected);
    }
    fw_grid_fini(&world.grid);
  }
}

// ---- a map that changes ---------------------------------------------------------------------------------------------

// After cells were blocked and freed, the estimates are those of a batch that begins with the map as it is now.
static void a_changed_map_is_as_good_as_a_new_one(void ** state)
{
  (void)state;
  int32_t stuck = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(40); ++number) {
    static regions_world_t world;
    make(&world, 3000 + number, 12);
    fw_rng_t rng = fw__rng(number);
    fw_batch_t batch, fresh;
    begin(&batch, &world);
    run(&batch, 2);
    for (int32_t i = 0; i < 60; ++i) {
      const fw_cell_t cell = fw__rng_below(&rng, fw_grid_cell_count(&world.grid));
      const uint8_t cost = world.grid.cost[cell] == 0 ? 1 : 0;
      bool is_used = false;
      for (int32_t r = 0; r < world.count; ++r) {
        is_used = is_used || world.goals[r] == cell || fw_batch_robot(&batch, r).cell == cell;
      }
      if (!is_used) {
        world.grid.cost[cell] = cost;
        assert_int_equal(fw_batch_set_cost(&batch, cell, cost, NULL), FW_RET_OK);
      }
    }
    for (int32_t r = 0; r < world.count; ++r) {
      world.starts[r] = fw_batch_robot(&batch, r).cell;
    }
    begin(&fresh, &world);
    for (int32_t turn = 0; turn < 400 && fw_batch_running(&batch) > 0; ++turn) {
      run(&batch, 4);
      run(&fresh, 4);
      for (int32_t r = 0; r < world.count; ++r) {
        const fw_batch_robot_t one = fw_batch_robot(&batch, r), other = fw_batch_robot(&fresh, r);
        assert_true(one.cell == other.cell && one.state == other.state);
        for (fw_cell_t cell = 0; turn == 0 && cell < fw_grid_cell_count(&world.grid); ++cell) {
          assert_int_equal(fw_batch_estimate(&batch, r, cell), fw_batch_estimate(&fresh, r, cell));
        }
      }
    }
    for (int32_t r = 0; r < world.count; ++r) {
      stuck += fw_batch_robot(&batch, r).state == FW_BATCH_STUCK ? 1 : 0;
      assert_true(fw_batch_robot(&batch, r).state != FW_BATCH_RUNNING);
    }
    fw_batch_fini(&batch);
    fw_batch_fini(&fresh);
    fw_grid_fini(&world.grid);
  }
  assert_true(stuck > 0);
}

// A wall closes: the robot is stuck at once, and goes on when the wall opens again. An obstacle on the robot's own cell
// or on its goal is left, or waited for.
static void a_robot_without_a_way_is_stuck_until_there_is_one(void ** state)
{
  (void)state;
  DRAW(
    grid,
    "....#....",  //
    ".........",  //
    "....#....");
  const fw_cell_t start = 9, goal = 17, door = 13;
  fw_batch_options_t options = fw_batch_options_default();
  options.memory = FW_MEMORY_REGIONS;
  options.moves = 1;
  fw_batch_t batch;
  assert_int_equal(fw_batch_init(&batch, &grid, &start, &goal, 1, &options, NULL), FW_RET_OK);
  assert_int_equal(fw_batch_set_cost(&batch, door, 0, NULL), FW_RET_OK);
  run(&batch, 1);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_STUCK);
  assert_int_equal(fw_batch_set_cost(&batch, door, 1, NULL), FW_RET_OK);
  run(&batch, 1);
  assert_int_equal(fw_batch_robot(&batch, 0).cell, start + 1);
  assert_int_equal(fw_batch_set_cost(&batch, start + 1, 0, NULL), FW_RET_OK);
  run(&batch, 1);
  assert_int_equal(fw_batch_robot(&batch, 0).cell, start + 2);
  assert_int_equal(fw_batch_set_cost(&batch, goal, 0, NULL), FW_RET_OK);
  run(&batch, 1);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_STUCK);
  assert_int_equal(fw_batch_set_cost(&batch, goal, 1, NULL), FW_RET_OK);
  run(&batch, 10);
  assert_int_equal(fw_batch_robot(&batch, 0).state, FW_BATCH_ARRIVED);
  fw_batch_fini(&batch);
}

// ---- memory and backends --------------------------------------------------------------------------------------------

typedef struct limited_t {
  int64_t left;  // allocations that succeed
  int64_t live;
} limited_t;

static void * allocate_limited(size_t size_bytes, void * state)
{
  limited_t * limited = state;
  if (limited->left-- <= 0) {
    return NULL;
  }
  ++limited->live;
  return malloc(size_bytes);
}

static void deallocate_limited(void * pointer, void * state)
{
  limited_t * limited = state;
  limited->live -= pointer != NULL ? 1 : 0;
  free(pointer);
}

// Every allocation fails once: of init, of a new goal and of a changed map. Nothing is lost, and a run that fails can
// be tried again.
static void a_failed_allocation_is_an_error_and_can_be_repeated(void ** state)
{
  (void)state;
  static regions_world_t world;
  make(&world, 4, 5);
  limited_t limited = {0};
  world.options.allocator = (fw_allocator_t){allocate_limited, deallocate_limited, &limited};
  fw_batch_t batch;
  fw_ret_t ret = FW_RET_BAD_ALLOC;
  int64_t count = 0;
  for (; ret != FW_RET_OK; ++count) {
    limited = (limited_t){.left = count};
    ret = fw_batch_init(&batch, &world.grid, world.starts, world.goals, world.count, &world.options, NULL);
    assert_true(ret == FW_RET_OK || (ret == FW_RET_BAD_ALLOC && limited.live == 0));
  }
  assert_true(count > 20);
  int32_t failures = 0;
  for (int64_t left = 0; left < 40; ++left) {
    limited.left = left;
    const fw_cell_t cell = world.starts[4];  // no robot is there any more, or it does not matter
    assert_int_equal(fw_batch_set_cost(&batch, cell, (uint8_t)(left % 2), NULL), FW_RET_OK);
    fw_batch_set_goal(&batch, 0, world.goals[left % 5]);
    (void)fw_batch_estimate(&batch, 0, world.starts[0]);
    if (fw_batch_run(&batch, 1, NULL) != FW_RET_OK) {
      ++failures;
      (void)fw_batch_estimate(&batch, 0, world.starts[0]);
      limited.left = 1000;
      assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
    }
    const fw_grid_t known = fw_batch_known(&batch);
    assert_leads_to_the_goal(&batch, &known, 8, 0);
  }
  assert_true(failures > 10);
  fw_batch_fini(&batch);
  assert_int_equal(limited.live, 0);
  fw_grid_fini(&world.grid);
}

// What robots share does not grow with their number.
static void memory_is_counted(void ** state)
{
  (void)state;
  static regions_world_t world;
  make(&world, 6, ROBOTS);
  fw_batch_t few, many;
  begin(&many, &world);
  world.count = 1;
  begin(&few, &world);
  const fw_batch_stats_t one = fw_batch_stats(&few), all = fw_batch_stats(&many);
  assert_true(one.region_bytes > 0 && all.region_bytes >= one.region_bytes);
  assert_true(one.robot_bytes == all.robot_bytes);
  assert_true(all.memory_bytes - all.region_bytes >= (size_t)ROBOTS * all.robot_bytes);
  fw_batch_fini(&few);
  fw_batch_fini(&many);
  world.options.memory = FW_MEMORY_WINDOW;
  begin(&few, &world);
  assert_int_equal(fw_batch_stats(&few).region_bytes, 0);
  assert_true(2 * fw_batch_stats(&few).robot_bytes > one.robot_bytes || world.options.lookahead < 3);
  fw_batch_fini(&few);
  fw_grid_fini(&world.grid);
}

static void another_memory_is_refused(void ** state)
{
  (void)state;
  static regions_world_t world;
  make(&world, 6, 2);
  fw_batch_t batch;
  fw_error_t error = {0};
  world.options.memory = (fw_memory_kind_t)2;
  assert_int_equal(
    fw_batch_init(&batch, &world.grid, world.starts, world.goals, world.count, &world.options, &error),
    FW_RET_INVALID_ARGUMENT);
  fw_grid_fini(&world.grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_cell_but_the_goal_has_a_neighbour_with_a_smaller_estimate),
    cmocka_unit_test(robots_arrive_wherever_there_is_a_way),
    cmocka_unit_test(robots_arrive_in_rooms_and_mazes),
    cmocka_unit_test(a_large_map_has_larger_blocks),
    cmocka_unit_test(the_answer_is_the_same_however_the_batch_is_run),
    cmocka_unit_test(a_changed_map_is_as_good_as_a_new_one),
    cmocka_unit_test(a_robot_without_a_way_is_stuck_until_there_is_one),
    cmocka_unit_test(a_failed_allocation_is_an_error_and_can_be_repeated),
    cmocka_unit_test(memory_is_counted),
    cmocka_unit_test(another_memory_is_refused),
  };
  return TEST_RUN(tests);
}
