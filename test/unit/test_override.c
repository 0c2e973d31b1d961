// The override search: goes through others at a price, but never through those that must be respected.

#include "spacetime/search.h"
#include "support/naive.h"
#include "support/test.h"
#include "support/world.h"
#include "world/closures.h"

enum { LENGTH_MAX = 14, ROBOTS_MAX = 6 };

static const fw_offset_t single[] = {{0, 0}};

typedef struct fixture_t {
  world_t world;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_moves_t places;
  fw_bodies_t bodies;
  fw_reservations_t table;
  fw_cell_t cells[ROBOTS_MAX][LENGTH_MAX];
  fw_path_t paths[ROBOTS_MAX];
  fw_spacetime_search_t search;
  fw_meter_t meter;
  int32_t others;  // robots 0 to others - 1 have paths; robot `others` searches
} fixture_t;

static void begin(fixture_t * f, fw_rng_t * rng)
{
  fw_grid_t grid = world_grid(rng, 2 + fw__rng_below(rng, 4), 2 + fw__rng_below(rng, 3), 20, false);
  const int32_t closures = fw__rng_below(rng, 2) == 0 ? WORLD_CLOSURES : 0;
  world_settle(&f->world, grid, rng, WORLD_DIAGONALS | WORLD_ROBUST | closures, ROBOTS_MAX);
  f->world.problem.closure_count = fw__closures_merge(&f->world.problem, f->world.closures);
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  fw__meter_start(&f->meter, NULL);
  for (int32_t r = 0; r < f->world.problem.robot_count; ++r) {
    f->world.robots[r].ticks_per_move = 1;
    f->world.robots[r].footprint = single;
    f->world.robots[r].footprint_count = 1;
  }
  assert_true(fw__moves_init_cells(
    &f->places, &f->arena, &(fw_problem_t){.grid = &f->world.grid, .connectivity = f->world.problem.connectivity}));
  assert_true(fw__bodies_init(&f->bodies, &f->arena, &f->world.problem));
  assert_true(fw__reservations_init(&f->table, &f->arena, &f->places, &f->bodies));
  fw__spacetime_search_init(&f->search, &f->arena);
}

static void end(fixture_t * f)
{
  fw__arena_fini(&f->arena);
  world_fini(&f->world);
}

// Paths for some robots, clear of each other and of the start of the robot that searches; then its own number.
static bool reserve_some(fixture_t * f, fw_rng_t * rng)
{
  const int32_t count = f->world.problem.robot_count;
  for (f->others = 0; f->others + 1 < count; ++f->others) {
    bool is_clear = false;
    for (int32_t tries = 0; tries < 20 && !is_clear; ++tries) {
      fw_problem_t some = f->world.problem;
      fw_robot_t robots[ROBOTS_MAX];
      memcpy(robots, f->world.robots, sizeof(robots));
      robots[f->others + 1] = f->world.robots[count - 1];
      some.robots = robots;
      some.robot_count = f->others + 2;
      const int32_t length = world_walk(&some, f->others, rng, f->cells[f->others], 1 + fw__rng_below(rng, LENGTH_MAX));
      f->paths[f->others] = (fw_path_t){.cells = f->cells[f->others], .length = length};
      f->paths[f->others + 1] = (fw_path_t){.cells = &robots[f->others + 1].start, .length = 1};
      // The one that searches holds its start until tick k: look no further than that for it.
      is_clear = !naive_check(&some, f->paths, some.robust_ticks).is_broken;
      some.robot_count = f->others + 1;
      is_clear = is_clear && !naive_check(&some, f->paths, FW_TICK_MAX - 1).is_broken;
    }
    if (!is_clear) {
      break;
    }
    assert_true(fw__reservations_add_path(&f->table, f->others, f->paths[f->others]));
  }
  f->world.robots[f->others] = f->world.robots[count - 1];
  return count > 0;
}

// The path by itself, and with each robot that must be respected.
static void assert_respectful(const fixture_t * f, const int32_t * prices, fw_path_t path, int32_t round)
{
  fw_problem_t pair = f->world.problem;
  fw_robot_t robots[2] = {f->world.robots[f->others]};
  pair.robots = robots;
  for (int32_t other = -1; other < f->others; ++other) {
    pair.robot_count = other < 0 ? 1 : 2;
    robots[1] = f->world.robots[other < 0 ? 0 : other];
    const fw_path_t paths[2] = {path, f->paths[other < 0 ? 0 : other]};
    const fw_tick_t until = other < 0 || prices[other] == FW_PRICE_NEVER ? FW_TICK_MAX - 1 : -1;
    bool is_broken = naive_check(&pair, paths, until).is_broken;
    for (fw_tick_t tick = 0; other >= 0 && tick <= pair.robust_ticks; ++tick) {
      is_broken = is_broken || fw_path_at(&path, tick) == robots[1].start;  // starts are always respected
    }
    if (is_broken) {
      fail_msg("round %d, %s: the path does not respect robot %d", round, f->world.text, other);
    }
  }
  assert_int_equal(path.cells[path.length - 1], robots[0].goal);
}

static void some_are_never_overridden(void ** state)
{
  (void)state;
  int32_t better = 0, found = 0;
  for (int32_t round = 0; round < test_rounds(2500); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round);
    begin(&f, &rng);
    if (reserve_some(&f, &rng)) {
      int32_t prices[ROBOTS_MAX];
      bool is_strict = true;
      for (int32_t r = 0; r < ROBOTS_MAX; ++r) {
        prices[r] = round % 4 == 0 || fw__rng_below(&rng, 2) == 0 ? FW_PRICE_NEVER : fw__rng_below(&rng, 6);
        is_strict = is_strict && (r >= f.others || prices[r] == FW_PRICE_NEVER);
      }
      const fw_spacetime_query_t query = {
        .table = &f.table,
        .moves = &f.places,
        .robot = f.others,
        .start = f.world.robots[f.others].start,
        .horizon = FW_TICK_MAX,
        .prices = prices,
        .estimate_degree = f.world.problem.connectivity,
      };
      fw_path_t path = {0};
      const bool is_plain = fw__sipp_search(&f.search, &query, &f.meter, &path) == FW_FOUND_PATH;
      const int32_t length = path.length;
      const bool is_found = fw__soft_sipp_search(&f.search, &query, &f.meter, &path) == FW_FOUND_PATH;
      assert_true(is_found || !is_plain);  // what can be had for nothing is found
      if (is_found) {
        assert_respectful(&f, prices, path, round);
      }
      if (is_strict) {  // with nobody to override it is the plain search
        assert_int_equal(is_found, is_plain);
        assert_true(!is_found || path.length == length);
      }
      better += is_found && (!is_plain || path.length < length) ? 1 : 0;
      found += is_found ? 1 : 0;
    }
    end(&f);
  }
  assert_true(better > found / 20);  // and it does go through others
}

// What a path until the horizon costs: its ticks, but for pauses on the goal, and what is left to go at its end.
static int32_t cost_of(fixture_t * f, const fw_spacetime_query_t * query, fw_path_t path)
{
  const fw_cell_t goal = f->world.robots[f->others].goal;
  int32_t cost = fw__distance_get(query->distance, f->places.node_of[path.cells[path.length - 1]], &f->meter);
  for (fw_tick_t tick = 1; tick <= query->horizon; ++tick) {
    cost += fw_path_at(&path, tick) == goal && fw_path_at(&path, tick - 1) == goal ? 0 : 1;
  }
  return cost;
}

// Downhill is one of the paths that a search may find: around everybody, and none is cheaper.
static void downhill_is_as_good_as_a_search(void ** state)
{
  (void)state;
  int32_t walks = 0, refusals = 0;
  for (int32_t round = 0; round < test_rounds(2500); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round);
    begin(&f, &rng);
    if (reserve_some(&f, &rng)) {
      const fw_robot_t * robot = &f.world.robots[f.others];
      fw_distance_t distance;
      assert_true(fw__distance_init(
        &distance, &f.arena,
        &(fw_distance_def_t){.moves = &f.places, .goal_node = f.places.node_of[robot->goal], .aim = robot->start}));
      const fw_spacetime_query_t query = {
        .table = &f.table,
        .moves = &f.places,
        .robot = f.others,
        .start = robot->start,
        .horizon = 1 + fw__rng_below(&rng, 12),
        .distance = &distance,
      };
      fw_path_t path;
      if (fw__spacetime_descend(&f.search, &query, &f.meter, &path)) {
        const int32_t cost = cost_of(&f, &query, path);
        const fw_booking_t booking = {.path = path, .until = query.horizon};
        assert_int_equal(fw__reservations_first_conflict(&f.table, f.others, &booking), -1);
        assert_int_equal(fw__soft_sipp_search(&f.search, &query, &f.meter, &path), FW_FOUND_PATH);
        assert_int_equal(cost_of(&f, &query, path), cost);
        ++walks;
      } else {
        ++refusals;
      }
    }
    end(&f);
  }
  assert_true(walks > refusals / 20 && refusals > walks / 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(some_are_never_overridden),
    cmocka_unit_test(downhill_is_as_good_as_a_search),
  };
  return TEST_RUN(tests);
}
