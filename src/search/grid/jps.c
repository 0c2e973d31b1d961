// Jump point search (Harabor and Grastien 2011, 2014): of many symmetric paths only one, the canonical one, is
// followed, so that most cells never enter the open list.
//
// With 8 directions the canonical path goes diagonally first and then straight. A straight run can turn only where an
// obstacle beside it has just ended, at a jump point with a forced neighbour. Corners are never cut here, so diagonals
// have no forced neighbours. While the search steps along a diagonal it jumps straight to both sides by scanning bits;
// only the ends of these jumps are nodes. With 4 directions the same holds with "up or down" in place of "diagonally"
// and "left or right" in place of "straight" (Baum 2025). This is right whatever a diagonal costs between one straight
// move and two.
//
// A node is reached by straight runs only. The directions of all runs that arrive at the same least cost are kept
// together, since the forced neighbours depend on them.

#include <string.h>

#include "search/heap.h"
#include "search/router.h"

// ---- blocked places as bits -----------------------------------------------------------------------------------------
//
// A jump along a line ends before an obstacle, or on the first place beside which an obstacle has just ended, since the
// path can turn there into what the obstacle hid (57 bits are scanned at a time):
//
//   line - 1   . . # # . .         x: the jump eastward from s ends here
//   line       s . . . x .
//   line + 1   . . . . . .
//
// Both rows and columns are stored, so that jumps up and down are scans along a line too.

enum {
  MARGIN = 64,  // blocked bits before the first place of a line and behind the last
  SPAN = 57,    // bits that an unaligned 64-bit load has at least
};

typedef struct bits_t {
  uint8_t * bytes;
  int32_t line_bytes;
} bits_t;

static inline void set_bit(bits_t * bits, int32_t line, int32_t at, bool is_blocked)
{
  const int32_t bit = at + MARGIN;
  uint8_t * byte = &bits->bytes[(size_t)line * (size_t)bits->line_bytes + (size_t)(bit >> 3)];
  *byte = (uint8_t)(is_blocked ? *byte | 1 << (bit & 7) : *byte & ~(1 << (bit & 7)));
}

// 57 bits or more from `at` upwards, that of `at` in the lowest place. Bytes are put together for any byte order; the
// compiler makes one load of it.
static inline uint64_t bits_up(const bits_t * bits, int32_t line, int32_t at)
{
  const int32_t bit = at + MARGIN;
  const uint8_t * b = &bits->bytes[(size_t)line * (size_t)bits->line_bytes + (size_t)(bit >> 3)];
  const uint64_t word = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
                        (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
  return word >> (bit & 7);
}

// 57 bits or more from `at` downwards, that of `at` in the highest place.
static inline uint64_t bits_down(const bits_t * bits, int32_t line, int32_t at)
{
  const int32_t bit = at + MARGIN;
  const uint8_t * b = &bits->bytes[(size_t)line * (size_t)bits->line_bytes + (size_t)(bit >> 3) - 7];
  const uint64_t word = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
                        (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
  return word << (7 - (bit & 7));
}

// Where a jump from `at` along `line` ends, towards larger coordinates (up) or smaller ones (down); -1 if it hits an
// obstacle first. `goal` is a coordinate on this line that ends a jump too, or -1.
static inline int32_t jump_up(const bits_t * bits, int32_t line, int32_t at, int32_t goal)
{
  for (int32_t from = at;; from += SPAN - 1) {
    const uint64_t own = bits_up(bits, line, from);
    const uint64_t before = bits_up(bits, line - 1, from);
    const uint64_t behind = bits_up(bits, line + 1, from);
    const uint64_t ends = (before << 1 & ~before) | (behind << 1 & ~behind);
    const uint64_t stops = (own | ends) & ~UINT64_C(1) & ((UINT64_C(1) << SPAN) - 1);
    if (stops != 0) {
      const int32_t bit = __builtin_ctzll(stops);
      if (goal > at && goal <= from + bit) {
        return (own >> bit & 1) != 0 && goal == from + bit ? -1 : goal;
      }
      return (own >> bit & 1) != 0 ? -1 : from + bit;
    }
  }
}

static inline int32_t jump_down(const bits_t * bits, int32_t line, int32_t at, int32_t goal)
{
  for (int32_t from = at;; from -= SPAN - 1) {
    const uint64_t own = bits_down(bits, line, from);
    const uint64_t before = bits_down(bits, line - 1, from);
    const uint64_t behind = bits_down(bits, line + 1, from);
    const uint64_t ends = (before >> 1 & ~before) | (behind >> 1 & ~behind);
    const uint64_t stops = (own | ends) & ~(UINT64_C(1) << 63) & ~((UINT64_C(1) << (64 - SPAN)) - 1);
    if (stops != 0) {
      const int32_t bit = __builtin_clzll(stops);
      const bool is_blocked = (own << bit >> 63) != 0;
      if (goal >= 0 && goal < at && goal >= from - bit) {
        return is_blocked && goal == from - bit ? -1 : goal;
      }
      return is_blocked ? -1 : from - bit;
    }
  }
}

// ---- build ----------------------------------------------------------------------------------------------------------

typedef struct jps_node_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;    // a place
  uint8_t arrived;   // bit d: in straight direction d, at cost g
  uint8_t expanded;  // those of them that have been expanded
} jps_node_t;

typedef struct jps_t {
  bits_t rows;         // line y, bit x, with the margin of places
  bits_t columns;      // line x, bit y
  jps_node_t * nodes;  // by place
  uint32_t epoch;
  fw_heap_t open;
  int64_t reached;
  int32_t goal_x;  // of the query, padded
  int32_t goal_y;
} jps_t;

// All blocked.
static void make_bits(bits_t * bits, fw_arena_t * arena, int32_t lines, int32_t length)
{
  bits->line_bytes = (length + 2 * MARGIN) / 8 + 1;
  bits->bytes = fw__arena_allocate(arena, (size_t)lines * (size_t)bits->line_bytes, 1);
  if (bits->bytes != NULL) {
    memset(bits->bytes, 0xff, (size_t)lines * (size_t)bits->line_bytes);
  }
}

static void fill_bits(jps_t * jps, const fw_floor_t * floor)
{
  for (int32_t y = 1; y <= floor->height; ++y) {
    for (int32_t x = 1; x <= floor->width; ++x) {
      const bool is_blocked = floor->cost[y * floor->stride + x] == 0;
      set_bit(&jps->rows, y, x, is_blocked);
      set_bit(&jps->columns, x, y, is_blocked);
    }
  }
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  jps_t * jps = fw__arena_allocate_zeroed(context->built, 1, sizeof(*jps));
  if (jps == NULL) {
    return fw__error_memory(error);
  }
  FW_ASSERT(floor->is_uniform && floor->degree != 6);
  make_bits(&jps->rows, context->built, floor->height + 2, floor->width + 2);
  make_bits(&jps->columns, context->built, floor->width + 2, floor->height + 2);
  jps->nodes = fw__arena_allocate_zeroed(context->built, (size_t)floor->place_count, sizeof(*jps->nodes));
  if (fw__arena_has_failed(context->built)) {
    return fw__error_memory(error);
  }
  fw__heap_init(&jps->open, context->built);
  fill_bits(jps, floor);
  context->state = jps;
  return FW_RET_OK;
}

static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  (void)cells;
  (void)count;
  (void)error;
  fill_bits(context->state, context->floor);
  return FW_RET_OK;
}

// ---- jumps ----------------------------------------------------------------------------------------------------------

// How a node is reached.
typedef struct arrival_t {
  int32_t g;
  int32_t parent;     // a place; -1 at the start
  int32_t direction;  // straight; -1 at the start, and at the goal when a diagonal reaches it
} arrival_t;

// Keeps the arrival if it is the cheapest at its place; directions of equally cheap ones are collected.
static void reach(jps_t * jps, const fw_router_context_t * context, int32_t place, arrival_t arrival)
{
  FW_ASSERT(context->floor->cost[place] != 0 && arrival.g >= 0);
  jps_node_t * node = &jps->nodes[place];
  const int32_t g = arrival.g;
  const int32_t parent = arrival.parent;
  const uint8_t arrived = (uint8_t)(arrival.direction < 0 ? 0 : 1 << arrival.direction);
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
    (void)fw__heap_push(&jps->open, f, g, place);
  }
}

// A jump from padded coordinates in a straight direction. `moves` is the result: its length.
typedef struct jump_t {
  int32_t x;
  int32_t y;
  int32_t direction;
  int32_t moves;
} jump_t;

// The place at the end of a jump, and its length; -1 if it ends at an obstacle.
static inline int32_t jump(const jps_t * jps, const fw_floor_t * floor, jump_t * from)
{
  const int32_t x = from->x;
  const int32_t y = from->y;
  const int32_t d = from->direction;
  const bool is_row = d == 0 || d == 2;
  const int32_t goal = is_row ? (jps->goal_y == y ? jps->goal_x : -1) : (jps->goal_x == x ? jps->goal_y : -1);
  int32_t end;
  switch (d) {
    case 0:
      end = jump_up(&jps->rows, y, x, goal);
      from->moves = end - x;
      return end < 0 ? -1 : y * floor->stride + end;
    case 1:
      end = jump_up(&jps->columns, x, y, goal);
      from->moves = end - y;
      return end < 0 ? -1 : end * floor->stride + x;
    case 2:
      end = jump_down(&jps->rows, y, x, goal);
      from->moves = x - end;
      return end < 0 ? -1 : y * floor->stride + end;
    default:
      end = jump_down(&jps->columns, x, y, goal);
      from->moves = y - end;
      return end < 0 ? -1 : end * floor->stride + x;
  }
}

static void go_straight(jps_t * jps, const fw_router_context_t * context, int32_t parent, int32_t d)
{
  const fw_floor_t * floor = context->floor;
  const int32_t y = parent / floor->stride;
  jump_t run = {.x = parent - y * floor->stride, .y = y, .direction = d};
  const int32_t end = jump(jps, floor, &run);
  if (end >= 0) {
    const int32_t g = jps->nodes[parent].g + run.moves * floor->straight;
    reach(jps, context, end, (arrival_t){.g = g, .parent = parent, .direction = d});
  }
}

// Steps in direction d, a diagonal or with 4 directions up or down, and jumps from each step to both sides.
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
      reach(jps, context, at, (arrival_t){.g = g, .parent = parent, .direction = -1});
      return;
    }
    for (int32_t i = 0; i < 2; ++i) {
      jump_t run = {.x = x, .y = y, .direction = aside[i]};
      const int32_t end = jump(jps, floor, &run);
      if (end >= 0) {
        const int32_t end_g = g + run.moves * floor->straight;
        reach(jps, context, end, (arrival_t){.g = end_g, .parent = parent, .direction = aside[i]});
      }
    }
  }
}

// ---- expansion ------------------------------------------------------------------------------------------------------

// Directions of canonical paths after arriving in straight direction d: ahead, and to the forced neighbours behind an
// obstacle beside the place before.
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

// Jumps from a place in all directions in which a canonical path can go on from there.
static void expand(jps_t * jps, fw_router_context_t * context, int32_t place)
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

// ---- the search -----------------------------------------------------------------------------------------------------

// From each node back to its parent, the straight part of the jump first.
static void trace(const jps_t * jps, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  int32_t at = context->goal;
  fw__trail_add(context->trail, at);
  while (at != context->start && !context->trail->has_failed) {
    const int32_t parent = jps->nodes[at].parent;
    int32_t dx = parent % floor->stride - at % floor->stride;
    int32_t dy = parent / floor->stride - at / floor->stride;
    const int32_t step_x = dx < 0 ? -1 : 1;
    const int32_t step_y = dy < 0 ? -floor->stride : floor->stride;
    dx = abs(dx);
    dy = abs(dy);
    const int32_t both = floor->degree == 8 ? (dx < dy ? dx : dy) : 0;
    for (int32_t i = both; i < dx; ++i) {
      fw__trail_add(context->trail, at += step_x);
    }
    for (int32_t i = both; i < dy; ++i) {
      fw__trail_add(context->trail, at += step_y);
    }
    for (int32_t i = 0; i < both; ++i) {
      fw__trail_add(context->trail, at += step_x + step_y);
    }
  }
  fw__trail_reverse(context->trail, 0);
}

static void begin(jps_t * jps, const fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  if (++jps->epoch == UINT32_MAX) {
    memset(jps->nodes, 0, (size_t)floor->place_count * sizeof(*jps->nodes));
    jps->epoch = 1;
  }
  fw__heap_clear(&jps->open);
  jps->reached = 0;
  jps->goal_x = context->goal % floor->stride;
  jps->goal_y = context->goal / floor->stride;
  reach(jps, context, context->start, (arrival_t){.parent = -1, .direction = -1});
}

static void find(fw_router_context_t * context)
{
  jps_t * jps = context->state;
  begin(jps, context);
  while (jps->open.count > 0 && !fw__arena_has_failed(context->built)) {
    const fw_heap_item_t item = fw__heap_pop(&jps->open);
    if (item.node == context->goal) {
      trace(jps, context);
      break;
    }
    const jps_node_t * node = &jps->nodes[item.node];
    if (node->g != item.g || (node->expanded == node->arrived && item.node != context->start)) {
      continue;  // reached at a lower cost since
    }
    if (fw__router_count(context, item.node)) {
      return;
    }
    expand(jps, context, item.node);
  }
  FW_ASSERT(fw__heap_validate(&jps->open));
  (void)fw__router_has_memory(context);
  context->memory_bytes = (size_t)jps->reached * sizeof(jps_node_t) + (size_t)jps->open.peak * sizeof(fw_heap_item_t);
}

const fw_router_def_t fw__router_jps = {
  .name = "jps",
  .summary = "jump point search: expands only cells where a shortest path can turn, found by scanning bits",
  .paper = "Harabor and Grastien, Improving Jump Point Search, 2014; Baum, JPS in 4-connected Grids, 2025",
  .is_optimal = true,
  .build = build,
  .update = update,
  .find = find,
};
