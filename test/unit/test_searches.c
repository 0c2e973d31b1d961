// The interval search against space-time A*: the same arrival, or none, around random reservations.

#include "spacetime/search.h"

#include "support/draw.h"
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
  fw_path_t paths[WORLD_ROBOTS_MAX];
  fw_spacetime_search_t search;
  fw_meter_t meter;
} fixture_t;

// The last robot is the one that searches; the others walk about, each clear of those before.
static void begin(fixture_t * f, fw_rng_t * rng)
{
  fw_grid_t grid = world_grid(rng, 2 + fw__rng_below(rng, 5), 2 + fw__rng_below(rng, 4), 15, false);
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

// Walks for all but the last robot, tried until they are clear; returns how many have one.
static int32_t walk_about(fixture_t * f, fw_rng_t * rng)
{
  fw_problem_t some = f->world.problem;
  some.robot_count = 0;
  while (some.robot_count < f->world.problem.robot_count - 1) {
    const int32_t robot = some.robot_count++;
    bool is_clear = false;
    for (int32_t tries = 0; tries < 20 && !is_clear; ++tries) {
      const int32_t length = world_walk(&some, robot, rng, f->cells[robot], 1 + fw__rng_below(rng, LENGTH_MAX));
      f->paths[robot] = (fw_path_t){.cells = f->cells[robot], .length = length};
      is_clear = !naive_check(&some, f->paths, FW_TICK_MAX - 1).is_broken;
    }
    if (!is_clear) {
      return robot;
    }
    assert_true(fw__reservations_add_path(&f->table, robot, f->paths[robot]));
  }
  return some.robot_count;
}

// The path with its robot behind those that were there before: legal, clear and on the goal.
static void assert_sound(fixture_t * f, int32_t others, int32_t robot, fw_path_t path)
{
  fw_robot_t robots[ROBOTS_MAX];
  memcpy(robots, f->world.robots, (size_t)others * sizeof(*robots));
  robots[others] = f->world.robots[robot];
  f->paths[others] = path;
  fw_problem_t problem = f->world.problem;
  problem.robots = robots;
  problem.robot_count = others + 1;
  assert_int_equal(path.cells[path.length - 1], robots[others].goal);
  assert_false(naive_check(&problem, f->paths, FW_TICK_MAX - 1).is_broken);
}

static void both_arrive_at_the_same_tick(void ** state)
{
  (void)state;
  int32_t found[2] = {0, 0};
  for (int32_t round = 0; round < test_rounds(6000); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round);
    begin(&f, &rng);
    if (f.world.problem.robot_count == 0) {
      end(&f);
      continue;
    }
    const int32_t robot = f.world.problem.robot_count - 1;
    const int32_t others = walk_about(&f, &rng);
    fw_distance_t distance;
    assert_true(fw__distance_init(
      &distance, &f.arena,
      &(fw_distance_def_t){
        .moves = &f.places,
        .goal_node = f.places.node_of[f.world.robots[robot].goal],
        .aim = f.world.robots[robot].start}));
    const fw_spacetime_query_t query = {
      .table = &f.table,
      .moves = &f.places,
      .robot = robot,
      .start = f.world.robots[robot].start,
      .horizon = FW_TICK_MAX,
      .distance = round % 2 == 0 ? &distance : NULL,
      .estimate_degree = f.world.problem.connectivity,
    };
    assert_true(fw__sipp_supports(&query));
    fw_path_t path = {0};
    const fw_found_t plain = fw__spacetime_astar(&f.search, &query, &f.meter, &path);
    const int32_t length = path.length;
    if (plain == FW_FOUND_PATH) {
      assert_sound(&f, others, robot, path);
    }
    const fw_found_t interval = fw__sipp_search(&f.search, &query, &f.meter, &path);
    if (interval != plain || (plain == FW_FOUND_PATH && path.length != length)) {
      fail_msg(
        "round %d, %s: space-time A* %s %d, intervals %s %d", round, f.world.text,
        plain == FW_FOUND_PATH ? "finds" : "-", length, interval == FW_FOUND_PATH ? "find" : "-", path.length);
    }
    if (interval == FW_FOUND_PATH) {
      assert_sound(&f, others, robot, path);
    }
    ++found[plain == FW_FOUND_PATH];
    end(&f);
  }
  assert_true(found[0] > found[1] / 20 && found[1] > found[0]);
}

// What a path with a horizon costs: ticks, but for pauses on the goal, then the distance that is left.
static int32_t window_cost(const fixture_t * f, const fw_spacetime_query_t * query, fw_path_t path)
{
  const fw_cell_t goal = f->world.robots[query->robot].goal;
  const fw_cell_t end = path.cells[path.length - 1];
  fw_meter_t meter;
  fw__meter_start(&meter, NULL);
  const int32_t left = fw__distance_get(query->distance, f->places.node_of[end], &meter);
  int32_t cost = end == goal ? 0 : query->horizon - query->now - (path.length - 1) + left;
  for (int32_t i = 1; i < path.length; ++i) {
    cost += path.cells[i] == goal && path.cells[i - 1] == goal ? 0 : 1;
  }
  return cost;
}

// With a horizon, the search over segments and the one over ticks find paths of the same cost that meet nobody in time.
static void both_cost_the_same_with_a_horizon(void ** state)
{
  (void)state;
  int32_t found = 0, free_pauses = 0;
  for (int32_t round = 0; round < test_rounds(6000); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round);
    begin(&f, &rng);
    const int32_t robot = f.world.problem.robot_count - 1;
    if (robot < 0) {
      end(&f);
      continue;
    }
    (void)walk_about(&f, &rng);
    fw_distance_t distance;
    const fw_robot_t * wanted = &f.world.robots[robot];
    assert_true(fw__distance_init(
      &distance, &f.arena,
      &(fw_distance_def_t){.moves = &f.places, .goal_node = f.places.node_of[wanted->goal], .aim = wanted->start}));
    const fw_spacetime_query_t query = {
      .table = &f.table,
      .moves = &f.places,
      .robot = robot,
      .start = wanted->start,
      .horizon = 1 + fw__rng_below(&rng, 16),
      .distance = &distance,
    };
    fw_path_t path = {0};
    const fw_found_t plain = fw__spacetime_astar(&f.search, &query, &f.meter, &path);
    const int32_t cost = plain == FW_FOUND_PATH ? window_cost(&f, &query, path) : -1;
    const fw_found_t segments = fw__soft_sipp_search(&f.search, &query, &f.meter, &path);
    const int32_t other_cost = segments == FW_FOUND_PATH ? window_cost(&f, &query, path) : -1;
    if (cost != other_cost) {
      fail_msg("round %d, %s: ticks %d, segments %d", round, f.world.text, cost, other_cost);
    }
    if (segments == FW_FOUND_PATH) {
      const fw_booking_t booking = {.path = path, .until = query.horizon};
      assert_int_equal(fw__reservations_first_conflict(&f.table, robot, &booking), -1);
      assert_true(path.length <= query.horizon + 1);
      free_pauses += path.length - 1 > cost ? 1 : 0;
      ++found;
    }
    end(&f);
  }
  assert_true(found > 1000 && free_pauses > 10);
}

// One robot in a corridor, another comes towards it and turns back: it must wait in the niche.
static void a_niche_is_used(void ** state)
{
  (void)state;
  DRAW(grid, "#.#", "...");
  static const fw_cell_t walk[] = {5, 5, 4, 3, 3, 3, 4, 5};
  static fixture_t f;
  f.world = (world_t){
    .grid = grid,
    .robots =
      {{.start = 5, .goal = 5, .ticks_per_move = 1, .footprint = single, .footprint_count = 1},
       {.start = 4, .goal = 3, .ticks_per_move = 1, .footprint = single, .footprint_count = 1}},
    .problem = {.connectivity = 4, .robot_count = 2}};
  f.world.problem.grid = &f.world.grid;
  f.world.problem.robots = f.world.robots;
  f.memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f.arena, &f.memory);
  fw__meter_start(&f.meter, NULL);
  assert_true(fw__moves_init_cells(&f.places, &f.arena, &(fw_problem_t){.grid = &f.world.grid, .connectivity = 4}));
  assert_true(fw__bodies_init(&f.bodies, &f.arena, &f.world.problem));
  assert_true(fw__reservations_init(&f.table, &f.arena, &f.places, &f.bodies));
  assert_true(fw__reservations_add_path(&f.table, 0, (fw_path_t){.cells = walk, .length = 8}));
  fw__spacetime_search_init(&f.search, &f.arena);
  const fw_spacetime_query_t query = {
    .table = &f.table,
    .moves = &f.places,
    .robot = 1,
    .start = f.world.robots[1].start,
    .horizon = FW_TICK_MAX,
    .estimate_degree = 4};
  fw_path_t path;
  assert_int_equal(fw__sipp_search(&f.search, &query, &f.meter, &path), FW_FOUND_PATH);
  assert_int_equal(path.length, 9);    // cell 3 is free from tick 6, reached through 4 from tick 7
  assert_int_equal(path.cells[2], 1);  // the niche
  assert_int_equal(path.cells[8], 3);
  fw__arena_fini(&f.arena);
}

static void out_of_budget_and_out_of_memory_are_told(void ** state)
{
  (void)state;
  for (int32_t is_plain = 0; is_plain < 2; ++is_plain) {
    static fixture_t f;
    fw_rng_t rng = fw__rng(3);
    begin(&f, &rng);
    const int32_t robot = f.world.problem.robot_count - 1;
    f.world.robots[robot].goal = f.places.cell_of[f.places.node_count - 1];
    f.world.robots[robot].start = f.places.cell_of[0];
    const fw_spacetime_query_t query = {
      .table = &f.table,
      .moves = &f.places,
      .robot = robot,
      .start = f.world.robots[robot].start,
      .horizon = FW_TICK_MAX,
      .estimate_degree = 4};
    fw_path_t path;
    fw_found_t (*search)(fw_spacetime_search_t *, const fw_spacetime_query_t *, fw_meter_t *, fw_path_t *) =
      is_plain ? fw__spacetime_astar : fw__sipp_search;
    fw__meter_start(&f.meter, &(fw_budget_t){.expansions_max = 1});
    assert_int_equal(search(&f.search, &query, &f.meter, &path), FW_FOUND_STOPPED);
    assert_int_equal(f.meter.stop, FW_STOP_EXPANSIONS);
    fw_memory_t none = {.allocator = fw_allocator_default(), .max_bytes = 10};
    fw_arena_t empty;
    fw__arena_init(&empty, &none);
    fw_spacetime_search_t fresh;
    fw__spacetime_search_init(&fresh, &empty);
    fw__meter_start(&f.meter, NULL);
    assert_int_equal(search(&fresh, &query, &f.meter, &path), FW_FOUND_STOPPED);
    assert_int_equal(f.meter.stop, FW_STOP_MEMORY);
    fw__arena_fini(&empty);
    end(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_arrive_at_the_same_tick),
    cmocka_unit_test(both_cost_the_same_with_a_horizon),
    cmocka_unit_test(a_niche_is_used),
    cmocka_unit_test(out_of_budget_and_out_of_memory_are_told),
  };
  return TEST_RUN(tests);
}
