// Whom a robot of any shape and speed would meet. Slow and plain: the searches for single cells answer the same from
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
  for (int32_t i = fw_row_find(row, from); i < row->count && row->stays[i].from <= to && !is_full(met); ++i) {
    const fw_stay_t * stay = &row->stays[i];
    if (stay->robot != robot) {
      const fw_tick_t ready = table->ready[stay->robot];
      note(met, stay->robot, stay->from <= ready && from <= (stay->to < ready ? stay->to : ready));
    }
  }
}

// Everybody on the cells of the robot's shape at `place` during `span`, robust ticks included.
static void meet_shape(
  const fw_reservations_t * table, int32_t robot, fw_cell_t place, const fw_tick_t * span, fw_met_t * met)
{
  const fw_robot_t * shape = &table->robots[robot];
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < shape->footprint_count && !is_full(met); ++i) {
    const fw_cell_t cell = place + shape->footprint[i].dy * width + shape->footprint[i].dx;
    meet_row(table, robot, table->places->node_of[cell], span, met);
  }
}

// ---- swaps ----------------------------------------------------------------------------------------------------------

// Two robots swap when each leaves a cell that the other enters in the same tick. Only moves of one tick can: slower
// ones cover both cells on the way.
static void meet_swaps(const fw_reservations_t * table, const fw_step_t * step, fw_met_t * met)
{
  const fw_robot_t * shape = &table->robots[step->robot];
  const fw_moves_t * places = table->places;
  const int32_t width = places->grid->width;
  for (int32_t i = 0; i < shape->footprint_count; ++i) {
    const int32_t offset = shape->footprint[i].dy * width + shape->footprint[i].dx;
    const int32_t other = fw_reservations_owner(table, places->node_of[step->from + offset], step->depart + 1);
    const bool is_other = fw_reservations_is_robot(table, other) && other != step->robot;
    for (int32_t j = 0; is_other && j < shape->footprint_count; ++j) {
      const int32_t entered = step->to + shape->footprint[j].dy * width + shape->footprint[j].dx;
      if (fw_reservations_owner(table, places->node_of[entered], step->depart) == other) {
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
static bool shifts_cross(const fw_robot_t * a, shift_t p, const fw_robot_t * b, shift_t q)
{
  if (abs(q.dx) != 1 || abs(q.dy) != 1 || p.dx * q.dx + p.dy * q.dy != 0) {
    return false;
  }
  // a goes from (x, y) to (x + dx, y + dy); b begins at the side cell that it moves away from.
  const int32_t side_x = q.dx == -p.dx ? p.dx : 0;
  const int32_t side_y = q.dx == -p.dx ? 0 : p.dy;
  for (int32_t i = 0; i < a->footprint_count; ++i) {
    for (int32_t j = 0; j < b->footprint_count; ++j) {
      if (
        p.x + a->footprint[i].dx + side_x == q.x + b->footprint[j].dx &&
        p.y + a->footprint[i].dy + side_y == q.y + b->footprint[j].dy) {
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
  const int32_t speed = table->robots[other].ticks_per_move;
  const shift_t mine = shift_of(table->places->grid, step->from, step->to);
  int32_t at = step->depart + 1 - booking->from;
  for (at = at < 1 ? 1 : at; at < arrive + speed - booking->from && at < path->length; ++at) {
    if (path->cells[at] != path->cells[at - 1]) {
      const shift_t theirs = shift_of(table->places->grid, path->cells[at - 1], path->cells[at]);
      if (shifts_cross(&table->robots[step->robot], mine, &table->robots[other], theirs)) {
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
  const fw_robot_t * shape = &table->robots[step->robot];
  const shift_t mine = shift_of(grid, step->from, step->to);
  const fw_tick_t arrive = step->depart + shape->ticks_per_move;
  // Whoever crosses covers a side cell at some tick of the move.
  for (int32_t i = 0; i < shape->footprint_count && mine.dx != 0 && mine.dy != 0; ++i) {
    const fw_cell_t cell = step->from + shape->footprint[i].dy * grid->width + shape->footprint[i].dx;
    const fw_cell_t sides[2] = {cell + mine.dx, cell + mine.dy * grid->width};
    for (int32_t s = 0; s < 2; ++s) {
      for (fw_tick_t tick = step->depart; tick <= arrive && !is_full(met); ++tick) {
        const int32_t other = fw_reservations_owner(table, places->node_of[sides[s]], tick);
        const bool is_other = fw_reservations_is_robot(table, other) && other != step->robot;
        if (is_other && crosses_booking(table, step, arrive, other)) {
          note(met, other, step->depart < table->ready[other]);
        }
      }
    }
  }
}

// ---- the questions --------------------------------------------------------------------------------------------------

void fw_reservations_meet(const fw_reservations_t * table, const fw_step_t * step, fw_met_t * met)
{
  const int32_t speed = step->from == step->to ? 1 : table->robots[step->robot].ticks_per_move;
  const fw_tick_t depart = step->depart;
  meet_shape(table, step->robot, step->to, (fw_tick_t[2]){depart + 1, depart + speed}, met);
  if (step->from == step->to || is_full(met)) {
    return;
  }
  if (speed > 1) {
    meet_shape(table, step->robot, step->from, (fw_tick_t[2]){depart + 1, depart + speed - 1}, met);
  } else if (table->robust_ticks == 0) {  // with robust ticks a swap breaks the rule for cells already
    meet_swaps(table, step, met);
  }
  meet_crossings(table, step, met);
}

void fw_reservations_meet_stay(
  const fw_reservations_t * table, int32_t robot, fw_cell_t cell, fw_tick_t from, fw_tick_t to, fw_met_t * met)
{
  meet_shape(table, robot, cell, (fw_tick_t[2]){from, to}, met);
}

bool fw_reservations_allow(const fw_reservations_t * table, const fw_step_t * step)
{
  fw_met_t met = {.limit = 1};
  fw_reservations_meet(table, step, &met);
  return met.count == 0;
}

bool fw_reservations_allow_stay(const fw_reservations_t * table, int32_t robot, fw_cell_t cell, fw_tick_t tick)
{
  fw_met_t met = {.limit = 1};
  fw_reservations_meet_stay(table, robot, cell, tick, FW_TICK_MAX, &met);
  return met.count == 0;
}

bool fw_reservations_crosses(const fw_reservations_t * table, const fw_step_t * step)
{
  fw_met_t met = {.limit = 1};
  meet_crossings(table, step, &met);
  return met.count > 0;
}

int32_t fw_reservations_meet_booking(const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking)
{
  const fw_path_t path = booking->path;
  const int32_t speed = table->robots[robot].ticks_per_move;
  fw_met_t met = {.limit = 1};
  for (int32_t at = 1; at < path.length && met.count == 0; ++at) {
    const bool is_wait = path.cells[at] == path.cells[at - 1];
    const fw_step_t step = {
      .robot = robot,
      .from = path.cells[at - 1],
      .to = path.cells[at],
      .depart = booking->from + at - (is_wait ? 1 : speed),
    };
    fw_reservations_meet(table, &step, &met);
  }
  if (met.count == 0) {
    const fw_tick_t end = booking->from + path.length - 1;
    fw_reservations_meet_stay(table, robot, path.cells[path.length - 1], end, booking->until, &met);
  }
  return met.count > 0 ? met.robots[0] : -1;
}
