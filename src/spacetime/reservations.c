// The reservation table: rows of stays.

#include "spacetime/reservations.h"

#include <string.h>

static bool add_closures(fw_reservations_t * table);

bool fw_reservations_init(
  fw_reservations_t * table, fw_arena_t * arena, const fw_moves_t * places, const fw_problem_t * problem)
{
  *table = (fw_reservations_t){
    .arena = arena,
    .places = places,
    .robust_ticks = problem->robust_ticks,
    .robots = problem->robots,
    .robot_count = problem->robot_count,
    .closures = problem->closures,
    .closure_count = problem->closure_count,
  };
  table->rows = fw_arena_allocate_zeroed(arena, (size_t)places->node_count, sizeof(*table->rows));
  table->bookings = fw_arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*table->bookings));
  table->is_waiting = fw_arena_allocate_zeroed(arena, (size_t)problem->robot_count, sizeof(*table->is_waiting));
  table->ready = fw_arena_allocate_zeroed(arena, (size_t)problem->robot_count + 1, sizeof(*table->ready));
  if (table->rows == NULL || table->bookings == NULL || table->ready == NULL || table->is_waiting == NULL) {
    return false;
  }
  table->ready[problem->robot_count] = FW_TICK_MAX;
  return add_closures(table);
}

static bool add_stay(fw_reservations_t * table, int32_t node, fw_stay_t stay)
{
  fw_row_t * row = &table->rows[node];
  if (row->count == row->capacity) {
    int32_t capacity = row->capacity < 2 ? 2 : row->capacity * 2;
    fw_stay_t * stays = fw_arena_allocate(table->arena, (size_t)capacity, sizeof(*stays));
    if (stays == NULL) {
      return false;
    }
    if (row->count > 0) {
      memcpy(stays, row->stays, (size_t)row->count * sizeof(*stays));
    }
    row->stays = stays;
    row->capacity = capacity;
  }
  const int32_t at = fw_row_find(row, stay.from);
  memmove(row->stays + at + 1, row->stays + at, (size_t)(row->count - at) * sizeof(*row->stays));
  row->stays[at] = stay;
  ++row->count;
  const fw_tick_t end = stay.to == FW_TICK_MAX ? stay.from : stay.to;
  if (end > table->last_tick) {
    table->last_tick = end;
  }
  return true;
}

static bool add_closures(fw_reservations_t * table)
{
  for (int32_t i = 0; i < table->closure_count; ++i) {
    const fw_closure_t * closure = &table->closures[i];
    const fw_stay_t stay = {.from = closure->from, .to = closure->to, .robot = table->robot_count};
    if (!add_stay(table, table->places->node_of[closure->cell], stay)) {
      return false;
    }
  }
  return true;
}

static void remove_stay(fw_reservations_t * table, int32_t node, fw_stay_t stay)
{
  fw_row_t * row = &table->rows[node];
  const int32_t at = fw_row_find(row, stay.from);
  if (at < row->count && row->stays[at].robot == stay.robot) {
    memmove(row->stays + at, row->stays + at + 1, (size_t)(row->count - at - 1) * sizeof(*row->stays));
    --row->count;
  }
}

typedef struct span_t {
  fw_cell_t cell;  // the robot's own cell
  fw_tick_t from;
  fw_tick_t to;
} span_t;

// Does the robot, standing at `place`, cover `cell`?
static bool covers(const fw_reservations_t * table, int32_t robot, fw_cell_t place, fw_cell_t cell)
{
  const fw_grid_t * grid = table->places->grid;
  const fw_robot_t * shape = &table->robots[robot];
  const int32_t dx = fw_grid_x(grid, cell) - fw_grid_x(grid, place);
  const int32_t dy = fw_grid_y(grid, cell) - fw_grid_y(grid, place);
  for (int32_t i = 0; i < shape->footprint_count; ++i) {
    if (shape->footprint[i].dx == dx && shape->footprint[i].dy == dy) {
      return true;
    }
  }
  return false;
}

static fw_cell_t footprint_cell(const fw_reservations_t * table, int32_t robot, fw_cell_t place, int32_t index)
{
  const fw_offset_t offset = table->robots[robot].footprint[index];
  return place + offset.dy * table->places->grid->width + offset.dx;
}

// ---- starts ---------------------------------------------------------------------------------------------------------

bool fw_reservations_add_start(fw_reservations_t * table, int32_t robot)
{
  table->bookings[robot] = (fw_booking_t){.path = {.cells = &table->robots[robot].start, .length = 1}};
  table->is_waiting[robot] = true;
  for (int32_t i = 0; i < table->robots[robot].footprint_count; ++i) {
    const fw_cell_t cell = footprint_cell(table, robot, table->robots[robot].start, i);
    if (!add_stay(table, table->places->node_of[cell], (fw_stay_t){.robot = robot})) {
      return false;
    }
  }
  return true;
}

bool fw_reservations_reset(fw_reservations_t * table)
{
  for (int32_t node = 0; node < table->places->node_count; ++node) {
    table->rows[node].count = 0;
  }
  table->last_tick = 0;
  if (!add_closures(table)) {
    return false;
  }
  for (int32_t robot = 0; robot < table->robot_count; ++robot) {
    if (!fw_reservations_add_start(table, robot)) {
      return false;
    }
  }
  return true;
}

static void remove_start(fw_reservations_t * table, int32_t robot)
{
  for (int32_t i = 0; i < table->robots[robot].footprint_count; ++i) {
    const fw_cell_t cell = footprint_cell(table, robot, table->robots[robot].start, i);
    remove_stay(table, table->places->node_of[cell], (fw_stay_t){.robot = robot});
  }
}

// ---- paths ----------------------------------------------------------------------------------------------------------

// The stay that begins with the arrival at path.cells[at]. The robot covers the place from one tick after its departure
// towards it, which is the arrival itself for moves of one tick, until the tick before it arrives at the next.
static span_t span_at(const fw_reservations_t * table, int32_t robot, const fw_booking_t * booking, int32_t at)
{
  const int32_t speed = table->robots[robot].ticks_per_move;
  const fw_path_t path = booking->path;
  int32_t end = at;
  while (end + 1 < path.length && path.cells[end + 1] == path.cells[at]) {
    ++end;
  }
  return (span_t){
    .cell = path.cells[at],
    .from = booking->from + (at == 0 ? 0 : at - speed + 1),
    .to = end + 1 == path.length ? booking->until : booking->from + end,
  };
}

// Where the next stay begins, or path.length.
static int32_t next_at(fw_path_t path, int32_t at)
{
  int32_t next = at + 1;
  while (next < path.length && path.cells[next] == path.cells[at]) {
    ++next;
  }
  return next;
}

// Calls add or remove for every cell and time that the path covers, each covered stretch once. A footprint cell that
// is covered at one place and the next is one stretch: it is begun at the first and ended at the last such place.
static bool walk_booking(fw_reservations_t * table, int32_t robot, const fw_booking_t * booking, bool is_adding)
{
  const fw_path_t path = booking->path;
  const int32_t cell_count = table->robots[robot].footprint_count;
  for (int32_t at = 0; at < path.length; at = next_at(path, at)) {
    const span_t here = span_at(table, robot, booking, at);
    for (int32_t i = 0; i < cell_count; ++i) {
      const fw_cell_t cell = footprint_cell(table, robot, here.cell, i);
      if (cell_count > 1 && at > 0 && covers(table, robot, path.cells[at - 1], cell)) {
        continue;  // goes on from the place before
      }
      fw_tick_t to = here.to;
      for (int32_t next = next_at(path, at); cell_count > 1 && next < path.length; next = next_at(path, next)) {
        const span_t then = span_at(table, robot, booking, next);
        if (!covers(table, robot, then.cell, cell)) {
          break;
        }
        to = then.to;
      }
      const fw_stay_t stay = {.from = here.from, .to = to, .robot = robot};
      const int32_t node = table->places->node_of[cell];
      if (!is_adding) {
        remove_stay(table, node, stay);
      } else if (!add_stay(table, node, stay)) {
        return false;
      }
    }
  }
  return true;
}

bool fw_reservations_book(fw_reservations_t * table, int32_t robot, fw_booking_t booking)
{
  table->bookings[robot] = booking;
  return walk_booking(table, robot, &table->bookings[robot], true);
}

bool fw_reservations_add_path(fw_reservations_t * table, int32_t robot, fw_path_t path)
{
  return fw_reservations_book(table, robot, (fw_booking_t){.path = path, .until = FW_TICK_MAX});
}

void fw_reservations_remove(fw_reservations_t * table, int32_t robot)
{
  if (table->is_waiting[robot]) {
    remove_start(table, robot);
  } else if (table->bookings[robot].path.length > 0) {
    (void)walk_booking(table, robot, &table->bookings[robot], false);
  }
  table->is_waiting[robot] = false;
  table->bookings[robot] = (fw_booking_t){0};
}

int32_t fw_reservations_owner(const fw_reservations_t * table, int32_t node, fw_tick_t tick)
{
  const fw_row_t * row = &table->rows[node];
  const int32_t at = fw_row_find(row, tick);
  return at < row->count && row->stays[at].from <= tick ? row->stays[at].robot : -1;
}
