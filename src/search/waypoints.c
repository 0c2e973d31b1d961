// A waypoint graph. Points are put where most room is left, until each cell is in sight of one that is near; the point
// that came first owns it. Where cells of two owners touch, the points are linked, straight if they see each other, else
// by way of that border: so the graph is connected wherever the floor is.

#include "base/error.h"
#include "search/clearance.h"
#include "search/graph.h"
#include "search/line.h"
#include "search/smooth.h"

enum { PARAMETER_SPACING, PARAMETER_SMOOTHING };

typedef struct waypoints_t {
  fw_graph_t graph;
  int32_t * owner;  // by place: a node, -1 for none
} waypoints_t;

// Takes what the point sees within `spacing` and nobody has.
static void take_sight(waypoints_t * way, int32_t node, int32_t spacing)
{
  const fw_floor_t * floor = way->graph.floor;
  const int32_t place = way->graph.places[node];
  const int32_t x = fw__floor_x(floor, place);
  const int32_t y = fw__floor_y(floor, place);
  for (int32_t to_y = y - spacing; to_y <= y + spacing; ++to_y) {
    for (int32_t to_x = x - spacing; to_x <= x + spacing; ++to_x) {
      if (!fw__floor_is_free(floor, to_x, to_y)) {
        continue;
      }
      const int32_t to = fw__floor_place_at(floor, to_x, to_y);
      if (way->owner[to] < 0 && fw__line_is_free(floor, place, to, 1)) {
        way->owner[to] = node;
      }
    }
  }
}

// Places by their clearance, the roomiest first, of equal ones in their order.
static int32_t * sort_places(fw_arena_t * arena, const fw_floor_t * floor, const int32_t * clearance)
{
  const int32_t most = (floor->width > floor->height ? floor->width : floor->height) + 1;
  int32_t * places = fw__arena_allocate(arena, (size_t)floor->free_count + 1, sizeof(*places));
  int32_t * starts = fw__arena_allocate_zeroed(arena, (size_t)most + 2, sizeof(*starts));
  if (places == NULL || starts == NULL) {
    return NULL;
  }
  for (int32_t p = 0; p < floor->place_count; ++p) {
    starts[floor->cost[p] != 0 ? most - clearance[p] + 1 : 0] += floor->cost[p] != 0;
  }
  for (int32_t i = 1; i <= most + 1; ++i) {
    starts[i] += starts[i - 1];
  }
  for (int32_t p = 0; p < floor->place_count; ++p) {
    if (floor->cost[p] != 0) {
      places[starts[most - clearance[p]]++] = p;
    }
  }
  return places;
}

static bool put_points(waypoints_t * way, const fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  const int32_t * clearance = fw__clearance_make(context->built, floor);
  const int32_t * places = clearance != NULL ? sort_places(context->built, floor, clearance) : NULL;
  bool is_fine = places != NULL;
  for (int32_t i = 0; i < floor->free_count && is_fine; ++i) {
    if (way->owner[places[i]] < 0) {
      const int32_t node = fw__graph_add_node(&way->graph, places[i]);
      is_fine = node >= 0;
      if (is_fine) {
        take_sight(way, node, (int32_t)context->parameters[PARAMETER_SPACING]);
      }
    }
  }
  return is_fine;
}

// Both ways over the border between two places.
static bool link_owners(waypoints_t * way, int32_t a, int32_t b)
{
  fw_graph_t * graph = &way->graph;
  const fw_floor_t * floor = graph->floor;
  const int32_t from = graph->places[way->owner[a]];
  const int32_t to = graph->places[way->owner[b]];
  const bool is_straight = fw__line_is_free(floor, from, to, 1);
  const int32_t cost = is_straight ? fw__floor_estimate_between(floor, from, to)
                                   : fw__floor_estimate_between(floor, from, a) + floor->straight +
                                       fw__floor_estimate_between(floor, b, to);
  const int32_t out = is_straight ? -1 : a;
  const int32_t in = is_straight ? -1 : b;
  return fw__graph_add_edge(graph, (fw_edge_t){way->owner[a], way->owner[b], cost, out, in}) &&
         fw__graph_add_edge(graph, (fw_edge_t){way->owner[b], way->owner[a], cost, in, out});
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  waypoints_t * way = fw__arena_allocate_zeroed(context->built, 1, sizeof(*way));
  if (way == NULL || !fw__graph_init(&way->graph, context->built, floor)) {
    return fw__error_memory(error);
  }
  way->owner = fw__arena_allocate(context->built, (size_t)floor->place_count, sizeof(*way->owner));
  if (way->owner == NULL) {
    return fw__error_memory(error);
  }
  memset(way->owner, 0xff, (size_t)floor->place_count * sizeof(*way->owner));
  bool is_fine = put_points(way, context);
  for (int32_t place = 0; place < floor->place_count && is_fine; ++place) {
    for (int32_t d = 0; d < 2 && is_fine && way->owner[place] >= 0; ++d) {
      const int32_t there = place + floor->steps[0][d];
      if (way->owner[there] >= 0 && way->owner[there] != way->owner[place]) {
        is_fine = link_owners(way, place, there);
      }
    }
  }
  if (!is_fine || !fw__graph_link(&way->graph)) {
    return fw__error_memory(error);
  }
  context->state = way;
  context->node_count = way->graph.node_count;
  context->edge_count = way->graph.edge_count / 2;
  return FW_RET_OK;
}

// The owner of a place, and those of the points beside it that it sees.
static void tie(waypoints_t * way, fw_trail_t * ties, int32_t place)
{
  const fw_graph_t * graph = &way->graph;
  const int32_t owner = way->owner[place];
  fw__graph_tie(ties, owner, fw__floor_estimate_between(graph->floor, place, graph->places[owner]));
  for (int32_t i = graph->first[owner]; i < graph->first[owner + 1]; ++i) {
    const int32_t node = graph->edges[i].to;
    if (fw__line_is_free(graph->floor, place, graph->places[node], 1)) {
      fw__graph_tie(ties, node, fw__floor_estimate_between(graph->floor, place, graph->places[node]));
    }
  }
}

static void find(fw_router_context_t * context)
{
  waypoints_t * way = context->state;
  fw_graph_t * graph = &way->graph;
  fw__graph_begin(graph);
  fw__trail_add(context->trail, context->start);
  if (!fw__line_is_free(context->floor, context->start, context->goal, 1)) {
    tie(way, &graph->starts, context->start);
    tie(way, &graph->goals, context->goal);
    if (!fw__graph_search(graph, context)) {
      context->trail->count = 0;
      return;
    }
    fw__graph_walk(graph, context, graph->places[graph->first_node]);
    for (int32_t i = 0; i < graph->chain.count; ++i) {
      const fw_edge_t * edge = &graph->edges[graph->chain.places[i]];
      if (edge->out >= 0) {
        fw__graph_walk(graph, context, edge->out);
        fw__graph_walk(graph, context, edge->in);
      }
      fw__graph_walk(graph, context, graph->places[edge->to]);
    }
  }
  fw__graph_walk(graph, context, context->goal);
  fw__smooth(graph->astar, context, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  fw__graph_show(&((const waypoints_t *)context->state)->graph, show, state);
}

static const fw_parameter_def_t parameters[] = {
  {.name = "spacing",
   .type = FW_PARAMETER_INTEGER,
   .initial = 16,
   .min = 1,
   .max = 1024,
   .help = "how far a point's cells are from it at most, along each axis"},
  {.name = "smoothing",
   .type = FW_PARAMETER_INTEGER,
   .initial = 0,
   .min = 0,
   .max = 100000,
   .help = "pieces of so many cells are searched again for a better way; 0 leaves the way as it is"},
};

const fw_router_def_t fw_router_waypoints = {
  .name = "waypoints",
  .summary = "a waypoint graph: points in sight of each other, from one to the next",
  .paper = "Stout, The Basics of A* for Path Planning, 2000",
  .parameters = parameters,
  .parameter_count = 2,
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
