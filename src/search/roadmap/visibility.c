// Visibility graph: a shortest path turns only at the corners of obstacles. Corners that see each other are linked.
//
// If there are few corners, all pairs are tested. If there are many, sight is usually short: the cells around a corner
// are visited outwards as long as they are in sight. That can miss a pair that sees each other through a slit; where
// the graph has no path but the floor has one, A* over cells fills in.

#include <string.h>

#include "search/line_of_sight.h"
#include "search/roadmap/roadmap.h"

enum { PARAMETER_PAIRS };

typedef struct visibility_t {
  fw_roadmap_t map;
  int32_t * node_of;  // by place, -1 for none
  int32_t * part;     // by place: its connected component of the floor
  int32_t * queue;    // of breadth-first searches
  uint32_t * seen;    // by place: the last look that visited it
  uint32_t look;
  int64_t pairs;  // parameter
} visibility_t;

// A convex corner of an obstacle: diagonally beside a blocked cell, with both cells between free.
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

// Labels the connected components.
static void label_parts(visibility_t * sight, const fw_floor_t * floor)
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

// Called for each node that is seen from a place.
typedef void (*see_t)(visibility_t * sight, int32_t place, int32_t node, fw_trail_t * links);

static void see_in_pairs(visibility_t * sight, int32_t place, see_t see, fw_trail_t * links)
{
  const fw_roadmap_t * map = &sight->map;
  for (int32_t node = 0; node < map->node_count; ++node) {
    const bool is_seen = map->places[node] != place && sight->part[map->places[node]] == sight->part[place] &&
                         fw__line_is_free(map->floor, place, map->places[node], 1);
    if (is_seen) {
      see(sight, place, node, links);
    }
  }
}

static void see_outwards(visibility_t * sight, int32_t place, see_t see, fw_trail_t * links)
{
  const fw_floor_t * floor = sight->map.floor;
  int32_t count = 0;
  ++sight->look;
  sight->seen[place] = sight->look;
  sight->queue[count++] = place;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t at = sight->queue[i];
    if (at != place && sight->node_of[at] >= 0) {
      see(sight, place, sight->node_of[at], links);
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
}

// Calls `see` for each corner that is seen from a place. The first `pairs` corners at most are tested in pairs.
static void see_all(visibility_t * sight, int32_t place, see_t see, fw_trail_t * links)
{
  if (sight->map.node_count <= sight->pairs) {
    see_in_pairs(sight, place, see, links);
  } else {
    see_outwards(sight, place, see, links);
  }
}

static void add_edges(visibility_t * sight, int32_t place, int32_t node, fw_trail_t * links)
{
  (void)links;
  fw_roadmap_t * map = &sight->map;
  const int32_t from = sight->node_of[place];
  const int32_t cost = fw__floor_estimate_between(map->floor, place, map->places[node]);
  fw__roadmap_add_edge(map, (fw_roadmap_edge_t){from, node, cost, -1, -1});
  fw__roadmap_add_edge(map, (fw_roadmap_edge_t){node, from, cost, -1, -1});
}

static void add_link(visibility_t * sight, int32_t place, int32_t node, fw_trail_t * links)
{
  const fw_roadmap_t * map = &sight->map;
  fw__roadmap_connect(links, node, fw__floor_estimate_between(map->floor, place, map->places[node]));
}

static void make_memory(visibility_t * sight, const fw_router_context_t * context)
{
  const size_t places = (size_t)context->floor->place_count;
  sight->node_of = fw__arena_allocate(context->built, places, sizeof(*sight->node_of));
  sight->part = fw__arena_allocate(context->built, places, sizeof(*sight->part));
  sight->queue = fw__arena_allocate(context->built, places, sizeof(*sight->queue));
  sight->seen = fw__arena_allocate_zeroed(context->built, places, sizeof(*sight->seen));
  if (!fw__arena_has_failed(context->built)) {
    memset(sight->node_of, 0xff, places * sizeof(*sight->node_of));
    memset(sight->part, 0xff, places * sizeof(*sight->part));
  }
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  visibility_t * sight = fw__arena_allocate_zeroed(context->built, 1, sizeof(*sight));
  if (sight == NULL) {
    return fw__error_memory(error);
  }
  sight->pairs = context->parameters[PARAMETER_PAIRS];
  fw_roadmap_t * map = &sight->map;
  fw__roadmap_init(map, context->built, floor);
  make_memory(sight, context);
  if (fw__arena_has_failed(context->built)) {
    return fw__error_memory(error);
  }
  label_parts(sight, floor);
  for (int32_t place = 0; place < floor->place_count; ++place) {
    if (floor->cost[place] != 0 && is_corner(floor, place)) {
      sight->node_of[place] = fw__roadmap_add_node(map, place);
    }
  }
  for (int32_t node = 0; node < map->node_count && !fw__arena_has_failed(context->built); ++node) {
    see_all(sight, map->places[node], add_edges, NULL);
  }
  fw__roadmap_finish(map);
  context->state = sight;
  context->node_count = map->node_count;
  context->edge_count = map->edge_count / 2;
  return fw__router_build_result(context, error);
}

static void find(fw_router_context_t * context)
{
  visibility_t * sight = context->state;
  fw_roadmap_t * map = &sight->map;
  if (sight->part[context->start] != sight->part[context->goal]) {
    return;
  }
  fw__roadmap_begin(map);
  fw__trail_add(context->trail, context->start);
  if (!fw__line_is_free(context->floor, context->start, context->goal, 1)) {
    see_all(sight, context->start, add_link, &map->starts);
    see_all(sight, context->goal, add_link, &map->goals);
    // An end that is itself a corner.
    if (sight->node_of[context->start] >= 0) {
      fw__roadmap_connect(&map->starts, sight->node_of[context->start], 0);
    }
    if (sight->node_of[context->goal] >= 0) {
      fw__roadmap_connect(&map->goals, sight->node_of[context->goal], 0);
    }
    if (fw__roadmap_search(map, context)) {
      fw__roadmap_walk(map, context, map->places[map->first_node]);
      for (int32_t i = 0; i < map->chain.count; ++i) {
        fw__roadmap_walk(map, context, map->places[map->edges[map->chain.places[i]].to]);
      }
    }
  }
  fw__roadmap_walk(map, context, context->goal);
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  fw__roadmap_show(&((const visibility_t *)context->state)->map, show, state);
}

static const fw_parameter_def_t parameters[] = {
  {.name = "pairs",
   .type = FW_PARAMETER_INTEGER,
   .initial = 3000,
   .min = 0,
   .max = 100000,
   .help =
     "up to this number of corners, all pairs are tested for sight; above it, cells are visited outwards from each"},
};

const fw_router_def_t fw__router_visibility = {
  .name = "visibility",
  .summary = "visibility graph: A* over corners of obstacles that see each other",
  .paper = "Lozano-Perez and Wesley, An Algorithm for Planning Collision-Free Paths, 1979",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
