// Fleet files: whatever is read, checking and planning a problem with these robots does not crash.

#include "fleetweave/files.h"
#include "fuzz/fuzz.h"

enum { ROBOTS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fw_grid_t grid = {0};
  fuzz_require(fw_grid_make(&grid, "open:9x7", NULL, NULL) == FW_RET_OK, "a grid can be made");
  fw_robot_t robots[ROBOTS];
  for (int32_t r = 0; r < ROBOTS; ++r) {
    robots[r] = (fw_robot_t){.start = 10 + 2 * r, .goal = 37 + 2 * r};
  }
  fw_fleet_file_t file = {0};
  fw_error_t error = {0};
  if (fw_fleet_file_read(&file, fuzz_file(0, data, size), robots, ROBOTS, NULL, &error) == FW_RET_OK) {
    const fw_problem_t problem = {
      .grid = &grid, .robots = robots, .robot_count = ROBOTS, .connectivity = size % 2 == 0 ? 4 : 8};
    const fw_ret_t ret = fw_problem_check(&problem, &error);
    fuzz_require(ret == FW_RET_OK || error.text[0] != '\0', "a refusal has a text");
    fw_fleet_file_fini(&file);
  } else {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
    for (int32_t r = 0; r < ROBOTS; ++r) {
      fuzz_require(robots[r].footprint == NULL && robots[r].footprint_count == 0, "no footprints after an error");
    }
  }
  fw_grid_fini(&grid);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  fuzz_seed_text(add, context, "*    ticks_per_move=2\n0-2  priority=2 footprint=2x2 turn_ticks=1 heading=east\n");
  fuzz_seed_text(add, context, "3 footprint=0,0;1,0;0,-1 sweeps_sides=true # a comment\n\n1 heading=3 priority=-7\n");
  fuzz_seed_text(add, context, "");
}
