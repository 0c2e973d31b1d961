// The check of one robot alone: obstacles, motions, closures.

#include <stdlib.h>

#include "plan/check.h"

// ---- motions --------------------------------------------------------------------------------------------------------

static bool is_free(const fw__check_t * check, fw__patch_t patch)
{
  for (int32_t i = 0; i < fw__check_count(check, &patch); ++i) {
    const fw_cell_t cell = fw__check_cell(check, &patch, i);
    if (cell == FW_CELL_NONE || check->problem->grid->cost[cell] == 0) {
      return false;
    }
  }
  return true;
}

static bool cuts_no_corner(const fw__check_t * check, int32_t robot, fw__spot_t from, fw_offset_t by)
{
  const fw_grid_t * grid = check->problem->grid;
  const fw__patch_t patch = {robot, from, from};
  for (int32_t i = 0; i < fw__check_count(check, &patch); ++i) {
    const fw_offset_t at = fw__check_at(check, &patch, i);
    if (!fw_grid_is_free(grid, at.dx + by.dx, at.dy) || !fw_grid_is_free(grid, at.dx, at.dy + by.dy)) {
      return false;
    }
  }
  return true;
}

static bool is_ahead(int32_t heading, fw_offset_t by)
{
  static const fw_offset_t ahead[FW_HEADING_COUNT] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                                      {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
  return ahead[heading].dx == by.dx && ahead[heading].dy == by.dy;
}

static bool can_move(const fw__check_t * check, int32_t robot, fw__spot_t from, fw__spot_t to)
{
  const fw_offset_t by = fw__check_shift(check, from.cell, to.cell);
  if (
    abs(by.dx) > 1 || abs(by.dy) > 1 || from.heading != to.heading ||
    (fw__check_has_heading(check, robot) && !is_ahead(from.heading, by))) {
    return false;
  }
  const fw_problem_t * problem = check->problem;
  const bool is_diagonal = by.dx != 0 && by.dy != 0;
  return !is_diagonal ||
         (problem->connectivity == 8 && (problem->cuts_corners || cuts_no_corner(check, robot, from, by)));
}

static bool can_turn(const fw__check_t * check, int32_t robot, fw__spot_t from, fw__spot_t to)
{
  const int32_t step = check->problem->connectivity == 8 ? 1 : 2;
  const int32_t right = (to.heading - from.heading + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  return (right == step || right == FW_HEADING_COUNT - step) && is_free(check, (fw__patch_t){robot, from, to});
}

// The motion that ends at `tick`; the robot has been where it was since `since`.
static bool moves_rightly(fw__check_t * check, int32_t robot, fw_tick_t tick, fw_tick_t since)
{
  const fw__spot_t from = fw__check_spot(check, robot, tick - 1);
  const fw__spot_t to = fw__check_spot(check, robot, tick);
  const bool is_right = tick - since >= fw__check_motion_ticks(check, robot, tick) &&
                        (from.cell == to.cell ? can_turn(check, robot, from, to) : can_move(check, robot, from, to));
  return is_right || fw__check_report(check, (fw_conflict_t){FW_CONFLICT_MOVE, robot, -1, tick, to.cell});
}

static bool begins_rightly(fw__check_t * check, int32_t robot, fw_tick_t until)
{
  const fw_path_t * path = &check->paths[robot];
  const fw_robot_t * shape = &check->problem->robots[robot];
  const bool has_heading = fw__check_has_heading(check, robot);
  if (path->length < 1 || path->cells == NULL || (has_heading && path->headings == NULL)) {
    return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_SHAPE, robot, -1, 0, FW_CELL_NONE});
  }
  // One that is under way is where it comes from until it arrives.
  for (fw_tick_t tick = 0; tick <= shape->arrives && tick <= until; ++tick) {
    const fw__spot_t spot = fw__check_spot(check, robot, tick);
    const bool is_coming = tick < shape->arrives;
    const fw_cell_t cell = is_coming ? shape->from : shape->start;
    if (spot.cell != cell || (has_heading && spot.heading != (is_coming ? shape->from_heading : shape->heading))) {
      return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_START, robot, -1, tick, spot.cell});
    }
  }
  return true;
}

static bool walks_rightly(fw__check_t * check, int32_t robot, fw_tick_t until)
{
  fw_tick_t since = -fw__check_ticks_before(check, robot);
  for (fw_tick_t tick = 0; tick < check->paths[robot].length && tick <= until; ++tick) {
    const fw__spot_t spot = fw__check_spot(check, robot, tick);
    if (!fw__check_is_cell(check, spot.cell)) {
      return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_OBSTACLE, robot, -1, tick, spot.cell});
    }
    if (spot.heading >= FW_HEADING_COUNT) {
      return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_MOVE, robot, -1, tick, spot.cell});
    }
    if (tick > 0 && fw__check_is_same(spot, fw__check_spot(check, robot, tick - 1))) {
      continue;
    }
    const fw_tick_t before = since;
    since = tick > 0 ? tick : since;
    if (!is_free(check, (fw__patch_t){robot, spot, spot})) {
      return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_OBSTACLE, robot, -1, tick, spot.cell});
    }
    if (tick > 0 && !moves_rightly(check, robot, tick, before)) {
      return false;
    }
  }
  return true;
}

// ---- closed cells ---------------------------------------------------------------------------------------------------

// The robot covers the cells of a patch from tick to tick: the first of them that is closed, if that is before `first`.
static void find_closed(const fw__check_t * check, fw__patch_t patch, const fw_tick_t * span, fw_conflict_t * first)
{
  for (int32_t i = 0; i < fw__check_count(check, &patch); ++i) {
    const fw_cell_t cell = fw__check_cell(check, &patch, i);
    int32_t at = cell == FW_CELL_NONE ? -1 : check->closure_of[cell];
    for (; at >= 0; at = check->closure_next[at]) {
      const fw_closure_t * closure = &check->problem->closures[at];
      const fw_tick_t tick = closure->from > span[0] ? closure->from : span[0];
      if (tick <= span[1] && tick <= closure->to && (first->cell == FW_CELL_NONE || tick < first->tick)) {
        first->tick = tick;
        first->cell = cell;
      }
    }
  }
}

static fw_tick_t earlier(fw_tick_t a, fw_tick_t b) { return a < b ? a : b; }

// All that the robot covers up to `until`, stay after stay; the last one lasts for ever. While it is on its way it
// covers the spot that it leaves, the one where it will arrive and what it sweeps, which may be closed earlier.
static bool keeps_out(fw__check_t * check, int32_t robot, fw_tick_t until)
{
  for (fw_tick_t since = 0; since < check->paths[robot].length && since <= until;) {
    fw_conflict_t first = {FW_CONFLICT_CLOSED, robot, -1, FW_TICK_MAX, FW_CELL_NONE};
    const fw__spot_t here = fw__check_spot(check, robot, since);
    const fw_tick_t change = fw__check_next_change(check, robot, since);
    const fw_tick_t to = earlier(change == FW_TICK_MAX ? until : change - 1, until);
    find_closed(check, (fw__patch_t){robot, here, here}, (fw_tick_t[2]){since, to}, &first);
    if (change != FW_TICK_MAX) {
      const fw__spot_t there = fw__check_spot(check, robot, change);
      const fw_tick_t departed = change - fw__check_motion_ticks(check, robot, change);
      const fw_tick_t from = departed >= since ? departed + 1 : since;
      find_closed(check, (fw__patch_t){robot, there, there}, (fw_tick_t[2]){from, to}, &first);
      find_closed(check, (fw__patch_t){robot, here, there}, (fw_tick_t[2]){from, earlier(change, until)}, &first);
    }
    if (first.cell != FW_CELL_NONE) {
      return fw__check_report(check, first);
    }
    since = change;
  }
  return true;
}

// ---- both -----------------------------------------------------------------------------------------------------------

bool fw__check_alone(fw__check_t * check, int32_t robot, fw_tick_t until)
{
  fw__check_t walk = *check;
  walk.found = fw__no_conflict;
  if (begins_rightly(&walk, robot, until) && walks_rightly(&walk, robot, until)) {
    return check->closure_of == NULL || keeps_out(check, robot, until);
  }
  // Closures count up to the tick before.
  const fw_tick_t fault = walk.found.tick;
  const bool is_open = check->closure_of == NULL || fault == 0 || keeps_out(check, robot, fault - 1);
  return is_open ? fw__check_report(check, walk.found) : false;
}
