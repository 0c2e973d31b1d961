// The straight path: if it arrives it is shortest, and on open floor it always arrives.

#include "search/grid/straight.h"

#include "fleetweave/files.h"
#include "support/reference.h"
#include "support/test.h"

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_floor_t floor;
  fw_trail_t trail;
} fixture_t;

static void begin(fixture_t * f, const fw_grid_t * grid, const fw_router_options_t * options)
{
  *f = (fixture_t){.memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX}};
  const fw_floor_options_t wanted = {
    .grid = grid, .connectivity = options->connectivity, .diagonal = options->diagonal};
  fw__arena_init(&f->arena, &f->memory);
  f->trail.arena = &f->arena;
  assert_int_equal(fw__floor_init(&f->floor, &f->arena, &wanted, NULL), FW_RET_OK);
}

// The direction from a place to its neighbour; -1 if they are not neighbours.
static int32_t direction_of(const fw_floor_t * floor, int32_t from, int32_t to)
{
  for (int32_t d = 0; d < floor->degree; ++d) {
    if (fw__floor_next(floor, from, d) == to) {
      return d;
    }
  }
  return -1;
}

// The cost of the trail; each of its moves is allowed.
static int64_t walk_trail(const fixture_t * f)
{
  int64_t cost = 0;
  for (int32_t i = 1; i < f->trail.count; ++i) {
    const int32_t d = direction_of(&f->floor, f->trail.places[i - 1], f->trail.places[i]);
    assert_true(d >= 0 && (f->floor.moves[f->trail.places[i - 1]] >> d & 1) != 0);
    cost += fw__floor_step_cost(&f->floor, f->trail.places[i], d);
  }
  return cost;
}

// Straight paths between random cells. Returns how many were found.
static int32_t find_random(const fw_grid_t * grid, const fw_router_options_t * options, uint64_t seed)
{
  static int64_t best[REFERENCE_CELLS_MAX];
  fw_rng_t rng = fw__rng(seed);
  fixture_t f;
  int32_t found = 0;
  begin(&f, grid, options);
  const int32_t lengths[2] = {f.floor.straight, f.floor.diagonal};
  for (int32_t i = 0; i < 50; ++i) {
    const fw_cell_t start = reference_cell(grid, options, &rng);
    const fw_cell_t goal = reference_cell(grid, options, &rng);
    f.trail.count = 0;
    fw__trail_add(&f.trail, -1);  // what is there stays
    if (!fw__straight_find(&f.floor, fw__floor_place(&f.floor, start), fw__floor_place(&f.floor, goal), &f.trail)) {
      assert_int_equal(f.trail.count, 1);
      continue;
    }
    ++found;
    memmove(f.trail.places, f.trail.places + 1, (size_t)--f.trail.count * sizeof(*f.trail.places));
    assert_int_equal(f.trail.places[0], fw__floor_place(&f.floor, start));
    assert_int_equal(f.trail.places[f.trail.count - 1], fw__floor_place(&f.floor, goal));
    reference_costs(grid, options, lengths, goal, best);
    assert_int_equal(walk_trail(&f), best[start]);
  }
  fw__arena_fini(&f.arena);
  return found;
}

static const fw_router_options_t motions[] = {
  {.connectivity = 4, .diagonal = FW_DIAGONAL_ROOT},
  {.connectivity = 8, .diagonal = FW_DIAGONAL_ROOT},
  {.connectivity = 8, .diagonal = FW_DIAGONAL_TICK},
};

static void a_straight_path_is_shortest(void ** state)
{
  (void)state;
  const char * const maps[] = {
    "random:40x40,obstacles=10", "warehouse:60x50,aisle=2", "rooms:50x50,room=12", "random:30x30,obstacles=2"};
  const int32_t rounds = test_rounds(24);
  int32_t found = 0;
  for (int32_t round = 0; round < rounds; ++round) {
    fw_grid_t grid;
    assert_int_equal(fw_grid_make(&grid, maps[round % 4], NULL, NULL), FW_RET_OK);
    found += find_random(&grid, &motions[round % 3], (uint64_t)round);
    fw_grid_fini(&grid);
  }
  assert_in_range(found, 10 * rounds, 40 * rounds);  // of 50 each
}

static void on_open_floor_it_always_arrives(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "open:40x30", NULL, NULL), FW_RET_OK);
  for (int32_t i = 0; i < TEST_COUNT(motions); ++i) {
    assert_int_equal(find_random(&grid, &motions[i], 9), 50);
  }
  // Puddles: what is dearer is in the way.
  for (int32_t y = 0; y < 30; y += 3) {
    grid.cost[fw_grid_cell(&grid, (7 * y) % 40, y)] = 5;
  }
  for (int32_t i = 0; i < TEST_COUNT(motions); ++i) {
    assert_in_range(find_random(&grid, &motions[i], 9), 1, 49);
  }
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_straight_path_is_shortest),
    cmocka_unit_test(on_open_floor_it_always_arrives),
  };
  return TEST_RUN(tests);
}
