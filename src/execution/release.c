// Release: for each robot the longest part of its way whose dependencies are met.
//
// What is met stays met, so a release only grows, and only with somebody's progress: whoever reaches a node puts those
// who wait for it into a queue, and the queue is worked off robot by robot.

#include "execution/execution.h"

#include <math.h>

// ---- what keeps a node ----------------------------------------------------------------------------------------------

// Of those who must leave first, the one who will take longest.
static fw__hold_t find_robot(const fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const int32_t group = graph->nodes[node].group;
  fw__hold_t hold = {.other = -1, .cell = FW_CELL_NONE};
  double latest = -INFINITY;
  for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; ++i) {
    const fw__edge_t * edge = &graph->in[i];
    const fw__node_t * source = &graph->nodes[edge->source];
    const bool is_open = !fw__execution_is_done(execution, edge->source) && (group < 0 || source->group != group);
    if (is_open && (hold.other < 0 || source->expected > latest)) {
      hold = (fw__hold_t){.wait = FW_EXECUTION_WAIT_ROBOT, .other = source->robot, .cell = edge->cell};
      latest = source->expected;
    }
  }
  return hold;
}

// The same through robots that have been removed, who wait for somebody themselves.
static fw__hold_t find_present_robot(const fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  fw__hold_t hold = find_robot(execution, node);
  for (int32_t i = 0; i < execution->slot_count && hold.other >= 0 && execution->slots[hold.other].is_ghost; ++i) {
    const int32_t next = graph->first[hold.other] + execution->slots[hold.other].reached + 1;
    hold.other = find_robot(execution, next).other;
  }
  return hold;
}

static bool is_ahead_enough(const fw__execution_t * execution, int32_t robot, int32_t at)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const fw__slot_t * slot = &execution->slots[robot];
  const fw__node_t * here = fw__way_node(graph, robot, slot->reached);
  const double next = slot->reached < at ? here[1].way - here->way : 0.0;
  const double ahead = fw__way_node(graph, robot, at - 1)->way - here->way - slot->fraction * next;
  const double bound = execution->options.ahead_max;
  return bound > 0.0 && ahead >= fmax(bound, execution->options.braking);
}

// A cell that will close must be left by then. Where there is not much time for that it is entered from right before it
// only, since who is farther away may be held up, and only if the way out is free, so that nobody waits in a door.
static bool may_pass_in_time(const fw__execution_t * execution, int32_t robot, int32_t at)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const int32_t node = graph->first[robot] + at;
  const bool is_next = at == execution->slots[robot].reached + 1;
  const double start = is_next ? execution->now : fmax(execution->now, graph->nodes[node - 1].expected);
  if (start + execution->options.stopped_seconds <= graph->nodes[node].closes) {
    return true;
  }
  const bool is_free =
    at == fw__execution_end(execution, robot) || find_robot(execution, node + 1).wait == FW_EXECUTION_WAIT_NONE;
  return is_next && start <= graph->nodes[node].closes && is_free;
}

// Everything but the other members of its ring.
static fw__hold_t hold_alone(const fw__execution_t * execution, int32_t robot, int32_t at)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const fw__slot_t * slot = &execution->slots[robot];
  const int32_t node = graph->first[robot] + at;
  fw__hold_t hold = {.other = -1, .cell = FW_CELL_NONE};
  int32_t by = -1;
  if (execution->is_paused) {
    hold.wait = FW_EXECUTION_WAIT_PAUSE;
  } else if (at > slot->limit || slot->is_withdrawn) {
    hold.wait = FW_EXECUTION_WAIT_CUT;
  } else if ((hold = find_present_robot(execution, node)).wait != FW_EXECUTION_WAIT_NONE) {
    return hold;
  } else if ((hold.cell = fw__obstacles_find(execution, node, &by)) != FW_CELL_NONE) {
    hold.wait = by >= 0 ? FW_EXECUTION_WAIT_ROBOT : FW_EXECUTION_WAIT_OBSTACLE;
    hold.other = by;
  } else if (execution->now < graph->nodes[node].opens || !may_pass_in_time(execution, robot, at)) {
    hold.wait = FW_EXECUTION_WAIT_CLOSURE;
    hold.cell = graph->nodes[node].pose.cell;
  } else if (graph->nodes[node].gate > slot->reached || is_ahead_enough(execution, robot, at)) {
    hold.wait = FW_EXECUTION_WAIT_PROGRESS;
  }
  return hold;
}

// A ring goes when each of its robots stands at the node before and nothing else keeps it.
static fw__hold_t hold_ring(const fw__execution_t * execution, int32_t ring)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1]; ++i) {
    const int32_t robot = graph->nodes[graph->ring[i]].robot;
    const int32_t at = graph->ring[i] - graph->first[robot];
    const fw__slot_t * slot = &execution->slots[robot];
    if (!slot->is_there) {
      continue;
    }
    if (slot->reached < at - 1 || hold_alone(execution, robot, at).wait != FW_EXECUTION_WAIT_NONE) {
      return (fw__hold_t){
        .wait = FW_EXECUTION_WAIT_RING, .other = robot, .cell = graph->nodes[graph->ring[i]].pose.cell};
    }
  }
  return (fw__hold_t){.other = -1, .cell = FW_CELL_NONE};
}

fw__hold_t fw__release_hold(const fw__execution_t * execution, int32_t robot, int32_t at)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const int32_t ring = graph->nodes[graph->first[robot] + at].group;
  const fw__hold_t hold = hold_alone(execution, robot, at);
  if (hold.wait != FW_EXECUTION_WAIT_NONE || ring < 0 || graph->ring_is_released[ring]) {
    return hold;
  }
  return hold_ring(execution, ring);
}

// ---- the queue ------------------------------------------------------------------------------------------------------

void fw__release_queue(fw__execution_t * execution, int32_t robot)
{
  fw__slot_t * slot = &execution->slots[robot];
  if ((slot->is_there || slot->is_ghost) && !slot->is_queued) {
    slot->is_queued = true;
    const int32_t at = (execution->queue_first + execution->queue_count) % execution->slot_capacity;
    execution->queue[at] = robot;
    ++execution->queue_count;
  }
}

void fw__release_queue_all(fw__execution_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw__release_queue(execution, robot);
  }
}

void fw__release_queue_waiting(fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph(execution);
  for (int32_t i = graph->out_first[node]; i < graph->out_first[node + 1]; ++i) {
    fw__release_queue(execution, graph->nodes[graph->out[i]].robot);
  }
}

void fw__execution_note_change(fw__execution_t * execution, int32_t robot)
{
  fw__slot_t * slot = &execution->slots[robot];
  if (!slot->is_changed) {
    slot->is_changed = true;
    execution->changed[0][execution->changed_count++] = robot;
  }
}

static void extend(fw__execution_t * execution, int32_t robot)
{
  fw__graph_t * graph = fw__execution_graph(execution);
  fw__slot_t * slot = &execution->slots[robot];
  const int32_t end = fw__execution_end(execution, robot);
  const int32_t before = slot->stop_at;
  while (slot->released < end &&
         fw__release_hold(execution, robot, slot->released + 1).wait == FW_EXECUTION_WAIT_NONE) {
    const int32_t ring = fw__way_node(graph, robot, ++slot->released)->group;
    slot->stop_at = slot->stop_at == slot->released - 1 ? slot->released : slot->stop_at;
    if (ring >= 0 && !graph->ring_is_released[ring]) {
      graph->ring_is_released[ring] = true;
      for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1]; ++i) {
        fw__release_queue(execution, graph->nodes[graph->ring[i]].robot);
      }
    }
  }
  if (slot->stop_at != before) {
    slot->progressed = before == slot->reached ? execution->now : slot->progressed;
    fw__execution_note_change(execution, robot);
  }
}

static void extend_ghost(fw__execution_t * execution, int32_t robot)
{
  const fw__graph_t * graph = fw__execution_graph(execution);
  fw__slot_t * slot = &execution->slots[robot];
  while (slot->reached < fw__execution_end(execution, robot) &&
         find_robot(execution, graph->first[robot] + slot->reached + 1).wait == FW_EXECUTION_WAIT_NONE) {
    slot->stop_at = slot->released = ++slot->reached;
    fw__release_queue_waiting(execution, graph->first[robot] + slot->reached);
  }
}

void fw__release_run(fw__execution_t * execution)
{
  while (execution->queue_count > 0) {
    const int32_t robot = execution->queue[execution->queue_first];
    execution->queue_first = (execution->queue_first + 1) % execution->slot_capacity;
    --execution->queue_count;
    execution->slots[robot].is_queued = false;
    if (execution->slots[robot].is_there) {
      extend(execution, robot);
    } else if (execution->slots[robot].is_ghost) {
      extend_ghost(execution, robot);
    }
  }
}
