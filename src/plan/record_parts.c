#include "plan/record_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static fw_ret_t refuse(fw__record_t * record, const char * wanted, fw_error_t * error)
{
  return fw__text_error(&record->text, error, "expected %s", wanted);
}

// The next line, behind `key=`; NULL if it is another.
static char * value_of(fw__record_t * record, const char * key)
{
  char * line = fw__text_line(&record->text);
  const bool is_it = line != NULL && fw__text_skip(&line, key) && fw__text_skip(&line, "=");
  return is_it ? line : NULL;
}

static bool read_long(char ** cursor, int64_t min, int64_t * value)
{
  char * behind = NULL;
  *value = strtoll(*cursor, &behind, 10);
  const bool is_fine = behind != *cursor && *value >= min;
  *cursor = behind;
  return is_fine;
}

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
  const bool is_fine = fw__text_integer(cursor, 0, grid->width - 1, &x) && fw__text_skip(cursor, ",") &&
                       fw__text_integer(cursor, 0, grid->height - 1, &y);
  *cell = is_fine ? fw_grid_cell(grid, x, y) : 0;
  return is_fine;
}

// How many lines of it follow: no more than there are bytes.
static bool read_count(fw__record_t * record, const char * key, int32_t max, int32_t * count)
{
  char * cursor = value_of(record, key);
  const int64_t left = record->text.end - record->text.cursor;
  return cursor != NULL && fw__text_integer(&cursor, 0, left < max ? (int32_t)left : max, count);
}

// ---- planner --------------------------------------------------------------------------------------------------------

fw_ret_t fw__record_read_planner(fw__record_t * record, const char * name, fw_error_t * error)
{
  fw__record_planner_t * planner = &record->planner;
  *planner = (fw__record_planner_t){0};
  snprintf(planner->name, sizeof(planner->name), "%s", name);
  const char * threads = value_of(record, "threads");
  const char * seed = threads != NULL ? value_of(record, "seed") : NULL;
  const char * memory = seed != NULL ? value_of(record, "memory_max_bytes") : NULL;
  if (memory == NULL) {
    return refuse(record, "threads=, seed= and memory_max_bytes= behind planner=", error);
  }
  planner->threads = (int32_t)strtol(threads, NULL, 10);
  planner->seed = strtoull(seed, NULL, 10);
  planner->memory_max_bytes = (size_t)strtoull(memory, NULL, 10);
  while (record->text.end - record->text.cursor >= 4 && strncmp(record->text.cursor, "set=", 4) == 0) {
    char * cursor = value_of(record, "set");
    const int32_t i = planner->parameter_count;
    if (i >= FW_PARAMETERS_MAX || !read_word(&cursor, planner->names[i]) || !read_word(&cursor, planner->values[i])) {
      return refuse(record, "set=NAME VALUE", error);
    }
    ++planner->parameter_count;
  }
  return FW_RET_OK;
}

// ---- grid -----------------------------------------------------------------------------------------------------------

static fw_ret_t read_changes(fw__record_t * record, char * cursor, fw_error_t * error)
{
  fw_grid_t * grid = &record->grid;
  int32_t count, x, y, cost;
  if (grid->cost == NULL || !fw__text_integer(&cursor, 0, fw_grid_cell_count(grid), &count)) {
    return refuse(record, "change=COUNT behind a grid", error);
  }
  for (int32_t i = 0; i < count; ++i) {
    char * line = fw__text_line(&record->text);
    if (
      line == NULL || !fw__text_integer(&line, 0, grid->width - 1, &x) ||
      !fw__text_integer(&line, 0, grid->height - 1, &y) || !fw__text_integer(&line, 0, UINT8_MAX, &cost)) {
      return refuse(record, "x y cost of a cell that has changed", error);
    }
    grid->cost[fw_grid_cell(grid, x, y)] = (uint8_t)cost;
  }
  return FW_RET_OK;
}

static fw_ret_t read_row(fw__record_t * record, int32_t y, bool has_costs, fw_error_t * error)
{
  fw_grid_t * grid = &record->grid;
  const char * row = fw__text_line(&record->text);
  const size_t digits = has_costs ? 2 : 1;
  if (row == NULL || strlen(row) != digits * (size_t)grid->width) {
    return refuse(record, "a row of the grid", error);
  }
  for (int32_t x = 0; x < grid->width; ++x) {
    const char * at = row + digits * (size_t)x;
    const char pair[3] = {at[0], has_costs ? at[1] : '\0', '\0'};
    grid->cost[fw_grid_cell(grid, x, y)] = has_costs ? (uint8_t)strtoul(pair, NULL, 16) : at[0] == '.';
  }
  return FW_RET_OK;
}

fw_ret_t fw__record_read_grid(fw__record_t * record, char * line, fw_error_t * error)
{
  char * cursor = line;
  int32_t width, height;
  if (fw__text_skip(&cursor, "change=")) {
    return read_changes(record, cursor, error);
  }
  const bool has_costs = fw__text_skip(&cursor, "costs=");
  if (!has_costs && !fw__text_skip(&cursor, "grid=")) {
    return strchr(line, '=') != NULL ? FW_RET_OK : refuse(record, "key=value", error);
  }
  if (
    !fw__text_integer(&cursor, 1, FW_GRID_SIDE_MAX, &width) || !fw__text_skip(&cursor, "x") ||
    !fw__text_integer(&cursor, 1, FW_GRID_SIDE_MAX, &height)) {
    return refuse(record, "grid=WIDTHxHEIGHT", error);
  }
  fw_grid_fini(&record->grid);
  fw_ret_t ret = fw_grid_init(&record->grid, width, height, NULL, error);
  for (int32_t y = 0; ret == FW_RET_OK && y < height; ++y) {
    ret = read_row(record, y, has_costs, error);
  }
  return ret;
}

// ---- problem --------------------------------------------------------------------------------------------------------

static bool reserve_offsets(fw__record_t * record, int32_t count)
{
  if (record->offset_count + count <= record->offset_capacity) {
    return true;
  }
  const int32_t capacity = 2 * (record->offset_count + count);
  fw_offset_t * grown = fw__allocate_array(&record->allocator, (size_t)capacity, sizeof(*grown));
  if (grown == NULL) {
    return false;
  }
  if (record->offset_count > 0) {
    memcpy(grown, record->offsets, (size_t)record->offset_count * sizeof(*grown));
  }
  fw__deallocate(&record->allocator, record->offsets);
  record->offsets = grown;
  record->offset_capacity = capacity;
  return true;
}

static bool read_footprint(fw__record_t * record, char ** cursor, fw_robot_t * robot)
{
  if (
    !fw__text_integer(cursor, 0, FW_GRID_SIDE_MAX, &robot->footprint_count) ||
    !reserve_offsets(record, robot->footprint_count)) {
    return false;
  }
  bool is_fine = true;
  for (int32_t i = 0; is_fine && i < robot->footprint_count; ++i) {
    fw_offset_t * offset = &record->offsets[record->offset_count++];
    is_fine = fw__text_integer(cursor, -FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX, &offset->dx) &&
              fw__text_skip(cursor, ",") && fw__text_integer(cursor, -FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX, &offset->dy);
  }
  return is_fine;
}

static bool read_robot(fw__record_t * record, char * cursor, fw_robot_t * robot)
{
  const fw_grid_t * grid = &record->grid;
  int32_t sweeps = 0;
  *robot = (fw_robot_t){0};
  if (
    !read_cell(&cursor, grid, &robot->start) || !read_cell(&cursor, grid, &robot->goal) ||
    !read_cell(&cursor, grid, &robot->from) || !fw__text_integer(&cursor, INT32_MIN, INT32_MAX, &robot->priority)) {
    return false;
  }
  const bool is_fine =
    fw__text_integer(&cursor, 0, INT32_MAX, &robot->ticks_per_move) &&
    fw__text_integer(&cursor, 0, INT32_MAX, &robot->turn_ticks) &&
    fw__text_integer(&cursor, 0, FW_HEADING_COUNT - 1, &robot->heading) && fw__text_integer(&cursor, 0, 1, &sweeps) &&
    fw__text_integer(&cursor, 0, INT32_MAX, &robot->id) && fw__text_integer(&cursor, 0, FW_TICK_MAX, &robot->arrives) &&
    fw__text_integer(&cursor, 0, FW_HEADING_COUNT - 1, &robot->from_heading) && read_footprint(record, &cursor, robot);
  robot->sweeps_sides = sweeps == 1;
  return is_fine;
}

static fw_ret_t read_robots(fw__record_t * record, int32_t count, fw_error_t * error)
{
  fw__deallocate(&record->allocator, record->robots);
  record->robots = fw__allocate_array(&record->allocator, (size_t)count + 1, sizeof(*record->robots));
  record->offset_count = 0;
  for (int32_t i = 0; record->robots != NULL && i < count; ++i) {
    char * line = fw__text_line(&record->text);
    if (line == NULL || !read_robot(record, line, &record->robots[i])) {
      return refuse(record, "a robot: start, goal, where it comes from, and ten numbers", error);
    }
  }
  // The list of offsets does not move any more.
  for (int32_t i = 0, at = 0; record->robots != NULL && i < count; ++i) {
    record->robots[i].footprint = record->robots[i].footprint_count > 0 ? &record->offsets[at] : NULL;
    at += record->robots[i].footprint_count;
  }
  return record->robots != NULL ? FW_RET_OK : fw__error_memory(error);
}

static fw_ret_t read_closures(fw__record_t * record, int32_t count, fw_error_t * error)
{
  const fw_grid_t * grid = &record->grid;
  fw__deallocate(&record->allocator, record->closures);
  record->closures = fw__allocate_array(&record->allocator, (size_t)count + 1, sizeof(*record->closures));
  for (int32_t i = 0; record->closures != NULL && i < count; ++i) {
    char * line = fw__text_line(&record->text);
    int32_t x = 0, y = 0, from = 0, to = FW_TICK_MAX;
    const bool is_fine = line != NULL && fw__text_integer(&line, 0, grid->width - 1, &x) &&
                         fw__text_integer(&line, 0, grid->height - 1, &y) &&
                         fw__text_integer(&line, 0, FW_TICK_MAX, &from);
    if (!is_fine || (!fw__text_skip(&line, " -") && !fw__text_integer(&line, from, FW_TICK_MAX, &to))) {
      return refuse(record, "a closure: x y from to", error);
    }
    record->closures[i] = (fw_closure_t){.cell = fw_grid_cell(grid, x, y), .from = from, .to = to};
  }
  return record->closures != NULL ? FW_RET_OK : fw__error_memory(error);
}

fw_ret_t fw__record_read_problem(fw__record_t * record, fw_error_t * error)
{
  fw_problem_t * problem = &record->problem;
  char * cursor = value_of(record, "rules");
  *problem = (fw_problem_t){.grid = &record->grid};
  if (
    record->grid.cost == NULL || record->planner.name[0] == '\0' || cursor == NULL ||
    !fw__text_integer(&cursor, 0, 8, &problem->connectivity) ||
    !fw__text_integer(&cursor, 0, FW_ROBUST_TICKS_MAX, &problem->robust_ticks) ||
    !fw__text_integer(&cursor, 0, FW_TICK_MAX, &problem->horizon) ||
    !fw__text_integer(&cursor, 0, FW_TICK_MAX, &problem->since)) {
    return refuse(record, "a planner, a grid, and rules= of four numbers", error);
  }
  int32_t cuts_corners = 0;
  problem->cuts_corners = fw__text_integer(&cursor, 0, 1, &cuts_corners) && cuts_corners == 1;
  if (!read_count(record, "robots", FW_ROBOT_COUNT_MAX, &problem->robot_count)) {
    return refuse(record, "robots=COUNT", error);
  }
  fw_ret_t ret = read_robots(record, problem->robot_count, error);
  if (ret == FW_RET_OK && !read_count(record, "closures", INT32_MAX, &problem->closure_count)) {
    return refuse(record, "closures=COUNT", error);
  }
  ret = ret == FW_RET_OK ? read_closures(record, problem->closure_count, error) : ret;
  problem->robots = record->robots;
  problem->closures = record->closures;
  return ret;
}

// ---- answer ---------------------------------------------------------------------------------------------------------

static fw_ret_t read_notes(fw__record_t * record, fw_error_t * error)
{
  fw__stopwatch_notes_t * notes = &record->notes;
  char * cursor = value_of(record, "limits");
  *notes = (fw__stopwatch_notes_t){0};
  if (
    cursor == NULL || !read_long(&cursor, 0, &notes->step_ns) || !read_long(&cursor, 0, &notes->expansions_max) ||
    !read_long(&cursor, 0, &notes->cancelled_at)) {
    return refuse(record, "limits= of three numbers", error);
  }
  if (!read_count(record, "steps", FW__STOPWATCH_STEPS, &notes->step_count)) {
    return refuse(record, "steps=COUNT", error);
  }
  for (int32_t i = 0; i < notes->step_count; ++i) {
    char * line = fw__text_line(&record->text);
    fw__stopwatch_step_t * step = &notes->steps[i];
    if (
      line == NULL || !read_long(&line, 1, &step->question) ||
      !fw__text_integer(&line, 1, FW__STOPWATCH_STEPS, &step->step)) {
      return refuse(record, "question step", error);
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw__record_read_answer(fw__record_t * record, fw_error_t * error)
{
  const fw_ret_t ret = read_notes(record, error);
  char * cursor = ret == FW_RET_OK ? value_of(record, "answer") : NULL;
  int32_t code = 0;
  record->safe_until = FW_TICK_MAX;
  if (
    cursor == NULL || !fw__text_integer(&cursor, 0, INT32_MAX, &code) || !read_word(&cursor, record->outcome) ||
    !read_word(&cursor, record->stop) ||
    (!fw__text_skip(&cursor, " -") && !fw__text_integer(&cursor, 0, FW_TICK_MAX, &record->safe_until)) ||
    !read_long(&cursor, 0, &record->expanded)) {
    return ret == FW_RET_OK ? refuse(record, "answer=CODE OUTCOME STOP SAFE_UNTIL EXPANDED", error) : ret;
  }
  record->ret = (fw_ret_t)code;
  return read_count(record, "plan", INT32_MAX, &record->plan_lines) ? FW_RET_OK : refuse(record, "plan=LINES", error);
}
