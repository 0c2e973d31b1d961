// Placing the planning grid in the map frame, and filling it from an occupancy grid. See map.h.

#include "controller/map/map.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

static const double EIGHTH_TURN = 0.78539816339744831;  // radians between two headings
static const double RESOLUTION_MAX = 100.0;             // metres, as of planning_resolution: ticks fit into nanoseconds

// ---- the frame

fw_cell_t fw__map_frame_cell(const fw_map_frame_t * frame, fw_point_t point)
{
  const fw_point_t coordinates = fw__raster_coordinates(frame, point);
  const double x = floor(coordinates.x);
  const double y = floor(coordinates.y);
  // Compared as doubles: a cast of a value out of range, or of NAN, would be undefined.
  const bool is_inside = x >= 0.0 && y >= 0.0 && x < (double)frame->width && y < (double)frame->height;
  return is_inside ? (fw_cell_t)y * frame->width + (fw_cell_t)x : FW_CELL_NONE;
}

fw_point_t fw__map_frame_point(const fw_map_frame_t * frame, fw_cell_t cell)
{
  FW_ASSERT(cell >= 0 && cell < frame->width * frame->height);
  const double x = ((double)(cell % frame->width) + 0.5) * frame->resolution;
  const double y = ((double)(cell / frame->width) + 0.5) * frame->resolution;
  return (fw_point_t){
    .x = frame->origin.x + cos(frame->yaw) * x - sin(frame->yaw) * y,
    .y = frame->origin.y + sin(frame->yaw) * x + cos(frame->yaw) * y,
  };
}

double fw__map_frame_yaw(const fw_map_frame_t * frame, int32_t heading)
{
  FW_ASSERT(heading >= 0 && heading < FW_HEADING_COUNT);
  return remainder(frame->yaw + (double)heading * EIGHTH_TURN, 8.0 * EIGHTH_TURN);
}

bool fw__map_frames_are_equal(const fw_map_frame_t * a, const fw_map_frame_t * b)
{
  return a->width == b->width && a->height == b->height && a->resolution == b->resolution && a->yaw == b->yaw &&
         a->origin.x == b->origin.x && a->origin.y == b->origin.y;
}

double fw__point_distance(fw_point_t a, fw_point_t b) { return hypot(a.x - b.x, a.y - b.y); }

double fw__point_line_distance(fw_point_t point, fw_point_t a, fw_point_t b)
{
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double along = square > 0.0 ? ((point.x - a.x) * dx + (point.y - a.y) * dy) / square : 0.0;
  const double share = fmin(fmax(along, 0.0), 1.0);
  return hypot(a.x + share * dx - point.x, a.y + share * dy - point.y);
}

bool fw__point_is_finite(fw_point_t point) { return isfinite(point.x) && isfinite(point.y); }

// ---- clearance

double fw__waypoint_tolerance(const fw_controller_settings_t * settings, double robot_radius, double resolution)
{
  const double room = 1.0 - 2.0 * robot_radius / resolution;
  return settings->waypoint_tolerance > 0.0 ? fmin(fmax(settings->waypoint_tolerance / resolution, 0.01), 0.4)
                                            : fmin(fmax(0.5 * room, 0.01), 0.1);
}

bool fw__diagonals_need_sides(const fw_controller_settings_t * settings, double robot_radius, double resolution)
{
  const double tolerance = fw__waypoint_tolerance(settings, robot_radius, resolution);
  return settings->connectivity == 8 && 2.0 * robot_radius / resolution > sqrt(0.5) - 2.0 * tolerance;
}

// Where robots pass diagonally between others, one that stands beside the centre of its cell may be in their way
// without touching their cells. At (a, b) cells from its centre, towards the diagonal, it is (1 - a - b) / root 2 from
// it, and with less than two radii and the tolerance, the larger of a and b is above 0.5 - root 2 times the radius -
// tolerance / root 2: a disc of this radius touches a cell of the diagonal, which ends or begins there.
static double touch_radius(const fw_controller_settings_t * settings, double robot_radius, double resolution)
{
  const double tolerance = resolution * fw__waypoint_tolerance(settings, robot_radius, resolution);
  const bool has_passes = settings->connectivity == 8 && !fw__diagonals_need_sides(settings, robot_radius, resolution);
  return has_passes ? sqrt(2.0) * robot_radius + sqrt(0.5) * tolerance : robot_radius;
}

// ---- from the occupancy to the grid

bool fw__planning_map_is_free(const fw_planning_map_t * map, fw_cell_t cell)
{
  return cell >= 0 && cell < fw_grid_cell_count(&map->grid) && map->grid.cost[cell] != 0;
}

static fw_map_frame_t occupancy_frame(const fw_occupancy_map_t * occupancy)
{
  return (fw_map_frame_t){
    .origin = occupancy->origin.point,
    .yaw = occupancy->origin.yaw,
    .resolution = occupancy->resolution,
    .width = occupancy->width,
    .height = occupancy->height,
  };
}

bool fw__planning_map_check(const fw_occupancy_map_t * occupancy, fw_error_t * reason)
{
  if (occupancy->width < 1 || occupancy->height < 1 || occupancy->values == NULL) {
    return fw__refuse(reason, "it has %d x %d cells; both must be at least 1", occupancy->width, occupancy->height);
  }
  if (!(occupancy->resolution > 0.0 && occupancy->resolution <= RESOLUTION_MAX)) {
    return fw__refuse(
      reason, "its resolution is %g m; it must be positive and at most %g", occupancy->resolution, RESOLUTION_MAX);
  }
  if (!fw__point_is_finite(occupancy->origin.point) || !isfinite(occupancy->origin.yaw)) {
    return fw__refuse(reason, "its origin is not finite");
  }
  const fw_map_frame_t frame = occupancy_frame(occupancy);
  return fw__raster_frame_is_valid(&frame) ||
         fw__refuse(
           reason, "%d x %d cells of %g m at (%g, %g), yaw %g, are out of range: see docs/ros.md", occupancy->width,
           occupancy->height, occupancy->resolution, frame.origin.x, frame.origin.y, frame.yaw);
}

// The planning grid has the origin and yaw of the map, and cells that hold a whole map cell and a whole robot.
bool fw__planning_map_place(fw_map_frame_t * planning, const fw_map_source_t * source, fw_error_t * reason)
{
  if (!fw__planning_map_check(source->occupancy, reason)) {
    return false;
  }
  const fw_controller_settings_t * settings = source->settings;
  const fw_map_frame_t frame = occupancy_frame(source->occupancy);
  const double resolution = fmax(fmax(frame.resolution, settings->planning_resolution), 2.0 * settings->robot_radius);
  if (fw__free_cells_place_grid(&frame, resolution, planning)) {
    return true;
  }
  const double width = (double)frame.width * frame.resolution, height = (double)frame.height * frame.resolution;
  if (width < resolution || height < resolution) {
    return fw__refuse(
      reason, "it is smaller than one planning cell of %g m; lower planning_resolution or robot_radius", resolution);
  }
  return fw__refuse(
    reason, "it has %.0f x %.0f planning cells, and at most %d per side are possible; raise planning_resolution",
    width / resolution, height / resolution, FW_GRID_SIDE_MAX);
}

static double disc_radius(const fw_controller_settings_t * settings, double robot_radius, double resolution)
{
  return fmax(robot_radius, fmin(robot_radius + settings->waypoint_tolerance, 0.5 * resolution));
}

static fw_layers_source_t layers_source(const fw_planning_map_t * map, const fw_map_source_t * source)
{
  const fw_controller_settings_t * settings = source->settings;
  return (fw_layers_source_t){
    .map = {occupancy_frame(source->occupancy), source->occupancy->values, NULL},
    .keepout = source->keepout,
    .cost_mask = source->cost_mask,
    .areas = source->areas,
    .settings = settings,
    .planning = &map->frame,
    .rule =
      {
        .resolution = map->frame.resolution,
        .radius = map->radius,
        .connectivity = settings->connectivity,
        .cuts_corners = settings->cuts_corners,
        .whole_squares = source->needs_whole_squares,
      },
  };
}

// Reads the obstacles and fills the planning grid. False with a reason; the caller ends `map` in either case.
static bool fill_map(fw_planning_map_t * map, const fw_map_source_t * source, fw_error_t * reason)
{
  fw_error_t error = {0};
  if (fw_grid_init(&map->grid, map->frame.width, map->frame.height, NULL, &error) != FW_RET_OK) {
    return fw__refuse(reason, "%s", error.text);
  }
  const fw_layers_source_t layers = layers_source(map, source);
  return fw__map_layers_build(&map->layers, &layers, &map->obstacles, &map->grid) ||
         fw__refuse(reason, "out of memory");
}

bool fw__planning_map_build(fw_planning_map_t * map, const fw_map_source_t * source, fw_error_t * reason)
{
  fw_planning_map_t new = {.revision = map->revision + 1, .needs_whole_squares = source->needs_whole_squares};
  if (!fw__planning_map_place(&new.frame, source, reason)) {
    return false;
  }
  new.robot_radius = fmax(source->robot_radius, source->settings->robot_radius);
  new.touch_radius = touch_radius(source->settings, new.robot_radius, new.frame.resolution);
  new.radius = disc_radius(source->settings, new.robot_radius, new.frame.resolution);
  if (!fill_map(&new, source, reason)) {
    fw__planning_map_fini(&new);
    return false;
  }
  new.count = new.layers.cache.count;
  FW_ASSERT(new.grid.width == new.frame.width && new.grid.height == new.frame.height);
  if (fw__map_frames_are_equal(&new.frame, &map->frame)) {
    new.before = map->grid;
    map->grid = (fw_grid_t){0};
  }
  fw__planning_map_fini(map);
  *map = new;
  return true;
}

bool fw__planning_map_update(
  fw_planning_map_t * map, const fw_map_source_t * source, fw_grid_window_t window, fw_error_t * reason)
{
  fw_grid_t before = {0};
  FW_ASSERT(map->revision > 0);
  if (
    fw_grid_init(&before, map->grid.width, map->grid.height, NULL, NULL) != FW_RET_OK ||
    !fw__grid_copy_rules(&before, &map->grid)) {
    fw_grid_fini(&before);
    return fw__refuse(reason, "out of memory");
  }
  memcpy(before.cost, map->grid.cost, (size_t)fw_grid_cell_count(&map->grid));
  const fw_layers_source_t layers = layers_source(map, source);
  if (!fw__map_layers_update(&map->layers, &layers, window, &map->obstacles, &map->grid)) {
    fw_grid_fini(&before);
    map->is_spoilt = true;
    return fw__refuse(reason, "out of memory");
  }
  fw_grid_fini(&map->before);
  map->before = before;
  map->count = map->layers.cache.count;
  map->revision += 1;
  return true;
}

fw_free_cells_place_t fw__planning_map_locate(const fw_planning_map_t * map, fw_point_t point)
{
  const fw_free_cells_query_t query = {
    .planning = &map->frame, .grid = &map->grid, .point = point, .radius = map->radius};
  return fw__free_cells_locate(&map->obstacles, &query);
}

bool fw__planning_map_line_is_free(const fw_planning_map_t * map, fw_point_t from, fw_point_t to)
{
  return fw__free_cells_sweep_is_free(&map->obstacles, &(fw_raster_sweep_t){from, to, map->radius});
}

// Appends the turning points after `cells[0]`, up to and including `cells[last]`.
static int32_t pull(const fw_planning_map_t * map, const fw_cell_t * cells, int32_t last, fw_cell_t * turns)
{
  int32_t count = 0;
  for (int32_t at = 0; at < last;) {
    int32_t step = last - at;
    // Neighbours have a free line: the grid has no other moves.
    while (step > 1 &&
           !fw__planning_map_line_is_free(
             map, fw__map_frame_point(&map->frame, cells[at]), fw__map_frame_point(&map->frame, cells[at + step]))) {
      step = (step + 1) / 2;
    }
    at += step;
    turns[count++] = cells[at];
  }
  return count;
}

int32_t fw__planning_map_find_turns(
  const fw_planning_map_t * map, const fw_route_t * route, bool has_one_cell, fw_cell_t * turns)
{
  int32_t count = 0, from = 0;
  FW_ASSERT(route->length > 0 && route->corner_count > 0 && route->corners[0] == route->cells[0]);
  turns[count++] = route->cells[0];
  for (int32_t k = 1; k < route->corner_count; ++k) {
    int32_t to = from;
    while (to + 1 < route->length && route->cells[to] != route->corners[k]) {
      ++to;
    }
    FW_ASSERT(route->cells[to] == route->corners[k]);
    if (has_one_cell) {
      count += pull(map, &route->cells[from], to - from, &turns[count]);
    } else {
      const fw_point_t a = fw__map_frame_point(&map->frame, route->cells[from]);
      const fw_point_t b = fw__map_frame_point(&map->frame, route->cells[to]);
      for (int32_t at = fw__planning_map_line_is_free(map, a, b) ? to : from + 1; from < to && at <= to; ++at) {
        turns[count++] = route->cells[at];
      }
    }
    from = to;
  }
  FW_ASSERT(count <= route->length && turns[count - 1] == route->cells[route->length - 1]);
  return count;
}

void fw__planning_map_fini(fw_planning_map_t * map)
{
  fw_grid_fini(&map->grid);
  fw_grid_fini(&map->before);
  fw__free_cells_fini(&map->obstacles);
  fw__map_layers_fini(&map->layers);
  *map = (fw_planning_map_t){0};
}
