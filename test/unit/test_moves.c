// The graph of motions, for robots of any shape.

#include "world/moves.h"

#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

static const fw_offset_t single[] = {{0, 0}};
static const fw_offset_t two_wide[] = {{0, 0}, {1, 0}};
static const fw_offset_t square[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
static const fw_offset_t corner[] = {{0, -1}, {0, 0}, {1, 0}};

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_body_t body;
  fw_moves_t moves;
} fixture_t;

static void begin(fixture_t * f, const fw_grid_t * grid, int32_t degree, const fw_offset_t * shape, int32_t count)
{
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  const fw_robot_t robot = {.ticks_per_move = 1, .footprint = shape, .footprint_count = count};
  assert_true(fw__body_init(&f->body, &f->arena, &robot, degree));
  assert_true(fw__moves_init_body(&f->moves, &f->arena, grid, &f->body));
}

// "E S W N SE SW NW NE" as bits, of the robot at (x, y); -1 where it does not fit.
static int32_t open_motions(const fw_moves_t * moves, int32_t x, int32_t y)
{
  const int32_t node = moves->node_of[fw_grid_cell(moves->grid, x, y)];
  if (node < 0) {
    return -1;
  }
  int32_t bits = 0;
  for (int32_t d = 0; d < moves->degree; ++d) {
    bits |= fw__moves_successors(moves, node)[d] >= 0 ? 1 << d : 0;
  }
  return bits;
}

static void four_directions(void ** state)
{
  (void)state;
  DRAW(grid, "..#", "...");
  fixture_t f;
  begin(&f, &grid, 4, single, 1);
  assert_int_equal(f.moves.node_count, 5);
  assert_int_equal(open_motions(&f.moves, 0, 0), 1 | 2);
  assert_int_equal(open_motions(&f.moves, 1, 0), 2 | 4);
  assert_int_equal(open_motions(&f.moves, 2, 0), -1);
  assert_int_equal(open_motions(&f.moves, 1, 1), 1 | 4 | 8);
  fw__arena_fini(&f.arena);
}

static void diagonals_do_not_cut_corners(void ** state)
{
  (void)state;
  DRAW(grid, "..#", "...", "...");
  fixture_t f;
  begin(&f, &grid, 8, single, 1);
  // From the centre: the corner above right is blocked, all else is open.
  assert_int_equal(open_motions(&f.moves, 1, 1), 255 & ~128);
  // Beside the obstacle: neither (1,0) to (2,1) nor back.
  assert_int_equal(open_motions(&f.moves, 1, 0), 2 | 4 | 32);
  assert_int_equal(open_motions(&f.moves, 2, 1), 2 | 4 | 32);
  fw__arena_fini(&f.arena);
}

static void a_wide_robot_needs_room_for_all_its_cells(void ** state)
{
  (void)state;
  DRAW(grid, "....", ".#..", "....");
  fixture_t f;
  begin(&f, &grid, 4, two_wide, 2);
  assert_int_equal(open_motions(&f.moves, 0, 0), 1);
  assert_int_equal(open_motions(&f.moves, 0, 1), -1);
  assert_int_equal(open_motions(&f.moves, 1, 1), -1);
  assert_int_equal(open_motions(&f.moves, 2, 1), 2 | 8);
  assert_int_equal(open_motions(&f.moves, 3, 0), -1);
  fw__arena_fini(&f.arena);
}

static void costs_make_the_floor_uneven(void ** state)
{
  (void)state;
  DRAW(even, "..#");
  DRAW(uneven, ".2#");
  fixture_t f;
  begin(&f, &even, 4, single, 1);
  assert_true(f.moves.is_uniform);
  fw__arena_fini(&f.arena);
  begin(&f, &uneven, 4, single, 1);
  assert_false(f.moves.is_uniform);
  assert_int_equal(fw__moves_cost(&f.moves, f.moves.node_of[1]), 2);
  fw__arena_fini(&f.arena);
}

static bool fits(const fw_grid_t * grid, const fw_offset_t * shape, int32_t count, int32_t x, int32_t y)
{
  bool is_clear = true;
  for (int32_t i = 0; i < count; ++i) {
    is_clear = is_clear && fw_grid_is_free(grid, x + shape[i].dx, y + shape[i].dy);
  }
  return is_clear;
}

// Every place and every move of random grids, larger than a tile, asked one by one.
static void agrees_with_the_rules_on_random_grids(void ** state)
{
  (void)state;
  const struct {
    const fw_offset_t * cells;
    int32_t count;
  } shapes[] = {{single, 1}, {two_wide, 2}, {square, 4}, {corner, 3}};
  for (int32_t round = 0; round < test_rounds(40); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const int32_t width = 1 + fw__rng_below(&rng, 70);
    fw_grid_t grid = world_grid(&rng, width, 1 + fw__rng_below(&rng, 40), 15, false);
    const int32_t degree = round % 2 == 0 ? 4 : 8;
    const fw_offset_t * shape = shapes[round % 4].cells;
    const int32_t count = shapes[round % 4].count;
    fixture_t f;
    begin(&f, &grid, degree, shape, count);
    int32_t places = 0;
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&grid); ++cell) {
      const int32_t x = fw_grid_x(&grid, cell);
      const int32_t y = fw_grid_y(&grid, cell);
      const int32_t node = f.moves.node_of[cell];
      assert_int_equal(node >= 0, fits(&grid, shape, count, x, y));
      if (node < 0) {
        continue;
      }
      ++places;
      assert_in_range(node, 0, f.moves.node_count - 1);
      assert_int_equal(f.moves.cell_of[node], cell);
      for (int32_t d = 0; d < degree; ++d) {
        const fw_offset_t to = {x + fw__directions[d].dx, y + fw__directions[d].dy};
        const bool is_open = fits(&grid, shape, count, to.dx, to.dy) && fits(&grid, shape, count, to.dx, y) &&
                             fits(&grid, shape, count, x, to.dy);
        const int32_t next = fw__moves_successors(&f.moves, node)[d];
        assert_int_equal(next, is_open ? f.moves.node_of[fw_grid_cell(&grid, to.dx, to.dy)] : -1);
      }
    }
    assert_int_equal(f.moves.node_count, places);
    fw__arena_fini(&f.arena);
    fw_grid_fini(&grid);
  }
}

// Nodes are cells with headings, `previous` is the inverse of `next`, and no motion leads through an obstacle.
static void with_headings_motions_lead_from_pose_to_pose(void ** state)
{
  (void)state;
  DRAW(grid, "...", "..#", "...");
  fixture_t f = {.memory = {.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX}};
  fw__arena_init(&f.arena, &f.memory);
  const fw_robot_t robot = {.footprint = two_wide, .footprint_count = 2, .ticks_per_move = 2, .turn_ticks = 3};
  fw_body_t body;
  assert_true(fw__body_init(&body, &f.arena, &robot, 4));
  assert_true(fw__moves_init_body(&f.moves, &f.arena, &grid, &body));
  assert_int_equal(f.moves.spans[0], 2);
  assert_int_equal(f.moves.spans[1], 3);
  // Two cells long: six places lie along rows and six along columns, each to be faced from either end.
  assert_int_equal(f.moves.node_count, 2 * 5 + 2 * 4);
  // On (1,0), facing east: nothing ahead but the border, right is swept by the obstacle, left sticks out.
  const int32_t * next = fw__moves_successors(&f.moves, fw__moves_node(&f.moves, (fw_grid_pose_t){1, FW_HEADING_EAST}));
  assert_true(next[0] < 0 && next[1] < 0 && next[2] < 0);
  // On (0,0), facing east: ahead to (1,0), and right to the south.
  next = fw__moves_successors(&f.moves, fw__moves_node(&f.moves, (fw_grid_pose_t){0, FW_HEADING_EAST}));
  assert_int_equal(next[0], fw__moves_node(&f.moves, (fw_grid_pose_t){1, FW_HEADING_EAST}));
  assert_int_equal(next[1], fw__moves_node(&f.moves, (fw_grid_pose_t){0, FW_HEADING_SOUTH}));
  assert_true(next[2] < 0);
  for (int32_t node = 0; node < f.moves.node_count; ++node) {
    assert_int_equal(fw__moves_node(&f.moves, fw__moves_pose(&f.moves, node)), node);
    for (int32_t d = 0; d < f.moves.degree; ++d) {
      const int32_t to = fw__moves_successors(&f.moves, node)[d];
      const int32_t from = fw__moves_predecessors(&f.moves, node)[d];
      assert_true(to < 0 || fw__moves_predecessors(&f.moves, to)[d] == node);
      assert_true(from < 0 || fw__moves_successors(&f.moves, from)[d] == node);
    }
  }
  assert_int_equal(fw__moves_any_node(&f.moves, 5), -1);
  assert_true(fw__moves_any_node(&f.moves, 2) >= 0);
  fw__arena_fini(&f.arena);
}

static void grid_distances_are_manhattan_and_chebyshev(void ** state)
{
  (void)state;
  DRAW(grid, ".....", ".....", ".....");
  assert_int_equal(fw__grid_distance(&grid, 4, 0, 14), 6);
  assert_int_equal(fw__grid_distance(&grid, 8, 0, 14), 4);
  assert_int_equal(fw__grid_distance(&grid, 8, 14, 2), 2);
  assert_int_equal(fw__grid_distance(&grid, 4, 7, 7), 0);
}

static void a_corrupted_graph_is_found(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  fixture_t f;
  begin(&f, &grid, 8, single, 1);
  fw_moves_t * moves = &f.moves;
  assert_true(fw__moves_validate(moves));
  for (int32_t i = 0; i < moves->node_count * moves->degree; ++i) {
    const int32_t next = moves->next[i];
    moves->next[i] = next < 0 ? 0 : (next + 1) % moves->node_count;  // no edge leads back
    assert_false(fw__moves_validate(moves));
    moves->next[i] = next;
  }
  const fw_cell_t cell = moves->cell_of[1];
  moves->cell_of[1] = moves->cell_of[2];
  assert_false(fw__moves_validate(moves));
  moves->cell_of[1] = cell;
  assert_true(fw__moves_validate(moves));
  fw__arena_fini(&f.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(four_directions),
    cmocka_unit_test(diagonals_do_not_cut_corners),
    cmocka_unit_test(a_wide_robot_needs_room_for_all_its_cells),
    cmocka_unit_test(costs_make_the_floor_uneven),
    cmocka_unit_test(agrees_with_the_rules_on_random_grids),
    cmocka_unit_test(with_headings_motions_lead_from_pose_to_pose),
    cmocka_unit_test(grid_distances_are_manhattan_and_chebyshev),
    cmocka_unit_test(a_corrupted_graph_is_found),
  };
  return TEST_RUN(tests);
}
