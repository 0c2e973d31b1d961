// Space-time A* for robots that turn, sweep cells and move slowly: with every heuristic the same arrival, without
// conflicts.

#include "spacetime/search.h"

#include "support/naive.h"
#include "support/test.h"
#include "support/world.h"
#include "world/problem.h"

enum { LENGTH_MAX = 14, ROBOTS_MAX = 4 };

typedef struct fixture_t {
  world_t world;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_problem_t normal;
  fw_bodies_t bodies;
  fw_moves_t places;
  fw_moves_t moves;  // of the last robot, which searches
  fw_reservations_t table;
  fw_cell_t cells[ROBOTS_MAX][LENGTH_MAX];
  uint8_t headings[ROBOTS_MAX][LENGTH_MAX];
  fw_path_t paths[ROBOTS_MAX];
  fw_spacetime_search_t search;
  fw_meter_t meter;
} fixture_t;

// False if there is no robot to search for.
static bool begin(fixture_t * f, fw_rng_t * rng)
{
  fw_grid_t grid = world_grid(rng, 3 + fw__rng_below(rng, 4), 3 + fw__rng_below(rng, 4), 8, false);
  world_settle(&f->world, grid, rng, WORLD_MOTION & ~WORLD_COSTS, ROBOTS_MAX);
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  fw__meter_start(&f->meter, NULL);
  f->normal = fw__problem_normalise(&f->world.problem, &f->arena);
  const int32_t connectivity = f->normal.connectivity;
  assert_true(fw__bodies_init(&f->bodies, &f->arena, &f->normal));
  assert_true(
    fw__moves_init_cells(&f->places, &f->arena, &(fw_problem_t){.grid = &f->world.grid, .connectivity = connectivity}));
  assert_true(fw__reservations_init(&f->table, &f->arena, &f->places, &f->bodies));
  fw__spacetime_search_init(&f->search, &f->arena);
  const int32_t robot = f->normal.robot_count - 1;
  return robot >= 0 && fw__moves_init_body(&f->moves, &f->arena, &f->world.grid, f->bodies.of[robot]);
}

// Walks for all but the last robot, tried until they are clear of those before; returns how many have one.
static int32_t walk_about(fixture_t * f, fw_rng_t * rng)
{
  fw_problem_t some = f->normal;
  for (some.robot_count = 0; some.robot_count < f->normal.robot_count - 1;) {
    const int32_t robot = some.robot_count++;
    bool is_clear = false;
    for (int32_t tries = 0; tries < 20 && !is_clear; ++tries) {
      const world_walk_t room = {f->cells[robot], f->headings[robot], 1 + fw__rng_below(rng, LENGTH_MAX)};
      f->paths[robot] = world_walk_body(&some, robot, rng, room);
      is_clear = !naive_check(&some, f->paths, FW_TICK_MAX - 1).is_broken;
    }
    if (!is_clear) {
      return robot;
    }
    assert_true(fw__reservations_add_path(&f->table, robot, f->paths[robot]));
  }
  return some.robot_count;
}

// The path with its robot behind those that were there before.
static void assert_sound(fixture_t * f, int32_t others, fw_path_t path)
{
  fw_robot_t robots[ROBOTS_MAX];
  memcpy(robots, f->normal.robots, (size_t)others * sizeof(*robots));
  robots[others] = f->normal.robots[f->normal.robot_count - 1];
  f->paths[others] = path;
  fw_problem_t problem = f->normal;
  problem.robots = robots;
  problem.robot_count = others + 1;
  assert_int_equal(path.cells[path.length - 1], robots[others].goal);
  assert_false(naive_check(&problem, f->paths, FW_TICK_MAX - 1).is_broken);
}

static void any_guide_leads_to_the_same_arrival(void ** state)
{
  (void)state;
  int32_t found[2] = {0, 0}, delayed = 0;
  for (int32_t round = 0; round < test_rounds(2500); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round);
    if (begin(&f, &rng)) {
      const int32_t robot = f.normal.robot_count - 1;
      const fw_robot_t * shape = &f.normal.robots[robot];
      const int32_t others = walk_about(&f, &rng);
      fw_distance_t distance;
      const int32_t goal = fw__moves_any_node(&f.moves, shape->goal);
      assert_true(fw__distance_init(
        &distance, &f.arena, &(fw_distance_def_t){.moves = &f.moves, .goal_node = goal, .aim = shape->start}));
      fw_spacetime_query_t query = {
        .table = &f.table,
        .moves = &f.moves,
        .robot = robot,
        .start = shape->start,
        .heading = shape->heading,
        .horizon = FW_TICK_MAX,
        .estimate_degree = f.normal.connectivity,
      };
      fw_path_t path = {0};
      const fw_found_t plain = fw__spacetime_astar(&f.search, &query, &f.meter, &path);
      const int32_t length = path.length;
      query.distance = &distance;
      const fw_found_t guided = fw__spacetime_astar(&f.search, &query, &f.meter, &path);
      if (guided != plain || (plain == FW_FOUND_PATH && path.length != length)) {
        fail_msg("round %d, %s: %d ticks by estimate, %d by distance", round, f.world.text, length, path.length);
      }
      if (guided == FW_FOUND_PATH) {
        assert_sound(&f, others, path);
        const int32_t node = fw__moves_node(&f.moves, (fw_grid_pose_t){shape->start, shape->heading});
        const int32_t ticks = fw__distance_get(&distance, node, &f.meter);
        const int32_t alone = shape->turn_ticks > 0 ? ticks : ticks * shape->ticks_per_move;
        assert_true(path.length - 1 >= alone);
        delayed += path.length - 1 > alone ? 1 : 0;
      }
      ++found[plain == FW_FOUND_PATH];
    }
    fw__arena_fini(&f.arena);
    world_fini(&f.world);
  }
  assert_true(found[0] > found[1] / 20 && found[1] > found[0] / 4 && delayed > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_guide_leads_to_the_same_arrival)};
  return TEST_RUN(tests);
}
