// The cut: how far the old plan goes on while a new one is made.
//
// Everything that is released is on the near side. More is added in the order of the graph: a node that is expected soon,
// if the one before it and all that it waits for are on the near side too. So nothing on the near side needs anything
// behind the line. Two ends cannot overlap: of two visits to a cell the later one depends on the end of the earlier.

#include <math.h>

#include "base/error.h"
#include "execution/execution.h"

static bool is_within(const fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  return node <= graph->first[robot] + execution->slots[robot].limit;
}

static bool can_follow(const fw__execution_t * execution, int32_t node, double until)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const fw__node_t * to = &graph->nodes[node];
  const fw__slot_t * slot = &execution->slots[to->robot];
  int32_t by = -1;
  bool can = node == graph->first[to->robot] + slot->limit + 1;
  if (!slot->is_ghost) {
    can = can && !slot->is_withdrawn && slot->stop_at == slot->released && to->expected <= until &&
          fw__obstacles_find(execution, node, &by) == FW_CELL_NONE;
  }
  for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1] && can; ++i) {
    const int32_t source = graph->in[i].source;
    can = is_within(execution, source) || (to->group >= 0 && graph->nodes[source].group == to->group);
  }
  return can;
}

// Rings go over the line whole or not at all.
static void extend_ring(fw__execution_t * execution, int32_t ring, double until)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  bool can = true;
  for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1] && can; ++i) {
    can = is_within(execution, graph->ring[i]) || can_follow(execution, graph->ring[i], until);
  }
  for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1] && can; ++i) {
    execution->slots[graph->nodes[graph->ring[i]].robot].limit += is_within(execution, graph->ring[i]) ? 0 : 1;
  }
}

void fw__cut_run(fw__execution_t * execution, double until)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw__slot_t * slot = &execution->slots[robot];
    const int32_t released = slot->is_withdrawn ? slot->reached : slot->released;
    slot->limit = execution->is_cut && slot->limit > released && !slot->is_withdrawn ? slot->limit : released;
  }
  for (int32_t i = 0; i < graph->node_count && until > -INFINITY; ++i) {
    const int32_t node = graph->order[i];
    const int32_t ring = graph->nodes[node].group;
    if (ring < 0 && can_follow(execution, node, until)) {
      ++execution->slots[graph->nodes[node].robot].limit;
    } else if (ring >= 0 && node == graph->ring[graph->ring_first[ring]]) {
      extend_ring(execution, ring, until);
    }
  }
  execution->is_cut = true;
}

void fw__cut_undo(fw__execution_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    if (execution->slots[robot].is_there) {
      execution->slots[robot].limit = fw__execution_end(execution, robot);
    }
  }
  execution->is_cut = false;
}

fw_grid_pose_t fw__cut_pose(const fw__execution_t * execution, int32_t robot)
{
  return fw__way_node(fw__execution_graph_const(execution), robot, execution->slots[robot].limit)->pose;
}

fw_ret_t fw_execution_cut(
  fw_execution_t * execution, double ahead_seconds, fw_execution_cut_t * cut, fw_error_t * error)
{
  fw__execution_t * impl = execution->impl;
  *cut = (fw_execution_cut_t){.ends = impl->ends};
  if (!(ahead_seconds >= 0.0)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a cut %f s ahead: it must be 0 or more", ahead_seconds);
  }
  fw__timing_run(impl);
  fw__cut_run(impl, ahead_seconds > 0.0 ? impl->now + ahead_seconds : -INFINITY);
  for (int32_t robot = 0; robot < impl->slot_count; ++robot) {
    const fw__slot_t * slot = &impl->slots[robot];
    if (slot->is_there) {
      const fw_grid_pose_t pose = fw__cut_pose(impl, robot);
      const bool is_back = slot->is_withdrawn && fw__slot_is_between(slot);
      impl->ends[cut->count++] = (fw_execution_end_t){
        .robot = robot,
        .cell = pose.cell,
        .heading = pose.heading,
        .expected = fw__way_node(fw__execution_graph(impl), robot, slot->limit)->expected,
        .is_standing = slot->reached == slot->limit && !is_back,
      };
    }
  }
  return FW_RET_OK;
}

void fw_execution_uncut(fw_execution_t * execution)
{
  if (execution->impl->is_cut) {
    fw__cut_undo(execution->impl);
    fw__release_queue_all(execution->impl);
    fw__release_run(execution->impl);
  }
}
