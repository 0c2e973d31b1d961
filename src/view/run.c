#include "view/run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/run_reader.h"

#define TOLERANCE 20  // thousandths of a cell, and of a radian: less than a pixel on most screens

fw_ret_t fw__run_refuse(fw__run_reader_t * reader, const char * format, ...)
{
  char reason[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
  return fw__error(reader->error, FW_RET_FILE, "%.80s:%lld: %s", reader->path, (long long)reader->line_number, reason);
}

// The next line, without its end; false at the end of the file.
static bool next_line(fw__run_reader_t * reader)
{
  const ssize_t length = getline(&reader->line, &reader->line_capacity, reader->stream);
  if (length < 0) {
    return false;
  }
  reader->line_number++;
  size_t end = (size_t)length;
  reader->has_newline = end > 0 && reader->line[end - 1] == '\n';
  while (end > 0 && strchr("\r\n \t", reader->line[end - 1]) != NULL) {
    end--;
  }
  reader->line[end] = '\0';
  return true;
}

static bool parse_positive(const char * text, double * value)
{
  char * end = NULL;
  *value = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*value) && *value > 0.0;
}

static fw_ret_t read_grid(fw__run_reader_t * reader)
{
  fw_grid_t * grid = &reader->run->grid;
  if (grid->cost == NULL) {
    return fw__run_refuse(reader, "grid= comes before size=");
  }
  for (int32_t y = 0; y < grid->height; y++) {
    if (!next_line(reader)) {
      return fw__run_refuse(reader, "the grid ends after %d of %d rows", y, grid->height);
    }
    if (strlen(reader->line) != (size_t)grid->width) {
      return fw__run_refuse(reader, "row %d of the grid has %zu cells, not %d", y, strlen(reader->line), grid->width);
    }
    for (int32_t x = 0; x < grid->width; x++) {
      grid->cost[fw_grid_cell(grid, x, y)] = reader->line[x] == '.' ? 1 : 0;
    }
  }
  return FW_RET_OK;
}

static fw_ret_t read_size(fw__run_reader_t * reader, const char * text, const fw_allocator_t * allocator)
{
  int width = 0;
  int height = 0;
  char rest = '\0';
  if (sscanf(text, "%dx%d%c", &width, &height, &rest) != 2) {
    return fw__run_refuse(reader, "size must be WIDTHxHEIGHT, not %.40s", text);
  }
  if (width < 1 || height < 1 || width > FW_GRID_SIDE_MAX || height > FW_GRID_SIDE_MAX) {
    return fw__run_refuse(reader, "size must be between 1x1 and %dx%d", FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX);
  }
  fw_grid_fini(&reader->run->grid);
  return fw_grid_init(&reader->run->grid, width, height, allocator, reader->error);
}

static fw_ret_t read_header_line(fw__run_reader_t * reader, const fw_allocator_t * allocator)
{
  char * value = strchr(reader->line, '=');
  if (value == NULL) {
    return fw__run_refuse(reader, "expected key=value, not %.40s", reader->line);
  }
  *value++ = '\0';
  double number = 0.0;
  if (strcmp(reader->line, "size") == 0) {
    return read_size(reader, value, allocator);
  }
  if (strcmp(reader->line, "grid") == 0) {
    return read_grid(reader);
  }
  if (strcmp(reader->line, "robots") == 0) {
    if (!parse_positive(value, &number) || number > FW_ROBOT_COUNT_MAX || floor(number) < number) {
      return fw__run_refuse(reader, "robots must be a number from 1 to %d, not %.40s", FW_ROBOT_COUNT_MAX, value);
    }
    reader->run->robot_count = (int32_t)number;
  } else if (strcmp(reader->line, "resolution") == 0) {
    if (!parse_positive(value, &reader->run->resolution)) {
      return fw__run_refuse(reader, "resolution must be metres above 0, not %.40s", value);
    }
  } else if (strcmp(reader->line, "radius") == 0) {
    if (!parse_positive(value, &reader->run->radius)) {
      return fw__run_refuse(reader, "radius must be metres above 0, not %.40s", value);
    }
  }
  return FW_RET_OK;  // keys of later versions are passed over
}

static fw_ret_t read_header(fw__run_reader_t * reader, const fw_allocator_t * allocator)
{
  if (!next_line(reader) || strcmp(reader->line, "fleetweave_run=1") != 0) {
    return fw__run_refuse(reader, "not a recorded run: the first line must be fleetweave_run=1");
  }
  bool has_grid = false;
  while (next_line(reader)) {
    if (strcmp(reader->line, "poses=") == 0) {
      if (reader->run->robot_count == 0 || reader->run->resolution <= 0.0 || reader->run->radius <= 0.0 || !has_grid) {
        return fw__run_refuse(reader, "robots=, resolution=, radius=, size= and grid= must come before poses=");
      }
      return FW_RET_OK;
    }
    has_grid = has_grid || strcmp(reader->line, "grid=") == 0;
    const fw_ret_t ret = reader->line[0] == '\0' ? FW_RET_OK : read_header_line(reader, allocator);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return fw__run_refuse(reader, "the file ends before poses=");
}

static fw_ret_t read_body(fw__run_reader_t * reader, const fw_allocator_t * allocator)
{
  fw__run_t * run = reader->run;
  fw_ret_t ret = fw__tracks_init(&run->tracks, run->robot_count, allocator, reader->error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  run->tracks.grid = &run->grid;
  run->tracks.is_row_0_below = true;
  run->tracks.has_yaw = true;
  run->tracks.units_per_cell = FW__RUN_UNITS_PER_CELL;
  run->tracks.seconds_per_unit = 1.0 / FW__RUN_UNITS_PER_SECOND;
  run->tracks.metres_per_cell = run->resolution;
  run->tracks.radius_cells = run->radius / run->resolution;
  run->tracks.tolerance = TOLERANCE;
  while (ret == FW_RET_OK && next_line(reader)) {
    ret = fw__run_read_line(reader);
  }
  if (ret != FW_RET_OK && !reader->has_newline && reader->pose_time >= 0) {
    ret = FW_RET_OK;
  }
  if (ret == FW_RET_OK && reader->pose_time < 0) {
    return fw__run_refuse(reader, "the file has no p line");
  }
  return ret == FW_RET_OK ? fw__tracks_finish(&run->tracks, reader->error) : ret;
}

fw_ret_t fw__run_read(fw__run_t * run, const char * path, const fw_allocator_t * allocator, fw_error_t * error)
{
  const fw_allocator_t memory = allocator != NULL ? *allocator : fw_allocator_default();
  *run = (fw__run_t){0};
  fw__run_reader_t reader = {.path = path, .run = run, .pose_time = -1, .error = error};
  reader.stream = fopen(path, "r");
  if (reader.stream == NULL) {
    return fw__error(error, FW_RET_FILE, "%.180s: %s", path, strerror(errno));
  }
  fw_ret_t ret = read_header(&reader, &memory);
  if (ret == FW_RET_OK) {
    const size_t count = (size_t)run->robot_count;
    reader.last = memory.allocate(count * sizeof(*reader.last), memory.state);
    reader.has_pose = memory.allocate(count * sizeof(*reader.has_pose), memory.state);
    if (reader.last == NULL || reader.has_pose == NULL) {
      ret = fw__error_memory(error);
    } else {
      memset(reader.has_pose, 0, count * sizeof(*reader.has_pose));
      ret = read_body(&reader, &memory);
    }
  }
  memory.deallocate(reader.last, memory.state);
  memory.deallocate(reader.has_pose, memory.state);
  free(reader.line);
  fclose(reader.stream);
  if (ret != FW_RET_OK) {
    fw__run_fini(run);
  }
  return ret;
}

void fw__run_fini(fw__run_t * run)
{
  fw__tracks_fini(&run->tracks);
  fw_grid_fini(&run->grid);
  *run = (fw__run_t){0};
}
