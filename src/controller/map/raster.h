// Rasters: which cells of a grid a rectangle or a moving disc touches, where the grid may lie rotated in the map frame.
//
// Every shape is clipped to the grid before a cell is looked at, so an obstacle of a million metres costs no more than
// the cells of the grid that it covers. Cells are visited in ascending order, each of them once.
//
// Tolerance: a shape that reaches into a cell by less than FW_RASTER_TOUCH cells only touches its edge, which does not
// count. Coordinates so large that their rounding errors exceed this tolerance (from about 1e7 m on) can only add
// cells, never lose one.
//
// No function keeps state or allocates; any thread may call them.

#ifndef CONTROLLER__MAP__RASTER_H_
#define CONTROLLER__MAP__RASTER_H_

#include <stdbool.h>

#include <fleetweave/controller.h>

#define FW_RASTER_TOUCH 1e-6           // in cells
#define FW_RASTER_RECTANGLE_MAX 1e300  // metres, largest coordinate or side of a rectangle
#define FW_RASTER_SWEEP_MAX 1e9        // metres, largest coordinate or radius of a swept disc

// Where a grid lies in the map frame (metres). The origin may be rotated:
//
//   world = origin + rotate(yaw) * ((x + 0.5, y + 0.5) * resolution)     the centre of cell (x, y)
//
//              y of the grid
//              |    x of the grid
//   y of the   |   .`
//   map frame  | .`  yaw
//        |     origin
//        +---- x of the map frame
typedef struct fw_map_frame_t {
  fw_point_t origin;  // the outer corner of cell (0, 0); at most FW_RASTER_SWEEP_MAX
  double yaw;         // radians, of the grid's x axis in the map frame; at most 1000 either way
  double resolution;  // metres, side of a cell, 1e-6 to 1e6
  int32_t width;      // cells
  int32_t height;     // cells; width * height must fit into a fw_cell_t
} fw_map_frame_t;

typedef struct fw_raster_rectangle_t {
  fw_point_t centre;
  double length;  // metres, along the rectangle's own x axis, above 0
  double width;   // metres, along its own y axis, above 0
  double yaw;     // radians, of its x axis in the map frame, at most 1000 either way; 0 for nav_msgs/GridCells
} fw_raster_rectangle_t;

typedef struct fw_raster_sweep_t {
  fw_point_t from;
  fw_point_t to;  // equal to `from`: the disc stands still
  double radius;  // metres; 0: only the line itself
} fw_raster_sweep_t;

typedef struct fw_raster_visitor_t {
  void (*visit)(void * context, fw_cell_t cell);
  void * context;
  // If it is not NULL, rectangles call it in place of `visit`, with a run of cells in one row: for large rectangles.
  void (*visit_run)(void * context, fw_cell_t first, int32_t count);
} fw_raster_visitor_t;

// Whether all fields are finite and in their ranges.
bool fw__raster_frame_is_valid(const fw_map_frame_t * frame);
// A point along the grid's axes, in cells: cell (x, y) reaches from (x, y) to (x + 1, y + 1). Not finite if the point
// is not.
fw_point_t fw__raster_coordinates(const fw_map_frame_t * frame, fw_point_t point);

// Visits each cell that the rectangle overlaps, with an area above 0. False, and no cell is visited, if the frame or
// the rectangle has a value that is not finite or out of its range. True for a rectangle outside the grid.
//
// For obstacles that are not on the map: if the disc of a robot fits into a cell, a robot that moves between centres of
// cells that are not visited does not touch the rectangle. Diagonal moves need both side cells unvisited for that.
bool fw__raster_visit_rectangle(
  const fw_map_frame_t * frame, const fw_raster_rectangle_t * rectangle, fw_raster_visitor_t visitor);

// Visits each cell that the disc touches on its way. A line (radius 0) along the edge between two cells touches both, a
// line through a corner all four. A disc that only reaches an edge does not touch the cell behind it. False, and no
// cell is visited, if the frame or the sweep has a value that is not finite or out of its range.
bool fw__raster_visit_sweep(const fw_map_frame_t * frame, const fw_raster_sweep_t * sweep, fw_raster_visitor_t visitor);

#endif  // CONTROLLER__MAP__RASTER_H_
