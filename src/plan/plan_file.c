// Plan files: the text format that public MAPF visualisers read (as written by Okumura's lacam and pibt2).
//
//   agents=2
//   map_file=room.map
//   solver=hca
//   solved=1
//   soc=5                            sum of costs
//   makespan=3
//   starts=(0,0),(2,0),
//   goals=(2,0),(0,1),
//   headings=0012,-,                 ours: a digit 0 to 7 per tick, - for a robot without a heading
//   cuts_corners=1                   ours, only if true
//   solution=
//   0:(0,0),(2,0),                   one line per tick
//   1:(1,0),(2,0),

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "fleetweave/files.h"

// ---- reading --------------------------------------------------------------------------------------------------------

typedef struct plan_reader_t {
  fw_text_t text;
  const fw_grid_t * grid;
  fw_plan_file_t * file;
  fw_cell_t * rows;  // tick after tick, robot_count cells each
  int32_t row_count;
  int32_t row_capacity;
  bool has_count;   // agents= has been read
  char * headings;  // value of headings=, in the text; NULL if there is none
  int32_t headings_line;
} plan_reader_t;

// One "(x,y)," for each robot, into `cells`.
static fw_ret_t read_cells(plan_reader_t * reader, char * cursor, fw_cell_t * cells, fw_error_t * error)
{
  for (int32_t r = 0; r < reader->file->robot_count; ++r) {
    int32_t x, y;
    if (
      !fw__text_skip(&cursor, "(") || !fw__text_integer(&cursor, INT32_MIN, INT32_MAX, &x) ||
      !fw__text_skip(&cursor, ",") || !fw__text_integer(&cursor, INT32_MIN, INT32_MAX, &y) ||
      !fw__text_skip(&cursor, ")")) {
      return fw__text_error(&reader->text, error, "expected (x,y) for robot %d, not '%.20s'", r, cursor);
    }
    if (!fw_grid_contains(reader->grid, x, y)) {
      return fw__text_error(
        &reader->text, error, "robot %d is at (%d,%d), outside the grid of %d x %d", r, x, y, reader->grid->width,
        reader->grid->height);
    }
    (void)fw__text_skip(&cursor, ",");
    cells[r] = fw_grid_cell(reader->grid, x, y);
  }
  return cursor[strspn(cursor, " \t")] == '\0'
           ? FW_RET_OK
           : fw__text_error(&reader->text, error, "more positions than robots (agents=%d)", reader->file->robot_count);
}

// starts= or goals=.
static fw_ret_t read_list(plan_reader_t * reader, char * cursor, fw_cell_t ** cells, fw_error_t * error)
{
  if (!reader->has_count) {
    return fw__text_error(&reader->text, error, "'agents=' must come first");
  }
  fw__deallocate(&reader->file->allocator, *cells);
  *cells = fw__allocate_array(&reader->file->allocator, (size_t)reader->file->robot_count, sizeof(**cells));
  return *cells == NULL ? fw__error_memory(error) : read_cells(reader, cursor, *cells, error);
}

static void copy_word(char * target, size_t target_size, const char * word)
{
  const size_t length = strlen(word) < target_size ? strlen(word) : target_size - 1;
  memcpy(target, word, length);
  target[length] = '\0';
}

// Header lines up to "solution=". Unknown keys are skipped: other tools write comp_time= and more.
static fw_ret_t read_header(plan_reader_t * reader, fw_error_t * error)
{
  fw_plan_file_t * file = reader->file;
  for (char * line = fw__text_line_nonblank(&reader->text); line != NULL;
       line = fw__text_line_nonblank(&reader->text)) {
    char * cursor = line;
    fw_ret_t ret = FW_RET_OK;
    if (fw__text_skip(&cursor, "solution=")) {
      const char * missing = !reader->has_count                              ? "agents"
                             : file->robot_count > 0 && file->starts == NULL ? "starts"
                             : file->robot_count > 0 && file->goals == NULL  ? "goals"
                                                                             : NULL;
      return missing == NULL ? FW_RET_OK : fw__text_error(&reader->text, error, "'%s=' is missing", missing);
    }
    if (fw__text_skip(&cursor, "agents=")) {
      if (reader->has_count || !fw__text_integer(&cursor, 0, FW_ROBOT_COUNT_MAX, &file->robot_count)) {
        return fw__text_error(&reader->text, error, "expected one number of agents, not '%.20s'", cursor);
      }
      reader->has_count = true;
    } else if (fw__text_skip(&cursor, "map_file=")) {
      copy_word(file->map_file, sizeof(file->map_file), cursor);
    } else if (fw__text_skip(&cursor, "solver=")) {
      copy_word(file->solver, sizeof(file->solver), cursor);
    } else if (fw__text_skip(&cursor, "solved=")) {
      file->is_solved = *cursor == '1';
    } else if (fw__text_skip(&cursor, "cuts_corners=")) {
      file->cuts_corners = *cursor == '1';
    } else if (fw__text_skip(&cursor, "starts=")) {
      ret = read_list(reader, cursor, &file->starts, error);
    } else if (fw__text_skip(&cursor, "goals=")) {
      ret = read_list(reader, cursor, &file->goals, error);
    } else if (fw__text_skip(&cursor, "headings=")) {
      reader->headings = cursor;
      reader->headings_line = reader->text.line_number;
    } else if (strchr(line, '=') == NULL) {
      return fw__text_error(&reader->text, error, "expected key=value, not '%.40s'", line);
    }
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return fw__text_error(&reader->text, error, "the file ends before 'solution='");
}

// Makes room for one more tick.
static bool reserve_row(plan_reader_t * reader)
{
  FW_ASSERT(reader->has_count && reader->row_count <= reader->row_capacity);
  if (reader->row_count < reader->row_capacity) {
    return true;
  }
  const fw_allocator_t * allocator = &reader->file->allocator;
  const size_t width = (size_t)reader->file->robot_count * sizeof(fw_cell_t);
  const int32_t capacity = reader->row_capacity < 32 ? 64 : reader->row_capacity * 2;
  fw_cell_t * rows = fw__allocate_array(allocator, (size_t)capacity, width);
  if (rows == NULL) {
    return false;
  }
  if (reader->row_count > 0) {
    memcpy(rows, reader->rows, (size_t)reader->row_count * width);
  }
  fw__deallocate(allocator, reader->rows);
  reader->rows = rows;
  reader->row_capacity = capacity;
  return true;
}

// "tick:(x,y),(x,y),..." for each tick from 0.
static fw_ret_t read_ticks(plan_reader_t * reader, fw_error_t * error)
{
  for (char * line = fw__text_line_nonblank(&reader->text); line != NULL;
       line = fw__text_line_nonblank(&reader->text)) {
    char * cursor = line;
    int32_t tick;
    if (!fw__text_integer(&cursor, 0, INT32_MAX, &tick) || !fw__text_skip(&cursor, ":")) {
      return fw__text_error(&reader->text, error, "expected 'tick:(x,y),…', not '%.40s'", line);
    }
    if (tick != reader->row_count) {
      return fw__text_error(&reader->text, error, "tick %d where %d was expected", tick, reader->row_count);
    }
    if (!reserve_row(reader)) {
      return fw__error_memory(error);
    }
    const fw_ret_t ret =
      read_cells(reader, cursor, reader->rows + (size_t)reader->row_count * (size_t)reader->file->robot_count, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    ++reader->row_count;
  }
  return reader->row_count > 0
           ? FW_RET_OK
           : fw__text_error(&reader->text, error, "there must be at least one tick after 'solution='");
}

// headings=: for each robot a digit per tick, or "-" if it has no heading; separated by commas.
static fw_ret_t read_headings(plan_reader_t * reader, uint8_t * headings, fw_error_t * error)
{
  FW_ASSERT(reader->headings != NULL && reader->row_count > 0);
  const char * cursor = reader->headings;
  reader->text.line_number = reader->headings_line;
  for (int32_t r = 0; r < reader->file->robot_count; ++r, headings += reader->row_count) {
    const size_t length = strspn(cursor, "01234567");
    const bool has_none = length == 0 && *cursor == '-';
    if (!has_none && length != (size_t)reader->row_count) {
      return fw__text_error(
        &reader->text, error, "expected %d headings 0 to 7 for robot %d, or -, not '%.20s'", reader->row_count, r,
        cursor);
    }
    for (size_t i = 0; i < length; ++i) {
      headings[i] = (uint8_t)(cursor[i] - '0');
    }
    reader->file->paths[r].headings = has_none ? NULL : headings;
    cursor += has_none ? 1 : length;
    cursor += *cursor == ',' ? 1 : 0;
  }
  return cursor[strspn(cursor, " \t")] == '\0'
           ? FW_RET_OK
           : fw__text_error(&reader->text, error, "more headings than robots (agents=%d)", reader->file->robot_count);
}

// The file has a row per tick, a plan has a path per robot: transposes. Paths, their cells and their headings are one
// block of memory.
static fw_ret_t transpose(plan_reader_t * reader, fw_error_t * error)
{
  fw_plan_file_t * file = reader->file;
  const size_t robots = (size_t)file->robot_count;
  const size_t ticks = (size_t)reader->row_count;
  FW_ASSERT(file->paths == NULL && ticks > 0);
  const size_t tick_bytes = sizeof(fw_cell_t) + (reader->headings != NULL ? 1 : 0);
  file->paths = fw__allocate_array(&file->allocator, 1, robots * (sizeof(*file->paths) + ticks * tick_bytes));
  if (file->paths == NULL) {
    return fw__error_memory(error);
  }
  fw_cell_t * cells = (fw_cell_t *)(void *)(file->paths + robots);
  for (size_t r = 0; r < robots; ++r) {
    for (size_t t = 0; t < ticks; ++t) {
      cells[r * ticks + t] = reader->rows[t * robots + r];
    }
    file->paths[r] = (fw_path_t){.cells = cells + r * ticks, .length = reader->row_count};
  }
  return reader->headings == NULL ? FW_RET_OK : read_headings(reader, (uint8_t *)(cells + robots * ticks), error);
}

fw_ret_t fw_plan_read(
  fw_plan_file_t * file, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *file = (fw_plan_file_t){.allocator = fw__allocator_or_default(allocator)};
  plan_reader_t reader = {.grid = grid, .file = file};
  fw_ret_t ret = fw__text_open(&reader.text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if ((ret = read_header(&reader, error)) != FW_RET_OK || (ret = read_ticks(&reader, error)) != FW_RET_OK) {
    goto cleanup;
  }
  ret = transpose(&reader, error);
cleanup:
  fw__deallocate(&file->allocator, reader.rows);
  fw__text_close(&reader.text);
  if (ret != FW_RET_OK) {
    fw_plan_file_fini(file);
  }
  return ret;
}

void fw_plan_file_fini(fw_plan_file_t * file)
{
  if (file != NULL) {
    fw__deallocate(&file->allocator, file->starts);
    fw__deallocate(&file->allocator, file->goals);
    fw__deallocate(&file->allocator, file->paths);
    *file = (fw_plan_file_t){0};
  }
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void write_cell(FILE * stream, const fw_grid_t * grid, fw_cell_t cell)
{
  (void)fprintf(stream, "(%d,%d),", fw_grid_x(grid, cell), fw_grid_y(grid, cell));
}

// headings=, a line of our own that visualisers ignore; left out if no robot has a heading.
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

// The sum of costs of what is written: paths up to tick `last`.
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
    last = plan->safe_until;  // later ticks are not part of the result
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
  return ferror(stream) != 0
           ? fw__error(error, FW_RET_FILE, "writing the plan failed: check the disk or the pipe it goes to")
           : FW_RET_OK;
}
