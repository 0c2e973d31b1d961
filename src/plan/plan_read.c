// Plans as the text that public visualisers read, in.

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "fleetweave/files.h"

typedef struct reader_t {
  fw_text_t text;
  const fw_grid_t * grid;
  fw_plan_file_t * file;
  fw_cell_t * rows;  // tick after tick, robot_count cells each
  int32_t row_count;
  int32_t row_capacity;
  bool has_count;
  char * headings;  // the line, in the text; NULL if there is none
  int32_t headings_line;
} reader_t;

// "(x,y)," for each robot.
static fw_ret_t read_cells(reader_t * reader, char * cursor, fw_cell_t * cells, fw_error_t * error)
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
        &reader->text, error, "robot %d at (%d,%d), outside the grid of %d x %d", r, x, y, reader->grid->width,
        reader->grid->height);
    }
    (void)fw__text_skip(&cursor, ",");
    cells[r] = fw_grid_cell(reader->grid, x, y);
  }
  return cursor[strspn(cursor, " \t")] == '\0'
           ? FW_RET_OK
           : fw__text_error(&reader->text, error, "more positions than %d robots", reader->file->robot_count);
}

static fw_ret_t read_list(reader_t * reader, char * cursor, fw_cell_t ** cells, fw_error_t * error)
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

// Header lines until "solution="; unknown keys (other tools write comp_time= and more) are passed over.
static fw_ret_t read_header(reader_t * reader, fw_error_t * error)
{
  fw_plan_file_t * file = reader->file;
  for (char * line = fw__text_line_nonblank(&reader->text); line != NULL; line = fw__text_line_nonblank(&reader->text)) {
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

static bool reserve_row(reader_t * reader)
{
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

static fw_ret_t read_ticks(reader_t * reader, fw_error_t * error)
{
  for (char * line = fw__text_line_nonblank(&reader->text); line != NULL; line = fw__text_line_nonblank(&reader->text)) {
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
  return reader->row_count > 0 ? FW_RET_OK : fw__text_error(&reader->text, error, "a solution without ticks");
}

// A word per robot: a digit per tick, or "-".
static fw_ret_t turn_headings(reader_t * reader, uint8_t * headings, fw_error_t * error)
{
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
           : fw__text_error(&reader->text, error, "more headings than %d robots", reader->file->robot_count);
}

// Ticks by robots to robots by ticks: the paths' cells, and headings if there are, follow the paths in one block.
static fw_ret_t turn(reader_t * reader, fw_error_t * error)
{
  fw_plan_file_t * file = reader->file;
  const size_t robots = (size_t)file->robot_count;
  const size_t ticks = (size_t)reader->row_count;
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
  return reader->headings == NULL ? FW_RET_OK : turn_headings(reader, (uint8_t *)(cells + robots * ticks), error);
}

fw_ret_t fw_plan_read(
  fw_plan_file_t * file, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *file = (fw_plan_file_t){.allocator = fw__allocator_or_default(allocator)};
  reader_t reader = {.grid = grid, .file = file};
  fw_ret_t ret = fw__text_open(&reader.text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if ((ret = read_header(&reader, error)) != FW_RET_OK || (ret = read_ticks(&reader, error)) != FW_RET_OK) {
    goto cleanup;
  }
  ret = turn(&reader, error);
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
