// Placing the planning grid in the map frame, and filling it from an occupancy grid. See map.h.

#include "controller/map.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

static const double EIGHTH_TURN = 0.78539816339744831;  // radians between two headings
// In map cells: two edges nearer than this count as one, so that rounding errors add no row of cells.
static const double EDGE_TOLERANCE = 0.01;

// ---- the frame

fw_point_t fw__map_frame_coordinates(const fw_map_frame_t * frame, fw_point_t point)
{
  const double dx = point.x - frame->origin.x;
  const double dy = point.y - frame->origin.y;
  return (fw_point_t){
    .x = (cos(frame->yaw) * dx + sin(frame->yaw) * dy) / frame->resolution,
    .y = (cos(frame->yaw) * dy - sin(frame->yaw) * dx) / frame->resolution,
  };
}

fw_cell_t fw__map_frame_cell(const fw_map_frame_t * frame, fw_point_t point)
{
  const fw_point_t coordinates = fw__map_frame_coordinates(frame, point);
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

bool fw__point_is_finite(fw_point_t point) { return isfinite(point.x) && isfinite(point.y); }

// ---- from the occupancy to the grid

typedef enum map_occupancy_t { OCCUPANCY_FREE, OCCUPANCY_UNKNOWN, OCCUPANCY_OCCUPIED } map_occupancy_t;

bool fw__planning_map_is_free(const fw_planning_map_t * map, fw_cell_t cell)
{
  return cell >= 0 && cell < fw_grid_cell_count(&map->grid) && map->grid.cost[cell] != 0;
}

// As mode "trinary" of Nav2's map server: above occupied_thresh, below free_thresh, or unknown.
static map_occupancy_t occupancy_of(int8_t value, const fw_controller_settings_t * settings)
{
  const double occupancy = (double)value / 100.0;
  if (value < 0 || value > 100) {
    return OCCUPANCY_UNKNOWN;
  }
  if (occupancy > settings->occupied_thresh) {
    return OCCUPANCY_OCCUPIED;
  }
  return occupancy < settings->free_thresh ? OCCUPANCY_FREE : OCCUPANCY_UNKNOWN;
}

// A table by cell value: one lookup per map cell instead of two comparisons, for maps of millions of cells.
static void make_free_table(bool is_free[256], const fw_controller_settings_t * settings)
{
  for (int32_t value = -128; value < 128; ++value) {
    const map_occupancy_t occupancy = occupancy_of((int8_t)value, settings);
    is_free[value & 255] = occupancy == OCCUPANCY_FREE || (occupancy == OCCUPANCY_UNKNOWN && settings->unknown_is_free);
  }
}

bool fw__planning_map_check(const fw_occupancy_map_t * occupancy, fw_error_t * reason)
{
  if (occupancy->width < 1 || occupancy->height < 1 || occupancy->values == NULL) {
    return fw__refuse(reason, "it has %d x %d cells; both must be at least 1", occupancy->width, occupancy->height);
  }
  if (!isfinite(occupancy->resolution) || occupancy->resolution <= 0.0) {
    return fw__refuse(reason, "its resolution is %g m; it must be positive and finite", occupancy->resolution);
  }
  return (fw__point_is_finite(occupancy->origin.point) && isfinite(occupancy->origin.yaw)) ||
         fw__refuse(reason, "its origin is not finite");
}

// The planning grid has the origin and yaw of the map, and cells that hold a whole map cell and a whole robot.
static bool place_frame(
  fw_map_frame_t * frame, const fw_occupancy_map_t * occupancy, const fw_controller_settings_t * settings,
  fw_error_t * reason)
{
  frame->origin = occupancy->origin.point;
  frame->yaw = occupancy->origin.yaw;
  frame->resolution = fmax(occupancy->resolution, settings->planning_resolution);
  frame->resolution = fmax(frame->resolution, 2.0 * settings->robot_radius);
  const double ratio = frame->resolution / occupancy->resolution;
  const double width = floor((double)occupancy->width / ratio + EDGE_TOLERANCE);
  const double height = floor((double)occupancy->height / ratio + EDGE_TOLERANCE);
  if (width < 1.0 || height < 1.0) {
    return fw__refuse(
      reason, "it is smaller than one planning cell of %g m; lower planning_resolution or robot_radius",
      frame->resolution);
  }
  if (width > (double)FW_GRID_SIDE_MAX || height > (double)FW_GRID_SIDE_MAX) {
    return fw__refuse(
      reason, "it has %.0f x %.0f planning cells, and at most %d per side are possible; raise planning_resolution",
      width, height, FW_GRID_SIDE_MAX);
  }
  frame->width = (int32_t)width;
  frame->height = (int32_t)height;
  return true;
}

// The map cells that planning cell `index` covers along one axis: from `first` up to `end`, which is not included.
typedef struct covered_t {
  uint32_t first;
  uint32_t end;
} covered_t;

static covered_t find_covered(int32_t index, double ratio, uint32_t size)
{
  const uint32_t first = (uint32_t)floor((double)index * ratio + EDGE_TOLERANCE);
  const uint32_t end = (uint32_t)ceil((double)(index + 1) * ratio - EDGE_TOLERANCE);
  const covered_t covered = {first, end > size ? size : end};
  FW_ASSERT(covered.first < covered.end);
  return covered;
}

static void fill_grid(fw_grid_t * grid, const fw_occupancy_map_t * occupancy, double ratio, const bool is_free[256])
{
  for (int32_t y = 0; y < grid->height; ++y) {
    const covered_t rows = find_covered(y, ratio, (uint32_t)occupancy->height);
    for (int32_t x = 0; x < grid->width; ++x) {
      const covered_t columns = find_covered(x, ratio, (uint32_t)occupancy->width);
      bool all_free = true;
      for (uint32_t row = rows.first; all_free && row < rows.end; ++row) {
        const int8_t * values = &occupancy->values[(size_t)row * (size_t)occupancy->width];
        for (uint32_t column = columns.first; all_free && column < columns.end; ++column) {
          all_free = is_free[values[column] & 255];
        }
      }
      grid->cost[fw_grid_cell(grid, x, y)] = all_free ? 1 : 0;
    }
  }
}

bool fw__planning_map_build(
  fw_planning_map_t * map, const fw_occupancy_map_t * occupancy, const fw_controller_settings_t * settings,
  fw_error_t * reason)
{
  fw_map_frame_t frame = {0};
  if (!fw__planning_map_check(occupancy, reason) || !place_frame(&frame, occupancy, settings, reason)) {
    return false;
  }
  fw_grid_t grid = {0};
  fw_error_t error = {0};
  if (fw_grid_init(&grid, frame.width, frame.height, NULL, &error) != FW_RET_OK) {
    return fw__refuse(reason, "%s", error.text);
  }
  bool is_free[256];
  make_free_table(is_free, settings);
  fill_grid(&grid, occupancy, frame.resolution / occupancy->resolution, is_free);
  FW_ASSERT(grid.width == frame.width && grid.height == frame.height);
  fw_grid_fini(&map->before);
  map->before = (fw_grid_t){0};
  if (fw__map_frames_are_equal(&frame, &map->frame)) {
    map->before = map->grid;
  } else {
    fw_grid_fini(&map->grid);
  }
  map->grid = grid;
  map->frame = frame;
  map->revision += 1;
  return true;
}

void fw__planning_map_fini(fw_planning_map_t * map)
{
  fw_grid_fini(&map->grid);
  fw_grid_fini(&map->before);
  *map = (fw_planning_map_t){0};
}
