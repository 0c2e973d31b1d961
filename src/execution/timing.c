// Retiming: when everybody will be at each of its waypoints.
//
// The longest way through the graph: a motion begins when the robot is there and everybody it waits for has been where
// they must have been. Only nodes whose time may have changed are computed, in the order of the graph: a bit for each
// place in that row, set by whoever comes before it, and one scan over the bits.

#include <math.h>

#include "execution/execution.h"

static bool has_fault(const fw__slot_t * slot)
{
  return slot->is_stale || slot->is_off_path || slot->is_withdrawn || slot->state == FW_EXECUTION_STOPPED;
}

static double latest_source(const fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const int32_t group = graph->nodes[node].group;
  double latest = -INFINITY;
  for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; ++i) {
    const fw__node_t * source = &graph->nodes[graph->in[i].source];
    if (!fw__execution_is_done(execution, graph->in[i].source) && (group < 0 || source->group != group)) {
      latest = fmax(latest, source->expected);
    }
  }
  return latest;
}

// When the motion to a node can begin, for a robot alone.
static double start_of(const fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  const fw__slot_t * slot = &execution->slots[robot];
  const int32_t at = node - graph->first[robot];
  if (at <= slot->released && at > slot->stop_at) {
    return INFINITY;  // an obstacle
  }
  const double now = has_fault(slot) ? INFINITY : execution->now;
  const double there = at == slot->reached + 1 ? now : graph->nodes[node - 1].expected;
  if (at <= slot->released) {
    return there;
  }
  const double start = fmax(fmax(there, graph->nodes[node].opens), latest_source(execution, node));
  return start > graph->nodes[node].closes ? INFINITY : start;  // too late for a door: not without a new plan
}

double fw__timing_of(const fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const fw__node_t * to = &graph->nodes[node];
  const fw__slot_t * slot = &execution->slots[to->robot];
  double start = start_of(execution, node);
  for (int32_t i = to->group < 0 ? 0 : graph->ring_first[to->group];
       to->group >= 0 && !graph->ring_is_released[to->group] && i < graph->ring_first[to->group + 1]; ++i) {
    const fw__node_t * member = &graph->nodes[graph->ring[i]];
    if (execution->slots[member->robot].is_there) {
      start = fmax(start, start_of(execution, graph->ring[i]));
    }
  }
  const bool is_next = node == graph->first[to->robot] + slot->reached + 1;
  return start + (is_next ? 1.0 - slot->fraction : 1.0) * to->seconds * slot->pace;
}

static void mark(fw__graph_t * graph, int32_t node)
{
  const int32_t place = graph->place_of[node];
  graph->dirty[place / 64] |= UINT64_C(1) << (place % 64);
}

// Those that come right after a node whose time has changed.
static void mark_after(const fw__execution_t * execution, fw__graph_t * graph, int32_t node)
{
  const int32_t robot = graph->nodes[node].robot;
  if (node + 1 < graph->first[robot + 1]) {
    mark(graph, node + 1);
    const int32_t ring = graph->nodes[node + 1].group;
    for (int32_t i = ring < 0 ? 0 : graph->ring_first[ring]; ring >= 0 && i < graph->ring_first[ring + 1]; ++i) {
      if (!fw__execution_is_done(execution, graph->ring[i])) {
        mark(graph, graph->ring[i]);
      }
    }
  }
  for (int32_t i = graph->out_first[node]; i < graph->out_first[node + 1]; ++i) {
    const int32_t target = graph->out[i];
    const int32_t ring = graph->nodes[target].group;
    if (ring >= 0 && ring == graph->nodes[node].group) {
      continue;
    }
    mark(graph, target);
    for (int32_t j = ring < 0 ? 0 : graph->ring_first[ring]; ring >= 0 && j < graph->ring_first[ring + 1]; ++j) {
      mark(graph, graph->ring[j]);
    }
  }
}

static void retime(fw__execution_t * execution, int32_t node)
{
  fw__graph_t * graph = fw__execution_graph(execution);
  if (fw__execution_is_done(execution, node)) {
    return;
  }
  ++execution->retimed;
  const double expected = fw__timing_of(execution, node);
  const double before = graph->nodes[node].expected;
  const bool is_same = isinf(expected) || isinf(before) ? expected == before
                                                        : fabs(expected - before) <= execution->options.retime_seconds;
  if (!is_same) {
    graph->nodes[node].expected = expected;
    mark_after(execution, graph, node);
  }
}

void fw__timing_run(fw__execution_t * execution)
{
  fw__graph_t * graph = fw__execution_graph(execution);
  int32_t first = INT32_MAX;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw__slot_t * slot = &execution->slots[robot];
    if ((slot->is_there || slot->is_ghost) && slot->reached < fw__execution_end(execution, robot)) {
      // What it may drive, and what it waits for, may both have changed since.
      const int32_t next = graph->first[robot] + slot->reached + 1;
      const int32_t held = graph->first[robot] + slot->stop_at + 1;
      mark(graph, next);
      first = graph->place_of[next] < first ? graph->place_of[next] : first;
      if (held < graph->first[robot + 1]) {
        mark(graph, held);
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
      retime(execution, graph->order[word * 64 + bit]);
    }
  }
}
