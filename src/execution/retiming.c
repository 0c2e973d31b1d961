// Retiming: when each robot is expected at each of its waypoints.
//
// The longest path through the dependency graph: a motion begins when the robot is at the node before and all its
// dependencies are met. Only nodes whose time may have changed are computed, in topological order: each index of that
// order has a dirty bit, which a predecessor sets when its own time changes, and one scan over the bits finds them all.

#include <math.h>

#include "execution/execution.h"

// It will not go on by itself.
static bool has_fault(const fw_robot_slot_t * slot)
{
  return slot->is_stale || slot->is_off_path || slot->is_withdrawn || slot->state == FW_EXECUTION_STOPPED;
}

// The latest expected time of the open dependencies of a node, -INFINITY without any.
static double latest_source(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t ring = graph->nodes[node].ring;
  double latest = -INFINITY;
  for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; ++i) {
    const fw_dependency_node_t * source = &graph->nodes[graph->in[i].source];
    if (!fw__execution_is_reached(execution, graph->in[i].source) && (ring < 0 || source->ring != ring)) {
      latest = fmax(latest, source->expected);
    }
  }
  return latest;
}

// When the motion to a node can begin, not considering the other robots of its ring.
static double start_of(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  const fw_robot_slot_t * slot = &execution->slots[robot];
  const int32_t at = node - graph->first[robot];
  if (at <= slot->released && at > slot->stop_at) {
    return INFINITY;  // behind an obstacle
  }
  const double now = has_fault(slot) ? INFINITY : execution->now;
  const double there = at == slot->reached + 1 ? now : graph->nodes[node - 1].expected;
  if (at <= slot->released) {
    return there;
  }
  const double start = fmax(fmax(there, graph->nodes[node].opens), latest_source(execution, node));
  return start > graph->nodes[node].closes ? INFINITY : start;  // too late for a closing cell: only a new plan helps
}

double fw__retiming_expected(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_dependency_node_t * to = &graph->nodes[node];
  FW_ASSERT(!fw__execution_is_reached(execution, node));
  const fw_robot_slot_t * slot = &execution->slots[to->robot];
  double start = start_of(execution, node);
  for (int32_t i = to->ring < 0 ? 0 : graph->ring_first[to->ring];
       to->ring >= 0 && !graph->ring_is_released[to->ring] && i < graph->ring_first[to->ring + 1]; ++i) {
    const fw_dependency_node_t * member = &graph->nodes[graph->ring_nodes[i]];
    if (execution->slots[member->robot].is_present) {
      start = fmax(start, start_of(execution, graph->ring_nodes[i]));
    }
  }
  const bool is_next = node == graph->first[to->robot] + slot->reached + 1;
  return start + (is_next ? 1.0 - slot->fraction : 1.0) * to->seconds * slot->pace;
}

// Marks a node as dirty.
static void mark(fw_dependency_graph_t * graph, int32_t node)
{
  FW_ASSERT(node >= 0 && node < graph->node_count);
  const int32_t index = graph->order_index[node];
  graph->dirty[index / 64] |= UINT64_C(1) << (index % 64);
}

// Marks the direct successors of a node whose time has changed, with their rings.
static void mark_after(const fw_execution_impl_t * execution, fw_dependency_graph_t * graph, int32_t node)
{
  const int32_t robot = graph->nodes[node].robot;
  if (node + 1 < graph->first[robot + 1]) {
    mark(graph, node + 1);
    const int32_t ring = graph->nodes[node + 1].ring;
    for (int32_t i = ring < 0 ? 0 : graph->ring_first[ring]; ring >= 0 && i < graph->ring_first[ring + 1]; ++i) {
      if (!fw__execution_is_reached(execution, graph->ring_nodes[i])) {
        mark(graph, graph->ring_nodes[i]);
      }
    }
  }
  for (int32_t i = graph->out_first[node]; i < graph->out_first[node + 1]; ++i) {
    const int32_t target = graph->out[i];
    const int32_t ring = graph->nodes[target].ring;
    if (ring >= 0 && ring == graph->nodes[node].ring) {
      continue;
    }
    mark(graph, target);
    for (int32_t j = ring < 0 ? 0 : graph->ring_first[ring]; ring >= 0 && j < graph->ring_first[ring + 1]; ++j) {
      mark(graph, graph->ring_nodes[j]);
    }
  }
}

static void retime(fw_execution_impl_t * execution, int32_t node)
{
  fw_dependency_graph_t * graph = fw__execution_graph(execution);
  if (fw__execution_is_reached(execution, node)) {
    return;
  }
  ++execution->retimed;
  const double expected = fw__retiming_expected(execution, node);
  const double before = graph->nodes[node].expected;
  const bool is_same = isinf(expected) || isinf(before) ? expected == before
                                                        : fabs(expected - before) <= execution->options.retime_seconds;
  if (!is_same) {
    graph->nodes[node].expected = expected;
    mark_after(execution, graph, node);
  }
}

void fw__retiming_update(fw_execution_impl_t * execution)
{
  fw_dependency_graph_t * graph = fw__execution_graph(execution);
  int32_t first = INT32_MAX;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw_robot_slot_t * slot = &execution->slots[robot];
    if ((slot->is_present || slot->is_removed) && slot->reached < fw__execution_end(execution, robot)) {
      // How far it has come, and when its release will grow, may both have changed.
      const int32_t next = graph->first[robot] + slot->reached + 1;
      const int32_t waiting = graph->first[robot] + slot->stop_at + 1;
      mark(graph, next);
      first = graph->order_index[next] < first ? graph->order_index[next] : first;
      if (waiting < graph->first[robot + 1]) {
        mark(graph, waiting);
      }
    }
  }
  for (int32_t word = first == INT32_MAX ? graph->node_count : first / 64; word <= (graph->node_count - 1) / 64;) {
    if (graph->node_count == 0 || graph->dirty[word] == 0) {
      ++word;
      continue;
    }
    int32_t bit = 0;
    while ((graph->dirty[word] >> bit & 1) == 0) {
      ++bit;
    }
    graph->dirty[word] &= ~(UINT64_C(1) << bit);
    if (word * 64 + bit < graph->node_count) {
      retime(execution, graph->topological_order[word * 64 + bit]);
    }
  }
}
