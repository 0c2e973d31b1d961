// The dependency graph, from nodes to all that is asked of it.

#include "execution/graph.h"

#include <string.h>

#include "base/error.h"

fw__swept_t fw__graph_swept(const fw__graph_t * graph, int32_t node)
{
  const fw__node_t * to = &graph->nodes[node];
  const fw_grid_pose_t from = graph->nodes[node - 1].pose;
  const fw__shape_t * shape = graph->shapes[to->robot];
  return to->is_back ? fw__shape_sweep(shape, &graph->grid, to->pose, from)
                     : fw__shape_sweep(shape, &graph->grid, from, to->pose);
}

fw__edge_rows_t fw__edges_by_target(const fw__edges_t * edges, int32_t node_count, fw_arena_t * arena)
{
  fw__edge_rows_t rows = {
    .first = fw__arena_allocate_zeroed(arena, (size_t)node_count + 2, sizeof(*rows.first)),
    .items = fw__arena_allocate(arena, (size_t)edges->count + 1, sizeof(*rows.items)),
  };
  if (rows.first == NULL || rows.items == NULL) {
    return (fw__edge_rows_t){0};
  }
  // first[n + 2] counts node n, then first[n + 1] is where its row begins and, filled, where it ends.
  for (int32_t i = 0; i < edges->count; ++i) {
    ++rows.first[edges->items[i].target + 2];
  }
  for (int32_t n = 2; n <= node_count + 1; ++n) {
    rows.first[n] += rows.first[n - 1];
  }
  for (int32_t i = 0; i < edges->count; ++i) {
    rows.items[rows.first[edges->items[i].target + 1]++] = edges->items[i];
  }
  return rows;
}

static bool list_by_source(fw__graph_t * graph, const fw__edges_t * edges)
{
  graph->out_first = fw__arena_allocate_zeroed(&graph->arena, (size_t)graph->node_count + 2, sizeof(int32_t));
  graph->out = fw__arena_allocate(&graph->arena, (size_t)edges->count + 1, sizeof(int32_t));
  if (graph->out_first == NULL || graph->out == NULL) {
    return false;
  }
  for (int32_t i = 0; i < edges->count; ++i) {
    ++graph->out_first[edges->items[i].source + 2];
  }
  for (int32_t n = 2; n <= graph->node_count + 1; ++n) {
    graph->out_first[n] += graph->out_first[n - 1];
  }
  for (int32_t i = 0; i < edges->count; ++i) {
    graph->out[graph->out_first[edges->items[i].source + 1]++] = edges->items[i].target;
  }
  return true;
}

// ---- gates ----------------------------------------------------------------------------------------------------------

typedef struct visit_t {
  int32_t robot;
  int32_t node;
} visit_t;

typedef struct visits_t {
  visit_t * cells;
  visit_t * corners;  // of the grid's (width + 1) x (height + 1); NULL without diagonals
} visits_t;

static int32_t note_visit(visit_t * visit, int32_t robot, int32_t node)
{
  const int32_t before = visit->robot == robot ? visit->node : -1;
  *visit = (visit_t){.robot = robot, .node = node};
  return before;
}

static int32_t corner_between(const fw_grid_t * grid, fw_cell_t a, fw_cell_t b)
{
  const int32_t ax = fw_grid_x(grid, a), bx = fw_grid_x(grid, b);
  const int32_t ay = fw_grid_y(grid, a), by = fw_grid_y(grid, b);
  return ax == bx || ay == by ? -1 : (ay > by ? ay : by) * (grid->width + 1) + (ax > bx ? ax : bx);
}

// A way that is released does not touch itself, so that a position on it means one place. A node on a cell where the robot
// has been waits until it is a waypoint further than that; one whose motion crosses an older one, until that is done. While
// a robot turns on a cell, the same holds for its headings.
static void set_gates(fw__graph_t * graph, int32_t robot, visits_t visits)
{
  int32_t begin = 0;                // of the stay on the present cell
  int32_t faced[FW_HEADING_COUNT];  // the last node with that heading
  memset(faced, 0xff, sizeof(faced));
  for (int32_t m = 0; m < fw__way_count(graph, robot); ++m) {
    fw__node_t * node = fw__way_node(graph, robot, m);
    const bool is_turn = m > 0 && node[-1].pose.cell == node->pose.cell;
    const int32_t visited = note_visit(&visits.cells[node->pose.cell], robot, m);
    begin = is_turn ? begin : m;
    const bool has_faced = is_turn && faced[node->pose.heading] >= begin;
    const int32_t before = !is_turn ? visited : has_faced ? faced[node->pose.heading] : -1;
    faced[node->pose.heading] = m;
    node->gate = before < 0 ? 0 : before + 1;
    const int32_t corner = m > 0 ? corner_between(&graph->grid, node[-1].pose.cell, node->pose.cell) : -1;
    if (corner >= 0) {
      const int32_t crossed = note_visit(&visits.corners[corner], robot, m);
      node->gate = crossed > node->gate ? crossed : node->gate;
    }
  }
}

static fw_ret_t find_gates(const fw__making_t * making)
{
  fw__graph_t * graph = making->graph;
  const size_t cells = (size_t)fw_grid_cell_count(&graph->grid);
  const size_t corners =
    graph->problem.connectivity == 8 ? ((size_t)graph->grid.width + 1) * ((size_t)graph->grid.height + 1) : 0;
  visits_t visits = {.cells = fw__arena_allocate(making->scratch, cells + corners, sizeof(visit_t))};
  if (visits.cells == NULL) {
    return fw__error_memory(making->error);
  }
  memset(visits.cells, 0xff, (cells + corners) * sizeof(visit_t));
  visits.corners = visits.cells + cells;
  for (int32_t robot = 0; robot < graph->slot_count; ++robot) {
    set_gates(graph, robot, visits);
  }
  return FW_RET_OK;
}

// ---- all together ---------------------------------------------------------------------------------------------------

fw_ret_t fw__graph_weave(const fw__making_t * making)
{
  fw__graph_t * graph = making->graph;
  fw__edges_t edges = {0};
  fw_ret_t ret = find_gates(making);
  if (ret == FW_RET_OK) {
    ret = fw__graph_find_dependencies(making, &edges);
  }
  if (ret == FW_RET_OK) {
    ret = fw__graph_find_order(making, &edges);
  }
  if (ret == FW_RET_OK) {
    ret = fw__graph_reduce(making, &edges);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw__edge_rows_t rows = fw__edges_by_target(&edges, graph->node_count, &graph->arena);
  graph->in_first = rows.first;
  graph->in = rows.items;
  graph->edge_count = edges.count;
  const size_t words = (size_t)graph->node_count / 64 + 1;
  graph->dirty = fw__arena_allocate_zeroed(&graph->arena, words, sizeof(*graph->dirty));
  if (rows.items == NULL || graph->dirty == NULL || !list_by_source(graph, &edges)) {
    return fw__error_memory(making->error);
  }
  return FW_RET_OK;
}
