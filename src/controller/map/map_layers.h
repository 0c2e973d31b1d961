// The layers of the planning grid: obstacles of the map, a keepout mask over them, and costs.
//
//   occupancy grid ──> obstacles ──┐
//   keepout mask ────> keepout ────┴──> free cells ──┐
//   occupancy grid, cost mask ──> costs ─────────────┴──> cost per planning cell: 0 blocked, 1 open floor, to 255
//
// Masks are occupancy grids with a frame, resolution and yaw of their own, as Nav2's filter masks. What is occupied in
// the keepout mask makes each map cell that it overlaps an obstacle, so that discs of robots are compared with it like
// with walls. Where the mask is aligned to the map this is exact; elsewhere it grows by less than a map cell, never
// shrinks. (An overlap of less than FW_FREE_CELLS_TOLERANCE map cells is a touch, as of walls.)
//
// The cost of a planning cell is the largest one of the map cells in its square, and the largest one of the mask's
// cells that overlap it on top.
//
// Areas (areas.h) add to all of this: keepouts to the keepout mask, costs to the cost mask, and rules to the cells.

#ifndef CONTROLLER__MAP__MAP_LAYERS_H_
#define CONTROLLER__MAP__MAP_LAYERS_H_

#include "controller/map/areas.h"
#include "controller/map/free_cells.h"

// {0} is empty.
typedef struct fw_map_layers_t {
  bool has_keepout;                   // a mask or areas
  fw_free_cells_t walls;              // obstacles of the occupancy grid alone; empty without a keepout
  fw_free_cells_t keepout;            // map cells that the mask and keepout areas overlap; likewise
  fw_grid_t floor;                    // the planning grid without the keepout mask; likewise
  fw_free_cells_cache_t floor_cache;  // likewise
  fw_free_cells_cache_t cache;        // with it
  uint8_t * mask_costs;               // by planning cell: what cost mask and areas add; NULL: there is neither
  uint8_t * costs;                    // by planning cell, 1 or more; NULL: all are 1
} fw_map_layers_t;

typedef struct fw_layers_source_t {
  fw_free_cells_map_t map;  // `is_obstacle` is not used
  const fw_occupancy_map_t * keepout;
  const fw_occupancy_map_t * cost_mask;
  const fw_area_list_t * areas;  // NULL: there are none
  const fw_controller_settings_t * settings;
  const fw_map_frame_t * planning;
  fw_free_cells_rule_t rule;
} fw_layers_source_t;

// Fills `grid`, and `obstacles` with those of the map and the keepout mask together. `layers` and `obstacles` are
// empty before. False if there is no memory; then both may be partly filled, and the caller ends them.
bool fw__map_layers_build(
  fw_map_layers_t * layers, const fw_layers_source_t * source, fw_free_cells_t * obstacles, fw_grid_t * grid);
// The same after a change of the map's values in a window of the map only; masks and settings are those of the build.
// False if there is no memory: then the obstacles in the window are new and the grid is as it was.
bool fw__map_layers_update(
  fw_map_layers_t * layers, const fw_layers_source_t * source, fw_grid_window_t window, fw_free_cells_t * obstacles,
  fw_grid_t * grid);
void fw__map_layers_fini(fw_map_layers_t * layers);

#endif  // CONTROLLER__MAP__MAP_LAYERS_H_
