// Waypoint graph. Points are placed where the clearance is largest, until each cell is in sight of a near point; the
// point that came first owns it. Where cells of two owners touch, the points are linked: straight if they see each
// other, else by way of that border. So the graph is connected wherever the floor is.

#include <string.h>

#include "search/line_of_sight.h"
#include "search/roadmap/clearance.h"
#include "search/roadmap/roadmap.h"

enum { PARAMETER_SPACING, PARAMETER_SMOOTHING };

typedef struct waypoints_t {
  fw_roadmap_t map;
  int32_t * owner;  // by place: a node, -1 for none
} waypoints_t;

// The point becomes the owner of all cells that it sees within `spacing` (Chebyshev) and that have no owner.
static void take_sight(waypoints_t * points, int32_t node, int32_t spacing)
{
  const fw_floor_t * floor = points->map.floor;
  const int32_t place = points->map.places[node];
  const int32_t x = fw__floor_x(floor, place);
  const int32_t y = fw__floor_y(floor, place);
  for (int32_t to_y = y - spacing; to_y <= y + spacing; ++to_y) {
    for (int32_t to_x = x - spacing; to_x <= x + spacing; ++to_x) {
      if (!fw__floor_is_free(floor, to_x, to_y)) {
        continue;
      }
      const int32_t to = fw__floor_place_at(floor, to_x, to_y);
      if (points->owner[to] < 0 && fw__line_is_free(floor, place, to, 1)) {
        points->owner[to] = node;
      }
    }
  }
}

// Free places by falling clearance, ties in rising order: a counting sort. NULL when there is no memory.
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

static void put_points(waypoints_t * points, const fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  const int32_t * clearance = fw__clearance_make(context->built, floor);
  const int32_t * places = clearance != NULL ? sort_places(context->built, floor, clearance) : NULL;
  for (int32_t i = 0; places != NULL && i < floor->free_count; ++i) {
    if (points->owner[places[i]] < 0) {
      const int32_t node = fw__roadmap_add_node(&points->map, places[i]);
      if (node < 0) {
        return;
      }
      take_sight(points, node, (int32_t)context->parameters[PARAMETER_SPACING]);
    }
  }
}

// Edges in both directions between the owners of two neighbouring places.
static void link_owners(waypoints_t * points, int32_t a, int32_t b)
{
  fw_roadmap_t * map = &points->map;
  const fw_floor_t * floor = map->floor;
  const int32_t from = map->places[points->owner[a]];
  const int32_t to = map->places[points->owner[b]];
  const bool is_straight = fw__line_is_free(floor, from, to, 1);
  const int32_t cost = is_straight ? fw__floor_estimate_between(floor, from, to)
                                   : fw__floor_estimate_between(floor, from, a) + floor->straight +
                                       fw__floor_estimate_between(floor, b, to);
  const int32_t out = is_straight ? -1 : a;
  const int32_t in = is_straight ? -1 : b;
  fw__roadmap_add_edge(map, (fw_roadmap_edge_t){points->owner[a], points->owner[b], cost, out, in});
  fw__roadmap_add_edge(map, (fw_roadmap_edge_t){points->owner[b], points->owner[a], cost, in, out});
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  waypoints_t * points = fw__arena_allocate_zeroed(context->built, 1, sizeof(*points));
  if (points == NULL) {
    return fw__error_memory(error);
  }
  fw__roadmap_init(&points->map, context->built, floor);
  points->owner = fw__arena_allocate(context->built, (size_t)floor->place_count, sizeof(*points->owner));
  if (fw__arena_has_failed(context->built)) {
    return fw__error_memory(error);
  }
  memset(points->owner, 0xff, (size_t)floor->place_count * sizeof(*points->owner));
  put_points(points, context);
  for (int32_t place = 0; place < floor->place_count && !fw__arena_has_failed(context->built); ++place) {
    for (int32_t d = 0; d < 2 && points->owner[place] >= 0; ++d) {
      const int32_t there = place + floor->steps[0][d];
      if (points->owner[there] >= 0 && points->owner[there] != points->owner[place]) {
        link_owners(points, place, there);
      }
    }
  }
  fw__roadmap_finish(&points->map);
  context->state = points;
  context->node_count = points->map.node_count;
  context->edge_count = points->map.edge_count / 2;
  return fw__router_build_result(context, error);
}

// Links an end of the query to the owner of its place, and to those of the owner's neighbours that it sees.
static void connect(waypoints_t * points, fw_trail_t * links, int32_t place)
{
  const fw_roadmap_t * map = &points->map;
  const int32_t owner = points->owner[place];
  FW_ASSERT(owner >= 0);
  fw__roadmap_connect(links, owner, fw__floor_estimate_between(map->floor, place, map->places[owner]));
  for (int32_t i = map->first[owner]; i < map->first[owner + 1]; ++i) {
    const int32_t node = map->edges[i].to;
    if (fw__line_is_free(map->floor, place, map->places[node], 1)) {
      fw__roadmap_connect(links, node, fw__floor_estimate_between(map->floor, place, map->places[node]));
    }
  }
}

static void find(fw_router_context_t * context)
{
  waypoints_t * points = context->state;
  fw_roadmap_t * map = &points->map;
  fw__roadmap_begin(map);
  fw__trail_add(context->trail, context->start);
  if (!fw__line_is_free(context->floor, context->start, context->goal, 1)) {
    connect(points, &map->starts, context->start);
    connect(points, &map->goals, context->goal);
    if (!fw__roadmap_search(map, context)) {
      context->trail->count = 0;
      return;
    }
    fw__roadmap_walk(map, context, map->places[map->first_node]);
    for (int32_t i = 0; i < map->chain.count; ++i) {
      const fw_roadmap_edge_t * edge = &map->edges[map->chain.places[i]];
      if (edge->out >= 0) {
        fw__roadmap_walk(map, context, edge->out);
        fw__roadmap_walk(map, context, edge->in);
      }
      fw__roadmap_walk(map, context, map->places[edge->to]);
    }
  }
  fw__roadmap_walk(map, context, context->goal);
  fw__smooth(&map->smoother, context, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  fw__roadmap_show(&((const waypoints_t *)context->state)->map, show, state);
}

static const fw_parameter_def_t parameters[] = {
  {.name = "spacing",
   .type = FW_PARAMETER_INTEGER,
   .initial = 16,
   .min = 1,
   .max = 1024,
   .help = "largest Chebyshev distance in cells of a point to the cells that it owns"},
  FW_SMOOTHING_PARAMETER,
};

const fw_router_def_t fw__router_waypoints = {
  .name = "waypoints",
  .summary = "waypoint graph: A* over points in open areas, linked where their cells touch",
  .paper = "Stout, The Basics of A* for Path Planning, 2000",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
