#include "view/walk.h"

#include <stdlib.h>

#include "world/footprint.h"

fw__walk_t fw__walk(const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot)
{
  return (fw__walk_t){.grid = problem->grid, .robot = &problem->robots[robot], .path = &plan->paths[robot]};
}

bool fw__walk_has_heading(const fw__walk_t * walk)
{
  return walk->robot->turn_ticks > 0 && walk->path->headings != NULL;
}

fw_grid_pose_t fw__walk_pose(const fw__walk_t * walk, fw_tick_t tick)
{
  return (fw_grid_pose_t){
    fw_path_at(walk->path, tick), fw__walk_has_heading(walk) ? fw_path_heading(walk->path, tick) : 0};
}

// ---- motions --------------------------------------------------------------------------------------------------------

static fw_tick_t ticks_per_move(const fw__walk_t * walk)
{
  return walk->robot->ticks_per_move > 1 ? walk->robot->ticks_per_move : 1;
}

static bool has_arrived(const fw__walk_t * walk, fw_tick_t tick)
{
  return tick > 0 && !fw__grid_pose_equals(fw__walk_pose(walk, tick - 1), fw__walk_pose(walk, tick));
}

static fw__motion_t motion_to(const fw__walk_t * walk, fw_tick_t arrival)
{
  const fw_grid_pose_t from = fw__walk_pose(walk, arrival - 1);
  const fw_grid_pose_t to = fw__walk_pose(walk, arrival);
  const fw_tick_t ticks = from.cell != to.cell ? ticks_per_move(walk) : walk->robot->turn_ticks;
  return (fw__motion_t){.from = from, .to = to, .departure = arrival - ticks, .arrival = arrival};
}

bool fw__walk_next_motion(const fw__walk_t * walk, fw_tick_t tick, fw_tick_t end, fw__motion_t * motion)
{
  const fw_tick_t last = end < walk->path->length - 1 ? end : walk->path->length - 1;
  for (fw_tick_t arrival = tick + 1; arrival <= last; arrival++) {
    if (has_arrived(walk, arrival)) {
      *motion = motion_to(walk, arrival);
      return true;
    }
  }
  return false;
}

int32_t fw__motion_turn(const fw__motion_t * motion)
{
  const int32_t right = (motion->to.heading - motion->from.heading + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  return right <= FW_HEADING_COUNT / 2 ? right : right - FW_HEADING_COUNT;
}

// The motion on which the robot is at `tick`, neither departing then nor arriving.
static bool is_between(const fw__walk_t * walk, fw_tick_t tick, fw__motion_t * motion)
{
  const fw_tick_t turn_ticks = walk->robot->turn_ticks;
  const fw_tick_t longest = turn_ticks > ticks_per_move(walk) ? turn_ticks : ticks_per_move(walk);
  return !has_arrived(walk, tick) && fw__walk_next_motion(walk, tick, tick + longest - 1, motion) &&
         motion->departure < tick;
}

// ---- cells ----------------------------------------------------------------------------------------------------------

static void count_cell(void * context, fw_offset_t cell)
{
  (void)cell;
  *(int32_t *)context += 1;
}

// Here, there, and two sides, or what a turn sweeps.
int32_t fw__walk_cells_max(const fw__walk_t * walk)
{
  const fw_footprint_t footprint = fw__footprint_of(walk->robot);
  const int32_t slanted =
    fw__walk_has_heading(walk) ? fw__footprint_rotate_into(footprint, FW_HEADING_SOUTH_EAST, NULL, 0) : 0;
  int32_t swept = 0;
  for (int32_t i = 0; i < footprint.count && fw__walk_has_heading(walk); i++) {
    fw__footprint_visit_swept(footprint.cells[i], (fw_turn_t){0, 1}, count_cell, &swept);
    fw__footprint_visit_swept(footprint.cells[i], (fw_turn_t){1, 2}, count_cell, &swept);
  }
  return 4 * (slanted > footprint.count ? slanted : footprint.count) + swept;
}

typedef struct list_t {
  fw_cell_t * cells;
  int32_t count;
} list_t;

static void lay_cell(const fw_grid_t * grid, fw_cell_t own, fw_offset_t by, list_t * list)
{
  const int32_t x = fw_grid_x(grid, own) + by.dx, y = fw_grid_y(grid, own) + by.dy;
  if (fw_grid_contains(grid, x, y)) {
    list->cells[list->count++] = fw_grid_cell(grid, x, y);
  }
}

// The footprint at a pose, shifted.
static void lay(const fw__walk_t * walk, fw_grid_pose_t pose, fw_offset_t by, list_t * list)
{
  const fw_footprint_t footprint = fw__footprint_of(walk->robot);
  for (int32_t i = 0; i < footprint.count; i++) {
    fw_offset_t turned[FW_ROTATED_CELLS_MAX];
    const fw_footprint_t one = {&footprint.cells[i], 1};
    const int32_t count = fw__footprint_rotate_into(one, pose.heading, turned, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count; j++) {
      lay_cell(walk->grid, pose.cell, (fw_offset_t){turned[j].dx + by.dx, turned[j].dy + by.dy}, list);
    }
  }
}

typedef struct turning_t {
  const fw__walk_t * walk;
  fw_cell_t own;
  int32_t quarters;
  list_t * list;
} turning_t;

static void lay_swept(void * context, fw_offset_t cell)
{
  const turning_t * turning = context;
  list_t * list = turning->list;
  const int32_t count = list->count;
  lay_cell(turning->walk->grid, turning->own, fw__offset_rotate(cell, turning->quarters), list);
  for (int32_t i = 0; i < count && list->count > count; i++) {
    list->count -= list->cells[i] == list->cells[count] ? 1 : 0;  // once is enough
  }
}

static void lay_turn(const fw__walk_t * walk, const fw__motion_t * motion, list_t * list)
{
  const fw_footprint_t footprint = fw__footprint_of(walk->robot);
  const int32_t by = fw__motion_turn(motion);
  const int32_t first = by > 0 ? motion->from.heading : motion->to.heading;
  turning_t turning = {walk, motion->from.cell, first / 2, list};
  for (int32_t i = 0; i < footprint.count; i++) {
    fw__footprint_visit_swept(footprint.cells[i], (fw_turn_t){first % 2, first % 2 + abs(by)}, lay_swept, &turning);
  }
}

// What lies beside a diagonal, or on the way of a turn.
static void lay_sweeps(const fw__walk_t * walk, const fw__motion_t * motion, list_t * list)
{
  const int32_t dx = fw_grid_x(walk->grid, motion->to.cell) - fw_grid_x(walk->grid, motion->from.cell);
  const int32_t dy = fw_grid_y(walk->grid, motion->to.cell) - fw_grid_y(walk->grid, motion->from.cell);
  const int32_t turn = abs(fw__motion_turn(motion));
  if (walk->robot->sweeps_sides && abs(dx) == 1 && abs(dy) == 1) {
    lay(walk, motion->from, (fw_offset_t){dx, 0}, list);
    lay(walk, motion->from, (fw_offset_t){0, dy}, list);
  } else if (motion->from.cell == motion->to.cell && (turn == 1 || turn == 2)) {
    lay_turn(walk, motion, list);
  }
}

int32_t fw__walk_cells(const fw__walk_t * walk, fw_tick_t tick, fw_cell_t * cells)
{
  const fw_offset_t nowhere = {0, 0};
  list_t list = {.cells = cells};
  fw__motion_t motion;
  lay(walk, fw__walk_pose(walk, tick), nowhere, &list);
  if (has_arrived(walk, tick)) {
    motion = motion_to(walk, tick);
    lay_sweeps(walk, &motion, &list);
  } else if (is_between(walk, tick, &motion)) {
    lay(walk, motion.to, nowhere, &list);
    lay_sweeps(walk, &motion, &list);
  }
  return list.count;
}

// ---- places and waits -----------------------------------------------------------------------------------------------

fw__place_t fw__walk_place(const fw__walk_t * walk, fw_tick_t tick)
{
  const fw_grid_pose_t pose = fw__walk_pose(walk, tick);
  fw__place_t place = {
    fw_grid_x(walk->grid, pose.cell) + 0.5, fw_grid_y(walk->grid, pose.cell) + 0.5, (double)pose.heading};
  fw__motion_t motion;
  if (is_between(walk, tick, &motion)) {
    const double part = (double)(tick - motion.departure) / (motion.arrival - motion.departure);
    place.x += part * (fw_grid_x(walk->grid, motion.to.cell) - fw_grid_x(walk->grid, pose.cell));
    place.y += part * (fw_grid_y(walk->grid, motion.to.cell) - fw_grid_y(walk->grid, pose.cell));
    place.heading += part * fw__motion_turn(&motion);
  }
  return place;
}

bool fw__walk_next_wait(const fw__walk_t * walk, fw_tick_t tick, fw_tick_t end, fw__wait_t * wait)
{
  for (fw_tick_t since = tick; since < end;) {
    const fw_cell_t cell = fw_path_at(walk->path, since);
    const bool has_come = since == 0 || has_arrived(walk, since);
    fw__motion_t motion = {.departure = end, .arrival = end};
    (void)fw__walk_next_motion(walk, since, end, &motion);
    if (motion.departure > since && has_come && cell != walk->robot->goal) {
      *wait = (fw__wait_t){.cell = cell, .from = since, .to = motion.departure};
      return true;
    }
    since = motion.arrival;
  }
  return false;
}
