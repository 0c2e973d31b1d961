// Questions to the reservation table about one move of one robot of any shape and speed. Slow and plain: the searches
// for single cells answer them from the rows directly, and tests hold the two against each other.

#include <stdlib.h>

#include "spacetime/reservations.h"

static bool is_row_free(const fw_row_t * row, fw_tick_t from, fw_tick_t to, int32_t robust_ticks)
{
  const int32_t at = fw_row_find(row, from - robust_ticks);
  return at == row->count || row->stays[at].from > (to == FW_TICK_MAX ? to : to + robust_ticks);
}

static bool is_shape_free(
  const fw_reservations_t * table, int32_t robot, fw_cell_t place, fw_tick_t from, fw_tick_t to)
{
  const fw_robot_t * shape = &table->robots[robot];
  const int32_t width = table->places->grid->width;
  for (int32_t i = 0; i < shape->footprint_count; ++i) {
    const fw_cell_t cell = place + shape->footprint[i].dy * width + shape->footprint[i].dx;
    if (!is_row_free(&table->rows[table->places->node_of[cell]], from, to, table->robust_ticks)) {
      return false;
    }
  }
  return true;
}

// Two robots swap when each leaves a cell that the other enters in the same tick. Only moves of one tick can: slower
// ones cover both cells on the way. Cells that the robot leaves are free of others at departure and those that it
// enters are free at arrival, so an owner at the other end of the tick has entered or left.
static bool swaps(const fw_reservations_t * table, const fw_step_t * step)
{
  const fw_robot_t * shape = &table->robots[step->robot];
  const fw_moves_t * places = table->places;
  const int32_t width = places->grid->width;
  for (int32_t i = 0; i < shape->footprint_count; ++i) {
    const int32_t offset = shape->footprint[i].dy * width + shape->footprint[i].dx;
    const int32_t other =
      fw_reservations_owner(table, places->node_of[step->from + offset], step->depart + 1);
    for (int32_t j = 0; other >= 0 && j < shape->footprint_count; ++j) {
      const int32_t entered = step->to + shape->footprint[j].dy * width + shape->footprint[j].dx;
      if (fw_reservations_owner(table, places->node_of[entered], step->depart) == other) {
        return true;
      }
    }
  }
  return false;
}

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
static bool crosses_path(
  const fw_reservations_t * table, const fw_step_t * step, fw_tick_t arrive, int32_t other)
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

bool fw_reservations_crosses(const fw_reservations_t * table, const fw_step_t * step)
{
  const fw_moves_t * places = table->places;
  const fw_grid_t * grid = places->grid;
  const fw_robot_t * shape = &table->robots[step->robot];
  const shift_t mine = shift_of(grid, step->from, step->to);
  if (mine.dx == 0 || mine.dy == 0) {
    return false;
  }
  const fw_tick_t arrive = step->depart + shape->ticks_per_move;
  // Whoever crosses covers a side cell at some tick of the move.
  for (int32_t i = 0; i < shape->footprint_count; ++i) {
    const fw_cell_t cell = step->from + shape->footprint[i].dy * grid->width + shape->footprint[i].dx;
    const fw_cell_t sides[2] = {cell + mine.dx, cell + mine.dy * grid->width};
    for (int32_t s = 0; s < 2; ++s) {
      for (fw_tick_t tick = step->depart; tick <= arrive; ++tick) {
        const int32_t other = fw_reservations_owner(table, places->node_of[sides[s]], tick);
        if (other >= 0 && crosses_path(table, step, arrive, other)) {
          return true;
        }
      }
    }
  }
  return false;
}

bool fw_reservations_allow(const fw_reservations_t * table, const fw_step_t * step)
{
  if (step->from == step->to) {
    return is_shape_free(table, step->robot, step->to, step->depart + 1, step->depart + 1);
  }
  const int32_t speed = table->robots[step->robot].ticks_per_move;
  const fw_tick_t arrive = step->depart + speed;
  if (
    !is_shape_free(table, step->robot, step->to, step->depart + 1, arrive) ||
    (speed > 1 && !is_shape_free(table, step->robot, step->from, step->depart + 1, arrive - 1))) {
    return false;
  }
  // With robust ticks a swap would break the rule for cells already.
  return !(speed == 1 && table->robust_ticks == 0 && swaps(table, step)) && !fw_reservations_crosses(table, step);
}

bool fw_reservations_allow_stay(const fw_reservations_t * table, int32_t robot, fw_cell_t cell, fw_tick_t tick)
{
  return is_shape_free(table, robot, cell, tick, FW_TICK_MAX);
}

int32_t fw_reservations_meets(
  const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking, int32_t at)
{
  const fw_path_t * path = &booking->path;
  const int32_t * node_of = table->places->node_of;
  const int32_t node = node_of[path->cells[at]];
  const fw_row_t * row = &table->rows[node];
  const fw_tick_t tick = booking->from + at;
  const fw_tick_t end = at + 1 == path->length ? booking->until : tick;
  const fw_tick_t to = end == FW_TICK_MAX ? end : end + table->robust_ticks;
  for (int32_t i = fw_row_find(row, tick - table->robust_ticks); i < row->count && row->stays[i].from <= to; ++i) {
    if (row->stays[i].robot != robot) {
      return row->stays[i].robot;
    }
  }
  if (at == 0 || path->cells[at] == path->cells[at - 1]) {
    return -1;
  }
  const int32_t other = fw_reservations_owner(table, node_of[path->cells[at - 1]], tick);
  const bool is_swap = other >= 0 && other != robot && fw_reservations_owner(table, node, tick - 1) == other;
  return is_swap ? other : -1;
}
