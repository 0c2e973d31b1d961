// Reads a recorded run: the header with the grid, then lines of poses and events, into tracks. See run_file.h.

#include "view/run_file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"

#define TOLERANCE 20  // thousandths of a cell, and of a radian: less than a pixel on most screens
// Positions are kept in thousandths of a cell, times in milliseconds: finer than a screen shows.
#define UNITS_PER_CELL 1000
#define UNITS_PER_SECOND 1000.0

typedef struct run_reader_t {
  FILE * stream;
  const char * path;
  char * line;  // the present line, without its end
  size_t line_capacity;
  int64_t line_number;
  bool has_newline;
  fw_run_file_t * run;
  fw_view_sample_t * last;  // the latest sample of each robot
  bool * has_pose;
  int64_t pose_time;  // of the last `p` line, -1 before the first
  int64_t period;     // shortest time between two `p` lines so far, 0 before the second
  int64_t time;       // of the last line of any kind
  fw_error_t * error;
} run_reader_t;

// Fills the error with file, line and reason; returns FW_RET_FILE.
FW_PRINTF(2, 3) static fw_ret_t refuse(run_reader_t * reader, const char * format, ...)
{
  char reason[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
  return fw__error(reader->error, FW_RET_FILE, "%.80s:%lld: %s", reader->path, (long long)reader->line_number, reason);
}

// The next line, without its end; false at the end of the file.
static bool next_line(run_reader_t * reader)
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

// ---- header ---------------------------------------------------------------------------------------------------------

static bool parse_positive(const char * text, double * value)
{
  char * end = NULL;
  *value = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*value) && *value > 0.0;
}

static fw_ret_t read_grid(run_reader_t * reader)
{
  fw_grid_t * grid = &reader->run->grid;
  if (grid->cost == NULL) {
    return refuse(reader, "grid= comes before size=");
  }
  for (int32_t y = 0; y < grid->height; y++) {
    if (!next_line(reader)) {
      return refuse(reader, "the grid ends after %d of %d rows", y, grid->height);
    }
    if (strlen(reader->line) != (size_t)grid->width) {
      return refuse(reader, "row %d of the grid has %zu cells, not %d", y, strlen(reader->line), grid->width);
    }
    for (int32_t x = 0; x < grid->width; x++) {
      grid->cost[fw_grid_cell(grid, x, y)] = reader->line[x] == '.' ? 1 : 0;
    }
  }
  return FW_RET_OK;
}

static fw_ret_t read_size(run_reader_t * reader, const char * text, const fw_allocator_t * allocator)
{
  int width = 0;
  int height = 0;
  char rest = '\0';
  if (sscanf(text, "%dx%d%c", &width, &height, &rest) != 2) {
    return refuse(reader, "size must be WIDTHxHEIGHT, not %.40s", text);
  }
  if (width < 1 || height < 1 || width > FW_GRID_SIDE_MAX || height > FW_GRID_SIDE_MAX) {
    return refuse(reader, "size must be between 1x1 and %dx%d", FW_GRID_SIDE_MAX, FW_GRID_SIDE_MAX);
  }
  fw_grid_fini(&reader->run->grid);
  return fw_grid_init(&reader->run->grid, width, height, allocator, reader->error);
}

static fw_ret_t read_header_line(run_reader_t * reader, const fw_allocator_t * allocator)
{
  char * value = strchr(reader->line, '=');
  if (value == NULL) {
    return refuse(reader, "expected key=value, not %.40s", reader->line);
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
      return refuse(reader, "robots must be a number from 1 to %d, not %.40s", FW_ROBOT_COUNT_MAX, value);
    }
    reader->run->robot_count = (int32_t)number;
  } else if (strcmp(reader->line, "resolution") == 0) {
    if (!parse_positive(value, &reader->run->resolution)) {
      return refuse(reader, "resolution must be metres above 0, not %.40s", value);
    }
  } else if (strcmp(reader->line, "radius") == 0) {
    if (!parse_positive(value, &reader->run->radius)) {
      return refuse(reader, "radius must be metres above 0, not %.40s", value);
    }
  }
  return FW_RET_OK;  // unknown keys are of later versions and ignored
}

static fw_ret_t read_header(run_reader_t * reader, const fw_allocator_t * allocator)
{
  if (!next_line(reader) || strcmp(reader->line, "fleetweave_run=1") != 0) {
    return refuse(reader, "not a recorded run: the first line must be fleetweave_run=1");
  }
  bool has_grid = false;
  while (next_line(reader)) {
    if (strcmp(reader->line, "poses=") == 0) {
      if (reader->run->robot_count == 0 || reader->run->resolution <= 0.0 || reader->run->radius <= 0.0 || !has_grid) {
        return refuse(reader, "robots=, resolution=, radius=, size= and grid= must come before poses=");
      }
      return FW_RET_OK;
    }
    has_grid = has_grid || strcmp(reader->line, "grid=") == 0;
    const fw_ret_t ret = reader->line[0] == '\0' ? FW_RET_OK : read_header_line(reader, allocator);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return refuse(reader, "the file ends before poses=");
}

// ---- poses and events -----------------------------------------------------------------------------------------------
//
// A cursor moves along the line: each `take_…` reads one item and moves it on, or returns false.

#define SECONDS_MAX 1e6

static bool take_number(char ** cursor, double * value)
{
  char * end = NULL;
  *value = strtod(*cursor, &end);
  if (end == *cursor || !isfinite(*value)) {
    return false;
  }
  *cursor = end;
  return true;
}

static bool take_character(char ** cursor, char c)
{
  if (**cursor != c) {
    return false;
  }
  (*cursor)++;
  return true;
}

static bool take_robot(const run_reader_t * reader, char ** cursor, int32_t * robot)
{
  char * end = NULL;
  const long value = strtol(*cursor, &end, 10);
  if (end == *cursor || value < 0 || value >= reader->run->robot_count) {
    return false;
  }
  *robot = (int32_t)value;
  *cursor = end;
  return true;
}

// Metres to units; positions far outside the grid are refused, they would make the page's numbers overflow.
static bool take_position(const run_reader_t * reader, char ** cursor, int64_t * units)
{
  double metres = 0.0;
  if (!take_number(cursor, &metres)) {
    return false;
  }
  const double value = metres / reader->run->resolution * UNITS_PER_CELL;
  *units = llround(fmax(-1e8, fmin(1e8, value)));
  return fabs(value) < 1e8;
}

static bool take_pose(run_reader_t * reader, char ** cursor, int64_t time)
{
  int32_t robot = 0;
  fw_view_sample_t sample = {.time = time};
  double yaw = 0.0;
  if (
    !take_robot(reader, cursor, &robot) || !take_character(cursor, ':') || !take_position(reader, cursor, &sample.x) ||
    !take_character(cursor, ',') || !take_position(reader, cursor, &sample.y) || !take_character(cursor, ',') ||
    !take_number(cursor, &yaw) || (**cursor != ' ' && **cursor != '\0')) {
    return false;
  }
  fw_view_sample_t * last = &reader->last[robot];
  if (!reader->has_pose[robot]) {
    last->yaw = 0;
  } else {
    // The robot stood still until the `p` line before this one. While all robots stand no such lines are written; then
    // until one period before.
    const int64_t a_period_ago = reader->period > 0 ? time - reader->period : 0;
    const int64_t left_at = a_period_ago > reader->pose_time ? a_period_ago : reader->pose_time;
    if (last->time < left_at) {
      last->time = left_at;
      fw__tracks_add(&reader->run->tracks, robot, *last);
    }
  }
  // Unwrap the yaw: of the angles that differ by full circles, the one nearest to the last.
  const double circle = 2.0 * 3.14159265358979323846;
  const double last_yaw = (double)last->yaw / 1000.0;
  sample.yaw = llround(1000.0 * (last_yaw + remainder(yaw - last_yaw, circle)));
  *last = sample;
  reader->has_pose[robot] = true;
  fw__tracks_add(&reader->run->tracks, robot, sample);
  return true;
}

static fw_ret_t read_poses(run_reader_t * reader, char * cursor, int64_t time)
{
  const bool is_first = reader->pose_time < 0;
  const int64_t since_last = time - reader->pose_time;
  if (!is_first && since_last > 0 && (reader->period == 0 || since_last < reader->period)) {
    reader->period = since_last;
  }
  while (take_character(&cursor, ' ')) {
    if (*cursor != ' ' && !take_pose(reader, &cursor, time)) {
      return refuse(reader, "expected robot:x,y,yaw, not %.40s", cursor);
    }
  }
  if (*cursor != '\0') {
    return refuse(reader, "expected robot:x,y,yaw, not %.40s", cursor);
  }
  for (int32_t robot = 0; is_first && robot < reader->run->robot_count; robot++) {
    if (!reader->has_pose[robot]) {
      return refuse(reader, "the first p line must have all robots; robot %d is missing", robot);
    }
  }
  reader->pose_time = time;
  return FW_RET_OK;
}

static fw_ret_t read_event(run_reader_t * reader, char kind, char * cursor, int64_t time)
{
  fw_run_file_t * run = reader->run;
  int32_t robot = 0;
  int32_t other = 0;
  int64_t x = 0;
  int64_t y = 0;
  if (!take_character(&cursor, ' ') || !take_robot(reader, &cursor, &robot)) {
    return refuse(reader, "expected a robot from 0 to %d after the time", run->robot_count - 1);
  }
  if (kind == 'a') {
    fw__tracks_add_arrival(&run->tracks, time, robot);
    run->arrival_count++;
  } else if (kind == 'o') {
    if (!take_character(&cursor, ' ') || !take_robot(reader, &cursor, &other)) {
      return refuse(reader, "expected two robots after the time");
    }
    fw__tracks_add_overlap(&run->tracks, time, robot, other);
    run->overlap_count++;
  } else {
    if (
      !take_character(&cursor, ' ') || !take_position(reader, &cursor, &x) || !take_character(&cursor, ',') ||
      !take_position(reader, &cursor, &y)) {
      return refuse(reader, "expected the goal as x,y");
    }
    fw__tracks_add_goal(&run->tracks, robot, (fw_view_sample_t){.time = time, .x = x, .y = y});
  }
  return *cursor == '\0' ? FW_RET_OK : refuse(reader, "unexpected %.40s at the end of the line", cursor);
}

static fw_ret_t read_line(run_reader_t * reader)
{
  char * cursor = reader->line;
  const char kind = *cursor;
  if (kind == '\0') {
    return FW_RET_OK;
  }
  double seconds = 0.0;
  if (strchr("pgao", kind) == NULL || cursor[1] != ' ') {
    return refuse(reader, "expected a line that begins with p, g, a or o, not %.40s", reader->line);
  }
  cursor += 2;
  if (!take_number(&cursor, &seconds) || seconds < 0.0 || seconds > SECONDS_MAX) {
    return refuse(reader, "expected a time in seconds from 0 to %.0f", SECONDS_MAX);
  }
  const int64_t time = llround(seconds * UNITS_PER_SECOND);
  if (time < reader->time) {
    return refuse(reader, "time goes back from %.3f s to %.3f s", (double)reader->time / UNITS_PER_SECOND, seconds);
  }
  reader->time = time;
  const fw_ret_t ret = kind == 'p' ? read_poses(reader, cursor, time) : read_event(reader, kind, cursor, time);
  if (ret == FW_RET_OK && time > reader->run->tracks.end) {
    reader->run->tracks.end = time;  // events may come after the last move
  }
  return ret;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static fw_ret_t read_body(run_reader_t * reader, const fw_allocator_t * allocator)
{
  fw_run_file_t * run = reader->run;
  fw_ret_t ret = fw__tracks_init(&run->tracks, run->robot_count, allocator, reader->error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  run->tracks.grid = &run->grid;
  run->tracks.is_row_0_below = true;
  run->tracks.has_yaw = true;
  run->tracks.units_per_cell = UNITS_PER_CELL;
  run->tracks.seconds_per_unit = 1.0 / UNITS_PER_SECOND;
  run->tracks.metres_per_cell = run->resolution;
  run->tracks.radius_cells = run->radius / run->resolution;
  run->tracks.tolerance = TOLERANCE;
  while (ret == FW_RET_OK && next_line(reader)) {
    ret = read_line(reader);
  }
  if (ret != FW_RET_OK && !reader->has_newline && reader->pose_time >= 0) {
    ret = FW_RET_OK;
  }
  if (ret == FW_RET_OK && reader->pose_time < 0) {
    return refuse(reader, "the file has no p line");
  }
  return ret == FW_RET_OK ? fw__tracks_finish(&run->tracks, reader->error) : ret;
}

fw_ret_t fw__run_file_read(fw_run_file_t * run, const char * path, const fw_allocator_t * allocator, fw_error_t * error)
{
  const fw_allocator_t memory = allocator != NULL ? *allocator : fw_allocator_default();
  *run = (fw_run_file_t){0};
  run_reader_t reader = {.path = path, .run = run, .pose_time = -1, .error = error};
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
    fw__run_file_fini(run);
  }
  return ret;
}

void fw__run_file_fini(fw_run_file_t * run)
{
  fw__tracks_fini(&run->tracks);
  fw_grid_fini(&run->grid);
  *run = (fw_run_file_t){0};
}
