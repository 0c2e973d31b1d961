// Reverse resumable A* against plain distances, whatever is asked in whatever order.

#include "search/distance/distance.h"

#include "support/dijkstra.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"
#include "world/problem.h"

static const fw_offset_t single[] = {{0, 0}};
static const fw_offset_t corner[] = {{0, -1}, {0, 0}, {1, 0}};

enum { CELLS_MAX = 45 * 45 };

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_body_t body;
  fw_moves_t moves;
  fw_meter_t meter;
} fixture_t;

static void begin(fixture_t * f, const dijkstra_t * world)
{
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  fw__meter_start(&f->meter, NULL);
  const fw_robot_t robot = {
    .ticks_per_move = 1, .footprint = world->footprint, .footprint_count = world->footprint_count};
  assert_true(fw__body_init(&f->body, &f->arena, &robot, world->connectivity));
  assert_true(fw__moves_init_body(&f->moves, &f->arena, world->grid, &f->body));
}

static void ask_in_random_order(const dijkstra_t * world, fw_rng_t * rng)
{
  static int32_t truth[CELLS_MAX];
  fixture_t f;
  begin(&f, world);
  for (int32_t goals = 0; goals < 2 && f.moves.node_count > 0; ++goals) {
    const int32_t goal = fw__rng_below(rng, f.moves.node_count);
    const fw_cell_t aim = fw__rng_below(rng, fw_grid_cell_count(world->grid));
    dijkstra_to(world, f.moves.cell_of[goal], truth);
    fw_distance_t distance;
    assert_true(fw__distance_init(
      &distance, &f.arena,
      &(fw_distance_def_t){.moves = &f.moves, .goal_node = goal, .aim = aim, .is_weighted = world->is_weighted}));
    const int64_t before = f.meter.expanded;
    for (int32_t i = 0; i < 2 * f.moves.node_count; ++i) {
      const int32_t node = fw__rng_below(rng, f.moves.node_count);
      const int32_t expected = truth[f.moves.cell_of[node]];
      assert_int_equal(fw__distance_get(&distance, node, &f.meter), expected < 0 ? FW_DISTANCE_NONE : expected);
    }
    // Each place is expanded once at most, and every expansion is on the meter.
    assert_in_range(distance.expanded, 1, f.moves.node_count);
    assert_int_equal(f.meter.expanded - before, distance.expanded);
  }
  fw__arena_fini(&f.arena);
}

static void agrees_with_plain_distances(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(240); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const bool is_large = round % 23 == 0;
    const int32_t width = is_large ? 45 : 1 + fw__rng_below(&rng, 12);
    const int32_t height = is_large ? 45 : 1 + fw__rng_below(&rng, 12);
    fw_grid_t grid = world_grid(&rng, width, height, fw__rng_below(&rng, 45), round % 3 != 0);
    const dijkstra_t world = {
      .grid = &grid,
      .connectivity = round % 2 == 0 ? 4 : 8,
      .is_weighted = round % 3 == 1,
      .footprint = round % 5 == 0 ? corner : single,
      .footprint_count = round % 5 == 0 ? 3 : 1,
    };
    ask_in_random_order(&world, &rng);
    fw_grid_fini(&grid);
  }
}

// A place whose distance is known, and a neighbour of it: as the searches in space and time ask.
static void beside_known_places_agrees_too(void ** state)
{
  (void)state;
  static int32_t truth[CELLS_MAX];
  int64_t asked = 0, open = 0;
  for (int32_t round = 0; round < test_rounds(240); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const int32_t side = 2 + fw__rng_below(&rng, 24);
    fw_grid_t grid = world_grid(&rng, side, side, fw__rng_below(&rng, 40), round % 7 != 0);
    const dijkstra_t world = {
      .grid = &grid,
      .connectivity = round % 2 == 0 ? 4 : 8,
      .is_weighted = round % 7 == 0,
      .footprint = round % 5 == 0 ? corner : single,
      .footprint_count = round % 5 == 0 ? 3 : 1,
    };
    fixture_t f;
    begin(&f, &world);
    fw_distance_t distance;
    const int32_t goal = f.moves.node_count > 0 ? fw__rng_below(&rng, f.moves.node_count) : -1;
    int32_t node = goal;
    if (goal >= 0) {
      const fw_distance_def_t def = {
        .moves = &f.moves,
        .goal_node = goal,
        .aim = f.moves.cell_of[fw__rng_below(&rng, f.moves.node_count)],
        .is_weighted = world.is_weighted,
        .is_for_sipp = round % 3 != 0,
      };
      dijkstra_to(&world, f.moves.cell_of[goal], truth);
      assert_true(fw__distance_init(&distance, &f.arena, &def));
      const int32_t other = f.moves.node_of[def.aim];
      node = fw__distance_get(&distance, other, &f.meter) == FW_DISTANCE_NONE ? goal : other;
    }
    for (int32_t step = 0; step < 300 && node >= 0; ++step) {
      const int32_t * next = fw__moves_successors(&f.moves, node);
      const int32_t near = truth[f.moves.cell_of[node]];
      for (int32_t d = 0; d < f.moves.degree; ++d) {
        if (next[d] >= 0) {
          const int32_t expected = truth[f.moves.cell_of[next[d]]];
          assert_int_equal(fw__distance_get_beside(&distance, next[d], near, &f.meter), expected);
          open += fw__distance_is_known(&distance, next[d]) ? 0 : 1;
          ++asked;
        }
      }
      const int32_t to = next[fw__rng_below(&rng, f.moves.degree)];
      node = to >= 0 ? to : node;
    }
    if (goal >= 0) {
      assert_int_equal(f.meter.expanded, distance.expanded);
    }
    fw__arena_fini(&f.arena);
    fw_grid_fini(&grid);
  }
  assert_true(open > asked / 20);  // many are told without closing them
}

// On open floor every place between start and goal is on a shortest path. A robot that follows the path that SIPP finds
// asks for all places beside it, and the search must not expand the whole rectangle for that.
static void along_the_path_of_sipp_it_expands_little(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_init(&grid, 60, 60, NULL, NULL), FW_RET_OK);
  memset(grid.cost, 1, 3600);
  const dijkstra_t world = {.grid = &grid, .connectivity = 4, .footprint = single, .footprint_count = 1};
  for (int32_t quarter = 0; quarter < 4; ++quarter) {
    fixture_t f;
    begin(&f, &world);
    const fw_cell_t start = fw_grid_cell(&grid, quarter % 2 == 0 ? 10 : 50, quarter / 2 == 0 ? 10 : 50);
    const fw_cell_t goal = fw_grid_cell(&grid, quarter % 2 == 0 ? 50 : 10, quarter / 2 == 0 ? 50 : 10);
    fw_distance_t distance;
    assert_true(fw__distance_init(
      &distance, &f.arena,
      &(fw_distance_def_t){.moves = &f.moves, .goal_node = f.moves.node_of[goal], .aim = start, .is_for_sipp = true}));
    int32_t node = f.moves.node_of[start];
    int32_t near = fw__distance_get(&distance, node, &f.meter);
    assert_int_equal(near, 80);
    for (; near > 0; --near) {
      const int32_t * next = fw__moves_successors(&f.moves, node);
      int32_t down = -1;
      for (int32_t d = 0; d < 4; ++d) {
        down = next[d] >= 0 && fw__distance_get_beside(&distance, next[d], near, &f.meter) < near ? next[d] : down;
      }
      assert_true(down >= 0);
      node = down;
    }
    assert_in_range(distance.expanded, 81, 160);  // of 1,681; in the other order it is all of them for two quarters
    fw__arena_fini(&f.arena);
  }
  fw_grid_fini(&grid);
}

static void towards_the_aim_it_expands_little(void ** state)
{
  (void)state;
  DRAW(
    grid, "................................", "................................", "................................",
    "................................", "................................", "................................");
  const dijkstra_t world = {.grid = &grid, .connectivity = 4, .footprint = single, .footprint_count = 1};
  fixture_t f;
  begin(&f, &world);
  const fw_cell_t start = fw_grid_cell(&grid, 31, 3);
  const int32_t goal = f.moves.node_of[fw_grid_cell(&grid, 0, 3)];
  fw_distance_t distance;
  assert_true(
    fw__distance_init(&distance, &f.arena, &(fw_distance_def_t){.moves = &f.moves, .goal_node = goal, .aim = start}));
  assert_int_equal(fw__distance_get(&distance, f.moves.node_of[start], &f.meter), 31);
  assert_int_equal(distance.expanded, 32);  // ties last in, first out: straight ahead
  fw__arena_fini(&f.arena);
}

// With headings: from every pose the ticks to the goal, whatever the heading there, as a search forwards has them.
static void with_headings_distances_are_ticks(void ** state)
{
  (void)state;
  int32_t ways = 0, none = 0;
  for (int32_t round = 0; round < test_rounds(400); ++round) {
    world_t world;
    world_make(&world, (uint64_t)round, WORLD_DIAGONALS | WORLD_SPEEDS | WORLD_SHAPES | WORLD_HEADINGS, 1);
    fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
    fw_arena_t arena;
    fw__arena_init(&arena, &memory);
    if (world.problem.robot_count == 1 && world.robots[0].turn_ticks > 0) {
      fw_robot_t * robot = &world.robots[0];
      fw_meter_t meter;
      fw__meter_start(&meter, NULL);
      const fw_problem_t normal = fw__problem_normalise(&world.problem, &arena);
      fw_bodies_t bodies;
      fw_moves_t moves;
      fw_distance_t distance;
      assert_true(fw__bodies_init(&bodies, &arena, &normal));
      assert_true(fw__moves_init_body(&moves, &arena, &world.grid, bodies.of[0]));
      const int32_t goal = fw__moves_any_node(&moves, robot->goal);
      assert_true(fw__distance_init(
        &distance, &arena, &(fw_distance_def_t){.moves = &moves, .goal_node = goal, .aim = robot->start}));
      fw_rng_t rng = fw__rng((uint64_t)round);
      for (int32_t i = 0; i < 12; ++i) {  // other starts, in any order
        const int32_t node = fw__rng_below(&rng, moves.node_count);
        robot->start = moves.cell_of[node];
        robot->heading = moves.heading_of[node];
        const int32_t expected = dijkstra_ticks(&world.problem, 0);
        assert_int_equal(fw__distance_get(&distance, node, &meter), expected < 0 ? FW_DISTANCE_NONE : expected);
        *(expected < 0 ? &none : &ways) += 1;
      }
    }
    fw__arena_fini(&arena);
    world_fini(&world);
  }
  assert_true(ways > 100 && none > 100);
}

static void a_meter_that_stops_is_no_answer_and_the_next_resumes(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_init(&grid, 60, 60, NULL, NULL), FW_RET_OK);
  memset(grid.cost, 1, 3600);
  const dijkstra_t world = {.grid = &grid, .connectivity = 4, .footprint = single, .footprint_count = 1};
  fixture_t f;
  begin(&f, &world);
  const int32_t far = f.moves.node_of[3599];
  fw_distance_t distance;
  assert_true(fw__distance_init(
    &distance, &f.arena, &(fw_distance_def_t){.moves = &f.moves, .goal_node = f.moves.node_of[0], .aim = 0}));
  fw_meter_t tight;
  fw__meter_start(&tight, &(fw_budget_t){.expansions_max = 300});
  assert_int_equal(fw__distance_get(&distance, far, &tight), FW_DISTANCE_NONE);
  assert_int_equal(tight.stop, FW_STOP_EXPANSIONS);
  assert_int_equal(fw__distance_get(&distance, far, &f.meter), 118);
  fw__arena_fini(&f.arena);
  fw_grid_fini(&grid);
}

static void priming_gives_the_same_for_any_threads(void ** state)
{
  (void)state;
  enum { FIELDS = 150 };
  fw_rng_t rng = fw__rng(3);
  fw_grid_t grid = world_grid(&rng, 40, 40, 20, false);
  const dijkstra_t world = {.grid = &grid, .connectivity = 8, .footprint = single, .footprint_count = 1};
  int64_t expanded[3];
  for (int32_t run = 0; run < 3; ++run) {
    fixture_t f;
    begin(&f, &world);
    fw_rng_t pick = fw__rng(4);
    static fw_distance_t fields[FIELDS];
    fw_distance_t * list[FIELDS];
    int32_t nodes[FIELDS];
    for (int32_t i = 0; i < FIELDS; ++i) {
      nodes[i] = fw__rng_below(&pick, f.moves.node_count);
      const int32_t goal = fw__rng_below(&pick, f.moves.node_count);
      assert_true(fw__distance_init(
        &fields[i], &f.arena,
        &(fw_distance_def_t){.moves = &f.moves, .goal_node = goal, .aim = f.moves.cell_of[nodes[i]]}));
      list[i] = &fields[i];
    }
    const fw_distance_targets_t targets = {.distances = list, .nodes = nodes, .count = FIELDS};
    assert_true(fw__distance_precompute(&targets, 1 + run * 2, &f.meter));
    expanded[run] = f.meter.expanded;
    assert_int_equal(expanded[run], expanded[0]);
    fw__arena_fini(&f.arena);
  }
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees_with_plain_distances),
    cmocka_unit_test(beside_known_places_agrees_too),
    cmocka_unit_test(along_the_path_of_sipp_it_expands_little),
    cmocka_unit_test(towards_the_aim_it_expands_little),
    cmocka_unit_test(with_headings_distances_are_ticks),
    cmocka_unit_test(a_meter_that_stops_is_no_answer_and_the_next_resumes),
    cmocka_unit_test(priming_gives_the_same_for_any_threads),
  };
  return TEST_RUN(tests);
}
