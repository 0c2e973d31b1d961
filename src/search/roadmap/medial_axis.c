// Corridors: a roadmap of the medial axis, the lines in the middle between obstacles (Brooks' generalized cylinders,
// 1983).
//
// The floor is thinned from the walls inwards to lines one cell wide that are connected as the floor is (a skeleton). A
// place where three lines meet or one ends is a node; the line between two nodes is a spine, a list of cells. A query
// walks from its start to the nearest line, along spines, and from the lines to its goal.

#include <string.h>

#include "base/bucket_queue.h"
#include "search/line_of_sight.h"
#include "search/roadmap/clearance.h"
#include "search/roadmap/roadmap.h"

enum { PARAMETER_PULLS, PARAMETER_SMOOTHING };

typedef struct spine_t {
  int32_t ends[2];  // nodes
  int32_t first;    // its cells in `cells`, both ends included
  int32_t count;
} spine_t;

typedef struct corridors_t {
  fw_roadmap_t map;     // of an edge: `out` is the spine, `in` is 1 if it is walked backwards
  int32_t * clearance;  // by place
  uint8_t * is_spine;   // by place: part of the skeleton
  int32_t * node_of;    // by place, -1 for none
  int32_t * spine_of;   // by place: the spine that a cell between nodes is on, -1 for none
  int32_t * index_in;   // by place: its number in that spine
  uint8_t * towards;    // by place: the straight direction to the nearest line
  spine_t * spines;
  int32_t spine_count;
  int32_t spine_capacity;
  fw_trail_t cells;
  fw_trail_t walks[2];  // from the start and from the goal to the nearest line
} corridors_t;

// ---- thinning -------------------------------------------------------------------------------------------------------
//
// Places are removed in the order of their clearance as long as that does not change how the floor is connected, and
// ends of lines are kept. The floor is connected by straight moves (a diagonal needs both side cells), obstacles also
// across corners. A place can be removed if its eight neighbours contain exactly one run of floor that touches it by a
// side, and some obstacle.

// The eight neighbours in a ring, clockwise from east; even ones share a side, odd ones a corner.
static const int32_t ring_straight[8] = {0, 0, 1, 1, 2, 2, 3, 3};

static int32_t ring_of(const corridors_t * corridors, int32_t place)
{
  const fw_floor_t * floor = corridors->map.floor;
  int32_t ring = 0;
  for (int32_t i = 0; i < 8; ++i) {
    const int32_t d = ring_straight[i];
    const int32_t to = place + floor->steps[0][d] + (i % 2 == 1 ? floor->steps[0][(d + 1) & 3] : 0);
    ring |= corridors->is_spine[to] != 0 ? 1 << i : 0;
  }
  return ring;
}

static bool can_be_removed(int32_t ring)
{
  int32_t runs = 0;
  int32_t sides = 0;
  for (int32_t i = 0; i < 8; ++i) {
    sides += i % 2 == 0 && (ring >> i & 1) != 0;
    // A run begins after an obstacle; it counts if some even place of it is floor.
    if ((ring >> i & 1) == 0 || (ring >> ((i + 7) & 7) & 1) != 0) {
      continue;
    }
    bool has_side = false;
    for (int32_t k = i; (ring >> (k & 7) & 1) != 0 && k < i + 8; ++k) {
      has_side = has_side || (k & 1) == 0;
    }
    runs += has_side;
  }
  return runs == 1 && sides > 1;  // with one side it is the end of a line
}

// Leaves only the skeleton in is_spine.
static void thin(corridors_t * corridors, fw_arena_t * arena)
{
  const fw_floor_t * floor = corridors->map.floor;
  fw_bucket_queue_t queue;
  fw__bucket_queue_init(&queue, arena);
  for (int32_t place = 0; place < floor->place_count; ++place) {
    corridors->is_spine[place] = floor->cost[place] != 0;
    if (floor->cost[place] != 0) {
      (void)fw__bucket_queue_push(&queue, corridors->clearance[place], place, 0);
    }
  }
  int32_t place, tag;
  int64_t key;
  while (fw__bucket_queue_pop(&queue, &place, &tag, &key)) {
    if (corridors->is_spine[place] == 0 || !can_be_removed(ring_of(corridors, place))) {
      continue;
    }
    corridors->is_spine[place] = 0;
    // A neighbour that could not be removed before may be removable now, but not before its turn.
    for (int32_t d = 0; d < 4; ++d) {
      const int32_t to = place + floor->steps[0][d];
      const int32_t turn = corridors->clearance[to] > key ? corridors->clearance[to] : (int32_t)key;
      if (corridors->is_spine[to] != 0) {
        (void)fw__bucket_queue_push(&queue, turn, to, 0);
      }
    }
  }
}

// ---- spines ---------------------------------------------------------------------------------------------------------

// The number of straight neighbours on the skeleton.
static int32_t count_beside(const corridors_t * corridors, int32_t place)
{
  int32_t count = 0;
  for (int32_t d = 0; d < 4; ++d) {
    count += corridors->is_spine[place + corridors->map.floor->steps[0][d]];
  }
  return count;
}

// Adds the spine whose cells are at the end of `cells`, with an edge in each direction.
static void keep_spine(corridors_t * corridors, spine_t spine)
{
  fw_roadmap_t * map = &corridors->map;
  if (corridors->spine_count == corridors->spine_capacity) {
    const size_t outgrown = (size_t)corridors->spine_capacity;
    spine_t * spines = fw__arena_grow(map->arena, corridors->spines, sizeof(*spines), &corridors->spine_capacity);
    if (spines == NULL) {
      return;
    }
    fw__arena_recycle(map->arena, corridors->spines, outgrown, sizeof(*spines));
    corridors->spines = spines;
  }
  FW_ASSERT(spine.count >= 2 && spine.first + spine.count <= corridors->cells.count);
  const int32_t number = corridors->spine_count++;
  corridors->spines[number] = spine;
  for (int32_t i = 1; i < spine.count - 1; ++i) {
    corridors->spine_of[corridors->cells.places[spine.first + i]] = number;
    corridors->index_in[corridors->cells.places[spine.first + i]] = i;
  }
  const int32_t cost = (spine.count - 1) * map->floor->straight;
  fw__roadmap_add_edge(map, (fw_roadmap_edge_t){spine.ends[0], spine.ends[1], cost, number, 0});
  fw__roadmap_add_edge(map, (fw_roadmap_edge_t){spine.ends[1], spine.ends[0], cost, number, 1});
}

// Follows the skeleton from a node in one direction to the next node and keeps that spine.
static void follow(corridors_t * corridors, int32_t node, int32_t direction)
{
  const fw_floor_t * floor = corridors->map.floor;
  const int32_t start = corridors->map.places[node];
  spine_t spine = {.ends = {node, -1}, .first = corridors->cells.count};
  int32_t at = start;
  fw__trail_add(&corridors->cells, at);
  while (spine.ends[1] < 0 && !corridors->cells.has_failed) {
    at += floor->steps[0][direction];
    fw__trail_add(&corridors->cells, at);
    spine.ends[1] = corridors->node_of[at];
    for (int32_t d = 0, back = floor->opposite[direction]; d < 4 && spine.ends[1] < 0; ++d) {
      if (d != back && corridors->is_spine[at + floor->steps[0][d]] != 0) {
        direction = d;
        break;
      }
    }
  }
  if (corridors->cells.has_failed) {
    return;
  }
  spine.count = corridors->cells.count - spine.first;
  FW_ASSERT(spine.count >= 2 && spine.ends[1] >= 0);
  // Each spine is found from both its ends, and a loop twice from one: the first time counts.
  const int32_t middle = corridors->cells.places[spine.first + (spine.count - 1) / 2];
  const bool is_known = spine.count > 2 ? corridors->spine_of[middle] >= 0 : spine.ends[1] < node;
  if (is_known) {
    corridors->cells.count = spine.first;
  } else {
    keep_spine(corridors, spine);
  }
}

static void follow_all(corridors_t * corridors, int32_t node)
{
  for (int32_t d = 0; d < 4; ++d) {
    const int32_t beside = corridors->map.places[node] + corridors->map.floor->steps[0][d];
    if (corridors->is_spine[beside] != 0) {
      follow(corridors, node, d);
    }
  }
}

static void make_spines(corridors_t * corridors)
{
  const fw_floor_t * floor = corridors->map.floor;
  for (int32_t place = 0; place < floor->place_count; ++place) {
    if (corridors->is_spine[place] != 0 && count_beside(corridors, place) != 2) {
      corridors->node_of[place] = fw__roadmap_add_node(&corridors->map, place);
    }
  }
  const int32_t count = corridors->map.node_count;
  for (int32_t node = 0; node < count && !fw__arena_has_failed(corridors->map.arena); ++node) {
    follow_all(corridors, node);
  }
  // Rings have no node yet.
  for (int32_t place = 0; place < floor->place_count && !fw__arena_has_failed(corridors->map.arena); ++place) {
    if (corridors->is_spine[place] != 0 && corridors->node_of[place] < 0 && corridors->spine_of[place] < 0) {
      corridors->node_of[place] = fw__roadmap_add_node(&corridors->map, place);
      if (corridors->node_of[place] >= 0) {
        follow_all(corridors, corridors->node_of[place]);
      }
    }
  }
}

// ---- the rest of the floor ------------------------------------------------------------------------------------------

// For each place the direction to the nearest line: breadth first from all lines at once.
static void lead_to_lines(corridors_t * corridors, fw_arena_t * arena)
{
  enum { UNKNOWN = 255 };
  const fw_floor_t * floor = corridors->map.floor;
  int32_t * queue = fw__arena_allocate(arena, (size_t)floor->free_count + 1, sizeof(*queue));
  if (queue == NULL) {
    return;
  }
  int32_t count = 0;
  for (int32_t place = 0; place < floor->place_count; ++place) {
    corridors->towards[place] = corridors->is_spine[place] != 0 ? 0 : UNKNOWN;
    if (corridors->is_spine[place] != 0) {
      queue[count++] = place;
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t d = 0; d < 4; ++d) {
      const int32_t to = queue[i] + floor->steps[0][d];
      if (floor->cost[to] != 0 && corridors->towards[to] == UNKNOWN) {
        corridors->towards[to] = (uint8_t)floor->opposite[d];
        queue[count++] = to;
      }
    }
  }
  FW_ASSERT(count <= floor->free_count);
}

static void make_memory(corridors_t * corridors, const fw_router_context_t * context)
{
  const size_t places = (size_t)context->floor->place_count;
  fw_arena_t * arena = context->built;
  corridors->cells.arena = corridors->walks[0].arena = corridors->walks[1].arena = arena;
  corridors->clearance = fw__clearance_make(arena, context->floor);
  corridors->is_spine = fw__arena_allocate_zeroed(arena, places, sizeof(*corridors->is_spine));
  corridors->towards = fw__arena_allocate(arena, places, sizeof(*corridors->towards));
  corridors->node_of = fw__arena_allocate(arena, places, sizeof(*corridors->node_of));
  corridors->spine_of = fw__arena_allocate(arena, places, sizeof(*corridors->spine_of));
  corridors->index_in = fw__arena_allocate_zeroed(arena, places, sizeof(*corridors->index_in));
  if (!fw__arena_has_failed(arena)) {
    memset(corridors->node_of, 0xff, places * sizeof(*corridors->node_of));
    memset(corridors->spine_of, 0xff, places * sizeof(*corridors->spine_of));
  }
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  corridors_t * corridors = fw__arena_allocate_zeroed(context->built, 1, sizeof(*corridors));
  if (corridors == NULL) {
    return fw__error_memory(error);
  }
  fw__roadmap_init(&corridors->map, context->built, context->floor);
  make_memory(corridors, context);
  if (!fw__arena_has_failed(context->built)) {
    thin(corridors, context->built);
  }
  if (!fw__arena_has_failed(context->built)) {
    make_spines(corridors);
    lead_to_lines(corridors, context->built);
    fw__roadmap_finish(&corridors->map);
  }
  context->state = corridors;
  context->node_count = corridors->map.node_count;
  context->edge_count = corridors->spine_count;
  return fw__router_build_result(context, error);
}

// ---- queries --------------------------------------------------------------------------------------------------------

// Walks from an end of the query to the nearest line and links it to the nodes at both ends of that spine. Returns the
// place on the line.
static int32_t go_to_line(corridors_t * corridors, int32_t place, fw_trail_t * walk, fw_trail_t * links)
{
  const fw_floor_t * floor = corridors->map.floor;
  walk->count = 0;
  fw__trail_add(walk, place);
  while (corridors->is_spine[place] == 0) {
    place += floor->steps[0][corridors->towards[place]];
    fw__trail_add(walk, place);
  }
  const int32_t cost = (walk->count - 1) * floor->straight;
  if (corridors->node_of[place] >= 0) {
    fw__roadmap_connect(links, corridors->node_of[place], cost);
  } else {
    const spine_t * spine = &corridors->spines[corridors->spine_of[place]];
    const int32_t index = corridors->index_in[place];
    fw__roadmap_connect(links, spine->ends[0], cost + index * floor->straight);
    fw__roadmap_connect(links, spine->ends[1], cost + (spine->count - 1 - index) * floor->straight);
  }
  return place;
}

// A piece of a spine, from index to index, in either direction.
typedef struct piece_t {
  const spine_t * spine;
  int32_t from;
  int32_t to;
} piece_t;

// Appends the cells of a piece, without the first.
static void walk_spine(const corridors_t * corridors, piece_t piece, fw_trail_t * trail)
{
  FW_ASSERT(piece.from >= 0 && piece.from < piece.spine->count && piece.to >= 0 && piece.to < piece.spine->count);
  for (int32_t i = piece.from; i != piece.to;) {
    i += i < piece.to ? 1 : -1;
    fw__trail_add(trail, corridors->cells.places[piece.spine->first + i]);
  }
}

// The piece of a spine from a place on it to the node at one of its ends; `spine` is NULL if the place is a node.
static piece_t piece_to_node(const corridors_t * corridors, int32_t place, int32_t node)
{
  if (corridors->node_of[place] >= 0) {
    return (piece_t){0};
  }
  const spine_t * spine = &corridors->spines[corridors->spine_of[place]];
  const int32_t index = corridors->index_in[place];
  const bool is_loop = spine->ends[0] == spine->ends[1];
  const int32_t last = spine->count - 1;
  const bool is_first = is_loop ? index <= last - index : spine->ends[0] == node;
  return (piece_t){.spine = spine, .from = index, .to = is_first ? 0 : last};
}

// Appends the path along the lines from one place on them to another. False if there is none.
static bool walk_lines(corridors_t * corridors, fw_router_context_t * context, int32_t from, int32_t to)
{
  fw_roadmap_t * map = &corridors->map;
  const int32_t spine_of = corridors->spine_of[from];
  if (from == to) {
    return true;
  }
  if (spine_of >= 0 && spine_of == corridors->spine_of[to]) {
    const spine_t * spine = &corridors->spines[spine_of];
    const piece_t piece = {spine, corridors->index_in[from], corridors->index_in[to]};
    walk_spine(corridors, piece, context->trail);
    return true;
  }
  if (!fw__roadmap_search(map, context)) {
    return false;
  }
  int32_t node = map->first_node;
  const piece_t first = piece_to_node(corridors, from, node);
  if (first.spine != NULL) {
    walk_spine(corridors, first, context->trail);
  }
  for (int32_t i = 0; i < map->chain.count; ++i) {
    const fw_roadmap_edge_t * edge = &map->edges[map->chain.places[i]];
    const spine_t * spine = &corridors->spines[edge->out];
    const int32_t last = spine->count - 1;
    const piece_t whole = {spine, edge->in == 0 ? 0 : last, edge->in == 0 ? last : 0};
    walk_spine(corridors, whole, context->trail);
    node = edge->to;
  }
  const piece_t rest = piece_to_node(corridors, to, node);
  if (rest.spine != NULL) {
    walk_spine(corridors, (piece_t){rest.spine, rest.to, rest.from}, context->trail);
  }
  return true;
}

// Pulls the path tight along lines of sight and walks it again.
static void pull_tight(corridors_t * corridors, fw_router_context_t * context)
{
  fw_trail_t * corners = &corridors->walks[0];
  fw__line_find_corners(context->floor, context->trail, corners);
  if (corners->has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  context->trail->count = 1;
  for (int32_t i = 1; i < corners->count; ++i) {
    fw__line_walk(context->floor, corners->places[i - 1], corners->places[i], context->trail);
  }
}

static void find(fw_router_context_t * context)
{
  corridors_t * corridors = context->state;
  fw_roadmap_t * map = &corridors->map;
  fw_trail_t * trail = context->trail;
  fw__roadmap_begin(map);
  const int32_t from = go_to_line(corridors, context->start, &corridors->walks[0], &map->starts);
  const int32_t to = go_to_line(corridors, context->goal, &corridors->walks[1], &map->goals);
  if (corridors->walks[0].has_failed || corridors->walks[1].has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  fw__trail_append(trail, &corridors->walks[0], 0);
  if (!walk_lines(corridors, context, from, to)) {
    trail->count = 0;
    return;
  }
  for (int32_t i = corridors->walks[1].count - 2; i >= 0; --i) {
    fw__trail_add(trail, corridors->walks[1].places[i]);
  }
  if (context->parameters[PARAMETER_PULLS] != 0 && !trail->has_failed) {
    pull_tight(corridors, context);
  }
  fw__smooth(&map->smoother, context, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
}

// ---- definition -----------------------------------------------------------------------------------------------------

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  const corridors_t * corridors = context->state;
  for (int32_t i = 0; i < corridors->spine_count; ++i) {
    const spine_t * spine = &corridors->spines[i];
    for (int32_t k = 1; k < spine->count; ++k) {
      const int32_t * cells = &corridors->cells.places[spine->first + k];
      show(&(fw_shape_t){FW_SHAPE_LINE, cells[-1], cells[0]}, state);
    }
  }
  for (int32_t i = 0; i < corridors->map.node_count; ++i) {
    show(&(fw_shape_t){FW_SHAPE_POINT, corridors->map.places[i], corridors->map.places[i]}, state);
  }
}

static const fw_parameter_def_t parameters[] = {
  {.name = "pulls",
   .type = FW_PARAMETER_BOOLEAN,
   .initial = 1,
   .max = 1,
   .help = "pull the path tight along lines of sight; otherwise it stays in the middle of the corridors"},
  FW_SMOOTHING_PARAMETER,
};

const fw_router_def_t fw__router_corridors = {
  .name = "corridors",
  .summary = "medial axis (generalized cylinders): along lines in the middle between obstacles",
  .paper = "Brooks, Solving the Find-Path Problem by Good Representation of Free Space, 1983",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
