// Bodies: which cells a robot covers on the planning grid, how fast it moves and turns, and which cells a moving disc
// touches.

#ifndef ROS__PLANNER_NODE__CONTROLLER__BODY_H_
#define ROS__PLANNER_NODE__CONTROLLER__BODY_H_

#include "ros/footprints.h"
#include "ros/planner_node/controller/map.h"

typedef struct node_body_t {
  const ros_footprint_t * outline;  // the footprint at each heading; a robot without heading has the one of heading 0
  int32_t ticks_per_move;
  int32_t turn_ticks;  // 0: the robot has no heading
  bool sweeps_sides;   // as in fw_robot_t
} node_body_t;

// A robot's place on the grid: the cell of its centre, and a fw_heading_t, 0 for a robot without heading.
typedef struct node_place_t {
  fw_cell_t cell;
  int32_t heading;
} node_place_t;

typedef struct node_placed_t {
  const node_body_t * body;
  node_place_t place;
} node_placed_t;

// The distance between two headings that a robot can take on a grid: 1 with connectivity 8, 2 with 4.
static inline int32_t node_heading_step(int32_t connectivity) { return connectivity == 8 ? 1 : 2; }

// The place of a robot that is measured at `pose`: its cell, which may be FW_CELL_NONE, and the nearest of the
// headings that it can have.
node_place_t node_body_place(
  const node_body_t * body, const node_frame_t * frame, int32_t connectivity, node_pose_t pose);

static inline int32_t node_body_cell_count(const node_body_t * body, node_place_t place)
{
  return body->outline->counts[place.heading];
}
// Cell `index` of the footprint at a place inside the grid; FW_CELL_NONE if that cell is outside.
fw_cell_t node_body_cell(const node_body_t * body, const fw_grid_t * grid, node_place_t place, int32_t index);

// True if the whole footprint is on free cells.
bool node_body_fits(const node_body_t * body, const fw_grid_t * grid, node_place_t place);
// The same for a cell, with at least one of the headings that the robot can have.
bool node_body_fits_on(const node_body_t * body, const fw_grid_t * grid, int32_t connectivity, fw_cell_t cell);
bool node_bodies_overlap(node_placed_t one, node_placed_t two, int32_t grid_width);

// ---- discs

typedef struct node_sweep_t {
  node_point_t from;  // metres, map frame
  node_point_t to;    // equal to `from`: the disc stands still
  double radius;      // metres; 0: only the line itself
} node_sweep_t;

// Calls `visit` for each cell of the grid that the disc touches, in ascending order of cells. A line along the edge
// between two cells touches both, a line through a corner all four. A disc that only reaches an edge does not touch the
// cell behind it.
void node_sweep_cells(
  const node_sweep_t * sweep, const node_frame_t * frame, void (*visit)(void * context, fw_cell_t cell),
  void * context);

// ---- a body where it is measured

typedef struct node_measured_body_t {
  const node_body_t * body;
  node_pose_t pose;
  double radius;  // metres: each cell of the footprint holds a disc of this radius
} node_measured_body_t;

// Calls `visit` for each cell that the body may touch where it is measured, in the centre of a cell or not, and for the
// cells of the place that node_body_place gives it. A cell may be visited more than once.
void node_body_visit_touched_cells(
  const node_measured_body_t * measured, const node_frame_t * frame, void (*visit)(void * context, fw_cell_t cell),
  void * context);

#endif  // ROS__PLANNER_NODE__CONTROLLER__BODY_H_
