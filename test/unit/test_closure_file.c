// Closures as text: what people write, and each error with its file and line.

#include "fleetweave/files.h"
#include "support/draw.h"
#include "support/temp_file.h"
#include "support/test.h"

static fw_ret_t read_text(fw_closures_t * closures, const char * text, const fw_grid_t * grid, fw_error_t * error)
{
  temp_file_t scrap;
  temp_file_write_text(&scrap, text);
  const fw_ret_t ret = fw_closures_read(closures, scrap.path, grid, NULL, error);
  temp_file_remove(&scrap);
  return ret;
}

static void closures_are_read_as_people_write_them(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const char * const texts[] = {
    "0 0 0 9\n2 1 5 5\n1 0 7 forever\n",
    "# doors\r\n\r\n0 0 0 9  # the lift\r\n  2\t1\t5\t5\r\n1 0 7 -\r\n#",
    "0 0 0 9#\n2 1 5 5 \n1 0 7 1073741823",
    "0 0 0 9\r2 1 5 5\r1 0 7 -#",
  };
  const fw_closure_t expected[] = {{0, 0, 9}, {5, 5, 5}, {1, 7, FW_TICK_MAX}};
  for (int32_t i = 0; i < TEST_COUNT(texts); ++i) {
    fw_closures_t closures;
    fw_error_t error = {0};
    if (read_text(&closures, texts[i], &grid, &error) != FW_RET_OK) {
      fail_msg("text %d: %s", i, error.text);
    }
    assert_int_equal(closures.closure_count, TEST_COUNT(expected));
    assert_memory_equal(closures.closures, expected, sizeof(expected));
    fw_closures_fini(&closures);
    fw_closures_fini(&closures);
  }
  fw_closures_fini(NULL);
}

static void nothing_is_no_closure(void ** state)
{
  (void)state;
  DRAW(grid, "...");
  const char * const texts[] = {"", "\n\n", "# nothing", "  \t"};
  for (int32_t i = 0; i < TEST_COUNT(texts); ++i) {
    fw_closures_t closures;
    assert_int_equal(read_text(&closures, texts[i], &grid, NULL), FW_RET_OK);
    assert_int_equal(closures.closure_count, 0);
    fw_closures_fini(&closures);
  }
}

static void each_error_names_its_line(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const struct {
    const char * text;
    const char * words;
  } cases[] = {
    {"0 0 0 9\n\n3 0 0 1\n", ":3: (3,0) is outside the map of 3 x 2"},
    {"0 -1 0 9\n", ":1: (0,-1) is outside"},
    {"# door\n0 0 0\n", ":2: expected x y from to"},
    {"0 0 5 4\n", "not '0 0 5 4'"},
    {"0 0 -1 4\n", ":1: expected"},
    {"0 0 0 9 9\n", ":1: expected"},
    {"0 0 0 -1\n", ":1: expected"},
    {"0 0 0 for\n", ":1: expected"},
    {"0 0 0 forever-\n", ":1: expected"},
    {"0 0 - 4\n", ":1: expected"},
    {"0-0-0-\n", ":1: expected"},
    {"0 0 1.5 4\n", ":1: expected"},
    {"0 0 0 1073741824\n", ":1: expected"},
    {"door\n", "not 'door'"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_closures_t closures;
    fw_error_t error = {0};
    assert_int_equal(read_text(&closures, cases[i].text, &grid, &error), FW_RET_FILE);
    if (strstr(error.text, cases[i].words) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
    assert_null(closures.closures);
  }
  fw_closures_t closures;
  assert_int_equal(fw_closures_read(&closures, "no/such/file", &grid, NULL, NULL), FW_RET_NOT_FOUND);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(closures_are_read_as_people_write_them),
    cmocka_unit_test(nothing_is_no_closure),
    cmocka_unit_test(each_error_names_its_line),
  };
  return TEST_RUN(tests);
}
