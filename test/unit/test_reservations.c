// The reservation table against a naive one: (cell, tick) to robot, and every question asked of both.

#include "spacetime/reservations.h"

#include "support/draw.h"
#include "support/naive.h"
#include "support/test.h"
#include "support/rotated.h"
#include "support/world.h"
#include "world/problem.h"

enum { LENGTH_MAX = 10, TICKS = LENGTH_MAX + 8, CELLS_MAX = 64 };

typedef struct fixture_t {
  world_t world;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_moves_t places;
  fw_bodies_t bodies;
  fw_problem_t normal;
  fw_reservations_t table;
  fw_cell_t cells[WORLD_ROBOTS_MAX][LENGTH_MAX];
  uint8_t headings[WORLD_ROBOTS_MAX][LENGTH_MAX];
  fw_path_t paths[WORLD_ROBOTS_MAX];  // what each robot has reserved
  bool is_reserved[WORLD_ROBOTS_MAX];
  bool is_start[WORLD_ROBOTS_MAX];  // only its start at tick 0
} fixture_t;

static fw_offset_t coordinates(const fixture_t * f, fw_cell_t cell)
{
  return (fw_offset_t){fw_grid_x(&f->world.grid, cell), fw_grid_y(&f->world.grid, cell)};
}

static void begin(fixture_t * f, fw_rng_t * rng)
{
  static const fw_offset_t single[] = {{0, 0}};
  fw_grid_t grid = world_grid(rng, 3 + fw__rng_below(rng, 4), 3 + fw__rng_below(rng, 3), 12, false);
  const int32_t features = fw__rng_below(rng, 2) == 0 ? WORLD_MOTION : WORLD_ALL;
  world_settle(&f->world, grid, rng, features & ~WORLD_COSTS, 5);
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  // As behind the door: footprint and speed are never 0.
  for (int32_t r = 0; r < f->world.problem.robot_count; ++r) {
    fw_robot_t * robot = &f->world.robots[r];
    robot->ticks_per_move = robot->ticks_per_move == 0 ? 1 : robot->ticks_per_move;
    robot->footprint = robot->footprint_count == 0 ? single : robot->footprint;
    robot->footprint_count = robot->footprint_count == 0 ? 1 : robot->footprint_count;
  }
  assert_true(fw__moves_init_cells(
    &f->places, &f->arena, &(fw_problem_t){.grid = &f->world.grid, .connectivity = f->world.problem.connectivity}));
  assert_true(fw__bodies_init(&f->bodies, &f->arena, &f->world.problem));
  assert_true(fw__reservations_init(&f->table, &f->arena, &f->places, &f->bodies));
  assert_true(fw__reservations_reset(&f->table));
  for (int32_t r = 0; r < f->world.problem.robot_count; ++r) {
    f->is_reserved[r] = f->is_start[r] = true;
    f->paths[r] = fw__path_of_start(&f->world.robots[r], &f->arena);
  }
}

static fw_path_t walk(fixture_t * f, int32_t robot, fw_rng_t * rng)
{
  const world_walk_t room = {f->cells[robot], f->headings[robot], 1 + fw__rng_below(rng, LENGTH_MAX)};
  return world_walk_body(&f->world.problem, robot, rng, room);
}

static void end(fixture_t * f)
{
  fw__arena_fini(&f->arena);
  world_fini(&f->world);
}

// Who has the cell at the tick, asked of every path.
static int32_t naive_owner(const fixture_t * f, fw_cell_t cell, fw_tick_t tick)
{
  for (int32_t r = 0; r < f->world.problem.robot_count; ++r) {
    if (
      f->is_reserved[r] && (!f->is_start[r] || tick == 0) &&
      naive_covers(&f->world.problem, f->paths, r, coordinates(f, cell), tick)) {
      return r;
    }
  }
  return -1;
}

static void assert_owners(const fixture_t * f)
{
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&f->world.grid); ++cell) {
    const int32_t node = f->places.node_of[cell];
    for (fw_tick_t tick = 0; node >= 0 && tick < TICKS; ++tick) {
      assert_int_equal(fw__reservations_owner(&f->table, node, tick), naive_owner(f, cell, tick));
    }
  }
}

// Would the robot's walk collide with what the others have? Uses the naive check with everybody who has a path.
static bool is_clear(fixture_t * f, int32_t robot, fw_path_t path)
{
  fw_robot_t robots[2];
  for (int32_t r = 0; r < f->world.problem.robot_count; ++r) {
    if (r == robot || !f->is_reserved[r]) {
      continue;
    }
    robots[0] = f->world.robots[robot];
    robots[1] = f->world.robots[r];
    fw_problem_t pair = f->world.problem;
    pair.robots = robots;
    pair.robot_count = 2;
    const fw_path_t paths[2] = {path, f->paths[r]};
    // A start that is only held at tick 0 counts for that tick and robust_ticks after it.
    for (fw_tick_t tick = 0; f->is_start[r] && tick <= pair.robust_ticks; ++tick) {
      fw_offset_t cells[ROTATED_MAX];
      const int32_t count = rotated_list(&robots[1], robots[1].heading, cells);
      for (int32_t i = 0; i < count; ++i) {
        const fw_offset_t own = coordinates(f, robots[1].start);
        const fw_offset_t at = {own.dx + cells[i].dx, own.dy + cells[i].dy};
        if (naive_covers(&pair, paths, 0, at, tick)) {
          return false;
        }
      }
    }
    if (!f->is_start[r] && naive_check(&pair, paths, FW_TICK_MAX - 1).is_broken) {
      return false;
    }
  }
  return true;
}

static void owners_are_those_of_a_naive_table(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(300); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round);
    begin(&f, &rng);
    assert_owners(&f);
    for (int32_t step = 0; step < 20 && f.world.problem.robot_count > 0; ++step) {
      const int32_t robot = fw__rng_below(&rng, f.world.problem.robot_count);
      fw__reservations_remove(&f.table, robot);
      f.is_reserved[robot] = f.is_start[robot] = false;
      const fw_path_t path = walk(&f, robot, &rng);
      f.paths[robot] = path;
      const bool is_free_at_start = is_clear(&f, robot, fw__path_of_start(&f.world.robots[robot], &f.arena));
      if (is_clear(&f, robot, path)) {
        assert_true(fw__reservations_add_path(&f.table, robot, path));
        f.is_reserved[robot] = true;
      } else if (is_free_at_start) {
        assert_true(fw__reservations_add_start(&f.table, robot));
        f.is_reserved[robot] = f.is_start[robot] = true;
        f.paths[robot] = fw__path_of_start(&f.world.robots[robot], &f.arena);
      }
      assert_owners(&f);
    }
    assert_true(fw__reservations_reset(&f.table));
    for (int32_t r = 0; r < f.world.problem.robot_count; ++r) {
      f.is_reserved[r] = f.is_start[r] = true;
      f.paths[r] = fw__path_of_start(&f.world.robots[r], &f.arena);
    }
    assert_owners(&f);
    end(&f);
  }
}

// Is every step of the walk allowed, and the stay at its end?
static bool table_allows(const fixture_t * f, int32_t robot, fw_path_t path)
{
  const fw_body_t * body = f->bodies.of[robot];
  const int32_t last = path.length - 1;
  const fw_timed_stand_t first = {.robot = robot, .pose = fw__path_pose(&path, 0)};
  const fw_timed_stand_t stand = {.robot = robot, .pose = fw__path_pose(&path, last), .from = last, .to = FW_TICK_MAX};
  bool is_allowed = fw__reservations_allow_stand(&f->table, &first);
  for (fw_tick_t tick = 0; is_allowed && tick < last;) {
    // The arrival whose motion departs at this tick, if there is one.
    fw_tick_t next = tick + 1;
    while (next < last && !fw__path_arrives(&path, next)) {
      ++next;
    }
    const bool departs = fw__path_arrives(&path, next) && next - fw__path_motion_ticks(&path, next, body) == tick;
    const fw_grid_pose_t from = fw__path_pose(&path, tick);
    const fw_grid_pose_t to = departs ? fw__path_pose(&path, next) : from;
    is_allowed = fw__reservations_allow(
      &f->table, &(fw_timed_motion_t){
                   .robot = robot,
                   .from = from.cell,
                   .to = to.cell,
                   .depart = tick,
                   .heading = from.heading,
                   .heading_to = to.heading});
    tick = departs ? next : tick + 1;
  }
  return is_allowed && fw__reservations_allow_stand(&f->table, &stand);
}

static void what_is_allowed_is_what_the_naive_check_finds_fine(void ** state)
{
  (void)state;
  int32_t answers[2] = {0, 0};
  for (int32_t round = 0; round < test_rounds(2500); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round);
    begin(&f, &rng);
    for (int32_t robot = 0; robot < f.world.problem.robot_count; ++robot) {
      fw__reservations_remove(&f.table, robot);
      f.is_reserved[robot] = f.is_start[robot] = false;
      const fw_path_t path = walk(&f, robot, &rng);
      f.paths[robot] = path;
      const bool is_allowed = table_allows(&f, robot, path);
      if (is_allowed != is_clear(&f, robot, path)) {
        fail_msg("round %d robot %d: the table says %d (%s)", round, robot, is_allowed, f.world.text);
      }
      ++answers[is_allowed];
      if (is_allowed) {
        assert_true(fw__reservations_add_path(&f.table, robot, path));
        f.is_reserved[robot] = true;
      }
    }
    end(&f);
  }
  assert_true(answers[0] > answers[1] / 10 && answers[1] > answers[0] / 10);
}

// abc
// def    What is swept beyond footprints is no part of a swap; as in test_check_motion.c.
static void swaps_are_of_footprints(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  static const fw_offset_t single[] = {{0, 0}};
  const fw_robot_t plain = {.ticks_per_move = 1, .footprint = single, .footprint_count = 1};
  fw_robot_t robots[2] = {plain, plain};
  robots[0].sweeps_sides = true;
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8};
  const fw_cell_t walk_cells[] = {0, 4, 5};
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  fw_moves_t places;
  fw_bodies_t bodies;
  fw_reservations_t table;
  assert_true(fw__moves_init_cells(&places, &arena, &(fw_problem_t){.grid = &grid, .connectivity = 8}));
  assert_true(fw__bodies_init(&bodies, &arena, &problem));
  assert_true(fw__reservations_init(&table, &arena, &places, &bodies));
  assert_true(fw__reservations_add_path(&table, 0, (fw_path_t){.cells = walk_cells, .length = 3}));
  assert_int_equal(fw__reservations_owner(&table, places.node_of[1], 1), 0);  // b is swept
  assert_true(fw__reservations_allow(&table, &(fw_timed_motion_t){.robot = 1, .from = 5, .to = 1, .depart = 1}));
  assert_false(fw__reservations_allow(&table, &(fw_timed_motion_t){.robot = 1, .from = 5, .to = 4, .depart = 1}));
  assert_true(fw__reservations_allow(&table, &(fw_timed_motion_t){.robot = 1, .from = 1, .to = 0, .depart = 0}));
  assert_false(fw__reservations_allow(&table, &(fw_timed_motion_t){.robot = 1, .from = 1, .to = 1, .depart = 0}));
  fw__arena_fini(&arena);
}

// Whatever was booked and removed in whatever order, nothing is left, and the table is valid at all times.
static void taking_back_leaves_nothing(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(500); ++round) {
    static fixture_t f;
    fw_rng_t rng = fw__rng((uint64_t)round + 100000);
    begin(&f, &rng);
    for (int32_t step = 0; step < 12 && f.world.problem.robot_count > 0; ++step) {
      const int32_t robot = fw__rng_below(&rng, f.world.problem.robot_count);
      fw__reservations_remove(&f.table, robot);
      f.is_reserved[robot] = f.is_start[robot] = false;
      f.paths[robot] = walk(&f, robot, &rng);
      if (is_clear(&f, robot, f.paths[robot])) {
        const fw_tick_t until = fw__rng_below(&rng, 2) == 0 ? FW_TICK_MAX : f.paths[robot].length + 3;
        const fw_booking_t booking = {.path = f.paths[robot], .until = until};
        assert_true(fw__reservations_book(&f.table, robot, booking));
        assert_int_equal(fw__reservations_first_conflict(&f.table, robot, &booking), -1);
        f.is_reserved[robot] = true;
      }
      assert_true(fw__reservations_validate(&f.table));
    }
    for (int32_t r = 0; r < f.world.problem.robot_count; ++r) {
      fw__reservations_remove(&f.table, r);
    }
    for (int32_t node = 0; node < f.places.node_count; ++node) {
      assert_int_equal(f.table.rows[node].count, 0);
    }
    end(&f);
  }
}

// One place with robot 0 on ticks 2..4, robot 1 on 5..5 and again on 9..9, and a closure; then one thing is spoiled.
static void a_corrupted_table_is_found(void ** state)
{
  (void)state;
  uint8_t costs[] = {1, 1, 1};
  const fw_grid_t grid = {.width = 3, .height = 1, .cost = costs};
  fw_robot_t robots[] = {{.start = 0, .goal = 0}, {.start = 2, .goal = 2}};
  fw_closure_t closures[] = {{.cell = 1, .from = 20, .to = 22}};
  const fw_problem_t given = {
    .grid = &grid,
    .robots = robots,
    .robot_count = 2,
    .connectivity = 4,
    .closures = closures,
    .closure_count = 1,
  };
  enum {
    SPOILED_NOT,
    SPOILED_ORDER,
    SPOILED_OVERLAP,
    SPOILED_MERGE,
    SPOILED_OWNER,
    SPOILED_EMPTY,
    SPOILED_COUNT,
    SPOILED_LAST_TICK,
    SPOILED_CLOSURE,
    SPOILED_KINDS
  };
  for (int32_t kind = 0; kind < SPOILED_KINDS; ++kind) {
    fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
    fw_arena_t arena;
    fw_moves_t places;
    fw_bodies_t bodies;
    fw_reservations_t table;
    fw__arena_init(&arena, &memory);
    const fw_problem_t problem = fw__problem_normalise(&given, &arena);
    assert_true(fw__moves_init_cells(&places, &arena, &(fw_problem_t){.grid = &grid, .connectivity = 4}));
    assert_true(fw__bodies_init(&bodies, &arena, &problem));
    assert_true(fw__reservations_init(&table, &arena, &places, &bodies));
    const fw_cell_t one[] = {0, 0, 1, 1, 1, 0};
    const fw_cell_t two[] = {2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 2};
    assert_true(fw__reservations_add_path(&table, 0, (fw_path_t){.cells = one, .length = 6}));
    assert_true(fw__reservations_add_path(&table, 1, (fw_path_t){.cells = two, .length = 11}));
    fw_timeline_t * row = &table.rows[places.node_of[1]];
    assert_int_equal(row->count, 4);
    const fw_reserved_interval_t first = row->intervals[0];
    switch (kind) {
      case SPOILED_ORDER:
        row->intervals[0] = row->intervals[1];
        row->intervals[1] = first;
        break;
      case SPOILED_OVERLAP:
        row->intervals[0].to = 5;
        break;
      case SPOILED_MERGE:
        row->intervals[2].from = 6;
        break;
      case SPOILED_OWNER:
        row->intervals[1].robot = 3;
        break;
      case SPOILED_EMPTY:
        row->intervals[0].to = 1;
        break;
      case SPOILED_COUNT:
        row->count = row->capacity + 1;
        break;
      case SPOILED_LAST_TICK:
        table.last_tick = 21;
        break;
      case SPOILED_CLOSURE:
        --row->count;
        break;
      default:
        break;
    }
    assert_int_equal(fw__reservations_validate(&table), kind == SPOILED_NOT);
    fw__arena_fini(&arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(owners_are_those_of_a_naive_table),
    cmocka_unit_test(what_is_allowed_is_what_the_naive_check_finds_fine),
    cmocka_unit_test(swaps_are_of_footprints),
    cmocka_unit_test(taking_back_leaves_nothing),
    cmocka_unit_test(a_corrupted_table_is_found),
  };
  return TEST_RUN(tests);
}
