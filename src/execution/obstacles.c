// What is in the way and in no plan: obstacles, and robots that are off their path.
//
// Nothing is released onto them. Where they come to lie on a way that is released, the robot is told to stop short, and the
// space stays held: whoever else would come there by the plan waits as before.

#include <math.h>

#include "execution/execution.h"

// Is a robot that is off its path on the cell, or at its edge? With one cell of its body at the measured place.
static bool is_near(const fw__execution_t * execution, int32_t robot, fw_cell_t cell)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const fw__slot_t * slot = &execution->slots[robot];
  const fw_grid_pose_t pose = fw__way_node(graph, robot, slot->reached)->pose;
  const fw_footprint_t standing = fw__shape_standing(graph->shapes[robot], pose.heading);
  for (int32_t i = 0; i < standing.count; ++i) {
    const double dx = slot->measure.x + standing.cells[i].dx - fw_grid_x(&graph->grid, cell);
    const double dy = slot->measure.y + standing.cells[i].dy - fw_grid_y(&graph->grid, cell);
    if (fabs(dx) < 1.0 && fabs(dy) < 1.0) {
      return true;
    }
  }
  return false;
}

static int32_t find_off_path(const fw__execution_t * execution, int32_t robot, fw_cell_t cell)
{
  for (int32_t other = 0; other < execution->slot_count && execution->off_path_count > 0; ++other) {
    const fw__slot_t * slot = &execution->slots[other];
    if (other != robot && slot->is_there && slot->is_off_path && is_near(execution, other, cell)) {
      return other;
    }
  }
  return -1;
}

fw_cell_t fw__obstacles_find(const fw__execution_t * execution, int32_t node, int32_t * by)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  *by = -1;
  if (!execution->has_obstacles && execution->off_path_count == 0) {
    return FW_CELL_NONE;
  }
  const fw__swept_t swept = fw__graph_swept(graph, node);
  for (int32_t part = 0; part < 2; ++part) {
    for (int32_t i = 0; i < swept.parts[part].count; ++i) {
      const fw_offset_t offset = swept.parts[part].cells[i];
      const fw_cell_t cell = swept.origin + offset.dy * graph->grid.width + offset.dx;
      if (execution->has_obstacles && execution->blocked[cell]) {
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

void fw__obstacles_find_stops(fw__execution_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw__slot_t * slot = &execution->slots[robot];
    if (!slot->is_there) {
      continue;
    }
    const int32_t before = slot->stop_at;
    int32_t by = -1;
    slot->stop_at = slot->reached;
    const int32_t first = fw__execution_graph(execution)->first[robot];
    while (slot->stop_at < slot->released && !slot->is_withdrawn &&
           fw__obstacles_find(execution, first + slot->stop_at + 1, &by) == FW_CELL_NONE) {
      ++slot->stop_at;
    }
    if (slot->stop_at != before) {
      slot->progressed = slot->stop_at > before ? execution->now : slot->progressed;
      fw__execution_note_change(execution, robot);
    }
  }
}
