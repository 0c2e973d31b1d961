// The lines of a run after `poses=`. A cursor walks along the line: each `take_` moves it on, or is false.

#include "view/run_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool take_robot(const fw__run_reader_t * reader, char ** cursor, int32_t * robot)
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
static bool take_position(const fw__run_reader_t * reader, char ** cursor, int64_t * units)
{
  double metres = 0.0;
  if (!take_number(cursor, &metres)) {
    return false;
  }
  const double value = metres / reader->run->resolution * FW__RUN_UNITS_PER_CELL;
  *units = llround(fmax(-1e8, fmin(1e8, value)));
  return fabs(value) < 1e8;
}

static bool take_pose(fw__run_reader_t * reader, char ** cursor, int64_t time)
{
  int32_t robot = 0;
  fw__sample_t sample = {.time = time};
  double yaw = 0.0;
  if (
    !take_robot(reader, cursor, &robot) || !take_character(cursor, ':') || !take_position(reader, cursor, &sample.x) ||
    !take_character(cursor, ',') || !take_position(reader, cursor, &sample.y) || !take_character(cursor, ',') ||
    !take_number(cursor, &yaw) || (**cursor != ' ' && **cursor != '\0')) {
    return false;
  }
  fw__sample_t * last = &reader->last[robot];
  if (!reader->has_pose[robot]) {
    last->yaw = 0;
  } else {
    // It stood still until the `p` line before this one. While all stand there are no such lines: then until a period
    // before.
    const int64_t a_period_ago = reader->period > 0 ? time - reader->period : 0;
    const int64_t left_at = a_period_ago > reader->pose_time ? a_period_ago : reader->pose_time;
    if (last->time < left_at) {
      last->time = left_at;
      fw__tracks_add(&reader->run->tracks, robot, *last);
    }
  }
  // The turn from -pi to pi is a small one: take the yaw that is nearest to the last.
  const double circle = 2.0 * 3.14159265358979323846;
  const double last_yaw = (double)last->yaw / 1000.0;
  sample.yaw = llround(1000.0 * (last_yaw + remainder(yaw - last_yaw, circle)));
  *last = sample;
  reader->has_pose[robot] = true;
  fw__tracks_add(&reader->run->tracks, robot, sample);
  return true;
}

static fw_ret_t read_poses(fw__run_reader_t * reader, char * cursor, int64_t time)
{
  const bool is_first = reader->pose_time < 0;
  const int64_t since_last = time - reader->pose_time;
  if (!is_first && since_last > 0 && (reader->period == 0 || since_last < reader->period)) {
    reader->period = since_last;
  }
  while (take_character(&cursor, ' ')) {
    if (*cursor != ' ' && !take_pose(reader, &cursor, time)) {
      return fw__run_refuse(reader, "expected robot:x,y,yaw, not %.40s", cursor);
    }
  }
  if (*cursor != '\0') {
    return fw__run_refuse(reader, "expected robot:x,y,yaw, not %.40s", cursor);
  }
  for (int32_t robot = 0; is_first && robot < reader->run->robot_count; robot++) {
    if (!reader->has_pose[robot]) {
      return fw__run_refuse(reader, "the first p line must have all robots; robot %d is missing", robot);
    }
  }
  reader->pose_time = time;
  return FW_RET_OK;
}

static fw_ret_t read_event(fw__run_reader_t * reader, char kind, char * cursor, int64_t time)
{
  fw__run_t * run = reader->run;
  int32_t robot = 0;
  int32_t other = 0;
  int64_t x = 0;
  int64_t y = 0;
  if (!take_character(&cursor, ' ') || !take_robot(reader, &cursor, &robot)) {
    return fw__run_refuse(reader, "expected a robot from 0 to %d after the time", run->robot_count - 1);
  }
  if (kind == 'a') {
    fw__tracks_add_arrival(&run->tracks, time, robot);
    run->arrival_count++;
  } else if (kind == 'o') {
    if (!take_character(&cursor, ' ') || !take_robot(reader, &cursor, &other)) {
      return fw__run_refuse(reader, "expected two robots after the time");
    }
    fw__tracks_add_overlap(&run->tracks, time, robot, other);
    run->overlap_count++;
  } else {
    if (
      !take_character(&cursor, ' ') || !take_position(reader, &cursor, &x) || !take_character(&cursor, ',') ||
      !take_position(reader, &cursor, &y)) {
      return fw__run_refuse(reader, "expected the goal as x,y");
    }
    fw__tracks_add_goal(&run->tracks, time, robot, x, y);
  }
  return *cursor == '\0' ? FW_RET_OK : fw__run_refuse(reader, "unexpected %.40s at the end of the line", cursor);
}

fw_ret_t fw__run_read_line(fw__run_reader_t * reader)
{
  char * cursor = reader->line;
  const char kind = *cursor;
  if (kind == '\0') {
    return FW_RET_OK;
  }
  double seconds = 0.0;
  if (strchr("pgao", kind) == NULL || cursor[1] != ' ') {
    return fw__run_refuse(reader, "expected a line that begins with p, g, a or o, not %.40s", reader->line);
  }
  cursor += 2;
  if (!take_number(&cursor, &seconds) || seconds < 0.0 || seconds > SECONDS_MAX) {
    return fw__run_refuse(reader, "expected a time in seconds from 0 to %.0f", SECONDS_MAX);
  }
  const int64_t time = llround(seconds * FW__RUN_UNITS_PER_SECOND);
  if (time < reader->time) {
    return fw__run_refuse(
      reader, "time goes back from %.3f s to %.3f s", (double)reader->time / FW__RUN_UNITS_PER_SECOND, seconds);
  }
  reader->time = time;
  const fw_ret_t ret = kind == 'p' ? read_poses(reader, cursor, time) : read_event(reader, kind, cursor, time);
  if (ret == FW_RET_OK && time > reader->run->tracks.end) {
    reader->run->tracks.end = time;  // events may come after the last move
  }
  return ret;
}
