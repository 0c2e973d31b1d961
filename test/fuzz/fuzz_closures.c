// Closure files: closures that are read are of cells of the map and have a beginning not after their end.

#include "fleetweave/files.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fw_grid_t grid = {0};
  fuzz_require(fw_grid_make(&grid, "open:9x7", NULL, NULL) == FW_RET_OK, "a grid can be made");
  fw_closures_t closures = {0};
  fw_error_t error = {0};
  if (fw_closures_read(&closures, fuzz_file(0, data, size), &grid, NULL, &error) == FW_RET_OK) {
    for (int32_t k = 0; k < closures.closure_count; ++k) {
      const fw_closure_t * closure = &closures.closures[k];
      fuzz_require(closure->cell >= 0 && closure->cell < fw_grid_cell_count(&grid), "a cell of the map");
      fuzz_require(closure->from >= 0 && closure->from <= closure->to && closure->to <= FW_TICK_MAX, "a time");
    }
    const fw_robot_t robot = {.start = 0, .goal = 62};
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = &robot,
      .robot_count = 1,
      .closures = closures.closures,
      .closure_count = closures.closure_count};
    const fw_ret_t ret = fw_problem_check(&problem, &error);
    fuzz_require(ret == FW_RET_OK || error.text[0] != '\0', "a refusal has a text");
    fw_closures_fini(&closures);
  } else {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
  }
  fw_grid_fini(&grid);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  fuzz_seed_text(add, context, "# x y from to\n3 2 0 5\n4 2 7 -\n8 6 1 forever\n");
  fuzz_seed_text(add, context, "0 0 1073741823 1073741823\r\n1 1 0 0");
}
