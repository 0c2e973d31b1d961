// The map: from an occupancy grid, with any origin, yaw and resolution, to the grid that is planned on.
//
// Planning cells are as large as `planning_resolution` says, and never smaller than a robot or a map cell: two robots
// in two cells do not touch each other. A cell is free if the disc of a robot at its centre, and on its way to the
// centres of neighbouring free cells, touches no obstacle (free_cells.h): walls need not be aligned to the planning
// grid.
//
// The radius of that disc is robot_radius, and nothing is added for the tolerance at waypoints that is derived from the
// clearance between robots: that tolerance says when a waypoint counts as reached, it moves no robot, and an aisle of
// 0.9 m for robots of 0.4 m, with cells of 0.5 m, has a free row wherever it lies only without it. So robot_radius has
// to contain by how much a robot strays from its path, as in Nav2. A `waypoint_tolerance` that is set is added, but
// never more than a cell that is free as a whole square has room for.
//
// Fleets with footprints of more than one cell need whole free squares: their cells are squares, not discs.
//
// Robots that are given in metres and fit into one cell may be larger than robot_radius: the largest of them counts.
//
// Over the occupancy grid lie a keepout mask, which adds obstacles, and costs (map_layers.h).

#ifndef CONTROLLER__MAP__MAP_H_
#define CONTROLLER__MAP__MAP_H_

#include <fleetweave/search.h>

#include "controller/map/free_cells.h"
#include "controller/map/map_layers.h"
#include "controller/map/raster.h"
#include "controller/site.h"

// ---- the frame

// The cell of a point; FW_CELL_NONE for a point outside the grid or not finite.
fw_cell_t fw__map_frame_cell(const fw_map_frame_t * frame, fw_point_t point);
// The centre of a cell of the grid.
fw_point_t fw__map_frame_point(const fw_map_frame_t * frame, fw_cell_t cell);
// The yaw, in the map frame, of a fw_heading_t: headings turn with the grid, 0 is along its x axis, 2 along its y axis.
double fw__map_frame_yaw(const fw_map_frame_t * frame, int32_t heading);
bool fw__map_frames_are_equal(const fw_map_frame_t * a, const fw_map_frame_t * b);

double fw__point_distance(fw_point_t a, fw_point_t b);
// From a point to the nearest one of the line from `a` to `b`, which may be the same.
double fw__point_line_distance(fw_point_t point, fw_point_t a, fw_point_t b);
bool fw__point_is_finite(fw_point_t point);

// ---- clearance

// The tolerance at waypoints, in cells. Two robots of radius r cells that pass each other leave a gap of 1 - 2 r cells:
// half of it, at most 0.1, is the tolerance at waypoints, the rest is for the errors of poses. Unless the settings have
// another one.
double fw__waypoint_tolerance(const fw_controller_settings_t * settings, double robot_radius, double resolution);

// True if robots that drive diagonally would come too near to robots in the cells beside the diagonal:
//
//   . B      A drives to B's right and passes, at the corner of the four cells, 0.707 cells from the centres of the
//   A .      others. That must be two radii, the tolerance, and as much again for errors of poses.
//
// Then they have to cover these cells (sweeps_sides).
bool fw__diagonals_need_sides(const fw_controller_settings_t * settings, double robot_radius, double resolution);

// ---- the map

typedef struct fw_planning_map_t {
  fw_map_frame_t frame;
  fw_grid_t grid;
  fw_grid_t before;           // the previous grid if it had the same frame, otherwise empty
  int64_t revision;           // grows with every map; 0: no map has arrived yet
  fw_free_cells_t obstacles;  // of the occupancy grid, exactly, and of the keepout mask
  fw_map_layers_t layers;     // what the grid is made of
  double robot_radius;        // metres, of the largest robot of one cell
  double touch_radius;        // metres: whoever stands beside the centre of its cell blocks what a disc of this radius
                              // touches. Above robot_radius where robots pass diagonally between others
  double radius;              // metres, of the disc for which cells are free
  bool needs_whole_squares;   // as it was built
  fw_free_cells_count_t count;
  bool is_spoilt;  // an update found no memory halfway: the next change must build the map
  // By cell: open only for robots that drive out of a keepout (escape.h, which owns it); NULL: there are none.
  const bool * exits;
} fw_planning_map_t;

typedef struct fw_map_source_t {
  const fw_occupancy_map_t * occupancy;
  const fw_controller_settings_t * settings;
  bool needs_whole_squares;  // a robot has a footprint of more than one cell
  double robot_radius;       // metres, of the largest robot of one cell; counts if it is above that of the settings
  const fw_occupancy_map_t * keepout;    // NULL: there is none
  const fw_occupancy_map_t * cost_mask;  // NULL: there is none
  const fw_area_list_t * areas;          // NULL: there are none
} fw_map_source_t;

// True if an occupancy grid makes sense; otherwise `reason` says what is wrong with it.
bool fw__planning_map_check(const fw_occupancy_map_t * occupancy, fw_error_t * reason);
// Where the planning grid of an occupancy grid lies; likewise.
bool fw__planning_map_place(fw_map_frame_t * planning, const fw_map_source_t * source, fw_error_t * reason);
// Replaces the map. False: the old map stays in force and `reason` says what is wrong with the occupancy.
bool fw__planning_map_build(fw_planning_map_t * map, const fw_map_source_t * source, fw_error_t * reason);
// The same after a change of the occupancy in a window only: discs of robots are compared with obstacles near it, and
// the result is that of fw__planning_map_build. False only without memory: the grid is then as it was, and
// the map is_spoilt.
bool fw__planning_map_update(
  fw_planning_map_t * map, const fw_map_source_t * source, fw_grid_window_t window, fw_error_t * reason);
void fw__planning_map_fini(fw_planning_map_t * map);

// True if `cell` is a free cell of the map; FW_CELL_NONE and other cells outside the map are not free.
bool fw__planning_map_is_free(const fw_planning_map_t * map, fw_cell_t cell);

// The free cell of a place, or one beside it that a robot can reach from there: see fw__free_cells_locate.
fw_free_cells_place_t fw__planning_map_locate(const fw_planning_map_t * map, fw_point_t point);
// True if only robots that are inside a keepout may use the cell, to leave it: see escape.h.
static inline bool fw__planning_map_is_exit(const fw_planning_map_t * map, fw_cell_t cell)
{
  return map->exits != NULL && cell != FW_CELL_NONE && map->exits[cell];
}
// True if a robot can drive along a line and touch nothing on the map.
bool fw__planning_map_line_is_free(const fw_planning_map_t * map, fw_point_t from, fw_point_t to);

// The turning points of a route that was found with `finds_corners`, so that a robot's disc touches nothing on the
// lines between them: lines of sight know only cells, and a cell is free without its whole square being free. A line
// that is not free is replaced by shorter ones; by the route's cells if the robot has a footprint of more than one
// cell. `turns` has room for the route's length. Returns their number.
int32_t fw__planning_map_find_turns(
  const fw_planning_map_t * map, const fw_route_t * route, bool has_one_cell, fw_cell_t * turns);

#endif  // CONTROLLER__MAP__MAP_H_
