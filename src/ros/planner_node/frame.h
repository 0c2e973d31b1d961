// World and cell: where the planning grid lies in the map frame.
//
//   world = origin + rotate(yaw) * ((x + 0.5, y + 0.5) * resolution)     the centre of cell (x, y)

#ifndef ROS__PLANNER_NODE__FRAME_H_
#define ROS__PLANNER_NODE__FRAME_H_

#include <fleetweave/fleetweave.h>

typedef struct point_t {
  double x;  // metres, map frame
  double y;
} point_t;

typedef struct frame_t {
  point_t origin;  // the outer corner of cell (0, 0)
  double yaw;      // radians, of the grid's x axis
  double resolution;
  int32_t width;
  int32_t height;
} frame_t;

// Along the grid's axes, in cells: cell (x, y) reaches from (x, y) to (x + 1, y + 1).
point_t frame_coordinates(const frame_t * frame, point_t point);
// FW_CELL_NONE for a point outside the grid, and for one that is not a number.
fw_cell_t frame_cell(const frame_t * frame, point_t point);
// The centre of a cell inside the grid.
point_t frame_point(const frame_t * frame, fw_cell_t cell);

double point_distance(point_t a, point_t b);
bool point_is_finite(point_t point);
// A quaternion's heading. All zero, as an unset message has it, is 0.
double yaw_of(double x, double y, double z, double w);

#endif  // ROS__PLANNER_NODE__FRAME_H_
