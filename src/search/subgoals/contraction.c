// Contraction: the order of nodes, witness searches, shortcuts.

#include "search/subgoals/contraction.h"

#include <string.h>

#include "search/heap.h"

enum {
  WITNESS_NODES = 40,      // a witness search gives up after them; a shortcut too many does no harm but its time
  CORE_SHORTCUTS = 600,    // a node that needs more of them stays in the core
  PRIORITY_BASE = 1 << 24  // keeps priorities above 0
};

// The edges of a node that has not been contracted, to others of that kind; afterwards those upwards.
typedef struct node_edges_t {
  fw_hierarchy_edge_t * items;
  int32_t count;
  int32_t capacity;
} node_edges_t;

typedef struct builder_t {
  fw_arena_t * arena;
  fw_meter_t * meter;
  int32_t count;
  node_edges_t * nodes;
  int32_t * depths;  // by node: the longest chain of contracted nodes below
  fw_heap_t queue;   // nodes by priority
  // One witness search.
  fw_heap_t open;
  int32_t * costs;
  uint32_t * epochs;
  uint32_t epoch;
} builder_t;

// ---- edges ----------------------------------------------------------------------------------------------------------

static void add_half(builder_t * builder, int32_t from, fw_hierarchy_edge_t edge)
{
  node_edges_t * node = &builder->nodes[from];
  for (int32_t i = 0; i < node->count; ++i) {
    if (node->items[i].to == edge.to) {
      node->items[i] = edge.cost < node->items[i].cost ? edge : node->items[i];
      return;
    }
  }
  if (node->count == node->capacity) {
    const size_t outgrown = (size_t)node->capacity;
    fw_hierarchy_edge_t * items = fw__arena_grow(builder->arena, node->items, sizeof(*items), &node->capacity);
    if (items == NULL) {
      return;
    }
    fw__arena_recycle(builder->arena, node->items, outgrown, sizeof(*items));
    node->items = items;
  }
  node->items[node->count++] = edge;
}

static void add_edge(builder_t * builder, int32_t from, fw_hierarchy_edge_t edge)
{
  add_half(builder, from, edge);
  add_half(builder, edge.to, (fw_hierarchy_edge_t){.to = from, .cost = edge.cost, .via = edge.via});
}

static void remove_half(builder_t * builder, int32_t from, int32_t to)
{
  node_edges_t * node = &builder->nodes[from];
  int32_t i = 0;
  while (i < node->count && node->items[i].to != to) {
    ++i;
  }
  if (i < node->count) {
    node->items[i] = node->items[--node->count];
  }
}

// ---- witness search -------------------------------------------------------------------------------------------------

static inline void reach(builder_t * builder, int32_t node, int32_t cost)
{
  if (builder->epochs[node] != builder->epoch || cost < builder->costs[node]) {
    builder->epochs[node] = builder->epoch;
    builder->costs[node] = cost;
    (void)fw__heap_push(&builder->open, cost, INT32_MAX - node, node);
  }
}

// Costs from a node around another one, up to a limit. Costs of nodes reached but not expanded are those of paths too.
static void search_witnesses(builder_t * builder, int32_t from, int32_t without, int32_t limit)
{
  ++builder->epoch;
  fw__heap_clear(&builder->open);
  reach(builder, from, 0);
  int32_t settled = 0;
  while (builder->open.count > 0 && settled < WITNESS_NODES) {
    const fw_heap_item_t item = fw__heap_pop(&builder->open);
    const int32_t cost = (int32_t)(item.key >> 32);
    if (cost > limit) {
      break;
    }
    if (cost != builder->costs[item.node]) {
      continue;
    }
    ++settled;
    const node_edges_t * node = &builder->nodes[item.node];
    for (int32_t i = 0; i < node->count; ++i) {
      const int32_t next = cost + node->items[i].cost;
      if (node->items[i].to != without && next <= limit) {
        reach(builder, node->items[i].to, next);
      }
    }
  }
  (void)fw__meter_add(builder->meter, settled);
}

// The shortcuts that contracting a node needs; with `adds` they are added.
static int32_t find_shortcuts(builder_t * builder, int32_t node, bool adds)
{
  const node_edges_t * own = &builder->nodes[node];
  int32_t count = 0;
  // A node that is being contracted gets all of its shortcuts, also when the meter stops.
  for (int32_t i = 0; i + 1 < own->count && (adds || !fw__meter_has_stopped(builder->meter)); ++i) {
    const fw_hierarchy_edge_t a = own->items[i];
    int32_t longest = 0;
    for (int32_t k = i + 1; k < own->count; ++k) {
      longest = own->items[k].cost > longest ? own->items[k].cost : longest;
    }
    search_witnesses(builder, a.to, node, a.cost + longest);
    for (int32_t k = i + 1; k < own->count; ++k) {
      const fw_hierarchy_edge_t b = own->items[k];
      if (builder->epochs[b.to] == builder->epoch && builder->costs[b.to] <= a.cost + b.cost) {
        continue;
      }
      ++count;
      if (adds) {
        add_edge(builder, a.to, (fw_hierarchy_edge_t){.to = b.to, .cost = a.cost + b.cost, .via = node});
      }
    }
  }
  return count;
}

// ---- order ----------------------------------------------------------------------------------------------------------

// The smaller, the sooner: few shortcuts for many edges that go, and evenly over the map. The weights were chosen for
// small hub labels.
static int32_t priority_of(const builder_t * builder, int32_t node, int32_t shortcuts)
{
  return 10 * shortcuts / (builder->nodes[node].count + 1) + 4 * builder->depths[node];
}

static void enqueue(builder_t * builder, int32_t node, int32_t priority)
{
  (void)fw__heap_push(&builder->queue, priority, INT32_MAX - node, node);
}

static void contract(builder_t * builder, int32_t node)
{
  (void)find_shortcuts(builder, node, true);
  const node_edges_t * own = &builder->nodes[node];
  for (int32_t i = 0; i < own->count; ++i) {
    const int32_t to = own->items[i].to;
    remove_half(builder, to, node);
    if (builder->depths[to] <= builder->depths[node]) {
      builder->depths[to] = builder->depths[node] + 1;
    }
  }
}

// Contracts nodes in the order of their priorities, which are computed again when a node's turn has come.
static void contract_all(builder_t * builder, fw_hierarchy_t * hierarchy)
{
  for (int32_t i = 0; i < builder->count && !fw__meter_has_stopped(builder->meter); ++i) {
    enqueue(builder, i, priority_of(builder, i, find_shortcuts(builder, i, false)));
  }
  while (builder->queue.count > 0 && !fw__meter_has_stopped(builder->meter) && !fw__arena_has_failed(builder->arena)) {
    const int32_t node = fw__heap_pop(&builder->queue).node;
    const int32_t shortcuts = find_shortcuts(builder, node, false);
    const int32_t priority = priority_of(builder, node, shortcuts);
    if (builder->queue.count > 0 && priority > (int32_t)(builder->queue.items[0].key >> 32)) {
      enqueue(builder, node, priority);
      continue;
    }
    if (shortcuts > CORE_SHORTCUTS || fw__meter_has_stopped(builder->meter)) {
      break;
    }
    hierarchy->ranks[node] = hierarchy->contracted++;
    contract(builder, node);
  }
}

// ---- build ----------------------------------------------------------------------------------------------------------

static void take_graph(builder_t * builder, const fw_floor_t * floor, const fw_subgoal_graph_t * graph)
{
  for (int32_t i = 0; i < graph->count; ++i) {
    for (int32_t k = graph->edge_firsts[i]; k < graph->edge_firsts[i + 1]; ++k) {
      const int32_t to = graph->edges[k];
      const int32_t cost = fw__subgoal_distance(floor, graph->points[i], graph->points[to]);
      add_edge(builder, i, (fw_hierarchy_edge_t){.to = to, .cost = cost, .via = -1});
    }
  }
}

static void keep_edges(const builder_t * builder, fw_hierarchy_t * hierarchy, fw_arena_t * arena)
{
  int32_t count = 0;
  int32_t core = hierarchy->contracted;
  for (int32_t i = 0; i < builder->count; ++i) {
    hierarchy->firsts[i] = count;
    count += builder->nodes[i].count;
    hierarchy->ranks[i] = hierarchy->ranks[i] < 0 ? core++ : hierarchy->ranks[i];
  }
  hierarchy->firsts[builder->count] = count;
  hierarchy->edges = fw__arena_allocate(arena, (size_t)count + 1, sizeof(*hierarchy->edges));
  for (int32_t i = 0; hierarchy->edges != NULL && i < builder->count; ++i) {
    const node_edges_t * node = &builder->nodes[i];
    if (node->count > 0) {
      memcpy(hierarchy->edges + hierarchy->firsts[i], node->items, (size_t)node->count * sizeof(*node->items));
    }
  }
}

void fw__hierarchy_init(
  fw_hierarchy_t * hierarchy, fw_arena_t * arena, const fw_floor_t * floor, const fw_subgoal_graph_t * graph,
  fw_meter_t * meter)
{
  const size_t count = (size_t)graph->count + 1;
  fw_arena_t scratch;
  fw__arena_init(&scratch, arena->memory);
  builder_t builder = {.arena = &scratch, .meter = meter, .count = graph->count};
  builder.nodes = fw__arena_allocate_zeroed(&scratch, count, sizeof(*builder.nodes));
  builder.depths = fw__arena_allocate_zeroed(&scratch, count, sizeof(*builder.depths));
  builder.costs = fw__arena_allocate_zeroed(&scratch, count, sizeof(*builder.costs));
  builder.epochs = fw__arena_allocate_zeroed(&scratch, count, sizeof(*builder.epochs));
  fw__heap_init(&builder.queue, &scratch);
  fw__heap_init(&builder.open, &scratch);
  *hierarchy = (fw_hierarchy_t){.count = graph->count};
  hierarchy->ranks = fw__arena_allocate(arena, count, sizeof(*hierarchy->ranks));
  hierarchy->firsts = fw__arena_allocate(arena, count, sizeof(*hierarchy->firsts));
  if (!fw__arena_has_failed(&scratch) && !fw__arena_has_failed(arena)) {
    memset(hierarchy->ranks, 0xff, count * sizeof(*hierarchy->ranks));
    take_graph(&builder, floor, graph);
    contract_all(&builder, hierarchy);
    keep_edges(&builder, hierarchy, arena);
  }
  arena->has_failed = arena->has_failed || fw__arena_has_failed(&scratch);
  fw__arena_fini(&scratch);
}

// ---- unpacking ------------------------------------------------------------------------------------------------------

const fw_hierarchy_edge_t * fw__hierarchy_edge(const fw_hierarchy_t * hierarchy, int32_t from, int32_t to)
{
  const fw_hierarchy_edge_t * edge = hierarchy->edges + hierarchy->firsts[from];
  while (edge->to != to) {
    ++edge;
    FW_ASSERT(edge < hierarchy->edges + hierarchy->firsts[from + 1]);
  }
  return edge;
}

// The stack has pairs: the end of a part of the path, and the node that this part leads over.
void fw__hierarchy_unpack(
  const fw_hierarchy_t * hierarchy, int32_t from, const fw_hierarchy_edge_t * edge, fw_trail_t * trail,
  fw_trail_t * stack)
{
  stack->count = 0;
  int32_t to = edge->to;
  int32_t via = edge->via;
  for (int32_t at = from;;) {
    if (via >= 0) {  // first to the node in the middle, then from there to the end
      int32_t * rest = fw__trail_extend(stack, 2);
      if (rest == NULL) {
        trail->has_failed = true;
        return;
      }
      rest[0] = to;
      rest[1] = fw__hierarchy_edge(hierarchy, via, to)->via;
      to = via;
      via = fw__hierarchy_edge(hierarchy, via, at)->via;
      continue;
    }
    fw__trail_add(trail, to);
    at = to;
    if (stack->count == 0) {
      return;
    }
    to = stack->places[stack->count - 2];
    via = stack->places[stack->count - 1];
    stack->count -= 2;
  }
}
