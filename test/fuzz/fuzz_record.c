// Records of a node's solves: whatever is read, each problem can be checked, and each line of a plan be taken.

#include <string.h>

#include "fleetweave/files.h"
#include "fuzz/fuzz.h"
#include "plan/record.h"

enum { ENTRIES_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  static fw_record_reader_t reader;
  fw_error_t error = {0};
  if (fw__record_reader_open(&reader, fuzz_file(0, data, size), &error) != FW_RET_OK) {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
    return 0;
  }
  for (int32_t k = 0; k < ENTRIES_MAX && fw__record_reader_next(&reader, &error) == FW_RET_OK; ++k) {
    (void)!fw_problem_check(&reader.problem, &error);
    const char * line;
    while ((line = fw__record_reader_plan_line(&reader)) != NULL) {
      fuzz_require(strlen(line) <= size, "a line is part of the file");
    }
  }
  fw__record_reader_close(&reader);
  return 0;
}

static void record_solve(fw_record_writer_t * writer, fw_planner_t * planner, const fw_problem_t * problem)
{
  static fw_replay_clock_t clock;
  const fw_record_planner_t described = {.name = "hca", .threads = 1, .memory_max_bytes = 1 << 30};
  fw_plan_t plan = {0};
  fuzz_require(fw__record_writer_add_problem(writer, &described, problem, NULL) == FW_RET_OK, "a problem is recorded");
  const fw_budget_t budget = fw__replay_clock_record(&clock, &(fw_budget_t){.expansions_max = 500});
  const fw_ret_t ret = fw_planner_solve(planner, problem, &budget, &plan, NULL);
  const fw_record_result_t result = {problem, &clock.notes, ret, &plan};
  fuzz_require(fw__record_writer_add_result(writer, &result, NULL) == FW_RET_OK, "a result is recorded");
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  const fuzz_path_t path = fuzz_named_file("record", "", 0);
  fw_grid_t grid = {0};
  fw_scenario_t scenario = {0};
  fw_planner_t planner = {0};
  fw_record_writer_t writer = {0};
  const bool is_made = fw_grid_make(&grid, "random:7x5,obstacles=10,seed=1", NULL, NULL) == FW_RET_OK &&
                       fw_scenario_make(&scenario, &grid, 3, 1, NULL, NULL) == FW_RET_OK &&
                       fw_planner_init(&planner, "hca", NULL, NULL) == FW_RET_OK &&
                       fw__record_writer_open(&writer, path.text, INT64_MAX, NULL) == FW_RET_OK;
  fuzz_require(is_made, "a record can be written");
  static const fw_offset_t footprint[] = {{0, 0}, {1, 0}};
  const fw_closure_t closures[] = {{3, 1, 4}, {4, 0, FW_TICK_MAX}};
  fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = 3, .robust_ticks = 1};
  record_solve(&writer, &planner, &problem);
  grid.cost[0] = 7;
  problem.robot_count = 1;
  problem.closures = closures;
  problem.closure_count = 2;
  scenario.robots[0].footprint = footprint;
  scenario.robots[0].footprint_count = 2;
  scenario.robots[0].turn_ticks = 1;
  record_solve(&writer, &planner, &problem);
  fw__record_writer_close(&writer);
  FILE * stream = fopen(path.text, "rb");
  fuzz_require(stream != NULL, "a record can be read");
  fuzz_seed_stream(add, context, stream);
  fw_planner_fini(&planner);
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}
