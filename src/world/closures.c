// Closures behind the door.

#include "world/closures.h"

// ---- merging --------------------------------------------------------------------------------------------------------

static bool is_before(const fw_closure_t * a, const fw_closure_t * b)
{
  return a->cell != b->cell ? a->cell < b->cell : a->from < b->from;
}

// Shell's sort: in place, without the memory that qsort may ask for. Closures that compare equal are merged anyway.
static void sort(fw_closure_t * closures, int32_t count)
{
  int32_t gap = 1;
  while (gap < count / 3) {
    gap = 3 * gap + 1;
  }
  for (; gap > 0; gap /= 3) {
    for (int32_t i = gap; i < count; ++i) {
      const fw_closure_t closure = closures[i];
      int32_t at = i;
      for (; at >= gap && is_before(&closure, &closures[at - gap]); at -= gap) {
        closures[at] = closures[at - gap];
      }
      closures[at] = closure;
    }
  }
}

int32_t fw__closures_merge(const fw_problem_t * problem, fw_closure_t * merged)
{
  int32_t free_count = 0;
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    if (problem->grid->cost[problem->closures[i].cell] != 0) {
      merged[free_count++] = problem->closures[i];
    }
  }
  sort(merged, free_count);
  int32_t count = 0;
  for (int32_t i = 0; i < free_count; ++i) {
    fw_closure_t * last = count > 0 ? &merged[count - 1] : NULL;
    if (last == NULL || last->cell != merged[i].cell || merged[i].from > last->to + 1) {
      merged[count++] = merged[i];
    } else if (merged[i].to > last->to) {
      last->to = merged[i].to;
    }
  }
  return count;
}

// ---- questions ------------------------------------------------------------------------------------------------------

// The index of the first closure of `cell` that ends at `tick` or later, or of a later cell.
static int32_t find(const fw_problem_t * problem, fw_cell_t cell, fw_tick_t tick)
{
  int32_t low = 0;
  int32_t high = problem->closure_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const fw_closure_t * closure = &problem->closures[middle];
    if (closure->cell < cell || (closure->cell == cell && closure->to < tick)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

fw_tick_t fw__closures_next(const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick)
{
  fw_tick_t first = FW_TICK_MAX;
  for (int32_t i = 0; i < footprint.count && problem->closure_count > 0; ++i) {
    const fw_cell_t cell = place + footprint.cells[i].dy * problem->grid->width + footprint.cells[i].dx;
    const int32_t at = find(problem, cell, tick);
    if (at < problem->closure_count && problem->closures[at].cell == cell) {
      const fw_tick_t from = problem->closures[at].from > tick ? problem->closures[at].from : tick;
      first = from < first ? from : first;
    }
  }
  return first;
}

fw_tick_t fw__closures_open_until(
  const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick)
{
  const fw_tick_t next = fw__closures_next(problem, footprint, place, tick);
  return next == FW_TICK_MAX ? FW_TICK_MAX : next - 1;
}

fw_tick_t fw__closures_starts_open_until(const fw_bodies_t * bodies)
{
  const fw_problem_t * problem = bodies->problem;
  fw_tick_t until = FW_TICK_MAX;
  for (int32_t r = 0; r < problem->robot_count && problem->closure_count > 0; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const fw_footprint_t footprint = bodies->of[r]->footprints[robot->heading];
    const fw_tick_t open = fw__closures_open_until(problem, footprint, robot->start, robot->arrives);
    until = open < until ? open : until;
  }
  return until;
}
