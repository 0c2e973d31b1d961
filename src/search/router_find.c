// A question to a router: the door before it and the figures after it.

#include "base/error.h"
#include "search/corners.h"
#include "search/router_impl.h"

static fw_ret_t check_end(const fw_floor_t * floor, fw_cell_t cell, bool is_start, fw_error_t * error)
{
  const char * name = is_start ? "start" : "goal";
  if (cell < 0 || cell >= fw_grid_cell_count(floor->grid)) {
    const fw_error_detail_t where = {is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE, 0, cell};
    (void)fw__error_at(error, where, "the %s, cell %d, is outside the map", name, cell);
    return FW_RET_INVALID_ARGUMENT;
  }
  if (floor->cost[fw__floor_place(floor, cell)] == 0) {
    const fw_error_detail_t where = {is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED, 0, cell};
    (void)fw__error_at(
      error, where, "the robot does not fit on its %s (%d,%d)", name, fw_grid_x(floor->grid, cell),
      fw_grid_y(floor->grid, cell));
    return FW_RET_INVALID_ARGUMENT;
  }
  return FW_RET_OK;
}

// Sums up the way and turns its places into cells, in place: a step of a place is a step of a cell but for the margins.
static void measure(const fw_floor_t * floor, fw_trail_t * trail, fw_route_t * route)
{
  int32_t * places = trail->places;
  const int32_t count = trail->count;
  const int32_t stride = floor->stride;
  int32_t last = count > 0 ? places[0] : 0;
  int32_t cell = count > 0 ? fw__floor_cell(floor, last) : 0;
  int32_t diagonals = 0;
  int64_t costs[2] = {0};  // of straight and of diagonal moves
  if (count > 0) {
    places[0] = cell;
  }
  for (int32_t i = 1; i < count; ++i) {
    const int32_t step = places[i] - last;
    const bool is_diagonal = step != 1 && step != -1 && step != stride && step != -stride;
    last = places[i];
    cell += step - 2 * ((step > 1) - (step < -1));
    places[i] = cell;
    diagonals += is_diagonal;
    if (!floor->is_uniform) {
      costs[is_diagonal] += floor->cost[last];
    }
  }
  if (floor->is_uniform) {
    costs[0] = count > 0 ? count - 1 - diagonals : 0;
    costs[1] = diagonals;
  }
  if (floor->degree == 6) {  // whose moves are all straight
    costs[0] += costs[1];
    costs[1] = diagonals = 0;
  }
  route->cost = costs[0] * floor->straight + costs[1] * floor->diagonal;
  route->diagonals = diagonals;
  route->cells = count > 0 ? places : NULL;
  route->length = count;
}

static fw_cell_t * name_cells(const fw_floor_t * floor, fw_trail_t * trail, int32_t * count)
{
  for (int32_t i = 0; i < trail->count; ++i) {
    trail->places[i] = fw__floor_cell(floor, trail->places[i]);
  }
  *count = trail->count;
  return trail->count > 0 ? trail->places : NULL;
}

static void answer(fw__router_t * impl, fw_route_t * route)
{
  fw_router_context_t * context = &impl->context;
  if (impl->trail.has_failed || impl->corners.has_failed || impl->built.has_failed || impl->answers.has_failed) {
    fw__meter_stop(&impl->meter, FW_STOP_MEMORY);
  }
  if (impl->meter.stop != FW_STOP_DONE) {
    impl->trail.count = impl->corners.count = 0;
  }
  measure(&impl->floor, &impl->trail, route);
  route->corners = name_cells(&impl->floor, &impl->corners, &route->corner_count);
  route->touched = name_cells(&impl->floor, &impl->touched, &route->touched_count);
  route->unit = impl->floor.straight;
  route->expanded = context->expanded;
  route->memory_bytes = context->memory_bytes;
  route->stop = impl->meter.stop;
}

fw_ret_t fw_router_find(
  fw_router_t * router, fw_cell_t start, fw_cell_t goal, const fw_budget_t * budget, fw_route_t * route,
  fw_error_t * error)
{
  *route = (fw_route_t){0};
  fw_ret_t ret = fw__router_check_built(router, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__router_t * impl = router->impl;
  ret = check_end(&impl->floor, start, true, error);
  ret = ret == FW_RET_OK ? check_end(&impl->floor, goal, false, error) : ret;
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__meter_start(&impl->meter, budget);
  fw_router_context_t * context = &impl->context;
  context->start = fw__floor_place(&impl->floor, start);
  context->goal = fw__floor_place(&impl->floor, goal);
  context->expanded = 0;
  context->memory_bytes = 0;
  impl->trail.count = impl->corners.count = impl->touched.count = 0;
  impl->trail.has_failed = impl->corners.has_failed = impl->touched.has_failed = false;
  impl->built.has_failed = impl->answers.has_failed = false;
  if (start == goal) {
    fw__trail_add(&impl->trail, context->start);
  } else if (impl->meter.stop == FW_STOP_DONE) {
    impl->def->find(context);
  }
  if (impl->options.finds_corners && impl->meter.stop == FW_STOP_DONE) {
    fw__corners_find(&impl->floor, &impl->trail, &impl->corners);
  }
  answer(impl, route);
  return FW_RET_OK;
}
