// MovingAI scenarios: robots that are read are inside the map, and writing and reading them again gives the same.

#include "fleetweave/files.h"
#include "fuzz/fuzz.h"

static void make_grid(fw_grid_t * grid)
{
  fuzz_require(fw_grid_make(grid, "random:8x6,obstacles=10,seed=1", NULL, NULL) == FW_RET_OK, "a grid can be made");
}

static FILE * written(const fw_scenario_t * scenario, const fw_grid_t * grid)
{
  FILE * stream = fuzz_stream();
  const bool is_written =
    stream != NULL && fw_scenario_write(scenario, grid, "m.map", stream, NULL) == FW_RET_OK && fflush(stream) == 0;
  fuzz_require(is_written, "a scenario can be written");
  return stream;
}

static void write_again(const fw_scenario_t * scenario, const fw_grid_t * grid)
{
  FILE * stream = written(scenario, grid);
  char path[32];
  (void)snprintf(path, sizeof(path), "/dev/fd/%d", fileno(stream));
  fw_scenario_t again = {0};
  fuzz_require(fw_scenario_read(&again, path, grid, -1, NULL, NULL) == FW_RET_OK, "what was written can be read");
  fuzz_require(again.robot_count == scenario->robot_count, "as many robots");
  for (int32_t r = 0; r < again.robot_count; ++r) {
    const fw_robot_t * a = &again.robots[r];
    const fw_robot_t * b = &scenario->robots[r];
    fuzz_require(a->start == b->start && a->goal == b->goal, "starts and goals are the same");
  }
  fw_scenario_fini(&again);
  (void)fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fw_grid_t grid = {0};
  make_grid(&grid);
  fw_scenario_t scenario = {0};
  fw_error_t error = {0};
  if (fw_scenario_read(&scenario, fuzz_file(0, data, size), &grid, -1, NULL, &error) == FW_RET_OK) {
    for (int32_t r = 0; r < scenario.robot_count; ++r) {
      const fw_robot_t * robot = &scenario.robots[r];
      const int32_t cells = fw_grid_cell_count(&grid);
      const bool is_inside = robot->start >= 0 && robot->start < cells && robot->goal >= 0 && robot->goal < cells;
      fuzz_require(is_inside, "starts and goals are cells of the map");
    }
    write_again(&scenario, &grid);
    fw_scenario_fini(&scenario);
  } else {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
  }
  fw_grid_fini(&grid);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  fw_grid_t grid = {0};
  make_grid(&grid);
  for (int32_t robots = 1; robots <= 5; robots += 2) {
    fw_scenario_t scenario = {0};
    fuzz_require(fw_scenario_make(&scenario, &grid, robots, 1, NULL, NULL) == FW_RET_OK, "robots can be drawn");
    fuzz_seed_stream(add, context, written(&scenario, &grid));
    fw_scenario_fini(&scenario);
  }
  fw_grid_fini(&grid);
}
