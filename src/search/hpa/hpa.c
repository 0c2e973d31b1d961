// HPA*: A* over the abstract graph, refined to cells and smoothed; search `hpa` of the router's list.
//
// A query goes through four stages, each tried before the next, more expensive one: the straight path; for near goals
// A* over cells; landmarks that show that there is no path; A* over the nodes of clusters. The path found over nodes is
// refined from the highest level down to moves, and smoothed where it changes clusters.

#include "search/grid/smooth.h"
#include "search/grid/straight.h"
#include "search/hpa/abstract_graph.h"
#include "world/body.h"

enum {
  PARAMETER_CLUSTER,
  PARAMETER_LEVELS,
  PARAMETER_FACTOR,
  PARAMETER_SMOOTHING,
  PARAMETER_SPREAD,
  PARAMETER_TABLES,
  PARAMETER_LANDMARKS
};

// Build, update and queries of the router's search: the abstract graph, and what only queries need.
typedef struct hpa_search_t {
  fw_hpa_t graph;  // first: tests take the state for the graph
  fw_smoother_t smoother;
} hpa_search_t;

// ---- build and update -----------------------------------------------------------------------------------------------

static void count_nodes(fw_router_context_t * context)
{
  const fw_hpa_t * hpa = &((const hpa_search_t *)context->state)->graph;
  context->node_count = 0;
  context->edge_count = 0;
  context->rebuilt = hpa->rebuilt;
  for (int32_t level = 0; level < hpa->level_count; ++level) {
    const fw_hpa_level_t * l = &hpa->levels[level];
    for (int32_t i = 0; i < l->columns * l->rows; ++i) {
      const int64_t count = l->clusters[i].count;
      context->node_count += level == 0 ? (int32_t)count : 0;
      context->edge_count += count * (count - 1) / 2;
    }
  }
}

// The side of a cluster for a map: 16, 32 or 64 cells, about a quarter of the map's longer side.
static int32_t choose_side(const fw_floor_t * floor)
{
  const int32_t longer = floor->width > floor->height ? floor->width : floor->height;
  return longer >= 256 ? 64 : (longer >= 128 ? 32 : 16);
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const int32_t given = (int32_t)context->parameters[PARAMETER_CLUSTER];
  const int32_t side = given > 0 ? given : choose_side(context->floor);
  const int32_t spread = (int32_t)context->parameters[PARAMETER_SPREAD];
  const fw_hpa_options_t options = {
    .cluster = side,
    .levels = (int32_t)context->parameters[PARAMETER_LEVELS],
    .factor = (int32_t)context->parameters[PARAMETER_FACTOR],
    .spread = spread >= 0 ? spread : side * 3 / 16,
    .has_tables = context->parameters[PARAMETER_TABLES] != 0,
    .landmarks = (int32_t)context->parameters[PARAMETER_LANDMARKS],
  };
  hpa_search_t * search = fw__arena_allocate_zeroed(context->built, 1, sizeof(*search));
  if (search == NULL) {
    return fw__error_memory(error);
  }
  fw__hpa_init(&search->graph, context->built, context->floor, &options);
  fw__smoother_init(&search->smoother, context->built, context->floor);
  context->state = search;
  if (!fw__arena_has_failed(context->built)) {
    count_nodes(context);
  }
  return fw__router_build_result(context, error);
}

static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  fw__hpa_update(&((hpa_search_t *)context->state)->graph, cells, count);
  if (!fw__arena_has_failed(context->built)) {
    count_nodes(context);
  }
  return fw__router_build_result(context, error);
}

// ---- start and goal -------------------------------------------------------------------------------------------------
//
// Costs between an end of the query and the nodes of its cluster: looked up in the cluster's table, or flooded where
// there is none.

// Makes start and goal nodes of the graph, and floods their clusters where there are no tables.
static void set_ends(fw_hpa_t * hpa, int32_t start, int32_t goal)
{
  fw__hpa_set_place(hpa, &hpa->nodes[FW_HPA_START], start);
  fw__hpa_set_place(hpa, &hpa->nodes[FW_HPA_GOAL], goal);
  const bool is_one = hpa->nodes[FW_HPA_START].clusters[0] == hpa->nodes[FW_HPA_GOAL].clusters[0];
  if (!hpa->has_tables) {
    fw__hpa_flood(hpa, hpa->from, start, false);
  }
  if (!hpa->has_tables || is_one) {
    fw__hpa_flood(hpa, hpa->to, goal, true);
  }
}

// The cost between an end and node number `slot` of its cluster, from the table.
static int32_t look_up(const fw_hpa_t * hpa, const fw_hpa_node_t * end, int32_t slot)
{
  const int32_t known = fw__hpa_table_at(hpa, end->clusters[0], end->x, end->y)[slot];
  return known == FW_HPA_NONE ? FW_HPA_NONE : known / 16;
}

static int32_t cost_from_start(const fw_hpa_t * hpa, int32_t node)
{
  const fw_hpa_node_t * to = &hpa->nodes[node];
  return hpa->has_tables ? look_up(hpa, &hpa->nodes[FW_HPA_START], to->slots[0])
                         : fw__hpa_flood_at(hpa, hpa->from, to->place)->g;
}

static int32_t cost_to_goal(const fw_hpa_t * hpa, int32_t node)
{
  const fw_hpa_node_t * from = &hpa->nodes[node];
  return hpa->has_tables ? look_up(hpa, &hpa->nodes[FW_HPA_GOAL], from->slots[0])
                         : fw__hpa_flood_at(hpa, hpa->to, from->place)->g;
}

// ---- A* over nodes --------------------------------------------------------------------------------------------------

// h: the larger of the octile distance and the bound of the landmarks.
static inline int32_t estimate(const fw_hpa_t * hpa, int32_t node)
{
  const fw_hpa_node_t * there = &hpa->nodes[node];
  const fw_hpa_node_t * goal = &hpa->nodes[FW_HPA_GOAL];
  const int32_t open = fw__floor_estimate(hpa->floor, there->x - goal->x, there->y - goal->y);
  const int32_t known = fw__hpa_landmarks_estimate(&hpa->landmarks, node);
  return known > open ? known : open;
}

// Keeps a mark if it is the first or the cheapest of its node; all but its epoch and estimate is set.
static void offer(fw_hpa_t * hpa, int32_t node, fw_hpa_mark_t mark)
{
  fw_hpa_mark_t * known = &hpa->marks[node];
  const bool is_known = known->epoch == hpa->epoch;
  if (is_known && known->g <= mark.g) {
    return;
  }
  mark.epoch = hpa->epoch;
  mark.estimate = is_known ? known->estimate : (node == FW_HPA_GOAL ? 0 : estimate(hpa, node));
  *known = mark;
  (void)fw__heap_push(&hpa->open, mark.g + mark.estimate, mark.g, node);
}

static void expand_start(fw_hpa_t * hpa)
{
  const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[hpa->nodes[FW_HPA_START].clusters[0]];
  for (int32_t i = 0; i < cluster->count; ++i) {
    const int32_t g = cost_from_start(hpa, cluster->nodes[i]);
    if (g != FW_HPA_NONE) {
      offer(hpa, cluster->nodes[i], (fw_hpa_mark_t){.g = g, .parent = FW_HPA_START, .edge = FW_HPA_EDGE_START});
    }
  }
}

// The highest level on which the node belongs to a cluster that contains neither start nor goal; 0 if there is none.
static int32_t level_of(const fw_hpa_t * hpa, const fw_hpa_node_t * node)
{
  int32_t level = node->top;
  while (level > 0 && (node->clusters[level] == hpa->nodes[FW_HPA_START].clusters[level] ||
                       node->clusters[level] == hpa->nodes[FW_HPA_GOAL].clusters[level])) {
    --level;
  }
  return level;
}

static void expand_cluster(fw_hpa_t * hpa, int32_t at, int32_t g, int32_t level)
{
  const fw_hpa_node_t * node = &hpa->nodes[at];
  const fw_hpa_cluster_t * cluster = &hpa->levels[level].clusters[node->clusters[level]];
  const int32_t * row = cluster->cost + node->slots[level] * cluster->count;
  FW_ASSERT(cluster->nodes[node->slots[level]] == at);
  for (int32_t j = 0; j < cluster->count; ++j) {
    const fw_hpa_mark_t * known = &hpa->marks[cluster->nodes[j]];
    const bool is_better = row[j] != FW_HPA_NONE && (known->epoch != hpa->epoch || known->g > g + row[j]);
    if (is_better) {
      offer(hpa, cluster->nodes[j], (fw_hpa_mark_t){.g = g + row[j], .parent = at, .edge = level});
    }
  }
}

static void expand(fw_hpa_t * hpa, int32_t at, int32_t g)
{
  const fw_hpa_node_t * node = &hpa->nodes[at];
  const fw_hpa_node_t * goal = &hpa->nodes[FW_HPA_GOAL];
  if (node->clusters[0] == goal->clusters[0]) {
    const int32_t rest = at == FW_HPA_START ? fw__hpa_flood_at(hpa, hpa->to, node->place)->g : cost_to_goal(hpa, at);
    if (rest != FW_HPA_NONE) {
      offer(hpa, FW_HPA_GOAL, (fw_hpa_mark_t){.g = g + rest, .parent = at, .edge = FW_HPA_EDGE_GOAL});
    }
  }
  if (at == FW_HPA_START) {
    expand_start(hpa);
    return;
  }
  const int32_t level = level_of(hpa, node);
  if (hpa->marks[at].edge == FW_HPA_EDGE_TRANSITION) {  // else the path has come through this cluster already
    expand_cluster(hpa, at, g, level);
  }
  for (int32_t d = 0; d < 4; ++d) {
    const int32_t twin = node->twins[d];
    if (twin >= 0 && hpa->nodes[twin].clusters[level] != node->clusters[level]) {
      const int32_t step = fw__floor_step_cost(hpa->floor, hpa->nodes[twin].place, d);
      offer(hpa, twin, (fw_hpa_mark_t){.g = g + step, .parent = at, .edge = FW_HPA_EDGE_TRANSITION});
    }
  }
}

// True if the goal has been reached; its marks then lead back to the start.
static bool search_nodes(fw_hpa_t * hpa, fw_router_context_t * context)
{
  hpa->marks[FW_HPA_START] = (fw_hpa_mark_t){.epoch = hpa->epoch, .parent = -1, .edge = FW_HPA_EDGE_START};
  (void)fw__heap_push(&hpa->open, 0, 0, FW_HPA_START);
  while (hpa->open.count > 0 && !fw__arena_has_failed(hpa->arena)) {
    const fw_heap_item_t item = fw__heap_pop(&hpa->open);
    if (hpa->marks[item.node].g != item.g) {
      continue;  // pushed again at a lower cost
    }
    if (item.node == FW_HPA_GOAL) {
      return true;
    }
    if (fw__router_count(context, hpa->nodes[item.node].place)) {
      return false;
    }
    expand(hpa, item.node, item.g);
  }
  return false;
}

// ---- refinement -----------------------------------------------------------------------------------------------------

// Appends the places from an end of the query back to a node, by the node's entries in the table; without the end.
static void walk_back(const fw_hpa_t * hpa, const fw_hpa_node_t * end, const fw_hpa_node_t * node, fw_trail_t * trail)
{
  const int32_t side = hpa->levels[0].side;
  const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[node->clusters[0]];
  const int32_t * entry = fw__hpa_table_at(hpa, node->clusters[0], end->x, end->y) + node->slots[0];
  for (int32_t at = end->place; at != node->place && !trail->has_failed;) {
    const int32_t d = *entry % 16;
    at -= hpa->floor->steps[0][d];
    entry -= (fw__directions[d].dy * side + fw__directions[d].dx) * cluster->count;
    fw__trail_add(trail, at);
  }
}

// Appends the moves of an edge of level 0.
static void refine_moves(const fw_hpa_t * hpa, const fw_hpa_node_t * from, const fw_hpa_node_t * to, fw_trail_t * trail)
{
  const fw_floor_t * floor = hpa->floor;
  const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[from->clusters[0]];
  const int32_t i = from->slots[0];
  const int32_t j = to->slots[0];
  FW_ASSERT(i != j && from->clusters[0] == to->clusters[0]);
  const int32_t pair = i < j ? i * cluster->count + j : j * cluster->count + i;
  const uint8_t * path = cluster->moves + cluster->start[pair];
  const int32_t length = cluster->length[pair];
  int32_t * places = fw__trail_extend(trail, length);
  int32_t at = from->place;
  for (int32_t k = 0; k < length && places != NULL; ++k) {
    at += i < j ? floor->steps[0][path[k]] : -floor->steps[0][path[length - 1 - k]];
    places[k] = at;
  }
}

// A path of a higher level while it is refined.
typedef struct walk_t {
  const int32_t * hops;
  int32_t length;
  int32_t done;
  bool is_backward;
} walk_t;

static walk_t begin_walk(const fw_hpa_t * hpa, int32_t level, const fw_hpa_node_t * from, const fw_hpa_node_t * to)
{
  const fw_hpa_cluster_t * cluster = &hpa->levels[level].clusters[from->clusters[level]];
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

// An edge between two nodes of one cluster.
typedef struct edge_t {
  const fw_hpa_node_t * from;
  const fw_hpa_node_t * to;
  int32_t level;
} edge_t;

// Appends the moves of an edge of any level: a stack with one path per level, the lowest goes on first.
static void refine(fw_hpa_t * hpa, edge_t edge, fw_trail_t * trail)
{
  int32_t level = edge.level;
  const fw_hpa_node_t * from = edge.from;
  const fw_hpa_node_t * to = edge.to;
  FW_ASSERT(level >= 0 && level < hpa->level_count);
  if (level == 0) {
    refine_moves(hpa, from, to, trail);
    return;
  }
  walk_t walks[FW_HPA_LEVELS_MAX];
  const int32_t top = level;
  walks[level] = begin_walk(hpa, level, from, to);
  while (level <= top) {
    walk_t * walk = &walks[level];
    if (walk->done >= walk->length) {
      ++level;
      continue;
    }
    const fw_hpa_node_t * a = &hpa->nodes[hop_at(walk, walk->done - 1)];
    const fw_hpa_node_t * b = &hpa->nodes[hop_at(walk, walk->done)];
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

// Appends the places of one edge of the path over nodes, without its first.
static void refine_edge(fw_hpa_t * hpa, int32_t from_node, int32_t to_node, fw_trail_t * trail)
{
  const fw_floor_t * floor = hpa->floor;
  const fw_hpa_node_t * from = &hpa->nodes[from_node];
  const fw_hpa_node_t * to = &hpa->nodes[to_node];
  const int32_t edge = hpa->marks[to_node].edge;
  const int32_t first = trail->count;
  if (edge == FW_HPA_EDGE_TRANSITION) {
    fw__trail_add(&hpa->joints, trail->count);
    fw__trail_add(trail, to->place);
  } else if (edge == FW_HPA_EDGE_START && hpa->has_tables) {
    walk_back(hpa, from, to, trail);
  } else if (edge == FW_HPA_EDGE_GOAL && hpa->has_tables && from_node != FW_HPA_START) {
    walk_back(hpa, to, from, trail);
    fw__trail_reverse(trail, first);
    for (int32_t i = first; i + 1 < trail->count; ++i) {
      trail->places[i] = trail->places[i + 1];  // the trail has the node already
    }
    trail->places[trail->count - 1] = to->place;
  } else if (edge == FW_HPA_EDGE_START) {
    for (int32_t at = to->place; at != from->place && !trail->has_failed;) {
      fw__trail_add(trail, at);
      at -= floor->steps[0][fw__hpa_flood_at(hpa, hpa->from, at)->direction];
    }
    fw__trail_reverse(trail, first);
  } else if (edge == FW_HPA_EDGE_GOAL) {
    for (int32_t at = from->place; at != to->place && !trail->has_failed;) {
      at += floor->steps[0][fw__hpa_flood_at(hpa, hpa->to, at)->direction];
      fw__trail_add(trail, at);
    }
  } else {
    refine(hpa, (edge_t){from, to, edge}, trail);
  }
}

// Refines the path that the search has found into moves on the context's trail.
static void trace(fw_hpa_t * hpa, fw_router_context_t * context)
{
  fw_trail_t * chain = &hpa->chain;
  chain->count = hpa->joints.count = 0;
  chain->has_failed = false;
  for (int32_t at = FW_HPA_GOAL; at >= 0; at = hpa->marks[at].parent) {
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

// ---- queries --------------------------------------------------------------------------------------------------------

// A goal nearer than a cluster is wide is first searched over cells: clusters lead to it by detours, if at all. A path
// that costs over a quarter more than on open floor is left to the clusters.
static bool find_near(hpa_search_t * search, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  const int32_t estimate = fw__floor_estimate_between(floor, context->start, context->goal);
  const int32_t unit = floor->straight * floor->cost_min;
  if (estimate > search->graph.levels[0].side * unit) {
    return false;
  }
  const fw_astar_query_t query = {
    .from = context->start, .to = context->goal, .bound = estimate + estimate / 4 + 2 * unit};
  const fw_trail_t * path = fw__astar_find(search->smoother.astar, context, query);
  if (path != NULL) {
    fw__trail_append(context->trail, path, 0);
  }
  return path != NULL;
}

static void find(fw_router_context_t * context)
{
  static const fw_hpa_ends_t ends = {.cost_from_start = cost_from_start, .cost_to_goal = cost_to_goal};
  hpa_search_t * search = context->state;
  fw_hpa_t * hpa = &search->graph;
  if (
    fw__straight_find(hpa->floor, context->start, context->goal, context->trail) || find_near(search, context) ||
    context->meter->stop != FW_STOP_DONE) {
    return;
  }
  fw__hpa_begin(hpa);
  set_ends(hpa, context->start, context->goal);
  if (!fw__router_has_memory(context) || !fw__hpa_landmarks_begin(hpa, &ends)) {
    return;
  }
  const bool is_found = search_nodes(hpa, context);
  FW_ASSERT(fw__heap_validate(&hpa->open));
  if (!fw__router_has_memory(context) || fw__meter_has_stopped(context->meter)) {
    return;
  }
  context->memory_bytes =
    (size_t)hpa->open.peak * sizeof(fw_heap_item_t) + (size_t)context->expanded * sizeof(fw_hpa_mark_t);
  if (is_found) {
    trace(hpa, context);
    fw__smooth_at(&search->smoother, context, &hpa->joints, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
  }
}

// ---- definition -----------------------------------------------------------------------------------------------------

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  const fw_hpa_t * hpa = &((const hpa_search_t *)context->state)->graph;
  for (int32_t i = 0; i < hpa->levels[0].columns * hpa->levels[0].rows; ++i) {
    const fw_hpa_box_t box = fw__hpa_box(hpa, 0, i);
    const fw_hpa_cluster_t * cluster = &hpa->levels[0].clusters[i];
    const int32_t corners[2] = {
      fw__floor_place_at(hpa->floor, box.left, box.top), fw__floor_place_at(hpa->floor, box.right, box.bottom)};
    show(&(fw_shape_t){FW_SHAPE_RECTANGLE, corners[0], corners[1]}, state);
    for (int32_t k = 0; k < cluster->count; ++k) {
      const int32_t place = hpa->nodes[cluster->nodes[k]].place;
      show(&(fw_shape_t){FW_SHAPE_POINT, place, place}, state);
    }
  }
}

static const fw_parameter_def_t parameters[] = {
  {.name = "cluster",
   .type = FW_PARAMETER_INTEGER,
   .initial = 0,
   .min = 0,
   .max = FW_HPA_SIDE_MAX,
   .help = "side of a cluster in cells, at least 4; 0: 16, 32 or 64, by the size of the map"},
  {.name = "levels",
   .type = FW_PARAMETER_INTEGER,
   .initial = 3,
   .min = 1,
   .max = FW_HPA_LEVELS_MAX,
   .help = "number of levels of clusters above the cells"},
  {.name = "factor",
   .type = FW_PARAMETER_INTEGER,
   .initial = 2,
   .min = 2,
   .max = 16,
   .help = "side of a cluster in clusters of the level below"},
  {.name = "smoothing",
   .type = FW_PARAMETER_INTEGER,
   .initial = 16,
   .min = 0,
   .max = 100000,
   .help = "window in cells: pieces of this length are searched again for a cheaper path; 0 turns smoothing off"},
  {.name = "spread",
   .type = FW_PARAMETER_INTEGER,
   .initial = -1,
   .min = -1,
   .max = FW_HPA_SIDE_MAX,
   .help =
     "cells along a border that one transition can serve; 0: each entrance has its own; -1: 3/16 of a cluster's side"},
  {.name = "tables",
   .type = FW_PARAMETER_BOOLEAN,
   .initial = 1,
   .max = 1,
   .help = "keep the costs from each cell to the transitions of its cluster: faster, more memory (uniform cost only)"},
  {.name = "landmarks",
   .type = FW_PARAMETER_INTEGER,
   .initial = 8,
   .min = 0,
   .max = FW_HPA_LANDMARKS_MAX,
   .help = "number of landmarks (ALT) among the transitions, for a better heuristic (uniform cost only)"},
};

const fw_router_def_t fw__router_hpa = {
  .name = "hpa",
  .summary = "HPA*: A* over clusters whose crossing costs are precomputed; the path is refined and smoothed",
  .paper = "Botea, Mueller and Schaeffer, Near Optimal Hierarchical Path-Finding, 2004",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .takes_terrain = true,
  .has_abstraction = true,
  .build = build,
  .update = update,
  .find = find,
  .shapes = shapes,
};
