// Corridors: spines between nodes.

#include "search/corridors.h"

#include "base/error.h"
#include "search/clearance.h"

static int32_t count_beside(const fw_corridors_t * corridors, int32_t place)
{
  int32_t count = 0;
  for (int32_t d = 0; d < 4; ++d) {
    count += corridors->is_spine[place + corridors->graph.floor->steps[0][d]];
  }
  return count;
}

// ---- spines ---------------------------------------------------------------------------------------------------------

static bool keep_spine(fw_corridors_t * corridors, fw_spine_t spine)
{
  fw_graph_t * graph = &corridors->graph;
  if (corridors->spine_count == corridors->spine_capacity) {
    const size_t outgrown = (size_t)corridors->spine_capacity;
    fw_spine_t * spines = fw__arena_grow(
      graph->arena, corridors->spines, (size_t)corridors->spine_count, sizeof(*spines), &corridors->spine_capacity);
    if (spines == NULL) {
      return false;
    }
    fw__arena_recycle(graph->arena, corridors->spines, outgrown, sizeof(*spines));
    corridors->spines = spines;
  }
  const int32_t number = corridors->spine_count++;
  corridors->spines[number] = spine;
  for (int32_t i = 1; i < spine.count - 1; ++i) {
    corridors->spine_of[corridors->cells.places[spine.first + i]] = number;
    corridors->index_in[corridors->cells.places[spine.first + i]] = i;
  }
  const int32_t cost = (spine.count - 1) * graph->floor->straight;
  return fw__graph_add_edge(graph, (fw_edge_t){spine.ends[0], spine.ends[1], cost, number, 0}) &&
         fw__graph_add_edge(graph, (fw_edge_t){spine.ends[1], spine.ends[0], cost, number, 1});
}

// From a node in one direction to the next node.
static bool follow(fw_corridors_t * corridors, int32_t node, int32_t direction)
{
  const fw_floor_t * floor = corridors->graph.floor;
  const int32_t start = corridors->graph.places[node];
  fw_spine_t spine = {.ends = {node, -1}, .first = corridors->cells.count, .room = corridors->clearance[start]};
  int32_t at = start;
  fw__trail_add(&corridors->cells, at);
  while (spine.ends[1] < 0 && !corridors->cells.has_failed) {
    at += floor->steps[0][direction];
    fw__trail_add(&corridors->cells, at);
    spine.room = corridors->clearance[at] < spine.room ? corridors->clearance[at] : spine.room;
    spine.ends[1] = corridors->node_of[at];
    for (int32_t d = 0, back = floor->opposite[direction]; d < 4 && spine.ends[1] < 0; ++d) {
      if (d != back && corridors->is_spine[at + floor->steps[0][d]] != 0) {
        direction = d;
        break;
      }
    }
  }
  spine.count = corridors->cells.count - spine.first;
  // Each spine is found from both its ends, and a loop twice from one: the first time counts.
  const int32_t middle = corridors->cells.places[spine.first + (spine.count - 1) / 2];
  const bool is_known = spine.count > 2 ? corridors->spine_of[middle] >= 0 : spine.ends[1] < node;
  if (is_known) {
    corridors->cells.count = spine.first;
    return true;
  }
  return !corridors->cells.has_failed && keep_spine(corridors, spine);
}

static bool add_node(fw_corridors_t * corridors, int32_t place)
{
  corridors->node_of[place] = fw__graph_add_node(&corridors->graph, place);
  return corridors->node_of[place] >= 0;
}

static bool follow_all(fw_corridors_t * corridors, int32_t node)
{
  bool is_fine = true;
  for (int32_t d = 0; d < 4 && is_fine; ++d) {
    const int32_t beside = corridors->graph.places[node] + corridors->graph.floor->steps[0][d];
    is_fine = corridors->is_spine[beside] == 0 || follow(corridors, node, d);
  }
  return is_fine;
}

static bool make_spines(fw_corridors_t * corridors)
{
  const fw_floor_t * floor = corridors->graph.floor;
  bool is_fine = true;
  for (int32_t place = 0; place < floor->place_count && is_fine; ++place) {
    if (corridors->is_spine[place] != 0 && count_beside(corridors, place) != 2) {
      is_fine = add_node(corridors, place);
    }
  }
  const int32_t count = corridors->graph.node_count;
  for (int32_t node = 0; node < count && is_fine; ++node) {
    is_fine = follow_all(corridors, node);
  }
  // Rings have no node yet.
  for (int32_t place = 0; place < floor->place_count && is_fine; ++place) {
    if (corridors->is_spine[place] != 0 && corridors->node_of[place] < 0 && corridors->spine_of[place] < 0) {
      is_fine = add_node(corridors, place) && follow_all(corridors, corridors->graph.node_count - 1);
    }
  }
  return is_fine;
}

// ---- the rest of the floor ------------------------------------------------------------------------------------------

// Breadth first from all lines at once.
static bool lead_to_lines(fw_corridors_t * corridors, fw_arena_t * arena)
{
  enum { UNKNOWN = 255 };
  const fw_floor_t * floor = corridors->graph.floor;
  int32_t * queue = fw__arena_allocate(arena, (size_t)floor->free_count + 1, sizeof(*queue));
  if (queue == NULL) {
    return false;
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
  return true;
}

static bool make_memory(fw_corridors_t * corridors, const fw_router_context_t * context)
{
  const size_t places = (size_t)context->floor->place_count;
  fw_arena_t * arena = context->built;
  corridors->cells.arena = corridors->ways[0].arena = corridors->ways[1].arena = arena;
  corridors->clearance = fw__clearance_make(arena, context->floor);
  corridors->is_spine = fw__arena_allocate_zeroed(arena, places, sizeof(*corridors->is_spine));
  corridors->towards = fw__arena_allocate(arena, places, sizeof(*corridors->towards));
  corridors->node_of = fw__arena_allocate(arena, places, sizeof(*corridors->node_of));
  corridors->spine_of = fw__arena_allocate(arena, places, sizeof(*corridors->spine_of));
  corridors->index_in = fw__arena_allocate_zeroed(arena, places, sizeof(*corridors->index_in));
  if (
    corridors->clearance == NULL || corridors->is_spine == NULL || corridors->towards == NULL ||
    corridors->node_of == NULL || corridors->spine_of == NULL || corridors->index_in == NULL) {
    return false;
  }
  memset(corridors->node_of, 0xff, places * sizeof(*corridors->node_of));
  memset(corridors->spine_of, 0xff, places * sizeof(*corridors->spine_of));
  return true;
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  fw_corridors_t * corridors = fw__arena_allocate_zeroed(context->built, 1, sizeof(*corridors));
  if (
    corridors == NULL || !fw__graph_init(&corridors->graph, context->built, context->floor) ||
    !make_memory(corridors, context) || !fw__corridors_thin(corridors, context->built) || !make_spines(corridors) ||
    !lead_to_lines(corridors, context->built) || !fw__graph_link(&corridors->graph)) {
    return fw__error_memory(error);
  }
  context->state = corridors;
  context->node_count = corridors->graph.node_count;
  context->edge_count = corridors->spine_count;
  return FW_RET_OK;
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  const fw_corridors_t * corridors = context->state;
  for (int32_t i = 0; i < corridors->spine_count; ++i) {
    const fw_spine_t * spine = &corridors->spines[i];
    for (int32_t k = 1; k < spine->count; ++k) {
      const int32_t * cells = &corridors->cells.places[spine->first + k];
      show(&(fw_shape_t){FW_SHAPE_LINE, cells[-1], cells[0]}, state);
    }
  }
  for (int32_t i = 0; i < corridors->graph.node_count; ++i) {
    show(&(fw_shape_t){FW_SHAPE_POINT, corridors->graph.places[i], corridors->graph.places[i]}, state);
  }
}

static const fw_parameter_def_t parameters[] = {
  {.name = "pulls",
   .type = FW_PARAMETER_BOOLEAN,
   .initial = 1,
   .max = 1,
   .help = "whether the way is pulled tight along lines of sight; else it stays in the middle of the corridors"},
  {.name = "smoothing",
   .type = FW_PARAMETER_INTEGER,
   .initial = 0,
   .min = 0,
   .max = 100000,
   .help = "pieces of so many cells are searched again for a better way; 0 leaves the way as it is"},
};

const fw_router_def_t fw_router_corridors = {
  .name = "corridors",
  .summary = "generalized cylinders: along lines in the middle between obstacles",
  .paper = "Brooks, Solving the Find-Path Problem by Good Representation of Free Space, 1983",
  .parameters = parameters,
  .parameter_count = 2,
  .has_abstraction = true,
  .build = build,
  .find = fw__corridors_find,
  .shapes = shapes,
};
