// Points of visibility: a shortest way turns only at the corners of obstacles. Corners that see each other are linked.
//
// Few corners are tried in pairs. Where there are many, sight is short: then cells are looked at outwards from a corner,
// as long as they are seen. That can miss a pair that sees each other through a slit, so that where the graph has no way
// and the floor has, cells are searched.

#include "base/error.h"
#include "search/graph.h"
#include "search/line.h"

enum { PARAMETER_PAIRS };

typedef struct visibility_t {
  fw_graph_t graph;
  int32_t * node_of;  // by place, -1 for none
  int32_t * part;     // by place: which part of the floor; ways exist within one
  int32_t * queue;    // of looks
  uint32_t * seen;    // by place: the look that came by
  uint32_t look;
} visibility_t;

// A cell diagonally beside a blocked one, with both cells beside that free.
static bool is_corner(const fw_floor_t * floor, int32_t place)
{
  bool is_one = false;
  for (int32_t d = 0; d < 4 && !is_one; ++d) {
    const int32_t a = floor->steps[0][d];
    const int32_t b = floor->steps[0][(d + 1) & 3];
    is_one = floor->cost[place + a] != 0 && floor->cost[place + b] != 0 && floor->cost[place + a + b] == 0;
  }
  return is_one;
}

static void name_parts(visibility_t * sight, const fw_floor_t * floor)
{
  int32_t parts = 0;
  for (int32_t place = 0; place < floor->place_count; ++place) {
    if (floor->cost[place] == 0 || sight->part[place] >= 0) {
      continue;
    }
    int32_t count = 0;
    sight->queue[count++] = place;
    sight->part[place] = parts;
    for (int32_t i = 0; i < count; ++i) {
      for (int32_t d = 0; d < 4; ++d) {
        const int32_t to = sight->queue[i] + floor->steps[0][d];
        if (floor->cost[to] != 0 && sight->part[to] < 0) {
          sight->part[to] = parts;
          sight->queue[count++] = to;
        }
      }
    }
    ++parts;
  }
}

typedef bool (*meet_t)(visibility_t * sight, int32_t place, int32_t node, void * ties);

static bool meet_in_pairs(visibility_t * sight, int32_t place, meet_t meet, void * ties)
{
  const fw_graph_t * graph = &sight->graph;
  bool is_fine = true;
  for (int32_t node = 0; node < graph->node_count && is_fine; ++node) {
    const bool is_seen = graph->places[node] != place && sight->part[graph->places[node]] == sight->part[place] &&
                         fw__line_is_free(graph->floor, place, graph->places[node], 1);
    is_fine = !is_seen || meet(sight, place, node, ties);
  }
  return is_fine;
}

static bool meet_outwards(visibility_t * sight, int32_t place, meet_t meet, void * ties)
{
  const fw_floor_t * floor = sight->graph.floor;
  bool is_fine = true;
  int32_t count = 0;
  ++sight->look;
  sight->seen[place] = sight->look;
  sight->queue[count++] = place;
  for (int32_t i = 0; i < count && is_fine; ++i) {
    const int32_t at = sight->queue[i];
    if (at != place && sight->node_of[at] >= 0) {
      is_fine = meet(sight, place, sight->node_of[at], ties);
    }
    for (int32_t d = 0; d < 8; ++d) {
      const int32_t a = floor->steps[0][d & 3];
      const int32_t to = at + a + (d >= 4 ? floor->steps[0][(d + 1) & 3] : 0);
      if (floor->cost[to] != 0 && sight->seen[to] != sight->look && fw__line_is_free(floor, place, to, 1)) {
        sight->seen[to] = sight->look;
        sight->queue[count++] = to;
      }
    }
  }
  return is_fine;
}

// Calls `meet` for each corner that is seen from a place.
static bool meet_all(visibility_t * sight, const fw_router_context_t * context, int32_t place, meet_t meet, void * ties)
{
  return sight->graph.node_count <= context->parameters[PARAMETER_PAIRS] ? meet_in_pairs(sight, place, meet, ties)
                                                                         : meet_outwards(sight, place, meet, ties);
}

static bool add_edges(visibility_t * sight, int32_t place, int32_t node, void * ties)
{
  (void)ties;
  fw_graph_t * graph = &sight->graph;
  const int32_t from = sight->node_of[place];
  const int32_t cost = fw__floor_estimate_between(graph->floor, place, graph->places[node]);
  return fw__graph_add_edge(graph, (fw_edge_t){from, node, cost, -1, -1}) &&
         fw__graph_add_edge(graph, (fw_edge_t){node, from, cost, -1, -1});
}

static bool add_tie(visibility_t * sight, int32_t place, int32_t node, void * ties)
{
  const fw_graph_t * graph = &sight->graph;
  fw__graph_tie(ties, node, fw__floor_estimate_between(graph->floor, place, graph->places[node]));
  return !((fw_trail_t *)ties)->has_failed;
}

static bool make_memory(visibility_t * sight, const fw_router_context_t * context)
{
  const size_t places = (size_t)context->floor->place_count;
  sight->node_of = fw__arena_allocate(context->built, places, sizeof(*sight->node_of));
  sight->part = fw__arena_allocate(context->built, places, sizeof(*sight->part));
  sight->queue = fw__arena_allocate(context->built, places, sizeof(*sight->queue));
  sight->seen = fw__arena_allocate_zeroed(context->built, places, sizeof(*sight->seen));
  if (sight->node_of == NULL || sight->part == NULL || sight->queue == NULL || sight->seen == NULL) {
    return false;
  }
  memset(sight->node_of, 0xff, places * sizeof(*sight->node_of));
  memset(sight->part, 0xff, places * sizeof(*sight->part));
  return true;
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  visibility_t * sight = fw__arena_allocate_zeroed(context->built, 1, sizeof(*sight));
  if (sight == NULL || !fw__graph_init(&sight->graph, context->built, floor) || !make_memory(sight, context)) {
    return fw__error_memory(error);
  }
  fw_graph_t * graph = &sight->graph;
  name_parts(sight, floor);
  bool is_fine = true;
  for (int32_t place = 0; place < floor->place_count && is_fine; ++place) {
    if (floor->cost[place] != 0 && is_corner(floor, place)) {
      sight->node_of[place] = fw__graph_add_node(graph, place);
      is_fine = sight->node_of[place] >= 0;
    }
  }
  for (int32_t node = 0; node < graph->node_count && is_fine; ++node) {
    is_fine = meet_all(sight, context, graph->places[node], add_edges, NULL);
  }
  if (!is_fine || !fw__graph_link(graph)) {
    return fw__error_memory(error);
  }
  context->state = sight;
  context->node_count = graph->node_count;
  context->edge_count = graph->edge_count / 2;
  return FW_RET_OK;
}

static void find(fw_router_context_t * context)
{
  visibility_t * sight = context->state;
  fw_graph_t * graph = &sight->graph;
  if (sight->part[context->start] != sight->part[context->goal]) {
    return;
  }
  fw__graph_begin(graph);
  fw__trail_add(context->trail, context->start);
  if (!fw__line_is_free(context->floor, context->start, context->goal, 1)) {
    (void)meet_all(sight, context, context->start, add_tie, &graph->starts);
    (void)meet_all(sight, context, context->goal, add_tie, &graph->goals);
    // An end that is itself a corner.
    if (sight->node_of[context->start] >= 0) {
      fw__graph_tie(&graph->starts, sight->node_of[context->start], 0);
    }
    if (sight->node_of[context->goal] >= 0) {
      fw__graph_tie(&graph->goals, sight->node_of[context->goal], 0);
    }
    if (fw__graph_search(graph, context)) {
      fw__graph_walk(graph, context, graph->places[graph->first_node]);
      for (int32_t i = 0; i < graph->chain.count; ++i) {
        fw__graph_walk(graph, context, graph->places[graph->edges[graph->chain.places[i]].to]);
      }
    }
  }
  fw__graph_walk(graph, context, context->goal);
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  fw__graph_show(&((const visibility_t *)context->state)->graph, show, state);
}

static const fw_parameter_def_t parameters[] = {
  {.name = "pairs",
   .type = FW_PARAMETER_INTEGER,
   .initial = 3000,
   .min = 0,
   .max = 100000,
   .help = "up to so many corners are tried in pairs; more are looked for outwards from each"},
};

const fw_router_def_t fw_router_visibility = {
  .name = "visibility",
  .summary = "points of visibility: from corner to corner of obstacles, along lines of sight",
  .paper = "Lozano-Perez and Wesley, An Algorithm for Planning Collision-Free Paths, 1979",
  .parameters = parameters,
  .parameter_count = 1,
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
