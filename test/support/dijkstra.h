// Reference distances on a grid: relaxes all edges until nothing improves (Bellman-Ford).

#ifndef SUPPORT__DIJKSTRA_H_
#define SUPPORT__DIJKSTRA_H_

#include "fleetweave/fleetweave.h"

typedef struct dijkstra_t {
  const fw_grid_t * grid;
  int32_t connectivity;
  bool cuts_corners;
  bool is_weighted;               // a move costs the byte of the cell entered, else 1
  const fw_offset_t * footprint;  // NULL: a single cell
  int32_t footprint_count;
} dijkstra_t;

// Fills distance[cell] with the cost of the cheapest path from that cell to `goal`, -1 where there is none.
void dijkstra_to(const dijkstra_t * world, fw_cell_t goal, int32_t * distance);

// The least ticks from a robot's start to its goal, alone, for any footprint, speed, heading and sweep; -1 if there is
// no path.
int32_t dijkstra_ticks(const fw_problem_t * problem, int32_t robot);

#endif  // SUPPORT__DIJKSTRA_H_
