// A roadmap: its nodes and edges, and A* over them.

#include "search/roadmap/roadmap.h"

#include <stdlib.h>
#include <string.h>

#include "search/line_of_sight.h"

void fw__roadmap_init(fw_roadmap_t * map, fw_arena_t * arena, const fw_floor_t * floor)
{
  *map = (fw_roadmap_t){.arena = arena, .floor = floor};
  fw__heap_init(&map->open, arena);
  map->starts.arena = map->goals.arena = map->chain.arena = arena;
  fw__smoother_init(&map->smoother, arena, floor);
}

int32_t fw__roadmap_add_node(fw_roadmap_t * map, int32_t place)
{
  FW_ASSERT(map->floor->cost[place] != 0);
  if (map->node_count == map->node_capacity) {
    const size_t outgrown = (size_t)map->node_capacity;
    int32_t * places = fw__arena_grow(map->arena, map->places, sizeof(*places), &map->node_capacity);
    if (places == NULL) {
      return -1;
    }
    fw__arena_recycle(map->arena, map->places, outgrown, sizeof(*places));
    map->places = places;
  }
  map->places[map->node_count] = place;
  return map->node_count++;
}

void fw__roadmap_add_edge(fw_roadmap_t * map, fw_roadmap_edge_t edge)
{
  FW_ASSERT(edge.from >= 0 && edge.from < map->node_count && edge.to >= 0 && edge.to < map->node_count);
  FW_ASSERT(edge.cost >= 0);
  if (map->edge_count == map->edge_capacity) {
    const size_t outgrown = (size_t)map->edge_capacity;
    fw_roadmap_edge_t * edges = fw__arena_grow(map->arena, map->edges, sizeof(*edges), &map->edge_capacity);
    if (edges == NULL) {
      return;
    }
    fw__arena_recycle(map->arena, map->edges, outgrown, sizeof(*edges));
    map->edges = edges;
  }
  map->edges[map->edge_count++] = edge;
}

static int by_ends(const void * a, const void * b)
{
  const fw_roadmap_edge_t * one = a;
  const fw_roadmap_edge_t * two = b;
  const int32_t left[5] = {one->from, one->to, one->cost, one->out, one->in};
  const int32_t right[5] = {two->from, two->to, two->cost, two->out, two->in};
  for (int32_t i = 0; i < 5; ++i) {
    if (left[i] != right[i]) {
      return left[i] < right[i] ? -1 : 1;
    }
  }
  return 0;
}

// Sorts the edges, drops parallel ones and loops, and indexes them by node.
void fw__roadmap_finish(fw_roadmap_t * map)
{
  map->first = fw__arena_allocate_zeroed(map->arena, (size_t)map->node_count + 1, sizeof(*map->first));
  map->marks = fw__arena_allocate_zeroed(map->arena, (size_t)map->node_count + 1, sizeof(*map->marks));
  if (map->first == NULL || map->marks == NULL) {
    return;
  }
  if (map->edge_count > 0) {
    qsort(map->edges, (size_t)map->edge_count, sizeof(*map->edges), by_ends);
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < map->edge_count; ++i) {
    const fw_roadmap_edge_t edge = map->edges[i];
    const bool is_new = kept == 0 || map->edges[kept - 1].from != edge.from || map->edges[kept - 1].to != edge.to;
    if (is_new && edge.from != edge.to) {
      map->edges[kept++] = edge;
      map->first[edge.from + 1] = kept;
    }
  }
  map->edge_count = kept;
  for (int32_t i = 1; i <= map->node_count; ++i) {
    map->first[i] = map->first[i] > map->first[i - 1] ? map->first[i] : map->first[i - 1];
  }
  FW_ASSERT(map->first[map->node_count] == map->edge_count);
}

// ---- a query --------------------------------------------------------------------------------------------------------

void fw__roadmap_begin(fw_roadmap_t * map)
{
  map->starts.count = map->goals.count = map->chain.count = 0;
  if (++map->epoch == UINT32_MAX) {
    memset(map->marks, 0, ((size_t)map->node_count + 1) * sizeof(*map->marks));
    map->epoch = 1;
  }
  fw__heap_clear(&map->open);
}

void fw__roadmap_connect(fw_trail_t * links, int32_t node, int32_t cost)
{
  FW_ASSERT(node >= 0 && cost >= 0);
  fw__trail_add(links, node);
  fw__trail_add(links, cost);
}

// Keeps a mark if it is the first or the cheapest of its node. The goal is the node behind the last.
static void offer(fw_roadmap_t * map, const fw_router_context_t * context, int32_t node, fw_roadmap_mark_t mark)
{
  fw_roadmap_mark_t * known = &map->marks[node];
  if (known->epoch == map->epoch && known->g <= mark.g) {
    return;
  }
  known->g = mark.g;
  known->epoch = map->epoch;
  known->parent = mark.parent;
  known->edge = mark.edge;
  const int32_t rest =
    node == map->node_count ? 0 : fw__floor_estimate_between(map->floor, map->places[node], context->goal);
  (void)fw__heap_push(&map->open, mark.g + rest, mark.g, node);
}

static void expand(fw_roadmap_t * map, const fw_router_context_t * context, int32_t node)
{
  const fw_roadmap_mark_t at = map->marks[node];
  if (at.linked == map->epoch) {
    const fw_roadmap_mark_t mark = {.g = at.g + at.link_cost, .parent = node, .edge = -1};
    offer(map, context, map->node_count, mark);
  }
  for (int32_t i = map->first[node]; i < map->first[node + 1]; ++i) {
    const fw_roadmap_edge_t * edge = &map->edges[i];
    offer(map, context, edge->to, (fw_roadmap_mark_t){.g = at.g + edge->cost, .parent = node, .edge = i});
  }
}

static void trace(fw_roadmap_t * map)
{
  int32_t at = map->marks[map->node_count].parent;
  while (map->marks[at].edge >= 0) {
    fw__trail_add(&map->chain, map->marks[at].edge);
    at = map->marks[at].parent;
  }
  map->first_node = at;
  fw__trail_reverse(&map->chain, 0);
}

bool fw__roadmap_search(fw_roadmap_t * map, fw_router_context_t * context)
{
  for (int32_t i = 0; i + 1 < map->goals.count; i += 2) {
    fw_roadmap_mark_t * mark = &map->marks[map->goals.places[i]];
    const int32_t cost = map->goals.places[i + 1];
    mark->link_cost = mark->linked == map->epoch && mark->link_cost < cost ? mark->link_cost : cost;
    mark->linked = map->epoch;
  }
  for (int32_t i = 0; i + 1 < map->starts.count; i += 2) {
    const fw_roadmap_mark_t mark = {.g = map->starts.places[i + 1], .parent = -1, .edge = -1};
    offer(map, context, map->starts.places[i], mark);
  }
  bool is_found = false;
  while (!is_found && map->open.count > 0 && !fw__arena_has_failed(map->arena)) {
    const fw_heap_item_t item = fw__heap_pop(&map->open);
    if (map->marks[item.node].g != item.g) {
      continue;  // pushed again at a lower cost
    }
    is_found = item.node == map->node_count;
    if (!is_found) {
      if (fw__router_count(context, map->places[item.node])) {
        return false;
      }
      expand(map, context, item.node);
    }
  }
  FW_ASSERT(fw__heap_validate(&map->open));
  if (is_found) {
    trace(map);
  }
  context->memory_bytes +=
    (size_t)map->open.peak * sizeof(fw_heap_item_t) + (size_t)context->expanded * sizeof(*map->marks);
  return fw__router_has_memory(context) && is_found;
}

void fw__roadmap_walk(fw_roadmap_t * map, fw_router_context_t * context, int32_t to)
{
  fw_trail_t * trail = context->trail;
  if (trail->has_failed || trail->count == 0 || trail->places[trail->count - 1] == to) {
    return;
  }
  const int32_t from = trail->places[trail->count - 1];
  if (fw__line_is_free(map->floor, from, to, UINT8_MAX)) {
    fw__line_walk(map->floor, from, to, trail);
    return;
  }
  const fw_astar_query_t query = {.from = from, .to = to, .bound = INT32_MAX};
  const fw_trail_t * path = fw__astar_find(map->smoother.astar, context, query);
  if (path != NULL) {
    fw__trail_append(trail, path, 1);
  }
}

void fw__roadmap_show(const fw_roadmap_t * map, void (*show)(const fw_shape_t *, void *), void * state)
{
  for (int32_t i = 0; i < map->edge_count; ++i) {
    const fw_roadmap_edge_t * edge = &map->edges[i];
    if (edge->from < edge->to) {
      const int32_t out = edge->out >= 0 ? edge->out : map->places[edge->from];
      const int32_t in = edge->out >= 0 ? edge->in : map->places[edge->to];
      show(&(fw_shape_t){FW_SHAPE_LINE, map->places[edge->from], out}, state);
      show(&(fw_shape_t){FW_SHAPE_LINE, out, in}, state);
      show(&(fw_shape_t){FW_SHAPE_LINE, in, map->places[edge->to]}, state);
    }
  }
  for (int32_t i = 0; i < map->node_count; ++i) {
    show(&(fw_shape_t){FW_SHAPE_POINT, map->places[i], map->places[i]}, state);
  }
}
