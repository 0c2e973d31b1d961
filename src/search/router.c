// A router's life: memory, parameters, and the floor for a map.

#include "search/router_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

static fw_ret_t unknown_search(const char * name, fw_error_t * error)
{
  char names[200] = "";
  size_t used = 0;
  for (int32_t i = 0; i < fw_router_def_count(); ++i) {
    const int written =
      snprintf(names + used, sizeof(names) - used, "%s%s", i == 0 ? "" : ", ", fw_router_def_at(i)->name);
    used += written > 0 && (size_t)written < sizeof(names) - used ? (size_t)written : 0;
  }
  return fw__error(
    error, FW_RET_NOT_FOUND, "there is no search '%.32s'; there are: %s", name != NULL ? name : "", names);
}

static fw_ret_t check_options(const fw_router_def_t * def, const fw_router_options_t * options, fw_error_t * error)
{
  const int32_t connectivity = options->connectivity;
  if (connectivity != 0 && connectivity != 4 && connectivity != 6 && connectivity != 8) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "connectivity %d: it must be 4, 8, or 6 for hexagons", connectivity);
  }
  if (options->clearance < 0 || options->clearance > FW_CLEARANCE_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "clearance %d: it must be 0 to %d cells", options->clearance, FW_CLEARANCE_MAX);
  }
  bool has_own = options->footprint_count == 0;
  for (int32_t i = 0; i < options->footprint_count; ++i) {
    has_own = has_own || (options->footprint[i].dx == 0 && options->footprint[i].dy == 0);
  }
  if (!has_own) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the footprint does not have the robot's own cell (0,0)");
  }
  if (connectivity == 6 && !def->takes_hexagons) {
    return fw__error(error, FW_RET_UNSUPPORTED, "search %s does not know hexagonal tiles", def->name);
  }
  if (connectivity == 6 && (options->footprint_count > 1 || options->clearance > 0 || options->finds_corners)) {
    return fw__error(
      error, FW_RET_UNSUPPORTED, "on hexagonal tiles the robot has one tile, without clearance or lines of sight");
  }
  return FW_RET_OK;
}

fw_ret_t fw_router_init(
  fw_router_t * router, const char * name, const fw_router_options_t * options, fw_error_t * error)
{
  router->impl = NULL;
  const fw_router_options_t chosen = options != NULL ? *options : (fw_router_options_t){0};
  const fw_router_def_t * def = fw_router_def_find(name);
  if (def == NULL) {
    return unknown_search(name, error);
  }
  const fw_ret_t ret = check_options(def, &chosen, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_allocator_t allocator = fw__allocator_or_default(&chosen.allocator);
  fw__router_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  impl->def = def;
  impl->allocator = allocator;
  impl->options = chosen;
  impl->memory = (fw_memory_t){
    .allocator = allocator, .max_bytes = chosen.memory_max_bytes > 0 ? chosen.memory_max_bytes : SIZE_MAX};
  fw__arena_init(&impl->given, &impl->memory);
  fw__arena_init(&impl->built, &impl->memory);
  fw__arena_init(&impl->answers, &impl->memory);
  impl->trail.arena = impl->corners.arena = impl->touched.arena = &impl->answers;
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    impl->parameters[i] = def->parameters[i].initial;
  }
  impl->context = (fw_router_context_t){
    .built = &impl->built,
    .floor = &impl->floor,
    .parameters = impl->parameters,
    .meter = &impl->meter,
    .trail = &impl->trail,
    .touched = chosen.notes_touched ? &impl->touched : NULL,
  };
  router->impl = impl;
  if (chosen.footprint_count > 0) {
    const size_t count = (size_t)chosen.footprint_count;
    fw_offset_t * cells = fw__arena_allocate(&impl->given, count, sizeof(*cells));
    if (cells == NULL) {
      fw_router_fini(router);
      return fw__error_memory(error);
    }
    memcpy(cells, chosen.footprint, count * sizeof(*cells));
    impl->options.footprint = cells;
  }
  return FW_RET_OK;
}

void fw_router_fini(fw_router_t * router)
{
  if (router == NULL || router->impl == NULL) {
    return;
  }
  fw__router_t * impl = router->impl;
  fw__arena_fini(&impl->answers);
  fw__arena_fini(&impl->built);
  fw__arena_fini(&impl->given);
  const fw_allocator_t allocator = impl->allocator;
  fw__deallocate(&allocator, impl);
  router->impl = NULL;
}

fw_ret_t fw_router_set(fw_router_t * router, const char * parameter, const char * value, fw_error_t * error)
{
  if (router == NULL || router->impl == NULL || parameter == NULL || value == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a router, a parameter and a value are needed");
  }
  const fw_router_def_t * def = router->impl->def;
  char names[160] = "none";
  size_t used = 0;
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    if (strcmp(def->parameters[i].name, parameter) == 0) {
      return fw_parameter_parse(&def->parameters[i], value, &router->impl->parameters[i], error);
    }
    const int written =
      snprintf(names + used, sizeof(names) - used, "%s%s", i == 0 ? "" : ", ", def->parameters[i].name);
    used += written > 0 && (size_t)written < sizeof(names) - used ? (size_t)written : 0;
  }
  return fw__error(
    error, FW_RET_NOT_FOUND, "search %s has no parameter '%.32s'; it has: %s", def->name, parameter, names);
}

// ---- the map --------------------------------------------------------------------------------------------------------

static fw_ret_t check_grid(const fw_grid_t * grid, fw_error_t * error)
{
  if (
    grid == NULL || grid->cost == NULL || grid->width < 1 || grid->height < 1 || grid->width > FW_GRID_SIDE_MAX ||
    grid->height > FW_GRID_SIDE_MAX) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a grid with sides of 1 to %d is needed", FW_GRID_SIDE_MAX);
  }
  return FW_RET_OK;
}

static fw_ret_t build(fw__router_t * impl, const fw_grid_t * grid, fw_error_t * error)
{
  const fw_router_options_t * given = &impl->options;
  const fw_floor_options_t options = {
    .connectivity = given->connectivity,
    .diagonal = given->diagonal,
    .footprint = {given->footprint, given->footprint_count},
    .clearance = given->clearance,
  };
  impl->is_built = false;
  fw__arena_fini(&impl->built);
  impl->context.state = NULL;
  impl->context.node_count = impl->context.rebuilt = 0;
  impl->context.edge_count = 0;
  const fw_ret_t ret = fw__floor_init(&impl->floor, &impl->built, grid, &options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (!impl->floor.is_uniform && !impl->def->takes_terrain) {
    return fw__error(
      error, FW_RET_UNSUPPORTED, "search %s takes floor of cost 1 only, and this map has cells that cost %d",
      impl->def->name, impl->floor.cost_max);
  }
  impl->context.node_count = impl->floor.free_count;
  return impl->def->build(&impl->context, error);
}

// Runs a build or a change between two looks at the clock.
static fw_ret_t timed(fw__router_t * impl, int64_t start_ns, fw_ret_t ret)
{
  impl->is_built = ret == FW_RET_OK;
  impl->stats.build_ns = fw_clock_now_ns() - start_ns;
  impl->stats.built_bytes = impl->memory.used_bytes;
  return ret;
}

fw_ret_t fw_router_build(fw_router_t * router, const fw_grid_t * grid, fw_error_t * error)
{
  if (router == NULL || router->impl == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a router is needed");
  }
  fw_ret_t ret = check_grid(grid, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const int64_t start_ns = fw_clock_now_ns();
  ret = build(router->impl, grid, error);
  return timed(router->impl, start_ns, ret);
}

fw_ret_t fw__router_check_built(const fw_router_t * router, fw_error_t * error)
{
  if (router == NULL || router->impl == NULL || !router->impl->is_built) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the router has no map: build first");
  }
  return FW_RET_OK;
}

fw_ret_t fw_router_update(fw_router_t * router, const fw_cell_t * cells, int32_t cell_count, fw_error_t * error)
{
  fw_ret_t ret = fw__router_check_built(router, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__router_t * impl = router->impl;
  for (int32_t i = 0; i < cell_count; ++i) {
    if (cells[i] < 0 || cells[i] >= fw_grid_cell_count(impl->floor.grid)) {
      return fw__error(error, FW_RET_INVALID_ARGUMENT, "cell %d is outside the map", cells[i]);
    }
  }
  const int64_t start_ns = fw_clock_now_ns();
  if (impl->def->update != NULL && fw__floor_update(&impl->floor, cells, cell_count)) {
    impl->context.rebuilt = 0;
    impl->context.node_count = impl->floor.free_count;
    ret = impl->def->update(&impl->context, cells, cell_count, error);
  } else {
    ret = build(impl, impl->floor.grid, error);
  }
  return timed(impl, start_ns, ret);
}
