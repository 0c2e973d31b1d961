// Free cells: on which cells of the planning grid a robot can stand, and move from one to the next, without touching an
// obstacle of the map.
//
// A robot is a disc. It drives from centre to centre of neighbouring planning cells, which need not be aligned to the
// cells of the map. A planning cell is free if the disc at its centre overlaps no obstacle, and a move between free
// cells that the planner allows sweeps over no obstacle. An aisle that is wider than the disc by the side of a planning
// cell always has a free row of cells, wherever it lies; nothing that overlaps an obstacle is free. What lies outside
// the map is an obstacle.
//
// The planner's grid has blocked cells but no blocked moves. Where two free cells have an obstacle between them (a thin
// wall, a pillar), cells are blocked until no such move is left:
//
//   . | .      . | #      The wall is thinner than the gap between the discs of two neighbouring cells, so both sides
//   . | .  ->  . | #      are free, and the moves through it must go. One side has to be blocked.
//
// First the cell that takes part in most of these moves is blocked, among equal ones the cell with most other moves (so
// that a wide aisle gives way to a narrow one), then the one with the lowest number. In the end no cell that was
// blocked for moves could be freed again. A wall along the grid's axes blocks none if it is at least as thick as the
// side of a planning cell less the diameter of the disc: with a planning resolution of at most the diameter and the
// thinnest wall, all aisles that have free cells keep them.
//
// Tolerance: an overlap of less than FW_FREE_CELLS_TOLERANCE map cells is a touch, which is allowed. Resolutions arrive
// as float, and this is their rounding error over a large map.

#ifndef CONTROLLER__MAP__FREE_CELLS_H_
#define CONTROLLER__MAP__FREE_CELLS_H_

#include "controller/map/raster.h"
#include "fleetweave/fleetweave.h"

#define FW_FREE_CELLS_TOLERANCE 0.01  // in map cells; a disc of less than twice this radius is one of twice this radius

// ---- the obstacles of a map

typedef struct fw_occupancy_rule_t {
  double occupied_thresh;  // as in Nav2's map server, mode "trinary": above it is occupied, 0 to 1
  double free_thresh;      // below it is free; between the two it is unknown
  bool unknown_is_free;
  bool is_scaled;  // as in mode "scale": between the two it is free, and costs more
} fw_occupancy_rule_t;

// Fills a table by value & 255 of a nav_msgs/OccupancyGrid. Values below 0 and above 100 are unknown.
void fw__free_cells_make_table(bool is_obstacle[256], const fw_occupancy_rule_t * rule);

typedef struct fw_free_cells_map_t {
  fw_map_frame_t frame;      // resolution and size are those of the map
  const int8_t * values;     // width * height, row by row
  const bool * is_obstacle;  // 256, by value & 255
} fw_free_cells_map_t;

// The obstacles of a map, one bit per map cell. {0} is empty, and then only fini may be called. After init nothing
// changes it: any number of threads may read it.
typedef struct fw_free_cells_t {
  fw_map_frame_t frame;  // of the map
  uint64_t * words;      // row y from word y * words_per_row; bit x % 64 of word x / 64: an obstacle
  int32_t words_per_row;
  fw_allocator_t allocator;
} fw_free_cells_t;

// Copies what it needs. FW_RET_INVALID_ARGUMENT if the frame is not valid (see raster.h), FW_RET_BAD_ALLOC; `cells` is
// then empty. `allocator` may be NULL for the default.
FW_MUST_USE fw_ret_t
fw__free_cells_init(fw_free_cells_t * cells, const fw_free_cells_map_t * map, const fw_allocator_t * allocator);
void fw__free_cells_fini(fw_free_cells_t * cells);

// A map without an obstacle, of this frame; otherwise as init.
FW_MUST_USE fw_ret_t
fw__free_cells_init_empty(fw_free_cells_t * cells, const fw_map_frame_t * frame, const fw_allocator_t * allocator);
// Makes a run of map cells in one row obstacles. A visit_run of raster.h with `cells` as its context.
void fw__free_cells_add_run(void * cells, fw_cell_t first, int32_t count);

// A part of a grid, in its cells, inside it.
typedef struct fw_grid_window_t {
  int32_t x, y, width, height;
} fw_grid_window_t;

// Reads the obstacles in a window of the map again. Its frame must be that of `cells`.
void fw__free_cells_read(fw_free_cells_t * cells, const fw_free_cells_map_t * map, fw_grid_window_t window);
// In a window of the map, `cells` are the obstacles of `a` and `b`. All three have the same size.
void fw__free_cells_join(
  fw_free_cells_t * cells, const fw_free_cells_t * a, const fw_free_cells_t * b, fw_grid_window_t window);

// Whether a disc can move along a line, anywhere in the map frame, and touch nothing: for the last part of a path, from
// the centre of a cell to the exact goal. False for values that are not finite.
bool fw__free_cells_sweep_is_free(const fw_free_cells_t * cells, const fw_raster_sweep_t * sweep);

// ---- the planning grid

// The planning grid over a map: the same origin and yaw, cells of `resolution` metres, as many as fit; the last row or
// column may reach beyond the map by a hundredth of a cell. False, and `planning` is as it was, if no cell fits, more
// than FW_GRID_SIDE_MAX fit along a side, or cells are smaller than those of the map.
bool fw__free_cells_place_grid(const fw_map_frame_t * map, double resolution, fw_map_frame_t * planning);

typedef struct fw_free_cells_rule_t {
  double resolution;     // metres, side of a planning cell, at least that of a map cell
  double radius;         // metres, of the robot's disc and the deviation from its path that is allowed, 0 or more
  int32_t connectivity;  // 4: moves along rows and columns; 8: diagonals, too
  bool cuts_corners;     // diagonal moves need only their two ends free, not the cells beside them
  bool whole_squares;    // a cell is free only if its whole square is, too: for footprints of more than one cell
} fw_free_cells_rule_t;

typedef struct fw_free_cells_count_t {
  int32_t free;
  int32_t occupied;  // the disc overlaps an obstacle
  int32_t moves;     // blocked only because of moves: worth a warning that planning_resolution is too large
} fw_free_cells_count_t;

// Fills `grid` (its width, height and cost must be set) with 1 for free cells and 0 for others. `count` may be NULL.
// FW_RET_INVALID_ARGUMENT for a bad rule or grid, FW_RET_BAD_ALLOC; the grid is then as it was.
FW_MUST_USE fw_ret_t fw__free_cells_fill(
  const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, fw_grid_t * grid, fw_free_cells_count_t * count);

// What a fill found, by planning cell, so that the next one looks only where obstacles have changed. {0} is empty.
typedef struct fw_free_cells_cache_t {
  uint8_t * discs;      // the disc at the centre overlaps nothing
  uint8_t * bad_moves;  // moves between such cells that overlap an obstacle
  int32_t width, height;
  fw_free_cells_count_t count;
  fw_allocator_t allocator;
} fw_free_cells_cache_t;

void fw__free_cells_cache_fini(fw_free_cells_cache_t * cache);
// The planning cells that obstacles in a window of the map may concern.
fw_grid_window_t fw__free_cells_find_window(
  const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, const fw_grid_t * grid, fw_grid_window_t changed);
// fw__free_cells_fill that keeps a cache. If `window` is not NULL, the cache is of a fill with the same rule, and
// obstacles have changed only where fw__free_cells_find_window has made `window` from: discs and moves are compared
// with obstacles there, and the result is that of a whole fill.
FW_MUST_USE fw_ret_t fw__free_cells_refill(
  const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, const fw_grid_window_t * window,
  fw_free_cells_cache_t * cache, fw_grid_t * grid);

// ---- a robot on the grid

typedef struct fw_free_cells_query_t {
  const fw_map_frame_t * planning;
  const fw_grid_t * grid;  // its free cells; of the size of `planning`
  fw_point_t point;
  double radius;  // metres
} fw_free_cells_query_t;

typedef struct fw_free_cells_place_t {
  fw_cell_t cell;       // the free cell that the point belongs to, FW_CELL_NONE for none
  bool is_inside;       // the point lies in the square of `cell`
  bool is_on_free_map;  // the point lies on a free cell of the map; worth a warning if `cell` is FW_CELL_NONE
} fw_free_cells_place_t;

// The free cell of a point: the one whose square it lies in or, if that is blocked, the one with the nearest centre
// (then the lowest number) among the eight around it to which the disc can move on a straight line.
fw_free_cells_place_t fw__free_cells_locate(const fw_free_cells_t * cells, const fw_free_cells_query_t * query);

#endif  // CONTROLLER__MAP__FREE_CELLS_H_
