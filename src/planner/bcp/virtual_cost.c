// Virtual costs: Gaussians in integers, and their sums over cells.

#include "planner/bcp/virtual_cost.h"

#include <stdlib.h>

#include "base/assert.h"

bool fw__virtual_costs_push(fw_virtual_costs_t * list, fw_arena_t * arena, fw_virtual_cost_t cost)
{
  if (list->count == list->capacity) {
    fw_virtual_cost_t * items = fw__arena_grow(arena, list->items, sizeof(*items), &list->capacity);
    if (items == NULL) {
      return false;
    }
    list->items = items;
  }
  list->items[list->count++] = cost;
  return true;
}

// exp(-u) as (1 - u / 4096)^4096: twelve squarings of a number with 31 binary digits. u is at most 2, so that it errs
// by less than one in a thousand.
int32_t fw__virtual_cost_gauss(int32_t height, int32_t sigma, int64_t distance2)
{
  enum { SQUARINGS = 12, DIGITS = 31 };
  const int64_t sigma2 = (int64_t)sigma * sigma;
  const int64_t scaled = distance2 * 10000;  // hundredths, squared
  if (scaled > 4 * sigma2 || sigma2 == 0) {
    return distance2 == 0 ? height : 0;
  }
  const int64_t one = INT64_C(1) << DIGITS;
  int64_t power = one - (scaled << (DIGITS - SQUARINGS)) / (2 * sigma2);
  for (int32_t i = 0; i < SQUARINGS; ++i) {
    power = (power * power) >> DIGITS;
  }
  return (int32_t)((height * power) >> DIGITS);
}

bool fw__virtual_field_init(
  fw_virtual_field_t * field, fw_arena_t * arena, const fw_grid_t * grid, fw_virtual_shape_t shape)
{
  *field = (fw_virtual_field_t){
    .arena = arena,
    .grid = grid,
    .height = (int32_t)((int64_t)shape.height * shape.unit / 100),
    .sigma = shape.sigma,
    .sum_max = FW_VIRTUAL_COST_MOVES_MAX * shape.unit,
  };
  field->costs = fw__arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(grid), sizeof(*field->costs));
  return field->costs != NULL;
}

static int32_t robots_of(const fw_virtual_cost_t * cost)
{
  FW_ASSERT(cost->robots > 0);
  return cost->robots < FW_VIRTUAL_COST_ROBOTS_MAX ? cost->robots : FW_VIRTUAL_COST_ROBOTS_MAX;
}

// Tabulates the Gaussian for a number of robots. False when there is no memory.
static bool reserve_values(fw_virtual_field_t * field, int32_t robots)
{
  if (field->values[robots] != NULL) {
    return true;
  }
  const int32_t sigma = field->sigma * robots;
  const int32_t reach = 2 * sigma / 100;
  const int32_t distance2_max = (int32_t)(4 * (int64_t)sigma * sigma / 10000);
  int32_t * values = fw__arena_allocate(field->arena, (size_t)distance2_max + 1, sizeof(*values));
  for (int32_t i = 0; values != NULL && i <= distance2_max; ++i) {
    values[i] = fw__virtual_cost_gauss(field->height, sigma, i);
  }
  field->values[robots] = values;
  field->reach[robots] = reach;
  field->distance2_max[robots] = distance2_max;
  return values != NULL;
}

typedef enum change_t { APPLY, CLEAR } change_t;

static void change_cells(fw_virtual_field_t * field, const fw_virtual_cost_t * cost, change_t change)
{
  const fw_grid_t * grid = field->grid;
  const int32_t reach = field->reach[robots_of(cost)];
  const int32_t distance2_max = field->distance2_max[robots_of(cost)];
  const int32_t * values = field->values[robots_of(cost)];
  FW_ASSERT(values != NULL);
  const int32_t x = fw_grid_x(grid, cost->cell);
  const int32_t y = fw_grid_y(grid, cost->cell);
  for (int32_t dy = y < reach ? -y : -reach; dy <= reach && y + dy < grid->height; ++dy) {
    for (int32_t dx = x < reach ? -x : -reach; dx <= reach && x + dx < grid->width; ++dx) {
      int32_t * sum = &field->costs[fw_grid_cell(grid, x + dx, y + dy)];
      const int32_t distance2 = dx * dx + dy * dy;
      const int32_t value = distance2 <= distance2_max ? values[distance2] : 0;
      // No overflow, as INT32_MAX / 2 is far above the largest sum that is read. Clearing sets to zero.
      *sum = change == CLEAR ? 0 : *sum < INT32_MAX / 2 ? *sum + value : *sum;
    }
  }
}

bool fw__virtual_field_apply(fw_virtual_field_t * field, const fw_virtual_costs_t * list)
{
  for (int32_t i = 0; i < list->count; ++i) {
    if (!reserve_values(field, robots_of(&list->items[i]))) {
      return false;
    }
  }
  for (int32_t i = 0; i < list->count; ++i) {
    change_cells(field, &list->items[i], APPLY);
  }
  return true;
}

void fw__virtual_field_clear(fw_virtual_field_t * field, const fw_virtual_costs_t * list)
{
  for (int32_t i = 0; i < list->count; ++i) {
    change_cells(field, &list->items[i], CLEAR);
  }
}

int32_t fw__virtual_field_reach(const fw_virtual_field_t * field, const fw_virtual_cost_t * cost)
{
  return field->reach[robots_of(cost)];
}

int32_t fw__virtual_field_at_tick(
  const fw_virtual_field_t * field, const fw_virtual_costs_t * list, fw_cell_t cell, fw_tick_t tick)
{
  const int32_t x = fw_grid_x(field->grid, cell);
  const int32_t y = fw_grid_y(field->grid, cell);
  int64_t sum = 0;
  for (int32_t i = 0; i < list->count; ++i) {
    const fw_virtual_cost_t * cost = &list->items[i];
    const int32_t reach = field->reach[robots_of(cost)];
    const int32_t dx = x - fw_grid_x(field->grid, cost->cell);
    const int32_t dy = y - fw_grid_y(field->grid, cost->cell);
    const int32_t dt = tick - cost->tick;
    if (abs(dx) > reach || abs(dy) > reach || abs(dt) > reach) {
      continue;
    }
    const int32_t distance2 = dx * dx + dy * dy + dt * dt;
    sum += distance2 <= field->distance2_max[robots_of(cost)] ? field->values[robots_of(cost)][distance2] : 0;
  }
  return sum < field->sum_max ? (int32_t)sum : field->sum_max;
}
