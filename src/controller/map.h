// The map: from an occupancy grid, with any origin, yaw and resolution, to the grid that is planned on.
//
// A planning cell is free only if every map cell in it is free. It is never smaller than a robot: a robot that drives
// from centre to centre of free cells then touches no obstacle, and two robots in two cells do not touch each other.
// This takes the place of inflating obstacles by the robot's radius.
//
// The frame places the planning grid in the map frame (metres). The origin may be rotated:
//
//   world = origin + rotate(yaw) * ((x + 0.5, y + 0.5) * resolution)     the centre of cell (x, y)
//
//              y of the grid
//              |    x of the grid
//   y of the   |   .`
//   map frame  | .`  yaw
//        |     origin
//        +---- x of the map frame

#ifndef CONTROLLER__MAP_H_
#define CONTROLLER__MAP_H_

#include "controller/site.h"

// ---- the frame

typedef struct fw_map_frame_t {
  fw_point_t origin;  // the outer corner of cell (0, 0)
  double yaw;         // radians, of the grid's x axis in the map frame
  double resolution;  // metres, side of a planning cell
  int32_t width;      // cells
  int32_t height;
} fw_map_frame_t;

// A point along the grid's axes, in cells: cell (x, y) reaches from (x, y) to (x + 1, y + 1).
fw_point_t fw__map_frame_coordinates(const fw_map_frame_t * frame, fw_point_t point);
// The cell of a point; FW_CELL_NONE for a point outside the grid or not finite.
fw_cell_t fw__map_frame_cell(const fw_map_frame_t * frame, fw_point_t point);
// The centre of a cell of the grid.
fw_point_t fw__map_frame_point(const fw_map_frame_t * frame, fw_cell_t cell);
// The yaw, in the map frame, of a fw_heading_t: headings turn with the grid, 0 is along its x axis, 2 along its y axis.
double fw__map_frame_yaw(const fw_map_frame_t * frame, int32_t heading);
bool fw__map_frames_are_equal(const fw_map_frame_t * a, const fw_map_frame_t * b);

double fw__point_distance(fw_point_t a, fw_point_t b);
bool fw__point_is_finite(fw_point_t point);

// ---- the map

typedef struct fw_planning_map_t {
  fw_map_frame_t frame;
  fw_grid_t grid;
  fw_grid_t before;  // the previous grid if it had the same frame, otherwise empty
  int64_t revision;  // grows with every map; 0: no map has arrived yet
} fw_planning_map_t;

// True if an occupancy grid makes sense; otherwise `reason` says what is wrong with it.
bool fw__planning_map_check(const fw_occupancy_map_t * occupancy, fw_error_t * reason);
// Replaces the map. False: the old map stays in force and `reason` says what is wrong with the occupancy.
bool fw__planning_map_build(
  fw_planning_map_t * map, const fw_occupancy_map_t * occupancy, const fw_controller_settings_t * settings,
  fw_error_t * reason);
void fw__planning_map_fini(fw_planning_map_t * map);

// True if `cell` is a free cell of the map; FW_CELL_NONE and other cells outside the map are not free.
bool fw__planning_map_is_free(const fw_planning_map_t * map, fw_cell_t cell);

#endif  // CONTROLLER__MAP_H_
