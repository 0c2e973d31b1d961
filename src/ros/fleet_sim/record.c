// Record: writes a run as a text file. See record.h.

#include "ros/fleet_sim/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/create_file.h"
#include "base/error.h"

static void write_grid(FILE * stream, const fw_grid_t * grid)
{
  fprintf(stream, "size=%dx%d\ngrid=\n", (int)grid->width, (int)grid->height);
  for (int32_t y = 0; y < grid->height; ++y) {
    for (int32_t x = 0; x < grid->width; ++x) {
      fputc(fw_grid_is_free(grid, x, y) ? '.' : '@', stream);
    }
    fputc('\n', stream);
  }
}

fw_ret_t sim_record_open(
  sim_record_t * record, const sim_record_options_t * options, const sim_fleet_t * fleet, fw_error_t * error)
{
  FW_ASSERT(fleet->options.robot_count > 0);
  *record = (sim_record_t){0};
  if (options->path[0] == '\0') {
    return FW_RET_OK;
  }
  record->last = calloc((size_t)fleet->options.robot_count, sizeof(*record->last));
  if (record->last == NULL) {
    return fw__error_memory(error);
  }
  record->stream = fw__create_file(options->path, false);
  if (record->stream == NULL) {
    free(record->last);
    *record = (sim_record_t){0};
    return fw__error(error, FW_RET_FILE, "cannot write the record %s: %s", options->path, strerror(errno));
  }
  fprintf(
    record->stream, "fleetweave_run=1\nrobots=%d\nresolution=%g\nradius=%g\n", (int)fleet->options.robot_count,
    options->cell_size, fleet->options.radius);
  write_grid(record->stream, options->grid);
  fputs("poses=\n", record->stream);
  return FW_RET_OK;
}

fw_ret_t sim_record_close(sim_record_t * record, fw_error_t * error)
{
  if (record->stream == NULL) {
    return FW_RET_OK;
  }
  const bool failed = ferror(record->stream) != 0;
  const bool is_closed = fclose(record->stream) == 0;
  free(record->last);
  *record = (sim_record_t){0};
  if (failed || !is_closed) {
    return fw__error(error, FW_RET_FILE, "the record is incomplete: %s", strerror(errno));
  }
  return FW_RET_OK;
}

static bool has_moved(const fw_pose2d_t * last, const fw_pose2d_t * pose)
{
  return fabs(pose->x - last->x) >= 5e-4 || fabs(pose->y - last->y) >= 5e-4 || fabs(pose->yaw - last->yaw) >= 5e-4;
}

void sim_record_poses(sim_record_t * record, double seconds, const sim_fleet_t * fleet)
{
  bool has_begun = false;
  for (int32_t i = 0; record->stream != NULL && i < fleet->options.robot_count; ++i) {
    const fw_pose2d_t pose = sim_fleet_to_grid(&fleet->options, fleet->robots[i].driver.pose);
    if (record->has_poses && !has_moved(&record->last[i], &pose)) {
      continue;
    }
    if (!has_begun) {
      fprintf(record->stream, "p %.3f", seconds);
    }
    has_begun = true;
    fprintf(record->stream, " %d:%.3f,%.3f,%.3f", (int)i, pose.x, pose.y, pose.yaw);
    record->last[i] = pose;
  }
  if (has_begun) {
    fputc('\n', record->stream);
    fflush(record->stream);  // a run that is killed keeps its record up to here
  }
  record->has_poses = true;
}

void sim_record_goal(sim_record_t * record, double seconds, int32_t robot, const fw_pose2d_t * goal)
{
  if (record->stream != NULL) {
    fprintf(record->stream, "g %.3f %d %.3f,%.3f\n", seconds, (int)robot, goal->x, goal->y);
  }
}

void sim_record_event(sim_record_t * record, double seconds, const sim_event_t * event)
{
  if (record->stream == NULL) {
    return;
  }
  FW_ASSERT((event->other >= 0) == (event->kind == SIM_EVENT_OVERLAP));
  if (event->kind == SIM_EVENT_ARRIVAL) {
    fprintf(record->stream, "a %.3f %d\n", seconds, (int)event->robot);
  } else {
    fprintf(record->stream, "o %.3f %d %d\n", seconds, (int)event->robot, (int)event->other);
  }
}
