// Masks and costs over the map. See map_layers.h.

#include "controller/map/map_layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"

enum { VALUES = 256, COST_MAX = 255 };

// ---- tables by value & 255

static void make_obstacle_table(bool is_obstacle[VALUES], const fw_controller_settings_t * settings)
{
  const fw_occupancy_rule_t thresholds = {
    .occupied_thresh = settings->occupied_thresh,
    .free_thresh = settings->free_thresh,
    .unknown_is_free = settings->unknown_is_free,
    .is_scaled = settings->map_cost_max > 1,
  };
  fw__free_cells_make_table(is_obstacle, &thresholds);
}

// Costs of the map: 1 below free_thresh, map_cost_max at occupied_thresh, a straight line between them.
static void make_map_costs(uint8_t costs[VALUES], const fw_controller_settings_t * settings)
{
  const double low = settings->free_thresh, high = settings->occupied_thresh;
  for (int32_t value = -128; value < 128; ++value) {
    const double occupancy = (double)value / 100.0;
    const double share = high > low ? fmin(fmax((occupancy - low) / (high - low), 0.0), 1.0) : 0.0;
    const bool is_known = value >= 0 && value <= 100;
    costs[value & 255] = is_known ? (uint8_t)(1 + (int32_t)lround(share * (double)(settings->map_cost_max - 1))) : 1;
  }
}

// What the cost mask adds: a value of 100 adds mask_cost_max; above 0 at least 1, so that no part of a mask is lost.
static void make_mask_costs(uint8_t costs[VALUES], const fw_controller_settings_t * settings)
{
  for (int32_t value = -128; value < 128; ++value) {
    const bool counts = value > 0 && value <= 100 && settings->mask_cost_max > 0;
    const long cost = lround((double)value / 100.0 * (double)settings->mask_cost_max);
    costs[value & 255] = counts ? (uint8_t)(cost > 1 ? cost : 1) : 0;
  }
}

static void make_keepout_classes(uint8_t classes[VALUES], const fw_controller_settings_t * settings)
{
  for (int32_t value = -128; value < 128; ++value) {
    const bool is_known = value >= 0 && value <= 100;
    classes[value & 255] = is_known && (double)value / 100.0 > settings->occupied_thresh ? 1 : 0;
  }
}

// ---- masks onto grids

// The rectangle of cells [first, end) in a row of a mask, smaller by `inset` metres on each side.
static fw_raster_rectangle_t run_rectangle(
  const fw_occupancy_map_t * mask, int32_t row, int32_t first, int32_t end, double inset)
{
  const fw_pose_t origin = mask->origin;
  const double x = 0.5 * (double)(first + end) * mask->resolution, y = ((double)row + 0.5) * mask->resolution;
  return (fw_raster_rectangle_t){
    .centre =
      {
        origin.point.x + cos(origin.yaw) * x - sin(origin.yaw) * y,
        origin.point.y + sin(origin.yaw) * x + cos(origin.yaw) * y,
      },
    .length = (double)(end - first) * mask->resolution - 2.0 * inset,
    .width = mask->resolution - 2.0 * inset,
    .yaw = origin.yaw,
  };
}

// Calls the visitor for each run of cells of `frame` that cells of the mask with a class above 0 overlap. `current` has
// the class of the run.
typedef struct mask_pass_t {
  const fw_occupancy_map_t * mask;
  const uint8_t * classes;       // by value & 255
  const fw_map_frame_t * frame;  // of the grid that is written
  double touch;                  // metres: overlaps below it do not count
} mask_pass_t;

static void visit_mask(const mask_pass_t * pass, uint8_t * current, fw_raster_visitor_t visitor)
{
  const fw_occupancy_map_t * mask = pass->mask;
  const double inset = fmin(pass->touch, 0.25 * mask->resolution);
  for (int32_t y = 0; y < mask->height; ++y) {
    const int8_t * row = &mask->values[(size_t)y * (size_t)mask->width];
    for (int32_t x = 0, end; x < mask->width; x = end) {
      *current = pass->classes[row[x] & 255];
      for (end = x + 1; end < mask->width && pass->classes[row[end] & 255] == *current; ++end) {}
      if (*current > 0) {
        const fw_raster_rectangle_t rectangle = run_rectangle(mask, y, x, end, inset);
        const bool is_valid = fw__raster_visit_rectangle(pass->frame, &rectangle, visitor);
        FW_ASSERT(is_valid);  // masks are checked like maps
        (void)is_valid;
      }
    }
  }
}

static double touch_of(const fw_map_frame_t * map) { return FW_FREE_CELLS_TOLERANCE * map->resolution; }

static void read_keepout(fw_map_layers_t * layers, const fw_layers_source_t * source)
{
  uint8_t classes[VALUES], current;
  const fw_raster_visitor_t visitor = {.context = &layers->keepout, .visit_run = fw__free_cells_add_run};
  make_keepout_classes(classes, source->settings);
  const mask_pass_t pass = {source->keepout, classes, &source->map.frame, touch_of(&source->map.frame)};
  if (source->keepout != NULL) {
    visit_mask(&pass, &current, visitor);
  }
  for (int32_t k = 0; source->areas != NULL && k < source->areas->count; ++k) {
    if (source->areas->areas[k].kind == FW_AREA_KEEPOUT) {
      fw__area_visit_overlaps(&source->map.frame, &source->areas->areas[k], visitor);
    }
  }
}

typedef struct cost_run_t {
  uint8_t * costs;
  uint8_t cost;
} cost_run_t;

static void raise_costs(void * context, fw_cell_t first, int32_t count)
{
  const cost_run_t * run = context;
  for (fw_cell_t cell = first; cell < first + count; ++cell) {
    run->costs[cell] = run->cost > run->costs[cell] ? run->cost : run->costs[cell];
  }
}

static void read_cost_mask(fw_map_layers_t * layers, const fw_layers_source_t * source)
{
  uint8_t classes[VALUES];
  cost_run_t run = {.costs = layers->mask_costs};
  const fw_raster_visitor_t visitor = {.context = &run, .visit_run = raise_costs};
  make_mask_costs(classes, source->settings);
  const mask_pass_t pass = {source->cost_mask, classes, source->planning, touch_of(&source->map.frame)};
  if (source->cost_mask != NULL) {
    visit_mask(&pass, &run.cost, visitor);
  }
  for (int32_t k = 0; source->areas != NULL && k < source->areas->count; ++k) {
    if (source->areas->areas[k].kind == FW_AREA_COST) {
      run.cost = (uint8_t)source->areas->areas[k].cost;
      fw__area_visit_centres(source->planning, &source->areas->areas[k], visitor);
    }
  }
}

// ---- costs

typedef struct cost_pass_t {
  const fw_layers_source_t * source;
  uint8_t by_value[VALUES];
  double ratio;  // map cells in a planning cell
} cost_pass_t;

// The map cells along one side that planning cell `index` overlaps, from `first` to before `end`.
static void find_span(double ratio, int32_t index, int32_t side, int32_t * first, int32_t * end)
{
  const double from = floor((double)index * ratio + FW_FREE_CELLS_TOLERANCE);
  const double to = ceil((double)(index + 1) * ratio - FW_FREE_CELLS_TOLERANCE);
  *first = (int32_t)fmin(from, (double)(side - 1));
  *end = (int32_t)fmin(to, (double)side);
}

static uint8_t largest_cost(const cost_pass_t * pass, int32_t x, int32_t y)
{
  const fw_free_cells_map_t * map = &pass->source->map;
  int32_t x_first, x_end, y_first, y_end;
  uint8_t most = 1;
  find_span(pass->ratio, x, map->frame.width, &x_first, &x_end);
  find_span(pass->ratio, y, map->frame.height, &y_first, &y_end);
  for (int32_t row = y_first; row < y_end; ++row) {
    const int8_t * values = &map->values[(size_t)row * (size_t)map->frame.width];
    for (int32_t column = x_first; column < x_end; ++column) {
      const uint8_t cost = pass->by_value[values[column] & 255];
      most = cost > most ? cost : most;
    }
  }
  return most;
}

static void write_costs(fw_map_layers_t * layers, const fw_layers_source_t * source, fw_grid_window_t window)
{
  const fw_map_frame_t * planning = source->planning;
  const bool is_scaled = source->settings->map_cost_max > 1;
  cost_pass_t pass = {.source = source, .ratio = planning->resolution / source->map.frame.resolution};
  if (layers->costs == NULL) {
    return;
  }
  make_map_costs(pass.by_value, source->settings);
  for (int32_t y = window.y; y < window.y + window.height; ++y) {
    for (int32_t x = window.x; x < window.x + window.width; ++x) {
      const fw_cell_t cell = y * planning->width + x;
      const int32_t cost = is_scaled ? largest_cost(&pass, x, y) : 1;
      const int32_t sum = cost + (layers->mask_costs == NULL ? 0 : layers->mask_costs[cell]);
      layers->costs[cell] = (uint8_t)(sum < COST_MAX ? sum : COST_MAX);
    }
  }
}

// ---- the grid

// Free cells have their costs. With a keepout mask those that are not free without it are not free, either: which cells
// give way to a thin wall may differ, and moves between the free cells of both grids must be good.
static void finish_grid(const fw_map_layers_t * layers, fw_grid_t * grid)
{
  for (fw_cell_t cell = 0; layers->has_keepout && cell < fw_grid_cell_count(grid); ++cell) {
    grid->cost[cell] = layers->floor.cost[cell] == 0 ? 0 : grid->cost[cell];
  }
  for (fw_cell_t cell = 0; layers->costs != NULL && cell < fw_grid_cell_count(grid); ++cell) {
    grid->cost[cell] = grid->cost[cell] == 0 ? 0 : layers->costs[cell];
  }
}

static bool fill_grids(
  fw_map_layers_t * layers, const fw_layers_source_t * source, const fw_grid_window_t * window,
  const fw_free_cells_t * obstacles, fw_grid_t * grid)
{
  if (
    layers->has_keepout &&
    fw__free_cells_refill(&layers->walls, &source->rule, window, &layers->floor_cache, &layers->floor) != FW_RET_OK) {
    return false;
  }
  if (fw__free_cells_refill(obstacles, &source->rule, window, &layers->cache, grid) != FW_RET_OK) {
    return false;
  }
  finish_grid(layers, grid);
  return true;
}

static bool allocate_layers(fw_map_layers_t * layers, const fw_layers_source_t * source)
{
  const size_t count = (size_t)source->planning->width * (size_t)source->planning->height;
  const bool has_costs = source->cost_mask != NULL || fw__area_list_has(source->areas, FW_AREA_COST);
  layers->has_keepout = source->keepout != NULL || fw__area_list_has(source->areas, FW_AREA_KEEPOUT);
  if (
    layers->has_keepout &&
    (fw__free_cells_init_empty(&layers->walls, &source->map.frame, NULL) != FW_RET_OK ||
     fw__free_cells_init_empty(&layers->keepout, &source->map.frame, NULL) != FW_RET_OK ||
     fw_grid_init(&layers->floor, source->planning->width, source->planning->height, NULL, NULL) != FW_RET_OK)) {
    return false;
  }
  if (has_costs) {
    layers->mask_costs = fw__calloc(count, sizeof *layers->mask_costs);
  }
  if (has_costs || source->settings->map_cost_max > 1) {
    layers->costs = fw__calloc(count, sizeof *layers->costs);
    return layers->costs != NULL && (!has_costs || layers->mask_costs != NULL);
  }
  return true;
}

bool fw__map_layers_build(
  fw_map_layers_t * layers, const fw_layers_source_t * source, fw_free_cells_t * obstacles, fw_grid_t * grid)
{
  const fw_grid_window_t whole = {0, 0, source->map.frame.width, source->map.frame.height};
  bool is_obstacle[VALUES];
  fw_free_cells_map_t map = source->map;
  make_obstacle_table(is_obstacle, source->settings);
  map.is_obstacle = is_obstacle;
  if (!allocate_layers(layers, source) || fw__free_cells_init(obstacles, &map, NULL) != FW_RET_OK) {
    return false;
  }
  if (layers->has_keepout) {
    fw__free_cells_read(&layers->walls, &map, whole);
    read_keepout(layers, source);
    fw__free_cells_join(obstacles, &layers->walls, &layers->keepout, whole);
  }
  if (layers->mask_costs != NULL) {
    read_cost_mask(layers, source);
  }
  if (fw__area_list_has(source->areas, FW_AREA_ONE_WAY) || fw__area_list_has(source->areas, FW_AREA_NO_WAITING)) {
    if (fw_grid_init_rules(grid, NULL) != FW_RET_OK) {
      return false;
    }
    fw__area_list_write_rules(source->areas, source->planning, grid);
  }
  write_costs(layers, source, (fw_grid_window_t){0, 0, grid->width, grid->height});
  return fill_grids(layers, source, NULL, obstacles, grid);
}

bool fw__map_layers_update(
  fw_map_layers_t * layers, const fw_layers_source_t * source, fw_grid_window_t window, fw_free_cells_t * obstacles,
  fw_grid_t * grid)
{
  bool is_obstacle[VALUES];
  fw_free_cells_map_t map = source->map;
  make_obstacle_table(is_obstacle, source->settings);
  map.is_obstacle = is_obstacle;
  fw__free_cells_read(layers->has_keepout ? &layers->walls : obstacles, &map, window);
  if (layers->has_keepout) {
    fw__free_cells_join(obstacles, &layers->walls, &layers->keepout, window);
  }
  if (grid->rules != NULL) {  // some may have been lifted for ways out of a keepout
    memset(grid->rules, 0, (size_t)fw_grid_cell_count(grid) * sizeof *grid->rules);
    fw__area_list_write_rules(source->areas, source->planning, grid);
  }
  const fw_grid_window_t near = fw__free_cells_find_window(obstacles, &source->rule, grid, window);
  write_costs(layers, source, near);
  return fill_grids(layers, source, &near, obstacles, grid);
}

void fw__map_layers_fini(fw_map_layers_t * layers)
{
  fw__free_cells_fini(&layers->walls);
  fw__free_cells_fini(&layers->keepout);
  fw_grid_fini(&layers->floor);
  fw__free_cells_cache_fini(&layers->floor_cache);
  fw__free_cells_cache_fini(&layers->cache);
  free(layers->mask_costs);
  free(layers->costs);
  *layers = (fw_map_layers_t){0};
}
