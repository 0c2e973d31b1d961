// Bodies: which cells a robot covers on the planning grid, and how fast it moves and turns.

#ifndef CONTROLLER__BODY_H_
#define CONTROLLER__BODY_H_

#include "world/rotated_footprint.h"
#include "controller/map/map.h"
#include "world/body.h"

typedef struct fw_robot_body_t {
  const fw_rotated_footprint_t *
    outline;  // the footprint at each heading; a robot without heading has the one of heading 0
  int32_t ticks_per_move;
  int32_t turn_ticks;             // 0: the robot has no heading
  bool sweeps_sides;              // as in fw_robot_t
  const struct fw_hull_t * hull;  // of a robot in metres that covers more than one cell; NULL: discs in its cells
} fw_robot_body_t;

typedef struct fw_placed_body_t {
  const fw_robot_body_t * body;
  fw_grid_pose_t place;
} fw_placed_body_t;

// The distance between two headings that a robot can take on a grid: 1 with connectivity 8, 2 with 4.
static inline int32_t fw__heading_step(int32_t connectivity) { return connectivity == 8 ? 1 : 2; }

// The place of a robot that is measured at `pose`: its cell, which may be FW_CELL_NONE, and the nearest of the
// headings that it can have.
fw_grid_pose_t fw__robot_body_place(
  const fw_robot_body_t * body, const fw_map_frame_t * frame, int32_t connectivity, fw_pose_t pose);

static inline int32_t fw__robot_body_cell_count(const fw_robot_body_t * body, fw_grid_pose_t place)
{
  return body->outline->counts[place.heading];
}
// Cell `index` of the footprint at a place inside the grid; FW_CELL_NONE if that cell is outside.
fw_cell_t fw__robot_body_cell(
  const fw_robot_body_t * body, const fw_grid_t * grid, fw_grid_pose_t place, int32_t index);

// True if the whole footprint is on free cells.
bool fw__robot_body_fits(const fw_robot_body_t * body, const fw_grid_t * grid, fw_grid_pose_t place);
// The same for a cell, with at least one of the headings that the robot can have.
bool fw__robot_body_fits_on(const fw_robot_body_t * body, const fw_grid_t * grid, int32_t connectivity, fw_cell_t cell);
bool fw__robot_bodies_overlap(fw_placed_body_t one, fw_placed_body_t two, int32_t grid_width);

// ---- a body where it is measured

typedef struct fw_measured_body_t {
  const fw_robot_body_t * body;
  fw_pose_t pose;
  double radius;  // metres: each cell of the footprint holds a disc of this radius, if it has no hull
  double growth;  // metres: how far the robot may be from that pose
} fw_measured_body_t;

// Calls `visit` for each cell that the body may touch where it is measured, in the centre of a cell or not, and for the
// cells of the place that fw__robot_body_place gives it. A cell may be visited more than once.
void fw__robot_body_visit_touched_cells(
  const fw_measured_body_t * measured, const fw_map_frame_t * frame, fw_raster_visitor_t visitor);

#endif  // CONTROLLER__BODY_H_
