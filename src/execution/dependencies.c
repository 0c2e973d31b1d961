// Who must have left what before whom: the edges of the graph.
//
// All motions of all robots are walked through in the order of their departures, with a map of owners: who was on a cell
// last, and which of its nodes it must reach to have left it. Whoever enters a cell depends on the owner and becomes the
// owner. Between two visits that follow each other there is an edge, so all earlier visits are waited for too, and the
// work is linear in what the motions sweep. Corners, where diagonals cross, are owned like cells.
//
//   cell (4,7):   A enters, leaves with its node 3  ->  B enters on the way to its node 8, leaves with 9  ->  C ...
//                                        (A, 3) -----------> (B, 8)            (B, 9) ----------> (C, ..)
//
// Nobody's edge is left out, whatever the plan is like: a plan in which two robots meet gives an edge against the order of
// time, which order.c refuses, or an owner that is not there any more, which is refused here.

#include <string.h>

#include "base/error.h"
#include "execution/graph.h"

typedef struct owner_t {
  int32_t robot;  // -1: nobody yet
  int32_t leave;  // the node that it must reach
} owner_t;

typedef struct search_t {
  const fw__making_t * making;
  fw__graph_t * graph;
  owner_t * cells;
  owner_t * corners;
  fw__edges_t * edges;
} search_t;

static fw_offset_t position(const fw_grid_t * grid, fw_cell_t cell)
{
  return (fw_offset_t){fw_grid_x(grid, cell), fw_grid_y(grid, cell)};
}

static fw_ret_t refuse(const search_t * search, int32_t robot, int32_t other, fw_cell_t cell)
{
  const fw_grid_t * grid = &search->graph->grid;
  return fw__error_at(
    search->making->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, cell},
    "robot %d is to enter (%d,%d), where robot %d stays: the plan lets them meet", robot, fw_grid_x(grid, cell),
    fw_grid_y(grid, cell), other);
}

static fw_ret_t add_edge(const search_t * search, fw__edge_t edge)
{
  fw__edges_t * edges = search->edges;
  if (edges->count == edges->capacity) {
    fw__edge_t * larger = fw__arena_grow(
      search->making->scratch, edges->items, (size_t)edges->count, sizeof(*edges->items), &edges->capacity);
    if (larger == NULL) {
      return fw__error_memory(search->making->error);
    }
    edges->items = larger;
  }
  edges->items[edges->count++] = edge;
  return FW_RET_OK;
}

// A robot enters what somebody else may have left.
static fw_ret_t enter(const search_t * search, owner_t * owner, int32_t node, owner_t next, fw_cell_t cell)
{
  const owner_t before = *owner;
  *owner = next;
  if (before.robot < 0 || before.robot == next.robot) {
    return FW_RET_OK;
  }
  if (before.leave >= fw__way_count(search->graph, before.robot)) {
    return refuse(search, next.robot, before.robot, cell);
  }
  const int32_t source = search->graph->first[before.robot] + before.leave;
  return add_edge(search, (fw__edge_t){.source = source, .target = node, .cell = cell});
}

// The node with which a robot has left a cell of motion m: that motion's, or the next one's if it stands there after it.
static int32_t leave_of(const search_t * search, int32_t node, fw_offset_t at)
{
  const fw__graph_t * graph = search->graph;
  const fw__node_t * to = &graph->nodes[node];
  const int32_t m = node - graph->first[to->robot];
  return m + (fw__shape_stands_on(graph->shapes[to->robot], &graph->grid, to->pose, at) ? 1 : 0);
}

// First, everybody who departs now says when it will have left where it stands: others may enter in the same tick.
static fw_ret_t announce(const search_t * search, int32_t node)
{
  const fw__graph_t * graph = search->graph;
  const fw_grid_pose_t from = graph->nodes[node - 1].pose;
  const int32_t robot = graph->nodes[node].robot;
  const fw_footprint_t standing = fw__shape_standing(graph->shapes[robot], from.heading);
  const fw_offset_t at = position(&graph->grid, from.cell);
  for (int32_t i = 0; i < standing.count; ++i) {
    const fw_offset_t spot = {at.dx + standing.cells[i].dx, at.dy + standing.cells[i].dy};
    const fw_cell_t cell = fw_grid_cell(&graph->grid, spot.dx, spot.dy);
    if (search->cells[cell].robot != robot) {
      return refuse(search, search->cells[cell].robot, robot, cell);
    }
    search->cells[cell].leave = leave_of(search, node, spot);
  }
  return FW_RET_OK;
}

static fw_ret_t enter_corners(const search_t * search, int32_t node)
{
  const fw__graph_t * graph = search->graph;
  const fw__node_t * to = &graph->nodes[node];
  const fw_offset_t from = position(&graph->grid, graph->nodes[node - 1].pose.cell);
  const fw_offset_t end = position(&graph->grid, to->pose.cell);
  if (from.dx == end.dx || from.dy == end.dy) {
    return FW_RET_OK;
  }
  const fw_offset_t low = {from.dx < end.dx ? end.dx : from.dx, from.dy < end.dy ? end.dy : from.dy};
  const fw_footprint_t standing = fw__shape_standing(graph->shapes[to->robot], to->pose.heading);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; i < standing.count && ret == FW_RET_OK; ++i) {
    const int32_t x = low.dx + standing.cells[i].dx;
    const int32_t y = low.dy + standing.cells[i].dy;
    const owner_t next = {.robot = to->robot, .leave = node - graph->first[to->robot]};
    ret = enter(search, &search->corners[y * (graph->grid.width + 1) + x], node, next, to->pose.cell);
  }
  return ret;
}

// Then everybody enters what it does not stand on yet.
static fw_ret_t enter_cells(const search_t * search, int32_t node)
{
  const fw__graph_t * graph = search->graph;
  const fw__node_t * to = &graph->nodes[node];
  const fw__swept_t swept = fw__graph_swept(graph, node);
  const fw_offset_t at = position(&graph->grid, swept.origin);
  const fw_grid_pose_t from = graph->nodes[node - 1].pose;
  fw_ret_t ret = FW_RET_OK;
  for (int32_t part = to->is_back ? 0 : 1; part < 2; ++part) {
    const fw_footprint_t cells = swept.parts[part];
    for (int32_t i = 0; i < cells.count && ret == FW_RET_OK; ++i) {
      const fw_offset_t spot = {at.dx + cells.cells[i].dx, at.dy + cells.cells[i].dy};
      if (to->is_back && fw__shape_stands_on(graph->shapes[to->robot], &graph->grid, from, spot)) {
        continue;
      }
      const fw_cell_t cell = fw_grid_cell(&graph->grid, spot.dx, spot.dy);
      const owner_t next = {.robot = to->robot, .leave = leave_of(search, node, spot)};
      ret = enter(search, &search->cells[cell], node, next, cell);
    }
  }
  return ret == FW_RET_OK && search->corners != NULL ? enter_corners(search, node) : ret;
}

static fw_ret_t settle_starts(const search_t * search)
{
  const fw__graph_t * graph = search->graph;
  for (int32_t robot = 0; robot < graph->slot_count; ++robot) {
    if (fw__way_count(graph, robot) == 0) {
      continue;
    }
    const fw_grid_pose_t pose = fw__way_node(graph, robot, 0)->pose;
    const fw_footprint_t standing = fw__shape_standing(graph->shapes[robot], pose.heading);
    for (int32_t i = 0; i < standing.count; ++i) {
      const fw_offset_t at = position(&graph->grid, pose.cell);
      const fw_cell_t cell = fw_grid_cell(&graph->grid, at.dx + standing.cells[i].dx, at.dy + standing.cells[i].dy);
      if (search->cells[cell].robot >= 0) {
        return refuse(search, robot, search->cells[cell].robot, cell);
      }
      search->cells[cell] = (owner_t){.robot = robot, .leave = 1};
    }
  }
  return FW_RET_OK;
}

// ---- in the order of departures -------------------------------------------------------------------------------------

typedef struct departures_t {
  int32_t * first;  // by tick, from the earliest on
  int32_t * nodes;
  int32_t tick_count;
} departures_t;

static bool sort_departures(const fw__making_t * making, departures_t * departures)
{
  const fw__graph_t * graph = making->graph;
  int32_t low = INT32_MAX, high = INT32_MIN, count = 0;
  for (int32_t n = 1; n < graph->node_count; ++n) {
    if (graph->nodes[n].robot == graph->nodes[n - 1].robot) {
      low = graph->nodes[n].depart < low ? graph->nodes[n].depart : low;
      high = graph->nodes[n].depart > high ? graph->nodes[n].depart : high;
      ++count;
    }
  }
  departures->tick_count = count == 0 ? 0 : high - low + 1;
  departures->first = fw__arena_allocate_zeroed(making->scratch, (size_t)departures->tick_count + 2, sizeof(int32_t));
  departures->nodes = fw__arena_allocate(making->scratch, (size_t)count + 1, sizeof(int32_t));
  if (departures->first == NULL || departures->nodes == NULL) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t n = 1; n < graph->node_count; ++n) {
      if (graph->nodes[n].robot == graph->nodes[n - 1].robot) {
        int32_t * place = &departures->first[graph->nodes[n].depart - low + (pass == 0 ? 2 : 1)];
        if (pass == 1) {
          departures->nodes[*place] = n;
        }
        ++*place;
      }
    }
    for (int32_t t = 2; pass == 0 && t <= departures->tick_count + 1; ++t) {
      departures->first[t] += departures->first[t - 1];
    }
  }
  return true;
}

fw_ret_t fw__graph_find_dependencies(const fw__making_t * making, fw__edges_t * edges)
{
  fw__graph_t * graph = making->graph;
  const size_t cells = (size_t)fw_grid_cell_count(&graph->grid);
  const size_t corners =
    graph->problem.connectivity == 8 ? ((size_t)graph->grid.width + 1) * ((size_t)graph->grid.height + 1) : 0;
  search_t search = {.making = making, .graph = graph, .edges = edges};
  search.cells = fw__arena_allocate(making->scratch, cells + corners, sizeof(owner_t));
  departures_t departures = {0};
  if (search.cells == NULL || !sort_departures(making, &departures)) {
    return fw__error_memory(making->error);
  }
  memset(search.cells, 0xff, (cells + corners) * sizeof(owner_t));  // -1: nobody
  search.corners = corners > 0 ? search.cells + cells : NULL;
  fw_ret_t ret = settle_starts(&search);
  for (int32_t tick = 0; tick < departures.tick_count && ret == FW_RET_OK; ++tick) {
    const int32_t end = departures.first[tick + 1];
    for (int32_t i = departures.first[tick]; i < end && ret == FW_RET_OK; ++i) {
      ret = announce(&search, departures.nodes[i]);
    }
    for (int32_t i = departures.first[tick]; i < end && ret == FW_RET_OK; ++i) {
      ret = enter_cells(&search, departures.nodes[i]);
    }
  }
  return ret;
}
