#include "plan/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fleetweave/files.h"

// ---- the file -------------------------------------------------------------------------------------------------------

static fw_ret_t fail(fw__recorder_t * recorder, fw_error_t * error)
{
  const fw_ret_t ret = fw__error(error, FW_RET_FILE, "%.160s cannot be written: %s", recorder->path, strerror(errno));
  fw__recorder_close(recorder);
  return ret;
}

static fw_ret_t begin_file(fw__recorder_t * recorder, fw_error_t * error)
{
  char old[sizeof(recorder->path) + 8];
  snprintf(old, sizeof(old), "%s.old", recorder->path);
  if (rename(recorder->path, old) != 0 && errno != ENOENT) {
    return fail(recorder, error);
  }
  recorder->stream = fopen(recorder->path, "wx");
  if (recorder->stream == NULL || fputs("fleetweave_record=1\n", recorder->stream) < 0) {
    return fail(recorder, error);
  }
  fw_grid_fini(&recorder->grid);
  recorder->has_planner = false;
  return FW_RET_OK;
}

fw_ret_t fw__recorder_open(fw__recorder_t * recorder, const char * path, int64_t max_bytes, fw_error_t * error)
{
  *recorder = (fw__recorder_t){.max_bytes = max_bytes};
  if (snprintf(recorder->path, sizeof(recorder->path), "%s", path) >= (int)sizeof(recorder->path)) {
    return fw__error(error, FW_RET_FILE, "the name of the record is too long: %.60s...", path);
  }
  return begin_file(recorder, error);
}

void fw__recorder_close(fw__recorder_t * recorder)
{
  if (recorder->stream != NULL) {
    (void)fclose(recorder->stream);
    recorder->stream = NULL;
  }
  fw_grid_fini(&recorder->grid);
}

void fw__recorder_forget_planner(fw__recorder_t * recorder) { recorder->has_planner = false; }

// Room for another entry: here, or in a new file if this question can be asked alone.
static fw_ret_t make_room(fw__recorder_t * recorder, bool goes_on, fw_error_t * error)
{
  const long size = ftell(recorder->stream);
  recorder->is_full = size >= recorder->max_bytes || (recorder->is_full && goes_on);
  if (!goes_on && size >= recorder->max_bytes / 2) {
    FILE * full = recorder->stream;
    recorder->stream = NULL;
    recorder->is_full = false;
    return fclose(full) == 0 ? begin_file(recorder, error) : fail(recorder, error);
  }
  return FW_RET_OK;
}

// ---- the question ---------------------------------------------------------------------------------------------------

static void put_planner(FILE * stream, const fw__record_planner_t * planner)
{
  fprintf(stream, "planner=%s\nthreads=%d\n", planner->name, planner->threads);
  fprintf(stream, "seed=%llu\nmemory_max_bytes=%zu\n", (unsigned long long)planner->seed, planner->memory_max_bytes);
  for (int32_t i = 0; i < planner->parameter_count; ++i) {
    fprintf(stream, "set=%s %s\n", planner->names[i], planner->values[i]);
  }
}

static void put_whole_grid(FILE * stream, const fw_grid_t * grid)
{
  bool is_plain = true;
  for (fw_cell_t cell = 0; is_plain && cell < fw_grid_cell_count(grid); ++cell) {
    is_plain = grid->cost[cell] <= 1;
  }
  fprintf(stream, "%s=%dx%d\n", is_plain ? "grid" : "costs", grid->width, grid->height);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    if (is_plain) {
      fputc(grid->cost[cell] == 1 ? '.' : '@', stream);
    } else {
      fprintf(stream, "%02x", grid->cost[cell]);
    }
    if (fw_grid_x(grid, cell) == grid->width - 1) {
      fputc('\n', stream);
    }
  }
}

static void put_changes(FILE * stream, const fw_grid_t * before, const fw_grid_t * grid)
{
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    count += grid->cost[cell] != before->cost[cell] ? 1 : 0;
  }
  if (count > 0) {
    fprintf(stream, "change=%d\n", count);
  }
  for (fw_cell_t cell = 0; count > 0 && cell < fw_grid_cell_count(grid); ++cell) {
    if (grid->cost[cell] != before->cost[cell]) {
      fprintf(stream, "%d %d %d\n", fw_grid_x(grid, cell), fw_grid_y(grid, cell), grid->cost[cell]);
    }
  }
}

static fw_ret_t put_grid(fw__recorder_t * recorder, const fw_grid_t * grid, fw_error_t * error)
{
  fw_grid_t * before = &recorder->grid;
  if (before->cost != NULL && before->width == grid->width && before->height == grid->height) {
    put_changes(recorder->stream, before, grid);
  } else {
    put_whole_grid(recorder->stream, grid);
    fw_grid_fini(before);
    const fw_ret_t ret = fw_grid_init(before, grid->width, grid->height, NULL, error);
    if (ret != FW_RET_OK) {
      fw__recorder_close(recorder);
      return ret;
    }
  }
  memcpy(before->cost, grid->cost, (size_t)fw_grid_cell_count(grid));
  return FW_RET_OK;
}

static void put_cell(FILE * stream, const fw_grid_t * grid, fw_cell_t cell)
{
  fprintf(stream, "%d,%d ", fw_grid_x(grid, cell), fw_grid_y(grid, cell));
}

// Start, goal, where it comes from; then priority, ticks_per_move, turn_ticks, heading, sweeps_sides, id, arrives,
// from_heading; then the number of cells of its footprint and these.
static void put_robot(FILE * stream, const fw_grid_t * grid, const fw_robot_t * robot)
{
  put_cell(stream, grid, robot->start);
  put_cell(stream, grid, robot->goal);
  put_cell(stream, grid, robot->arrives > 0 ? robot->from : robot->start);
  fprintf(stream, "%d %d %d %d ", robot->priority, robot->ticks_per_move, robot->turn_ticks, robot->heading);
  fprintf(
    stream, "%d %d %d %d %d", robot->sweeps_sides ? 1 : 0, robot->id, robot->arrives,
    robot->arrives > 0 ? robot->from_heading : 0, robot->footprint_count);
  for (int32_t i = 0; i < robot->footprint_count; ++i) {
    fprintf(stream, " %d,%d", robot->footprint[i].dx, robot->footprint[i].dy);
  }
  fputc('\n', stream);
}

static void put_problem(FILE * stream, const fw_problem_t * problem)
{
  const fw_grid_t * grid = problem->grid;
  fprintf(
    stream, "rules=%d %d %d %d%s\nrobots=%d\n", problem->connectivity, problem->robust_ticks, problem->horizon,
    problem->since, problem->cuts_corners ? " 1" : "", problem->robot_count);
  for (int32_t i = 0; i < problem->robot_count; ++i) {
    put_robot(stream, grid, &problem->robots[i]);
  }
  fprintf(stream, "closures=%d\n", problem->closure_count);
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t * closure = &problem->closures[i];
    fprintf(stream, "%d %d %d ", fw_grid_x(grid, closure->cell), fw_grid_y(grid, closure->cell), closure->from);
    fprintf(stream, closure->to >= FW_TICK_MAX ? "-\n" : "%d\n", closure->to);
  }
}

fw_ret_t fw__recorder_ask(
  fw__recorder_t * recorder, const fw__record_planner_t * planner, const fw_problem_t * problem, fw_error_t * error)
{
  recorder->is_asking = false;
  fw_ret_t ret = recorder->stream == NULL ? FW_RET_OK : make_room(recorder, problem->since > 0, error);
  if (ret != FW_RET_OK || recorder->stream == NULL || recorder->is_full) {
    return ret;
  }
  if (!recorder->has_planner) {
    put_planner(recorder->stream, planner);
    recorder->has_planner = true;
  }
  ret = put_grid(recorder, problem->grid, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fprintf(recorder->stream, "solve=%lld\n", (long long)++recorder->entry_count);
  put_problem(recorder->stream, problem);
  fprintf(recorder->stream, "asked=%lld\n", (long long)recorder->entry_count);
  recorder->is_asking = fflush(recorder->stream) == 0;
  return recorder->is_asking ? FW_RET_OK : fail(recorder, error);
}

// ---- the answer -----------------------------------------------------------------------------------------------------

fw_ret_t fw__record_write_plan(const fw_problem_t * problem, const fw_plan_t * plan, FILE * stream, fw_error_t * error)
{
  return fw_plan_write(problem, plan, "record", "record", stream, error);
}

static fw_ret_t put_plan(FILE * stream, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error)
{
  char * text = NULL;
  size_t size = 0;
  FILE * memory = open_memstream(&text, &size);
  if (memory == NULL) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = fw__record_write_plan(problem, plan, memory, error);
  if (fclose(memory) != 0 && ret == FW_RET_OK) {
    ret = fw__error_memory(error);
  }
  int32_t lines = 0;
  for (size_t i = 0; ret == FW_RET_OK && i < size; ++i) {
    lines += text[i] == '\n' ? 1 : 0;
  }
  if (ret == FW_RET_OK) {
    fprintf(stream, "plan=%d\n%s", lines, text);
  }
  free(text);
  return ret;
}

static void put_notes(FILE * stream, const fw__stopwatch_notes_t * notes)
{
  fprintf(
    stream, "limits=%lld %lld %lld\nsteps=%d\n", (long long)notes->step_ns, (long long)notes->expansions_max,
    (long long)notes->cancelled_at, notes->step_count);
  for (int32_t i = 0; i < notes->step_count; ++i) {
    fprintf(stream, "%lld %d\n", (long long)notes->steps[i].question, notes->steps[i].step);
  }
}

fw_ret_t fw__recorder_answer(fw__recorder_t * recorder, const fw__record_answer_t * answer, fw_error_t * error)
{
  FILE * stream = recorder->stream;
  const fw_plan_t * plan = answer->plan;
  if (stream == NULL || !recorder->is_asking) {
    return FW_RET_OK;
  }
  recorder->is_asking = false;
  put_notes(stream, answer->notes);
  fprintf(stream, "answer=%d %s %s ", (int)answer->ret, fw_outcome_name(plan->outcome), fw_stop_name(plan->stop));
  fprintf(stream, plan->safe_until >= FW_TICK_MAX ? "-" : "%d", plan->safe_until);
  fprintf(stream, " %lld\n", (long long)plan->stats.expanded);
  const bool has_plan = answer->ret == FW_RET_OK && plan->paths != NULL;
  const fw_ret_t ret = has_plan ? put_plan(stream, answer->problem, plan, error) : FW_RET_OK;
  if (ret != FW_RET_OK) {
    fw__recorder_close(recorder);
    return ret;
  }
  fprintf(stream, "%sdone=%lld\n", has_plan ? "" : "plan=0\n", (long long)recorder->entry_count);
  return fflush(stream) == 0 ? FW_RET_OK : fail(recorder, error);
}
