// Edges that follow from others are removed: less to look at with every report.
//
// Along two ways an edge (A, i) -> (B, j) follows from (A, i') -> (B, j') with i' >= i and j' <= j: B has waited for more,
// and earlier. Over a third robot it follows from (A, i') -> (C, c') and (C, c) -> (B, j') with c' <= c. The first rule is
// applied in full; the second only among the last few edges of B and of C, where nearly all such cases are. In a graph
// without cycles what can be reached stays the same however many such edges are removed. Edges inside a ring are not
// waited for, so nothing follows from them, and with rings the second rule is left out.

#include "base/error.h"
#include "execution/graph.h"

static bool is_in_ring(const fw__graph_t * graph, const fw__edge_t * edge)
{
  const int32_t group = graph->nodes[edge->target].group;
  return group >= 0 && group == graph->nodes[edge->source].group;
}

// How far B has waited for each other robot already; entries of other robots B are old.
typedef struct awaited_t {
  int32_t by;
  int32_t node;
} awaited_t;

// The edges of one node that are more than `awaited`, the furthest for each robot; they move to `kept`.
static int32_t keep_furthest(const fw__graph_t * graph, awaited_t * awaited, fw__edge_t * edges, int32_t count)
{
  int32_t kept = 0;
  for (int32_t i = 0; i < count; ++i) {
    const fw__edge_t edge = edges[i];
    const int32_t by = graph->nodes[edge.target].robot;
    awaited_t * last = &awaited[graph->nodes[edge.source].robot];
    if (is_in_ring(graph, &edge)) {
      edges[kept++] = edge;
    } else if (last->by != by || last->node < edge.source) {
      // An earlier edge of this very node to the same robot is less: it is replaced.
      int32_t at = 0;
      while (at < kept && (is_in_ring(graph, &edges[at]) ||
                           graph->nodes[edges[at].source].robot != graph->nodes[edge.source].robot)) {
        ++at;
      }
      edges[at] = edge;
      kept += at == kept ? 1 : 0;
      *last = (awaited_t){.by = by, .node = edge.source};
    }
  }
  return kept;
}

// Does robot C, to be at node `until`, wait for `source` or a later node of the same robot? Looks at its last few edges.
static bool waits_for(const fw__graph_t * graph, const fw__edge_rows_t * rows, int32_t until, int32_t source)
{
  enum { EDGES_MAX = 12 };
  const int32_t begin = rows->first[graph->first[graph->nodes[until].robot]];
  const int32_t end = rows->first[until + 1];
  for (int32_t i = end - 1; i >= begin && i >= end - EDGES_MAX; --i) {
    const int32_t other = rows->items[i].source;
    if (other >= source && graph->nodes[other].robot == graph->nodes[source].robot) {
      return true;
    }
  }
  return false;
}

static bool follows_over_another(const fw__graph_t * graph, const fw__edge_rows_t * rows, int32_t index)
{
  enum { EDGES_MAX = 6 };
  const fw__edge_t edge = rows->items[index];
  const int32_t begin = rows->first[graph->first[graph->nodes[edge.target].robot]];
  const int32_t end = rows->first[edge.target + 1];
  for (int32_t i = end - 1; i >= begin && i >= end - EDGES_MAX; --i) {
    if (i != index && graph->nodes[rows->items[i].source].robot != graph->nodes[edge.source].robot) {
      if (waits_for(graph, rows, rows->items[i].source, edge.source)) {
        return true;
      }
    }
  }
  return false;
}

fw_ret_t fw__graph_reduce(const fw__making_t * making, fw__edges_t * edges)
{
  fw__graph_t * graph = making->graph;
  const int32_t all = edges->count;
  awaited_t * awaited = fw__arena_allocate(making->scratch, (size_t)graph->slot_count + 1, sizeof(*awaited));
  fw__edge_rows_t rows = fw__edges_by_target(edges, graph->node_count, making->scratch);
  if (awaited == NULL || rows.items == NULL) {
    return fw__error_memory(making->error);
  }
  for (int32_t robot = 0; robot < graph->slot_count; ++robot) {
    awaited[robot].by = -1;
  }
  edges->count = 0;
  for (int32_t node = 0; node < graph->node_count; ++node) {
    fw__edge_t * row = rows.items + rows.first[node];
    const int32_t kept = keep_furthest(graph, awaited, row, rows.first[node + 1] - rows.first[node]);
    for (int32_t i = 0; i < kept; ++i) {
      edges->items[edges->count++] = row[i];
    }
  }
  if (graph->ring_count == 0) {
    rows = fw__edges_by_target(edges, graph->node_count, making->scratch);
    if (rows.items == NULL) {
      return fw__error_memory(making->error);
    }
    const int32_t count = edges->count;
    edges->count = 0;
    for (int32_t i = 0; i < count; ++i) {
      if (!follows_over_another(graph, &rows, i)) {
        edges->items[edges->count++] = rows.items[i];
      }
    }
  }
  graph->redundant_count = all - edges->count;
  return FW_RET_OK;
}
