// The grid: its memory, and MovingAI .map files.

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fleetweave/files.h"

fw_ret_t fw_grid_init(
  fw_grid_t * grid, int32_t width, int32_t height, const fw_allocator_t * allocator, fw_error_t * error)
{
  *grid = (fw_grid_t){0};
  if (width < 1 || height < 1 || width > FW_GRID_SIDE_MAX || height > FW_GRID_SIDE_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "a grid of %d x %d cells: each side must be 1 to %d", width, height,
      FW_GRID_SIDE_MAX);
  }
  const fw_allocator_t owner = fw__allocator_or_default(allocator);
  uint8_t * cost = fw__allocate_array(&owner, (size_t)width * (size_t)height, sizeof(*cost));
  if (cost == NULL) {
    return fw__error_memory(error);
  }
  *grid = (fw_grid_t){.width = width, .height = height, .cost = cost, .allocator = owner};
  return FW_RET_OK;
}

void fw_grid_fini(fw_grid_t * grid)
{
  if (grid != NULL) {
    fw__deallocate(&grid->allocator, grid->cost);
    fw__deallocate(&grid->allocator, grid->rules);
    *grid = (fw_grid_t){0};
  }
}

fw_ret_t fw_grid_init_rules(fw_grid_t * grid, fw_error_t * error)
{
  if (grid == NULL || grid->cost == NULL || grid->allocator.allocate == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "only a grid with memory of its own can be given rules");
  }
  if (grid->rules == NULL) {
    grid->rules = fw__allocate_array(&grid->allocator, (size_t)fw_grid_cell_count(grid), sizeof(*grid->rules));
  }
  return grid->rules != NULL ? FW_RET_OK : fw__error_memory(error);
}

bool fw_grid_has_rules(const fw_grid_t * grid)
{
  bool has_rules = false;
  for (int32_t i = 0; grid->rules != NULL && i < fw_grid_cell_count(grid) && !has_rules; ++i) {
    has_rules = grid->rules[i] != 0;
  }
  return has_rules;
}

// ---- MovingAI .map files --------------------------------------------------------------------------------------------
//
//   type octile
//   height 2
//   width 3
//   map
//   ..@        a row for each y: '.', 'G' and 'S' are free, all else is blocked
//   .@@

// "height" and "width" in any order, with an optional "type", up to "map".
static fw_ret_t read_header(fw_text_t * text, int32_t * width, int32_t * height, fw_error_t * error)
{
  for (char * line = fw__text_line_nonblank(text); line != NULL; line = fw__text_line_nonblank(text)) {
    char * cursor = line;
    if (strcmp(line, "map") == 0) {
      return *width > 0 && *height > 0 ? FW_RET_OK
                                       : fw__text_error(text, error, "'map' must come after 'height' and 'width'");
    }
    if (fw__text_skip(&cursor, "type")) {
      continue;
    }
    int32_t * side = fw__text_skip(&cursor, "height ") ? height : fw__text_skip(&cursor, "width ") ? width : NULL;
    if (side == NULL) {
      return fw__text_error(text, error, "expected type, height, width or map, not '%.40s'", line);
    }
    if (!fw__text_integer(&cursor, 1, FW_GRID_SIDE_MAX, side)) {
      return fw__text_error(text, error, "a side must be 1 to %d cells, not '%.20s'", FW_GRID_SIDE_MAX, cursor);
    }
  }
  return fw__text_error(text, error, "the file ends before 'map'");
}

static bool is_blank(const char * text) { return text[strspn(text, " \t")] == '\0'; }

static fw_ret_t read_rows(fw_text_t * text, fw_grid_t * grid, const uint8_t costs[256], fw_error_t * error)
{
  FW_ASSERT(grid->cost != NULL);
  for (int32_t y = 0; y < grid->height; ++y) {
    const char * line = fw__text_line(text);
    if (line == NULL) {
      return fw__text_error(text, error, "the map has %d rows, but its height is %d", y, grid->height);
    }
    const size_t length = strlen(line);
    if (length < (size_t)grid->width || !is_blank(line + grid->width)) {
      return fw__text_error(text, error, "row %d has %zu cells, but the width is %d", y, length, grid->width);
    }
    for (int32_t x = 0; x < grid->width; ++x) {
      grid->cost[fw_grid_cell(grid, x, y)] = costs[(unsigned char)line[x]];
    }
  }
  if (fw__text_line_nonblank(text) != NULL) {
    return fw__text_error(text, error, "the map has more rows than its height, %d", grid->height);
  }
  return FW_RET_OK;
}

void fw_terrain_default(uint8_t costs[256])
{
  memset(costs, 0, 256);
  costs['.'] = costs['G'] = costs['S'] = 1;
}

fw_ret_t fw_grid_read(fw_grid_t * grid, const char * path, const fw_allocator_t * allocator, fw_error_t * error)
{
  uint8_t costs[256];
  fw_terrain_default(costs);
  return fw_grid_read_terrain(grid, path, costs, allocator, error);
}

fw_ret_t fw_grid_read_terrain(
  fw_grid_t * grid, const char * path, const uint8_t costs[256], const fw_allocator_t * allocator, fw_error_t * error)
{
  *grid = (fw_grid_t){0};
  fw_text_t text;
  fw_ret_t ret = fw__text_open(&text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  int32_t width = 0;
  int32_t height = 0;
  ret = read_header(&text, &width, &height, error);
  if (ret == FW_RET_OK) {
    ret = fw_grid_init(grid, width, height, allocator, error);
  }
  if (ret == FW_RET_OK) {
    ret = read_rows(&text, grid, costs, error);
  }
  fw__text_close(&text);
  if (ret != FW_RET_OK) {
    fw_grid_fini(grid);
  }
  return ret;
}

fw_ret_t fw_grid_write(const fw_grid_t * grid, FILE * stream, fw_error_t * error)
{
  (void)fprintf(stream, "type octile\nheight %d\nwidth %d\nmap\n", grid->height, grid->width);
  for (int32_t y = 0; y < grid->height; ++y) {
    for (int32_t x = 0; x < grid->width; ++x) {
      (void)fputc(fw_grid_is_free(grid, x, y) ? '.' : '@', stream);
    }
    (void)fputc('\n', stream);
  }
  return ferror(stream) != 0 ? fw__error(error, FW_RET_FILE, "the map cannot be written to the stream") : FW_RET_OK;
}
