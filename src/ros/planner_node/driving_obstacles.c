// What is in the way of robots that drive: obstacles of the map, blocked cells, and robots that are not in the graph.

#include <math.h>
#include <stdlib.h>

#include "ros/planner_node/driving.h"
#include "ros/planner_node/sweep.h"

static const double OBSTRUCTED_SECONDS = 1.0;  // before its way is given back a robot has had time to stop

typedef struct cells_t {
  fw_cell_t * cells;
  int32_t count;
  int32_t capacity;
} cells_t;

static bool add_cell(void * context, fw_cell_t cell)
{
  cells_t * cells = context;
  if (cells->count == cells->capacity) {
    const int32_t capacity = 2 * cells->capacity + 256;
    fw_cell_t * grown = realloc(cells->cells, (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
      return false;
    }
    cells->cells = grown;
    cells->capacity = capacity;
  }
  cells->cells[cells->count++] = cell;
  return true;
}

// All that a robot may touch where it is measured, in the middle of a cell or not.
static bool add_stranger(cells_t * cells, const driving_t * driving, const robot_t * robot, double robot_radius)
{
  const frame_t * frame = &driving->frame;
  const fw_grid_t size = {.width = frame->width, .height = frame->height};
  const body_t * body = &robot->body;
  const place_t place = body_place(body, frame, 8, robot->point, robot->yaw);
  const double turn = body->turn_ticks > 0 ? robot->yaw : frame->yaw;
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < body->outline->counts[0]; ++k) {
    const double dx = (double)body->outline->cells[0][k].dx * frame->resolution;
    const double dy = (double)body->outline->cells[0][k].dy * frame->resolution;
    const point_t at = {
      robot->point.x + cos(turn) * dx - sin(turn) * dy,
      robot->point.y + sin(turn) * dx + cos(turn) * dy,
    };
    const sweep_t disc = {at, at, robot_radius};
    is_fine = sweep_cells(&disc, frame, add_cell, cells);
  }
  for (int32_t k = 0; is_fine && place.cell != FW_CELL_NONE && k < body_cell_count(body, place); ++k) {
    const fw_cell_t cell = body_cell(body, &size, place, k);
    is_fine = cell == FW_CELL_NONE || add_cell(cells, cell);
  }
  return is_fine;
}

// A cell of the graph on the map as it is now, which may be another one until everybody stands.
static bool is_obstacle(const driving_t * driving, const driving_obstacles_t * obstacles, fw_cell_t cell)
{
  const map_t * map = obstacles->map;
  const bool is_same = frames_are_same(&driving->frame, &map->frame);
  const fw_cell_t at = is_same ? cell : frame_cell(&map->frame, frame_point(&driving->frame, cell));
  return at == FW_CELL_NONE || map->grid.cost[at] == 0 || (obstacles->is_blocked != NULL && obstacles->is_blocked[at]);
}

bool driving_set_obstacles(driving_t * driving, const driving_obstacles_t * obstacles)
{
  cells_t cells = {0};
  bool is_fine = true;
  for (fw_cell_t cell = 0; is_fine && cell < driving->frame.width * driving->frame.height; ++cell) {
    is_fine = !is_obstacle(driving, obstacles, cell) || add_cell(&cells, cell);
  }
  for (int32_t k = 0; is_fine && k < obstacles->fleet->count; ++k) {
    const robot_t * robot = &obstacles->fleet->robots[k];
    if (robot->has_pose && !driving_has(driving, k)) {
      is_fine = add_stranger(&cells, driving, robot, obstacles->robot_radius);
    }
  }
  is_fine = is_fine && fw_execution_set_obstacles(&driving->execution, cells.cells, cells.count, NULL) == FW_RET_OK;
  free(cells.cells);
  return is_fine;
}

bool driving_withdraw_obstructed(driving_t * driving, int64_t now_ns, fleet_t * fleet)
{
  bool any = false;
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_execution_status_t status = driving_status(driving, k);
    const double since = driving_seconds(driving, now_ns) - status.since;
    if (
      status.state == FW_EXECUTION_OBSTRUCTED && since > OBSTRUCTED_SECONDS && fleet->robots[k].is_still &&
      fleet->robots[k].shown_stop == status.stop_at) {
      any = fw_execution_withdraw(&driving->execution, k, NULL) == FW_RET_OK || any;
      fleet->robots[k].shown_stop = -1;  // the next way is another one, even if it ends with the same number
    }
  }
  return any;
}
