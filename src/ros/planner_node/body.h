// What a robot is like: which cells it covers, how fast it moves and turns; and what that means on a grid.

#ifndef ROS__PLANNER_NODE__BODY_H_
#define ROS__PLANNER_NODE__BODY_H_

#include "ros/planner_node/frame.h"
#include "ros/footprints.h"

typedef struct body_t {
  const ros_footprint_t * outline;  // its footprint; of a robot without heading the one at heading 0 counts
  int32_t ticks_per_move;
  int32_t turn_ticks;  // 0: no heading
  bool sweeps_sides;
} body_t;

// Where a robot is on the grid: its own cell and its heading, a fw_heading_t; 0 for one without.
typedef struct place_t {
  fw_cell_t cell;
  int32_t heading;
} place_t;

// Headings go around with the grid: heading 0 is along its x axis, 2 along its y axis.
double frame_yaw(const frame_t * frame, int32_t heading);
// The place of a robot that was measured there: the nearest of the headings that it can have. Its cell may be
// FW_CELL_NONE.
place_t body_place(const body_t * body, const frame_t * frame, int32_t connectivity, point_t point, double yaw);

static inline int32_t body_cell_count(const body_t * body, place_t place)
{
  return body->outline->counts[place.heading];
}
// One of its cells at a place that is in the grid; FW_CELL_NONE if that cell is outside.
fw_cell_t body_cell(const body_t * body, const fw_grid_t * grid, place_t place, int32_t index);

// Wholly on free floor?
bool body_fits(const body_t * body, const fw_grid_t * grid, place_t place);
// The same for a cell with some heading that it can have.
bool body_fits_on(const body_t * body, const fw_grid_t * grid, int32_t connectivity, fw_cell_t cell);
// The first cell of the footprint, at a place where it does not fit, that is outside (FW_CELL_NONE) or not free.
fw_cell_t body_obstacle(const body_t * body, const fw_grid_t * grid, place_t place);

typedef struct placed_t {
  const body_t * body;
  place_t place;
} placed_t;
bool bodies_overlap(placed_t one, placed_t two, int32_t grid_width);

#endif  // ROS__PLANNER_NODE__BODY_H_
