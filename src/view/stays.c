#include "view/stays.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/walk.h"
#include "world/closures.h"

static int32_t cells_max(const fw_problem_t * problem, const fw_plan_t * plan)
{
  int32_t most = 1;
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    const fw__walk_t walk = fw__walk(problem, plan, robot);
    const int32_t count = fw__walk_cells_max(&walk);
    most = count > most ? count : most;
  }
  return most;
}

static void * allocate(const fw__stays_t * stays, int32_t count, size_t size_bytes)
{
  return stays->allocator.allocate((size_t)(count > 0 ? count : 1) * size_bytes, stays->allocator.state);
}

fw_ret_t fw__stays_init(
  fw__stays_t * stays, const fw_problem_t * problem, const fw_plan_t * plan, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *stays = (fw__stays_t){.problem = problem, .plan = plan, .allocator = *allocator};
  const int32_t cell_count = fw_grid_cell_count(problem->grid);
  stays->latest = allocate(stays, cell_count, sizeof(*stays->latest));
  stays->cells = allocate(stays, cells_max(problem, plan), sizeof(*stays->cells));
  stays->closures = allocate(stays, problem->closure_count, sizeof(*stays->closures));
  if (stays->latest == NULL || stays->cells == NULL || stays->closures == NULL) {
    fw__stays_fini(stays);
    return fw__error_memory(error);
  }
  memset(stays->latest, 0, (size_t)cell_count * sizeof(*stays->latest));
  stays->closure_count = fw__closures_merge(problem, stays->closures);
  return FW_RET_OK;
}

void fw__stays_fini(fw__stays_t * stays)
{
  if (stays->allocator.deallocate != NULL) {
    stays->allocator.deallocate(stays->items, stays->allocator.state);
    stays->allocator.deallocate(stays->latest, stays->allocator.state);
    stays->allocator.deallocate(stays->cells, stays->allocator.state);
    stays->allocator.deallocate(stays->closures, stays->allocator.state);
  }
  *stays = (fw__stays_t){0};
}

void fw__stays_clear(fw__stays_t * stays) { stays->count = 0; }

static fw_ret_t add(fw__stays_t * stays, fw__stay_t stay, fw_error_t * error)
{
  if (stays->count == stays->capacity) {
    const int32_t capacity = stays->capacity < 128 ? 256 : stays->capacity * 2;
    fw__stay_t * items = allocate(stays, capacity, sizeof(*items));
    if (items == NULL) {
      return fw__error_memory(error);
    }
    if (stays->count > 0) {
      memcpy(items, stays->items, (size_t)stays->count * sizeof(*items));
    }
    stays->allocator.deallocate(stays->items, stays->allocator.state);
    stays->items = items;
    stays->capacity = capacity;
  }
  stays->latest[stay.cell] = stays->count;
  stays->items[stays->count++] = stay;
  return FW_RET_OK;
}

// The stay of a robot on a cell that was added last, NULL if there is none.
static fw__stay_t * latest_of(fw__stays_t * stays, int32_t robot, fw_cell_t cell)
{
  const int32_t at = stays->latest[cell];
  fw__stay_t * stay = at < stays->count ? &stays->items[at] : NULL;
  return stay != NULL && stay->cell == cell && stay->robot == robot ? stay : NULL;
}

// Drops what ended before the span, and cuts the rest to it.
static void cut(fw__stays_t * stays, int32_t first, fw__span_t span)
{
  const fw_tick_t robust = stays->problem->robust_ticks;
  int32_t kept = first;
  for (int32_t i = first; i < stays->count; i++) {
    fw__stay_t stay = stays->items[i];
    stay.to = stay.to + robust < span.to ? stay.to + robust : span.to;
    if (stay.to < span.from) {
      continue;
    }
    stay.from = stay.from > span.from ? stay.from : span.from;
    stays->latest[stay.cell] = kept;
    stays->items[kept++] = stay;
  }
  stays->count = kept;
}

fw_ret_t fw__stays_add_robot(fw__stays_t * stays, int32_t robot, fw__span_t span, fw_error_t * error)
{
  const fw__walk_t walk = fw__walk(stays->problem, stays->plan, robot);
  const fw_tick_t robust = stays->problem->robust_ticks;
  const int32_t first = stays->count;
  for (fw_tick_t tick = span.from > robust ? span.from - robust : 0; tick <= span.to; tick++) {
    const int32_t count = fw__walk_cells(&walk, tick, stays->cells);
    for (int32_t i = 0; i < count; i++) {
      fw__stay_t * stay = latest_of(stays, robot, stays->cells[i]);
      if (stay != NULL && stay->to + robust >= tick - 1) {
        stay->to = tick;
        continue;
      }
      const fw_ret_t ret =
        add(stays, (fw__stay_t){.cell = stays->cells[i], .robot = robot, .from = tick, .to = tick}, error);
      if (ret != FW_RET_OK) {
        return ret;
      }
    }
  }
  cut(stays, first, span);
  return FW_RET_OK;
}

fw_ret_t fw__stays_add_closures(fw__stays_t * stays, fw__span_t span, fw_error_t * error)
{
  for (int32_t i = 0; i < stays->closure_count; i++) {
    const fw_closure_t * closure = &stays->closures[i];
    if (closure->to < span.from || closure->from > span.to) {
      continue;
    }
    const fw__stay_t stay = {.cell = closure->cell, .robot = FW__STAY_CLOSED, .from = closure->from, .to = closure->to};
    const fw_ret_t ret = add(stays, stay, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

static int compare(const void * left, const void * right)
{
  const fw__stay_t * a = left;
  const fw__stay_t * b = right;
  if (a->cell != b->cell) {
    return a->cell < b->cell ? -1 : 1;
  }
  if (a->from != b->from) {
    return a->from < b->from ? -1 : 1;
  }
  return a->robot < b->robot ? -1 : a->robot > b->robot;
}

void fw__stays_sort(fw__stays_t * stays)
{
  if (stays->count > 0) {
    qsort(stays->items, (size_t)stays->count, sizeof(*stays->items), compare);
  }
}
