// Closures: merging, queries, and reading them from a file.

#include "world/closures.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "fleetweave/files.h"

// ---- merging --------------------------------------------------------------------------------------------------------

static bool is_before(const fw_closure_t * a, const fw_closure_t * b)
{
  return a->cell != b->cell ? a->cell < b->cell : a->from < b->from;
}

// Shell sort: in place, without the memory that qsort may allocate. Closures that compare equal are merged anyway.
static void sort(fw_closure_t * closures, int32_t count)
{
  int32_t gap = 1;
  while (gap < count / 3) {
    gap = 3 * gap + 1;
  }
  for (; gap > 0; gap /= 3) {
    for (int32_t i = gap; i < count; ++i) {
      const fw_closure_t closure = closures[i];
      int32_t at = i;
      for (; at >= gap && is_before(&closure, &closures[at - gap]); at -= gap) {
        closures[at] = closures[at - gap];
      }
      closures[at] = closure;
    }
  }
}

bool fw__closures_validate(const fw_closure_t * closures, int32_t count)
{
  for (int32_t i = 0; i < count; ++i) {
    const fw_closure_t * last = i > 0 ? &closures[i - 1] : NULL;
    if (
      closures[i].from > closures[i].to ||
      (last != NULL &&
       (last->cell > closures[i].cell || (last->cell == closures[i].cell && last->to + 1 >= closures[i].from)))) {
      return false;
    }
  }
  return true;
}

int32_t fw__closures_merge(const fw_problem_t * problem, fw_closure_t * merged)
{
  int32_t free_count = 0;
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    if (problem->grid->cost[problem->closures[i].cell] != 0) {
      merged[free_count++] = problem->closures[i];
    }
  }
  sort(merged, free_count);
  FW_ASSERT(free_count <= problem->closure_count);
  int32_t count = 0;
  for (int32_t i = 0; i < free_count; ++i) {
    fw_closure_t * last = count > 0 ? &merged[count - 1] : NULL;
    if (last == NULL || last->cell != merged[i].cell || merged[i].from > last->to + 1) {
      merged[count++] = merged[i];
    } else if (merged[i].to > last->to) {
      last->to = merged[i].to;
    }
  }
  FW_ASSERT(fw__closures_validate(merged, count));
  return count;
}

// ---- queries --------------------------------------------------------------------------------------------------------

int32_t fw__closures_find(const fw_closure_t * closures, int32_t count, fw_cell_t cell, fw_tick_t tick)
{
  int32_t low = 0;  // binary search
  int32_t high = count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const fw_closure_t * closure = &closures[middle];
    if (closure->cell < cell || (closure->cell == cell && closure->to < tick)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

fw_tick_t fw__closures_next(const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick)
{
  fw_tick_t first = FW_TICK_MAX;
  for (int32_t i = 0; i < footprint.count && problem->closure_count > 0; ++i) {
    const fw_cell_t cell = place + footprint.cells[i].dy * problem->grid->width + footprint.cells[i].dx;
    const int32_t at = fw__closures_find(problem->closures, problem->closure_count, cell, tick);
    if (at < problem->closure_count && problem->closures[at].cell == cell) {
      const fw_tick_t from = problem->closures[at].from > tick ? problem->closures[at].from : tick;
      first = from < first ? from : first;
    }
  }
  return first;
}

fw_tick_t fw__closures_open_until(
  const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick)
{
  const fw_tick_t next = fw__closures_next(problem, footprint, place, tick);
  return next == FW_TICK_MAX ? FW_TICK_MAX : next - 1;
}

fw_tick_t fw__closures_starts_open_until(const fw_bodies_t * bodies)
{
  const fw_problem_t * problem = bodies->problem;
  fw_tick_t until = FW_TICK_MAX;
  for (int32_t r = 0; r < problem->robot_count && problem->closure_count > 0; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const fw_footprint_t footprint = bodies->of[r]->footprints[robot->heading];
    const fw_tick_t open = fw__closures_open_until(problem, footprint, robot->start, robot->arrives);
    until = open < until ? open : until;
  }
  return until;
}

// ---- files ----------------------------------------------------------------------------------------------------------
//
// A line for each closure: x, y, first tick, last tick.

// An integer that is a whole field.
static bool read_number(char ** cursor, int32_t min, int32_t max, int32_t * value)
{
  return fw__text_integer(cursor, min, max, value) && fw__text_is_field_end(**cursor);
}

// The last tick: a number, or a word that means forever.
static bool read_end(char ** cursor, fw_tick_t from, fw_tick_t * to)
{
  static const char * const endless[] = {"forever", "-"};
  *cursor = fw__text_skip_blanks(*cursor);
  for (int32_t i = 0; i < 2; ++i) {
    char * behind = *cursor;
    if (fw__text_skip(&behind, endless[i]) && fw__text_is_field_end(*behind)) {
      *cursor = behind;
      *to = FW_TICK_MAX;
      return true;
    }
  }
  return read_number(cursor, from, FW_TICK_MAX, to);
}

typedef struct reader_t {
  fw_text_t text;
  const fw_grid_t * grid;
  fw_closures_t * closures;
  size_t capacity;  // of closures
} reader_t;

static fw_ret_t read_closure(reader_t * reader, char * line, fw_error_t * error)
{
  const fw_grid_t * grid = reader->grid;
  fw_closures_t * closures = reader->closures;
  char * cursor = line;
  int32_t x, y;
  fw_tick_t from, to;
  if (
    !read_number(&cursor, INT32_MIN, INT32_MAX, &x) || !read_number(&cursor, INT32_MIN, INT32_MAX, &y) ||
    !read_number(&cursor, 0, FW_TICK_MAX, &from) || !read_end(&cursor, from, &to) ||
    *fw__text_skip_blanks(cursor) != '\0') {
    return fw__text_error(
      &reader->text, error, "expected x y from to, with ticks 0 <= from <= to (- means forever), not '%.40s'", line);
  }
  if (!fw_grid_contains(grid, x, y)) {
    return fw__text_error(
      &reader->text, error, "(%d,%d) is outside the map of %d x %d", x, y, grid->width, grid->height);
  }
  FW_ASSERT((size_t)closures->closure_count < reader->capacity);
  closures->closures[closures->closure_count++] =
    (fw_closure_t){.cell = fw_grid_cell(grid, x, y), .from = from, .to = to};
  return FW_RET_OK;
}

static fw_ret_t read_closures(reader_t * reader, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  for (char * line = fw__text_line(&reader->text); line != NULL && ret == FW_RET_OK;
       line = fw__text_line(&reader->text)) {
    line[strcspn(line, "#")] = '\0';
    line = fw__text_skip_blanks(line);
    ret = *line == '\0' ? FW_RET_OK : read_closure(reader, line, error);
  }
  return ret;
}

fw_ret_t fw_closures_read(
  fw_closures_t * closures, const char * path, const fw_grid_t * grid, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *closures = (fw_closures_t){.allocator = fw__allocator_or_default(allocator)};
  reader_t reader = {.grid = grid, .closures = closures};
  fw_ret_t ret = fw__text_open(&reader.text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  // No closure takes less than "0 0 0 0" and its line ending.
  reader.capacity = (size_t)(reader.text.end - reader.text.data) / 8 + 1;
  closures->closures = fw__allocate_array(&closures->allocator, reader.capacity, sizeof(*closures->closures));
  ret = closures->closures == NULL ? fw__error_memory(error) : read_closures(&reader, error);
  fw__text_close(&reader.text);
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
