// Reference costs of cheapest paths on a grid for any connectivity, diagonal, footprint and clearance.

#ifndef SUPPORT__REFERENCE_H_
#define SUPPORT__REFERENCE_H_

#include "base/rng.h"
#include "fleetweave/search.h"

enum { REFERENCE_CELLS_MAX = 4096 };

// Fills cost[cell] with the cost of the cheapest path from that cell to `goal`, -1 where there is none. `straight` and
// `diagonal` are the lengths of moves.
void reference_costs(
  const fw_grid_t * grid, const fw_router_options_t * options, const int32_t lengths[2], fw_cell_t goal,
  int64_t * cost);

// Whether the robot fits on the cell.
bool reference_fits(const fw_grid_t * grid, const fw_router_options_t * options, fw_cell_t cell);

// A cell where the robot fits; FW_CELL_NONE after some tries.
fw_cell_t reference_cell(const fw_grid_t * grid, const fw_router_options_t * options, fw_rng_t * rng);

// The sum of the costs of a route's moves, by the same lengths.
int64_t reference_route_cost(const fw_grid_t * grid, const fw_route_t * route, const int32_t lengths[2]);

#endif  // SUPPORT__REFERENCE_H_
