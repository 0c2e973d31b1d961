// A planning cell is free where the robot's disc is, exactly; no allowed move of the grid sweeps over an obstacle, and
// no cell is blocked in vain.

#include "controller/map/free_cells.h"

#include <math.h>

#include "base/rng.h"
#include "support/tally.h"
#include "support/test.h"

enum { SIDE_MAX = 40, MAP_MAX = 1 << 22, GRID_MAX = 1 << 18 };

// ---- a map with its planning grid

typedef struct site_t {
  fw_free_cells_map_t map;
  bool table[256];
  fw_free_cells_t cells;
  fw_free_cells_rule_t rule;
  fw_map_frame_t planning;
  fw_grid_t grid;
  fw_free_cells_count_t count;
} site_t;

static int8_t values[MAP_MAX];
static uint8_t costs[GRID_MAX];

// Builds everything but the map's size, resolution and values, which must be set.
static void build(site_t * site)
{
  fw__free_cells_make_table(site->table, &(fw_occupancy_rule_t){.occupied_thresh = 0.65, .free_thresh = 0.25});
  site->map.values = values;
  site->map.is_obstacle = site->table;
  assert_int_equal(fw__free_cells_init(&site->cells, &site->map, NULL), FW_RET_OK);
  assert_true(fw__free_cells_place_grid(&site->map.frame, site->rule.resolution, &site->planning));
  site->grid = (fw_grid_t){.width = site->planning.width, .height = site->planning.height, .cost = costs};
  assert_true(fw_grid_cell_count(&site->grid) <= GRID_MAX);
  assert_int_equal(fw__free_cells_fill(&site->cells, &site->rule, &site->grid, &site->count), FW_RET_OK);
  assert_int_equal(site->count.free + site->count.occupied + site->count.moves, fw_grid_cell_count(&site->grid));
}

static site_t open_site(int32_t width, int32_t height, double resolution)
{
  assert_true(width * height <= MAP_MAX);
  memset(values, 0, (size_t)width * (size_t)height);
  return (site_t){
    .map.frame = {.resolution = resolution, .width = width, .height = height},
    .rule = {.resolution = 0.5, .radius = 0.2, .connectivity = 8}};
}

static void add_wall(const site_t * site, int32_t x, int32_t y, int32_t width, int32_t height)
{
  for (int32_t k = 0; k < width * height; ++k) {
    values[(y + k / width) * site->map.frame.width + x + k % width] = 100;
  }
}

static void assert_drawing(const site_t * site, const char * const * rows)
{
  for (int32_t y = 0; y < site->grid.height; ++y) {
    char row[SIDE_MAX + 1] = {0};
    for (int32_t x = 0; x < site->grid.width; ++x) {
      row[x] = fw_grid_is_free(&site->grid, x, y) ? '.' : '#';
    }
    assert_string_equal(row, rows[y]);
  }
}

// ---- discs

static void occupancy_becomes_obstacles_as_in_the_map_server(void ** state)
{
  (void)state;
  bool table[256];
  const int8_t samples[] = {0, 24, 25, 65, 66, 100, -1, 101, -128};
  const bool strict[] = {false, false, true, true, true, true, true, true, true};
  const bool relaxed[] = {false, false, false, false, true, true, false, false, false};
  for (int32_t k = 0; k < TEST_COUNT(samples); ++k) {
    fw__free_cells_make_table(table, &(fw_occupancy_rule_t){0.65, 0.25, false, false});
    assert_int_equal(table[samples[k] & 255], strict[k]);
    fw__free_cells_make_table(table, &(fw_occupancy_rule_t){0.65, 0.25, true, false});
    assert_int_equal(table[samples[k] & 255], relaxed[k]);
  }
}

static void a_touch_is_free_and_an_overlap_is_not(void ** state)
{
  (void)state;
  const double radii[] = {0.249, 0.25, 0.252};  // the wall is 0.25 m from the centres, and so is the edge of the map
  const char * const free_rows[] = {"..#.", "..#."};
  const char * const blocked_rows[] = {"####", "####"};
  for (int32_t k = 0; k < TEST_COUNT(radii); ++k) {
    site_t site = open_site(40, 20, 0.05);
    site.rule.radius = radii[k];
    add_wall(&site, 20, 0, 10, 20);
    build(&site);
    assert_drawing(&site, k < 2 ? free_rows : blocked_rows);
    fw__free_cells_fini(&site.cells);
  }
}

static void a_disc_that_ends_on_the_line_between_two_map_cells_is_in_one_of_them(void ** state)
{
  (void)state;
  site_t site = open_site(6, 4, 1.0);
  site.rule.resolution = 2.0;
  site.rule.radius = 1.0 + FW_FREE_CELLS_TOLERANCE;  // the largest that is free; it ends exactly at the wall
  add_wall(&site, 2, 0, 2, 4);
  build(&site);
  assert_drawing(&site, (const char * const[]){".#.", ".#."});
  fw__free_cells_fini(&site.cells);
}

static void an_aisle_of_a_disc_and_a_cell_has_a_free_row_at_every_offset(void ** state)
{
  (void)state;
  for (int32_t offset = 1; offset <= 51; ++offset) {
    for (int32_t is_across = 0; is_across < 2; ++is_across) {
      site_t site = open_site(200, 200, 0.01);
      if (is_across) {
        add_wall(&site, 0, 0, 200, offset);
        add_wall(&site, 0, offset + 90, 200, 110 - offset);
      } else {
        add_wall(&site, 0, 0, offset, 200);
        add_wall(&site, offset + 90, 0, 110 - offset, 200);
      }
      build(&site);
      // Centres are at 25, 75 and 125 map cells; those of an offset from 20 to 70 behind the wall are free.
      int32_t lines = 0;
      for (int32_t line = 0; line < 4; ++line) {
        const int32_t behind = 25 + 50 * line - offset;
        const bool is_free = behind >= 20 && behind <= 70;
        lines += is_free ? 1 : 0;
        for (int32_t k = 0; k < 4; ++k) {
          assert_int_equal(fw_grid_is_free(&site.grid, is_across ? k : line, is_across ? line : k), is_free);
        }
      }
      assert_int_equal(lines, offset % 50 == 5 ? 2 : 1);
      assert_int_equal(site.count.moves, 0);
      fw__free_cells_fini(&site.cells);
    }
  }
}

static void resolutions_that_are_floats_lose_no_row_at_the_edge(void ** state)
{
  (void)state;
  const float resolutions[] = {0.05F, 0.1F, 0.025F, 0.7F, 0.3F};
  for (int32_t k = 0; k < TEST_COUNT(resolutions); ++k) {
    site_t site = open_site(2000, 2000, (double)resolutions[k]);
    site.rule.resolution = round((double)resolutions[k] * 1000.0) * 0.001 * 20.0;
    site.rule.radius = 0.5 * site.rule.resolution;
    for (int32_t x = 0; x < 2000; x += 40) {
      add_wall(&site, x, 0, 20, 2000);
    }
    build(&site);
    assert_int_equal(site.grid.width, 100);
    assert_int_equal(site.count.free, 5000);
    fw__free_cells_fini(&site.cells);
  }
}

static void whole_squares_are_free_of_obstacles_too(void ** state)
{
  (void)state;
  site_t site = open_site(40, 20, 0.05);
  add_wall(&site, 10, 0, 1, 1);  // in the corner of a square, far from the disc
  site.rule.connectivity = 4;
  build(&site);
  assert_drawing(&site, (const char * const[]){"....", "...."});
  fw__free_cells_fini(&site.cells);
  site.rule.whole_squares = true;
  build(&site);
  assert_drawing(&site, (const char * const[]){".#..", "...."});
  fw__free_cells_fini(&site.cells);
}

// ---- moves

static void a_thin_wall_blocks_one_side_and_leaves_the_narrow_aisle(void ** state)
{
  (void)state;
  site_t site = open_site(50, 40, 0.05);
  add_wall(&site, 10, 0, 1, 40);  // 5 map cells from the centres to the left and 4 from those to the right
  build(&site);
  assert_drawing(&site, (const char * const[]){".#...", ".#...", ".#...", ".#..."});
  assert_int_equal(site.count.moves, 4);
  fw__free_cells_fini(&site.cells);
  site_t other = open_site(50, 40, 0.05);
  add_wall(&other, 40, 0, 1, 40);  // now the narrow aisle is on the right
  build(&other);
  assert_drawing(&other, (const char * const[]){"...#.", "...#.", "...#.", "...#."});
  fw__free_cells_fini(&other.cells);
}

static void a_wall_as_thick_as_the_gap_blocks_nothing_for_moves(void ** state)
{
  (void)state;
  site_t site = open_site(50, 40, 0.05);
  add_wall(&site, 10, 0, 3, 40);  // a cell is 10, a disc 8 wide
  build(&site);
  assert_drawing(&site, (const char * const[]){".#...", ".#...", ".#...", ".#..."});
  assert_int_equal(site.count.moves, 0);
  fw__free_cells_fini(&site.cells);
}

static void a_pillar_between_four_cells_blocks_one_of_them(void ** state)
{
  (void)state;
  const int32_t moves[] = {0, 1, 2};
  for (int32_t k = 0; k < 3; ++k) {
    site_t site = open_site(40, 40, 0.05);
    add_wall(&site, 19, 19, 2, 2);
    site.rule.connectivity = k == 0 ? 4 : 8;
    site.rule.cuts_corners = k == 2;
    build(&site);
    assert_int_equal(site.count.occupied, 0);
    assert_int_equal(site.count.moves, moves[k]);
    fw__free_cells_fini(&site.cells);
  }
}

static void a_cell_inside_thin_walls_is_blocked_and_not_its_neighbours(void ** state)
{
  (void)state;
  for (int32_t connectivity = 4; connectivity <= 8; connectivity += 4) {
    site_t site = open_site(30, 30, 0.05);
    site.rule.radius = 0.15;
    site.rule.connectivity = connectivity;
    add_wall(&site, 10, 10, 10, 1);
    add_wall(&site, 10, 19, 10, 1);
    add_wall(&site, 10, 10, 1, 10);
    add_wall(&site, 19, 10, 1, 10);
    build(&site);
    assert_drawing(&site, (const char * const[]){"...", ".#.", "..."});
    assert_int_equal(site.count.occupied, 0);
    fw__free_cells_fini(&site.cells);
  }
}

// ---- the reference: the distance of a line from each obstacle

typedef struct line_t {
  long double ax, ay, bx, by;  // in map cells
} line_t;

static long double square_distance_at(const line_t * line, long double share, int32_t x, int32_t y)
{
  const long double px = line->ax + share * (line->bx - line->ax), py = line->ay + share * (line->by - line->ay);
  const long double dx = fmaxl(fmaxl((long double)x - px, px - (long double)x - 1.0L), 0.0L);
  const long double dy = fmaxl(fmaxl((long double)y - py, py - (long double)y - 1.0L), 0.0L);
  return dx * dx + dy * dy;
}

// The distance from a map cell is convex along the line: ternary search.
static long double distance_from_cell(const line_t * line, int32_t x, int32_t y)
{
  long double low = 0.0L, high = 1.0L;
  const bool is_point = line->ax == line->bx && line->ay == line->by;
  for (int32_t k = 0; !is_point && k < 60; ++k) {
    const long double one = low + (high - low) / 3.0L, two = high - (high - low) / 3.0L;
    if (square_distance_at(line, one, x, y) <= square_distance_at(line, two, x, y)) {
      high = two;
    } else {
      low = one;
    }
  }
  return sqrtl(square_distance_at(line, low, x, y));
}

// How much more than `radius` a line is from obstacles and the edge of the map, where that is little.
static long double room_of(const site_t * site, const line_t * line, long double radius)
{
  const long double width = (long double)site->map.frame.width, height = (long double)site->map.frame.height;
  const long double low = fminl(fminl(line->ax, line->bx), fminl(line->ay, line->by));
  long double room = fminl(low, width - fmaxl(line->ax, line->bx));
  room = fminl(room, height - fmaxl(line->ay, line->by));
  for (int32_t y = 0; y < site->map.frame.height; ++y) {
    for (int32_t x = 0; x < site->map.frame.width; ++x) {
      const long double far = radius + 1.1L;
      const bool is_far =
        (long double)x > fmaxl(line->ax, line->bx) + far || (long double)x < fminl(line->ax, line->bx) - far ||
        (long double)y > fmaxl(line->ay, line->by) + far || (long double)y < fminl(line->ay, line->by) - far;
      if (values[y * site->map.frame.width + x] == 100 && !is_far) {
        room = fminl(room, distance_from_cell(line, x, y));
      }
    }
  }
  return room - radius;
}

typedef struct reference_t {
  long double discs[SIDE_MAX * SIDE_MAX];     // by cell
  long double moves[4][SIDE_MAX * SIDE_MAX];  // by cell that a move starts from: east, south, south-east, south-west
} reference_t;

static const int32_t STEPS[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};

// Whether an obstacle, or what is outside the map, lies in the square of a planning cell, by more than the tolerance.
static bool square_is_occupied(const site_t * site, int32_t x, int32_t y)
{
  const long double ratio = (long double)site->rule.resolution / (long double)site->map.frame.resolution;
  const long double tolerance = (long double)FW_FREE_CELLS_TOLERANCE;
  const long double left = (long double)x * ratio + tolerance, right = ((long double)x + 1.0L) * ratio - tolerance;
  const long double low = (long double)y * ratio + tolerance, high = ((long double)y + 1.0L) * ratio - tolerance;
  bool is_occupied = right > (long double)site->map.frame.width || high > (long double)site->map.frame.height;
  for (int32_t k = 0; k < site->map.frame.width * site->map.frame.height; ++k) {
    const long double at_x = (long double)(k % site->map.frame.width), at_y = (long double)(k / site->map.frame.width);
    is_occupied =
      is_occupied || (values[k] == 100 && at_x < right && at_x + 1.0L > left && at_y < high && at_y + 1.0L > low);
  }
  return is_occupied;
}

static void measure(const site_t * site, reference_t * reference)
{
  const long double ratio = (long double)site->rule.resolution / (long double)site->map.frame.resolution;
  const long double tolerance = (long double)FW_FREE_CELLS_TOLERANCE;
  const long double radius =
    fmaxl((long double)site->rule.radius / (long double)site->map.frame.resolution - tolerance, tolerance);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&site->grid); ++cell) {
    const int32_t x = fw_grid_x(&site->grid, cell), y = fw_grid_y(&site->grid, cell);
    const long double cx = ((long double)x + 0.5L) * ratio, cy = ((long double)y + 0.5L) * ratio;
    reference->discs[cell] = room_of(site, &(line_t){cx, cy, cx, cy}, radius);
    if (site->rule.whole_squares && square_is_occupied(site, x, y)) {
      reference->discs[cell] = -1.0L;
    }
    for (int32_t k = 0; k < 4; ++k) {
      if (fw_grid_contains(&site->grid, x + STEPS[k][0], y + STEPS[k][1])) {
        const line_t line = {cx, cy, cx + (long double)STEPS[k][0] * ratio, cy + (long double)STEPS[k][1] * ratio};
        reference->moves[k][cell] = room_of(site, &line, radius);
      }
    }
  }
}

// Whether the planner may make a move on the grid as it is.
static bool may_move(const site_t * site, int32_t x, int32_t y, const int32_t step[2])
{
  const bool is_diagonal = step[0] != 0 && step[1] != 0;
  return (!is_diagonal || site->rule.connectivity == 8) && fw_grid_is_free(&site->grid, x, y) &&
         fw_grid_is_free(&site->grid, x + step[0], y + step[1]) &&
         (!is_diagonal || site->rule.cuts_corners ||
          (fw_grid_is_free(&site->grid, x + step[0], y) && fw_grid_is_free(&site->grid, x, y + step[1])));
}

// The least room of all moves that the planner may make.
static long double least_room(const site_t * site, const reference_t * reference)
{
  long double least = 1.0L;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&site->grid); ++cell) {
    for (int32_t k = 0; k < 4; ++k) {
      if (may_move(site, fw_grid_x(&site->grid, cell), fw_grid_y(&site->grid, cell), STEPS[k])) {
        least = fminl(least, reference->moves[k][cell]);
      }
    }
  }
  return least;
}

static site_t random_site(fw_rng_t * rng)
{
  const double ratios[] = {1.0, 1.5, 2.0, 2.7, 3.0, 4.0, 5.3};
  const double radii[] = {0.0, 0.2, 0.4, 0.5, 0.7, 0.95, 1.3, 2.6};  // in half planning cells
  const double resolutions[] = {0.05, 1.0, 0.1 + 1e-9};
  site_t site = open_site(3 + fw__rng_below(rng, 22), 3 + fw__rng_below(rng, 22), resolutions[fw__rng_below(rng, 3)]);
  site.rule.resolution = ratios[fw__rng_below(rng, TEST_COUNT(ratios))] * site.map.frame.resolution;
  if (site.rule.resolution > 3.0 * site.map.frame.resolution) {
    site.map.frame.width = site.map.frame.height = 24;
  }
  memset(values, 0, sizeof(values[0]) * (size_t)(site.map.frame.width * site.map.frame.height));
  site.rule.radius = 0.5 * site.rule.resolution * radii[fw__rng_below(rng, TEST_COUNT(radii))];
  site.rule.connectivity = fw__rng_below(rng, 3) == 0 ? 4 : 8;
  site.rule.cuts_corners = fw__rng_below(rng, 4) == 0;
  site.rule.whole_squares = fw__rng_below(rng, 4) == 0;
  const int32_t per_mille = 10 + fw__rng_below(rng, 150);
  for (int32_t k = 0; k < site.map.frame.width * site.map.frame.height; ++k) {
    values[k] = fw__rng_below(rng, 1000) < per_mille ? 100 : 0;
  }
  if (fw__rng_below(rng, 2) == 0) {  // and a thin wall
    add_wall(&site, fw__rng_below(rng, site.map.frame.width), 0, 1, site.map.frame.height);
  }
  return site;
}

static void random_maps_agree_with_the_reference(void ** state)
{
  (void)state;
  static reference_t reference;
  fw_rng_t rng = fw__rng(4);
  const long double unclear = 1e-9L;
  int64_t blocked = 0, freed = 0, for_moves = 0;
  for (int32_t round = 0; round < test_rounds(250); ++round) {
    site_t site = random_site(&rng);
    build(&site);
    measure(&site, &reference);
    assert_true(least_room(&site, &reference) >= -unclear);
    int32_t moves = 0;
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&site.grid); ++cell) {
      const long double room = reference.discs[cell];
      if (costs[cell] != 0) {
        assert_true(room >= -unclear);
        ++freed;
      } else if (room < unclear) {
        ++blocked;
      } else {  // blocked for moves: free, it would allow one that overlaps
        costs[cell] = 1;
        assert_true(least_room(&site, &reference) < unclear);
        costs[cell] = 0;
        ++moves;
      }
    }
    assert_true(moves <= site.count.moves);
    for_moves += moves;
    fw__free_cells_fini(&site.cells);
  }
  assert_true(freed > 1000 && blocked > 1000 && for_moves > 100);
}

static bool move_is_free(const site_t * site, int32_t x, int32_t y, const int32_t step[2])
{
  const double p = site->rule.resolution, cx = ((double)x + 0.5) * p, cy = ((double)y + 0.5) * p;
  const fw_raster_sweep_t sweep = {{cx, cy}, {cx + (double)step[0] * p, cy + (double)step[1] * p}, site->rule.radius};
  return fw__free_cells_sweep_is_free(&site->cells, &sweep);
}

// Whether all moves in the squares of four around a cell that the planner may make are free.
static bool moves_around_are_free(const site_t * site, fw_cell_t cell)
{
  const int32_t x = fw_grid_x(&site->grid, cell), y = fw_grid_y(&site->grid, cell);
  bool are_free = true;
  for (int32_t k = 0; are_free && k < 36; ++k) {
    const int32_t at_x = x - 1 + k % 3, at_y = y - 1 + k / 3 % 3;
    const int32_t * step = STEPS[k / 9];
    are_free = !may_move(site, at_x, at_y, step) || move_is_free(site, at_x, at_y, step);
  }
  return are_free;
}

// Here most cells have moves through pillars, so that many cells are blocked for moves and some are freed again.
static void large_maps_of_pillars_have_no_bad_move_and_no_cell_blocked_in_vain(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(7);
  int64_t for_moves = 0;
  for (int32_t round = 0; round < test_rounds(40); ++round) {
    site_t site = open_site(200, 200, 1.0);
    site.rule = (fw_free_cells_rule_t){
      .resolution = 4.0 + (double)fw__rng_below(&rng, 3),
      .radius = 0.1 * (double)(1 + fw__rng_below(&rng, 10)),
      .connectivity = round % 4 == 0 ? 4 : 8,
      .cuts_corners = round % 5 == 0};
    const int32_t per_mille = 10 + fw__rng_below(&rng, 60);
    for (int32_t k = 0; k < 200 * 200; ++k) {
      values[k] = fw__rng_below(&rng, 1000) < per_mille ? 100 : 0;
    }
    build(&site);
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&site.grid); ++cell) {
      const bool was_free = costs[cell] != 0;
      const int32_t stay[2] = {0, 0};
      assert_true(moves_around_are_free(&site, cell));
      if (!was_free && move_is_free(&site, fw_grid_x(&site.grid, cell), fw_grid_y(&site.grid, cell), stay)) {
        costs[cell] = 1;
        assert_false(moves_around_are_free(&site, cell));
        costs[cell] = 0;
        ++for_moves;
      }
    }
    fw__free_cells_fini(&site.cells);
  }
  assert_true(for_moves > 1000);
}

static void the_place_of_the_map_does_not_change_its_free_cells(void ** state)
{
  (void)state;
  static uint8_t before[GRID_MAX];
  fw_rng_t rng = fw__rng(5);
  for (int32_t round = 0; round < test_rounds(100); ++round) {
    site_t site = random_site(&rng);
    build(&site);
    fw__free_cells_fini(&site.cells);
    memcpy(before, costs, (size_t)fw_grid_cell_count(&site.grid));
    memset(costs, 7, sizeof(costs));
    site.map.frame.origin = (fw_point_t){-123.4, 5.6};
    site.map.frame.yaw = 1.0;
    build(&site);
    fw__free_cells_fini(&site.cells);
    assert_memory_equal(before, costs, (size_t)fw_grid_cell_count(&site.grid));
  }
}

static void sweeps_agree_with_the_reference(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(6);
  int32_t counts[2] = {0, 0};
  for (int32_t round = 0; round < test_rounds(1000); ++round) {
    site_t site = random_site(&rng);
    site.map.frame.origin = (fw_point_t){3.0, -7.0};
    site.map.frame.yaw = (double)(round % 7);
    build(&site);
    const double size = (double)site.map.frame.width * site.map.frame.resolution, unit = size / 65536.0;
    const double ax = (double)fw__rng_below(&rng, 65536) * unit, ay = (double)fw__rng_below(&rng, 65536) * unit;
    const double bx = ax + (double)(fw__rng_below(&rng, 65536) - 32768) * 0.2 * unit;
    const double by = ay + (double)(fw__rng_below(&rng, 65536) - 32768) * 0.2 * unit;
    const double c = cos(site.map.frame.yaw), s = sin(site.map.frame.yaw), r = site.map.frame.resolution;
    const fw_raster_sweep_t sweep = {
      {3.0 + c * ax - s * ay, -7.0 + s * ax + c * ay},
      {3.0 + c * bx - s * by, -7.0 + s * bx + c * by},
      site.rule.radius};
    const line_t line = {(long double)(ax / r), (long double)(ay / r), (long double)(bx / r), (long double)(by / r)};
    const long double radius = fmaxl((long double)(site.rule.radius / r) - 0.01L, 0.01L);
    const long double room = room_of(&site, &line, radius);
    const bool is_free = fw__free_cells_sweep_is_free(&site.cells, &sweep);
    if (fabsl(room) > 1e-9L) {
      assert_int_equal(is_free, room > 0.0L);
      ++counts[is_free ? 1 : 0];
    }
    fw__free_cells_fini(&site.cells);
  }
  assert_true(counts[0] > 100 && counts[1] > 100);
}

// ---- places

static fw_free_cells_place_t locate(const site_t * site, double x, double y)
{
  const double c = cos(site->map.frame.yaw), s = sin(site->map.frame.yaw);
  const fw_point_t point = {site->map.frame.origin.x + c * x - s * y, site->map.frame.origin.y + s * x + c * y};
  return fw__free_cells_locate(
    &site->cells, &(fw_free_cells_query_t){&site->planning, &site->grid, point, site->rule.radius});
}

static void assert_place(fw_free_cells_place_t place, fw_cell_t cell, bool is_inside, bool is_on_free_map)
{
  assert_int_equal(place.cell, cell);
  assert_int_equal(place.is_inside, is_inside);
  assert_int_equal(place.is_on_free_map, is_on_free_map);
}

static void a_point_belongs_to_its_cell_or_to_one_that_the_disc_reaches(void ** state)
{
  (void)state;
  // Walls from 0 to 0.5 m and from 1.4 m on. The aisle between has free centres at 0.75 m; the next are at 1.25 m, only
  // 0.15 m from the wall.
  site_t site = open_site(46, 40, 0.05);
  site.map.frame.origin = (fw_point_t){10.0, -20.0};
  site.map.frame.yaw = 2.0;
  add_wall(&site, 0, 0, 10, 40);
  add_wall(&site, 28, 0, 18, 20);
  build(&site);
  assert_drawing(&site, (const char * const[]){"#.##", "#.##", "#...", "#..."});
  assert_place(locate(&site, 0.75, 0.75), 5, true, true);
  assert_place(locate(&site, 0.55, 0.6), 5, true, true);    // too near to the wall, but in the square of a free cell
  assert_place(locate(&site, 1.15, 0.70), 5, false, true);  // in the square of a blocked cell, with a way to a free one
  assert_place(locate(&site, 1.15, 0.49), 1, false, true);  // the nearest of several
  assert_place(locate(&site, 1.3, 0.75), FW_CELL_NONE, false, true);  // on free map, but too near to the wall
  assert_place(locate(&site, 1.6, 0.75), FW_CELL_NONE, false, false);
  assert_place(locate(&site, 0.2, 1.75), FW_CELL_NONE, false, false);
  assert_place(locate(&site, 2.0 - 0.01, 1.75), 15, true, true);
  assert_place(locate(&site, 2.05, 1.75), 15, false, true);            // where the map ends with a part of a cell
  assert_place(locate(&site, 2.15, 1.75), FW_CELL_NONE, false, true);  // nearer to the map's edge than its radius
  assert_place(locate(&site, 0.75, -0.01), FW_CELL_NONE, false, false);
  assert_place(locate(&site, 1e300, 0.75), FW_CELL_NONE, false, false);
  assert_place(locate(&site, (double)NAN, 0.75), FW_CELL_NONE, false, false);
  fw__free_cells_fini(&site.cells);
}

static void a_point_behind_a_thin_wall_does_not_belong_to_the_other_side(void ** state)
{
  (void)state;
  site_t site = open_site(40, 20, 0.05);
  add_wall(&site, 10, 0, 1, 20);
  build(&site);
  assert_drawing(&site, (const char * const[]){".#..", ".#.."});
  assert_place(locate(&site, 0.25, 0.25), 0, true, true);
  assert_place(locate(&site, 0.76, 0.25), 2, false, true);  // the cell to the left is as near, but behind the wall
  assert_place(locate(&site, 0.74, 0.25), FW_CELL_NONE, false, true);
  fw__free_cells_fini(&site.cells);
}

// ---- bad input, no memory

static void bad_input_changes_nothing(void ** state)
{
  (void)state;
  site_t site = open_site(40, 20, 0.05);
  build(&site);
  const fw_free_cells_rule_t good = site.rule;
  fw_free_cells_rule_t bad[] = {good, good, good, good, good, good, good};
  bad[0].resolution = (double)NAN;
  bad[1].resolution = 0.04;
  bad[2].resolution = (double)INFINITY;
  bad[3].radius = (double)NAN;
  bad[4].radius = -0.1;
  bad[5].radius = 1e7;
  bad[6].connectivity = 6;
  memset(costs, 7, 8);
  for (int32_t k = 0; k < TEST_COUNT(bad); ++k) {
    assert_int_equal(fw__free_cells_fill(&site.cells, &bad[k], &site.grid, NULL), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(costs[0], 7);
  }
  const double numbers[] = {(double)NAN, (double)INFINITY, -1.0, 1e300};
  for (int32_t k = 0; k < TEST_COUNT(numbers); ++k) {
    const double n = numbers[k];
    assert_false(fw__free_cells_sweep_is_free(&site.cells, &(fw_raster_sweep_t){{n, 0.5}, {0.5, 0.5}, 0.1}));
    assert_false(fw__free_cells_sweep_is_free(&site.cells, &(fw_raster_sweep_t){{0.5, 0.5}, {0.5, n}, 0.1}));
    assert_false(fw__free_cells_sweep_is_free(&site.cells, &(fw_raster_sweep_t){{0.5, 0.5}, {0.5, 0.5}, n}));
    fw_map_frame_t planning = site.planning;
    assert_false(fw__free_cells_place_grid(&site.map.frame, n, &planning));
    assert_int_equal(planning.width, site.planning.width);
  }
  assert_true(fw__free_cells_sweep_is_free(&site.cells, &(fw_raster_sweep_t){{0.5, 0.5}, {0.5, 0.5}, 0.1}));
  // A radius larger than the map: nothing is free.
  fw_free_cells_rule_t large = good;
  large.radius = 1e6;
  assert_int_equal(fw__free_cells_fill(&site.cells, &large, &site.grid, &site.count), FW_RET_OK);
  assert_int_equal(site.count.free, 0);
  fw__free_cells_fini(&site.cells);
  site.map.frame.resolution = 0.0;
  assert_int_equal(fw__free_cells_init(&site.cells, &site.map, NULL), FW_RET_INVALID_ARGUMENT);
  fw__free_cells_fini(&site.cells);
}

static void a_failed_allocation_changes_nothing_and_leaks_nothing(void ** state)
{
  (void)state;
  site_t site = open_site(50, 40, 0.05);
  add_wall(&site, 10, 0, 1, 40);
  build(&site);
  const int32_t wanted = site.count.free;
  fw__free_cells_fini(&site.cells);
  int32_t errors = 0;
  bool has_succeeded = false;
  for (int64_t n = 1; !has_succeeded; ++n) {
    assert_true(n < 100);
    tally_t tally = {0};
    const fw_allocator_t allocator = tally_allocator(&tally);
    tally_fail(&tally, n, false);
    fw_ret_t ret = fw__free_cells_init(&site.cells, &site.map, &allocator);
    if (ret == FW_RET_OK) {
      memset(costs, 7, (size_t)fw_grid_cell_count(&site.grid));
      ret = fw__free_cells_fill(&site.cells, &site.rule, &site.grid, &site.count);
      assert_int_equal(costs[0], ret == FW_RET_OK ? 1 : 7);
    }
    assert_true(ret == FW_RET_OK || ret == FW_RET_BAD_ALLOC);
    errors += ret == FW_RET_BAD_ALLOC ? 1 : 0;
    has_succeeded = ret == FW_RET_OK;
    fw__free_cells_fini(&site.cells);
    assert_int_equal(tally.live, 0);
  }
  assert_int_equal(site.count.free, wanted);
  assert_true(errors >= 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(occupancy_becomes_obstacles_as_in_the_map_server),
    cmocka_unit_test(a_touch_is_free_and_an_overlap_is_not),
    cmocka_unit_test(a_disc_that_ends_on_the_line_between_two_map_cells_is_in_one_of_them),
    cmocka_unit_test(an_aisle_of_a_disc_and_a_cell_has_a_free_row_at_every_offset),
    cmocka_unit_test(resolutions_that_are_floats_lose_no_row_at_the_edge),
    cmocka_unit_test(whole_squares_are_free_of_obstacles_too),
    cmocka_unit_test(a_thin_wall_blocks_one_side_and_leaves_the_narrow_aisle),
    cmocka_unit_test(a_wall_as_thick_as_the_gap_blocks_nothing_for_moves),
    cmocka_unit_test(a_pillar_between_four_cells_blocks_one_of_them),
    cmocka_unit_test(a_cell_inside_thin_walls_is_blocked_and_not_its_neighbours),
    cmocka_unit_test(random_maps_agree_with_the_reference),
    cmocka_unit_test(large_maps_of_pillars_have_no_bad_move_and_no_cell_blocked_in_vain),
    cmocka_unit_test(the_place_of_the_map_does_not_change_its_free_cells),
    cmocka_unit_test(sweeps_agree_with_the_reference),
    cmocka_unit_test(a_point_belongs_to_its_cell_or_to_one_that_the_disc_reaches),
    cmocka_unit_test(a_point_behind_a_thin_wall_does_not_belong_to_the_other_side),
    cmocka_unit_test(bad_input_changes_nothing),
    cmocka_unit_test(a_failed_allocation_changes_nothing_and_leaks_nothing),
  };
  return TEST_RUN(tests);
}
