// MovingAI scenarios: there and back, and each error with its file and line.

#include "fleetweave/files.h"
#include "support/draw.h"
#include "support/temp_file.h"
#include "support/test.h"

static fw_ret_t read_text(
  fw_scenario_t * scenario, const char * text, const fw_grid_t * grid, int32_t count, fw_error_t * error)
{
  temp_file_t scrap;
  temp_file_write_text(&scrap, text);
  const fw_ret_t ret = fw_scenario_read(scenario, scrap.path, grid, count, NULL, error);
  temp_file_remove(&scrap);
  return ret;
}

static void scenarios_are_read_as_people_have_them(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const char * const texts[] = {
    "version 1\n0\tm.map\t3\t2\t0\t0\t2\t1\t3.0\n1\tm.map\t3\t2\t1\t1\t0\t0\t1.41421356\n",
    "version 1.0\r\n0 maps/m.map 3 2 0 0 2 1 3\r\n\r\n0 m 3 2 1 1 0 0 0\r\n",
    "\nversion 1\n  0   m   3   2   0   0   2   1   3\n0 m 3 2 1 1 0 0",
    "version 1\r0 m 3 2 0 0 2 1 3\r0 m 3 2 1 1 0 0 0",
  };
  for (int32_t i = 0; i < TEST_COUNT(texts); ++i) {
    fw_scenario_t scenario;
    fw_error_t error = {0};
    if (read_text(&scenario, texts[i], &grid, -1, &error) != FW_RET_OK) {
      fail_msg("text %d: %s", i, error.text);
    }
    assert_int_equal(scenario.robot_count, 2);
    assert_int_equal(scenario.robots[0].start, 0);
    assert_int_equal(scenario.robots[0].goal, 5);
    assert_int_equal(scenario.robots[1].start, 4);
    assert_int_equal(scenario.robots[1].goal, 0);
    fw_scenario_fini(&scenario);
  }
}

static void the_first_robots_are_taken(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const char * text = "version 1\n0 m 3 2 0 0 2 1 3\n0 m 3 2 1 1 0 0 1\nthis line is not looked at\n";
  for (int32_t count = 0; count <= 2; ++count) {
    fw_scenario_t scenario;
    assert_int_equal(read_text(&scenario, text, &grid, count, NULL), FW_RET_OK);
    assert_int_equal(scenario.robot_count, count);
    fw_scenario_fini(&scenario);
    fw_scenario_fini(&scenario);
  }
  fw_scenario_fini(NULL);
}

static void each_error_names_its_line(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const struct {
    const char * text;
    int32_t count;
    const char * words;
  } cases[] = {
    {"", -1, ":0: a scenario must begin with 'version 1'"},
    {"0 m 3 2 0 0 2 1 3\n", -1, ":1: a scenario must begin with 'version 1'"},
    {"version 1\n\n0 m 3 2 0 0 2\n", -1, ":3: expected bucket, map, width"},
    {"version 1\n0 m 3 2 0 0 2 x 3\n", -1, ":2: expected bucket"},
    {"version 1\n0\n", -1, ":2: expected bucket"},
    {"version 1\n0 m 4 2 0 0 2 1 3\n", -1, ":2: the scenario is for a map of 4 x 2 cells, but the map has 3 x 2"},
    {"version 1\n0 m 3 2 0 0 3 1 3\n", -1, ":2: a start or goal is outside the map of 3 x 2"},
    {"version 1\n0 m 3 2 0 -1 2 1 3\n", -1, ":2: a start or goal is outside"},
    {"version 1\n0 m 3 2 0 0 2 99999999999 3\n", -1, ":2: expected bucket"},
    {"version 1\n0 m 3 2 0 0 2 1 3\n", 2, ":2: the scenario has 1 of the 2 robots that are requested"},
    {"version 1\n", 1000000, "the scenario has 0 of the 1000000 robots that are requested"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_scenario_t scenario;
    fw_error_t error = {0};
    assert_int_equal(read_text(&scenario, cases[i].text, &grid, cases[i].count, &error), FW_RET_FILE);
    if (strstr(error.text, cases[i].words) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
    assert_null(scenario.robots);
  }
  fw_scenario_t scenario;
  assert_int_equal(fw_scenario_read(&scenario, "no/such.scen", &grid, -1, NULL, NULL), FW_RET_NOT_FOUND);
}

static void what_is_written_is_read_again(void ** state)
{
  (void)state;
  fw_grid_t grid;
  assert_int_equal(fw_grid_make(&grid, "random:30x20,seed=5", NULL, NULL), FW_RET_OK);
  fw_scenario_t scenario, again;
  assert_int_equal(fw_scenario_make(&scenario, &grid, 100, 3, NULL, NULL), FW_RET_OK);
  temp_file_t scrap;
  FILE * stream = temp_file_open(&scrap);
  assert_int_equal(fw_scenario_write(&scenario, &grid, "a.map", stream, NULL), FW_RET_OK);
  assert_int_equal(fclose(stream), 0);
  assert_int_equal(fw_scenario_read(&again, scrap.path, &grid, -1, NULL, NULL), FW_RET_OK);
  assert_int_equal(again.robot_count, 100);
  for (int32_t i = 0; i < 100; ++i) {
    assert_int_equal(again.robots[i].start, scenario.robots[i].start);
    assert_int_equal(again.robots[i].goal, scenario.robots[i].goal);
  }
  temp_file_remove(&scrap);
  fw_scenario_fini(&scenario);
  fw_scenario_fini(&again);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(scenarios_are_read_as_people_have_them),
    cmocka_unit_test(the_first_robots_are_taken),
    cmocka_unit_test(each_error_names_its_line),
    cmocka_unit_test(what_is_written_is_read_again),
  };
  return TEST_RUN(tests);
}
