// Plan files: whatever is read can be checked, described, drawn and written again, with the same paths.

#include <string.h>

#include "fleetweave/files.h"
#include "fleetweave/view.h"
#include "fuzz/fuzz.h"

enum { ROBOTS_MAX = 64 };

static void make_grid(fw_grid_t * grid)
{
  fuzz_require(fw_grid_make(grid, "random:8x6,obstacles=10,seed=1", NULL, NULL) == FW_RET_OK, "a grid can be made");
}

static FILE * written(const fw_problem_t * problem, const fw_plan_t * plan)
{
  FILE * stream = fuzz_stream();
  fuzz_require(stream != NULL && fw_plan_write(problem, plan, "m.map", "hca", stream, NULL) == FW_RET_OK, "written");
  (void)fflush(stream);
  return stream;
}

static void use(const fw_plan_file_t * file, const fw_grid_t * grid)
{
  fw_robot_t robots[ROBOTS_MAX] = {0};
  const bool has_robots = file->robot_count > 0;
  for (int32_t r = 0; r < file->robot_count; ++r) {
    robots[r] = (fw_robot_t){.start = file->starts[r], .goal = file->goals[r]};
    robots[r].turn_ticks = file->paths[r].headings != NULL ? 1 : 0;
    robots[r].heading = file->paths[r].headings != NULL ? file->paths[r].headings[0] : 0;
  }
  const fw_problem_t problem = {
    .grid = grid,
    .robots = robots,
    .robot_count = file->robot_count,
    .connectivity = 8,
    .cuts_corners = file->cuts_corners};
  fw_conflict_t conflict = {0};
  fw_error_t error = {0};
  if (fw_check_paths(&problem, file->paths, file->robot_count, FW_TICK_MAX, NULL, &conflict, &error) == FW_RET_OK) {
    char text[256];
    fw_conflict_describe(&problem, &conflict, text, sizeof(text));
    fuzz_require(strlen(text) < sizeof(text), "a description ends");
  }
  const fw_plan_t plan = {
    .outcome = FW_OUTCOME_PARTIAL,
    .paths = file->paths,
    .robot_count = file->robot_count,
    .safe_until = has_robots ? file->paths[0].length - 1 : 0};
  FILE * page = fuzz_stream();
  fuzz_require(page != NULL, "a temporary file can be made");
  if (has_robots) {
    (void)!fw_view_svg(&problem, &plan, &(fw_view_options_t){0}, page, &error);
    (void)!fw_view_html(&problem, &plan, &(fw_view_options_t){0}, page, &error);
  }
  (void)fclose(page);
  FILE * stream = written(&problem, &plan);
  char path[32];
  (void)snprintf(path, sizeof(path), "/dev/fd/%d", fileno(stream));
  fw_plan_file_t again = {0};
  fuzz_require(fw_plan_read(&again, path, grid, NULL, &error) == FW_RET_OK, "what was written can be read");
  fuzz_require(again.robot_count == file->robot_count, "as many robots");
  for (int32_t r = 0; r < again.robot_count; ++r) {
    for (fw_tick_t t = 0; t < file->paths[r].length; ++t) {
      fuzz_require(fw_path_at(&again.paths[r], t) == fw_path_at(&file->paths[r], t), "the paths are the same");
    }
  }
  fw_plan_file_fini(&again);
  (void)fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fw_grid_t grid = {0};
  make_grid(&grid);
  fw_plan_file_t file = {0};
  fw_error_t error = {0};
  if (fw_plan_read(&file, fuzz_file(0, data, size), &grid, NULL, &error) == FW_RET_OK) {
    for (int32_t r = 0; r < file.robot_count; ++r) {
      for (fw_tick_t t = 0; t < file.paths[r].length; ++t) {
        const fw_cell_t cell = file.paths[r].cells[t];
        fuzz_require(cell >= 0 && cell < fw_grid_cell_count(&grid), "paths are inside the map");
        fuzz_require(fw_path_heading(&file.paths[r], t) < FW_HEADING_COUNT, "headings are headings");
      }
    }
    if (file.robot_count <= ROBOTS_MAX) {
      use(&file, &grid);
    }
    fw_plan_file_fini(&file);
  } else {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
  }
  fw_grid_fini(&grid);
  return 0;
}

static void add_plan(fuzz_seed_t add, void * context, const fw_problem_t * problem)
{
  fw_planner_t planner = {0};
  fw_plan_t plan = {0};
  fuzz_require(fw_planner_init(&planner, "hca", NULL, NULL) == FW_RET_OK, "a planner");
  fuzz_require(fw_planner_solve(&planner, problem, NULL, &plan, NULL) == FW_RET_OK, "a plan");
  fuzz_seed_stream(add, context, written(problem, &plan));
  fw_planner_fini(&planner);
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  fw_grid_t grid = {0};
  make_grid(&grid);
  fw_scenario_t scenario = {0};
  fuzz_require(fw_scenario_make(&scenario, &grid, 3, 1, NULL, NULL) == FW_RET_OK, "robots can be drawn");
  add_plan(add, context, &(fw_problem_t){.grid = &grid, .robots = scenario.robots, .robot_count = 3});
  add_plan(
    add, context,
    &(fw_problem_t){
      .grid = &grid, .robots = scenario.robots, .robot_count = 2, .connectivity = 8, .cuts_corners = true});
  scenario.robots[0].turn_ticks = 1;
  add_plan(add, context, &(fw_problem_t){.grid = &grid, .robots = scenario.robots, .robot_count = 1});
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}
