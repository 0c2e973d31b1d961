// Properties of robots as text: what people write, and each error with its file and line.

#include "fleetweave/files.h"
#include "support/dijkstra.h"
#include "support/temp_file.h"
#include "support/test.h"
#include "support/rotated.h"
#include "support/world.h"

enum { ROBOTS = 4 };

static fw_ret_t read_text(fw_fleet_file_t * file, const char * text, fw_robot_t * robots, fw_error_t * error)
{
  temp_file_t scrap;
  temp_file_write_text(&scrap, text);
  const fw_ret_t ret = fw_fleet_file_read(file, scrap.path, robots, ROBOTS, NULL, error);
  temp_file_remove(&scrap);
  return ret;
}

static void later_lines_win_and_the_rest_stays(void ** state)
{
  (void)state;
  fw_robot_t robots[ROBOTS] = {{.start = 7, .goal = 8, .priority = 5}, {.start = 9}};
  fw_fleet_file_t file;
  fw_error_t error = {0};
  const char * text =
    "# the fleet\r\n"
    "*   ticks_per_move=2 turn_ticks=1\r\n"
    "\r\n"
    "1-2 footprint=2x2 heading=north-west\tsweeps_sides=true  # two of them\r\n"
    "2-3 ticks_per_move=3 turn_ticks=0 sweeps_sides=false\r\n"
    "1 priority=-4 heading=6\r\n"
    "3 footprint=0,0;-1,0;0,12";
  if (read_text(&file, text, robots, &error) != FW_RET_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(robots[0].start, 7);
  assert_int_equal(robots[0].goal, 8);
  assert_int_equal(robots[0].priority, 5);
  assert_int_equal(robots[0].ticks_per_move, 2);
  assert_int_equal(robots[0].turn_ticks, 1);
  assert_int_equal(robots[0].footprint_count, 0);
  assert_int_equal(robots[1].priority, -4);
  assert_int_equal(robots[1].heading, FW_HEADING_NORTH);
  assert_int_equal(robots[1].ticks_per_move, 2);
  assert_true(robots[1].sweeps_sides);
  assert_int_equal(robots[2].heading, FW_HEADING_NORTH_WEST);
  assert_int_equal(robots[2].ticks_per_move, 3);
  assert_int_equal(robots[2].turn_ticks, 0);
  assert_false(robots[2].sweeps_sides);
  assert_int_equal(robots[3].footprint_count, 3);
  assert_int_equal(robots[3].footprint[2].dy, 12);
  fw_fleet_file_fini(&file);
  fw_fleet_file_fini(&file);
  fw_fleet_file_fini(NULL);
}

static void rectangles_lie_around_the_middle(void ** state)
{
  (void)state;
  const struct {
    const char * text;
    fw_offset_t first, last;
  } cases[] = {
    {"* footprint=1x1", {0, 0}, {0, 0}},
    {"* footprint=2x2", {0, 0}, {1, 1}},
    {"* footprint=3x3", {-1, -1}, {1, 1}},
    {"* footprint=4x1", {-1, 0}, {2, 0}},
    {"* footprint=1x5", {0, -2}, {0, 2}}};
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_robot_t robots[ROBOTS] = {{0}};
    fw_fleet_file_t file;
    assert_int_equal(read_text(&file, cases[i].text, robots, NULL), FW_RET_OK);
    const fw_offset_t * cells = robots[0].footprint;
    const int32_t last = robots[0].footprint_count - 1;
    assert_memory_equal(&cells[0], &cases[i].first, sizeof(*cells));
    assert_memory_equal(&cells[last], &cases[i].last, sizeof(*cells));
    assert_true(rotated_covers(&robots[0], 0, (fw_offset_t){0, 0}));
    fw_fleet_file_fini(&file);
  }
}

static void each_error_names_its_line(void ** state)
{
  (void)state;
  const struct {
    const char * text;
    const char * words;
  } cases[] = {
    {"all priority=1", ":1: expected robots as 3, 0-9 or *"},
    {"\n5-3 priority=1", ":2: expected robots as 3, 0-9 or *"},
    {"-1 priority=1", ":1: expected robots as 3, 0-9 or *"},
    {"1,2 priority=1", ":1: expected robots as 3, 0-9 or *"},
    {"4 priority=1", ":1: there is no robot 4: the fleet has 4 robots, counted from 0"},
    {"* priority=1\n2-9 priority=1", ":2: there is no robot 9: the fleet has 4 robots"},
    {"4", ":1: there is no robot 4"},
    {"* priority", ":1: expected key=value, not 'priority'"},
    {"* speed=1", ":1: there is no property 'speed'; the properties are priority, ticks_per_move"},
    {"* priority=high", ":1: priority must be a whole number, not 'high'"},
    {"* ticks_per_move=0", ":1: ticks_per_move must be 1 to 8, not '0'"},
    {"* turn_ticks=9", ":1: turn_ticks must be 1 to 8, or 0 for no heading, not '9'"},
    {"* heading=up", ":1: heading must be east, south-east"},
    {"* heading=8", ":1: heading must be east, south-east"},
    {"* sweeps_sides=yes", ":1: sweeps_sides must be true or false, not 'yes'"},
    {"# a\n* footprint=0x2", ":2: footprint must be WxH with sides of 1 to 99"},
    {"* footprint=2x100", ":1: footprint must be WxH"},
    {"* footprint=2x2x2", ":1: footprint must be WxH"},
    {"* footprint=0,0;", ":1: footprint must be WxH"},
    {"* footprint=", ":1: footprint must be WxH"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_robot_t robots[ROBOTS] = {{0}};
    fw_fleet_file_t file;
    fw_error_t error = {0};
    const fw_ret_t ret = read_text(&file, cases[i].text, robots, &error);
    if (ret != FW_RET_FILE || strstr(error.text, cases[i].words) == NULL) {
      fail_msg("case %d: '%s' is not in '%s'", i, cases[i].words, error.text);
    }
    assert_null(file.cells);
    assert_null(robots[0].footprint);
  }
  fw_fleet_file_t file;
  assert_int_equal(fw_fleet_file_read(&file, "no/such.fleet", NULL, 0, NULL, NULL), FW_RET_NOT_FOUND);
}

// Robots of any body are placed apart, each with a path to its goal.
static void placed_robots_are_apart_and_have_a_way(void ** state)
{
  (void)state;
  int32_t placed = 0;
  for (int32_t round = 0; round < test_rounds(150); ++round) {
    world_t world;
    world_make(&world, (uint64_t)round, WORLD_MOTION, 8);
    fw_scenario_t scenario = {.robots = world.robots, .robot_count = world.problem.robot_count};
    fw_error_t error = {0};
    const fw_ret_t ret = fw_scenario_place(&scenario, &world.problem, (uint64_t)round, &error);
    assert_true(ret == FW_RET_OK || (ret == FW_RET_INVALID_ARGUMENT && error.robot >= 0));
    if (ret == FW_RET_OK) {
      assert_int_equal(fw_problem_check(&world.problem, NULL), FW_RET_OK);
      for (int32_t r = 0; r < world.problem.robot_count; ++r) {
        assert_true(dijkstra_ticks(&world.problem, r) >= 0);
      }
      ++placed;
    }
    world_fini(&world);
  }
  assert_true(placed > test_rounds(150) / 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(later_lines_win_and_the_rest_stays),
    cmocka_unit_test(rectangles_lie_around_the_middle),
    cmocka_unit_test(each_error_names_its_line),
    cmocka_unit_test(placed_robots_are_apart_and_have_a_way),
  };
  return TEST_RUN(tests);
}
