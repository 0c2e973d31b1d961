// Progress: a measured position becomes a place on the released path.
//
// A node is reached when the position, projected on the motion to it, is within the tolerance of its end or past it.
// Then the next motion is looked at, as far as the release goes. A robot that was fast, or silent for a while, may be
// on a later motion: the first on which it clearly is counts. There is only one such place, since a released path does
// not touch itself. A robot that is beside its path, or behind where it was, makes no progress.

#include <math.h>

#include "base/error.h"
#include "execution/execution.h"

typedef struct projection_t {
  double along;     // cells, or radians of a turn, from the beginning of the motion; not clamped to it
  double length;    // of the motion
  double distance;  // cells from the motion, its ends included
  bool is_turn;
} projection_t;

static double between(double low, double value, double high) { return value < low ? low : value > high ? high : value; }

// A turn: how far it has turned, whatever its position.
static projection_t project_turn(
  const fw_dependency_graph_t * graph, int32_t node, const fw_execution_measure_t * measure)
{
  const fw_dependency_node_t * to = &graph->nodes[node];
  const double angle = fw__turn_angle(to[-1].pose.heading, to->pose.heading);
  FW_ASSERT(angle != 0.0);
  const double left =
    remainder(FW__EIGHTH_TURN * to->pose.heading - measure->yaw, 8.0 * FW__EIGHTH_TURN) * (angle < 0.0 ? -1.0 : 1.0);
  const double dx = measure->x - fw_grid_x(&graph->grid, to->pose.cell);
  const double dy = measure->y - fw_grid_y(&graph->grid, to->pose.cell);
  return (projection_t){
    .along = fabs(angle) - left, .length = fabs(angle), .distance = sqrt(dx * dx + dy * dy), .is_turn = true};
}

// Projects a measure on the motion to a node.
static projection_t project(const fw_dependency_graph_t * graph, int32_t node, const fw_execution_measure_t * measure)
{
  const fw_cell_t from = graph->nodes[node - 1].pose.cell;
  const fw_cell_t to = graph->nodes[node].pose.cell;
  if (from == to) {
    return project_turn(graph, node, measure);
  }
  const double dx = fw_grid_x(&graph->grid, to) - fw_grid_x(&graph->grid, from);
  const double dy = fw_grid_y(&graph->grid, to) - fw_grid_y(&graph->grid, from);
  const double x = measure->x - fw_grid_x(&graph->grid, from);
  const double y = measure->y - fw_grid_y(&graph->grid, from);
  const double length = sqrt(dx * dx + dy * dy);
  FW_ASSERT(length > 0.0);
  const double along = (x * dx + y * dy) / length;
  const double nearest = between(0.0, along, length) / length;
  const double aside_x = x - nearest * dx;
  const double aside_y = y - nearest * dy;
  return (projection_t){.along = along, .length = length, .distance = sqrt(aside_x * aside_x + aside_y * aside_y)};
}

// At the end of the motion, or past it.
static bool is_at_end(const fw_execution_options_t * options, projection_t projection)
{
  const double tolerance = projection.is_turn ? options->yaw_tolerance : options->tolerance;
  return projection.along >= projection.length - tolerance && projection.distance <= options->off_path_max;
}

static bool is_on(const fw_execution_options_t * options, projection_t projection)
{
  return projection.distance <= options->tolerance;
}

// So far on a move that it cannot be the noise of a robot that still turns, or is still on the motion before.
static bool is_well_on(const fw_execution_options_t * options, projection_t projection)
{
  return is_on(options, projection) && !projection.is_turn && projection.along >= 2.0 * options->tolerance;
}

// How far the robot is from its released path, from the last node reached on.
static double distance_of(const fw_execution_impl_t * execution, int32_t robot, const fw_execution_measure_t * measure)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_robot_slot_t * slot = &execution->slots[robot];
  const fw_cell_t cell = fw__dependency_graph_node(graph, robot, slot->reached)->pose.cell;
  const double dx = measure->x - fw_grid_x(&graph->grid, cell);
  const double dy = measure->y - fw_grid_y(&graph->grid, cell);
  double least = sqrt(dx * dx + dy * dy);
  for (int32_t at = slot->reached + 1; at <= slot->released && least > execution->options.tolerance; ++at) {
    least = fmin(least, project(graph, graph->first[robot] + at, measure).distance);
  }
  return least;
}

// The next node has been reached.
static void reach(fw_execution_impl_t * execution, int32_t robot, double time)
{
  fw_robot_slot_t * slot = &execution->slots[robot];
  const fw_dependency_graph_t * graph = fw__execution_graph(execution);
  FW_ASSERT(slot->reached < slot->released);
  ++slot->reached;
  slot->fraction = 0.0;
  slot->progress_time = time;
  slot->stop_at = slot->stop_at < slot->reached ? slot->reached : slot->stop_at;
  fw__dependency_graph_node(graph, robot, slot->reached)->expected = time;
  fw__release_enqueue_successors(execution, graph->first[robot] + slot->reached);
}

// Is the robot on one of the next `window` released motions, other than the very next? Returns the node before it, -1
// if not.
static int32_t find_later(
  const fw_execution_impl_t * execution, int32_t robot, const fw_execution_measure_t * measure, int32_t window)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_robot_slot_t * slot = &execution->slots[robot];
  for (int32_t at = slot->reached + 2; at <= slot->released && at <= slot->reached + window; ++at) {
    const projection_t projection = project(graph, graph->first[robot] + at, measure);
    if (is_well_on(&execution->options, projection)) {
      return at - 1;
    }
  }
  return -1;
}

// Moves `reached` and `fraction` forward as the measure says.
static void advance(
  fw_execution_impl_t * execution, int32_t robot, const fw_execution_measure_t * measure, int32_t window)
{
  enum { NOISE_PARTS = 1000 };  // progress of less than a thousandth of a motion is noise
  fw_robot_slot_t * slot = &execution->slots[robot];
  const fw_dependency_graph_t * graph = fw__execution_graph(execution);
  while (slot->reached < slot->released) {
    const projection_t projection = project(graph, graph->first[robot] + slot->reached + 1, measure);
    if (is_at_end(&execution->options, projection)) {
      reach(execution, robot, measure->time);
      continue;
    }
    const int32_t later = is_on(&execution->options, projection) ? -1 : find_later(execution, robot, measure, window);
    if (later < 0) {
      const double fraction = between(0.0, projection.along / projection.length, 1.0);
      if (projection.distance <= execution->options.off_path_max && fraction > slot->fraction + 1.0 / NOISE_PARTS) {
        slot->fraction = fraction;
        slot->progress_time = measure->time;
      }
      return;
    }
    while (slot->reached < later) {
      reach(execution, robot, measure->time);
    }
  }
}

static fw_ret_t check(
  const fw_execution_impl_t * execution, int32_t robot, const fw_execution_measure_t * measure, fw_error_t * error)
{
  const fw_robot_slot_t * slot = fw__execution_slot(execution, robot);
  const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = robot, .cell = FW_CELL_NONE};
  if (slot == NULL) {
    return fw__error_at(error, where, "robot %d reports a position but is not in this execution", robot);
  }
  if (!isfinite(measure->x) || !isfinite(measure->y) || !isfinite(measure->yaw) || !isfinite(measure->time)) {
    return fw__error_at(error, where, "robot %d reports a position or time that is not a finite number", robot);
  }
  if (measure->time < slot->measure.time) {
    return fw__error_at(
      error, where, "robot %d reports with time %.3f s after it reported with %.3f s: times must not decrease", robot,
      measure->time, slot->measure.time);
  }
  return FW_RET_OK;
}

fw_ret_t fw_execution_report(
  fw_execution_t * execution, int32_t robot, const fw_execution_measure_t * measure, fw_error_t * error)
{
  fw_execution_impl_t * impl = execution->impl;
  const fw_ret_t ret = check(impl, robot, measure, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  enum { WINDOW = 3 };  // motions ahead that are searched while reports come regularly
  fw_robot_slot_t * slot = &impl->slots[robot];
  // A robot that was silent, or has made no progress for long, may have been carried along its path.
  const bool was_away = slot->is_stale || measure->time - slot->measure.time > impl->options.stale_seconds ||
                        measure->time - slot->progress_time > impl->options.stopped_seconds;
  slot->gaps += slot->is_stale ? 1 : 0;
  slot->is_stale = false;
  slot->measure = *measure;
  impl->now = fmax(impl->now, measure->time);
  slot->off_path = distance_of(impl, robot, measure);
  const bool was_off_path = slot->is_off_path;
  slot->is_off_path = slot->off_path > impl->options.off_path_max;
  impl->off_path_count += (slot->is_off_path ? 1 : 0) - (was_off_path ? 1 : 0);
  FW_ASSERT(impl->off_path_count >= 0 && impl->off_path_count <= impl->slot_count);
  if (!slot->is_off_path && !slot->is_withdrawn) {
    const int32_t reached = slot->reached;
    advance(impl, robot, measure, was_away || was_off_path ? INT32_MAX / 2 : WINDOW);
    if (slot->reached > reached || impl->options.ahead_max > 0.0) {
      fw__release_enqueue(impl, robot);
    }
  }
  if (slot->is_off_path || was_off_path) {
    fw__release_update_stops(impl);
    fw__release_enqueue_all(impl);
  }
  fw__release_process_queue(impl);
  return FW_RET_OK;
}
