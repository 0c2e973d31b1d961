// Tails: what is left of the plan behind a cut, in ticks, for rounds that plan some robots anew and keep the paths of
// the others.
//
//   graph in force   o===o===o---o | o---o---o      reached, released, up to the cut; the tail
//   tail                         0   1   2   3      all robots are at their ends of the cut at tick 0
//
// The ticks are longest paths through the part of the graph behind the cut, as expected times are through the whole
// (retiming.c), with planned durations. They keep the order in which robots use space, so the tails of any choice of
// robots fit together. A tail also waits for robots that will not keep theirs: these then have the time to drive away
// that the old plan gave them.

#include <math.h>

#include "base/error.h"
#include "execution/execution.h"

// A longer tail is none: its path would take too much memory.
static const fw_tick_t TAIL_TICKS_MAX = 100000;

typedef struct tail_timing_t {
  const fw_execution_impl_t * execution;
  const fw_dependency_graph_t * graph;
  fw_execution_tails_query_t query;
  fw_tick_t * arrive;  // by node
  bool * is_late;      // by slot: a cell closes before the robot can be there
} tail_timing_t;

static bool is_behind_cut(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  return node > graph->first[robot] + execution->slots[robot].release_limit;
}

static fw_tick_t motion_ticks(const fw_dependency_graph_t * graph, int32_t node)
{
  const fw_body_t * body = graph->sweep_tables[graph->nodes[node].robot]->body;
  const bool is_move = graph->nodes[node].pose.cell != graph->nodes[node - 1].pose.cell;
  return is_move ? body->ticks_per_move : body->turn_ticks;
}

// Does the motion to a node sweep cells on which the robot stands neither before nor after it? These are covered one
// tick longer than those that it leaves.
static bool sweeps_beside(const fw_dependency_graph_t * graph, int32_t node)
{
  const fw_body_t * body = graph->sweep_tables[graph->nodes[node].robot]->body;
  const fw_grid_pose_t to = graph->nodes[node].pose;
  const fw_motion_t * motion = fw__body_motion(body, &graph->grid, graph->nodes[node - 1].pose, to);
  bool sweeps = false;
  for (int32_t i = body->footprints[body->turn_ticks > 0 ? to.heading : 0].count; i < motion->sweep_count; ++i) {
    sweeps = sweeps || motion->sweeps[i].to == motion->ticks;
  }
  return sweeps;
}

// The tick at which the motion to a node behind the cut can begin.
static fw_tick_t departure(const tail_timing_t * timing, int32_t node)
{
  const fw_dependency_graph_t * graph = timing->graph;
  const double seconds = timing->execution->options.seconds_per_tick;
  fw_tick_t depart = timing->arrive[node - 1];
  for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; ++i) {
    const int32_t source = graph->in[i].source;
    if (is_behind_cut(timing->execution, source)) {
      const fw_tick_t left = timing->arrive[source] - (sweeps_beside(graph, source) ? 0 : 1);
      const fw_tick_t open = left + timing->query.robust_ticks;
      depart = open > depart ? open : depart;
    }
  }
  const double opens = ceil((graph->nodes[node].opens - timing->query.time) / seconds);
  return opens > depart ? (opens < TAIL_TICKS_MAX ? (fw_tick_t)opens : TAIL_TICKS_MAX) : depart;
}

static void time_nodes(const tail_timing_t * timing)
{
  const fw_dependency_graph_t * graph = timing->graph;
  const double seconds = timing->execution->options.seconds_per_tick;
  for (int32_t i = 0; i < graph->node_count; ++i) {
    const int32_t node = graph->topological_order[i];
    const fw_robot_slot_t * slot = &timing->execution->slots[graph->nodes[node].robot];
    if (!is_behind_cut(timing->execution, node)) {
      timing->arrive[node] = 0;
      continue;
    }
    const fw_tick_t depart = departure(timing, node);
    const fw_tick_t ticks = slot->is_removed ? 0 : motion_ticks(graph, node);
    timing->arrive[node] = depart < TAIL_TICKS_MAX ? depart + ticks : TAIL_TICKS_MAX;
    if (timing->query.time + seconds * depart > graph->nodes[node].closes || depart >= TAIL_TICKS_MAX) {
      timing->is_late[graph->nodes[node].robot] = true;
    }
  }
}

// Does a ring, whose robots must begin their motions together, lie behind the cut?
static bool has_ring(const fw_execution_impl_t * execution)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  bool has = false;
  for (int32_t i = 0; graph->ring_count > 0 && i < graph->ring_first[graph->ring_count]; ++i) {
    has = has || is_behind_cut(execution, graph->ring_nodes[i]);
  }
  return has;
}

// Writes the path of a robot from its end of the cut on, tick by tick. False when there is no memory.
static bool write_tail(const tail_timing_t * timing, fw_arena_t * arena, int32_t robot, fw_path_t * path)
{
  const fw_dependency_graph_t * graph = timing->graph;
  const bool has_heading = graph->sweep_tables[robot]->body->turn_ticks > 0;
  const int32_t first = graph->first[robot] + timing->execution->slots[robot].release_limit;
  const int32_t last = graph->first[robot + 1] - 1;
  const size_t length = (size_t)timing->arrive[last] + 1;
  fw_cell_t * cells = fw__arena_allocate(arena, length, sizeof(*cells));
  uint8_t * headings = has_heading ? fw__arena_allocate(arena, length, sizeof(*headings)) : NULL;
  if (cells == NULL || (has_heading && headings == NULL)) {
    return false;
  }
  int32_t node = first;
  for (fw_tick_t tick = 0; tick < (fw_tick_t)length; ++tick) {
    while (node < last && timing->arrive[node + 1] <= tick) {
      ++node;
    }
    cells[tick] = graph->nodes[node].pose.cell;
    if (has_heading) {
      headings[tick] = (uint8_t)graph->nodes[node].pose.heading;
    }
  }
  *path = (fw_path_t){.cells = cells, .length = (int32_t)length, .headings = headings};
  return true;
}

fw_ret_t fw_execution_tails(
  fw_execution_t * execution, const fw_execution_tails_query_t * query, fw_execution_tails_t * tails,
  fw_error_t * error)
{
  fw_execution_impl_t * impl = execution->impl;
  *tails = (fw_execution_tails_t){0};
  if (!impl->is_cut || query->robust_ticks < 1 || !isfinite(query->time)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "tails need a cut, a finite time and robust_ticks of 1 or more");
  }
  if (has_ring(impl)) {
    return fw__error(error, FW_RET_UNSUPPORTED, "robots rotate in a ring behind the cut");
  }
  fw_arena_t * arena = &impl->scratch;
  const fw_dependency_graph_t * graph = fw__execution_graph_const(impl);
  fw__arena_reset(arena);
  const tail_timing_t timing = {
    .execution = impl,
    .graph = graph,
    .query = *query,
    .arrive = fw__arena_allocate(arena, (size_t)graph->node_count + 1, sizeof(fw_tick_t)),
    .is_late = fw__arena_allocate_zeroed(arena, (size_t)impl->slot_count + 1, sizeof(bool)),
  };
  fw_path_t * paths = fw__arena_allocate_zeroed(arena, (size_t)impl->slot_count + 1, sizeof(*paths));
  if (timing.arrive == NULL || timing.is_late == NULL || paths == NULL) {
    return fw__error_memory(error);
  }
  time_nodes(&timing);
  tails->paths = paths;
  for (int32_t robot = 0; robot < impl->slot_count; ++robot) {
    const fw_robot_slot_t * slot = &impl->slots[robot];
    if (!slot->is_present) {
      continue;
    }
    const bool has_tail = !slot->is_withdrawn && !timing.is_late[robot];
    if (has_tail && !write_tail(&timing, arena, robot, &paths[tails->count])) {
      *tails = (fw_execution_tails_t){0};
      return fw__error_memory(error);
    }
    ++tails->count;
  }
  return FW_RET_OK;
}
