#include "view/reservations.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "view/trajectory.h"
#include "world/closures.h"

static int32_t cells_max(const fw_problem_t * problem, const fw_plan_t * plan)
{
  int32_t most = 1;
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const fw_trajectory_t trajectory = fw__trajectory(problem, plan, robot);
    const int32_t count = fw__trajectory_cells_max(&trajectory);
    most = count > most ? count : most;
  }
  return most;
}

static void * allocate(const fw_view_reservations_t * reservations, int32_t count, size_t size_bytes)
{
  return reservations->allocator.allocate((size_t)(count > 0 ? count : 1) * size_bytes, reservations->allocator.state);
}

void fw__view_reservations_init(
  fw_view_reservations_t * reservations, const fw_problem_t * problem, const fw_plan_t * plan,
  const fw_allocator_t * allocator)
{
  *reservations = (fw_view_reservations_t){.problem = problem, .plan = plan, .allocator = *allocator};
  const int32_t cell_count = fw_grid_cell_count(problem->grid);
  reservations->latest = allocate(reservations, cell_count, sizeof(*reservations->latest));
  reservations->cells = allocate(reservations, cells_max(problem, plan), sizeof(*reservations->cells));
  reservations->closures = allocate(reservations, problem->closure_count, sizeof(*reservations->closures));
  if (reservations->latest == NULL || reservations->cells == NULL || reservations->closures == NULL) {
    reservations->has_failed = true;
    return;
  }
  memset(reservations->latest, 0, (size_t)cell_count * sizeof(*reservations->latest));
  reservations->closure_count = fw__closures_merge(problem, reservations->closures);
}

void fw__view_reservations_fini(fw_view_reservations_t * reservations)
{
  if (reservations->allocator.deallocate != NULL) {
    reservations->allocator.deallocate(reservations->items, reservations->allocator.state);
    reservations->allocator.deallocate(reservations->latest, reservations->allocator.state);
    reservations->allocator.deallocate(reservations->cells, reservations->allocator.state);
    reservations->allocator.deallocate(reservations->closures, reservations->allocator.state);
  }
  *reservations = (fw_view_reservations_t){0};
}

void fw__view_reservations_clear(fw_view_reservations_t * reservations) { reservations->count = 0; }

static void add(fw_view_reservations_t * reservations, fw_view_reservation_t reservation)
{
  FW_ASSERT(reservation.cell >= 0 && reservation.cell < fw_grid_cell_count(reservations->problem->grid));
  FW_ASSERT(reservation.from <= reservation.to);
  if (reservations->has_failed) {
    return;
  }
  if (reservations->count == reservations->capacity) {
    const int32_t capacity = reservations->capacity < 128 ? 256 : reservations->capacity * 2;
    fw_view_reservation_t * items = allocate(reservations, capacity, sizeof(*items));
    if (items == NULL) {
      reservations->has_failed = true;
      return;
    }
    if (reservations->count > 0) {
      memcpy(items, reservations->items, (size_t)reservations->count * sizeof(*items));
    }
    reservations->allocator.deallocate(reservations->items, reservations->allocator.state);
    reservations->items = items;
    reservations->capacity = capacity;
  }
  reservations->latest[reservation.cell] = reservations->count;
  reservations->items[reservations->count++] = reservation;
}

// The reservation of the cell that was added last, if it is that robot's; else NULL.
static fw_view_reservation_t * latest_of(fw_view_reservations_t * reservations, int32_t robot, fw_cell_t cell)
{
  const int32_t at = reservations->latest[cell];
  fw_view_reservation_t * reservation = at < reservations->count ? &reservations->items[at] : NULL;
  return reservation != NULL && reservation->cell == cell && reservation->robot == robot ? reservation : NULL;
}

// Prolongs the items from `first` on by `robust_ticks`, drops those that end before the span, and cuts the rest to it.
static void cut(fw_view_reservations_t * reservations, int32_t first, fw_tick_span_t span)
{
  const fw_tick_t robust = reservations->problem->robust_ticks;
  int32_t kept = first;
  for (int32_t i = first; i < reservations->count; i++) {
    fw_view_reservation_t reservation = reservations->items[i];
    reservation.to = reservation.to + robust < span.to ? reservation.to + robust : span.to;
    if (reservation.to < span.from) {
      continue;
    }
    reservation.from = reservation.from > span.from ? reservation.from : span.from;
    reservations->latest[reservation.cell] = kept;
    reservations->items[kept++] = reservation;
  }
  reservations->count = kept;
}

void fw__view_reservations_add_robot(fw_view_reservations_t * reservations, int32_t robot, fw_tick_span_t span)
{
  if (reservations->has_failed) {
    return;
  }
  FW_ASSERT(robot >= 0 && robot < reservations->problem->robot_count && span.from <= span.to);
  const fw_trajectory_t trajectory = fw__trajectory(reservations->problem, reservations->plan, robot);
  const fw_tick_t robust = reservations->problem->robust_ticks;
  const int32_t first = reservations->count;
  for (fw_tick_t tick = span.from > robust ? span.from - robust : 0; tick <= span.to; tick++) {
    const int32_t count = fw__trajectory_cells(&trajectory, tick, reservations->cells);
    for (int32_t i = 0; i < count; i++) {
      const fw_cell_t cell = reservations->cells[i];
      fw_view_reservation_t * before = latest_of(reservations, robot, cell);
      if (before != NULL && before->to + robust >= tick - 1) {
        before->to = tick;
      } else {
        add(reservations, (fw_view_reservation_t){.cell = cell, .robot = robot, .from = tick, .to = tick});
      }
    }
  }
  cut(reservations, first, span);
}

void fw__view_reservations_add_closures(fw_view_reservations_t * reservations, fw_tick_span_t span)
{
  for (int32_t i = 0; i < reservations->closure_count; i++) {
    const fw_closure_t * closure = &reservations->closures[i];
    if (closure->to >= span.from && closure->from <= span.to) {
      add(
        reservations, (fw_view_reservation_t){
                        .cell = closure->cell, .robot = FW_VIEW_CLOSURE, .from = closure->from, .to = closure->to});
    }
  }
}

static int compare(const void * left, const void * right)
{
  const fw_view_reservation_t * a = left;
  const fw_view_reservation_t * b = right;
  if (a->cell != b->cell) {
    return a->cell < b->cell ? -1 : 1;
  }
  if (a->from != b->from) {
    return a->from < b->from ? -1 : 1;
  }
  return a->robot < b->robot ? -1 : a->robot > b->robot;
}

void fw__view_reservations_sort(fw_view_reservations_t * reservations)
{
  if (reservations->count > 0) {
    qsort(reservations->items, (size_t)reservations->count, sizeof(*reservations->items), compare);
  }
}
