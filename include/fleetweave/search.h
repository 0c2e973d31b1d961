// One robot alone on the static grid.

#ifndef FLEETWEAVE__SEARCH_H_
#define FLEETWEAVE__SEARCH_H_

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fw_route_t {
  fw_cell_t * cells;  // from start to goal, both included; owned
  int32_t length;     // 0: there is no way
  fw_cost_t cost;     // the sum of the cost bytes of the cells entered; a diagonal counts as much as a straight move
  int64_t expanded;
  fw_allocator_t allocator;
} fw_route_t;

// A* from start to goal: the way of least cost. "No way" is FW_RET_OK with length 0; a start or goal outside the grid
// or on a blocked cell is FW_RET_INVALID_ARGUMENT. Fields `fault` and `cell` of the error tell which.
FW_MUST_USE fw_ret_t fw_route_find(
  fw_route_t * route, const fw_grid_t * grid, fw_cell_t start, fw_cell_t goal, int32_t connectivity,
  const fw_allocator_t * allocator, fw_error_t * error);
void fw_route_fini(fw_route_t * route);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__SEARCH_H_
