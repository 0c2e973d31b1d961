// Distances guided by landmarks are the same as plain ones, with no more places closed where walls mislead the plain
// estimate.

#include "fleetweave/files.h"
#include "search/distance/distance.h"
#include "support/test.h"
#include "support/world.h"

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_moves_t moves;
  fw_landmarks_t landmarks;
  fw_meter_t meter;
} fixture_t;

static const fw_offset_t single[] = {{0, 0}};

static void begin(fixture_t * f, const fw_grid_t * grid, int32_t connectivity)
{
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  assert_true(fw__moves_init(&f->moves, &f->arena, grid, connectivity, single, 1));
  assert_true(fw__landmarks_init(&f->landmarks, &f->arena, &f->moves));
  fw__meter_start(&f->meter, NULL);
}

static void guided_distances_are_the_same(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(150); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(
      &rng, 1 + fw__rng_below(&rng, 30), 1 + fw__rng_below(&rng, 30), fw__rng_below(&rng, 45), round % 3 == 0);
    grid.cost[0] = 1;
    fixture_t f;
    begin(&f, &grid, round % 2 == 0 ? 4 : 8);
    const int32_t goals[2] = {fw__rng_below(&rng, f.moves.node_count), fw__rng_below(&rng, f.moves.node_count)};
    const int32_t aim = fw__rng_below(&rng, f.moves.node_count);
    fw_distance_t plain;
    fw_distance_t guided;
    const bool is_weighted = round % 3 == 0;
    assert_true(fw__distance_init(&plain, &f.arena, &f.moves, goals[0], f.moves.cell_of[aim], is_weighted));
    assert_true(fw__distance_init(&guided, &f.arena, &f.moves, goals[0], f.moves.cell_of[aim], is_weighted));
    fw__distance_use_landmarks(&guided, &f.landmarks);
    for (int32_t pass = 0; pass < 2; ++pass) {
      for (int32_t i = 0; i < 40; ++i) {
        const int32_t node = i == 0 ? aim : fw__rng_below(&rng, f.moves.node_count);
        const int32_t expected = fw__distance_get(&plain, node, &f.meter);
        assert_int_equal(fw__distance_get(&guided, node, &f.meter), expected);
        const int32_t known = fw__landmarks_estimate(&f.landmarks.rows[node], &f.landmarks.rows[goals[pass]]);
        assert_true(expected == FW_DISTANCE_NONE || known <= expected);
      }
      assert_true(fw__distance_restart(&plain, goals[1], f.moves.cell_of[aim]));
      assert_true(fw__distance_restart(&guided, goals[1], f.moves.cell_of[aim]));
    }
    fw__arena_fini(&f.arena);
    fw_grid_fini(&grid);
  }
}

// In a maze the plain estimate leads into every blind alley.
static void a_guided_search_closes_fewer_places_in_a_maze(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "maze:101x101,corridor=1,seed=3", NULL, NULL), FW_RET_OK);
  fixture_t f;
  begin(&f, &grid, 4);
  int64_t closed[2] = {0, 0};
  for (int32_t i = 0; i < 20; ++i) {
    fw_rng_t rng = fw__rng((uint64_t)i);
    const int32_t goal = fw__rng_below(&rng, f.moves.node_count);
    const int32_t start = fw__rng_below(&rng, f.moves.node_count);
    int32_t found[2];
    for (int32_t k = 0; k < 2; ++k) {
      fw_distance_t distance;
      assert_true(fw__distance_init(&distance, &f.arena, &f.moves, goal, f.moves.cell_of[start], false));
      fw__distance_use_landmarks(&distance, k == 0 ? NULL : &f.landmarks);
      found[k] = fw__distance_get(&distance, start, &f.meter);
      closed[k] += distance.expanded;
    }
    assert_int_equal(found[0], found[1]);
  }
  assert_true(2 * closed[1] < closed[0]);
  fw__arena_fini(&f.arena);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(guided_distances_are_the_same),
    cmocka_unit_test(a_guided_search_closes_fewer_places_in_a_maze),
  };
  return TEST_RUN(tests);
}
