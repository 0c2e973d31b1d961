// The graph in a row, sources before targets, and the rings that cannot be put in one.
//
// The plan's clock is nearly that row. With robust ticks an edge leads from an arrival to one that is strictly later, so
// the graph has no cycle. Without, a robot may enter what another leaves in the same tick: both arrive at once, and such
// edges may close a ring. Within each tick the strongly connected parts are found (Tarjan 1972, with a stack of its own);
// following edges backwards it gives sources first. An edge from a later arrival to an earlier one is in no plan that
// keeps the rules.

#include <stdio.h>

#include "base/error.h"
#include "execution/graph.h"

typedef struct frame_t {
  int32_t node;
  int32_t next;  // the edge to follow
} frame_t;

typedef struct search_t {
  const fw__making_t * making;
  fw__graph_t * graph;
  fw__edge_rows_t rows;
  int32_t * number;  // by node, in the order of being found, from 1; 0: not yet
  int32_t * low;     // the smallest number that can be reached from there
  bool * is_open;    // on the stack
  int32_t * stack;
  int32_t stack_count;
  frame_t * frames;
  int32_t frame_count;
  int32_t found_count;
  int32_t order_count;
  int32_t ring_nodes;
} search_t;

static bool is_first(const fw__graph_t * graph, int32_t node) { return node == graph->first[graph->nodes[node].robot]; }

// "robots 3, 4 and 7 rotate in a ring at tick 5"
static fw_ret_t refuse_ring(const search_t * search, const int32_t * nodes, int32_t count)
{
  enum { NAMED_MAX = 8 };
  char names[96] = "";
  size_t length = 0;
  for (int32_t i = 0; i < count && i < NAMED_MAX; ++i) {
    const char * before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
    const int32_t robot = search->graph->nodes[nodes[i]].robot;
    length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%d", before, robot);
  }
  const fw__node_t * node = &search->graph->nodes[nodes[0]];
  (void)fw__error_at(
    search->making->error, (fw_error_detail_t){FW_FAULT_INVALID, node->robot, node->pose.cell},
    "robots %s%s rotate in a ring: plan with robust_ticks 1 or more, or allow rings", names,
    count > NAMED_MAX ? ", …" : "");
  return FW_RET_UNSUPPORTED;
}

// The nodes from `from` on the stack are one part: alone, or a ring.
static fw_ret_t close_part(search_t * search, int32_t from)
{
  fw__graph_t * graph = search->graph;
  const int32_t count = search->stack_count - from;
  const int32_t * nodes = search->stack + from;
  if (count > 1 && search->making->rings == FW_RINGS_REFUSED) {
    return refuse_ring(search, nodes, count);
  }
  for (int32_t i = 0; i < count; ++i) {
    search->is_open[nodes[i]] = false;
    graph->place_of[nodes[i]] = search->order_count;
    graph->order[search->order_count++] = nodes[i];
    if (count > 1) {
      graph->nodes[nodes[i]].group = graph->ring_count;
      graph->ring[search->ring_nodes++] = nodes[i];
    }
  }
  if (count > 1) {
    graph->ring_first[++graph->ring_count] = search->ring_nodes;
  }
  search->stack_count = from;
  return FW_RET_OK;
}

static void open_node(search_t * search, int32_t node)
{
  search->number[node] = search->low[node] = ++search->found_count;
  search->is_open[node] = true;
  search->stack[search->stack_count++] = node;
  search->frames[search->frame_count++] = (frame_t){.node = node, .next = search->rows.first[node]};
}

// All that arrive in the same tick as `node` and must not be put behind it.
static fw_ret_t search_from(search_t * search, int32_t start)
{
  const fw__graph_t * graph = search->graph;
  open_node(search, start);
  while (search->frame_count > 0) {
    frame_t * frame = &search->frames[search->frame_count - 1];
    const int32_t node = frame->node;
    if (frame->next < search->rows.first[node + 1]) {
      const int32_t source = search->rows.items[frame->next++].source;
      if (graph->nodes[source].arrive != graph->nodes[node].arrive) {
        continue;
      }
      if (search->number[source] == 0) {
        open_node(search, source);
      } else if (search->is_open[source] && search->number[source] < search->low[node]) {
        search->low[node] = search->number[source];
      }
      continue;
    }
    --search->frame_count;
    if (search->frame_count > 0) {
      const int32_t parent = search->frames[search->frame_count - 1].node;
      search->low[parent] = search->low[node] < search->low[parent] ? search->low[node] : search->low[parent];
    }
    if (search->low[node] == search->number[node]) {
      int32_t from = search->stack_count - 1;
      while (search->stack[from] != node) {
        --from;
      }
      const fw_ret_t ret = close_part(search, from);
      if (ret != FW_RET_OK) {
        return ret;
      }
    }
  }
  return FW_RET_OK;
}

static fw_ret_t refuse_backward(const fw__making_t * making, const fw__edges_t * edges)
{
  const fw__graph_t * graph = making->graph;
  for (int32_t i = 0; i < edges->count; ++i) {
    const fw__edge_t edge = edges->items[i];
    const fw__node_t * source = &graph->nodes[edge.source];
    const fw__node_t * target = &graph->nodes[edge.target];
    if (source->arrive > target->arrive) {
      return fw__error_at(
        making->error, (fw_error_detail_t){FW_FAULT_INVALID, target->robot, edge.cell},
        "robot %d is to enter (%d,%d) before robot %d leaves it: the plan lets them meet", target->robot,
        fw_grid_x(&graph->grid, edge.cell), fw_grid_y(&graph->grid, edge.cell), source->robot);
    }
  }
  return FW_RET_OK;
}

// Nodes by arrival, in scratch; first nodes, which nobody waits for, before all others.
static int32_t * sort_arrivals(const fw__making_t * making)
{
  const fw__graph_t * graph = making->graph;
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (int32_t n = 0; n < graph->node_count; ++n) {
    low = graph->nodes[n].arrive < low ? graph->nodes[n].arrive : low;
    high = graph->nodes[n].arrive > high ? graph->nodes[n].arrive : high;
  }
  const size_t keys = graph->node_count == 0 ? 1 : (size_t)(high - low) + 2;
  int32_t * first = fw__arena_allocate_zeroed(making->scratch, keys + 1, sizeof(*first));
  int32_t * nodes = fw__arena_allocate(making->scratch, (size_t)graph->node_count + 1, sizeof(*nodes));
  if (first == NULL || nodes == NULL) {
    return NULL;
  }
  for (int32_t n = 0; n < graph->node_count; ++n) {
    ++first[is_first(graph, n) ? 1 : graph->nodes[n].arrive - low + 2];
  }
  for (size_t key = 1; key <= keys; ++key) {
    first[key] += first[key - 1];
  }
  for (int32_t n = 0; n < graph->node_count; ++n) {
    nodes[first[is_first(graph, n) ? 0 : graph->nodes[n].arrive - low + 1]++] = n;
  }
  return nodes;
}

static bool allocate(search_t * search, const fw__edges_t * edges)
{
  fw__graph_t * graph = search->graph;
  fw_arena_t * scratch = search->making->scratch;
  const size_t count = (size_t)graph->node_count + 1;
  graph->order = fw__arena_allocate(&graph->arena, count, sizeof(int32_t));
  graph->place_of = fw__arena_allocate(&graph->arena, count, sizeof(int32_t));
  graph->ring = fw__arena_allocate(&graph->arena, count, sizeof(int32_t));
  graph->ring_first = fw__arena_allocate_zeroed(&graph->arena, count, sizeof(int32_t));
  graph->ring_is_released = fw__arena_allocate_zeroed(&graph->arena, count, sizeof(bool));
  search->rows = fw__edges_by_target(edges, graph->node_count, scratch);
  search->number = fw__arena_allocate_zeroed(scratch, count, sizeof(int32_t));
  search->low = fw__arena_allocate_zeroed(scratch, count, sizeof(int32_t));
  search->is_open = fw__arena_allocate_zeroed(scratch, count, sizeof(bool));
  search->stack = fw__arena_allocate(scratch, count, sizeof(int32_t));
  search->frames = fw__arena_allocate(scratch, count, sizeof(frame_t));
  return !graph->arena.has_failed && !scratch->has_failed;
}

fw_ret_t fw__graph_find_order(const fw__making_t * making, const fw__edges_t * edges)
{
  search_t search = {.making = making, .graph = making->graph};
  fw_ret_t ret = refuse_backward(making, edges);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const int32_t * nodes = sort_arrivals(making);
  if (nodes == NULL || !allocate(&search, edges)) {
    return fw__error_memory(making->error);
  }
  for (int32_t i = 0; i < making->graph->node_count && ret == FW_RET_OK; ++i) {
    if (search.number[nodes[i]] == 0) {
      ret = search_from(&search, nodes[i]);
    }
  }
  return ret;
}
