// Maps from a seed: the same line gives the same bytes, and what a kind promises holds.

#include "base/rng.h"
#include "fleetweave/files.h"
#include "support/dijkstra.h"
#include "support/test.h"

static uint64_t hash(const fw_grid_t * grid)
{
  uint64_t value = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)grid->width;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    value = (value ^ grid->cost[cell]) * UINT64_C(0x100000001b3);
  }
  return value;
}

static fw_grid_t make(const char * line)
{
  fw_grid_t grid;
  fw_error_t error = {0};
  if (fw_grid_make(&grid, line, NULL, &error) != FW_RET_OK) {
    fail_msg("%s: %s", line, error.text);
  }
  return grid;
}

static int32_t count_free(const fw_grid_t * grid)
{
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    assert_in_range(grid->cost[cell], 0, 1);
    count += grid->cost[cell];
  }
  return count;
}

// Can every free cell be reached from the first one?
static bool is_connected(const fw_grid_t * grid)
{
  static int32_t distance[120 * 120];
  fw_cell_t first = 0;
  while (grid->cost[first] == 0) {
    ++first;
  }
  dijkstra_to(&(dijkstra_t){.grid = grid, .connectivity = 4}, first, distance);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    if (grid->cost[cell] != 0 && distance[cell] < 0) {
      return false;
    }
  }
  return true;
}

// A change here is a change of every benchmark that names such a line.
static void the_same_line_gives_the_same_bytes_for_ever(void ** state)
{
  (void)state;
  const struct {
    const char * line;
    uint64_t hash;
  } cases[] = {
    {"open:7x5", UINT64_C(0x974a8e00b3d6428b)},
    {"random:32x32,seed=1", UINT64_C(0x631552ad6ae03237)},
    {"random:32x32,obstacles=35,seed=7", UINT64_C(0xe5914ef7e276cdef)},
    {"warehouse:61x33,seed=1", UINT64_C(0xf33a1dd4f4a7cf7b)},
    {"rooms:40x30,room=5,seed=3", UINT64_C(0x53093dbb7684cb16)},
    {"maze:31x21,seed=2", UINT64_C(0x5286c33f8d52a34f)},
    {"maze:30x30,corridor=2,seed=4", UINT64_C(0xc6a450a7a31f907b)},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_grid_t grid = make(cases[i].line);
    if (hash(&grid) != cases[i].hash) {
      fail_msg("%s gives %016llx", cases[i].line, (unsigned long long)hash(&grid));
    }
    fw_grid_fini(&grid);
  }
}

static void seeds_make_a_difference(void ** state)
{
  (void)state;
  const char * const kinds[][2] = {
    {"random:20x20,seed=1", "random:20x20,seed=2"},
    {"rooms:20x20,seed=1", "rooms:20x20,seed=2"},
    {"maze:21x21,seed=1", "maze:21x21,seed=2"}};
  for (int32_t i = 0; i < TEST_COUNT(kinds); ++i) {
    fw_grid_t one = make(kinds[i][0]);
    fw_grid_t two = make(kinds[i][1]);
    assert_true(hash(&one) != hash(&two));
    fw_grid_fini(&one);
    fw_grid_fini(&two);
  }
}

static void the_share_of_obstacles_is_exact(void ** state)
{
  (void)state;
  for (int32_t share = 0; share < 100; ++share) {
    char line[64];
    (void)snprintf(line, sizeof(line), "random:37x11,obstacles=%d,seed=%d", share, share);
    fw_grid_t grid = make(line);
    assert_int_equal(count_free(&grid), 37 * 11 - 37 * 11 * share / 100);
    fw_grid_fini(&grid);
  }
}

static void warehouses_rooms_and_mazes_hang_together(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(300); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    const int32_t width = 1 + fw__rng_below(&rng, 40);
    const int32_t height = 1 + fw__rng_below(&rng, 40);
    const int32_t size = 1 + fw__rng_below(&rng, 9);
    const int32_t seed = fw__rng_below(&rng, 100000);
    char line[100];
    if (round % 3 == 0) {
      (void)snprintf(
        line, sizeof(line), "warehouse:%dx%d,seed=%d,shelf=%d,aisle=%d,lane=%d", width, height, seed, size,
        1 + fw__rng_below(&rng, 3), 1 + fw__rng_below(&rng, 3));
    } else {
      (void)snprintf(
        line, sizeof(line), "%s:%dx%d,seed=%d,%s=%d", round % 3 == 1 ? "rooms" : "maze", width, height, seed,
        round % 3 == 1 ? "room" : "corridor", size);
    }
    fw_grid_t grid = make(line);
    if (!is_connected(&grid)) {
      fail_msg("%s is in pieces", line);
    }
    fw_grid_fini(&grid);
  }
}

// A tree has one edge less than places: 11 x 11 chambers of one cell and 120 doors.
static void a_maze_has_one_way_between_any_two_places(void ** state)
{
  (void)state;
  fw_grid_t grid = make("maze:21x21,seed=9");
  assert_int_equal(count_free(&grid), 121 + 120);
  fw_grid_fini(&grid);
}

static void a_warehouse_has_shelves_and_free_lanes(void ** state)
{
  (void)state;
  fw_grid_t grid = make("warehouse:14x9,shelf=3,aisle=1,lane=2");
  static const char * const expected[] = {"..............", "..............", "..###.###.....",
                                          "..###.###.....", "..............", "..###.###.....",
                                          "..###.###.....", "..............", ".............."};
  for (int32_t y = 0; y < 9; ++y) {
    for (int32_t x = 0; x < 14; ++x) {
      assert_int_equal(fw_grid_is_free(&grid, x, y), expected[y][x] == '.');
    }
  }
  fw_grid_fini(&grid);
}

static void bad_lines_are_refused_with_the_reason(void ** state)
{
  (void)state;
  const struct {
    const char * line;
    const char * words;
  } cases[] = {
    {"", "open, random, warehouse, rooms and maze"},
    {"castle:5x5", "'castle:5x5' does not begin with a kind of map"},
    {"open", "does not begin with a kind"},
    {"open:", "open:WIDTHxHEIGHT"},
    {"open:5", "WIDTHxHEIGHT"},
    {"open:0x5", "sides of 1 to 16384"},
    {"open:5x-5", "sides of 1 to 16384"},
    {"open:16385x5", "sides of 1 to 16384"},
    {"open:5x5,obstacles=3", "no key 'obstacles'; it has: seed"},
    {"random:5x5,obstacles=100", "obstacles must be a whole number from 0 to 99, as in obstacles=0"},
    {"random:5x5,obstacles=-1", "obstacles must be a whole number from 0"},
    {"random:5x5,obstacles", "obstacles="},
    {"random:5x5,obstacles=x", "obstacles="},
    {"random:5x5;seed=1", "expected ',key=value', not ';seed=1'"},
    {"random:5x5,", "no key ''"},
    {"maze:5x5,corridor=0", "corridor=1"},
    {"warehouse:5x5,shelves=1", "it has: seed, shelf, aisle, lane"},
    {"open:5x5,seed=-1", "seed=0"},
    {"open:5x5,seed=99999999999", "seed=0"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_grid_t grid;
    fw_error_t error = {0};
    assert_int_equal(fw_grid_make(&grid, cases[i].line, NULL, &error), FW_RET_INVALID_ARGUMENT);
    if (strstr(error.text, cases[i].words) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
    assert_null(grid.cost);
  }
  char longest[400];
  memset(longest, 'x', sizeof(longest));
  longest[sizeof(longest) - 1] = '\0';
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, longest, NULL, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_grid_make(&grid, NULL, NULL, NULL), FW_RET_INVALID_ARGUMENT);
}

// Every line of the help that names a kind works with sides put in.
static void the_help_names_every_kind(void ** state)
{
  (void)state;
  const char * const kinds[] = {"open:",      "random:", "warehouse:", "rooms:", "maze:", "seed=",
                                "obstacles=", "shelf=",  "aisle=",     "lane=",  "room=", "corridor="};
  for (int32_t i = 0; i < TEST_COUNT(kinds); ++i) {
    assert_non_null(strstr(fw_grid_make_help(), kinds[i]));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_same_line_gives_the_same_bytes_for_ever),
    cmocka_unit_test(seeds_make_a_difference),
    cmocka_unit_test(the_share_of_obstacles_is_exact),
    cmocka_unit_test(warehouses_rooms_and_mazes_hang_together),
    cmocka_unit_test(a_maze_has_one_way_between_any_two_places),
    cmocka_unit_test(a_warehouse_has_shelves_and_free_lanes),
    cmocka_unit_test(bad_lines_are_refused_with_the_reason),
    cmocka_unit_test(the_help_names_every_kind),
  };
  return TEST_RUN(tests);
}
