// Whom a robot of any body would meet. Slow and plain: the searches for single cells answer the same from
// the rows directly, and tests hold the two against each other.

#include <stdlib.h>

#include "spacetime/reservations.h"

// Notes a robot once. `is_fixed`: it is met in a time that it cannot change any more.
static void note(fw_met_t * met, int32_t robot, bool is_fixed)
{
  met->is_fixed = met->is_fixed || is_fixed;
  for (int32_t i = 0; i < met->count; ++i) {
    if (met->robots[i] == robot) {
      return;
    }
  }
  if (met->count == met->limit) {
    met->is_fixed = true;  // too many
    return;
  }
  met->robots[met->count++] = robot;
}

static bool is_full(const fw_met_t * met) { return met->limit == 1 && met->count == 1; }

// ---- cells ----------------------------------------------------------------------------------------------------------

static void meet_row(
  const fw_reservations_t * table, int32_t robot, int32_t node, const fw_tick_t * span, fw_met_t * met)
{
  const int32_t robust = table->robust_ticks;
  const fw_row_t * row = &table->rows[node];
  const fw_tick_t from = span[0] - robust;
  const fw_tick_t to = span[1] == FW_TICK_MAX ? FW_TICK_MAX : span[1] + robust;
  for (int32_t i = fw__row_find(row, from); i < row->count && row->stays[i].from <= to && !is_full(met); ++i) {
    const fw_stay_t * stay = &row->stays[i];
    if (stay->robot != robot) {
      const fw_tick_t held = fw__reservations_held_until(table, stay->robot, node);
      const bool is_there = stay->from <= table->ready[stay->robot];
      note(met, stay->robot, is_there && from <= (stay->to < held ? stay->to : held));
    }
  }
}

// Everybody on the cells of a footprint while the robot stands, robust ticks included.
static void meet_footprint(
  const fw_reservations_t * table, const fw_stand_t * stand, const fw_footprint_t * footprint, fw_met_t * met)
{
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < footprint->count && !is_full(met); ++i) {
    const fw_cell_t cell = stand->pose.cell + footprint->cells[i].dy * width + footprint->cells[i].dx;
    meet_row(table, stand->robot, table->places->node_of[cell], (fw_tick_t[2]){stand->from, stand->to}, met);
  }
}

// Everybody on the cells that a motion sweeps.
static void meet_sweeps(
  const fw_reservations_t * table, const fw_step_t * step, const fw_motion_t * motion, fw_met_t * met)
{
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < motion->sweep_count && !is_full(met); ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    const int32_t node = table->places->node_of[step->from + sweep->dy * width + sweep->dx];
    meet_row(table, step->robot, node, (fw_tick_t[2]){step->depart + sweep->from, step->depart + sweep->to}, met);
  }
}

// ---- swaps ----------------------------------------------------------------------------------------------------------

// Is the cell in the footprint of the robot where it is listed at `tick`? What it sweeps beyond is no part of a swap.
static bool is_listed_on(const fw_reservations_t * table, int32_t robot, fw_cell_t cell, fw_tick_t tick)
{
  const fw_grid_t * grid = table->places->grid;
  const fw_booking_t * booking = &table->bookings[robot];
  const int32_t at = tick - booking->from;
  const int32_t last = booking->path.length - 1;
  const fw_grid_pose_t pose = fw__path_pose(&booking->path, at < 0 ? 0 : at > last ? last : at);
  const fw_footprint_t footprint = table->bodies[robot]->footprints[pose.heading];
  const int32_t dx = fw_grid_x(grid, cell) - fw_grid_x(grid, pose.cell);
  const int32_t dy = fw_grid_y(grid, cell) - fw_grid_y(grid, pose.cell);
  for (int32_t i = 0; i < footprint.count; ++i) {
    if (footprint.cells[i].dx == dx && footprint.cells[i].dy == dy) {
      return true;
    }
  }
  return false;
}

// Two robots swap when each leaves a cell that the other enters in the same tick. Only motions of one tick can: slower
// ones cover both footprints on the way.
static void meet_swaps(const fw_reservations_t * table, const fw_step_t * step, fw_met_t * met)
{
  const fw_body_t * body = table->bodies[step->robot];
  const fw_footprint_t left = body->footprints[step->heading];
  const fw_footprint_t entered = body->footprints[step->heading_to];
  const int32_t * node_of = table->places->node_of;
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < left.count; ++i) {
    const fw_cell_t before = step->from + left.cells[i].dy * width + left.cells[i].dx;
    const int32_t other = fw__reservations_owner(table, node_of[before], step->depart + 1);
    const bool is_other = fw__reservations_is_robot(table, other) && other != step->robot &&
                          is_listed_on(table, other, before, step->depart + 1);
    for (int32_t j = 0; is_other && j < entered.count; ++j) {
      const fw_cell_t after = step->to + entered.cells[j].dy * width + entered.cells[j].dx;
      if (
        fw__reservations_owner(table, node_of[after], step->depart) == other &&
        is_listed_on(table, other, after, step->depart)) {
        note(met, other, step->depart < table->ready[other]);
      }
    }
  }
}

// ---- diagonals ------------------------------------------------------------------------------------------------------

typedef struct shift_t {
  int32_t x, y;    // own cell at departure
  int32_t dx, dy;  // one diagonal step
} shift_t;

static shift_t shift_of(const fw_grid_t * grid, fw_cell_t from, fw_cell_t to)
{
  const int32_t x = fw_grid_x(grid, from);
  const int32_t y = fw_grid_y(grid, from);
  return (shift_t){.x = x, .y = y, .dx = fw_grid_x(grid, to) - x, .dy = fw_grid_y(grid, to) - y};
}

// Do two diagonal moves at the same time go through the same corner between four cells, for some cells of both?
static bool shifts_cross(fw_footprint_t a, shift_t p, fw_footprint_t b, shift_t q)
{
  if (abs(q.dx) != 1 || abs(q.dy) != 1 || p.dx * q.dx + p.dy * q.dy != 0) {
    return false;
  }
  // a goes from (x, y) to (x + dx, y + dy); b begins at the side cell that it moves away from.
  const int32_t side_x = q.dx == -p.dx ? p.dx : 0;
  const int32_t side_y = q.dx == -p.dx ? 0 : p.dy;
  for (int32_t i = 0; i < a.count; ++i) {
    for (int32_t j = 0; j < b.count; ++j) {
      if (p.x + a.cells[i].dx + side_x == q.x + b.cells[j].dx && p.y + a.cells[i].dy + side_y == q.y + b.cells[j].dy) {
        return true;
      }
    }
  }
  return false;
}

// The moves of `other` that are under way between depart and arrive.
static bool crosses_booking(const fw_reservations_t * table, const fw_step_t * step, fw_tick_t arrive, int32_t other)
{
  const fw_booking_t * booking = &table->bookings[other];
  const fw_path_t * path = &booking->path;
  const fw_body_t * body = table->bodies[other];
  const fw_footprint_t footprint = table->bodies[step->robot]->footprints[step->heading];
  const shift_t mine = shift_of(table->places->grid, step->from, step->to);
  int32_t at = step->depart + 1 - booking->from;
  for (at = at < 1 ? 1 : at; at < arrive + body->ticks_per_move - booking->from && at < path->length; ++at) {
    if (path->cells[at] != path->cells[at - 1]) {
      const shift_t theirs = shift_of(table->places->grid, path->cells[at - 1], path->cells[at]);
      if (shifts_cross(footprint, mine, body->footprints[fw__path_pose(path, at).heading], theirs)) {
        return true;
      }
    }
  }
  return false;
}

static void meet_crossings(const fw_reservations_t * table, const fw_step_t * step, fw_met_t * met)
{
  const fw_moves_t * places = table->places;
  const fw_grid_t * grid = places->grid;
  const fw_body_t * body = table->bodies[step->robot];
  const fw_footprint_t footprint = body->footprints[step->heading];
  const shift_t mine = shift_of(grid, step->from, step->to);
  const fw_tick_t arrive = step->depart + body->ticks_per_move;
  // Whoever crosses covers a side cell at some tick of the move.
  for (int32_t i = 0; i < footprint.count && mine.dx != 0 && mine.dy != 0; ++i) {
    const fw_cell_t cell = step->from + footprint.cells[i].dy * grid->width + footprint.cells[i].dx;
    const fw_cell_t sides[2] = {cell + mine.dx, cell + mine.dy * grid->width};
    for (int32_t s = 0; s < 2; ++s) {
      const int32_t side = places->node_of[sides[s]];  // -1: a corner that is cut, where nobody crosses
      for (fw_tick_t tick = step->depart; side >= 0 && tick <= arrive && !is_full(met); ++tick) {
        const int32_t other = fw__reservations_owner(table, side, tick);
        const bool is_other = fw__reservations_is_robot(table, other) && other != step->robot;
        if (is_other && crosses_booking(table, step, arrive, other)) {
          note(met, other, step->depart < table->ready[other]);
        }
      }
    }
  }
}

// ---- the questions --------------------------------------------------------------------------------------------------

void fw__reservations_meet(const fw_reservations_t * table, const fw_step_t * step, fw_met_t * met)
{
  const fw_grid_pose_t from = {step->from, step->heading};
  const fw_grid_pose_t to = {step->to, step->heading_to};
  const fw_motion_t * motion = fw__body_motion(table->bodies[step->robot], table->places->grid, from, to);
  meet_sweeps(table, step, motion, met);
  if (fw__grid_pose_equals(from, to) || is_full(met)) {
    return;
  }
  if (motion->ticks == 1 && table->robust_ticks == 0) {  // with robust ticks a swap breaks the rule for cells already
    meet_swaps(table, step, met);
  }
  meet_crossings(table, step, met);
}

void fw__reservations_meet_stand(const fw_reservations_t * table, const fw_stand_t * stand, fw_met_t * met)
{
  meet_footprint(table, stand, &table->bodies[stand->robot]->footprints[stand->pose.heading], met);
}

bool fw__reservations_allow(const fw_reservations_t * table, const fw_step_t * step)
{
  fw_met_t met = {.limit = 1};
  fw__reservations_meet(table, step, &met);
  return met.count == 0;
}

bool fw__reservations_allow_stand(const fw_reservations_t * table, const fw_stand_t * stand)
{
  fw_met_t met = {.limit = 1};
  fw__reservations_meet_stand(table, stand, &met);
  return met.count == 0;
}

bool fw__reservations_crosses(const fw_reservations_t * table, const fw_step_t * step)
{
  fw_met_t met = {.limit = 1};
  meet_crossings(table, step, &met);
  return met.count > 0;
}

int32_t fw__reservations_meet_booking(const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking)
{
  const fw_path_t * path = &booking->path;
  const int32_t last = path->length - 1;
  fw_met_t met = {.limit = 1};
  for (int32_t at = 1; at <= last && met.count == 0; ++at) {
    const fw_grid_pose_t from = fw__path_pose(path, at - 1);
    const fw_grid_pose_t to = fw__path_pose(path, at);
    const fw_motion_t * motion = fw__body_motion(table->bodies[robot], table->places->grid, from, to);
    const fw_step_t step = {
      .robot = robot,
      .from = from.cell,
      .heading = from.heading,
      .to = to.cell,
      .heading_to = to.heading,
      .depart = booking->from + at - motion->ticks,
    };
    fw__reservations_meet(table, &step, &met);
  }
  if (met.count == 0) {
    const fw_stand_t stand = {
      .robot = robot, .pose = fw__path_pose(path, last), .from = booking->from + last, .to = booking->until};
    fw__reservations_meet_stand(table, &stand, &met);
  }
  return met.count > 0 ? met.robots[0] : -1;
}
