// Closures as text: a line per closure with x, y, first tick and last tick.

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "fleetweave/files.h"

static char * skip_blanks(char * cursor) { return cursor + strspn(cursor, " \t"); }

static bool is_end_of_field(char c) { return c == ' ' || c == '\t' || c == '\0'; }

// A whole number as a field of its own.
static bool read_number(char ** cursor, int32_t min, int32_t max, int32_t * value)
{
  return fw__text_integer(cursor, min, max, value) && is_end_of_field(**cursor);
}

// The last tick: a number, or a word for "for ever".
static bool read_end(char ** cursor, fw_tick_t from, fw_tick_t * to)
{
  static const char * const words[] = {"forever", "-"};
  *cursor = skip_blanks(*cursor);
  for (int32_t i = 0; i < 2; ++i) {
    char * behind = *cursor;
    if (fw__text_skip(&behind, words[i]) && is_end_of_field(*behind)) {
      *cursor = behind;
      *to = FW_TICK_MAX;
      return true;
    }
  }
  return read_number(cursor, from, FW_TICK_MAX, to);
}

static fw_ret_t read_closure(
  fw_text_t * text, char * line, const fw_grid_t * grid, fw_closure_t * closure, fw_error_t * error)
{
  char * cursor = line;
  int32_t x, y;
  fw_tick_t from, to;
  if (
    !read_number(&cursor, INT32_MIN, INT32_MAX, &x) || !read_number(&cursor, INT32_MIN, INT32_MAX, &y) ||
    !read_number(&cursor, 0, FW_TICK_MAX, &from) || !read_end(&cursor, from, &to) || *skip_blanks(cursor) != '\0') {
    return fw__text_error(
      text, error, "expected x y from to, with ticks 0 <= from <= to (- is for ever), not '%.40s'", line);
  }
  if (!fw_grid_contains(grid, x, y)) {
    return fw__text_error(text, error, "(%d,%d) is outside the map of %d x %d", x, y, grid->width, grid->height);
  }
  *closure = (fw_closure_t){.cell = fw_grid_cell(grid, x, y), .from = from, .to = to};
  return FW_RET_OK;
}

static fw_ret_t read_closures(fw_closures_t * closures, fw_text_t * text, const fw_grid_t * grid, fw_error_t * error)
{
  for (char * line = fw__text_line(text); line != NULL; line = fw__text_line(text)) {
    line[strcspn(line, "#")] = '\0';
    line = skip_blanks(line);
    if (*line == '\0') {
      continue;
    }
    const fw_ret_t ret = read_closure(text, line, grid, &closures->closures[closures->closure_count], error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    ++closures->closure_count;
  }
  return FW_RET_OK;
}

fw_ret_t fw_closures_read(
  fw_closures_t * closures, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *closures = (fw_closures_t){.allocator = fw__allocator_or_default(allocator)};
  fw_text_t text;
  fw_ret_t ret = fw__text_open(&text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  // "0 0 0 0" and its ending: no closure takes less.
  const size_t room = (size_t)(text.end - text.data) / 8 + 1;
  closures->closures = fw__allocate_array(&closures->allocator, room, sizeof(*closures->closures));
  ret = closures->closures == NULL ? fw__error_memory(error) : read_closures(closures, &text, grid, error);
  fw__text_close(&text);
  if (ret != FW_RET_OK) {
    fw_closures_fini(closures);
  }
  return ret;
}

void fw_closures_fini(fw_closures_t * closures)
{
  if (closures != NULL) {
    fw__deallocate(&closures->allocator, closures->closures);
    *closures = (fw_closures_t){0};
  }
}
