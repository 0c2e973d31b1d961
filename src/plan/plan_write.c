// Plans as the text that public visualisers read, out.

#include "base/error.h"
#include "fleetweave/files.h"

static void write_cell(FILE * stream, const fw_grid_t * grid, fw_cell_t cell)
{
  (void)fprintf(stream, "(%d,%d),", fw_grid_x(grid, cell), fw_grid_y(grid, cell));
}

static void write_headings(const fw_plan_t * plan, fw_tick_t last, FILE * stream)
{
  bool has_headings = false;
  for (int32_t r = 0; r < plan->robot_count; ++r) {
    has_headings = has_headings || plan->paths[r].headings != NULL;
  }
  if (!has_headings) {
    return;
  }
  (void)fprintf(stream, "\nheadings=");
  for (int32_t r = 0; r < plan->robot_count; ++r) {
    for (fw_tick_t tick = 0; tick <= last && plan->paths[r].headings != NULL; ++tick) {
      (void)fputc('0' + fw_path_heading(&plan->paths[r], tick), stream);
    }
    (void)fputs(plan->paths[r].headings != NULL ? "," : "-,", stream);
  }
}

// The sum of costs of what is written.
static fw_cost_t cost_until(const fw_problem_t * problem, const fw_plan_t * plan, fw_tick_t last)
{
  fw_cost_t sum = 0;
  for (int32_t r = 0; r < plan->robot_count; ++r) {
    fw_path_t path = plan->paths[r];
    path.length = path.length <= last ? path.length : last + 1;
    const fw_problem_t alone = {.grid = problem->grid, .robots = &problem->robots[r], .robot_count = 1};
    sum += fw_paths_sum_of_costs(&alone, &path);
  }
  return sum;
}

fw_ret_t fw_plan_write(
  const fw_problem_t * problem, const fw_plan_t * plan, const char * map_file, const char * solver, FILE * stream,
  fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t count = plan->robot_count;
  fw_tick_t last = fw_paths_makespan(plan->paths, count);
  if (plan->safe_until < last) {
    last = plan->safe_until;  // what lies behind is not part of the answer
  }
  (void)fprintf(stream, "agents=%d\nmap_file=%s\nsolver=%s\n", count, map_file, solver);
  (void)fprintf(
    stream, "solved=%d\nsoc=%lld\nmakespan=%d\n", plan->outcome == FW_OUTCOME_SOLVED ? 1 : 0,
    (long long)cost_until(problem, plan, last), last);
  (void)fprintf(stream, "starts=");
  for (int32_t r = 0; r < count; ++r) {
    write_cell(stream, grid, problem->robots[r].start);
  }
  (void)fprintf(stream, "\ngoals=");
  for (int32_t r = 0; r < count; ++r) {
    write_cell(stream, grid, problem->robots[r].goal);
  }
  write_headings(plan, last, stream);
  (void)fprintf(stream, problem->cuts_corners ? "\ncuts_corners=1\nsolution=\n" : "\nsolution=\n");
  for (fw_tick_t tick = 0; tick <= last; ++tick) {
    (void)fprintf(stream, "%d:", tick);
    for (int32_t r = 0; r < count; ++r) {
      write_cell(stream, grid, fw_path_at(&plan->paths[r], tick));
    }
    (void)fputc('\n', stream);
  }
  return ferror(stream) != 0 ? fw__error(error, FW_RET_FILE, "the plan cannot be written") : FW_RET_OK;
}
