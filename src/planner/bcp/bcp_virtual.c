// Virtual costs: Gaussians in whole numbers.

#include "planner/bcp/bcp_virtual.h"

#include <stdlib.h>

bool fw__bcp_bumps_push(fw_bcp_bumps_t * bumps, fw_arena_t * arena, fw_bcp_bump_t bump)
{
  if (bumps->count == bumps->capacity) {
    fw_bcp_bump_t * items = fw__arena_grow(arena, bumps->items, (size_t)bumps->count, sizeof(*items), &bumps->capacity);
    if (items == NULL) {
      return false;
    }
    bumps->items = items;
  }
  bumps->items[bumps->count++] = bump;
  return true;
}

// exp(-u) as (1 - u / 4096)^4096: twelve squarings of a number with 31 binary digits. u is at most 2, so that it errs by
// less than one in a thousand.
int32_t fw__bcp_gauss(int32_t height, int32_t sigma, int64_t distance2)
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

bool fw__bcp_field_init(fw_bcp_field_t * field, fw_arena_t * arena, const fw_grid_t * grid, fw_bcp_shape_t shape)
{
  *field = (fw_bcp_field_t){
    .arena = arena,
    .grid = grid,
    .height = (int32_t)((int64_t)shape.height * shape.unit / 100),
    .sigma = shape.sigma,
    .sum_max = FW_BCP_MOVES_MAX * shape.unit,
  };
  field->costs = fw__arena_allocate_zeroed(arena, (size_t)fw_grid_cell_count(grid), sizeof(*field->costs));
  return field->costs != NULL;
}

static int32_t crowd_of(const fw_bcp_bump_t * bump)
{
  return bump->robots < FW_BCP_CROWD_MAX ? bump->robots : FW_BCP_CROWD_MAX;
}

// The Gaussian of a crowd by squared distance.
static bool reserve_values(fw_bcp_field_t * field, int32_t crowd)
{
  if (field->values[crowd] != NULL) {
    return true;
  }
  const int32_t sigma = field->sigma * crowd;
  const int32_t reach = 2 * sigma / 100;
  const int32_t far2 = (int32_t)(4 * (int64_t)sigma * sigma / 10000);
  int32_t * values = fw__arena_allocate(field->arena, (size_t)far2 + 1, sizeof(*values));
  for (int32_t i = 0; values != NULL && i <= far2; ++i) {
    values[i] = fw__bcp_gauss(field->height, sigma, i);
  }
  field->values[crowd] = values;
  field->reach[crowd] = reach;
  field->far2[crowd] = far2;
  return values != NULL;
}

typedef enum lay_t { LAY, LIFT } lay_t;

static void each_cell(fw_bcp_field_t * field, const fw_bcp_bump_t * bump, lay_t lay)
{
  const fw_grid_t * grid = field->grid;
  const int32_t reach = field->reach[crowd_of(bump)];
  const int32_t far2 = field->far2[crowd_of(bump)];
  const int32_t * values = field->values[crowd_of(bump)];
  const int32_t x = fw_grid_x(grid, bump->cell);
  const int32_t y = fw_grid_y(grid, bump->cell);
  for (int32_t dy = y < reach ? -y : -reach; dy <= reach && y + dy < grid->height; ++dy) {
    for (int32_t dx = x < reach ? -x : -reach; dx <= reach && x + dx < grid->width; ++dx) {
      int32_t * cost = &field->costs[fw_grid_cell(grid, x + dx, y + dy)];
      const int32_t distance2 = dx * dx + dy * dy;
      const int32_t value = distance2 <= far2 ? values[distance2] : 0;
      // Far above the largest sum that is told: no overflow, and taking up is setting to nothing.
      *cost = lay == LIFT ? 0 : *cost < INT32_MAX / 2 ? *cost + value : *cost;
    }
  }
}

bool fw__bcp_field_lay(fw_bcp_field_t * field, const fw_bcp_bumps_t * bumps)
{
  for (int32_t i = 0; i < bumps->count; ++i) {
    if (!reserve_values(field, crowd_of(&bumps->items[i]))) {
      return false;
    }
  }
  for (int32_t i = 0; i < bumps->count; ++i) {
    each_cell(field, &bumps->items[i], LAY);
  }
  return true;
}

void fw__bcp_field_lift(fw_bcp_field_t * field, const fw_bcp_bumps_t * bumps)
{
  for (int32_t i = 0; i < bumps->count; ++i) {
    each_cell(field, &bumps->items[i], LIFT);
  }
}

int32_t fw__bcp_field_reach(const fw_bcp_field_t * field, const fw_bcp_bump_t * bump)
{
  return field->reach[crowd_of(bump)];
}

int32_t fw__bcp_field_at_tick(
  const fw_bcp_field_t * field, const fw_bcp_bumps_t * bumps, fw_cell_t cell, fw_tick_t tick)
{
  const int32_t x = fw_grid_x(field->grid, cell);
  const int32_t y = fw_grid_y(field->grid, cell);
  int64_t sum = 0;
  for (int32_t i = 0; i < bumps->count; ++i) {
    const fw_bcp_bump_t * bump = &bumps->items[i];
    const int32_t reach = field->reach[crowd_of(bump)];
    const int32_t dx = x - fw_grid_x(field->grid, bump->cell);
    const int32_t dy = y - fw_grid_y(field->grid, bump->cell);
    const int32_t dt = tick - bump->tick;
    if (abs(dx) > reach || abs(dy) > reach || abs(dt) > reach) {
      continue;
    }
    const int32_t distance2 = dx * dx + dy * dy + dt * dt;
    sum += distance2 <= field->far2[crowd_of(bump)] ? field->values[crowd_of(bump)][distance2] : 0;
  }
  return sum < field->sum_max ? (int32_t)sum : field->sum_max;
}
