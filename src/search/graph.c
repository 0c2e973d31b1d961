// A graph of points on the floor.

#include "search/graph.h"

#include <stdlib.h>
#include <string.h>

#include "search/line.h"

bool fw__graph_init(fw_graph_t * graph, fw_arena_t * arena, const fw_floor_t * floor)
{
  *graph = (fw_graph_t){.arena = arena, .floor = floor};
  fw__heap_init(&graph->open, arena);
  graph->starts.arena = graph->goals.arena = graph->chain.arena = arena;
  graph->astar = fw__astar_make(arena, floor);
  return graph->astar != NULL;
}

int32_t fw__graph_add_node(fw_graph_t * graph, int32_t place)
{
  if (graph->node_count == graph->node_capacity) {
    const size_t outgrown = (size_t)graph->node_capacity;
    int32_t * places =
      fw__arena_grow(graph->arena, graph->places, (size_t)graph->node_count, sizeof(*places), &graph->node_capacity);
    if (places == NULL) {
      return -1;
    }
    fw__arena_recycle(graph->arena, graph->places, outgrown, sizeof(*places));
    graph->places = places;
  }
  graph->places[graph->node_count] = place;
  return graph->node_count++;
}

bool fw__graph_add_edge(fw_graph_t * graph, fw_edge_t edge)
{
  if (graph->edge_count == graph->edge_capacity) {
    const size_t outgrown = (size_t)graph->edge_capacity;
    fw_edge_t * edges =
      fw__arena_grow(graph->arena, graph->edges, (size_t)graph->edge_count, sizeof(*edges), &graph->edge_capacity);
    if (edges == NULL) {
      return false;
    }
    fw__arena_recycle(graph->arena, graph->edges, outgrown, sizeof(*edges));
    graph->edges = edges;
  }
  graph->edges[graph->edge_count++] = edge;
  return true;
}

static int by_ends(const void * a, const void * b)
{
  const fw_edge_t * one = a;
  const fw_edge_t * two = b;
  const int32_t left[5] = {one->from, one->to, one->cost, one->out, one->in};
  const int32_t right[5] = {two->from, two->to, two->cost, two->out, two->in};
  for (int32_t i = 0; i < 5; ++i) {
    if (left[i] != right[i]) {
      return left[i] < right[i] ? -1 : 1;
    }
  }
  return 0;
}

bool fw__graph_link(fw_graph_t * graph)
{
  graph->first = fw__arena_allocate_zeroed(graph->arena, (size_t)graph->node_count + 1, sizeof(*graph->first));
  graph->marks = fw__arena_allocate_zeroed(graph->arena, (size_t)graph->node_count + 1, sizeof(*graph->marks));
  if (graph->first == NULL || graph->marks == NULL) {
    return false;
  }
  if (graph->edge_count > 0) {
    qsort(graph->edges, (size_t)graph->edge_count, sizeof(*graph->edges), by_ends);
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < graph->edge_count; ++i) {
    const fw_edge_t edge = graph->edges[i];
    const bool is_new = kept == 0 || graph->edges[kept - 1].from != edge.from || graph->edges[kept - 1].to != edge.to;
    if (is_new && edge.from != edge.to) {
      graph->edges[kept++] = edge;
      graph->first[edge.from + 1] = kept;
    }
  }
  graph->edge_count = kept;
  for (int32_t i = 1; i <= graph->node_count; ++i) {
    graph->first[i] = graph->first[i] > graph->first[i - 1] ? graph->first[i] : graph->first[i - 1];
  }
  return true;
}

// ---- a question -----------------------------------------------------------------------------------------------------

void fw__graph_begin(fw_graph_t * graph)
{
  graph->starts.count = graph->goals.count = graph->chain.count = 0;
  if (++graph->epoch == UINT32_MAX) {
    memset(graph->marks, 0, ((size_t)graph->node_count + 1) * sizeof(*graph->marks));
    graph->epoch = 1;
  }
  fw__heap_clear(&graph->open);
}

void fw__graph_tie(fw_trail_t * ties, int32_t node, int32_t cost)
{
  fw__trail_add(ties, node);
  fw__trail_add(ties, cost);
}

// The goal is the node behind the last.
static bool offer(fw_graph_t * graph, const fw_router_context_t * context, int32_t node, fw_graph_mark_t mark)
{
  fw_graph_mark_t * known = &graph->marks[node];
  if (known->epoch == graph->epoch && known->g <= mark.g) {
    return true;
  }
  known->g = mark.g;
  known->epoch = graph->epoch;
  known->parent = mark.parent;
  known->edge = mark.edge;
  const int32_t rest =
    node == graph->node_count ? 0 : fw__floor_estimate_between(graph->floor, graph->places[node], context->goal);
  return fw__heap_push(&graph->open, mark.g + rest, mark.g, node);
}

static bool expand(fw_graph_t * graph, const fw_router_context_t * context, int32_t node)
{
  const fw_graph_mark_t at = graph->marks[node];
  bool is_fine = true;
  if (at.tied == graph->epoch) {
    const fw_graph_mark_t mark = {.g = at.g + at.tie_cost, .parent = node, .edge = -1};
    is_fine = offer(graph, context, graph->node_count, mark);
  }
  for (int32_t i = graph->first[node]; i < graph->first[node + 1] && is_fine; ++i) {
    const fw_edge_t * edge = &graph->edges[i];
    is_fine = offer(graph, context, edge->to, (fw_graph_mark_t){.g = at.g + edge->cost, .parent = node, .edge = i});
  }
  return is_fine;
}

static void trace(fw_graph_t * graph)
{
  int32_t at = graph->marks[graph->node_count].parent;
  while (graph->marks[at].edge >= 0) {
    fw__trail_add(&graph->chain, graph->marks[at].edge);
    at = graph->marks[at].parent;
  }
  graph->first_node = at;
  fw__trail_reverse(&graph->chain, 0);
}

bool fw__graph_search(fw_graph_t * graph, fw_router_context_t * context)
{
  bool is_fine = !graph->starts.has_failed && !graph->goals.has_failed;
  for (int32_t i = 0; i + 1 < graph->goals.count; i += 2) {
    fw_graph_mark_t * mark = &graph->marks[graph->goals.places[i]];
    const int32_t cost = graph->goals.places[i + 1];
    mark->tie_cost = mark->tied == graph->epoch && mark->tie_cost < cost ? mark->tie_cost : cost;
    mark->tied = graph->epoch;
  }
  for (int32_t i = 0; i + 1 < graph->starts.count && is_fine; i += 2) {
    const fw_graph_mark_t mark = {.g = graph->starts.places[i + 1], .parent = -1, .edge = -1};
    is_fine = offer(graph, context, graph->starts.places[i], mark);
  }
  bool is_found = false;
  while (is_fine && !is_found && graph->open.count > 0) {
    const fw_heap_item_t item = fw__heap_pop(&graph->open);
    if (graph->marks[item.node].g != item.g) {
      continue;  // pushed again at a lower cost
    }
    is_found = item.node == graph->node_count;
    if (!is_found) {
      if (fw__router_count(context, graph->places[item.node])) {
        return false;
      }
      is_fine = expand(graph, context, item.node);
    }
  }
  if (is_found) {
    trace(graph);
  }
  is_fine = is_fine && !graph->chain.has_failed;
  if (!is_fine) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  context->memory_bytes +=
    (size_t)graph->open.peak * sizeof(fw_heap_item_t) + (size_t)context->expanded * sizeof(*graph->marks);
  return is_fine && is_found;
}

void fw__graph_walk(fw_graph_t * graph, fw_router_context_t * context, int32_t to)
{
  fw_trail_t * trail = context->trail;
  if (trail->has_failed || trail->count == 0 || trail->places[trail->count - 1] == to) {
    return;
  }
  const int32_t from = trail->places[trail->count - 1];
  if (fw__line_is_free(graph->floor, from, to, UINT8_MAX)) {
    fw__line_walk(graph->floor, from, to, trail);
  } else if (fw__astar_better(graph->astar, context, from, to, INT32_MAX)) {
    for (int32_t i = 1; i < graph->astar->way.count; ++i) {
      fw__trail_add(trail, graph->astar->way.places[i]);
    }
  }
}

void fw__graph_show(const fw_graph_t * graph, void (*show)(const fw_shape_t *, void *), void * state)
{
  for (int32_t i = 0; i < graph->edge_count; ++i) {
    const fw_edge_t * edge = &graph->edges[i];
    if (edge->from < edge->to) {
      const int32_t out = edge->out >= 0 ? edge->out : graph->places[edge->from];
      const int32_t in = edge->out >= 0 ? edge->in : graph->places[edge->to];
      show(&(fw_shape_t){FW_SHAPE_LINE, graph->places[edge->from], out}, state);
      show(&(fw_shape_t){FW_SHAPE_LINE, out, in}, state);
      show(&(fw_shape_t){FW_SHAPE_LINE, in, graph->places[edge->to]}, state);
    }
  }
  for (int32_t i = 0; i < graph->node_count; ++i) {
    show(&(fw_shape_t){FW_SHAPE_POINT, graph->places[i], graph->places[i]}, state);
  }
}
