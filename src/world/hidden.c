// Hiding obstacles by a seed.

#include "world/hidden.h"

#include "base/rng.h"

// A number is drawn for every cell, blocked or not: whether an obstacle is hidden does not depend on the others.
int32_t fw__hide_obstacles(const fw_grid_t * grid, int32_t per_cent, uint64_t seed, uint8_t * known)
{
  fw_rng_t rng = fw__rng(seed);
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    const bool is_hidden = fw__rng_below(&rng, 100) < per_cent && grid->cost[cell] == 0;
    known[cell] = is_hidden ? 1 : grid->cost[cell];
    count += is_hidden ? 1 : 0;
  }
  return count;
}
