// Distances over clusters: never too small, not much too large, and downhill from everywhere to the goal.

#include "fleetweave/files.h"
#include "search/distance/coarse.h"
#include "search/distance/distance.h"
#include "support/dijkstra.h"
#include "support/test.h"
#include "support/world.h"

enum { CELLS_MAX = 60 * 60 };

static const fw_offset_t single[] = {{0, 0}};
static const fw_offset_t corner[] = {{0, -1}, {0, 0}, {1, 0}};

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_body_t body;
  fw_moves_t moves;
  fw_coarse_t coarse;
} fixture_t;

static void begin(fixture_t * f, const dijkstra_t * world, int32_t cluster)
{
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  const fw_robot_t robot = {
    .ticks_per_move = 1, .footprint = world->footprint, .footprint_count = world->footprint_count};
  assert_true(fw__body_init(&f->body, &f->arena, &robot, world->connectivity));
  assert_true(fw__moves_init_body(&f->moves, &f->arena, world->grid, &f->body));
  assert_int_equal(fw__coarse_init(&f->coarse, &f->arena, &f->moves, cluster), FW_RET_OK);
}

// Some move leads to a cell that is nearer by at least one.
static bool has_downhill(fixture_t * f, fw_coarse_goal_t * goal, int32_t node, int32_t distance)
{
  bool is_found = false;
  const int32_t * next = fw__moves_successors(&f->moves, node);
  for (int32_t d = 0; d < f->moves.degree && !is_found; ++d) {
    is_found = next[d] >= 0 && fw__coarse_get(goal, f->moves.cell_of[next[d]]) <= distance - 1;
  }
  return is_found;
}

static void coarse_distances_lead_to_the_goal(void ** state)
{
  (void)state;
  static int32_t truth[CELLS_MAX];
  int64_t sums[2] = {0, 0};
  for (int32_t round = 0; round < test_rounds(60); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(
      &rng, 5 + fw__rng_below(&rng, 55), 5 + fw__rng_below(&rng, 55), fw__rng_below(&rng, 40), round % 5 == 0);
    const dijkstra_t world = {
      .grid = &grid,
      .connectivity = round % 2 == 0 ? 4 : 8,
      .footprint = round % 3 == 0 ? corner : single,
      .footprint_count = round % 3 == 0 ? 3 : 1,
    };
    fixture_t f;
    begin(&f, &world, 4 + 4 * (round % 4));
    if (f.moves.node_count > 0) {
      const fw_cell_t goal_cell = f.moves.cell_of[fw__rng_below(&rng, f.moves.node_count)];
      const fw_cell_t aim = f.moves.cell_of[fw__rng_below(&rng, f.moves.node_count)];
      dijkstra_to(&world, goal_cell, truth);
      fw_coarse_goal_t goal = {0};
      assert_true(fw__coarse_aim(&goal, &f.arena, &f.coarse, (fw_coarse_aim_t){goal_cell, aim}));
      for (int32_t i = 0; i < 60; ++i) {
        const int32_t node = fw__rng_below(&rng, f.moves.node_count);
        const fw_cell_t cell = f.moves.cell_of[node];
        const int32_t found = fw__coarse_get(&goal, cell);
        assert_int_equal(found == INT32_MAX, truth[cell] < 0);
        if (truth[cell] >= 0) {
          assert_true(found >= truth[cell]);
          assert_true(cell == goal_cell ? found == 0 : has_downhill(&f, &goal, node, found));
          sums[0] += truth[cell];
          sums[1] += found;
        }
      }
    }
    fw__arena_fini(&f.arena);
    fw_grid_fini(&grid);
  }
  assert_true(100 * sums[1] < 115 * sums[0]);  // with clusters of 4 to 16 cells
}

// A distance field that uses clusters has the same distances as the clusters, for one goal and for the next.
static void a_coarse_field_answers_as_the_clusters_do(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(20); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(&rng, 40, 30, 30, false);
    const dijkstra_t world = {.grid = &grid, .connectivity = 4, .footprint = single, .footprint_count = 1};
    fixture_t f;
    begin(&f, &world, 8);
    fw_meter_t meter;
    fw__meter_start(&meter, NULL);
    fw_distance_t distance;
    const int32_t aim = fw__rng_below(&rng, f.moves.node_count);
    int32_t goal_node = fw__rng_below(&rng, f.moves.node_count);
    assert_true(fw__distance_init(
      &distance, &f.arena,
      &(fw_distance_def_t){.moves = &f.moves, .goal_node = goal_node, .aim = f.moves.cell_of[aim]}));
    assert_true(fw__distance_use_coarse(&distance, &f.coarse, goal_node));
    for (int32_t pass = 0; pass < 3; ++pass) {
      fw_coarse_goal_t goal = {0};
      const fw_coarse_aim_t ends = {.goal = f.moves.cell_of[goal_node], .aim = f.moves.cell_of[aim]};
      assert_true(fw__coarse_aim(&goal, &f.arena, &f.coarse, ends));
      for (int32_t i = 0; i < 40; ++i) {
        const int32_t node = fw__rng_below(&rng, f.moves.node_count);
        const int32_t expected = fw__coarse_get(&goal, f.moves.cell_of[node]);
        assert_int_equal(fw__distance_get(&distance, node, &meter), expected);
        assert_int_equal(fw__distance_is_known(&distance, node), expected != FW_DISTANCE_NONE);
      }
      goal_node = fw__rng_below(&rng, f.moves.node_count);
      assert_true(fw__distance_restart(&distance, goal_node, f.moves.cell_of[aim]));
    }
    fw__arena_fini(&f.arena);
    fw_grid_fini(&grid);
  }
}

static void headings_are_refused(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "open:9x9", NULL, NULL), FW_RET_OK);
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw_arena_t arena;
  fw__arena_init(&arena, &memory);
  const fw_robot_t robot = {.ticks_per_move = 1, .footprint = single, .footprint_count = 1, .turn_ticks = 1};
  fw_body_t body;
  fw_moves_t moves;
  fw_coarse_t coarse;
  assert_true(fw__body_init(&body, &arena, &robot, 4));
  assert_true(fw__moves_init_body(&moves, &arena, &grid, &body));
  assert_int_equal(fw__coarse_init(&coarse, &arena, &moves, 8), FW_RET_UNSUPPORTED);
  fw__arena_fini(&arena);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(coarse_distances_lead_to_the_goal),
    cmocka_unit_test(a_coarse_field_answers_as_the_clusters_do),
    cmocka_unit_test(headings_are_refused),
  };
  return TEST_RUN(tests);
}
