// Building the dependency graph: self dependencies, dependencies between robots, topological order, transitive
// reduction; and its validation.

#include "execution/dependency_graph.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"

fw_swept_cells_t fw__dependency_graph_swept(const fw_dependency_graph_t * graph, int32_t node)
{
  FW_ASSERT(node > 0 && node < graph->node_count && graph->nodes[node].robot == graph->nodes[node - 1].robot);
  const fw_dependency_node_t * to = &graph->nodes[node];
  const fw_grid_pose_t from = graph->nodes[node - 1].pose;
  const fw_sweep_table_t * table = graph->sweep_tables[to->robot];
  return to->is_reverse ? fw__sweep_table_motion(table, &graph->grid, to->pose, from)
                        : fw__sweep_table_motion(table, &graph->grid, from, to->pose);
}

// Memory is checked once per phase.
static bool has_memory(const fw_dependency_graph_build_t * build)
{
  return !fw__arena_has_failed(build->scratch) && !fw__arena_has_failed(&build->graph->arena);
}

// A phase may use a value for each cell and, on an eight-connected grid, for each corner of cells, where diagonals
// cross.
static size_t count_corners(const fw_dependency_graph_t * graph)
{
  return graph->problem.connectivity == 8 ? ((size_t)graph->grid.width + 1) * ((size_t)graph->grid.height + 1) : 0;
}

// ---- lists of edges -------------------------------------------------------------------------------------------------

typedef struct edge_list_t {
  fw_dependency_edge_t * items;
  int32_t count;
  int32_t capacity;
} edge_list_t;

// Edges sorted by target, in compressed sparse row form: those of node n are items[first[n]] to items[first[n + 1] -
// 1].
typedef struct edge_rows_t {
  int32_t * first;
  fw_dependency_edge_t * items;
} edge_rows_t;

// A stable copy. The caller checks the arena before it uses the result.
static edge_rows_t sort_by_target(const edge_list_t * edges, int32_t node_count, fw_arena_t * arena)
{
  edge_rows_t rows = {
    .first = fw__arena_allocate_zeroed(arena, (size_t)node_count + 2, sizeof(*rows.first)),
    .items = fw__arena_allocate(arena, (size_t)edges->count + 1, sizeof(*rows.items)),
  };
  if (rows.first == NULL || rows.items == NULL) {
    return (edge_rows_t){0};
  }
  // Counting sort. first[n + 2] counts row n; summed up, first[n + 1] is where row n begins and, once filled, where it
  // ends.
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

// The targets of each node.
static void list_by_source(fw_dependency_graph_t * graph, const edge_list_t * edges)
{
  graph->out_first = fw__arena_allocate_zeroed(&graph->arena, (size_t)graph->node_count + 2, sizeof(int32_t));
  graph->out = fw__arena_allocate(&graph->arena, (size_t)edges->count + 1, sizeof(int32_t));
  if (graph->out_first == NULL || graph->out == NULL) {
    return;
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
}

// ---- self dependencies ----------------------------------------------------------------------------------------------

// The last robot at a place, and its node there.
typedef struct visit_t {
  int32_t robot;
  int32_t node;
} visit_t;

typedef struct visits_t {
  visit_t * cells;
  visit_t * corners;  // of the grid's (width + 1) x (height + 1); NULL without diagonals
} visits_t;

// Returns the node of the robot's visit before, -1 if there was none.
static int32_t note_visit(visit_t * visit, int32_t robot, int32_t node)
{
  const int32_t before = visit->robot == robot ? visit->node : -1;
  *visit = (visit_t){.robot = robot, .node = node};
  return before;
}

// The corner that a diagonal move passes, -1 for other motions.
static int32_t corner_between(const fw_grid_t * grid, fw_cell_t a, fw_cell_t b)
{
  const int32_t ax = fw_grid_x(grid, a), bx = fw_grid_x(grid, b);
  const int32_t ay = fw_grid_y(grid, a), by = fw_grid_y(grid, b);
  return ax == bx || ay == by ? -1 : (ay > by ? ay : by) * (grid->width + 1) + (ax > bx ? ax : bx);
}

// A released path must not touch itself, so that a measured position is at one place of it only. A node on a cell where
// the robot has been before waits until the robot is one waypoint further than that; a node whose motion crosses an
// older one waits until that is over. While a robot turns on a cell, the same holds for its headings.
static void set_self_dependencies(fw_dependency_graph_t * graph, int32_t robot, visits_t visits)
{
  int32_t begin = 0;                // the first node on the present cell
  int32_t faced[FW_HEADING_COUNT];  // the last node with that heading
  memset(faced, 0xff, sizeof(faced));
  for (int32_t m = 0; m < fw__dependency_graph_count(graph, robot); ++m) {
    fw_dependency_node_t * node = fw__dependency_graph_node(graph, robot, m);
    const bool is_turn = m > 0 && node[-1].pose.cell == node->pose.cell;
    const int32_t visited = note_visit(&visits.cells[node->pose.cell], robot, m);
    begin = is_turn ? begin : m;
    const bool has_faced = is_turn && faced[node->pose.heading] >= begin;
    const int32_t before = !is_turn ? visited : has_faced ? faced[node->pose.heading] : -1;
    faced[node->pose.heading] = m;
    node->self_dependency = before < 0 ? 0 : before + 1;
    const int32_t corner = m > 0 ? corner_between(&graph->grid, node[-1].pose.cell, node->pose.cell) : -1;
    if (corner >= 0) {
      FW_ASSERT(visits.corners != NULL);
      const int32_t crossed = note_visit(&visits.corners[corner], robot, m);
      node->self_dependency = crossed > node->self_dependency ? crossed : node->self_dependency;
    }
  }
}

static fw_ret_t find_self_dependencies(const fw_dependency_graph_build_t * build)
{
  fw_dependency_graph_t * graph = build->graph;
  const size_t cells = (size_t)fw_grid_cell_count(&graph->grid);
  const size_t corners = count_corners(graph);
  visits_t visits = {.cells = fw__arena_allocate(build->scratch, cells + corners, sizeof(visit_t))};
  if (visits.cells == NULL) {
    return fw__error_memory(build->error);
  }
  memset(visits.cells, 0xff, (cells + corners) * sizeof(visit_t));
  visits.corners = corners > 0 ? visits.cells + cells : NULL;
  for (int32_t robot = 0; robot < graph->slot_count; ++robot) {
    set_self_dependencies(graph, robot, visits);
  }
  return FW_RET_OK;
}

// ---- dependencies between robots ------------------------------------------------------------------------------------

// All motions of all robots are processed in the order of their departures, with a map of owners: which robot used a
// cell last, and which of its nodes it must reach to have left it. A robot that enters a cell depends on its owner and
// becomes the owner. Successive visits to a cell are thus linked by an edge, earlier visits are waited for
// transitively, and the work is linear in what the motions sweep. Corners of cells, where diagonals cross, are owned
// like cells.
//
//   cell (4,7):   A enters, leaves with its node 3  ->  B enters on the way to its node 8, leaves with 9  ->  C ...
//                                        (A, 3) -----------> (B, 8)            (B, 9) ----------> (C, ..)
//
// No dependency is left out, whatever the plan is like. A plan in which two robots meet gives an edge against the order
// of time, which refuse_backward() finds, or an owner that never leaves, which is refused here.

// The robot that used a place last.
typedef struct owner_t {
  int32_t robot;  // -1: none yet
  int32_t leave;  // the node on its path with which it has left
} owner_t;

typedef struct dependency_search_t {
  const fw_dependency_graph_build_t * build;
  fw_dependency_graph_t * graph;
  owner_t * cells;
  owner_t * corners;
  edge_list_t * edges;
} dependency_search_t;

static fw_offset_t position(const fw_grid_t * grid, fw_cell_t cell)
{
  return (fw_offset_t){fw_grid_x(grid, cell), fw_grid_y(grid, cell)};
}

static fw_ret_t refuse_conflict(const dependency_search_t * search, int32_t robot, int32_t other, fw_cell_t cell)
{
  const fw_grid_t * grid = &search->graph->grid;
  return fw__error_at(
    search->build->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, cell},
    "robot %d is to enter (%d,%d), where robot %d stays: the plan has a conflict", robot, fw_grid_x(grid, cell),
    fw_grid_y(grid, cell), other);
}

// Without memory the edge is dropped and the arena remembers.
static void add_edge(const dependency_search_t * search, fw_dependency_edge_t edge)
{
  edge_list_t * edges = search->edges;
  if (edges->count == edges->capacity) {
    fw_dependency_edge_t * larger =
      fw__arena_grow(search->build->scratch, edges->items, sizeof(*edges->items), &edges->capacity);
    if (larger == NULL) {
      return;
    }
    edges->items = larger;
  }
  edges->items[edges->count++] = edge;
}

// A motion that enters a cell, and with which node its robot will have left it.
typedef struct entry_t {
  int32_t node;
  fw_cell_t cell;
  owner_t next;
} entry_t;

// A robot enters a place whose last user may be another robot: that one must have left.
static fw_ret_t enter(const dependency_search_t * search, owner_t * owner, entry_t entry)
{
  const owner_t before = *owner;
  *owner = entry.next;
  if (before.robot < 0 || before.robot == entry.next.robot) {
    return FW_RET_OK;
  }
  if (before.leave >= fw__dependency_graph_count(search->graph, before.robot)) {
    return refuse_conflict(search, entry.next.robot, before.robot, entry.cell);
  }
  const int32_t source = search->graph->first[before.robot] + before.leave;
  add_edge(search, (fw_dependency_edge_t){.source = source, .target = entry.node, .cell = entry.cell});
  return FW_RET_OK;
}

// The node with which a robot has left a cell of its motion: that of the motion, or the next one if the robot still
// stands on the cell at the end of the motion.
static int32_t leave_of(const dependency_search_t * search, int32_t node, fw_offset_t at)
{
  const fw_dependency_graph_t * graph = search->graph;
  const fw_dependency_node_t * to = &graph->nodes[node];
  const int32_t m = node - graph->first[to->robot];
  return m + (fw__sweep_table_stands_on(graph->sweep_tables[to->robot], &graph->grid, to->pose, at) ? 1 : 0);
}

// First, all robots that depart in a tick set when they will have left where they stand: others may enter in the same
// tick (following).
static fw_ret_t depart_cells(const dependency_search_t * search, int32_t node)
{
  const fw_dependency_graph_t * graph = search->graph;
  const fw_grid_pose_t from = graph->nodes[node - 1].pose;
  const int32_t robot = graph->nodes[node].robot;
  const fw_footprint_t standing = fw__sweep_table_standing(graph->sweep_tables[robot], from.heading);
  const fw_offset_t at = position(&graph->grid, from.cell);
  for (int32_t i = 0; i < standing.count; ++i) {
    const fw_offset_t spot = {at.dx + standing.cells[i].dx, at.dy + standing.cells[i].dy};
    const fw_cell_t cell = fw_grid_cell(&graph->grid, spot.dx, spot.dy);
    if (search->cells[cell].robot != robot) {
      return refuse_conflict(search, search->cells[cell].robot, robot, cell);
    }
    search->cells[cell].leave = leave_of(search, node, spot);
  }
  return FW_RET_OK;
}

// A diagonal move uses one corner for each cell of the footprint.
static fw_ret_t enter_corners(const dependency_search_t * search, int32_t node)
{
  const fw_dependency_graph_t * graph = search->graph;
  const fw_dependency_node_t * to = &graph->nodes[node];
  const fw_offset_t from = position(&graph->grid, graph->nodes[node - 1].pose.cell);
  const fw_offset_t end = position(&graph->grid, to->pose.cell);
  if (from.dx == end.dx || from.dy == end.dy) {
    return FW_RET_OK;
  }
  const fw_offset_t low = {from.dx < end.dx ? end.dx : from.dx, from.dy < end.dy ? end.dy : from.dy};
  const fw_footprint_t standing = fw__sweep_table_standing(graph->sweep_tables[to->robot], to->pose.heading);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; i < standing.count && ret == FW_RET_OK; ++i) {
    const int32_t x = low.dx + standing.cells[i].dx;
    const int32_t y = low.dy + standing.cells[i].dy;
    const owner_t next = {.robot = to->robot, .leave = node - graph->first[to->robot]};
    owner_t * owner = &search->corners[y * (graph->grid.width + 1) + x];
    ret = enter(search, owner, (entry_t){.node = node, .cell = to->pose.cell, .next = next});
  }
  return ret;
}

// Then they enter the cells on which they do not stand yet.
static fw_ret_t enter_cells(const dependency_search_t * search, int32_t node)
{
  const fw_dependency_graph_t * graph = search->graph;
  const fw_dependency_node_t * to = &graph->nodes[node];
  const fw_swept_cells_t swept = fw__dependency_graph_swept(graph, node);
  const fw_offset_t at = position(&graph->grid, swept.origin);
  const fw_grid_pose_t from = graph->nodes[node - 1].pose;
  fw_ret_t ret = FW_RET_OK;
  for (int32_t part = to->is_reverse ? 0 : 1; part < 2; ++part) {
    const fw_footprint_t cells = swept.parts[part];
    for (int32_t i = 0; i < cells.count && ret == FW_RET_OK; ++i) {
      const fw_offset_t spot = {at.dx + cells.cells[i].dx, at.dy + cells.cells[i].dy};
      if (to->is_reverse && fw__sweep_table_stands_on(graph->sweep_tables[to->robot], &graph->grid, from, spot)) {
        continue;
      }
      const fw_cell_t cell = fw_grid_cell(&graph->grid, spot.dx, spot.dy);
      const owner_t next = {.robot = to->robot, .leave = leave_of(search, node, spot)};
      ret = enter(search, &search->cells[cell], (entry_t){.node = node, .cell = cell, .next = next});
    }
  }
  return ret == FW_RET_OK && search->corners != NULL ? enter_corners(search, node) : ret;
}

// All robots own the cells on which they stand at their first nodes.
static fw_ret_t own_starts(const dependency_search_t * search)
{
  const fw_dependency_graph_t * graph = search->graph;
  for (int32_t robot = 0; robot < graph->slot_count; ++robot) {
    if (fw__dependency_graph_count(graph, robot) == 0) {
      continue;
    }
    const fw_grid_pose_t pose = fw__dependency_graph_node(graph, robot, 0)->pose;
    const fw_footprint_t standing = fw__sweep_table_standing(graph->sweep_tables[robot], pose.heading);
    for (int32_t i = 0; i < standing.count; ++i) {
      const fw_offset_t at = position(&graph->grid, pose.cell);
      const fw_cell_t cell = fw_grid_cell(&graph->grid, at.dx + standing.cells[i].dx, at.dy + standing.cells[i].dy);
      if (search->cells[cell].robot >= 0) {
        return refuse_conflict(search, robot, search->cells[cell].robot, cell);
      }
      search->cells[cell] = (owner_t){.robot = robot, .leave = 1};
    }
  }
  return FW_RET_OK;
}

// Nodes that are the end of a motion, by tick of departure.
typedef struct departures_t {
  int32_t * first;  // by tick, from the earliest on
  int32_t * nodes;
  int32_t tick_count;
} departures_t;

// A counting sort, as in sort_by_target. The caller checks the arena before it uses the result.
static departures_t sort_departures(const fw_dependency_graph_build_t * build)
{
  const fw_dependency_graph_t * graph = build->graph;
  int32_t low = INT32_MAX, high = INT32_MIN, count = 0;
  for (int32_t n = 1; n < graph->node_count; ++n) {
    if (graph->nodes[n].robot == graph->nodes[n - 1].robot) {
      low = graph->nodes[n].depart < low ? graph->nodes[n].depart : low;
      high = graph->nodes[n].depart > high ? graph->nodes[n].depart : high;
      ++count;
    }
  }
  departures_t departures = {.tick_count = count == 0 ? 0 : high - low + 1};
  departures.first = fw__arena_allocate_zeroed(build->scratch, (size_t)departures.tick_count + 2, sizeof(int32_t));
  departures.nodes = fw__arena_allocate(build->scratch, (size_t)count + 1, sizeof(int32_t));
  if (departures.first == NULL || departures.nodes == NULL) {
    return (departures_t){0};
  }
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t n = 1; n < graph->node_count; ++n) {
      if (graph->nodes[n].robot == graph->nodes[n - 1].robot) {
        int32_t * place = &departures.first[graph->nodes[n].depart - low + (pass == 0 ? 2 : 1)];
        if (pass == 1) {
          departures.nodes[*place] = n;
        }
        ++*place;
      }
    }
    for (int32_t t = 2; pass == 0 && t <= departures.tick_count + 1; ++t) {
      departures.first[t] += departures.first[t - 1];
    }
  }
  return departures;
}

static fw_ret_t find_dependencies(const fw_dependency_graph_build_t * build, edge_list_t * edges)
{
  fw_dependency_graph_t * graph = build->graph;
  const size_t cells = (size_t)fw_grid_cell_count(&graph->grid);
  const size_t corners = count_corners(graph);
  dependency_search_t search = {.build = build, .graph = graph, .edges = edges};
  search.cells = fw__arena_allocate(build->scratch, cells + corners, sizeof(owner_t));
  const departures_t departures = sort_departures(build);
  if (!has_memory(build)) {
    return fw__error_memory(build->error);
  }
  memset(search.cells, 0xff, (cells + corners) * sizeof(owner_t));  // -1: none
  search.corners = corners > 0 ? search.cells + cells : NULL;
  fw_ret_t ret = own_starts(&search);
  for (int32_t tick = 0; tick < departures.tick_count && ret == FW_RET_OK; ++tick) {
    const int32_t end = departures.first[tick + 1];
    for (int32_t i = departures.first[tick]; i < end && ret == FW_RET_OK; ++i) {
      ret = depart_cells(&search, departures.nodes[i]);
    }
    for (int32_t i = departures.first[tick]; i < end && ret == FW_RET_OK; ++i) {
      ret = enter_cells(&search, departures.nodes[i]);
    }
  }
  return ret == FW_RET_OK && !has_memory(build) ? fw__error_memory(build->error) : ret;
}

// ---- areas without waiting ------------------------------------------------------------------------------------------

// A plan lets no robot wait in such an area, but robots that drive as soon as they may would: the plan's waits before
// the area are gone from the graph. So before a robot enters, all that it depends on until it has left the area must be
// as far as the plan has it at that moment: the nodes of others that it waits for inside, those that these wait for,
// and so on, as long as they are reached after the robot enters. For a node that is reached before, there is an edge to
// the entrance; of a robot that is to go on until then, from the last node that it has reached by then. Such an edge
// leads from an arrival to a later departure, so that no cycle comes into being.

enum { CLOSURE_MAX = 512 };  // nodes that are looked at for one entrance: bounds the work, at the cost of some edges

typedef struct entrance_search_t {
  dependency_search_t edges;  // where edges are added
  edge_rows_t rows;           // those of before, by target
  int32_t * stamps;           // by node: the entrance for which it was looked at last
  int32_t stack[CLOSURE_MAX];
  int32_t count;   // on the stack
  int32_t looked;  // at nodes for this entrance
} entrance_search_t;

static bool may_wait(const fw_dependency_graph_t * graph, int32_t node)
{
  return fw_grid_allows_waiting(&graph->grid, graph->nodes[node].pose.cell);
}

// Puts the sources of a node on the stack.
static void push_sources(entrance_search_t * search, int32_t node)
{
  for (int32_t i = search->rows.first[node]; i < search->rows.first[node + 1]; ++i) {
    if (search->count < CLOSURE_MAX) {
      search->stack[search->count++] = search->rows.items[i].source;
    }
  }
}

// Follows a robot back from a node to the last one that it has reached when the robot at the entrance departs.
static void follow_back(entrance_search_t * search, int32_t entrance, int32_t node)
{
  const fw_dependency_graph_t * graph = search->edges.graph;
  const int32_t first = graph->first[graph->nodes[node].robot];
  const int32_t depart = graph->nodes[entrance].depart;
  while (node > first && graph->nodes[node].arrive > depart) {
    if (search->stamps[node] == entrance || search->looked == CLOSURE_MAX) {
      return;
    }
    search->stamps[node] = entrance;
    ++search->looked;
    push_sources(search, node--);
  }
  if (node > first && search->stamps[node] != entrance) {
    search->stamps[node] = entrance;
    const fw_cell_t cell = graph->nodes[entrance].pose.cell;
    add_edge(&search->edges, (fw_dependency_edge_t){.source = node, .target = entrance, .cell = cell});
  }
}

// The edges of one entrance, the first node of an area.
static void add_entrance(entrance_search_t * search, int32_t entrance)
{
  const fw_dependency_graph_t * graph = search->edges.graph;
  const int32_t robot = graph->nodes[entrance].robot;
  search->count = search->looked = 0;
  for (int32_t node = entrance + 1; node < graph->first[robot + 1] && !may_wait(graph, node - 1); ++node) {
    push_sources(search, node);
    while (search->count > 0) {
      const int32_t source = search->stack[--search->count];
      if (graph->nodes[source].robot != robot) {
        follow_back(search, entrance, source);
      }
    }
  }
}

static fw_ret_t add_entrances(const fw_dependency_graph_build_t * build, edge_list_t * edges)
{
  const fw_dependency_graph_t * graph = build->graph;
  if (graph->grid.rules == NULL) {
    return FW_RET_OK;
  }
  entrance_search_t search = {.edges = {.build = build, .graph = build->graph, .edges = edges}};
  search.rows = sort_by_target(edges, graph->node_count, build->scratch);
  search.stamps = fw__arena_allocate_zeroed(build->scratch, (size_t)graph->node_count + 1, sizeof(*search.stamps));
  for (int32_t robot = 0; robot < graph->slot_count && has_memory(build); ++robot) {
    const int32_t first = graph->first[robot];
    for (int32_t node = first + build->released[robot] + 1; node < graph->first[robot + 1]; ++node) {
      if (!may_wait(graph, node) && (may_wait(graph, node - 1) || node == first + 1)) {  // where it stands it may wait
        add_entrance(&search, node);
      }
    }
  }
  return has_memory(build) ? FW_RET_OK : fw__error_memory(build->error);
}

// ---- crossings of such areas ----------------------------------------------------------------------------------------

// If one of those is delayed after the robot has entered, it would wait inside. So a robot is held before the area
// until all dependencies of the whole crossing are settled. Of another robot that itself crosses such an area, it is
// enough that it has entered: it goes on, and robots can follow each other. A hold leads against the clock of the plan
// and is no edge of the graph. It is added only if, with all holds before it, no cycle comes into being: others may
// wait for the space that the robot leaves when it enters.

typedef struct crossing_search_t {
  fw_dependency_graph_t * graph;
  int32_t * stamps;  // by node: the last entrance from which it was reached
  int32_t * stack;   // of nodes
  int32_t hold_count;
  int64_t visits_left;  // bounds the work
  int32_t count;        // on the stack
} crossing_search_t;

static void push_node(crossing_search_t * search, int32_t node, int32_t entrance)
{
  if (search->stamps[node] != entrance) {
    search->stamps[node] = entrance;
    search->stack[search->count++] = node;
  }
}

// Stamps all nodes that are reached only after the robot has entered. False if that takes too long.
static bool stamp_successors(crossing_search_t * search, int32_t entrance)
{
  const fw_dependency_graph_t * graph = search->graph;
  search->count = 0;
  push_node(search, entrance, entrance);
  while (search->count > 0 && search->visits_left > 0) {
    const int32_t node = search->stack[--search->count];
    --search->visits_left;
    if (node + 1 < graph->first[graph->nodes[node].robot + 1]) {
      push_node(search, node + 1, entrance);
    }
    for (int32_t i = graph->out_first[node]; i < graph->out_first[node + 1]; ++i) {
      push_node(search, graph->out[i], entrance);
    }
    for (int32_t i = graph->last_hold[node]; i > 0; i = graph->next_hold[i - 1]) {
      push_node(search, graph->holds[i - 1].target, entrance);
    }
  }
  return search->count == 0;
}

// The node where a crossing ends, beyond the area or at the end of the path; -1 if there is nothing to hold it for.
static int32_t find_crossing(const fw_dependency_graph_t * graph, int32_t entrance)
{
  const int32_t end = graph->first[graph->nodes[entrance].robot + 1];
  int32_t last = entrance, edges = 0;
  bool has_ring = graph->nodes[entrance].ring >= 0;  // rings rotate as a whole
  while (last + 1 < end && !may_wait(graph, last)) {
    ++last;
    edges += graph->in_first[last + 1] - graph->in_first[last];
    has_ring = has_ring || graph->nodes[last].ring >= 0;
  }
  return edges > 0 && !has_ring ? last : -1;
}

// Where a robot has entered the area through which it comes to a node; the node itself if it comes through none.
static int32_t find_entrance(const fw_dependency_graph_t * graph, int32_t node)
{
  const int32_t first = graph->first[graph->nodes[node].robot];
  while (node > first + 1 && !may_wait(graph, node - 1)) {
    --node;
  }
  return node;
}

static void hold_crossing(crossing_search_t * search, int32_t entrance)
{
  fw_dependency_graph_t * graph = search->graph;
  const int32_t last = find_crossing(graph, entrance);
  if (last < 0 || !stamp_successors(search, entrance)) {
    return;
  }
  for (int32_t i = graph->in_first[entrance + 1]; i < graph->in_first[last + 1]; ++i) {
    const int32_t source = find_entrance(graph, graph->in[i].source);
    if (search->stamps[source] != entrance) {
      graph->holds[search->hold_count] =
        (fw_dependency_edge_t){.source = source, .target = entrance, .cell = graph->in[i].cell};
      graph->next_hold[search->hold_count] = graph->last_hold[source];
      graph->last_hold[source] = ++search->hold_count;
    }
  }
}

static fw_ret_t hold_crossings(const fw_dependency_graph_build_t * build)
{
  enum { VISITS_PER_NODE = 32 };
  fw_dependency_graph_t * graph = build->graph;
  const size_t count = (size_t)graph->node_count + 1, edges = (size_t)graph->edge_count + 1;
  graph->hold_first = NULL;
  graph->holds = NULL;
  if (graph->grid.rules == NULL) {
    return FW_RET_OK;
  }
  crossing_search_t search = {
    .graph = graph,
    .stamps = fw__arena_allocate_zeroed(build->scratch, count, sizeof(int32_t)),
    .stack = fw__arena_allocate(build->scratch, count, sizeof(int32_t)),
    .visits_left = VISITS_PER_NODE * (int64_t)count,
  };
  graph->hold_first = fw__arena_allocate_zeroed(&graph->arena, count + 1, sizeof(*graph->hold_first));
  graph->holds = fw__arena_allocate(&graph->arena, edges, sizeof(*graph->holds));
  graph->last_hold = fw__arena_allocate_zeroed(&graph->arena, count, sizeof(*graph->last_hold));
  graph->next_hold = fw__arena_allocate(&graph->arena, edges, sizeof(*graph->next_hold));
  if (!has_memory(build)) {
    return fw__error_memory(build->error);
  }
  for (int32_t node = 0; node < graph->node_count; ++node) {
    const int32_t robot = graph->nodes[node].robot, first = graph->first[robot];
    graph->hold_first[node] = search.hold_count;
    if (
      node > first + build->released[robot] && !may_wait(graph, node) &&
      (may_wait(graph, node - 1) || node == first + 1)) {
      hold_crossing(&search, node);
    }
  }
  graph->hold_first[graph->node_count] = search.hold_count;
  return FW_RET_OK;
}

// ---- topological order and rings ------------------------------------------------------------------------------------

// The plan's clock nearly gives the order already. With robust_ticks 1 or more an edge leads from an arrival to a
// strictly later one, so the graph has no cycle. Without, a robot may enter what another leaves in the same tick: both
// arrive at the same time, and such edges may close a ring. Within each tick the strongly connected components are
// found (Tarjan 1972, without recursion). It follows edges backwards and so lists sources first.

typedef struct scc_frame_t {
  int32_t node;
  int32_t next;  // the edge to follow, an index of rows.items
} scc_frame_t;

typedef struct scc_search_t {
  const fw_dependency_graph_build_t * build;
  fw_dependency_graph_t * graph;
  edge_rows_t rows;
  int32_t * number;  // by node: when it was found, from 1; 0: not yet
  int32_t * low;     // by node: the smallest number known to be reachable from it
  bool * is_open;    // by node: on the stack
  int32_t * stack;
  int32_t stack_count;
  scc_frame_t * frames;
  int32_t frame_count;
  int32_t found_count;
  int32_t order_count;
  int32_t ring_node_count;
} scc_search_t;

static bool is_first(const fw_dependency_graph_t * graph, int32_t node)
{
  return node == graph->first[graph->nodes[node].robot];
}

// "robots 3, 4 and 7 rotate in a ring: ..."
static fw_ret_t refuse_ring(const scc_search_t * search, const int32_t * nodes, int32_t count)
{
  enum { NAMED_MAX = 8 };
  char names[96] = "";
  size_t length = 0;
  for (int32_t i = 0; i < count && i < NAMED_MAX; ++i) {
    const char * before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
    const int32_t robot = search->graph->nodes[nodes[i]].robot;
    length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%d", before, robot);
  }
  const fw_dependency_node_t * node = &search->graph->nodes[nodes[0]];
  (void)fw__error_at(
    search->build->error, (fw_error_detail_t){FW_FAULT_INVALID, node->robot, node->pose.cell},
    "robots %s%s rotate in a ring: plan with robust_ticks 1 or more, or allow rings (FW_RINGS_TOGETHER)", names,
    count > NAMED_MAX ? ", …" : "");
  return FW_RET_UNSUPPORTED;
}

// The nodes from `from` on the stack are one strongly connected component: a single node, or a ring.
static fw_ret_t close_component(scc_search_t * search, int32_t from)
{
  fw_dependency_graph_t * graph = search->graph;
  const int32_t count = search->stack_count - from;
  FW_ASSERT(from >= 0 && count > 0);
  const int32_t * nodes = search->stack + from;
  if (count > 1 && search->build->rings == FW_RINGS_REFUSED) {
    return refuse_ring(search, nodes, count);
  }
  for (int32_t i = 0; i < count; ++i) {
    search->is_open[nodes[i]] = false;
    graph->order_index[nodes[i]] = search->order_count;
    graph->topological_order[search->order_count++] = nodes[i];
    if (count > 1) {
      graph->nodes[nodes[i]].ring = graph->ring_count;
      graph->ring_nodes[search->ring_node_count++] = nodes[i];
    }
  }
  if (count > 1) {
    graph->ring_first[++graph->ring_count] = search->ring_node_count;
  }
  search->stack_count = from;
  return FW_RET_OK;
}

static void open_node(scc_search_t * search, int32_t node)
{
  search->number[node] = search->low[node] = ++search->found_count;
  search->is_open[node] = true;
  FW_ASSERT(search->stack_count < search->graph->node_count && search->frame_count < search->graph->node_count);
  search->stack[search->stack_count++] = node;
  search->frames[search->frame_count++] = (scc_frame_t){.node = node, .next = search->rows.first[node]};
}

// Puts `start` into the order, and before it all nodes of the same tick on which it depends.
static fw_ret_t search_from(scc_search_t * search, int32_t start)
{
  const fw_dependency_graph_t * graph = search->graph;
  open_node(search, start);
  while (search->frame_count > 0) {
    scc_frame_t * frame = &search->frames[search->frame_count - 1];
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
      const fw_ret_t ret = close_component(search, from);
      if (ret != FW_RET_OK) {
        return ret;
      }
    }
  }
  return FW_RET_OK;
}

// An edge from a later arrival to an earlier one cannot be in a plan that keeps the rules.
static fw_ret_t refuse_backward(const fw_dependency_graph_build_t * build, const edge_list_t * edges)
{
  const fw_dependency_graph_t * graph = build->graph;
  for (int32_t i = 0; i < edges->count; ++i) {
    const fw_dependency_edge_t edge = edges->items[i];
    const fw_dependency_node_t * source = &graph->nodes[edge.source];
    const fw_dependency_node_t * target = &graph->nodes[edge.target];
    if (source->arrive > target->arrive) {
      return fw__error_at(
        build->error, (fw_error_detail_t){FW_FAULT_INVALID, target->robot, edge.cell},
        "robot %d is to enter (%d,%d) before robot %d leaves it: the plan has a conflict", target->robot,
        fw_grid_x(&graph->grid, edge.cell), fw_grid_y(&graph->grid, edge.cell), source->robot);
    }
  }
  return FW_RET_OK;
}

// Nodes by arrival, in scratch; first nodes, which have no dependencies, before all others.
static int32_t * sort_arrivals(const fw_dependency_graph_build_t * build)
{
  const fw_dependency_graph_t * graph = build->graph;
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (int32_t n = 0; n < graph->node_count; ++n) {
    low = graph->nodes[n].arrive < low ? graph->nodes[n].arrive : low;
    high = graph->nodes[n].arrive > high ? graph->nodes[n].arrive : high;
  }
  const size_t keys = graph->node_count == 0 ? 1 : (size_t)(high - low) + 2;
  int32_t * first = fw__arena_allocate_zeroed(build->scratch, keys + 1, sizeof(*first));
  int32_t * nodes = fw__arena_allocate(build->scratch, (size_t)graph->node_count + 1, sizeof(*nodes));
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

static void allocate_search(scc_search_t * search, const edge_list_t * edges)
{
  fw_dependency_graph_t * graph = search->graph;
  fw_arena_t * scratch = search->build->scratch;
  const size_t count = (size_t)graph->node_count + 1;
  graph->topological_order = fw__arena_allocate(&graph->arena, count, sizeof(int32_t));
  graph->order_index = fw__arena_allocate(&graph->arena, count, sizeof(int32_t));
  graph->ring_nodes = fw__arena_allocate(&graph->arena, count, sizeof(int32_t));
  graph->ring_first = fw__arena_allocate_zeroed(&graph->arena, count, sizeof(int32_t));
  graph->ring_is_released = fw__arena_allocate_zeroed(&graph->arena, count, sizeof(bool));
  search->rows = sort_by_target(edges, graph->node_count, scratch);
  search->number = fw__arena_allocate_zeroed(scratch, count, sizeof(int32_t));
  search->low = fw__arena_allocate_zeroed(scratch, count, sizeof(int32_t));
  search->is_open = fw__arena_allocate_zeroed(scratch, count, sizeof(bool));
  search->stack = fw__arena_allocate(scratch, count, sizeof(int32_t));
  search->frames = fw__arena_allocate(scratch, count, sizeof(scc_frame_t));
}

static fw_ret_t find_topological_order(const fw_dependency_graph_build_t * build, const edge_list_t * edges)
{
  scc_search_t search = {.build = build, .graph = build->graph};
  fw_ret_t ret = refuse_backward(build, edges);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const int32_t * nodes = sort_arrivals(build);
  allocate_search(&search, edges);
  if (!has_memory(build)) {
    return fw__error_memory(build->error);
  }
  for (int32_t i = 0; i < build->graph->node_count && ret == FW_RET_OK; ++i) {
    if (search.number[nodes[i]] == 0) {
      ret = search_from(&search, nodes[i]);
    }
  }
  FW_ASSERT(ret != FW_RET_OK || search.order_count == build->graph->node_count);
  return ret;
}

// ---- transitive reduction -------------------------------------------------------------------------------------------

// Transitive reduction, as far as it is cheap: fewer edges to look at with every report.
//
// Between two robots an edge (A, i) -> (B, j) follows from (A, i') -> (B, j') with i' >= i and j' <= j: B has waited
// for more, and earlier. Over a third robot it follows from (A, i') -> (C, c') and (C, c) -> (B, j') with c' <= c. The
// first rule is applied in full; the second only among the last few edges of B and of C, where nearly all such cases
// are. In a graph without cycles, reachability stays the same however many such edges are removed. Edges within a ring
// are not waited for, so nothing follows from them, and with rings the second rule is not applied.

static bool is_in_ring(const fw_dependency_graph_t * graph, const fw_dependency_edge_t * edge)
{
  const int32_t ring = graph->nodes[edge->target].ring;
  return ring >= 0 && ring == graph->nodes[edge->source].ring;
}

// For a source robot: the furthest of its nodes on which robot `by` depends so far. Entries of other robots `by` are
// stale.
typedef struct awaited_t {
  int32_t by;
  int32_t node;
} awaited_t;

// The first rule for the edges of one node: keeps those that go further than `awaited`, one for each source robot, at
// the front of `edges`. Returns how many.
static int32_t keep_furthest(
  const fw_dependency_graph_t * graph, awaited_t * awaited, fw_dependency_edge_t * edges, int32_t count)
{
  int32_t kept = 0;
  for (int32_t i = 0; i < count; ++i) {
    const fw_dependency_edge_t edge = edges[i];
    const int32_t by = graph->nodes[edge.target].robot;
    awaited_t * last = &awaited[graph->nodes[edge.source].robot];
    if (is_in_ring(graph, &edge)) {
      edges[kept++] = edge;
    } else if (last->by != by || last->node < edge.source) {
      // An edge of this node from the same robot that does not go as far is replaced.
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

// Has robot C, when it is at node `until`, waited for `source` or a later node of the same robot? Looks at its last
// edges.
static bool waits_for(const fw_dependency_graph_t * graph, const edge_rows_t * rows, int32_t until, int32_t source)
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

// The second rule.
static bool follows_over_another(const fw_dependency_graph_t * graph, const edge_rows_t * rows, int32_t index)
{
  enum { EDGES_MAX = 6 };
  const fw_dependency_edge_t edge = rows->items[index];
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

static fw_ret_t reduce_edges(const fw_dependency_graph_build_t * build, edge_list_t * edges)
{
  fw_dependency_graph_t * graph = build->graph;
  const int32_t all = edges->count;
  awaited_t * awaited = fw__arena_allocate(build->scratch, (size_t)graph->slot_count + 1, sizeof(*awaited));
  edge_rows_t rows = sort_by_target(edges, graph->node_count, build->scratch);
  if (!has_memory(build)) {
    return fw__error_memory(build->error);
  }
  for (int32_t robot = 0; robot < graph->slot_count; ++robot) {
    awaited[robot].by = -1;
  }
  edges->count = 0;
  for (int32_t node = 0; node < graph->node_count; ++node) {
    fw_dependency_edge_t * row = rows.items + rows.first[node];
    const int32_t kept = keep_furthest(graph, awaited, row, rows.first[node + 1] - rows.first[node]);
    for (int32_t i = 0; i < kept; ++i) {
      edges->items[edges->count++] = row[i];
    }
  }
  if (graph->ring_count == 0) {
    rows = sort_by_target(edges, graph->node_count, build->scratch);
    if (!has_memory(build)) {
      return fw__error_memory(build->error);
    }
    const int32_t count = edges->count;
    edges->count = 0;
    for (int32_t i = 0; i < count; ++i) {
      if (!follows_over_another(graph, &rows, i)) {
        edges->items[edges->count++] = rows.items[i];
      }
    }
  }
  FW_ASSERT(edges->count <= all);
  graph->redundant_count = all - edges->count;
  return FW_RET_OK;
}

// ---- validation -----------------------------------------------------------------------------------------------------

// Offsets of `count` consecutive lists of `total` entries: they rise from 0 to the total.
static bool validate_offsets(const int32_t * first, int32_t count, int32_t total)
{
  for (int32_t i = 0; i < count; ++i) {
    if (first[i] > first[i + 1]) {
      return false;
    }
  }
  return first[0] == 0 && first[count] == total;
}

// Nodes of a robot are consecutive, in the order of arrival, and in the topological order.
static bool validate_nodes(const fw_dependency_graph_t * graph)
{
  for (int32_t robot = 0; robot < graph->slot_count; ++robot) {
    for (int32_t node = graph->first[robot]; node < graph->first[robot + 1]; ++node) {
      const fw_dependency_node_t * to = &graph->nodes[node];
      const int32_t at = node - graph->first[robot];
      const int32_t index = graph->order_index[node];
      const bool is_in_order = at == 0 || (to[-1].arrive <= to->arrive && to[-1].path_length <= to->path_length &&
                                           graph->order_index[node - 1] < index);
      if (
        to->robot != robot || !is_in_order || to->self_dependency < 0 || to->self_dependency > (at > 0 ? at - 1 : 0) ||
        to->ring < -1 || to->ring >= graph->ring_count || to->pose.cell < 0 ||
        to->pose.cell >= fw_grid_cell_count(&graph->grid) || index < 0 || index >= graph->node_count ||
        graph->topological_order[index] != node) {
        return false;
      }
    }
  }
  return true;
}

// Edges between different robots, forward in the topological order or within a ring; each is in both lists.
static bool validate_edges(const fw_dependency_graph_t * graph)
{
  for (int32_t node = 0; node < graph->node_count; ++node) {
    for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; ++i) {
      const fw_dependency_edge_t * edge = &graph->in[i];
      if (edge->target != node || edge->source < 0 || edge->source >= graph->node_count) {
        return false;
      }
      const fw_dependency_node_t * source = &graph->nodes[edge->source];
      const fw_dependency_node_t * target = &graph->nodes[node];
      const bool is_in_ring = source->ring >= 0 && source->ring == target->ring;
      const bool is_forward = graph->order_index[edge->source] < graph->order_index[node];
      bool is_listed = false;
      for (int32_t j = graph->out_first[edge->source]; j < graph->out_first[edge->source + 1]; ++j) {
        is_listed = is_listed || graph->out[j] == node;
      }
      if (source->robot == target->robot || !(is_forward || is_in_ring) || !is_listed) {
        return false;
      }
    }
  }
  return true;
}

// A ring has at least two nodes, and they know that they are in it.
static bool validate_rings(const fw_dependency_graph_t * graph)
{
  for (int32_t ring = 0; ring < graph->ring_count; ++ring) {
    if (graph->ring_first[ring + 1] - graph->ring_first[ring] < 2) {
      return false;
    }
    for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1]; ++i) {
      if (graph->nodes[graph->ring_nodes[i]].ring != ring) {
        return false;
      }
    }
  }
  return true;
}

// Holds are listed by target and by source, and lead to where waiting is forbidden.
static bool validate_holds(const fw_dependency_graph_t * graph)
{
  const int32_t count = graph->hold_first == NULL ? 0 : graph->hold_first[graph->node_count];
  if (count > 0 && (count > graph->edge_count || !validate_offsets(graph->hold_first, graph->node_count, count))) {
    return false;
  }
  int32_t listed = 0;
  for (int32_t node = 0; count > 0 && node < graph->node_count; ++node) {
    for (int32_t i = graph->hold_first[node]; i < graph->hold_first[node + 1]; ++i) {
      const fw_dependency_edge_t * hold = &graph->holds[i];
      const bool is_other = graph->nodes[hold->source].robot != graph->nodes[node].robot;
      if (hold->target != node || !is_other || may_wait(graph, node)) {
        return false;
      }
    }
    for (int32_t i = graph->last_hold[node]; i > 0; i = graph->next_hold[i - 1]) {
      listed += graph->holds[i - 1].source == node ? 1 : 0;
    }
  }
  return listed == count;
}

bool fw__dependency_graph_validate(const fw_dependency_graph_t * graph)
{
  if (graph->slot_count == 0) {
    return graph->node_count == 0 && graph->edge_count == 0;
  }
  return validate_offsets(graph->first, graph->slot_count, graph->node_count) &&
         validate_offsets(graph->in_first, graph->node_count, graph->edge_count) &&
         validate_offsets(graph->out_first, graph->node_count, graph->edge_count) && validate_nodes(graph) &&
         validate_edges(graph) && validate_rings(graph) && validate_holds(graph);
}

// ---- all phases -----------------------------------------------------------------------------------------------------

fw_ret_t fw__dependency_graph_build(const fw_dependency_graph_build_t * build)
{
  fw_dependency_graph_t * graph = build->graph;
  FW_ASSERT(graph->first != NULL && graph->first[graph->slot_count] == graph->node_count);
  edge_list_t edges = {0};
  fw_ret_t ret = find_self_dependencies(build);
  if (ret == FW_RET_OK) {
    ret = find_dependencies(build, &edges);
  }
  if (ret == FW_RET_OK) {
    ret = add_entrances(build, &edges);
  }
  if (ret == FW_RET_OK) {
    ret = find_topological_order(build, &edges);
  }
  if (ret == FW_RET_OK) {
    ret = reduce_edges(build, &edges);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  const edge_rows_t rows = sort_by_target(&edges, graph->node_count, &graph->arena);
  graph->in_first = rows.first;
  graph->in = rows.items;
  graph->edge_count = edges.count;
  const size_t words = (size_t)graph->node_count / 64 + 1;
  graph->dirty = fw__arena_allocate_zeroed(&graph->arena, words, sizeof(*graph->dirty));
  list_by_source(graph, &edges);
  if (!has_memory(build)) {
    return fw__error_memory(build->error);
  }
  ret = hold_crossings(build);
  if (ret != FW_RET_OK) {
    return ret;
  }
  FW_ASSERT(fw__dependency_graph_validate(graph));
  return FW_RET_OK;
}
