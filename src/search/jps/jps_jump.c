// Jump point search: jumps along rows, columns and diagonals, and in which directions to go on where they end.

#include "search/jps/jps.h"

void jps_reach(jps_t * jps, const fw_router_context_t * context, int32_t place, int32_t g, const int32_t from[2])
{
  jps_node_t * node = &jps->nodes[place];
  const int32_t parent = from[0];
  const uint8_t arrived = (uint8_t)(from[1] < 0 ? 0 : 1 << from[1]);
  const bool is_new = node->epoch != jps->epoch;
  if (!is_new && (node->g < g || (node->g == g && (node->arrived & arrived) == arrived))) {
    return;
  }
  const bool is_pending = !is_new && node->g == g && node->expanded != node->arrived;
  if (!is_new && node->g == g) {
    node->arrived |= arrived;
  } else {
    jps->reached += is_new;
    *node = (jps_node_t){.g = g, .epoch = jps->epoch, .parent = parent, .arrived = arrived};
  }
  if (!is_pending) {
    const int32_t f = g + fw__floor_estimate_between(context->floor, place, context->goal);
    jps->has_failed = !fw__heap_push(&jps->open, f, g, place) || jps->has_failed;
  }
}

// The end of a straight jump from (x, y), as a place, and the number of moves; -1 if there is none.
static inline int32_t jump(
  const jps_t * jps, const fw_floor_t * floor, int32_t x, int32_t y, int32_t d, int32_t * moves)
{
  const bool is_row = d == 0 || d == 2;
  const int32_t goal = is_row ? (jps->goal_y == y ? jps->goal_x : -1) : (jps->goal_x == x ? jps->goal_y : -1);
  int32_t end;
  switch (d) {
    case 0:
      end = fw__bits_jump_up(&jps->rows, y, x, goal);
      *moves = end - x;
      return end < 0 ? -1 : y * floor->stride + end;
    case 1:
      end = fw__bits_jump_up(&jps->columns, x, y, goal);
      *moves = end - y;
      return end < 0 ? -1 : end * floor->stride + x;
    case 2:
      end = fw__bits_jump_down(&jps->rows, y, x, goal);
      *moves = x - end;
      return end < 0 ? -1 : y * floor->stride + end;
    default:
      end = fw__bits_jump_down(&jps->columns, x, y, goal);
      *moves = y - end;
      return end < 0 ? -1 : end * floor->stride + x;
  }
}

static void go_straight(jps_t * jps, const fw_router_context_t * context, int32_t parent, int32_t d)
{
  const fw_floor_t * floor = context->floor;
  int32_t moves;
  const int32_t y = parent / floor->stride;
  const int32_t end = jump(jps, floor, parent - y * floor->stride, y, d, &moves);
  if (end >= 0) {
    const int32_t from[2] = {parent, d};
    jps_reach(jps, context, end, jps->nodes[parent].g + moves * floor->straight, from);
  }
}

// Steps in direction d, a diagonal or for 4 directions up or down, with jumps in the two directions that go with it.
static void go_aside(jps_t * jps, const fw_router_context_t * context, int32_t parent, int32_t d)
{
  const fw_floor_t * floor = context->floor;
  const int32_t aside[2] = {floor->degree == 8 ? d - 4 : 0, floor->degree == 8 ? (d - 3) & 3 : 2};
  const int32_t step = floor->steps[0][d];
  const int32_t length = floor->lengths[d];
  const int32_t step_y = floor->degree == 8 ? (d == 4 || d == 5 ? 1 : -1) : (d == 1 ? 1 : -1);
  const int32_t step_x = step - step_y * floor->stride;
  int32_t g = jps->nodes[parent].g;
  int32_t y = parent / floor->stride;
  int32_t x = parent - y * floor->stride;
  for (int32_t at = parent; (floor->moves[at] >> d & 1) != 0;) {
    at += step;
    x += step_x;
    y += step_y;
    g += length;
    if (at == context->goal) {
      const int32_t from[2] = {parent, -1};
      jps_reach(jps, context, at, g, from);
      return;
    }
    for (int32_t i = 0; i < 2; ++i) {
      int32_t moves;
      const int32_t end = jump(jps, floor, x, y, aside[i], &moves);
      if (end >= 0) {
        const int32_t from[2] = {parent, aside[i]};
        jps_reach(jps, context, end, g + moves * floor->straight, from);
      }
    }
  }
}

// ---- expansion ------------------------------------------------------------------------------------------------------

// Directions to go on in after arriving in straight direction d: ahead, and into what an obstacle beside the place before
// has hidden.
static int32_t directions_after(const fw_floor_t * floor, int32_t place, int32_t d)
{
  const int32_t before = place - floor->steps[0][d];
  const int32_t right = (d + 1) & 3;
  const int32_t left = (d + 3) & 3;
  int32_t directions = 1 << d;
  if (floor->cost[before + floor->steps[0][right]] == 0) {
    directions |= 1 << right | (floor->degree == 8 ? 1 << (4 + d) : 0);  // the diagonal 4 + d lies between d and right
  }
  if (floor->cost[before + floor->steps[0][left]] == 0) {
    directions |= 1 << left | (floor->degree == 8 ? 1 << (4 + left) : 0);
  }
  return directions;
}

void jps_expand(jps_t * jps, fw_router_context_t * context, int32_t place)
{
  const fw_floor_t * floor = context->floor;
  jps_node_t * node = &jps->nodes[place];
  int32_t directions = place == context->start ? 0xff : 0;
  for (int32_t d = 0; d < 4; ++d) {
    if ((node->arrived & ~node->expanded) >> d & 1) {
      directions |= directions_after(floor, place, d);
    }
  }
  node->expanded = node->arrived;
  directions &= floor->moves[place];
  const int32_t straight = floor->degree == 8 ? 0x0f : 0x05;
  for (int32_t d = 0; d < floor->degree; ++d) {
    if ((directions >> d & 1) != 0) {
      if ((straight >> d & 1) != 0) {
        go_straight(jps, context, place, d);
      } else {
        go_aside(jps, context, place, d);
      }
    }
  }
}
