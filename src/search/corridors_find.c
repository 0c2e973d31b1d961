// Corridors: a question. From each end to the lines, and along them.

#include "search/corners.h"
#include "search/corridors.h"
#include "search/line.h"
#include "search/smooth.h"

// From an end of the question to the lines, and the nodes on both sides of where it comes to them. Returns that place.
static int32_t go_to_line(fw_corridors_t * corridors, int32_t place, fw_trail_t * way, fw_trail_t * ties)
{
  const fw_floor_t * floor = corridors->graph.floor;
  way->count = 0;
  fw__trail_add(way, place);
  while (corridors->is_spine[place] == 0) {
    place += floor->steps[0][corridors->towards[place]];
    fw__trail_add(way, place);
  }
  const int32_t cost = (way->count - 1) * floor->straight;
  if (corridors->node_of[place] >= 0) {
    fw__graph_tie(ties, corridors->node_of[place], cost);
  } else {
    const fw_spine_t * spine = &corridors->spines[corridors->spine_of[place]];
    const int32_t index = corridors->index_in[place];
    fw__graph_tie(ties, spine->ends[0], cost + index * floor->straight);
    fw__graph_tie(ties, spine->ends[1], cost + (spine->count - 1 - index) * floor->straight);
  }
  return place;
}

// Along a spine from one of its cells to another, without the first.
static void walk_spine(
  const fw_corridors_t * corridors, const fw_spine_t * spine, int32_t from, int32_t to, fw_trail_t * trail)
{
  for (int32_t i = from; i != to;) {
    i += i < to ? 1 : -1;
    fw__trail_add(trail, corridors->cells.places[spine->first + i]);
  }
}

// From a place on the lines to a node at an end of its spine, or back.
static void walk_to_node(
  const fw_corridors_t * corridors, int32_t place, int32_t node, bool is_back, fw_trail_t * trail)
{
  if (corridors->node_of[place] >= 0) {
    return;
  }
  const fw_spine_t * spine = &corridors->spines[corridors->spine_of[place]];
  const int32_t index = corridors->index_in[place];
  const bool is_loop = spine->ends[0] == spine->ends[1];
  const int32_t last = spine->count - 1;
  const bool is_first = is_loop ? index <= last - index : spine->ends[0] == node;
  const int32_t end = is_first ? 0 : last;
  walk_spine(corridors, spine, is_back ? end : index, is_back ? index : end, trail);
}

static bool walk_lines(fw_corridors_t * corridors, fw_router_context_t * context, int32_t from, int32_t to)
{
  fw_graph_t * graph = &corridors->graph;
  const int32_t spine_of = corridors->spine_of[from];
  if (from == to) {
    return true;
  }
  if (spine_of >= 0 && spine_of == corridors->spine_of[to]) {
    const fw_spine_t * spine = &corridors->spines[spine_of];
    walk_spine(corridors, spine, corridors->index_in[from], corridors->index_in[to], context->trail);
    return true;
  }
  if (!fw__graph_search(graph, context)) {
    return false;
  }
  int32_t node = graph->first_node;
  walk_to_node(corridors, from, node, false, context->trail);
  for (int32_t i = 0; i < graph->chain.count; ++i) {
    const fw_edge_t * edge = &graph->edges[graph->chain.places[i]];
    const fw_spine_t * spine = &corridors->spines[edge->out];
    const int32_t last = spine->count - 1;
    walk_spine(corridors, spine, edge->in == 0 ? 0 : last, edge->in == 0 ? last : 0, context->trail);
    node = edge->to;
  }
  walk_to_node(corridors, to, node, true, context->trail);
  return true;
}

// Pulled tight along lines of sight, and walked again.
static void pull(fw_corridors_t * corridors, fw_router_context_t * context)
{
  fw_trail_t * corners = &corridors->ways[0];
  fw__corners_find(context->floor, context->trail, corners);
  if (corners->has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  context->trail->count = 1;
  for (int32_t i = 1; i < corners->count; ++i) {
    fw__line_walk(context->floor, corners->places[i - 1], corners->places[i], context->trail);
  }
}

void fw__corridors_find(fw_router_context_t * context)
{
  fw_corridors_t * corridors = context->state;
  fw_graph_t * graph = &corridors->graph;
  fw_trail_t * trail = context->trail;
  fw__graph_begin(graph);
  const int32_t from = go_to_line(corridors, context->start, &corridors->ways[0], &graph->starts);
  const int32_t to = go_to_line(corridors, context->goal, &corridors->ways[1], &graph->goals);
  if (corridors->ways[0].has_failed || corridors->ways[1].has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  for (int32_t i = 0; i < corridors->ways[0].count; ++i) {
    fw__trail_add(trail, corridors->ways[0].places[i]);
  }
  if (!walk_lines(corridors, context, from, to)) {
    trail->count = 0;
    return;
  }
  for (int32_t i = corridors->ways[1].count - 2; i >= 0; --i) {
    fw__trail_add(trail, corridors->ways[1].places[i]);
  }
  if (context->parameters[FW_CORRIDORS_PULLS] != 0 && !trail->has_failed) {
    pull(corridors, context);
  }
  fw__smooth(graph->astar, context, (int32_t)context->parameters[FW_CORRIDORS_SMOOTHING]);
}
