// The check of robots against each other: lays every robot's cells on a map of owners, tick by tick, and looks what lies
// there already.

#include <stdlib.h>

#include "plan/check.h"

void fw__check_look_ahead(fw__check_t * check, int32_t robot, fw_tick_t tick)
{
  const fw_tick_t change = fw__check_next_change(check, robot, tick);
  check->change[robot] = change;
  check->depart[robot] = change == FW_TICK_MAX ? FW_TICK_MAX : change - fw__check_motion_ticks(check, robot, change);
}

// Is the robot on its way to another spot during the step that ends at `tick`?
static bool is_under_way(const fw__check_t * check, int32_t robot, fw_tick_t tick)
{
  return check->depart[robot] < tick;
}

static bool lay_cells(fw__check_t * check, fw__patch_t patch, fw_tick_t tick)
{
  fw__mark_t * now = check->now[tick & 1];
  for (int32_t i = 0; i < fw__check_count(check, &patch); ++i) {
    const fw_cell_t cell = fw__check_cell(check, &patch, i);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    if (now[cell].tick == tick && now[cell].robot != patch.robot) {
      return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_CELL, patch.robot, now[cell].robot, tick, cell});
    }
    now[cell] = (fw__mark_t){.tick = tick, .robot = patch.robot};
  }
  return true;
}

// Cells left less than robust_ticks ago by another robot.
static bool keeps_distance(fw__check_t * check, fw__patch_t patch, fw_tick_t tick)
{
  for (int32_t i = 0; i < fw__check_count(check, &patch); ++i) {
    const fw_cell_t cell = fw__check_cell(check, &patch, i);
    if (cell == FW_CELL_NONE) {
      continue;
    }
    fw__mark_t * last = &check->last[cell];
    if (last->tick >= 0 && last->robot != patch.robot && tick - last->tick <= check->problem->robust_ticks) {
      return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_ROBUST, patch.robot, last->robot, tick, cell});
    }
    *last = (fw__mark_t){.tick = tick, .robot = patch.robot};
  }
  return true;
}

// Everything that the robot covers at the tick: where it is listed; between departure and arrival where it will be; and
// up to the arrival what it sweeps.
static bool lay_robot(fw__check_t * check, int32_t robot, fw_tick_t tick)
{
  const fw_tick_t change = check->change[robot];
  const fw__spot_t here = fw__check_spot(check, robot, tick);
  const fw_robot_t * shape = &check->problem->robots[robot];
  const bool may_sweep = shape->sweeps_sides || shape->turn_ticks > 0;
  if (!is_under_way(check, robot, tick) || (change == tick && !may_sweep)) {
    return lay_cells(check, (fw__patch_t){robot, here, here}, tick) &&
           keeps_distance(check, (fw__patch_t){robot, here, here}, tick);
  }
  const fw__spot_t left = fw__check_spot(check, robot, change - 1);
  const fw__spot_t next = fw__check_spot(check, robot, change);
  const fw__patch_t patches[3] = {{robot, here, here}, {robot, left, next}, {robot, next, next}};
  const bool is_there[3] = {true, true, change > tick};
  for (int32_t i = 0; i < 3; ++i) {
    if (is_there[i] && !lay_cells(check, patches[i], tick)) {
      return false;
    }
  }
  for (int32_t i = 0; i < 3; ++i) {
    if (is_there[i] && !keeps_distance(check, patches[i], tick)) {
      return false;
    }
  }
  return true;
}

// Is the robot listed on the cell, with its footprint, at the tick? What it sweeps beyond is no part of a swap.
static bool is_listed_on(const fw__check_t * check, int32_t robot, fw_tick_t tick, fw_cell_t cell)
{
  const fw__spot_t spot = fw__check_spot(check, robot, tick);
  const fw__patch_t patch = {robot, spot, spot};
  for (int32_t i = 0; i < fw__check_count(check, &patch); ++i) {
    if (fw__check_cell(check, &patch, i) == cell) {
      return true;
    }
  }
  return false;
}

// Each leaves a cell that the other enters, in the step that ends at `tick`. Motions of several ticks cover both on the
// way and are found as cell conflicts.
static bool does_not_swap(fw__check_t * check, int32_t robot, fw_tick_t tick)
{
  const fw__spot_t from = fw__check_spot(check, robot, tick - 1);
  const fw__spot_t to = fw__check_spot(check, robot, tick);
  if (fw__check_is_same(from, to)) {
    return true;
  }
  const fw__patch_t before = {robot, from, from};
  const fw__patch_t after = {robot, to, to};
  for (int32_t i = 0; i < fw__check_count(check, &before); ++i) {
    const fw_cell_t left = fw__check_cell(check, &before, i);
    const fw__mark_t entering = check->now[tick & 1][left];
    if (entering.tick != tick || entering.robot == robot || !is_listed_on(check, entering.robot, tick, left)) {
      continue;
    }
    for (int32_t j = 0; j < fw__check_count(check, &after); ++j) {
      const fw_cell_t entered = fw__check_cell(check, &after, j);
      const fw__mark_t leaving = check->now[(tick - 1) & 1][entered];
      if (
        leaving.tick == tick - 1 && leaving.robot == entering.robot &&
        is_listed_on(check, leaving.robot, tick - 1, entered)) {
        return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_SWAP, robot, entering.robot, tick, to.cell});
      }
    }
  }
  return true;
}

// A diagonal goes through the corner that its four cells share; two of different slope there cross.
static bool does_not_cross(fw__check_t * check, int32_t robot, fw_tick_t tick)
{
  if (check->problem->connectivity != 8) {
    return true;
  }
  const fw__spot_t from = fw__check_spot(check, robot, tick - 1);
  const fw__spot_t to = fw__check_spot(check, robot, check->change[robot]);
  const fw_offset_t by = fw__check_shift(check, from.cell, to.cell);
  const fw__patch_t patch = {robot, from, from};
  if (abs(by.dx) != 1 || abs(by.dy) != 1) {
    return true;
  }
  const int32_t width = check->problem->grid->width;
  for (int32_t i = 0; i < fw__check_count(check, &patch); ++i) {
    const fw_offset_t at = fw__check_at(check, &patch, i);
    fw__corner_t * corner = &check->corners[(at.dy + (by.dy > 0)) * (width + 1) + at.dx + (by.dx > 0)];
    if (corner->tick == tick && corner->robot != robot && corner->slope != by.dx * by.dy) {
      return fw__check_report(check, (fw_conflict_t){FW_CONFLICT_CROSSING, robot, corner->robot, tick, to.cell});
    }
    *corner = (fw__corner_t){.tick = tick, .robot = robot, .slope = by.dx * by.dy};
  }
  return true;
}

// Every robot's cells are laid before swaps are looked for.
bool fw__check_tick(fw__check_t * check, fw_tick_t tick)
{
  const int32_t count = check->problem->robot_count;
  for (int32_t r = 0; r < count; ++r) {
    if (!lay_robot(check, r, tick)) {
      return false;
    }
  }
  for (int32_t r = 0; r < count && tick > 0; ++r) {
    if (!is_under_way(check, r, tick)) {
      continue;
    }
    if (!does_not_swap(check, r, tick) || !does_not_cross(check, r, tick)) {
      return false;
    }
    if (check->change[r] == tick) {
      fw__check_look_ahead(check, r, tick);
    }
  }
  return true;
}
