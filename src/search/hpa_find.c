// HPA*: a question. A* over nodes, from the start's cluster to the goal's, and its edges made into moves.

#include "search/hpa.h"
#include "search/smooth.h"

enum { PARAMETER_SMOOTHING = 3 };  // as in hpa.c

static bool offer(hpa_t * hpa, int32_t node, hpa_mark_t mark)
{
  const hpa_node_t * there = &hpa->nodes[node];
  const hpa_node_t * goal = &hpa->nodes[HPA_GOAL];
  return hpa_offer(hpa, node, mark, fw_floor_estimate(hpa->floor, there->x - goal->x, there->y - goal->y));
}

static bool expand_start(hpa_t * hpa)
{
  const hpa_cluster_t * cluster = &hpa->levels[0].clusters[hpa->nodes[HPA_START].clusters[0]];
  bool is_fine = true;
  for (int32_t i = 0; i < cluster->count && is_fine; ++i) {
    const int32_t g = hpa_flood_at(hpa, hpa->from, hpa->nodes[cluster->nodes[i]].place)->g;
    if (g != HPA_NONE) {
      is_fine = offer(hpa, cluster->nodes[i], (hpa_mark_t){.g = g, .parent = HPA_START, .edge = HPA_EDGE_START});
    }
  }
  return is_fine;
}

// The highest level on which the place is a node of a cluster that holds neither end; 0 if there is none.
static int32_t level_of(const hpa_t * hpa, const hpa_node_t * node)
{
  int32_t level = node->top;
  while (level > 0 && (node->clusters[level] == hpa->nodes[HPA_START].clusters[level] ||
                       node->clusters[level] == hpa->nodes[HPA_GOAL].clusters[level])) {
    --level;
  }
  return level;
}

static bool expand_cluster(hpa_t * hpa, int32_t at, int32_t g, int32_t level)
{
  const hpa_node_t * node = &hpa->nodes[at];
  const hpa_cluster_t * cluster = &hpa->levels[level].clusters[node->clusters[level]];
  const int32_t * row = cluster->cost + node->slots[level] * cluster->count;
  bool is_fine = true;
  for (int32_t j = 0; j < cluster->count && is_fine; ++j) {
    if (row[j] != HPA_NONE && cluster->nodes[j] != at) {
      is_fine = offer(hpa, cluster->nodes[j], (hpa_mark_t){.g = g + row[j], .parent = at, .edge = level});
    }
  }
  return is_fine;
}

static bool expand(hpa_t * hpa, int32_t at, int32_t g)
{
  const hpa_node_t * node = &hpa->nodes[at];
  const hpa_node_t * goal = &hpa->nodes[HPA_GOAL];
  bool is_fine = true;
  if (node->clusters[0] == goal->clusters[0]) {
    const int32_t rest = hpa_flood_at(hpa, hpa->to, node->place)->g;
    if (rest != HPA_NONE) {
      is_fine = offer(hpa, HPA_GOAL, (hpa_mark_t){.g = g + rest, .parent = at, .edge = HPA_EDGE_GOAL});
    }
  }
  if (at == HPA_START) {
    return is_fine && expand_start(hpa);
  }
  const int32_t level = level_of(hpa, node);
  if (is_fine && hpa->marks[at].edge == HPA_EDGE_CROSSING) {  // else it has come through this cluster already
    is_fine = expand_cluster(hpa, at, g, level);
  }
  for (int32_t d = 0; d < 4 && is_fine; ++d) {
    const int32_t twin = node->twins[d];
    if (twin >= 0 && hpa->nodes[twin].clusters[level] != node->clusters[level]) {
      const int32_t step = fw_floor_step_cost(hpa->floor, hpa->nodes[twin].place, d);
      is_fine = offer(hpa, twin, (hpa_mark_t){.g = g + step, .parent = at, .edge = HPA_EDGE_CROSSING});
    }
  }
  return is_fine;
}

// ---- refinement -----------------------------------------------------------------------------------------------------

static void refine_moves(const hpa_t * hpa, const hpa_node_t * from, const hpa_node_t * to, fw_trail_t * trail)
{
  const fw_floor_t * floor = hpa->floor;
  const hpa_cluster_t * cluster = &hpa->levels[0].clusters[from->clusters[0]];
  const int32_t i = from->slots[0];
  const int32_t j = to->slots[0];
  const int32_t pair = i < j ? i * cluster->count + j : j * cluster->count + i;
  const uint8_t * way = cluster->moves + cluster->start[pair];
  const int32_t length = cluster->length[pair];
  int32_t at = from->place;
  for (int32_t k = 0; k < length; ++k) {
    at += i < j ? floor->steps[0][way[k]] : -floor->steps[0][way[length - 1 - k]];
    fw_trail_add(trail, at);
  }
}

// A way of an upper level while it is walked.
typedef struct walk_t {
  const int32_t * hops;
  int32_t length;
  int32_t done;
  bool is_backward;
} walk_t;

static walk_t begin_walk(const hpa_t * hpa, int32_t level, const hpa_node_t * from, const hpa_node_t * to)
{
  const hpa_cluster_t * cluster = &hpa->levels[level].clusters[from->clusters[level]];
  const int32_t i = from->slots[level];
  const int32_t j = to->slots[level];
  const int32_t pair = i < j ? i * cluster->count + j : j * cluster->count + i;
  return (walk_t){
    .hops = cluster->hops + cluster->start[pair], .length = cluster->length[pair], .done = 1, .is_backward = i > j};
}

static int32_t hop_at(const walk_t * walk, int32_t index)
{
  return walk->hops[walk->is_backward ? walk->length - 1 - index : index];
}

// An edge of a level, down to moves: one walk per level, the lowest goes on first.
static void refine(const hpa_t * hpa, int32_t level, const hpa_node_t * from, const hpa_node_t * to, fw_trail_t * trail)
{
  if (level == 0) {
    refine_moves(hpa, from, to, trail);
    return;
  }
  walk_t walks[HPA_LEVELS_MAX];
  const int32_t top = level;
  walks[level] = begin_walk(hpa, level, from, to);
  while (level <= top) {
    walk_t * walk = &walks[level];
    if (walk->done >= walk->length) {
      ++level;
      continue;
    }
    const hpa_node_t * a = &hpa->nodes[hop_at(walk, walk->done - 1)];
    const hpa_node_t * b = &hpa->nodes[hop_at(walk, walk->done)];
    ++walk->done;
    if (a->clusters[level - 1] != b->clusters[level - 1]) {
      fw_trail_add(trail, b->place);
    } else if (level == 1) {
      refine_moves(hpa, a, b, trail);
    } else {
      --level;
      walks[level] = begin_walk(hpa, level, a, b);
    }
  }
}

static void refine_edge(const hpa_t * hpa, int32_t from_node, int32_t to_node, fw_trail_t * trail)
{
  const fw_floor_t * floor = hpa->floor;
  const hpa_node_t * from = &hpa->nodes[from_node];
  const hpa_node_t * to = &hpa->nodes[to_node];
  const int32_t edge = hpa->marks[to_node].edge;
  if (edge == HPA_EDGE_CROSSING) {
    fw_trail_add(trail, to->place);
  } else if (edge == HPA_EDGE_START) {
    const int32_t first = trail->count;
    for (int32_t at = to->place; at != from->place && !trail->has_failed;) {
      fw_trail_add(trail, at);
      at -= floor->steps[0][hpa_flood_at(hpa, hpa->from, at)->direction];
    }
    fw_trail_reverse(trail, first);
  } else if (edge == HPA_EDGE_GOAL) {
    for (int32_t at = from->place; at != to->place && !trail->has_failed;) {
      at += floor->steps[0][hpa_flood_at(hpa, hpa->to, at)->direction];
      fw_trail_add(trail, at);
    }
  } else {
    refine(hpa, edge, from, to, trail);
  }
}

static void trace(hpa_t * hpa, fw_router_context_t * context)
{
  fw_trail_t * chain = &hpa->chain;
  chain->count = 0;
  for (int32_t at = HPA_GOAL; at >= 0; at = hpa->marks[at].parent) {
    fw_trail_add(chain, at);
  }
  if (chain->has_failed) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  fw_trail_add(context->trail, context->start);
  for (int32_t i = chain->count - 1; i > 0 && !context->trail->has_failed; --i) {
    refine_edge(hpa, chain->places[i], chain->places[i - 1], context->trail);
  }
}

static bool begin(hpa_t * hpa, const fw_router_context_t * context)
{
  hpa_begin(hpa);
  hpa_set_place(hpa, &hpa->nodes[HPA_START], context->start);
  hpa_set_place(hpa, &hpa->nodes[HPA_GOAL], context->goal);
  return hpa_flood(hpa, hpa->from, context->start, false) && hpa_flood(hpa, hpa->to, context->goal, true) &&
         offer(hpa, HPA_START, (hpa_mark_t){.parent = -1, .edge = HPA_EDGE_START});
}

void hpa_find(fw_router_context_t * context)
{
  hpa_t * hpa = context->state;
  bool is_fine = begin(hpa, context);
  bool is_found = false;
  while (is_fine && hpa->open.count > 0 && !is_found) {
    const fw_heap_item_t item = fw_heap_pop(&hpa->open);
    if (hpa->marks[item.node].g != item.g) {
      continue;  // pushed again at a lower cost
    }
    is_found = item.node == HPA_GOAL;
    if (!is_found) {
      if (fw_router_count(context, hpa->nodes[item.node].place)) {
        return;
      }
      is_fine = expand(hpa, item.node, item.g);
    }
  }
  if (!is_fine) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  context->memory_bytes =
    (size_t)hpa->open.peak * sizeof(fw_heap_item_t) + (size_t)context->expanded * sizeof(hpa_mark_t);
  if (is_found) {
    trace(hpa, context);
    fw_smooth(hpa->smoother, context, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
  }
}
