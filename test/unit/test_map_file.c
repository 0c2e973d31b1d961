// MovingAI maps: there and back, and each error with its file and line.

#include "fleetweave/files.h"
#include "support/draw.h"
#include "support/temp_file.h"
#include "support/test.h"
#include "support/world.h"

static fw_ret_t read_text(fw_grid_t * grid, const char * text, fw_error_t * error)
{
  temp_file_t scrap;
  temp_file_write_text(&scrap, text);
  const fw_ret_t ret = fw_grid_read(grid, scrap.path, NULL, error);
  if (ret != FW_RET_OK) {
    assert_non_null(strstr(error->text, strrchr(scrap.path, '/')));
  }
  temp_file_remove(&scrap);
  return ret;
}

static void maps_are_read_as_people_have_them(void ** state)
{
  (void)state;
  const char * const texts[] = {
    "type octile\nheight 2\nwidth 3\nmap\n.@.\nGTS\n",
    "type octile\r\nheight 2\r\nwidth 3\r\nmap\r\n.@.\r\nGTS\r\n",
    "height 2\nwidth 3\nmap\n.@.\nGTS",
    "\nwidth 3\n\nheight 2\n  \nmap\n.W.\nSOG\n\n\n",
    "type octile\rheight 2\rwidth 3\rmap\r.@.\r.#.",
    "type octile\nheight 2\nwidth 3\nmap\n.@.   \n.T.\t\n \n\n",
  };
  for (int32_t i = 0; i < TEST_COUNT(texts); ++i) {
    fw_grid_t grid;
    fw_error_t error = {0};
    const uint8_t expected[] = {1, 0, 1, 1, 0, 1};
    if (read_text(&grid, texts[i], &error) != FW_RET_OK) {
      fail_msg("text %d: %s", i, error.text);
    }
    assert_int_equal(grid.width, 3);
    assert_int_equal(grid.height, 2);
    assert_memory_equal(grid.cost, expected, sizeof(expected));
    fw_grid_fini(&grid);
  }
}

static void each_error_names_its_line(void ** state)
{
  (void)state;
  const struct {
    const char * text;
    const char * words;
  } cases[] = {
    {"", ":0: the file ends before 'map'"},
    {"type octile\n", ":1: the file ends before 'map'"},
    {"hello\n", ":1: expected type, height, width or map, not 'hello'"},
    {"height 2\nmap\n", ":2: 'map' must come after 'height' and 'width'"},
    {"height 0\nwidth 3\nmap\n", ":1: a side must be 1 to 16384 cells, not '0'"},
    {"height two\n", ":1: a side must be 1 to 16384 cells, not 'two'"},
    {"height 2\nwidth 99999\nmap\n", ":2: a side must be 1 to 16384"},
    {"height -2\nwidth 3\nmap\n", ":1: a side"},
    {"height 99999999999999999999\n", ":1: a side"},
    {"height 2\nwidth 3\nmap\n...\n", ":4: the map has 1 rows, but its height is 2"},
    {"height 2\nwidth 3\nmap\n...\n..\n", ":5: row 1 has 2 cells, but the width is 3"},
    {"height 2\nwidth 3\nmap\n...\n....\n", ":5: row 1 has 4 cells, but the width is 3"},
    {"height 2\nwidth 3\nmap\n...  @\n...\n", ":4: row 0 has 6 cells, but the width is 3"},
    {"height 2\nwidth 3\nmap\n...\n...\n...\n", ":6: the map has more rows than its height, 2"},
    {"height 2\nwidth 3\nmap\n...\n...\n\nend\n", ":7: the map has more rows than its height, 2"},
    {"height 2\nwidth 3\nmap\n\n...\n...\n", ":4: row 0 has 0 cells, but the width is 3"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_grid_t grid;
    fw_error_t error = {0};
    assert_int_equal(read_text(&grid, cases[i].text, &error), FW_RET_FILE);
    if (strstr(error.text, cases[i].words) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
    assert_null(grid.cost);
  }
  fw_grid_t grid;
  fw_error_t error;
  assert_int_equal(fw_grid_read(&grid, "no/such.map", NULL, &error), FW_RET_NOT_FOUND);
  assert_non_null(strstr(error.text, "no/such.map"));
}

static void what_is_written_is_read_again(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(50); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_grid_t grid = world_grid(&rng, 1 + fw__rng_below(&rng, 30), 1 + fw__rng_below(&rng, 30), 30, false);
    temp_file_t scrap;
    FILE * stream = temp_file_open(&scrap);
    assert_int_equal(fw_grid_write(&grid, stream, NULL), FW_RET_OK);
    assert_int_equal(fclose(stream), 0);
    fw_grid_t again;
    assert_int_equal(fw_grid_read(&again, scrap.path, NULL, NULL), FW_RET_OK);
    assert_int_equal(again.width, grid.width);
    assert_int_equal(again.height, grid.height);
    assert_memory_equal(again.cost, grid.cost, (size_t)fw_grid_cell_count(&grid));
    temp_file_remove(&scrap);
    fw_grid_fini(&grid);
    fw_grid_fini(&again);
  }
}

static void a_stream_that_cannot_be_written_is_an_error(void ** state)
{
  (void)state;
  DRAW(grid, "..");
  temp_file_t scrap;
  temp_file_write_text(&scrap, "");
  FILE * stream = fopen(scrap.path, "rb");
  fw_error_t error;
  assert_int_equal(fw_grid_write(&grid, stream, &error), FW_RET_FILE);
  assert_int_equal(fclose(stream), 0);
  temp_file_remove(&scrap);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(maps_are_read_as_people_have_them),
    cmocka_unit_test(each_error_names_its_line),
    cmocka_unit_test(what_is_written_is_read_again),
    cmocka_unit_test(a_stream_that_cannot_be_written_is_an_error),
  };
  return TEST_RUN(tests);
}
