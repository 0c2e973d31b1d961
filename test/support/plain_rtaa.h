// Real-Time Adaptive A* of one robot, the simple reference: heuristic values for every cell of the map, lists that are
// searched linearly. The kernels must agree with it, heuristic value by heuristic value.

#ifndef SUPPORT__PLAIN_RTAA_H_
#define SUPPORT__PLAIN_RTAA_H_

#include "fleetweave/batch.h"

enum { PLAIN_CELLS_MAX = 4096 };

typedef struct plain_rtaa_t {
  const uint8_t * cost;  // of the map as it is known
  int32_t width;
  int32_t height;
  int32_t connectivity;
  int32_t lookahead;
  int32_t moves;
  fw_cell_t cell;
  fw_cell_t goal;
  fw_batch_state_t state;
  uint32_t length;
  int32_t centre_x;  // of the movements array
  int32_t centre_y;
  int32_t learned[PLAIN_CELLS_MAX];  // by cell: beyond the plain estimate
  fw_cell_t way[FW_LOOKAHEAD_MAX];   // that the last episode found
  int32_t way_count;
} plain_rtaa_t;

void plain_rtaa_begin(
  plain_rtaa_t * robot, const fw_grid_t * grid, const fw_batch_options_t * options, fw_cell_t start, fw_cell_t goal);
void plain_rtaa_episode(plain_rtaa_t * robot);
int32_t plain_rtaa_estimate(const plain_rtaa_t * robot, fw_cell_t cell);
// The cells next to one, by heading; -1 where there is no move.
fw_cell_t plain_rtaa_neighbour(const plain_rtaa_t * robot, fw_cell_t cell, int32_t heading);

#endif  // SUPPORT__PLAIN_RTAA_H_
