#include "ros/planner_node/map.h"

#include <math.h>
#include <string.h>

#include <geometry_msgs/msg/pose.h>

typedef enum occupancy_t { OCCUPANCY_FREE, OCCUPANCY_UNKNOWN, OCCUPANCY_OCCUPIED } occupancy_t;

// A hundredth of a map cell: two edges nearer than this are one.
static const double EDGE_TOLERANCE = 0.01;

bool map_is_free(const map_t * map, fw_cell_t cell)
{
  return cell >= 0 && cell < fw_grid_cell_count(&map->grid) && map->grid.cost[cell] != 0;
}

bool map_is_same(const nav_msgs__msg__OccupancyGrid * a, const nav_msgs__msg__OccupancyGrid * b)
{
  return a->info.width == b->info.width && a->info.height == b->info.height &&
         a->info.resolution == b->info.resolution &&
         geometry_msgs__msg__Pose__are_equal(&a->info.origin, &b->info.origin) &&
         strcmp(a->header.frame_id.data, b->header.frame_id.data) == 0 && a->data.size == b->data.size &&
         memcmp(a->data.data, b->data.data, a->data.size) == 0;
}

// The map server's "trinary": above one threshold, below the other, or unknown.
static occupancy_t occupancy_of(int8_t value, const node_settings_t * settings)
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

// One lookup per map cell instead of two comparisons: a map can have millions of cells.
static void make_free_table(bool is_free[256], const node_settings_t * settings)
{
  for (int32_t value = -128; value < 128; ++value) {
    const occupancy_t occupancy = occupancy_of((int8_t)value, settings);
    is_free[value & 255] = occupancy == OCCUPANCY_FREE || (occupancy == OCCUPANCY_UNKNOWN && settings->unknown_is_free);
  }
}

static bool check_message(const nav_msgs__msg__OccupancyGrid * message, const node_settings_t * settings, fw_error_t * reason)
{
  const nav_msgs__msg__MapMetaData * info = &message->info;
  const geometry_msgs__msg__Pose * origin = &info->origin;
  if (strcmp(message->header.frame_id.data, settings->map_frame) != 0) {
    return refuse(reason, "its frame_id is '%.60s', not '%.60s'", message->header.frame_id.data, settings->map_frame);
  }
  if (info->width == 0 || info->height == 0) {
    return refuse(reason, "it is %u x %u cells", info->width, info->height);
  }
  if (!isfinite(info->resolution) || info->resolution <= 0.0F) {
    return refuse(reason, "its resolution is %g", (double)info->resolution);
  }
  if ((uint64_t)info->width * info->height != message->data.size) {
    return refuse(reason, "it is %u x %u cells but has %zu values", info->width, info->height, message->data.size);
  }
  if (
    !isfinite(origin->position.x) || !isfinite(origin->position.y) || !isfinite(origin->orientation.x) ||
    !isfinite(origin->orientation.y) || !isfinite(origin->orientation.z) || !isfinite(origin->orientation.w)) {
    return refuse(reason, "its origin is not a number");
  }
  return true;
}

static bool lay_frame(
  frame_t * frame, const nav_msgs__msg__OccupancyGrid * message, const node_settings_t * settings, fw_error_t * reason)
{
  const nav_msgs__msg__MapMetaData * info = &message->info;
  const geometry_msgs__msg__Quaternion * q = &info->origin.orientation;
  const double map_resolution = (double)info->resolution;
  frame->origin = (point_t){info->origin.position.x, info->origin.position.y};
  frame->yaw = yaw_of(q->x, q->y, q->z, q->w);
  frame->resolution = fmax(map_resolution, settings->planning_resolution);
  frame->resolution = fmax(frame->resolution, 2.0 * settings->robot_radius);
  const double ratio = frame->resolution / map_resolution;
  const double width = floor((double)info->width / ratio + EDGE_TOLERANCE);
  const double height = floor((double)info->height / ratio + EDGE_TOLERANCE);
  if (width < 1.0 || height < 1.0) {
    return refuse(
      reason, "it is smaller than one planning cell of %g m (planning_resolution, robot_radius)", frame->resolution);
  }
  if (width > (double)FW_GRID_SIDE_MAX || height > (double)FW_GRID_SIDE_MAX) {
    return refuse(
      reason, "it has %.0f x %.0f planning cells, at most %d a side are possible: raise planning_resolution", width,
      height, FW_GRID_SIDE_MAX);
  }
  frame->width = (int32_t)width;
  frame->height = (int32_t)height;
  return true;
}

// The map cells from `first` to `end` (not included) that planning cell `index` covers, along one side.
static void covered(int32_t index, double ratio, uint32_t size, uint32_t * first, uint32_t * end)
{
  *first = (uint32_t)floor((double)index * ratio + EDGE_TOLERANCE);
  *end = (uint32_t)ceil((double)(index + 1) * ratio - EDGE_TOLERANCE);
  *end = *end > size ? size : *end;
}

static void fill_grid(
  fw_grid_t * grid, const nav_msgs__msg__OccupancyGrid * message, double ratio, const bool is_free[256])
{
  for (int32_t y = 0; y < grid->height; ++y) {
    uint32_t y_first, y_end;
    covered(y, ratio, message->info.height, &y_first, &y_end);
    for (int32_t x = 0; x < grid->width; ++x) {
      uint32_t x_first, x_end;
      covered(x, ratio, message->info.width, &x_first, &x_end);
      bool all_free = true;
      for (uint32_t row = y_first; all_free && row < y_end; ++row) {
        const int8_t * values = &message->data.data[(size_t)row * message->info.width];
        for (uint32_t column = x_first; all_free && column < x_end; ++column) {
          all_free = is_free[values[column] & 255];
        }
      }
      grid->cost[fw_grid_cell(grid, x, y)] = all_free ? 1 : 0;
    }
  }
}

bool frames_are_same(const frame_t * a, const frame_t * b)
{
  return a->width == b->width && a->height == b->height && a->resolution == b->resolution && a->yaw == b->yaw &&
         a->origin.x == b->origin.x && a->origin.y == b->origin.y;
}

bool map_build(
  map_t * map, const nav_msgs__msg__OccupancyGrid * message, const node_settings_t * settings, fw_error_t * reason)
{
  frame_t frame = {0};
  if (!check_message(message, settings, reason) || !lay_frame(&frame, message, settings, reason)) {
    return false;
  }
  fw_grid_t grid = {0};
  fw_error_t error = {0};
  if (fw_grid_init(&grid, frame.width, frame.height, NULL, &error) != FW_RET_OK) {
    return refuse(reason, "%s", error.text);
  }
  bool is_free[256];
  make_free_table(is_free, settings);
  fill_grid(&grid, message, frame.resolution / (double)message->info.resolution, is_free);
  fw_grid_fini(&map->before);
  map->before = (fw_grid_t){0};
  if (frames_are_same(&frame, &map->frame)) {
    map->before = map->grid;
  } else {
    fw_grid_fini(&map->grid);
  }
  map->grid = grid;
  map->frame = frame;
  map->revision += 1;
  return true;
}

void map_fini(map_t * map)
{
  fw_grid_fini(&map->grid);
  fw_grid_fini(&map->before);
  *map = (map_t){0};
}
