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
#include "search/jps/jps.h"

// ---- bits -----------------------------------------------------------------------------------------------------------

static bool make_bits(fw_bits_t * bits, fw_arena_t * arena, int32_t lines, int32_t length)
{
  bits->line_bytes = (length + 2 * FW_BITS_MARGIN) / 8 + 1;
  bits->bytes = fw__arena_allocate(arena, (size_t)lines * (size_t)bits->line_bytes, 1);
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
      fw__bits_set(&jps->rows, y, x, is_blocked);
      fw__bits_set(&jps->columns, x, y, is_blocked);
    }
  }
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  jps_t * jps = fw__arena_allocate_zeroed(context->built, 1, sizeof(*jps));
  if (
    jps == NULL || !make_bits(&jps->rows, context->built, floor->height + 2, floor->width + 2) ||
    !make_bits(&jps->columns, context->built, floor->width + 2, floor->height + 2)) {
    return fw__error_memory(error);
  }
  jps->nodes = fw__arena_allocate_zeroed(context->built, (size_t)floor->place_count, sizeof(*jps->nodes));
  if (jps->nodes == NULL) {
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

// ---- the search -----------------------------------------------------------------------------------------------------

// From each node back to its parent, straight part first.
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
  jps->has_failed = false;
  jps->goal_x = context->goal % floor->stride;
  jps->goal_y = context->goal / floor->stride;
  jps_reach(jps, context, context->start, 0, (const int32_t[2]){-1, -1});
}

static void find(fw_router_context_t * context)
{
  jps_t * jps = context->state;
  begin(jps, context);
  while (jps->open.count > 0 && !jps->has_failed) {
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
    jps_expand(jps, context, item.node);
  }
  if (jps->has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  context->memory_bytes = (size_t)jps->reached * sizeof(jps_node_t) + (size_t)jps->open.peak * sizeof(fw_heap_item_t);
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
