// subgoals: exact paths on a map that stays, from what is computed once: a graph of subgoals, its contraction
// hierarchy, and hub labels if they fit.
//
// A query links start and goal to the subgoals that they see. Then the labels of these subgoals tell the hub that a
// shortest path leads over, without a search; or, without labels, two searches climb the hierarchy until they meet. The
// shortcuts of the path are unpacked into subgoals, and these into places. If the path over subgoals is longer than
// the estimate, the straight path may be shorter: it is tried last.

#include <string.h>

#include "search/grid/straight.h"
#include "search/heap.h"
#include "search/router.h"
#include "search/subgoals/hub_labels.h"

enum { LABELS, LABELS_MB, EFFORT };
enum { LABELS_OF_PLACES, LABELS_OF_SUBGOALS, NO_LABELS };

static const char * const label_kinds[] = {"cells", "subgoals", "none"};
static const fw_parameter_def_t parameters[] = {
  [LABELS] =
    {.name = "labels",
     .type = FW_PARAMETER_CHOICE,
     .initial = LABELS_OF_PLACES,
     .max = NO_LABELS,
     .choices = label_kinds,
     .help = "what gets hub labels, if they fit; without any, queries search the contraction hierarchy"},
  [LABELS_MB] =
    {.name = "labels_mb",
     .type = FW_PARAMETER_INTEGER,
     .initial = 512,
     .max = 1 << 20,
     .help = "megabytes that hub labels may need; else only subgoals get labels, or nothing does"},
  [EFFORT] =
    {.name = "effort",
     .type = FW_PARAMETER_INTEGER,
     .initial = 100000,
     .max = 1000000000,
     .help = "thousand nodes that the build may expand (0: no limit); with less, queries are slower but as exact"},
};

// A node that a search has reached.
typedef struct climb_node_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;  // a subgoal; -1: linked to the end of the query
  int32_t edge;    // of the hierarchy, from the parent
} climb_node_t;

// The best distance to a hub from the start.
typedef struct hub_mark_t {
  int32_t distance;
  uint32_t epoch;
  int32_t item;  // of a subgoal's label
} hub_mark_t;

typedef struct subgoals_t {
  fw_subgoal_graph_t graph;
  fw_hierarchy_t hierarchy;
  fw_hub_labels_t labels;
  bool has_labels;
  hub_mark_t * marks;       // by order; only with labels
  climb_node_t * nodes[2];  // by side and subgoal; only without labels
  fw_heap_t open[2];
  uint32_t epoch;
  const fw_floor_t * floor;
  int64_t reached;   // nodes of both sides in this query
  fw_trail_t stack;  // of fw__hierarchy_unpack
  fw_trail_t chain;  // edges of one half of the path, from the far end back
  fw_trail_t way;    // points of the subgoals from start to goal
  int32_t ends[2];   // points: start and goal
} subgoals_t;

// ---- build ----------------------------------------------------------------------------------------------------------

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  fw_arena_t * arena = context->built;
  subgoals_t * subgoals = fw__arena_allocate_zeroed(arena, 1, sizeof(*subgoals));
  if (subgoals == NULL) {
    return fw__error_memory(error);
  }
  fw__subgoal_graph_init(&subgoals->graph, arena, context->floor);
  if (fw__arena_has_failed(arena)) {
    return fw__error_memory(error);
  }
  fw_meter_t meter;
  fw_budget_t budget = context->build_budget != NULL ? *context->build_budget : (fw_budget_t){0};
  const int64_t effort = context->parameters[EFFORT] * 1000;
  if (effort > 0 && (budget.expansions_max == 0 || effort < budget.expansions_max)) {
    budget.expansions_max = effort;
  }
  fw__meter_start(&meter, &budget);
  fw__hierarchy_init(&subgoals->hierarchy, arena, context->floor, &subgoals->graph, &meter);
  if (fw__arena_has_failed(arena)) {
    return fw__error_memory(error);
  }
  const fw_hierarchy_t * hierarchy = &subgoals->hierarchy;
  const size_t count = (size_t)hierarchy->count + 1;
  const fw_hub_labels_def_t labels = {
    .floor = context->floor,
    .graph = &subgoals->graph,
    .hierarchy = hierarchy,
    .max_bytes = (size_t)context->parameters[LABELS_MB] * 1000000,
    .has_places = context->parameters[LABELS] == LABELS_OF_PLACES,
  };
  subgoals->has_labels = hierarchy->contracted == hierarchy->count && context->parameters[LABELS] != NO_LABELS &&
                         fw__hub_labels_init(&subgoals->labels, arena, &labels, &meter);
  if (subgoals->has_labels) {
    subgoals->marks = fw__arena_allocate_zeroed(arena, count, sizeof(*subgoals->marks));
  }
  for (int32_t side = 0; side < 2 && !subgoals->has_labels; ++side) {
    subgoals->nodes[side] = fw__arena_allocate_zeroed(arena, count, sizeof(*subgoals->nodes[side]));
    fw__heap_init(&subgoals->open[side], arena);
  }
  subgoals->stack.arena = subgoals->chain.arena = subgoals->way.arena = arena;
  subgoals->floor = context->floor;
  context->state = subgoals;
  context->node_count = hierarchy->count;
  context->edge_count = hierarchy->firsts[hierarchy->count];
  context->rebuilt = hierarchy->count;
  return fw__router_build_result(context, error);
}

// ---- hub labels -----------------------------------------------------------------------------------------------------

// Where two halves of a path meet, and what its cost is.
typedef struct meeting_t {
  int32_t cost;     // INT32_MAX: none
  int32_t node;     // without labels: a subgoal
  int32_t item[2];  // with labels, by side: of the label of the subgoal that the end is linked to
} meeting_t;

static inline void mark_hub(const subgoals_t * subgoals, int32_t order, int32_t distance, int32_t item)
{
  hub_mark_t * mark = &subgoals->marks[order];
  if (mark->epoch != subgoals->epoch || distance < mark->distance) {
    *mark = (hub_mark_t){.distance = distance, .epoch = subgoals->epoch, .item = item};
  }
}

static inline void meet_hub(
  const subgoals_t * subgoals, int32_t order, int32_t distance, int32_t item, meeting_t * best)
{
  const hub_mark_t * mark = &subgoals->marks[order];
  if (mark->epoch == subgoals->epoch && fw__subgoal_sum(mark->distance, distance) < (uint32_t)best->cost) {
    *best = (meeting_t){.cost = mark->distance + distance, .item = {mark->item, item}};
  }
}

// With labels of places: those of start and goal, as far as their items serve paths that are not shorter than the
// estimate.
static meeting_t meet_by_places(const subgoals_t * subgoals, const fw_router_context_t * context, int32_t estimate)
{
  const fw_hub_labels_t * labels = &subgoals->labels;
  const uint32_t least = (uint32_t)estimate;
  const fw_place_hub_t * hub = labels->place_hubs + labels->place_firsts[context->start];
  const fw_place_hub_t * end = labels->place_hubs + labels->place_firsts[context->start + 1];
  const fw_place_hub_t * goal_hub = labels->place_hubs + labels->place_firsts[context->goal];
  const fw_place_hub_t * goal_end = labels->place_hubs + labels->place_firsts[context->goal + 1];
  __builtin_prefetch(goal_hub);
  __builtin_prefetch(goal_hub + 64 / sizeof(*goal_hub));
  meeting_t best = {.cost = INT32_MAX};
  for (; hub < end && fw__subgoal_sum(hub->distance, labels->reaches[hub->order]) >= least; ++hub) {
    subgoals->marks[hub->order] = (hub_mark_t){.distance = hub->distance, .epoch = subgoals->epoch, .item = hub->item};
  }
  for (hub = goal_hub; hub < goal_end && fw__subgoal_sum(hub->distance, labels->reaches[hub->order]) >= least; ++hub) {
    meet_hub(subgoals, hub->order, hub->distance, hub->item, &best);
  }
  return best;
}

// Without them: the labels of all subgoals that are linked to start and goal.
static meeting_t meet_by_links(const subgoals_t * subgoals, const fw_router_context_t * context)
{
  const fw_subgoal_graph_t * graph = &subgoals->graph;
  const fw_hub_labels_t * labels = &subgoals->labels;
  meeting_t best = {.cost = INT32_MAX};
  for (int32_t i = graph->link_firsts[context->start]; i < graph->link_firsts[context->start + 1]; ++i) {
    const int32_t subgoal = graph->links[i];
    const int32_t first = fw__subgoal_distance(context->floor, subgoals->ends[0], graph->points[subgoal]);
    for (int32_t k = labels->firsts[subgoal]; k < labels->firsts[subgoal + 1]; ++k) {
      mark_hub(subgoals, labels->hubs[k].order, first + labels->hubs[k].distance, k);
    }
  }
  for (int32_t i = graph->link_firsts[context->goal]; i < graph->link_firsts[context->goal + 1]; ++i) {
    const int32_t subgoal = graph->links[i];
    const int32_t first = fw__subgoal_distance(context->floor, subgoals->ends[1], graph->points[subgoal]);
    for (int32_t k = labels->firsts[subgoal]; k < labels->firsts[subgoal + 1]; ++k) {
      meet_hub(subgoals, labels->hubs[k].order, first + labels->hubs[k].distance, k, &best);
    }
  }
  return best;
}

// Appends the points of the subgoals from an item of a label up to its hub.
static void follow_label(const subgoals_t * subgoals, int32_t item, fw_trail_t * trail)
{
  for (; item >= 0; item = subgoals->labels.paths[item].next) {
    fw__trail_add(trail, subgoals->labels.paths[item].point);
  }
}

// ---- climbing searches ----------------------------------------------------------------------------------------------

typedef struct arrival_t {
  int32_t g;
  int32_t parent;
  int32_t edge;
} arrival_t;

static inline void reach(subgoals_t * subgoals, int32_t side, int32_t at, arrival_t arrival, meeting_t * best)
{
  climb_node_t * node = &subgoals->nodes[side][at];
  if (node->epoch == subgoals->epoch && node->g <= arrival.g) {
    return;
  }
  subgoals->reached += node->epoch != subgoals->epoch;
  *node = (climb_node_t){.g = arrival.g, .epoch = subgoals->epoch, .parent = arrival.parent, .edge = arrival.edge};
  const climb_node_t * other = &subgoals->nodes[1 - side][at];
  if (other->epoch == subgoals->epoch && fw__subgoal_sum(other->g, arrival.g) < (uint32_t)best->cost) {
    best->cost = other->g + arrival.g;
    best->node = at;
  }
  const int32_t rest = fw__subgoal_distance(subgoals->floor, subgoals->graph.points[at], subgoals->ends[1 - side]);
  (void)fw__heap_push(&subgoals->open[side], arrival.g + rest, arrival.g, at);
}

// Whether a node is reached at less cost by an edge down from one above it: then no shortest path climbs on from here
// (stalling on demand).
static bool is_stalled(const subgoals_t * subgoals, int32_t side, int32_t at, int32_t g)
{
  const fw_hierarchy_t * hierarchy = &subgoals->hierarchy;
  for (int32_t i = hierarchy->firsts[at]; i < hierarchy->firsts[at + 1]; ++i) {
    const climb_node_t * above = &subgoals->nodes[side][hierarchy->edges[i].to];
    if (above->epoch == subgoals->epoch && above->g + hierarchy->edges[i].cost < g) {
      return true;
    }
  }
  return false;
}

static void expand(subgoals_t * subgoals, int32_t side, int32_t at, int32_t g, meeting_t * best)
{
  const fw_hierarchy_t * hierarchy = &subgoals->hierarchy;
  for (int32_t i = hierarchy->firsts[at]; i < hierarchy->firsts[at + 1]; ++i) {
    const fw_hierarchy_edge_t * edge = &hierarchy->edges[i];
    reach(subgoals, side, edge->to, (arrival_t){.g = g + edge->cost, .parent = at, .edge = i}, best);
  }
}

static int32_t least_of(const fw_heap_t * open)
{
  return open->count > 0 ? (int32_t)(open->items[0].key >> 32) : INT32_MAX;
}

// Both sides are A* searches: neither ends before the estimates of all its open nodes are as large as the best path.
static meeting_t climb(subgoals_t * subgoals, fw_router_context_t * context)
{
  const fw_subgoal_graph_t * graph = &subgoals->graph;
  const int32_t ends[2] = {context->start, context->goal};  // places
  meeting_t best = {.cost = INT32_MAX};
  for (int32_t side = 0; side < 2; ++side) {
    fw__heap_clear(&subgoals->open[side]);
    for (int32_t i = graph->link_firsts[ends[side]]; i < graph->link_firsts[ends[side] + 1]; ++i) {
      const int32_t subgoal = graph->links[i];
      const int32_t g = fw__subgoal_distance(context->floor, subgoals->ends[side], graph->points[subgoal]);
      reach(subgoals, side, subgoal, (arrival_t){.g = g, .parent = -1, .edge = -1}, &best);
    }
  }
  for (;;) {
    const int32_t side = least_of(&subgoals->open[0]) <= least_of(&subgoals->open[1]) ? 0 : 1;
    if (subgoals->open[side].count == 0 || least_of(&subgoals->open[side]) >= best.cost) {
      return best;
    }
    const fw_heap_item_t item = fw__heap_pop(&subgoals->open[side]);
    const int32_t g = item.g;
    // The goal's side ends at the core, which the start's side crosses.
    const bool ends_here = side == 1 && subgoals->hierarchy.ranks[item.node] >= subgoals->hierarchy.contracted;
    if (g != subgoals->nodes[side][item.node].g || ends_here) {
      continue;
    }
    if (fw__router_count(context, graph->places[item.node])) {
      return (meeting_t){.cost = INT32_MAX};
    }
    if (!is_stalled(subgoals, side, item.node, g)) {
      expand(subgoals, side, item.node, g, &best);
    }
  }
}

// Appends the points of the subgoals from an end of the query to the meeting, which is the last one.
static void follow_climb(subgoals_t * subgoals, int32_t side, int32_t meeting, fw_trail_t * trail)
{
  const climb_node_t * nodes = subgoals->nodes[side];
  const int32_t first = trail->count;
  subgoals->chain.count = 0;
  int32_t at = meeting;
  for (; nodes[at].parent >= 0; at = nodes[at].parent) {
    fw__trail_add(&subgoals->chain, nodes[at].edge);
  }
  fw__trail_add(trail, at);
  for (int32_t i = subgoals->chain.count - 1; i >= 0 && !trail->has_failed; --i) {
    const fw_hierarchy_edge_t * edge = &subgoals->hierarchy.edges[subgoals->chain.places[i]];
    fw__hierarchy_unpack(&subgoals->hierarchy, at, edge, trail, &subgoals->stack);
    at = edge->to;
  }
  for (int32_t i = first; i < trail->count; ++i) {
    trail->places[i] = subgoals->graph.points[trail->places[i]];
  }
}

// ---- the path -------------------------------------------------------------------------------------------------------

// The points of the path's subgoals, from the start to the goal.
static void make_way(subgoals_t * subgoals, const meeting_t * meeting)
{
  fw_trail_t * way = &subgoals->way;
  int32_t half = 0;
  way->count = 0;
  for (int32_t side = 0; side < 2; ++side) {
    if (subgoals->has_labels) {
      follow_label(subgoals, meeting->item[side], way);
    } else {
      follow_climb(subgoals, side, meeting->node, way);
    }
    half = side == 0 ? way->count : half;
  }
  fw__trail_reverse(way, half);
}

enum { CHUNK = 8 };

// Writes the places or cells of `count` moves, in chunks: the runs of a path are short, and a loop that ends after a
// different number of moves each time costs more than the moves that are written in vain.
static inline int32_t write_run(int32_t * room, int32_t at, int32_t step, int32_t count)
{
  for (int32_t i = 0; i < count; i += CHUNK) {
    for (int32_t k = 0; k < CHUNK; ++k) {
      room[i + k] = at + (i + k + 1) * step;
    }
  }
  return at + count * step;
}

// Appends the places behind point `from` up to point `to`, or the cells; diagonal (with 4 directions vertical) moves
// come first.
static void walk(fw_router_context_t * context, int32_t from, int32_t to)
{
  const fw_floor_t * floor = context->floor;
  const int32_t line = context->has_cells ? floor->width : floor->stride;
  const int32_t dx = fw__point_x(to) - fw__point_x(from);
  const int32_t dy = fw__point_y(to) - fw__point_y(from);
  const int32_t step_x = dx < 0 ? -1 : 1;
  const int32_t step_y = dy < 0 ? -line : line;
  const int32_t across = abs(dx);
  const int32_t down = abs(dy);
  const int32_t both = floor->degree == 8 ? (across < down ? across : down) : 0;
  const int32_t firsts = floor->degree == 8 ? both : down;
  const int32_t first = floor->degree == 8 ? step_x + step_y : step_y;
  const int32_t count = across + down - both;
  const int32_t second = across > both || floor->degree == 4 ? step_x : step_y;
  int32_t * room = fw__trail_extend(context->trail, count + CHUNK);
  if (room == NULL) {
    return;
  }
  context->trail->count -= CHUNK;
  context->diagonals += both;
  int32_t at = fw__point_y(from) * line + fw__point_x(from) + (context->has_cells ? 0 : line + 1);
  at = write_run(room, at, first, firsts);
  (void)write_run(room + firsts, at, second, count - firsts);
}

// Begins a query: no hub and no subgoal has been reached.
static void begin(subgoals_t * subgoals)
{
  const size_t count = (size_t)subgoals->hierarchy.count;
  if (++subgoals->epoch == UINT32_MAX) {
    subgoals->epoch = 1;
    if (subgoals->marks != NULL) {
      memset(subgoals->marks, 0, count * sizeof(*subgoals->marks));
    }
    for (int32_t side = 0; side < 2 && subgoals->nodes[side] != NULL; ++side) {
      memset(subgoals->nodes[side], 0, count * sizeof(*subgoals->nodes[side]));
    }
  }
  subgoals->reached = 0;
  subgoals->stack.has_failed = subgoals->chain.has_failed = subgoals->way.has_failed = false;
}

static meeting_t find_meeting(subgoals_t * subgoals, fw_router_context_t * context, int32_t estimate)
{
  if (!subgoals->has_labels) {
    return climb(subgoals, context);
  }
  return subgoals->labels.place_firsts != NULL ? meet_by_places(subgoals, context, estimate)
                                               : meet_by_links(subgoals, context);
}

static void find(fw_router_context_t * context)
{
  subgoals_t * subgoals = context->state;
  const fw_floor_t * floor = context->floor;
  begin(subgoals);
  subgoals->ends[0] = fw__subgoal_point(floor, context->start);
  subgoals->ends[1] = fw__subgoal_point(floor, context->goal);
  const int32_t estimate = fw__subgoal_distance(floor, subgoals->ends[0], subgoals->ends[1]);
  const meeting_t meeting = find_meeting(subgoals, context, estimate);
  context->memory_bytes = (size_t)subgoals->reached * sizeof(climb_node_t) +
                          (size_t)(subgoals->open[0].peak + subgoals->open[1].peak) * sizeof(fw_heap_item_t);
  if (!fw__router_has_memory(context) || fw__meter_has_stopped(context->meter)) {
    return;
  }
  if (meeting.cost > estimate && fw__straight_find(floor, context->start, context->goal, context->trail)) {
    return;
  }
  if (meeting.cost == INT32_MAX) {
    return;
  }
  make_way(subgoals, &meeting);
  if (!fw__router_has_memory(context)) {
    return;
  }
  context->has_cells = !context->needs_places;
  fw__trail_add(context->trail, context->has_cells ? fw__floor_cell(floor, context->start) : context->start);
  int32_t at = subgoals->ends[0];
  for (int32_t i = 0; i < subgoals->way.count; ++i) {
    walk(context, at, subgoals->way.places[i]);
    at = subgoals->way.places[i];
  }
  walk(context, at, subgoals->ends[1]);
}

const fw_router_def_t fw__router_subgoals = {
  .name = "subgoals",
  .summary = "hub labels or a contraction hierarchy over corners of obstacles, for maps that stay",
  .paper = "T. Uras and S. Koenig, Understanding Subgoal Graphs by Augmenting Contraction Hierarchies, 2018",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .has_abstraction = true,
  .build = build,
  .find = find,
};
