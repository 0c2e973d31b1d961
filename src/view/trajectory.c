// Cells, positions and waits along a path. See trajectory.h.

#include "view/trajectory.h"

#include <stdlib.h>

#include "base/assert.h"
#include "world/footprint.h"

fw_trajectory_t fw__trajectory(const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < problem->robot_count && plan->robot_count == problem->robot_count);
  FW_ASSERT(plan->paths[robot].length >= 1);
  return (fw_trajectory_t){.grid = problem->grid, .robot = &problem->robots[robot], .path = &plan->paths[robot]};
}

bool fw__trajectory_has_heading(const fw_trajectory_t * trajectory)
{
  return trajectory->robot->turn_ticks > 0 && trajectory->path->headings != NULL;
}

fw_grid_pose_t fw__trajectory_pose(const fw_trajectory_t * trajectory, fw_tick_t tick)
{
  return (fw_grid_pose_t){
    fw_path_at(trajectory->path, tick),
    fw__trajectory_has_heading(trajectory) ? fw_path_heading(trajectory->path, tick) : 0};
}

// ---- motions --------------------------------------------------------------------------------------------------------

static fw_tick_t ticks_per_move(const fw_trajectory_t * trajectory)
{
  return trajectory->robot->ticks_per_move > 1 ? trajectory->robot->ticks_per_move : 1;
}

static bool has_arrived(const fw_trajectory_t * trajectory, fw_tick_t tick)
{
  return tick > 0 &&
         !fw__grid_pose_equals(fw__trajectory_pose(trajectory, tick - 1), fw__trajectory_pose(trajectory, tick));
}

static fw_trajectory_motion_t motion_to(const fw_trajectory_t * trajectory, fw_tick_t arrival)
{
  const fw_grid_pose_t from = fw__trajectory_pose(trajectory, arrival - 1);
  const fw_grid_pose_t to = fw__trajectory_pose(trajectory, arrival);
  const fw_tick_t ticks = from.cell != to.cell ? ticks_per_move(trajectory) : trajectory->robot->turn_ticks;
  return (fw_trajectory_motion_t){.from = from, .to = to, .departure = arrival - ticks, .arrival = arrival};
}

bool fw__trajectory_next_motion(
  const fw_trajectory_t * trajectory, fw_tick_t tick, fw_tick_t end, fw_trajectory_motion_t * motion)
{
  const fw_tick_t last = end < trajectory->path->length - 1 ? end : trajectory->path->length - 1;
  for (fw_tick_t arrival = tick + 1; arrival <= last; arrival++) {
    if (has_arrived(trajectory, arrival)) {
      *motion = motion_to(trajectory, arrival);
      return true;
    }
  }
  return false;
}

int32_t fw__trajectory_turn(const fw_trajectory_motion_t * motion)
{
  const int32_t right = (motion->to.heading - motion->from.heading + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  return right <= FW_HEADING_COUNT / 2 ? right : right - FW_HEADING_COUNT;
}

// Whether the robot is within a motion at `tick`, after its departure and before its arrival; fills the motion.
static bool is_between(const fw_trajectory_t * trajectory, fw_tick_t tick, fw_trajectory_motion_t * motion)
{
  const fw_tick_t turn_ticks = trajectory->robot->turn_ticks;
  const fw_tick_t longest = turn_ticks > ticks_per_move(trajectory) ? turn_ticks : ticks_per_move(trajectory);
  return !has_arrived(trajectory, tick) && fw__trajectory_next_motion(trajectory, tick, tick + longest - 1, motion) &&
         motion->departure < tick;
}

// ---- cells ----------------------------------------------------------------------------------------------------------

static void count_cell(void * context, fw_offset_t cell)
{
  (void)cell;
  *(int32_t *)context += 1;
}

// At most four footprints (this cell, the next, and the two sides of a diagonal) and what a turn sweeps.
int32_t fw__trajectory_cells_max(const fw_trajectory_t * trajectory)
{
  const fw_footprint_t footprint = fw__footprint_of(trajectory->robot);
  const int32_t slanted =
    fw__trajectory_has_heading(trajectory) ? fw__footprint_rotate_into(footprint, FW_HEADING_SOUTH_EAST, NULL, 0) : 0;
  int32_t swept = 0;
  for (int32_t i = 0; i < footprint.count && fw__trajectory_has_heading(trajectory); i++) {
    fw__footprint_visit_swept(footprint.cells[i], (fw_turn_t){0, 1}, count_cell, &swept);
    fw__footprint_visit_swept(footprint.cells[i], (fw_turn_t){1, 2}, count_cell, &swept);
  }
  return 4 * (slanted > footprint.count ? slanted : footprint.count) + swept;
}

typedef struct cell_list_t {
  fw_cell_t * cells;
  int32_t count;
} cell_list_t;

static void append_cell(const fw_grid_t * grid, fw_cell_t own, fw_offset_t by, cell_list_t * list)
{
  const int32_t x = fw_grid_x(grid, own) + by.dx, y = fw_grid_y(grid, own) + by.dy;
  if (fw_grid_contains(grid, x, y)) {
    list->cells[list->count++] = fw_grid_cell(grid, x, y);
  }
}

// Appends the cells of the footprint at a pose, shifted by `by`.
static void append_footprint(
  const fw_trajectory_t * trajectory, fw_grid_pose_t pose, fw_offset_t by, cell_list_t * list)
{
  const fw_footprint_t footprint = fw__footprint_of(trajectory->robot);
  for (int32_t i = 0; i < footprint.count; i++) {
    fw_offset_t turned[FW_ROTATED_CELLS_MAX];
    const fw_footprint_t one = {&footprint.cells[i], 1};
    const int32_t count = fw__footprint_rotate_into(one, pose.heading, turned, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count; j++) {
      append_cell(trajectory->grid, pose.cell, (fw_offset_t){turned[j].dx + by.dx, turned[j].dy + by.dy}, list);
    }
  }
}

typedef struct turning_t {
  const fw_trajectory_t * trajectory;
  fw_cell_t own;
  int32_t quarters;
  cell_list_t * list;
} turning_t;

static void append_swept(void * context, fw_offset_t cell)
{
  const turning_t * turning = context;
  cell_list_t * list = turning->list;
  const int32_t count = list->count;
  append_cell(turning->trajectory->grid, turning->own, fw__offset_rotate(cell, turning->quarters), list);
  for (int32_t i = 0; i < count && list->count > count; i++) {
    list->count -= list->cells[i] == list->cells[count] ? 1 : 0;  // drop a cell that is listed already
  }
}

static void append_turn(const fw_trajectory_t * trajectory, const fw_trajectory_motion_t * motion, cell_list_t * list)
{
  const fw_footprint_t footprint = fw__footprint_of(trajectory->robot);
  const int32_t by = fw__trajectory_turn(motion);
  const int32_t first = by > 0 ? motion->from.heading : motion->to.heading;
  turning_t turning = {trajectory, motion->from.cell, first / 2, list};
  for (int32_t i = 0; i < footprint.count; i++) {
    fw__footprint_visit_swept(footprint.cells[i], (fw_turn_t){first % 2, first % 2 + abs(by)}, append_swept, &turning);
  }
}

// Appends the cells beside a diagonal move, or those that a turn sweeps.
static void append_sweeps(const fw_trajectory_t * trajectory, const fw_trajectory_motion_t * motion, cell_list_t * list)
{
  const int32_t dx = fw_grid_x(trajectory->grid, motion->to.cell) - fw_grid_x(trajectory->grid, motion->from.cell);
  const int32_t dy = fw_grid_y(trajectory->grid, motion->to.cell) - fw_grid_y(trajectory->grid, motion->from.cell);
  const int32_t turn = abs(fw__trajectory_turn(motion));
  if (trajectory->robot->sweeps_sides && abs(dx) == 1 && abs(dy) == 1) {
    append_footprint(trajectory, motion->from, (fw_offset_t){dx, 0}, list);
    append_footprint(trajectory, motion->from, (fw_offset_t){0, dy}, list);
  } else if (motion->from.cell == motion->to.cell && (turn == 1 || (turn == 2 && motion->from.heading % 2 == 0))) {
    // Other turns, such as a quarter from a diagonal heading, are those of a wrong path: robots do not make them.
    append_turn(trajectory, motion, list);
  }
}

int32_t fw__trajectory_cells(const fw_trajectory_t * trajectory, fw_tick_t tick, fw_cell_t * cells)
{
  const fw_offset_t nowhere = {0, 0};
  cell_list_t list = {.cells = cells};
  fw_trajectory_motion_t motion;
  append_footprint(trajectory, fw__trajectory_pose(trajectory, tick), nowhere, &list);
  if (has_arrived(trajectory, tick)) {
    motion = motion_to(trajectory, tick);
    append_sweeps(trajectory, &motion, &list);
  } else if (is_between(trajectory, tick, &motion)) {
    append_footprint(trajectory, motion.to, nowhere, &list);
    append_sweeps(trajectory, &motion, &list);
  }
  FW_ASSERT(list.count <= fw__trajectory_cells_max(trajectory));
  return list.count;
}

// ---- places and waits -----------------------------------------------------------------------------------------------

fw_trajectory_point_t fw__trajectory_point(const fw_trajectory_t * trajectory, fw_tick_t tick)
{
  const fw_grid_pose_t pose = fw__trajectory_pose(trajectory, tick);
  fw_trajectory_point_t place = {
    fw_grid_x(trajectory->grid, pose.cell) + 0.5, fw_grid_y(trajectory->grid, pose.cell) + 0.5, (double)pose.heading};
  fw_trajectory_motion_t motion;
  if (is_between(trajectory, tick, &motion)) {
    const double part = (double)(tick - motion.departure) / (motion.arrival - motion.departure);
    place.x += part * (fw_grid_x(trajectory->grid, motion.to.cell) - fw_grid_x(trajectory->grid, pose.cell));
    place.y += part * (fw_grid_y(trajectory->grid, motion.to.cell) - fw_grid_y(trajectory->grid, pose.cell));
    place.heading += part * fw__trajectory_turn(&motion);
  }
  return place;
}

bool fw__trajectory_next_wait(
  const fw_trajectory_t * trajectory, fw_tick_t tick, fw_tick_t end, fw_trajectory_wait_t * wait)
{
  for (fw_tick_t since = tick; since < end;) {
    const fw_cell_t cell = fw_path_at(trajectory->path, since);
    const bool has_come_to_rest = since == 0 || has_arrived(trajectory, since);
    fw_trajectory_motion_t motion = {.departure = end, .arrival = end};
    (void)fw__trajectory_next_motion(trajectory, since, end, &motion);
    if (motion.departure > since && has_come_to_rest && cell != trajectory->robot->goal) {
      *wait = (fw_trajectory_wait_t){.cell = cell, .from = since, .to = motion.departure};
      return true;
    }
    since = motion.arrival;
  }
  return false;
}
