#include "ros/planner_node/frame.h"

#include <math.h>

point_t frame_coordinates(const frame_t * frame, point_t point)
{
  const double dx = point.x - frame->origin.x;
  const double dy = point.y - frame->origin.y;
  return (point_t){
    .x = (cos(frame->yaw) * dx + sin(frame->yaw) * dy) / frame->resolution,
    .y = (cos(frame->yaw) * dy - sin(frame->yaw) * dx) / frame->resolution,
  };
}

fw_cell_t frame_cell(const frame_t * frame, point_t point)
{
  const point_t coordinates = frame_coordinates(frame, point);
  const double x = floor(coordinates.x);
  const double y = floor(coordinates.y);
  // Compared as doubles, so that nothing far away or not a number is ever cast.
  const bool is_inside = x >= 0.0 && y >= 0.0 && x < (double)frame->width && y < (double)frame->height;
  return is_inside ? (fw_cell_t)y * frame->width + (fw_cell_t)x : FW_CELL_NONE;
}

point_t frame_point(const frame_t * frame, fw_cell_t cell)
{
  const double x = ((double)(cell % frame->width) + 0.5) * frame->resolution;
  const double y = ((double)(cell / frame->width) + 0.5) * frame->resolution;
  return (point_t){
    .x = frame->origin.x + cos(frame->yaw) * x - sin(frame->yaw) * y,
    .y = frame->origin.y + sin(frame->yaw) * x + cos(frame->yaw) * y,
  };
}

double point_distance(point_t a, point_t b) { return hypot(a.x - b.x, a.y - b.y); }

bool point_is_finite(point_t point) { return isfinite(point.x) && isfinite(point.y); }

double yaw_of(double x, double y, double z, double w)
{
  return atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z);
}
