// Release: for each robot the longest part of its path whose dependencies are met.
//
// A dependency that is met stays met, so a release only grows, and only with the progress of some robot: a robot that
// reaches a node puts those that depend on the node into a queue, and the queue is processed robot by robot.

#include <math.h>

#include "execution/execution.h"

// ---- obstacles and robots off their path ----------------------------------------------------------------------------

// Neither is in any plan. Nothing is released onto them. Where one is on a released path, the robot has to stop before
// it (`stop_at`), and the space stays reserved: others that are to come there by the plan wait as before.

// Does a robot that is off its path touch the cell, with its footprint at the measured position?
static bool is_near(const fw_execution_impl_t * execution, int32_t robot, fw_cell_t cell)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_robot_slot_t * slot = &execution->slots[robot];
  const fw_grid_pose_t pose = fw__dependency_graph_node(graph, robot, slot->reached)->pose;
  const fw_footprint_t standing = fw__sweep_table_standing(graph->sweep_tables[robot], pose.heading);
  for (int32_t i = 0; i < standing.count; ++i) {
    const double dx = slot->measure.x + standing.cells[i].dx - fw_grid_x(&graph->grid, cell);
    const double dy = slot->measure.y + standing.cells[i].dy - fw_grid_y(&graph->grid, cell);
    if (fabs(dx) < 1.0 && fabs(dy) < 1.0) {
      return true;
    }
  }
  return false;
}

// Another robot that is off its path and touches the cell, -1 for none.
static int32_t find_off_path(const fw_execution_impl_t * execution, int32_t robot, fw_cell_t cell)
{
  for (int32_t other = 0; other < execution->slot_count && execution->off_path_count > 0; ++other) {
    const fw_robot_slot_t * slot = &execution->slots[other];
    if (other != robot && slot->is_present && slot->is_off_path && is_near(execution, other, cell)) {
      return other;
    }
  }
  return -1;
}

// Does the robot of a node cover a way out where it stands there?
static bool stands_on_exit(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_grid_pose_t pose = graph->nodes[node].pose;
  const fw_footprint_t standing = fw__sweep_table_standing(graph->sweep_tables[graph->nodes[node].robot], pose.heading);
  bool is_exit = false;
  for (int32_t i = 0; i < standing.count && !is_exit; ++i) {
    const fw_cell_t cell = pose.cell + standing.cells[i].dy * graph->grid.width + standing.cells[i].dx;
    is_exit = execution->blocked[cell] == FW_CELL_EXIT;
  }
  return is_exit;
}

static bool is_blocked(const fw_execution_impl_t * execution, int32_t node, fw_cell_t cell)
{
  const uint8_t obstacle = execution->has_obstacles ? execution->blocked[cell] : FW_CELL_FREE;
  return obstacle == FW_CELL_BLOCKED || (obstacle == FW_CELL_EXIT && !stands_on_exit(execution, node - 1));
}

fw_cell_t fw__release_find_obstacle(const fw_execution_impl_t * execution, int32_t node, int32_t * by)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  FW_ASSERT(!execution->has_obstacles || execution->blocked_cells >= fw_grid_cell_count(&graph->grid));
  *by = -1;
  if (!execution->has_obstacles && execution->off_path_count == 0) {
    return FW_CELL_NONE;
  }
  const fw_swept_cells_t swept = fw__dependency_graph_swept(graph, node);
  for (int32_t part = 0; part < 2; ++part) {
    for (int32_t i = 0; i < swept.parts[part].count; ++i) {
      const fw_offset_t offset = swept.parts[part].cells[i];
      const fw_cell_t cell = swept.origin + offset.dy * graph->grid.width + offset.dx;
      if (is_blocked(execution, node, cell)) {
        return cell;
      }
      *by = find_off_path(execution, graph->nodes[node].robot, cell);
      if (*by >= 0) {
        return cell;
      }
    }
  }
  return FW_CELL_NONE;
}

// Is a robot on a motion back, after it was withdrawn between two nodes? The node that it comes from is ahead of what
// it had driven: to be sent there, as a release that stops before this motion would do, is the one thing that must not
// happen.
bool fw__release_drives_back(const fw_execution_impl_t * execution, int32_t robot)
{
  const fw_robot_slot_t * slot = &execution->slots[robot];
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  return slot->reached < slot->released && graph->nodes[graph->first[robot] + slot->reached + 1].is_reverse;
}

void fw__release_update_stops(fw_execution_impl_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw_robot_slot_t * slot = &execution->slots[robot];
    if (!slot->is_present) {
      continue;
    }
    const int32_t before = slot->stop_at;
    int32_t by = -1;
    slot->stop_at = slot->reached + (fw__release_drives_back(execution, robot) ? 1 : 0);
    const int32_t first = fw__execution_graph(execution)->first[robot];
    while (slot->stop_at < slot->released && !slot->is_withdrawn &&
           fw__release_find_obstacle(execution, first + slot->stop_at + 1, &by) == FW_CELL_NONE) {
      ++slot->stop_at;
    }
    FW_ASSERT(slot->reached <= slot->stop_at && slot->stop_at <= slot->released);
    if (slot->stop_at != before) {
      slot->progress_time = slot->stop_at > before ? execution->now : slot->progress_time;
      fw__execution_mark_changed(execution, robot);
    }
  }
}

// ---- why a node is not released -------------------------------------------------------------------------------------

// Dependencies on other robots: of those not met, the one that is expected to be met last.
static fw_wait_reason_t find_dependency(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t ring = graph->nodes[node].ring;
  fw_wait_reason_t reason = {.other = -1, .cell = FW_CELL_NONE};
  double latest = -INFINITY;
  for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; ++i) {
    const fw_dependency_edge_t * edge = &graph->in[i];
    const fw_dependency_node_t * source = &graph->nodes[edge->source];
    const bool is_open = !fw__execution_is_settled(execution, edge->source) && (ring < 0 || source->ring != ring);
    if (is_open && (reason.other < 0 || source->expected > latest)) {
      reason = (fw_wait_reason_t){.wait = FW_EXECUTION_WAIT_ROBOT, .other = source->robot, .cell = edge->cell};
      latest = source->expected;
    }
  }
  return reason;
}

// The same, but names a robot that is present: follows removed robots to those on which they depend.
static fw_wait_reason_t find_present_dependency(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  fw_wait_reason_t reason = find_dependency(execution, node);
  for (int32_t i = 0; i < execution->slot_count && reason.other >= 0 && execution->slots[reason.other].is_removed;
       ++i) {
    const int32_t next = graph->first[reason.other] + execution->slots[reason.other].reached + 1;
    reason.other = find_dependency(execution, next).other;
  }
  return reason;
}

// Is `ahead_max` or more released already, measured from where the robot is to node at - 1?
static bool is_ahead_enough(const fw_execution_impl_t * execution, int32_t robot, int32_t at)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_robot_slot_t * slot = &execution->slots[robot];
  const fw_dependency_node_t * here = fw__dependency_graph_node(graph, robot, slot->reached);
  const double next = slot->reached < at ? here[1].path_length - here->path_length : 0.0;
  const double ahead =
    fw__dependency_graph_node(graph, robot, at - 1)->path_length - here->path_length - slot->fraction * next;
  const double bound = execution->options.ahead_max;
  return bound > 0.0 && ahead >= fmax(bound, execution->options.braking);
}

// A cell that will close must be left by then. With little time left it is released only to a robot right before it,
// since one farther away may be delayed, and only if the motion after it has no open dependency, so that no robot waits
// in a closing door.
static bool may_pass_in_time(const fw_execution_impl_t * execution, int32_t robot, int32_t at)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t node = graph->first[robot] + at;
  const bool is_next = at == execution->slots[robot].reached + 1;
  const double start = is_next ? execution->now : fmax(execution->now, graph->nodes[node - 1].expected);
  if (start + execution->options.stopped_seconds <= graph->nodes[node].closes) {
    return true;
  }
  const bool is_free =
    at == fw__execution_end(execution, robot) || find_dependency(execution, node + 1).wait == FW_EXECUTION_WAIT_NONE;
  return is_next && start <= graph->nodes[node].closes && is_free;
}

// A robot that is held before an area without waiting. Robots that were removed need not be waited for: their nodes are
// reached as soon as they can be.
static fw_wait_reason_t find_hold(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t end = graph->hold_first == NULL ? 0 : graph->hold_first[node + 1];
  for (int32_t i = end == 0 ? 0 : graph->hold_first[node]; i < end; ++i) {
    const fw_dependency_edge_t * hold = &graph->holds[i];
    const int32_t other = graph->nodes[hold->source].robot;
    if (execution->slots[other].is_present && !fw__execution_is_settled(execution, hold->source)) {
      return (fw_wait_reason_t){.wait = FW_EXECUTION_WAIT_ROBOT, .other = other, .cell = hold->cell};
    }
  }
  return (fw_wait_reason_t){.other = -1, .cell = FW_CELL_NONE};
}

// All reasons except the other robots of its ring.
static fw_wait_reason_t reason_of_robot(const fw_execution_impl_t * execution, int32_t robot, int32_t at)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_robot_slot_t * slot = &execution->slots[robot];
  const int32_t node = graph->first[robot] + at;
  FW_ASSERT(at > slot->reached && at <= fw__execution_end(execution, robot));
  fw_wait_reason_t reason = {.other = -1, .cell = FW_CELL_NONE};
  int32_t by = -1;
  if (execution->is_paused || slot->is_held) {
    reason.wait = FW_EXECUTION_WAIT_PAUSE;
  } else if (at > slot->release_limit || slot->is_withdrawn) {
    reason.wait = FW_EXECUTION_WAIT_CUT;
  } else if ((reason = find_present_dependency(execution, node)).wait != FW_EXECUTION_WAIT_NONE) {
    return reason;
  } else if ((reason = find_hold(execution, node)).wait != FW_EXECUTION_WAIT_NONE) {
    return reason;
  } else if ((reason.cell = fw__release_find_obstacle(execution, node, &by)) != FW_CELL_NONE) {
    reason.wait = by >= 0 ? FW_EXECUTION_WAIT_ROBOT : FW_EXECUTION_WAIT_OBSTACLE;
    reason.other = by;
  } else if (execution->now < graph->nodes[node].opens || !may_pass_in_time(execution, robot, at)) {
    reason.wait = FW_EXECUTION_WAIT_CLOSURE;
    reason.cell = graph->nodes[node].pose.cell;
  } else if (graph->nodes[node].self_dependency > slot->reached || is_ahead_enough(execution, robot, at)) {
    reason.wait = FW_EXECUTION_WAIT_PROGRESS;
  }
  return reason;
}

// A ring is released when each of its robots is at the node before and has no other reason to wait.
static fw_wait_reason_t reason_of_ring(const fw_execution_impl_t * execution, int32_t ring)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1]; ++i) {
    const int32_t robot = graph->nodes[graph->ring_nodes[i]].robot;
    const int32_t at = graph->ring_nodes[i] - graph->first[robot];
    const fw_robot_slot_t * slot = &execution->slots[robot];
    if (!slot->is_present) {
      continue;
    }
    if (slot->settled < at - 1 || reason_of_robot(execution, robot, at).wait != FW_EXECUTION_WAIT_NONE) {
      return (fw_wait_reason_t){
        .wait = FW_EXECUTION_WAIT_RING, .other = robot, .cell = graph->nodes[graph->ring_nodes[i]].pose.cell};
    }
  }
  return (fw_wait_reason_t){.other = -1, .cell = FW_CELL_NONE};
}

fw_wait_reason_t fw__release_wait_reason(const fw_execution_impl_t * execution, int32_t robot, int32_t at)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  FW_ASSERT(at > 0 && at <= fw__execution_end(execution, robot));
  const int32_t ring = graph->nodes[graph->first[robot] + at].ring;
  const fw_wait_reason_t reason = reason_of_robot(execution, robot, at);
  if (reason.wait != FW_EXECUTION_WAIT_NONE || ring < 0 || graph->ring_is_released[ring]) {
    return reason;
  }
  return reason_of_ring(execution, ring);
}

// ---- the queue ------------------------------------------------------------------------------------------------------

void fw__release_enqueue(fw_execution_impl_t * execution, int32_t robot)
{
  fw_robot_slot_t * slot = &execution->slots[robot];
  if ((slot->is_present || slot->is_removed) && !slot->is_queued) {
    FW_ASSERT(execution->queue_count < execution->slot_capacity);
    slot->is_queued = true;
    const int32_t at = (execution->queue_first + execution->queue_count) % execution->slot_capacity;
    execution->queue[at] = robot;
    ++execution->queue_count;
  }
}

void fw__release_enqueue_all(fw_execution_impl_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw__release_enqueue(execution, robot);
  }
}

void fw__release_enqueue_successors(fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph(execution);
  FW_ASSERT(fw__execution_is_reached(execution, node));
  for (int32_t i = graph->out_first[node]; i < graph->out_first[node + 1]; ++i) {
    fw__release_enqueue(execution, graph->nodes[graph->out[i]].robot);
  }
  for (int32_t i = graph->hold_first == NULL ? 0 : graph->last_hold[node]; i > 0; i = graph->next_hold[i - 1]) {
    fw__release_enqueue(execution, graph->nodes[graph->holds[i - 1].target].robot);
  }
}

// Releases further nodes of one robot as long as none has a reason to wait. The first robot of a ring that can rotate
// releases the ring for all.
static void extend(fw_execution_impl_t * execution, int32_t robot)
{
  fw_dependency_graph_t * graph = fw__execution_graph(execution);
  fw_robot_slot_t * slot = &execution->slots[robot];
  const int32_t end = fw__execution_end(execution, robot);
  const int32_t before = slot->stop_at;
  while (slot->released < end &&
         fw__release_wait_reason(execution, robot, slot->released + 1).wait == FW_EXECUTION_WAIT_NONE) {
    const int32_t ring = fw__dependency_graph_node(graph, robot, ++slot->released)->ring;
    slot->stop_at = slot->stop_at == slot->released - 1 ? slot->released : slot->stop_at;
    if (ring >= 0 && !graph->ring_is_released[ring]) {
      graph->ring_is_released[ring] = true;
      for (int32_t i = graph->ring_first[ring]; i < graph->ring_first[ring + 1]; ++i) {
        fw__release_enqueue(execution, graph->nodes[graph->ring_nodes[i]].robot);
      }
    }
  }
  FW_ASSERT(slot->stop_at >= before && slot->stop_at <= slot->released && slot->released <= end);
  if (slot->stop_at != before) {
    slot->progress_time = before == slot->reached ? execution->now : slot->progress_time;
    fw__execution_mark_changed(execution, robot);
  }
}

// Notes nodes all of whose dependencies are reached by now. Only rings leave any behind.
static void settle(fw_execution_impl_t * execution, int32_t robot)
{
  const fw_dependency_graph_t * graph = fw__execution_graph(execution);
  fw_robot_slot_t * slot = &execution->slots[robot];
  bool is_settled = true;
  while (is_settled && slot->settled < slot->reached) {
    const int32_t node = graph->first[robot] + slot->settled + 1;
    for (int32_t i = graph->in_first[node]; is_settled && i < graph->in_first[node + 1]; ++i) {
      is_settled = fw__execution_is_reached(execution, graph->in[i].source);
    }
    if (is_settled) {
      ++slot->settled;
      fw__release_enqueue_successors(execution, node);
    }
  }
}

// A removed robot needs no release: its nodes are reached as soon as their dependencies are met.
static void extend_removed(fw_execution_impl_t * execution, int32_t robot)
{
  const fw_dependency_graph_t * graph = fw__execution_graph(execution);
  fw_robot_slot_t * slot = &execution->slots[robot];
  while (slot->reached < fw__execution_end(execution, robot) &&
         find_dependency(execution, graph->first[robot] + slot->reached + 1).wait == FW_EXECUTION_WAIT_NONE) {
    slot->stop_at = slot->released = ++slot->reached;
    fw__release_enqueue_successors(execution, graph->first[robot] + slot->reached);
    settle(execution, robot);
  }
}

void fw__release_process_queue(fw_execution_impl_t * execution)
{
  while (execution->queue_count > 0) {
    const int32_t robot = execution->queue[execution->queue_first];
    execution->queue_first = (execution->queue_first + 1) % execution->slot_capacity;
    --execution->queue_count;
    FW_ASSERT(robot >= 0 && robot < execution->slot_count && execution->slots[robot].is_queued);
    execution->slots[robot].is_queued = false;
    settle(execution, robot);
    if (execution->slots[robot].is_present) {
      extend(execution, robot);
    } else if (execution->slots[robot].is_removed) {
      extend_removed(execution, robot);
    }
  }
}
