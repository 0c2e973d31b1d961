// Plan files: written and read back, and each error names file and line.

#include "fleetweave/files.h"
#include "support/draw.h"
#include "support/temp_file.h"
#include "support/test.h"

static fw_ret_t read_text(fw_plan_file_t * file, const char * text, const fw_grid_t * grid, fw_error_t * error)
{
  temp_file_t scrap;
  temp_file_write_text(&scrap, text);
  const fw_ret_t ret = fw_plan_read(file, scrap.path, grid, NULL, error);
  temp_file_remove(&scrap);
  return ret;
}

// Robot 0 goes from (0,0) to (2,0) and waits; robot 1 follows from (0,1) to (1,1).
static const fw_cell_t first[] = {0, 1, 2, 2};
static const fw_cell_t second[] = {3, 3, 3, 4};

static void a_plan_is_written_as_visualisers_read_it(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}, {.start = 3, .goal = 4}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  const fw_path_t paths[] = {{.cells = first, .length = 4}, {.cells = second, .length = 4}};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = paths, .robot_count = 2};
  temp_file_t scrap;
  FILE * stream = temp_file_open(&scrap);
  assert_int_equal(fw_plan_write(&problem, &plan, "hall.map", "hca", stream, NULL), FW_RET_OK);
  assert_int_equal(fclose(stream), 0);
  char text[1000];
  temp_file_read(&scrap, text, sizeof(text));
  assert_string_equal(
    text,
    "agents=2\nmap_file=hall.map\nsolver=hca\nsolved=1\nsoc=5\nmakespan=3\nstarts=(0,0),(0,1),\ngoals=(2,0),(1,1),\n"
    "solution=\n0:(0,0),(0,1),\n1:(1,0),(0,1),\n2:(2,0),(0,1),\n3:(2,0),(1,1),\n");
  fw_plan_file_t file;
  assert_int_equal(fw_plan_read(&file, scrap.path, &grid, NULL, NULL), FW_RET_OK);
  assert_int_equal(file.robot_count, 2);
  assert_string_equal(file.map_file, "hall.map");
  assert_string_equal(file.solver, "hca");
  assert_true(file.is_solved);
  assert_int_equal(file.starts[1], 3);
  assert_int_equal(file.goals[0], 2);
  assert_int_equal(file.paths[0].length, 4);
  assert_memory_equal(file.paths[0].cells, first, sizeof(first));
  assert_memory_equal(file.paths[1].cells, second, sizeof(second));
  fw_plan_file_fini(&file);
  fw_plan_file_fini(&file);
  temp_file_remove(&scrap);
}

static void a_partial_plan_ends_where_it_is_no_longer_safe(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 2}, {.start = 3, .goal = 4}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  const fw_path_t paths[] = {{.cells = first, .length = 4}, {.cells = second, .length = 4}};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_PARTIAL, .safe_until = 1, .paths = paths, .robot_count = 2};
  temp_file_t scrap;
  FILE * stream = temp_file_open(&scrap);
  assert_int_equal(fw_plan_write(&problem, &plan, "m", "s", stream, NULL), FW_RET_OK);
  assert_int_equal(fclose(stream), 0);
  fw_plan_file_t file;
  assert_int_equal(fw_plan_read(&file, scrap.path, &grid, NULL, NULL), FW_RET_OK);
  assert_false(file.is_solved);
  assert_int_equal(file.paths[0].length, 2);
  fw_plan_file_fini(&file);
  temp_file_remove(&scrap);
}

static void headings_are_written_and_read_back(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  static const uint8_t headings[] = {0, 0, 1, 2};
  const fw_robot_t robots[] = {{.start = 0, .goal = 2, .turn_ticks = 1}, {.start = 3, .goal = 4}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8};
  const fw_path_t paths[] = {{.cells = first, .length = 4, .headings = headings}, {.cells = second, .length = 4}};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = paths, .robot_count = 2};
  temp_file_t scrap;
  FILE * stream = temp_file_open(&scrap);
  assert_int_equal(fw_plan_write(&problem, &plan, "m", "s", stream, NULL), FW_RET_OK);
  assert_int_equal(fclose(stream), 0);
  char text[1000];
  temp_file_read(&scrap, text, sizeof(text));
  assert_non_null(strstr(text, "goals=(2,0),(1,1),\nheadings=0012,-,\nsolution=\n0:(0,0),(0,1),\n"));
  fw_plan_file_t file;
  assert_int_equal(fw_plan_read(&file, scrap.path, &grid, NULL, NULL), FW_RET_OK);
  assert_memory_equal(file.paths[0].headings, headings, sizeof(headings));
  assert_null(file.paths[1].headings);
  fw_plan_file_fini(&file);
  temp_file_remove(&scrap);
}

static void variants_of_other_tools_are_read(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const char * const texts[] = {
    "agents=1\nstarts=(0,0),\ngoals=(1,0),\nsolution=\n0:(0,0),\n1:(1,0),\n",
    "agents=1\r\ncomp_time=12\r\nlower_bound=1\r\nstarts=(0,0)\r\ngoals=(1,0)\r\nsolution=\r\n0:(0,0)\r\n1:(1,0)",
    "\nagents=1\n\ngoals=(1,0),\nstarts=(0,0),\nsolution=\n\n0:(0,0), \n\n1:(1,0),\t\n\n",
  };
  for (int32_t i = 0; i < TEST_COUNT(texts); ++i) {
    fw_plan_file_t file;
    fw_error_t error = {0};
    if (read_text(&file, texts[i], &grid, &error) != FW_RET_OK) {
      fail_msg("text %d: %s", i, error.text);
    }
    assert_int_equal(file.robot_count, 1);
    assert_int_equal(file.starts[0], 0);
    assert_int_equal(file.goals[0], 1);
    assert_int_equal(file.paths[0].length, 2);
    assert_int_equal(file.paths[0].cells[1], 1);
    fw_plan_file_fini(&file);
  }
  fw_plan_file_t nobody;
  assert_int_equal(read_text(&nobody, "agents=0\nstarts=\ngoals=\nsolution=\n0:\n", &grid, NULL), FW_RET_OK);
  assert_int_equal(nobody.robot_count, 0);
  fw_plan_file_fini(&nobody);
}

static void each_error_names_its_line(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...");
  const struct {
    const char * text;
    const char * words;
  } cases[] = {
    {"", ":0: the file ends before 'solution='"},
    {"agents=1\n", ":1: the file ends before 'solution='"},
    {"hello\n", ":1: expected key=value, not 'hello'"},
    {"agents=one\n", ":1: expected one number of agents, not 'one'"},
    {"agents=-1\n", ":1: expected one number of agents"},
    {"agents=1\nagents=2\n", ":2: expected one number of agents"},
    {"starts=(0,0),\n", ":1: 'agents=' must come first"},
    {"solution=\n", ":1: 'agents=' is missing"},
    {"agents=2\nstarts=(0,0),\n", ":2: expected (x,y) for robot 1"},
    {"agents=1\nstarts=(0,0),(1,0),\n", ":2: more positions than robots (agents=1)"},
    {"agents=1\nstarts=(3,0),\n", ":2: robot 0 is at (3,0), outside the grid of 3 x 2"},
    {"agents=1\nstarts=(-1,0),\n", ":2: robot 0 is at (-1,0), outside"},
    {"agents=1\nstarts=(0;0),\n", ":2: expected (x,y) for robot 0"},
    {"agents=1\ngoals=(0,0),\nsolution=\n0:(0,0),\n", "'starts='"},
    {"agents=1\nstarts=(0,0),\nsolution=\n0:(0,0),\n", "'goals='"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nsolution=\n", "at least one tick after 'solution='"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nsolution=\n1:(0,0),\n", ":5: tick 1 where 0 was expected"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nsolution=\n0:(0,0),\n0:(0,0),\n", ":6: tick 0 where 1"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nsolution=\n0:(0,0),\nx:(0,0)\n", ":6: expected 'tick:(x,y)"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nsolution=\n0:(0,2),\n", ":5: robot 0 is at (0,2), outside"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nsolution=\n0:(0,0),(1,1),\n", ":5: more positions than robots (agents=1)"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nheadings=00,\nsolution=\n0:(0,0),\n", ":4: expected 1 headings 0 to 7"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nheadings=8,\nsolution=\n0:(0,0),\n", ":4: expected 1 headings 0 to 7"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nheadings=\nsolution=\n0:(0,0),\n", ":4: expected 1 headings 0 to 7"},
    {"agents=1\nstarts=(0,0),\ngoals=(0,0),\nheadings=0,-,\nsolution=\n0:(0,0),\n",
     ":4: more headings than robots (agents=1)"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_plan_file_t file;
    fw_error_t error = {0};
    const fw_ret_t ret = read_text(&file, cases[i].text, &grid, &error);
    if (ret != FW_RET_FILE || strstr(error.text, cases[i].words) == NULL) {
      fail_msg("case %d: '%s' is not in '%s'", i, cases[i].words, error.text);
    }
    assert_null(file.paths);
    assert_null(file.starts);
  }
  fw_plan_file_t file;
  assert_int_equal(fw_plan_read(&file, "no/such.plan", &grid, NULL, NULL), FW_RET_NOT_FOUND);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_plan_is_written_as_visualisers_read_it),
    cmocka_unit_test(a_partial_plan_ends_where_it_is_no_longer_safe),
    cmocka_unit_test(headings_are_written_and_read_back),
    cmocka_unit_test(variants_of_other_tools_are_read),
    cmocka_unit_test(each_error_names_its_line),
  };
  return TEST_RUN(tests);
}
