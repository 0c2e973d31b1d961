// Headings, distances without obstacles, and the order of neighbours.
//
// Headings are those of fw_heading_t: eighths of a circle clockwise from east. The heuristic is the Manhattan distance
// with four directions and the Chebyshev distance with eight. Neighbours are ordered by how well they point to the
// goal: the best heading first, then fanning out to both sides, first to the side of the longer component of the
// distance. Ties in the search go to the earlier neighbour, so this order is part of the answer.

#ifndef KERNEL__COMPASS_STEP_H_
#define KERNEL__COMPASS_STEP_H_

#include "kernel/kernel.h"

// Two bits per heading: the difference plus 1.
FW_STEP int32_t fw__compass_dx(int32_t heading) { return (int32_t)((0x901au >> (2 * heading)) & 3u) - 1; }
FW_STEP int32_t fw__compass_dy(int32_t heading) { return (int32_t)((0x01a9u >> (2 * heading)) & 3u) - 1; }

FW_STEP int32_t fw__compass_abs(int32_t value) { return value < 0 ? -value : value; }
FW_STEP int32_t fw__compass_sign(int32_t value) { return (value > 0) - (value < 0); }

// The length of a shortest path over free cells of cost 1: Manhattan distance (4 directions) or Chebyshev distance (8).
FW_STEP int32_t fw__compass_distance(int32_t connectivity, int32_t dx, int32_t dy)
{
  const int32_t across = fw__compass_abs(dx);
  const int32_t down = fw__compass_abs(dy);
  if (connectivity == 4) {
    return across + down;
  }
  return across > down ? across : down;
}

// Distances of the goal from the three columns and the three rows around a cell. They give the heuristic of all
// neighbours without branches.
typedef struct fw_compass_ring_t {
  int32_t west, here, east;
  int32_t north, level, south;
} fw_compass_ring_t;

// For a cell from which the goal is (dx, dy) away.
FW_STEP fw_compass_ring_t fw__compass_ring(int32_t dx, int32_t dy)
{
  fw_compass_ring_t ring;
  ring.west = fw__compass_abs(dx + 1);
  ring.here = fw__compass_abs(dx);
  ring.east = fw__compass_abs(dx - 1);
  ring.north = fw__compass_abs(dy + 1);
  ring.level = fw__compass_abs(dy);
  ring.south = fw__compass_abs(dy - 1);
  return ring;
}

// fw__compass_distance from the neighbour at (step_x, step_y).
FW_STEP int32_t
fw__compass_ring_distance(int32_t connectivity, const fw_compass_ring_t * ring, int32_t step_x, int32_t step_y)
{
  const int32_t across = step_x < 0 ? ring->west : step_x > 0 ? ring->east : ring->here;
  const int32_t down = step_y < 0 ? ring->north : step_y > 0 ? ring->south : ring->level;
  if (connectivity == 4) {
    return across + down;
  }
  return across > down ? across : down;
}

// The heading whose move has these signs; (0, 0) has none and gives 0.
FW_STEP int32_t fw__compass_heading(int32_t sign_x, int32_t sign_y)
{
  return (int32_t)((UINT64_C(0x123004765) >> (4 * ((sign_y + 1) * 3 + sign_x + 1))) & 7);
}

typedef struct fw_compass_t {
  int32_t heading;    // that points best to the goal
  bool is_clockwise;  // the second neighbour is clockwise of the first
} fw_compass_t;

// The compass at a cell from which the goal is (dx, dy) away, not (0, 0).
FW_STEP fw_compass_t fw__compass(int32_t connectivity, int32_t dx, int32_t dy)
{
  FW_STEP_ASSERT(connectivity == 4 || connectivity == 8);
  FW_STEP_ASSERT(dx != 0 || dy != 0);
  const int32_t sign_x = fw__compass_sign(dx);
  const int32_t sign_y = fw__compass_sign(dy);
  const bool is_wide = fw__compass_abs(dx) >= fw__compass_abs(dy);
  fw_compass_t compass;
  if (connectivity == 4) {
    compass.heading = is_wide ? fw__compass_heading(sign_x, 0) : fw__compass_heading(0, sign_y);
    const int32_t other = is_wide ? fw__compass_heading(0, sign_y) : fw__compass_heading(sign_x, 0);
    const bool has_other = sign_x != 0 && sign_y != 0;
    compass.is_clockwise = !has_other || ((other - compass.heading) & 7) == 2;
    return compass;
  }
  compass.heading = fw__compass_heading(sign_x, sign_y);
  // On a diagonal, the side of the longer component: headings 3 and 7 have east or west next to them clockwise. One bit
  // per heading; the upper eight for |dx| >= |dy|, the lower eight for |dx| < |dy|.
  compass.is_clockwise = ((0xdd77u >> (compass.heading + (is_wide ? 8 : 0))) & 1u) != 0;
  return compass;
}

// The fan: headings 0, +1, -1, +2, -2, +3, -3, +4 eighths from the best, four bits each from the lowest.
FW_STEP uint32_t fw__compass_fan(fw_compass_t compass)
{
  const uint32_t eighths = compass.is_clockwise ? 0x45362710u : 0x43526170u;  // modulo 8
  return (eighths + (uint32_t)compass.heading * 0x11111111u) & 0x77777777u;
}

// The heading at place `rank` of a fan.
FW_STEP int32_t fw__compass_at(uint32_t fan, int32_t rank) { return (int32_t)((fan >> (4 * rank)) & 7u); }

// The inverse permutation: the rank of each heading in the fan, four bits each from the lowest.
FW_STEP uint32_t fw__compass_ranks(fw_compass_t compass)
{
  const uint32_t ranks = compass.is_clockwise ? 0x24675310u : 0x13576420u;  // by eighths from the best
  const uint32_t shift = 4u * (uint32_t)compass.heading;
  return (ranks << shift) | (ranks >> ((32u - shift) & 31u));
}

#endif  // KERNEL__COMPASS_STEP_H_
