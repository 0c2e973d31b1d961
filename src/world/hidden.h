// Obstacles that robots do not know at first: for experiments with maps that are discovered while driving.

#ifndef WORLD__HIDDEN_H_
#define WORLD__HIDDEN_H_

#include "fleetweave/fleetweave.h"

// Writes the map that robots know at first into `known`, one byte per cell as in the grid: `per_cent` of the obstacles,
// chosen by the seed, are taken for free cells of cost 1. Returns the number of hidden obstacles.
int32_t fw__hide_obstacles(const fw_grid_t * grid, int32_t per_cent, uint64_t seed, uint8_t * known);

#endif  // WORLD__HIDDEN_H_
