// HPA*: edges between nodes made into moves, from the highest level down to cells.

#include "search/hpa/hpa.h"
#include "world/body.h"

// Places from an end back to a node, by the node's row of the table; without the end, with the node.
static void walk_back(const hpa_t * hpa, const hpa_node_t * end, const hpa_node_t * node, fw_trail_t * trail)
{
  const int32_t side = hpa->levels[0].side;
  const hpa_cluster_t * cluster = &hpa->levels[0].clusters[node->clusters[0]];
  const int32_t * entry = hpa_table_at(hpa, node->clusters[0], end->x, end->y) + node->slots[0];
  for (int32_t at = end->place; at != node->place && !trail->has_failed;) {
    const int32_t d = *entry % 16;
    at -= hpa->floor->steps[0][d];
    entry -= (fw_directions[d].dy * side + fw_directions[d].dx) * cluster->count;
    fw__trail_add(trail, at);
  }
}

static void refine_moves(const hpa_t * hpa, const hpa_node_t * from, const hpa_node_t * to, fw_trail_t * trail)
{
  const fw_floor_t * floor = hpa->floor;
  const hpa_cluster_t * cluster = &hpa->levels[0].clusters[from->clusters[0]];
  const int32_t i = from->slots[0];
  const int32_t j = to->slots[0];
  const int32_t pair = i < j ? i * cluster->count + j : j * cluster->count + i;
  const uint8_t * way = cluster->moves + cluster->start[pair];
  const int32_t length = cluster->length[pair];
  int32_t * places = fw__trail_extend(trail, length);
  int32_t at = from->place;
  for (int32_t k = 0; k < length && places != NULL; ++k) {
    at += i < j ? floor->steps[0][way[k]] : -floor->steps[0][way[length - 1 - k]];
    places[k] = at;
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
static void refine(hpa_t * hpa, int32_t level, const hpa_node_t * from, const hpa_node_t * to, fw_trail_t * trail)
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
      fw__trail_add(&hpa->joints, trail->count);
      fw__trail_add(trail, b->place);
    } else if (level == 1) {
      refine_moves(hpa, a, b, trail);
    } else {
      --level;
      walks[level] = begin_walk(hpa, level, a, b);
    }
  }
}

static void refine_edge(hpa_t * hpa, int32_t from_node, int32_t to_node, fw_trail_t * trail)
{
  const fw_floor_t * floor = hpa->floor;
  const hpa_node_t * from = &hpa->nodes[from_node];
  const hpa_node_t * to = &hpa->nodes[to_node];
  const int32_t edge = hpa->marks[to_node].edge;
  const int32_t first = trail->count;
  if (edge == HPA_EDGE_CROSSING) {
    fw__trail_add(&hpa->joints, trail->count);
    fw__trail_add(trail, to->place);
  } else if (edge == HPA_EDGE_START && hpa->has_tables) {
    walk_back(hpa, from, to, trail);
  } else if (edge == HPA_EDGE_GOAL && hpa->has_tables && from_node != HPA_START) {
    walk_back(hpa, to, from, trail);
    fw__trail_reverse(trail, first);
    for (int32_t i = first; i + 1 < trail->count; ++i) {
      trail->places[i] = trail->places[i + 1];  // the node is there already
    }
    trail->places[trail->count - 1] = to->place;
  } else if (edge == HPA_EDGE_START) {
    for (int32_t at = to->place; at != from->place && !trail->has_failed;) {
      fw__trail_add(trail, at);
      at -= floor->steps[0][hpa_flood_at(hpa, hpa->from, at)->direction];
    }
    fw__trail_reverse(trail, first);
  } else if (edge == HPA_EDGE_GOAL) {
    for (int32_t at = from->place; at != to->place && !trail->has_failed;) {
      at += floor->steps[0][hpa_flood_at(hpa, hpa->to, at)->direction];
      fw__trail_add(trail, at);
    }
  } else {
    refine(hpa, edge, from, to, trail);
  }
}

void hpa_trace(hpa_t * hpa, fw_router_context_t * context)
{
  fw_trail_t * chain = &hpa->chain;
  chain->count = hpa->joints.count = 0;
  chain->has_failed = false;
  for (int32_t at = HPA_GOAL; at >= 0; at = hpa->marks[at].parent) {
    fw__trail_add(chain, at);
  }
  if (chain->has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  fw__trail_add(context->trail, context->start);
  for (int32_t i = chain->count - 1; i > 0 && !context->trail->has_failed; --i) {
    refine_edge(hpa, chain->places[i], chain->places[i - 1], context->trail);
  }
}
