// Records of solves: the writer, then the reader. The format is in record.h.

#include "plan/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/create_file.h"
#include "base/error.h"
#include "base/memory.h"
#include "fleetweave/files.h"

// ---- writing: the file ----------------------------------------------------------------------------------------------

// Closes the file: after an error nothing more is recorded.
static fw_ret_t fail_writing(fw_record_writer_t * writer, fw_error_t * error)
{
  const fw_ret_t ret =
    fw__error(error, FW_RET_FILE, "cannot write the record %.160s: %s", writer->path, strerror(errno));
  fw__record_writer_close(writer);
  return ret;
}

// An existing file becomes PATH.old.
static fw_ret_t begin_file(fw_record_writer_t * writer, fw_error_t * error)
{
  char old[sizeof(writer->path) + 8];
  snprintf(old, sizeof(old), "%s.old", writer->path);
  if (rename(writer->path, old) != 0 && errno != ENOENT) {
    return fail_writing(writer, error);
  }
  writer->stream = fw__create_file(writer->path, true);
  if (writer->stream == NULL || fputs("fleetweave_record=1\n", writer->stream) < 0) {
    return fail_writing(writer, error);
  }
  fw_grid_fini(&writer->grid);
  writer->has_planner = false;
  return FW_RET_OK;
}

fw_ret_t fw__record_writer_open(fw_record_writer_t * writer, const char * path, int64_t max_bytes, fw_error_t * error)
{
  *writer = (fw_record_writer_t){.max_bytes = max_bytes};
  if (snprintf(writer->path, sizeof(writer->path), "%s", path) >= (int)sizeof(writer->path)) {
    return fw__error(error, FW_RET_FILE, "the path of the record is too long: %.60s...", path);
  }
  return begin_file(writer, error);
}

void fw__record_writer_close(fw_record_writer_t * writer)
{
  if (writer->stream != NULL) {
    (void)fclose(writer->stream);
    writer->stream = NULL;
  }
  fw_grid_fini(&writer->grid);
}

void fw__record_writer_forget_planner(fw_record_writer_t * writer) { writer->has_planner = false; }

// Starts a new file at half of `max_bytes`, but only with a problem that does not continue from one before: a record
// must be replayable from its first entry. Until such a problem comes, a full file takes no more entries.
static fw_ret_t rotate_file(fw_record_writer_t * writer, bool is_continuation, fw_error_t * error)
{
  FW_ASSERT(writer->stream != NULL);
  const long size = ftell(writer->stream);
  writer->is_full = size >= writer->max_bytes || (writer->is_full && is_continuation);
  if (!is_continuation && size >= writer->max_bytes / 2) {
    FILE * full = writer->stream;
    writer->stream = NULL;
    writer->is_full = false;
    return fclose(full) == 0 ? begin_file(writer, error) : fail_writing(writer, error);
  }
  return FW_RET_OK;
}

// ---- writing problems -----------------------------------------------------------------------------------------------

// The planner with all its parameters.
static void put_planner(FILE * stream, const fw_record_planner_t * planner)
{
  fprintf(stream, "planner=%s\nthreads=%d\n", planner->name, planner->threads);
  fprintf(stream, "seed=%llu\nmemory_max_bytes=%zu\n", (unsigned long long)planner->seed, planner->memory_max_bytes);
  FW_ASSERT(planner->parameter_count >= 0 && planner->parameter_count <= FW_PARAMETERS_MAX);
  for (int32_t i = 0; i < planner->parameter_count; ++i) {
    fprintf(stream, "set=%s %s\n", planner->names[i], planner->values[i]);
  }
}

// A new grid: every cell.
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

// The grid of the problem before is known: only the cells that differ.
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

static uint16_t rule_at(const fw_grid_t * grid, fw_cell_t cell) { return grid->rules == NULL ? 0 : grid->rules[cell]; }

// The rules that differ from those before, and keeps the new ones.
static fw_ret_t put_rules(FILE * stream, fw_grid_t * before, const fw_grid_t * grid, fw_error_t * error)
{
  int32_t count = 0;
  for (fw_cell_t cell = 0; (grid->rules != NULL || before->rules != NULL) && cell < fw_grid_cell_count(grid); ++cell) {
    count += rule_at(grid, cell) != rule_at(before, cell) ? 1 : 0;
  }
  if (count == 0) {
    return FW_RET_OK;
  }
  const fw_ret_t ret = fw_grid_init_rules(before, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fprintf(stream, "traffic=%d\n", count);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    if (rule_at(grid, cell) != before->rules[cell]) {
      fprintf(stream, "%d %d %d\n", fw_grid_x(grid, cell), fw_grid_y(grid, cell), rule_at(grid, cell));
      before->rules[cell] = rule_at(grid, cell);
    }
  }
  return FW_RET_OK;
}

static fw_ret_t put_grid(fw_record_writer_t * writer, const fw_grid_t * grid, fw_error_t * error)
{
  fw_grid_t * before = &writer->grid;
  if (before->cost != NULL && before->width == grid->width && before->height == grid->height) {
    put_changes(writer->stream, before, grid);
  } else {
    put_whole_grid(writer->stream, grid);
    fw_grid_fini(before);
    const fw_ret_t ret = fw_grid_init(before, grid->width, grid->height, NULL, error);
    if (ret != FW_RET_OK) {
      fw__record_writer_close(writer);
      return ret;
    }
  }
  FW_ASSERT(before->width == grid->width && before->height == grid->height);
  memcpy(before->cost, grid->cost, (size_t)fw_grid_cell_count(grid));
  const fw_ret_t ret = put_rules(writer->stream, before, grid, error);
  if (ret != FW_RET_OK) {
    fw__record_writer_close(writer);
  }
  return ret;
}

static void put_cell(FILE * stream, const fw_grid_t * grid, fw_cell_t cell)
{
  fprintf(stream, "%d,%d ", fw_grid_x(grid, cell), fw_grid_y(grid, cell));
}

// A line per robot: start, goal, the cell it comes from; priority, ticks_per_move, turn_ticks, heading, sweeps_sides,
// id, arrives, from_heading; the number of cells of its footprint and their offsets. read_robot() reads it.
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

fw_ret_t fw__record_writer_add_problem(
  fw_record_writer_t * writer, const fw_record_planner_t * planner, const fw_problem_t * problem, fw_error_t * error)
{
  writer->has_open_entry = false;
  fw_ret_t ret = writer->stream == NULL ? FW_RET_OK : rotate_file(writer, problem->since > 0, error);
  if (ret != FW_RET_OK || writer->stream == NULL || writer->is_full) {
    return ret;
  }
  if (!writer->has_planner) {
    put_planner(writer->stream, planner);
    writer->has_planner = true;
  }
  ret = put_grid(writer, problem->grid, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fprintf(writer->stream, "solve=%lld\n", (long long)++writer->entry_count);
  put_problem(writer->stream, problem);
  fprintf(writer->stream, "asked=%lld\n", (long long)writer->entry_count);
  writer->has_open_entry = fflush(writer->stream) == 0;
  return writer->has_open_entry ? FW_RET_OK : fail_writing(writer, error);
}

// ---- writing results ------------------------------------------------------------------------------------------------

fw_ret_t fw__record_write_plan(const fw_problem_t * problem, const fw_plan_t * plan, FILE * stream, fw_error_t * error)
{
  return fw_plan_write(problem, plan, "record", "record", stream, error);
}

// The plan as a plan file, with the number of its lines before it.
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

// The trace of the clock.
static void put_notes(FILE * stream, const fw_replay_clock_trace_t * notes)
{
  fprintf(
    stream, "limits=%lld %lld %lld\nsteps=%d\n", (long long)notes->step_ns, (long long)notes->expansions_max,
    (long long)notes->cancelled_at, notes->step_count);
  FW_ASSERT(notes->step_count >= 0 && notes->step_count <= FW__REPLAY_CLOCK_STEPS);
  for (int32_t i = 0; i < notes->step_count; ++i) {
    fprintf(stream, "%lld %d\n", (long long)notes->steps[i].query, notes->steps[i].step);
  }
}

fw_ret_t fw__record_writer_add_result(
  fw_record_writer_t * writer, const fw_record_result_t * result, fw_error_t * error)
{
  FILE * stream = writer->stream;
  const fw_plan_t * plan = result->plan;
  if (stream == NULL || !writer->has_open_entry) {
    return FW_RET_OK;
  }
  FW_ASSERT(result->plan != NULL && result->notes != NULL);
  writer->has_open_entry = false;
  put_notes(stream, result->notes);
  fprintf(stream, "answer=%d %s %s ", (int)result->ret, fw_outcome_name(plan->outcome), fw_stop_name(plan->stop));
  fprintf(stream, plan->safe_until >= FW_TICK_MAX ? "-" : "%d", plan->safe_until);
  fprintf(stream, " %lld\n", (long long)plan->stats.expanded);
  const bool has_plan = result->ret == FW_RET_OK && plan->paths != NULL;
  const fw_ret_t ret = has_plan ? put_plan(stream, result->problem, plan, error) : FW_RET_OK;
  if (ret != FW_RET_OK) {
    fw__record_writer_close(writer);
    return ret;
  }
  fprintf(stream, "%sdone=%lld\n", has_plan ? "" : "plan=0\n", (long long)writer->entry_count);
  return fflush(stream) == 0 ? FW_RET_OK : fail_writing(writer, error);
}

// ---- reading: values ------------------------------------------------------------------------------------------------

static fw_ret_t expect_error(fw_record_reader_t * reader, const char * wanted, fw_error_t * error)
{
  return fw__text_error(&reader->text, error, "expected %s", wanted);
}

// The value of the next line if it is `key=value`, else NULL.
static char * next_value(fw_record_reader_t * reader, const char * key)
{
  char * line = fw__text_line(&reader->text);
  const bool is_it = line != NULL && fw__text_skip(&line, key) && fw__text_skip(&line, "=");
  return is_it ? line : NULL;
}

// A number of at least `min`.
static bool read_long(char ** cursor, int64_t min, int64_t * value)
{
  char * behind = NULL;
  *value = strtoll(*cursor, &behind, 10);
  const bool is_valid = behind != *cursor && *value >= min;
  *cursor = behind;
  return is_valid;
}

// Up to the next space.
static bool read_word(char ** cursor, char word[FW__RECORD_WORD])
{
  *cursor += strspn(*cursor, " ");
  const size_t length = strcspn(*cursor, " ");
  if (length == 0 || length >= FW__RECORD_WORD) {
    return false;
  }
  memcpy(word, *cursor, length);
  word[length] = '\0';
  *cursor += length;
  return true;
}

static bool read_cell(char ** cursor, const fw_grid_t * grid, fw_cell_t * cell)
{
  int32_t x, y;
  const bool is_valid = fw__text_integer(cursor, 0, grid->width - 1, &x) && fw__text_skip(cursor, ",") &&
                        fw__text_integer(cursor, 0, grid->height - 1, &y);
  *cell = is_valid ? fw_grid_cell(grid, x, y) : 0;
  return is_valid;
}

// The next line `key=COUNT`: how many lines follow. There cannot be more than bytes.
static bool read_count(fw_record_reader_t * reader, const char * key, int32_t max, int32_t * count)
{
  char * cursor = next_value(reader, key);
  const int64_t left = reader->text.end - reader->text.cursor;
  return cursor != NULL && fw__text_integer(&cursor, 0, left < max ? (int32_t)left : max, count);
}

// ---- reading: planners ----------------------------------------------------------------------------------------------

// From the value of planner=, whose line has been read.
static fw_ret_t read_planner(fw_record_reader_t * reader, const char * name, fw_error_t * error)
{
  fw_record_planner_t * planner = &reader->planner;
  *planner = (fw_record_planner_t){0};
  snprintf(planner->name, sizeof(planner->name), "%s", name);
  const char * threads = next_value(reader, "threads");
  const char * seed = threads != NULL ? next_value(reader, "seed") : NULL;
  const char * memory = seed != NULL ? next_value(reader, "memory_max_bytes") : NULL;
  if (memory == NULL) {
    return expect_error(reader, "threads=, seed= and memory_max_bytes= after planner=", error);
  }
  planner->threads = (int32_t)strtol(threads, NULL, 10);
  planner->seed = strtoull(seed, NULL, 10);
  planner->memory_max_bytes = (size_t)strtoull(memory, NULL, 10);
  while (reader->text.end - reader->text.cursor >= 4 && strncmp(reader->text.cursor, "set=", 4) == 0) {
    char * cursor = next_value(reader, "set");
    const int32_t i = planner->parameter_count;
    if (i >= FW_PARAMETERS_MAX || !read_word(&cursor, planner->names[i]) || !read_word(&cursor, planner->values[i])) {
      return expect_error(reader, "set=NAME VALUE", error);
    }
    ++planner->parameter_count;
  }
  return FW_RET_OK;
}

// ---- reading: grids -------------------------------------------------------------------------------------------------

static fw_ret_t read_changes(fw_record_reader_t * reader, char * cursor, fw_error_t * error)
{
  fw_grid_t * grid = &reader->grid;
  int32_t count, x, y, cost;
  if (grid->cost == NULL || !fw__text_integer(&cursor, 0, fw_grid_cell_count(grid), &count)) {
    return expect_error(reader, "change=COUNT after a grid", error);
  }
  for (int32_t i = 0; i < count; ++i) {
    char * line = fw__text_line(&reader->text);
    if (
      line == NULL || !fw__text_integer(&line, 0, grid->width - 1, &x) ||
      !fw__text_integer(&line, 0, grid->height - 1, &y) || !fw__text_integer(&line, 0, UINT8_MAX, &cost)) {
      return expect_error(reader, "x y cost of a cell that has changed", error);
    }
    grid->cost[fw_grid_cell(grid, x, y)] = (uint8_t)cost;
  }
  return FW_RET_OK;
}

static fw_ret_t read_row(fw_record_reader_t * reader, int32_t y, bool has_costs, fw_error_t * error)
{
  fw_grid_t * grid = &reader->grid;
  const char * row = fw__text_line(&reader->text);
  const size_t digits = has_costs ? 2 : 1;
  if (row == NULL || strlen(row) != digits * (size_t)grid->width) {
    return expect_error(reader, "a row of the grid", error);
  }
  for (int32_t x = 0; x < grid->width; ++x) {
    const char * at = row + digits * (size_t)x;
    const char pair[3] = {at[0], has_costs ? at[1] : '\0', '\0'};
    grid->cost[fw_grid_cell(grid, x, y)] = has_costs ? (uint8_t)strtoul(pair, NULL, 16) : at[0] == '.';
  }
  return FW_RET_OK;
}

static fw_ret_t read_rules(fw_record_reader_t * reader, char * cursor, fw_error_t * error)
{
  fw_grid_t * grid = &reader->grid;
  int32_t count, x, y, rule;
  if (grid->cost == NULL || !fw__text_integer(&cursor, 0, fw_grid_cell_count(grid), &count)) {
    return expect_error(reader, "traffic=COUNT after a grid", error);
  }
  const fw_ret_t ret = fw_grid_init_rules(grid, error);
  for (int32_t i = 0; ret == FW_RET_OK && i < count; ++i) {
    char * line = fw__text_line(&reader->text);
    if (
      line == NULL || !fw__text_integer(&line, 0, grid->width - 1, &x) ||
      !fw__text_integer(&line, 0, grid->height - 1, &y) || !fw__text_integer(&line, 0, UINT16_MAX, &rule)) {
      return expect_error(reader, "x y rule of a cell that has changed", error);
    }
    grid->rules[fw_grid_cell(grid, x, y)] = (uint16_t)rule;
  }
  return ret;
}

// A line grid=, costs=, change= or traffic= and what follows it. Other keys, of later versions, are skipped.
static fw_ret_t read_grid(fw_record_reader_t * reader, char * line, fw_error_t * error)
{
  char * cursor = line;
  int32_t width, height;
  if (fw__text_skip(&cursor, "change=")) {
    return read_changes(reader, cursor, error);
  }
  if (fw__text_skip(&cursor, "traffic=")) {
    return read_rules(reader, cursor, error);
  }
  const bool has_costs = fw__text_skip(&cursor, "costs=");
  if (!has_costs && !fw__text_skip(&cursor, "grid=")) {
    return strchr(line, '=') != NULL ? FW_RET_OK : expect_error(reader, "key=value", error);
  }
  if (
    !fw__text_integer(&cursor, 1, FW_GRID_SIDE_MAX, &width) || !fw__text_skip(&cursor, "x") ||
    !fw__text_integer(&cursor, 1, FW_GRID_SIDE_MAX, &height)) {
    return expect_error(reader, "grid=WIDTHxHEIGHT", error);
  }
  fw_grid_fini(&reader->grid);
  fw_ret_t ret = fw_grid_init(&reader->grid, width, height, NULL, error);
  for (int32_t y = 0; ret == FW_RET_OK && y < height; ++y) {
    ret = read_row(reader, y, has_costs, error);
  }
  return ret;
}

// ---- reading: problems ----------------------------------------------------------------------------------------------

static bool reserve_offsets(fw_record_reader_t * reader, int32_t count)
{
  if (reader->offset_count + count <= reader->offset_capacity) {
    return true;
  }
  FW_ASSERT(count > 0 && reader->offset_count <= reader->offset_capacity);
  const int32_t capacity = 2 * (reader->offset_count + count);
  fw_offset_t * grown = fw__allocate_array(&reader->allocator, (size_t)capacity, sizeof(*grown));
  if (grown == NULL) {
    return false;
  }
  if (reader->offset_count > 0) {
    memcpy(grown, reader->offsets, (size_t)reader->offset_count * sizeof(*grown));
  }
  fw__deallocate(&reader->allocator, reader->offsets);
  reader->offsets = grown;
  reader->offset_capacity = capacity;
  return true;
}

static bool read_footprint(fw_record_reader_t * reader, char ** cursor, fw_robot_t * robot)
{
  if (
    !fw__text_integer(cursor, 0, FW_GRID_SIDE_MAX, &robot->footprint_count) ||
    !reserve_offsets(reader, robot->footprint_count)) {
    return false;
  }
  bool is_valid = true;
  for (int32_t i = 0; is_valid && i < robot->footprint_count; ++i) {
    FW_ASSERT(reader->offset_count < reader->offset_capacity);
    fw_offset_t * offset = &reader->offsets[reader->offset_count++];
    is_valid = fw__text_integer(cursor, -FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX, &offset->dx) &&
               fw__text_skip(cursor, ",") && fw__text_integer(cursor, -FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX, &offset->dy);
  }
  return is_valid;
}

static bool read_robot(fw_record_reader_t * reader, char * cursor, fw_robot_t * robot)
{
  const fw_grid_t * grid = &reader->grid;
  int32_t sweeps = 0;
  *robot = (fw_robot_t){0};
  if (
    !read_cell(&cursor, grid, &robot->start) || !read_cell(&cursor, grid, &robot->goal) ||
    !read_cell(&cursor, grid, &robot->from) || !fw__text_integer(&cursor, INT32_MIN, INT32_MAX, &robot->priority)) {
    return false;
  }
  const bool is_valid =
    fw__text_integer(&cursor, 0, INT32_MAX, &robot->ticks_per_move) &&
    fw__text_integer(&cursor, 0, INT32_MAX, &robot->turn_ticks) &&
    fw__text_integer(&cursor, 0, FW_HEADING_COUNT - 1, &robot->heading) && fw__text_integer(&cursor, 0, 1, &sweeps) &&
    fw__text_integer(&cursor, 0, INT32_MAX, &robot->id) && fw__text_integer(&cursor, 0, FW_TICK_MAX, &robot->arrives) &&
    fw__text_integer(&cursor, 0, FW_HEADING_COUNT - 1, &robot->from_heading) && read_footprint(reader, &cursor, robot);
  robot->sweeps_sides = sweeps == 1;
  return is_valid;
}

static fw_ret_t read_robots(fw_record_reader_t * reader, int32_t count, fw_error_t * error)
{
  fw__deallocate(&reader->allocator, reader->robots);
  reader->robots = fw__allocate_array(&reader->allocator, (size_t)count + 1, sizeof(*reader->robots));
  reader->offset_count = 0;
  for (int32_t i = 0; reader->robots != NULL && i < count; ++i) {
    char * line = fw__text_line(&reader->text);
    if (line == NULL || !read_robot(reader, line, &reader->robots[i])) {
      return expect_error(reader, "a robot: start, goal, the cell it comes from, and ten numbers", error);
    }
  }
  // Only now: the array of offsets moves while it grows.
  for (int32_t i = 0, at = 0; reader->robots != NULL && i < count; ++i) {
    reader->robots[i].footprint = reader->robots[i].footprint_count > 0 ? &reader->offsets[at] : NULL;
    at += reader->robots[i].footprint_count;
  }
  return reader->robots != NULL ? FW_RET_OK : fw__error_memory(error);
}

static fw_ret_t read_closures(fw_record_reader_t * reader, int32_t count, fw_error_t * error)
{
  const fw_grid_t * grid = &reader->grid;
  fw__deallocate(&reader->allocator, reader->closures);
  reader->closures = fw__allocate_array(&reader->allocator, (size_t)count + 1, sizeof(*reader->closures));
  for (int32_t i = 0; reader->closures != NULL && i < count; ++i) {
    char * line = fw__text_line(&reader->text);
    int32_t x = 0, y = 0, from = 0, to = FW_TICK_MAX;
    const bool is_valid = line != NULL && fw__text_integer(&line, 0, grid->width - 1, &x) &&
                          fw__text_integer(&line, 0, grid->height - 1, &y) &&
                          fw__text_integer(&line, 0, FW_TICK_MAX, &from);
    if (!is_valid || (!fw__text_skip(&line, " -") && !fw__text_integer(&line, from, FW_TICK_MAX, &to))) {
      return expect_error(reader, "a closure: x y from to", error);
    }
    reader->closures[i] = (fw_closure_t){.cell = fw_grid_cell(grid, x, y), .from = from, .to = to};
  }
  return reader->closures != NULL ? FW_RET_OK : fw__error_memory(error);
}

// From rules= to the last closure.
static fw_ret_t read_problem(fw_record_reader_t * reader, fw_error_t * error)
{
  fw_problem_t * problem = &reader->problem;
  char * cursor = next_value(reader, "rules");
  *problem = (fw_problem_t){.grid = &reader->grid};
  if (
    reader->grid.cost == NULL || reader->planner.name[0] == '\0' || cursor == NULL ||
    !fw__text_integer(&cursor, 0, 8, &problem->connectivity) ||
    !fw__text_integer(&cursor, 0, FW_ROBUST_TICKS_MAX, &problem->robust_ticks) ||
    !fw__text_integer(&cursor, 0, FW_TICK_MAX, &problem->horizon) ||
    !fw__text_integer(&cursor, 0, FW_TICK_MAX, &problem->since)) {
    return expect_error(reader, "a planner, a grid, and rules= of four numbers", error);
  }
  int32_t cuts_corners = 0;
  problem->cuts_corners = fw__text_integer(&cursor, 0, 1, &cuts_corners) && cuts_corners == 1;
  if (!read_count(reader, "robots", FW_ROBOT_COUNT_MAX, &problem->robot_count)) {
    return expect_error(reader, "robots=COUNT", error);
  }
  fw_ret_t ret = read_robots(reader, problem->robot_count, error);
  if (ret == FW_RET_OK && !read_count(reader, "closures", INT32_MAX, &problem->closure_count)) {
    return expect_error(reader, "closures=COUNT", error);
  }
  ret = ret == FW_RET_OK ? read_closures(reader, problem->closure_count, error) : ret;
  problem->robots = reader->robots;
  problem->closures = reader->closures;
  return ret;
}

// ---- reading: results -----------------------------------------------------------------------------------------------

static fw_ret_t read_notes(fw_record_reader_t * reader, fw_error_t * error)
{
  fw_replay_clock_trace_t * notes = &reader->notes;
  char * cursor = next_value(reader, "limits");
  *notes = (fw_replay_clock_trace_t){0};
  if (
    cursor == NULL || !read_long(&cursor, 0, &notes->step_ns) || !read_long(&cursor, 0, &notes->expansions_max) ||
    !read_long(&cursor, 0, &notes->cancelled_at)) {
    return expect_error(reader, "limits= of three numbers", error);
  }
  if (!read_count(reader, "steps", FW__REPLAY_CLOCK_STEPS, &notes->step_count)) {
    return expect_error(reader, "steps=COUNT", error);
  }
  for (int32_t i = 0; i < notes->step_count; ++i) {
    char * line = fw__text_line(&reader->text);
    fw_replay_clock_step_t * step = &notes->steps[i];
    if (
      line == NULL || !read_long(&line, 1, &step->query) ||
      !fw__text_integer(&line, 1, FW__REPLAY_CLOCK_STEPS, &step->step)) {
      return expect_error(reader, "QUERY STEP", error);
    }
  }
  return FW_RET_OK;
}

// From limits= to plan=.
static fw_ret_t read_result(fw_record_reader_t * reader, fw_error_t * error)
{
  const fw_ret_t ret = read_notes(reader, error);
  char * cursor = ret == FW_RET_OK ? next_value(reader, "answer") : NULL;
  int32_t code = 0;
  reader->safe_until = FW_TICK_MAX;
  if (
    cursor == NULL || !fw__text_integer(&cursor, 0, INT32_MAX, &code) || !read_word(&cursor, reader->outcome) ||
    !read_word(&cursor, reader->stop) ||
    (!fw__text_skip(&cursor, " -") && !fw__text_integer(&cursor, 0, FW_TICK_MAX, &reader->safe_until)) ||
    !read_long(&cursor, 0, &reader->expanded)) {
    return ret == FW_RET_OK ? expect_error(reader, "answer=CODE OUTCOME STOP SAFE_UNTIL EXPANDED", error) : ret;
  }
  reader->ret = (fw_ret_t)code;
  return read_count(reader, "plan", INT32_MAX, &reader->plan_lines) ? FW_RET_OK
                                                                    : expect_error(reader, "plan=LINES", error);
}

// ---- reading: entries -----------------------------------------------------------------------------------------------

fw_ret_t fw__record_reader_open(fw_record_reader_t * reader, const char * path, fw_error_t * error)
{
  *reader = (fw_record_reader_t){.allocator = fw_allocator_default()};
  fw_ret_t ret = fw__text_open(&reader->text, path, NULL, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const char * line = fw__text_line(&reader->text);
  if (line == NULL || strcmp(line, "fleetweave_record=1") != 0) {
    ret = fw__text_error(&reader->text, error, "not a record: the first line must be fleetweave_record=1");
    fw__record_reader_close(reader);
  }
  return ret;
}

void fw__record_reader_close(fw_record_reader_t * reader)
{
  fw__text_close(&reader->text);
  fw_grid_fini(&reader->grid);
  fw__deallocate(&reader->allocator, reader->robots);
  fw__deallocate(&reader->allocator, reader->closures);
  fw__deallocate(&reader->allocator, reader->offsets);
  *reader = (fw_record_reader_t){0};
}

// Does a complete line `key=number` follow before the next entry?
static bool has_line(const fw_record_reader_t * reader, const char * key, int64_t number)
{
  char wanted[64];
  const int length = snprintf(wanted, sizeof(wanted), "%s=%lld", key, (long long)number);
  const char * line = reader->text.cursor;
  while (line < reader->text.end) {
    const char * behind = memchr(line, '\n', (size_t)(reader->text.end - line));
    if (behind == NULL || strncmp(line, "solve=", 6) == 0) {
      return false;
    }
    if (behind - line == length && memcmp(line, wanted, (size_t)length) == 0) {
      return true;
    }
    line = behind + 1;
  }
  return false;
}

// The problem and asked= after it.
static fw_ret_t read_entry_problem(fw_record_reader_t * reader, fw_error_t * error)
{
  fw_ret_t ret = read_problem(reader, error);
  char * line = fw__text_line(&reader->text);
  if (ret == FW_RET_OK && (line == NULL || strncmp(line, "asked=", 6) != 0)) {
    ret =
      fw__text_error(&reader->text, error, "expected asked= after the problem, not '%.40s'", line != NULL ? line : "");
  }
  return ret;
}

// Everything after `solve=`.
static fw_ret_t read_entry(fw_record_reader_t * reader, fw_error_t * error)
{
  FW_ASSERT(reader->plan_lines == 0 && !reader->has_answer);
  reader->is_cut = !has_line(reader, "asked", reader->number);
  if (reader->is_cut) {
    return FW_RET_NOT_FOUND;  // the file may continue, if another process has appended to it, but where is unknown
  }
  const fw_ret_t ret = read_entry_problem(reader, error);
  reader->has_answer = ret == FW_RET_OK && has_line(reader, "done", reader->number);
  return ret == FW_RET_OK && reader->has_answer ? read_result(reader, error) : ret;
}

fw_ret_t fw__record_reader_next(fw_record_reader_t * reader, fw_error_t * error)
{
  while (reader->plan_lines > 0) {
    (void)fw__record_reader_plan_line(reader);
  }
  if (reader->number > 0 && !reader->has_answer) {
    return FW_RET_NOT_FOUND;  // what follows is a part of its result
  }
  reader->is_new_planner = reader->has_answer = false;
  for (char * line = fw__text_line(&reader->text); line != NULL; line = fw__text_line(&reader->text)) {
    char * cursor = line;
    fw_ret_t ret = FW_RET_OK;
    if (fw__text_skip(&cursor, "solve=")) {
      reader->number = strtoll(cursor, NULL, 10);
      reader->line = reader->text.line_number;
      return read_entry(reader, error);
    }
    if (fw__text_skip(&cursor, "planner=")) {
      ret = read_planner(reader, cursor, error);
      reader->is_new_planner = true;
    } else if (reader->text.cursor < reader->text.end || strchr(line, '=') != NULL) {
      ret = read_grid(reader, line, error);
    }
    if (ret != FW_RET_OK) {
      // A process that ended while it wrote leaves an incomplete last line: not an error.
      reader->is_cut = reader->text.cursor >= reader->text.end;
      return reader->is_cut ? FW_RET_NOT_FOUND : ret;
    }
  }
  return FW_RET_NOT_FOUND;
}

const char * fw__record_reader_plan_line(fw_record_reader_t * reader)
{
  if (reader->plan_lines <= 0) {
    return NULL;
  }
  --reader->plan_lines;
  return fw__text_line(&reader->text);
}
