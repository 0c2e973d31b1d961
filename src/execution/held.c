// What is a robot's alone: the cells from where it is to the end of its release.

#include "execution/execution.h"

// Is the cell on the way of the robot between two nodes, or where it stands at the first?
static bool covers(const fw__graph_t * graph, int32_t robot, const int32_t * range, fw_offset_t at)
{
  const int32_t first = graph->first[robot];
  bool is_covered = fw__shape_stands_on(graph->shapes[robot], &graph->grid, graph->nodes[first + range[0]].pose, at);
  for (int32_t i = range[0] + 1; i <= range[1] && !is_covered; ++i) {
    const fw__swept_t swept = fw__graph_swept(graph, first + i);
    const int32_t dx = at.dx - fw_grid_x(&graph->grid, swept.origin);
    const int32_t dy = at.dy - fw_grid_y(&graph->grid, swept.origin);
    is_covered = fw__footprint_has(swept.parts[0], dx, dy) || fw__footprint_has(swept.parts[1], dx, dy);
  }
  return is_covered;
}

int32_t fw_execution_held(const fw_execution_t * execution, int32_t robot, fw_cell_t * cells, int32_t room)
{
  const fw__execution_t * impl = execution->impl;
  const fw__graph_t * graph = fw__execution_graph_const(impl);
  const fw__slot_t * slot = fw__execution_slot(impl, robot);
  int32_t count = 0;
  for (int32_t at = slot == NULL ? 1 : slot->reached; slot != NULL && at <= slot->released; ++at) {
    const fw_grid_pose_t pose = fw__way_node(graph, robot, at)->pose;
    fw__swept_t swept = {.origin = pose.cell, .parts = {fw__shape_standing(graph->shapes[robot], pose.heading)}};
    if (at > slot->reached) {
      swept = fw__graph_swept(graph, graph->first[robot] + at);
    }
    for (int32_t part = 0; part < 2; ++part) {
      for (int32_t i = 0; i < swept.parts[part].count; ++i) {
        const fw_offset_t offset = swept.parts[part].cells[i];
        const fw_offset_t spot = {
          fw_grid_x(&graph->grid, swept.origin) + offset.dx, fw_grid_y(&graph->grid, swept.origin) + offset.dy};
        if (at == slot->reached || !covers(graph, robot, (int32_t[2]){slot->reached, at - 1}, spot)) {
          if (count < room) {
            cells[count] = fw_grid_cell(&graph->grid, spot.dx, spot.dy);
          }
          ++count;
        }
      }
    }
  }
  return count;
}
