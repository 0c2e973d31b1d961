// Jump point search (Harabor and Grastien 2011, 2014): of many equal ways only one is followed, so that most cells are
// never put into the open list.
//
// With 8 directions the way that is followed goes diagonally first and straight then; a straight run can turn only where
// an obstacle beside it has just ended (no corners are cut here, so that nothing is forced on a diagonal). While the
// search steps along a diagonal it jumps straight to both sides, by bits; only where these jumps end is a node. With 4
// directions the same holds with "up or down" in place of "diagonally" and "left or right" in place of "straight" (Baum
// 2025). This works whatever a diagonal costs between one straight move and two.
//
// A node is reached by straight runs only. The directions of all that arrive at the same least cost are kept together,
// since where one may go on depends on them.

#include "base/error.h"
#include "search/heap.h"
#include "search/jps_bits.h"
#include "search/router.h"

typedef struct node_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;    // a place
  uint8_t arrived;   // bit d: in straight direction d, at cost g
  uint8_t expanded;  // those of them that have been expanded
} node_t;

typedef struct jps_t {
  fw_bits_t rows;     // by y, of x; as padded as places
  fw_bits_t columns;  // by x, of y
  node_t * nodes;     // by place
  uint32_t epoch;
  fw_heap_t open;
  int64_t reached;
  // The question.
  int32_t goal_x;  // padded
  int32_t goal_y;
  bool has_failed;
} jps_t;

// ---- bits -----------------------------------------------------------------------------------------------------------

static bool make_bits(fw_bits_t * bits, fw_arena_t * arena, int32_t lines, int32_t length)
{
  bits->line_bytes = (length + 2 * FW_BITS_MARGIN) / 8 + 1;
  bits->bytes = fw_arena_allocate(arena, (size_t)lines * (size_t)bits->line_bytes, 1);
  if (bits->bytes != NULL) {
    memset(bits->bytes, 0xff, (size_t)lines * (size_t)bits->line_bytes);
  }
  return bits->bytes != NULL;
}

static void fill_bits(jps_t * jps, const fw_floor_t * floor)
{
  for (int32_t y = 1; y <= floor->height; ++y) {
    for (int32_t x = 1; x <= floor->width; ++x) {
      const bool is_blocked = floor->cost[y * floor->stride + x] == 0;
      fw_bits_set(&jps->rows, y, x, is_blocked);
      fw_bits_set(&jps->columns, x, y, is_blocked);
    }
  }
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  jps_t * jps = fw_arena_allocate_zeroed(context->built, 1, sizeof(*jps));
  if (
    jps == NULL || !make_bits(&jps->rows, context->built, floor->height + 2, floor->width + 2) ||
    !make_bits(&jps->columns, context->built, floor->width + 2, floor->height + 2)) {
    return fw__error_memory(error);
  }
  jps->nodes = fw_arena_allocate_zeroed(context->built, (size_t)floor->place_count, sizeof(*jps->nodes));
  if (jps->nodes == NULL) {
    return fw__error_memory(error);
  }
  fw_heap_init(&jps->open, context->built);
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

// A node offered at cost g, reached in a straight direction (-1: the goal, by a diagonal).
static void reach(jps_t * jps, const fw_router_context_t * context, int32_t place, int32_t g, const int32_t * from)
{
  node_t * node = &jps->nodes[place];
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
    *node = (node_t){.g = g, .epoch = jps->epoch, .parent = parent, .arrived = arrived};
  }
  if (!is_pending) {
    const int32_t f = g + fw_floor_estimate_between(context->floor, place, context->goal);
    jps->has_failed = !fw_heap_push(&jps->open, f, g, place) || jps->has_failed;
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
      end = fw_bits_jump_up(&jps->rows, y, x, goal);
      *moves = end - x;
      return end < 0 ? -1 : y * floor->stride + end;
    case 1:
      end = fw_bits_jump_up(&jps->columns, x, y, goal);
      *moves = end - y;
      return end < 0 ? -1 : end * floor->stride + x;
    case 2:
      end = fw_bits_jump_down(&jps->rows, y, x, goal);
      *moves = x - end;
      return end < 0 ? -1 : y * floor->stride + end;
    default:
      end = fw_bits_jump_down(&jps->columns, x, y, goal);
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
    reach(jps, context, end, jps->nodes[parent].g + moves * floor->straight, from);
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
      reach(jps, context, at, g, from);
      return;
    }
    for (int32_t i = 0; i < 2; ++i) {
      int32_t moves;
      const int32_t end = jump(jps, floor, x, y, aside[i], &moves);
      if (end >= 0) {
        const int32_t from[2] = {parent, aside[i]};
        reach(jps, context, end, g + moves * floor->straight, from);
      }
    }
  }
}

// ---- the search -----------------------------------------------------------------------------------------------------

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

static void expand(jps_t * jps, fw_router_context_t * context, int32_t place)
{
  const fw_floor_t * floor = context->floor;
  node_t * node = &jps->nodes[place];
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

// From each node back to its parent, straight part first.
static void trace(const jps_t * jps, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  int32_t at = context->goal;
  fw_trail_add(context->trail, at);
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
      fw_trail_add(context->trail, at += step_x);
    }
    for (int32_t i = both; i < dy; ++i) {
      fw_trail_add(context->trail, at += step_y);
    }
    for (int32_t i = 0; i < both; ++i) {
      fw_trail_add(context->trail, at += step_x + step_y);
    }
  }
  fw_trail_reverse(context->trail, 0);
}

static void begin(jps_t * jps, const fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  if (++jps->epoch == UINT32_MAX) {
    memset(jps->nodes, 0, (size_t)floor->place_count * sizeof(*jps->nodes));
    jps->epoch = 1;
  }
  fw_heap_clear(&jps->open);
  jps->reached = 0;
  jps->has_failed = false;
  jps->goal_x = context->goal % floor->stride;
  jps->goal_y = context->goal / floor->stride;
  const int32_t from[2] = {-1, -1};
  reach(jps, context, context->start, 0, from);
}

static void find(fw_router_context_t * context)
{
  jps_t * jps = context->state;
  begin(jps, context);
  while (jps->open.count > 0 && !jps->has_failed) {
    const fw_heap_item_t item = fw_heap_pop(&jps->open);
    if (item.node == context->goal) {
      trace(jps, context);
      break;
    }
    const node_t * node = &jps->nodes[item.node];
    if (node->g != item.g || (node->expanded == node->arrived && item.node != context->start)) {
      continue;  // reached at a lower cost since
    }
    if (fw_router_count(context, item.node)) {
      return;
    }
    expand(jps, context, item.node);
  }
  if (jps->has_failed) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
  }
  context->memory_bytes = (size_t)jps->reached * sizeof(node_t) + (size_t)jps->open.peak * sizeof(fw_heap_item_t);
}

const fw_router_def_t fw_router_jps = {
  .name = "jps",
  .summary = "jump point search: only cells where a shortest way can turn, found by scanning bits",
  .paper = "Harabor and Grastien, Improving Jump Point Search, 2014; Baum, JPS in 4-connected Grids, 2025",
  .is_optimal = true,
  .build = build,
  .update = update,
  .find = find,
};
