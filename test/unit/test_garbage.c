// Readers and generators with garbage: random bytes, and valid files with a few bytes changed. Each gives an error or a
// result.

#include "base/rng.h"
#include "fleetweave/files.h"
#include "support/draw.h"
#include "support/temp_file.h"
#include "support/test.h"

enum { BYTES_MAX = 400 };

static const char * const seeds[] = {
  "type octile\nheight 2\nwidth 3\nmap\n.@.\nGTS\n",
  "version 1\n0\tm.map\t3\t2\t0\t0\t2\t1\t3.0\n1\tm.map\t3\t2\t1\t1\t0\t0\t1.41421356\n",
  ("agents=2\nmap_file=m\nsolver=s\nsolved=1\nsoc=1\nmakespan=1\nstarts=(0,0),(0,1),\ngoals=(1,0),(0,1),\n"
   "solution=\n0:(0,0),(0,1),\n1:(1,0),(0,1),\n"),
  "# door\n0 0 0 9\n2 1 5 -\n1 1 0 forever\n0 1 2 3\n",
  ("agents=2\nstarts=(0,0),(0,1),\ngoals=(1,0),(0,1),\nheadings=02,-,\nsolution=\n0:(0,0),(0,1),\n"
   "1:(1,0),(0,1),\n"),
  "# fleet\n* ticks_per_move=2 turn_ticks=1\n0-2 footprint=2x2 heading=east\n1 footprint=0,0;-1,3 sweeps_sides=true\n",
};

static size_t spoil(char * bytes, fw_rng_t * rng)
{
  const char * seed = seeds[fw__rng_below(rng, TEST_COUNT(seeds))];
  size_t size = strlen(seed);
  memcpy(bytes, seed, size);
  if (fw__rng_below(rng, 4) == 0) {
    size = (size_t)fw__rng_below(rng, BYTES_MAX);
    for (size_t i = 0; i < size; ++i) {
      bytes[i] = (char)fw__rng_below(rng, 256);
    }
  }
  for (int32_t i = fw__rng_below(rng, 4); i > 0 && size > 0; --i) {
    const size_t at = (size_t)fw__rng_below(rng, (int32_t)size);
    switch (fw__rng_below(rng, 4)) {
      case 0:
        bytes[at] = (char)fw__rng_below(rng, 256);
        break;
      case 1:
        bytes[at] = "0123456789-\n\r(),=:x"[fw__rng_below(rng, 19)];
        break;
      case 2:
        size = at;
        break;
      default:
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        --size;
        break;
    }
  }
  return size;
}

// By the definition, byte by byte: nothing of the library is used.
static bool is_utf8(const char * text)
{
  for (const unsigned char * at = (const unsigned char *)text; *at != 0;) {
    const int32_t more = *at < 0x80 ? 0 : *at >= 0xc2 && *at <= 0xdf ? 1 : *at >= 0xe0 && *at <= 0xef ? 2 : 3;
    const bool is_overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const bool is_no_code = *at > 0xf4 || (at[0] == 0xf4 && at[1] > 0x8f) || (at[0] == 0xed && at[1] > 0x9f);
    if ((*at >= 0x80 && *at < 0xc2) || is_overlong || is_no_code) {
      return false;
    }
    ++at;
    for (int32_t i = 0; i < more; ++i, ++at) {
      if (*at < 0x80 || *at > 0xbf) {
        return false;
      }
    }
  }
  return true;
}

static void assert_clear(fw_ret_t ret, const fw_error_t * error)
{
  assert_true(ret == FW_RET_OK || ret == FW_RET_FILE || ret == FW_RET_INVALID_ARGUMENT);
  assert_true(ret == FW_RET_OK || strlen(error->text) > 5);
  // Texts quote the file, but never as raw bytes: a terminal would obey them.
  for (const char * at = error->text; *at != '\0' && ret != FW_RET_OK; ++at) {
    assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    if ((unsigned char)*at == 0xc2) {
      assert_true((unsigned char)at[1] >= 0xa0);
    }
  }
  assert_true(ret == FW_RET_OK || is_utf8(error->text));
}

static void files(void ** state)
{
  (void)state;
  DRAW(hall, "...", "...");
  for (int32_t round = 0; round < test_rounds(3000); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    char bytes[BYTES_MAX];
    const size_t size = spoil(bytes, &rng);
    temp_file_t scrap;
    temp_file_write(&scrap, bytes, size);
    fw_error_t error = {0};
    fw_grid_t grid;
    assert_clear(fw_grid_read(&grid, scrap.path, NULL, &error), &error);
    fw_grid_fini(&grid);
    fw_scenario_t scenario;
    assert_clear(fw_scenario_read(&scenario, scrap.path, &hall, -1, NULL, &error), &error);
    for (int32_t i = 0; i < scenario.robot_count; ++i) {
      assert_in_range(scenario.robots[i].start, 0, 5);
      assert_in_range(scenario.robots[i].goal, 0, 5);
    }
    fw_scenario_fini(&scenario);
    fw_closures_t closures;
    assert_clear(fw_closures_read(&closures, scrap.path, &hall, NULL, &error), &error);
    for (int32_t i = 0; i < closures.closure_count; ++i) {
      assert_in_range(closures.closures[i].cell, 0, 5);
      assert_in_range(closures.closures[i].to, closures.closures[i].from, FW_TICK_MAX);
    }
    fw_closures_fini(&closures);
    fw_robot_t robots[3] = {{0}};
    fw_fleet_file_t fleet;
    assert_clear(fw_fleet_file_read(&fleet, scrap.path, robots, 3, NULL, &error), &error);
    for (int32_t r = 0; r < 3; ++r) {
      assert_in_range(robots[r].heading, 0, 7);
      assert_in_range(robots[r].turn_ticks, 0, FW_TICKS_PER_MOVE_MAX);
    }
    fw_fleet_file_fini(&fleet);
    fw_plan_file_t plan;
    assert_clear(fw_plan_read(&plan, scrap.path, &hall, NULL, &error), &error);
    for (int32_t r = 0; r < plan.robot_count; ++r) {
      assert_in_range(plan.starts[r], 0, 5);
      assert_in_range(plan.goals[r], 0, 5);
      assert_in_range(plan.paths[r].cells[plan.paths[r].length - 1], 0, 5);
      assert_in_range(fw_path_heading(&plan.paths[r], plan.paths[r].length - 1), 0, 7);
    }
    fw_plan_file_fini(&plan);
    temp_file_remove(&scrap);
  }
}

static void lines_of_generators(void ** state)
{
  (void)state;
  static const char * const words[] = {
    "open",  "random", "warehouse", "rooms",    "maze", ":", "x", ",",  "=",  "seed",        "obstacles", "shelf",
    "aisle", "lane",   "room",      "corridor", "0",    "1", "7", "12", "-3", "99999999999", " ",         "%s%n"};
  for (int32_t round = 0; round < test_rounds(20000); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    char line[200] = "";
    if (round % 2 == 0) {  // half of them begin with a valid word
      strcat(line, words[fw__rng_below(&rng, 5)]);
      strcat(line, ":9x9,");
    }
    for (int32_t i = fw__rng_below(&rng, 8); i > 0; --i) {
      strcat(line, words[fw__rng_below(&rng, TEST_COUNT(words))]);
    }
    fw_grid_t grid;
    fw_error_t error = {0};
    assert_clear(fw_grid_make(&grid, line, NULL, &error), &error);
    fw_grid_fini(&grid);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(lines_of_generators)};
  return TEST_RUN(tests);
}
