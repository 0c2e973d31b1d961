// The collision detector: it lists exactly what the rules forbid.

#include "planner/bcp/collision_detector.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"
#include "world/problem.h"

typedef struct bench_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_problem_t problem;
  fw_bodies_t bodies;
  fw_collision_detector_t detector;
} bench_t;

static void begin(bench_t * bench, const fw_problem_t * problem)
{
  *bench = (bench_t){.memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX}};
  fw__arena_init(&bench->arena, &bench->memory);
  bench->problem = fw__problem_normalise(problem, &bench->arena);
  assert_true(fw__bodies_init(&bench->bodies, &bench->arena, &bench->problem));
  fw__collision_detector_init(&bench->detector, &bench->arena, &bench->bodies);
}

static void look(bench_t * bench, const fw_path_t * paths, fw_tick_t end)
{
  assert_true(fw__collision_detector_begin(&bench->detector, end));
  for (int32_t r = 0; r < bench->problem.robot_count; ++r) {
    fw__collision_detector_set(&bench->detector, r, &paths[r]);
  }
  fw__collision_detector_sort(&bench->detector);
  assert_false(fw__arena_has_failed(&bench->arena));
  assert_true(fw__collision_detector_validate(&bench->detector));
}

static int32_t count_robots(const bench_t * bench, const fw_collision_t * collision)
{
  int32_t count = 0;
  for (int32_t i = collision->first; i >= 0; i = bench->detector.entries[i].next) {
    ++count;
  }
  return count;
}

typedef struct drawn_t {
  const char * what;
  fw_cell_t cells[2][4];  // on a floor of 4 x 4
  int32_t lengths[2];
  int32_t robust_ticks;
  fw_tick_t tick;  // of the first collision, -1 for none
} drawn_t;

static const drawn_t drawn[] = {
  {"both to one cell", {{0, 1, 2}, {8, 5, 2}}, {3, 3}, 0, 2},
  {"one after the other", {{0, 1, 2, 3}, {8, 5, 5, 2}}, {4, 4}, 0, -1},
  {"one too soon after the other", {{0, 1, 2, 3}, {8, 5, 5, 2}}, {4, 4}, 1, 3},
  {"close behind", {{1, 2, 3}, {0, 1, 2}}, {3, 3}, 0, -1},
  {"too close behind", {{1, 2, 3}, {0, 1, 2}}, {3, 3}, 1, 1},
  {"a swap", {{0, 1}, {1, 0}}, {2, 2}, 0, 1},
  {"a swap that robust ticks forbid too", {{0, 1}, {1, 0}}, {2, 2}, 1, 1},
  {"diagonals that cross", {{0, 5}, {1, 4}}, {2, 2}, 0, 1},
  {"diagonals beside each other", {{0, 5}, {1, 6}}, {2, 2}, 0, -1},
  {"over one that has arrived", {{1, 1, 1}, {0, 0, 1}}, {1, 3}, 0, 2},
};

static void drawn_collisions(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....", "....", "....");
  for (int32_t i = 0; i < TEST_COUNT(drawn); ++i) {
    const drawn_t * c = &drawn[i];
    const fw_path_t paths[2] = {
      {.cells = c->cells[0], .length = c->lengths[0]}, {.cells = c->cells[1], .length = c->lengths[1]}};
    const fw_robot_t robots[2] = {
      {.start = c->cells[0][0], .goal = c->cells[0][c->lengths[0] - 1]},
      {.start = c->cells[1][0], .goal = c->cells[1][c->lengths[1] - 1]}};
    bench_t bench;
    begin(
      &bench, &(fw_problem_t){
                .grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8, .robust_ticks = c->robust_ticks});
    look(&bench, paths, 5);
    const fw_collision_detector_t * detector = &bench.detector;
    const fw_tick_t tick = detector->collision_count > 0 ? detector->collisions[0].tick : -1;
    if (tick != c->tick) {
      fail_msg("%s: the first collision is at %d, not at %d", c->what, tick, c->tick);
    }
    fw__arena_fini(&bench.arena);
  }
}

// A collision has all of its robots, and says which of them have left before.
static void a_collision_knows_its_robots(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_cell_t cells[3][2] = {{1, 4}, {3, 4}, {7, 4}};
  const fw_robot_t robots[3] = {{.start = 1, .goal = 0}, {.start = 3, .goal = 2}, {.start = 7, .goal = 5}};
  fw_path_t paths[3];
  for (int32_t r = 0; r < 3; ++r) {
    paths[r] = (fw_path_t){.cells = cells[r], .length = 2};
  }
  bench_t bench;
  begin(&bench, &(fw_problem_t){.grid = &grid, .robots = robots, .robot_count = 3});
  look(&bench, paths, 1);
  assert_int_equal(bench.detector.collision_count, 1);
  assert_int_equal(count_robots(&bench, &bench.detector.collisions[0]), 3);
  fw__arena_fini(&bench.arena);

  const fw_cell_t row[2][3] = {{1, 2, 5}, {0, 1, 1}};
  const fw_path_t behind[2] = {{.cells = row[0], .length = 3}, {.cells = row[1], .length = 3}};
  const fw_robot_t pair[2] = {{.start = 1, .goal = 5}, {.start = 0, .goal = 1}};
  begin(&bench, &(fw_problem_t){.grid = &grid, .robots = pair, .robot_count = 2, .robust_ticks = 1});
  look(&bench, behind, 3);
  assert_int_equal(bench.detector.collision_count, 1);
  for (int32_t i = bench.detector.collisions[0].first; i >= 0; i = bench.detector.entries[i].next) {
    assert_int_equal(bench.detector.entries[i].is_trailing, bench.detector.entries[i].robot == 0);
    assert_int_equal(bench.detector.entries[i].at, 1);
  }
  fw__arena_fini(&bench.arena);
}

// Random walks of robots of all kinds: the first collision is at the tick at which the independent check finds one.
static void the_first_collision_is_that_of_the_check(void ** state)
{
  (void)state;
  enum { TICKS = 24 };
  int32_t collisions = 0, none = 0;
  for (int32_t number = 0; number < test_rounds(600); ++number) {
    world_t world;
    static const int32_t features[] = {WORLD_DIAGONALS, WORLD_ALL, WORLD_MOTION | WORLD_UNDER_WAY};
    world_make(&world, (uint64_t)(8000 + number), features[number % 3], 5);
    fw_rng_t rng = fw__rng((uint64_t)number);
    static fw_cell_t cells[WORLD_ROBOTS_MAX][TICKS];
    static uint8_t headings[WORLD_ROBOTS_MAX][TICKS];
    fw_path_t paths[WORLD_ROBOTS_MAX];
    for (int32_t r = 0; r < world.problem.robot_count; ++r) {
      const world_walk_t room = {.cells = cells[r], .headings = headings[r], .capacity = 4 + fw__rng_below(&rng, 20)};
      paths[r] = world_walk_body(&world.problem, r, &rng, room);
    }
    fw_conflict_t conflict;
    assert_int_equal(
      fw_check_paths(&world.problem, paths, world.problem.robot_count, TICKS, NULL, &conflict, NULL), FW_RET_OK);
    bench_t bench;
    begin(&bench, &world.problem);
    look(&bench, paths, TICKS);
    const bool is_free = bench.detector.collision_count == 0;
    const fw_tick_t tick = is_free ? -1 : bench.detector.collisions[0].tick;
    if (tick != (conflict.kind == FW_CONFLICT_NONE ? -1 : conflict.tick)) {
      char text[160];
      fw_conflict_describe(&world.problem, &conflict, text, sizeof(text));
      fail_msg("%s: %s, but the detector says tick %d", world.text, text, tick);
    }
    collisions += is_free ? 0 : 1;
    none += is_free ? 1 : 0;
    fw__arena_fini(&bench.arena);
    world_fini(&world);
  }
  assert_true(collisions > 50 && none > 50);
}

// Paths that take the place of others, one or two at a time, some of them longer than all before: what collides is what
// a new detector finds.
static void paths_that_change_leave_nothing_behind(void ** state)
{
  (void)state;
  enum { TICKS = 40, CHANGES = 30 };
  int32_t kept = 0, emptied = 0, collisions = 0;
  for (int32_t number = 0; number < test_rounds(30); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(9000 + number), number % 2 == 0 ? WORLD_ALL : WORLD_MOTION, 8);
    fw_rng_t rng = fw__rng((uint64_t)number);
    static fw_cell_t cells[WORLD_ROBOTS_MAX][TICKS];
    static uint8_t headings[WORLD_ROBOTS_MAX][TICKS];
    fw_path_t paths[WORLD_ROBOTS_MAX];
    const int32_t robots = world.problem.robot_count;
    bench_t bench;
    begin(&bench, &world.problem);
    for (int32_t change = -1; change < CHANGES; ++change) {
      bool is_new[WORLD_ROBOTS_MAX];
      fw_tick_t end = 0;
      for (int32_t r = 0; r < robots; ++r) {
        is_new[r] = change < 0 || fw__rng_below(&rng, robots) < 2;
        if (is_new[r]) {
          const world_walk_t room = {
            .cells = cells[r], .headings = headings[r], .capacity = 4 + fw__rng_below(&rng, TICKS - 4)};
          paths[r] = world_walk_body(&world.problem, r, &rng, room);
        }
        end = paths[r].length > end ? paths[r].length : end;
      }
      const bool is_empty = fw__collision_detector_begin(&bench.detector, end);
      emptied += is_empty;
      kept += !is_empty;
      for (int32_t r = 0; r < robots; ++r) {
        if (is_empty || is_new[r]) {
          fw__collision_detector_set(&bench.detector, r, &paths[r]);
        }
      }
      fw__collision_detector_sort(&bench.detector);
      assert_true(fw__collision_detector_validate(&bench.detector));
      bench_t fresh;
      begin(&fresh, &world.problem);
      look(&fresh, paths, end);
      assert_int_equal(bench.detector.collision_count, fresh.detector.collision_count);
      for (int32_t i = 0; i < fresh.detector.collision_count; ++i) {
        const fw_collision_t * one = &bench.detector.collisions[i];
        const fw_collision_t * other = &fresh.detector.collisions[i];
        assert_true(one->location == other->location && one->tick == other->tick);
        assert_int_equal(count_robots(&bench, one), count_robots(&fresh, other));
      }
      collisions += fresh.detector.collision_count;
      fw__arena_fini(&fresh.arena);
    }
    fw__arena_fini(&bench.arena);
    world_fini(&world);
  }
  assert_true(kept > emptied && emptied > 0 && collisions > 1000);
}

// A detector whose counts or lists do not agree is not valid.
static void a_corrupted_detector_is_found(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  static const fw_cell_t cells[2][2] = {{0, 1}, {2, 1}};
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 2, .goal = 5}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 4};
  const fw_path_t paths[] = {{.cells = cells[0], .length = 2}, {.cells = cells[1], .length = 2}};
  bench_t bench;
  begin(&bench, &problem);
  look(&bench, paths, 2);
  fw_collision_detector_t * detector = &bench.detector;
  assert_true(detector->collision_count > 0);
  ++detector->live;
  assert_false(fw__collision_detector_validate(detector));
  --detector->live;
  ++detector->points[detector->colliding[0]].count;
  assert_false(fw__collision_detector_validate(detector));
  --detector->points[detector->colliding[0]].count;
  assert_true(fw__collision_detector_validate(detector));
  fw__arena_fini(&bench.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_corrupted_detector_is_found),
    cmocka_unit_test(drawn_collisions),
    cmocka_unit_test(a_collision_knows_its_robots),
    cmocka_unit_test(the_first_collision_is_that_of_the_check),
    cmocka_unit_test(paths_that_change_leave_nothing_behind),
  };
  return TEST_RUN(tests);
}
