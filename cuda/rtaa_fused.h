// The shared memory of a block in the fused kernel (rtaa_block.h): its robots and how large it is, for the launch code.

#ifndef RTAA_FUSED_H_
#define RTAA_FUSED_H_

#include "kernel/rtaa_view.h"

// A robot between two parts of an episode.
typedef struct fw_rtaa_block_robot_t {
  int32_t index;  // -1: none
  uint32_t length;
  uint32_t episodes;
  int16_t x;
  int16_t y;
  int16_t goal_x;
  int16_t goal_y;
  int8_t drift_x;
  int8_t drift_y;
  int8_t box_x0;
  int8_t box_y0;
  int8_t box_x1;
  int8_t box_y1;
  uint8_t state;
  uint8_t unused;
} fw_rtaa_block_robot_t;

enum { FW_RTAA_BLOCK_QUEUED, FW_RTAA_BLOCK_RUNNING, FW_RTAA_BLOCK_COUNTERS = 4 };

FW_STEP int32_t fw__rtaa_block_bytes(int32_t lookahead, int32_t lanes)
{
  const int32_t robot = (int32_t)sizeof(fw_rtaa_block_robot_t) + lookahead + FW_RTAA_STATUS_COUNT + 1;
  return robot * FW_BLOCK_ROBOTS + FW_RTAA_BLOCK_COUNTERS * 4 + lanes * fw__rtaa_lane_bytes(lookahead);
}

// How many lanes the pool has: as many as leave room for four blocks on a multiprocessor, but a warp's if that fits
// into a block's limit, else what does. 0: not even one. Both limits are in bytes.
FW_STEP int32_t fw__rtaa_block_lanes(int32_t lookahead, int32_t block_max, int32_t multiprocessor_max)
{
  const int32_t share = multiprocessor_max / 4 - 1024;  // the system takes 1024 bytes of each block
  int32_t lanes = FW_BLOCK_ROBOTS;
  while (lanes > 32 && fw__rtaa_block_bytes(lookahead, lanes) > (share < block_max ? share : block_max)) {
    lanes /= 2;
  }
  while (lanes > 0 && fw__rtaa_block_bytes(lookahead, lanes) > block_max) {
    lanes /= 2;
  }
  return lanes;
}

#endif  // RTAA_FUSED_H_
