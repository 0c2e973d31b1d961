// A router: a search by its name, the map that it was built for, and the queries that it answers.
//
// The list of searches is at the top of this file. Life of a router: init (choose a search, check the options), set
// (parameters), build (floor and abstraction for a map), update (some cells have changed), find (one query), fini.

#include "search/router.h"

#include <stdio.h>
#include <string.h>

#include "search/line_of_sight.h"

// ---- the list of searches -------------------------------------------------------------------------------------------

// In the order of `fleetweave route --list`.
// clang-format off
static const fw_router_def_t * const searches[] = {
  &fw__router_auto,          &fw__router_breadth,    &fw__router_depth,      &fw__router_deepening,
  &fw__router_dijkstra,      &fw__router_astar,      &fw__router_greedy,     &fw__router_weighted,
  &fw__router_ida,           &fw__router_fringe,     &fw__router_bank,       &fw__router_bidirectional,
  &fw__router_jps,           &fw__router_landmarks,  &fw__router_subgoals,   &fw__router_hpa,
  &fw__router_quadtree,      &fw__router_navmesh,    &fw__router_visibility, &fw__router_corridors,
  &fw__router_waypoints,
};
// clang-format on

enum { SEARCH_COUNT = sizeof(searches) / sizeof(searches[0]) };

int32_t fw_router_def_count(void) { return SEARCH_COUNT; }

const fw_router_def_t * fw_router_def_at(int32_t index)
{
  return index >= 0 && index < SEARCH_COUNT ? searches[index] : NULL;
}

const fw_router_def_t * fw_router_def_find(const char * name)
{
  for (int32_t i = 0; name != NULL && i < SEARCH_COUNT; ++i) {
    if (strcmp(searches[i]->name, name) == 0) {
      return searches[i];
    }
  }
  return NULL;
}

// ---- init, parameters, fini -----------------------------------------------------------------------------------------

typedef struct fw_router_impl_t {
  const fw_router_def_t * def;
  fw_allocator_t allocator;
  fw_router_options_t options;  // its footprint is a copy in `given`
  fw_memory_t memory;
  fw_arena_t given;    // lives as long as the router
  fw_arena_t built;    // lives until the next build
  fw_arena_t answers;  // trails of the last query
  fw_floor_t floor;
  fw_meter_t meter;
  fw_trail_t trail;
  fw_trail_t corners;
  fw_trail_t touched;
  int64_t parameters[FW_PARAMETERS_MAX];
  fw_router_context_t context;
  fw_router_stats_t stats;
  bool is_built;
} fw_router_impl_t;

// Appends ", name" to a list of names; what does not fit is left out.
static void append_name(char * names, size_t size, const char * name)
{
  const size_t used = strlen(names);
  const int written = snprintf(names + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
  if (written < 0 || (size_t)written >= size - used) {
    names[used] = '\0';
  }
}

static fw_ret_t unknown_search(const char * name, fw_error_t * error)
{
  char names[300] = "";
  for (int32_t i = 0; i < SEARCH_COUNT; ++i) {
    append_name(names, sizeof(names), searches[i]->name);
  }
  return fw__error(
    error, FW_RET_NOT_FOUND, "unknown search '%.32s'; choose one of: %s", name != NULL ? name : "", names);
}

static fw_ret_t check_options(const fw_router_def_t * def, const fw_router_options_t * options, fw_error_t * error)
{
  const int32_t connectivity = options->connectivity;
  if (connectivity != 0 && connectivity != 4 && connectivity != 6 && connectivity != 8) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "connectivity is %d; it must be 4, 8, or 6 (hexagonal tiles)", connectivity);
  }
  if (options->clearance < 0 || options->clearance > FW_CLEARANCE_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "clearance is %d cells; it must be 0 to %d", options->clearance,
      FW_CLEARANCE_MAX);
  }
  bool has_origin = options->footprint_count == 0;
  for (int32_t i = 0; i < options->footprint_count; ++i) {
    has_origin = has_origin || (options->footprint[i].dx == 0 && options->footprint[i].dy == 0);
  }
  if (!has_origin) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the footprint lacks the robot's own cell (0,0); add it");
  }
  if (connectivity == 6 && !def->takes_hexagons) {
    return fw__error(
      error, FW_RET_UNSUPPORTED, "search %s does not support hexagonal tiles (connectivity 6); use 4 or 8", def->name);
  }
  if (connectivity == 6 && (options->footprint_count > 1 || options->clearance > 0 || options->finds_corners)) {
    return fw__error(
      error, FW_RET_UNSUPPORTED,
      "hexagonal tiles support robots of one tile only, without clearance or any-angle paths");
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
  FW_ASSERT(def->build != NULL && def->find != NULL && def->parameter_count <= FW_PARAMETERS_MAX);
  fw_router_impl_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
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
    .needs_places = chosen.finds_corners,
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
  fw_router_impl_t * impl = router->impl;
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
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "fw_router_set needs a router, a parameter and a value");
  }
  const fw_router_def_t * def = router->impl->def;
  char names[160] = "";
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    if (strcmp(def->parameters[i].name, parameter) == 0) {
      return fw_parameter_parse(&def->parameters[i], value, &router->impl->parameters[i], error);
    }
    append_name(names, sizeof(names), def->parameters[i].name);
  }
  return fw__error(
    error, FW_RET_NOT_FOUND, "search %s has no parameter '%.32s'; its parameters: %s", def->name, parameter,
    def->parameter_count > 0 ? names : "none");
}

// ---- build and update -----------------------------------------------------------------------------------------------

static fw_ret_t check_grid(const fw_grid_t * grid, fw_error_t * error)
{
  if (
    grid == NULL || grid->cost == NULL || grid->width < 1 || grid->height < 1 || grid->width > FW_GRID_SIDE_MAX ||
    grid->height > FW_GRID_SIDE_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "the grid is missing or has a side outside 1 to %d cells", FW_GRID_SIDE_MAX);
  }
  return FW_RET_OK;
}

// Floor and abstraction for a map; replaces what was built before.
static fw_ret_t build(fw_router_impl_t * impl, const fw_grid_t * grid, fw_error_t * error)
{
  const fw_router_options_t * given = &impl->options;
  const fw_floor_options_t options = {
    .grid = grid,
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
  const fw_ret_t ret = fw__floor_init(&impl->floor, &impl->built, &options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (!impl->floor.is_uniform && !impl->def->takes_terrain) {
    return fw__error(
      error, FW_RET_UNSUPPORTED, "search %s supports cells of cost 1 only, but this map has cells of cost %d",
      impl->def->name, impl->floor.cost_max);
  }
  if (impl->floor.has_one_way && !impl->def->takes_one_way) {
    return fw__error(
      error, FW_RET_UNSUPPORTED, "search %s does not support one-way areas, which this map has; astar does",
      impl->def->name);
  }
  impl->context.node_count = impl->floor.free_count;
  return impl->def->build(&impl->context, error);
}

// Notes how long a build or update took and what it needs.
static fw_ret_t end_build(fw_router_impl_t * impl, int64_t start_ns, fw_ret_t ret)
{
  impl->is_built = ret == FW_RET_OK;
  impl->stats.build_ns = fw_clock_now_ns() - start_ns;
  impl->stats.built_bytes = impl->memory.used_bytes;
  return ret;
}

fw_ret_t fw_router_build(fw_router_t * router, const fw_grid_t * grid, fw_error_t * error)
{
  return fw_router_build_within(router, grid, NULL, error);
}

fw_ret_t fw_router_build_within(
  fw_router_t * router, const fw_grid_t * grid, const fw_budget_t * budget, fw_error_t * error)
{
  if (router == NULL || router->impl == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "fw_router_build needs a router that was initialised");
  }
  fw_ret_t ret = check_grid(grid, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const int64_t start_ns = fw_clock_now_ns();
  router->impl->context.build_budget = budget;
  ret = build(router->impl, grid, error);
  router->impl->context.build_budget = NULL;
  return end_build(router->impl, start_ns, ret);
}

static fw_ret_t check_built(const fw_router_t * router, fw_error_t * error)
{
  if (router == NULL || router->impl == NULL || !router->impl->is_built) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the router has no map; call fw_router_build first");
  }
  return FW_RET_OK;
}

fw_ret_t fw__router_update_nothing(
  fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  (void)context;
  (void)cells;
  (void)count;
  (void)error;
  return FW_RET_OK;
}

fw_ret_t fw_router_update(fw_router_t * router, const fw_cell_t * cells, int32_t cell_count, fw_error_t * error)
{
  fw_ret_t ret = check_built(router, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw_router_impl_t * impl = router->impl;
  for (int32_t i = 0; i < cell_count; ++i) {
    if (cells[i] < 0 || cells[i] >= fw_grid_cell_count(impl->floor.grid)) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "changed cell %d is outside the map of %d cells", cells[i],
        fw_grid_cell_count(impl->floor.grid));
    }
  }
  const int64_t start_ns = fw_clock_now_ns();
  if (impl->def->update != NULL && fw__floor_update(&impl->floor, cells, cell_count)) {
    impl->built.has_failed = false;  // a failed query must not fail the update
    impl->context.rebuilt = 0;
    impl->context.node_count = impl->floor.free_count;
    ret = impl->def->update(&impl->context, cells, cell_count, error);
  } else {
    ret = build(impl, impl->floor.grid, error);
  }
  return end_build(impl, start_ns, ret);
}

// ---- queries --------------------------------------------------------------------------------------------------------

static fw_ret_t check_end(const fw_floor_t * floor, fw_cell_t cell, bool is_start, fw_error_t * error)
{
  const char * name = is_start ? "start" : "goal";
  if (cell < 0 || cell >= fw_grid_cell_count(floor->grid)) {
    const fw_error_detail_t where = {is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE, 0, cell};
    (void)fw__error_at(
      error, where, "the %s, cell %d, is outside the map of %d x %d cells", name, cell, floor->width, floor->height);
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

// Sums up the cost of the path and turns its places into cells, in place. A step in places is the step in cells plus
// the two margin columns for each change of row, so that no division is needed.
static void measure(const fw_floor_t * floor, fw_trail_t * trail, fw_route_t * route)
{
  int32_t * places = trail->places;
  const int32_t count = trail->count;
  const int32_t stride = floor->stride;
  FW_ASSERT(count >= 0);
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
    FW_ASSERT(floor->cost[places[i]] != 0 && abs(step) <= stride + 1);
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
  if (floor->degree == 6) {  // every move is straight
    costs[0] += costs[1];
    costs[1] = diagonals = 0;
  }
  route->cost = costs[0] * floor->straight + costs[1] * floor->diagonal;
  route->diagonals = diagonals;
  route->cells = count > 0 ? places : NULL;
  route->length = count;
}

// The same for a trail of cells that the search has measured itself.
static void take_cells(const fw_floor_t * floor, const fw_trail_t * trail, int32_t diagonals, fw_route_t * route)
{
  FW_ASSERT(floor->is_uniform && floor->degree != 6 && (trail->count == 0 || diagonals < trail->count));
  route->length = trail->count;
  if (trail->count > 0) {
    route->cells = trail->places;
    route->diagonals = diagonals;
    route->cost = (fw_cost_t)(trail->count - 1 - diagonals) * floor->straight + (fw_cost_t)diagonals * floor->diagonal;
  }
}

// Turns the places of a trail into cells, in place.
static fw_cell_t * to_cells(const fw_floor_t * floor, fw_trail_t * trail, int32_t * count)
{
  for (int32_t i = 0; i < trail->count; ++i) {
    trail->places[i] = fw__floor_cell(floor, trail->places[i]);
  }
  *count = trail->count;
  return trail->count > 0 ? trail->places : NULL;
}

// Fills the route from what the search has left on its trails.
static void fill_route(fw_router_impl_t * impl, fw_route_t * route)
{
  const fw_router_context_t * context = &impl->context;
  if (impl->trail.has_failed || impl->corners.has_failed || impl->built.has_failed || impl->answers.has_failed) {
    fw__meter_stop(&impl->meter, FW_STOP_MEMORY);
  }
  if (impl->meter.stop != FW_STOP_DONE) {
    impl->trail.count = impl->corners.count = 0;
  }
  if (context->has_cells) {
    take_cells(&impl->floor, &impl->trail, context->diagonals, route);
  } else {
    measure(&impl->floor, &impl->trail, route);
  }
  route->corners = to_cells(&impl->floor, &impl->corners, &route->corner_count);
  route->touched = to_cells(&impl->floor, &impl->touched, &route->touched_count);
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
  fw_ret_t ret = check_built(router, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw_router_impl_t * impl = router->impl;
  ret = check_end(&impl->floor, start, true, error);
  ret = ret == FW_RET_OK ? check_end(&impl->floor, goal, false, error) : ret;
  if (ret == FW_RET_OK && goal != start && !fw_grid_allows_waiting(impl->floor.grid, goal)) {
    (void)fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_GOAL_OCCUPIED, 0, goal}, "the goal (%d,%d) is in a no-waiting area",
      fw_grid_x(impl->floor.grid, goal), fw_grid_y(impl->floor.grid, goal));
    return FW_RET_INVALID_ARGUMENT;
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__meter_start(&impl->meter, budget);
  fw_router_context_t * context = &impl->context;
  context->start = fw__floor_place(&impl->floor, start);
  context->goal = fw__floor_place(&impl->floor, goal);
  context->expanded = 0;
  context->memory_bytes = 0;
  context->has_cells = false;
  context->diagonals = 0;
  impl->trail.count = impl->corners.count = impl->touched.count = 0;
  impl->trail.has_failed = impl->corners.has_failed = impl->touched.has_failed = false;
  impl->built.has_failed = impl->answers.has_failed = false;
  if (start == goal) {
    fw__trail_add(&impl->trail, context->start);
  } else if (impl->meter.stop == FW_STOP_DONE) {
    impl->def->find(context);
    FW_ASSERT(
      impl->trail.count == 0 || impl->trail.has_failed || fw__meter_has_stopped(&impl->meter) ||
      (impl->trail.places[0] == (context->has_cells ? start : context->start) &&
       impl->trail.places[impl->trail.count - 1] == (context->has_cells ? goal : context->goal)));
  }
  if (impl->options.finds_corners && impl->meter.stop == FW_STOP_DONE) {
    fw__line_find_corners(&impl->floor, &impl->trail, &impl->corners);
  }
  fill_route(impl, route);
  return FW_RET_OK;
}

// ---- statistics and pictures ----------------------------------------------------------------------------------------

const fw_router_context_t * fw__router_context(const fw_router_t * router)
{
  return router->impl == NULL ? NULL : &router->impl->context;
}

fw_router_stats_t fw_router_stats(const fw_router_t * router)
{
  if (router == NULL || router->impl == NULL) {
    return (fw_router_stats_t){0};
  }
  const fw_router_impl_t * impl = router->impl;
  fw_router_stats_t stats = impl->stats;
  stats.memory_bytes = impl->memory.used_bytes;
  stats.unit = impl->floor.straight;
  stats.diagonal = impl->floor.diagonal;
  stats.node_count = impl->context.node_count;
  stats.edge_count = impl->context.edge_count;
  stats.rebuilt = impl->context.rebuilt;
  return stats;
}

// Translates shapes in places into shapes in cells for the caller's function.
typedef struct viewer_t {
  const fw_floor_t * floor;
  void (*show)(const fw_shape_t * shape, void * state);
  void * state;
} viewer_t;

static void show_cells(const fw_shape_t * shape, void * state)
{
  const viewer_t * viewer = state;
  const fw_shape_t cells = {
    .kind = shape->kind,
    .from = fw__floor_cell(viewer->floor, shape->from),
    .to = fw__floor_cell(viewer->floor, shape->to),
  };
  viewer->show(&cells, viewer->state);
}

void fw_router_shapes(const fw_router_t * router, void (*show)(const fw_shape_t * shape, void * state), void * state)
{
  if (router != NULL && router->impl != NULL && router->impl->is_built && router->impl->def->shapes != NULL) {
    viewer_t viewer = {.floor = &router->impl->floor, .show = show, .state = state};
    router->impl->def->shapes(&router->impl->context, show_cells, &viewer);
  }
}
