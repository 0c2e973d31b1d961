// Rectangles of cells with rules. See world_areas.h.

#include "simulation/world_areas.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/error.h"

enum { DIRECTIONS = 16, QUARTER = DIRECTIONS / 4 };

void fw__world_areas_fini(fw_world_areas_t * areas)
{
  free(areas->items);
  *areas = (fw_world_areas_t){0};
}

void fw__world_areas_add(fw_world_areas_t * areas, fw_world_area_t area)
{
  FW_ASSERT(area.width > 0 && area.height > 0);
  if (areas->count == areas->capacity) {
    const int32_t capacity = 2 * areas->capacity + 16;
    fw_world_area_t * items = realloc(areas->items, (size_t)capacity * sizeof *items);
    areas->has_failed = areas->has_failed || items == NULL;
    if (items == NULL) {
      return;
    }
    areas->items = items;
    areas->capacity = capacity;
  }
  areas->items[areas->count++] = area;
}

// ---- what they mean

static bool contains(const fw_world_area_t * area, int32_t x, int32_t y)
{
  return area->is_there && x >= area->x && y >= area->y && x < area->x + area->width && y < area->y + area->height;
}

// The headings that a one-way area forbids: those at more than a quarter of a turn from its direction.
static uint16_t one_way_rules(int32_t direction)
{
  uint16_t rules = 0;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; ++heading) {
    const int32_t between = abs(heading * DIRECTIONS / FW_HEADING_COUNT - direction);
    if ((between < DIRECTIONS / 2 ? between : DIRECTIONS - between) > QUARTER) {
      rules = (uint16_t)(rules | FW_RULE_ONE_WAY(heading));
    }
  }
  return rules;
}

uint16_t fw__world_areas_rules(const fw_world_areas_t * areas, int32_t x, int32_t y)
{
  uint16_t rules = 0;
  for (int32_t k = 0; k < areas->count; ++k) {
    const fw_world_area_t * area = &areas->items[k];
    if (contains(area, x, y)) {
      rules = (uint16_t)(rules | (area->kind == FW_AREA_ONE_WAY      ? one_way_rules(area->direction)
                                  : area->kind == FW_AREA_NO_WAITING ? FW_RULE_NO_WAITING
                                                                     : 0));
    }
  }
  return rules;
}

int32_t fw__world_areas_cost(const fw_world_areas_t * areas, int32_t x, int32_t y)
{
  int32_t cost = 0;
  for (int32_t k = 0; k < areas->count; ++k) {
    const fw_world_area_t * area = &areas->items[k];
    cost = area->kind == FW_AREA_COST && area->cost > cost && contains(area, x, y) ? area->cost : cost;
  }
  return 1 + cost;
}

bool fw__world_areas_keep_out(const fw_world_areas_t * areas, int32_t x, int32_t y)
{
  bool keep_out = false;
  for (int32_t k = 0; k < areas->count && !keep_out; ++k) {
    keep_out = areas->items[k].kind == FW_AREA_KEEPOUT && contains(&areas->items[k], x, y);
  }
  return keep_out;
}

bool fw__world_areas_have(const fw_world_areas_t * areas, fw_area_kind_t kind)
{
  bool have = false;
  for (int32_t k = 0; k < areas->count && !have; ++k) {
    have = areas->items[k].kind == kind;
  }
  return have;
}

bool fw__world_areas_forbid(const fw_world_areas_t * areas, fw_offset_t from, fw_offset_t to)
{
  static const int32_t headings[3][3] = {
    {FW_HEADING_NORTH_WEST, FW_HEADING_NORTH, FW_HEADING_NORTH_EAST},
    {FW_HEADING_WEST, -1, FW_HEADING_EAST},
    {FW_HEADING_SOUTH_WEST, FW_HEADING_SOUTH, FW_HEADING_SOUTH_EAST}};
  const int32_t dx = to.dx - from.dx, dy = to.dy - from.dy;
  FW_ASSERT(abs(dx) <= 1 && abs(dy) <= 1);
  const int32_t heading = headings[dy + 1][dx + 1];
  const uint16_t rules =
    (uint16_t)(fw__world_areas_rules(areas, from.dx, from.dy) | fw__world_areas_rules(areas, to.dx, to.dy));
  return heading >= 0 && (rules & FW_RULE_ONE_WAY(heading)) != 0;
}

bool fw__world_areas_touch(const fw_world_areas_t * areas, const fw_path_robot_t * body)
{
  const fw_map_frame_t * frame = &areas->frame;
  bool touches = false;
  for (int32_t k = 0; k < body->cell_count && !touches; ++k) {
    const fw_cell_t cell = fw__map_frame_cell(frame, fw__path_robot_disc(body, k));
    touches = cell != FW_CELL_NONE && fw__world_areas_keep_out(areas, cell % frame->width, cell / frame->width);
  }
  return touches;
}

// ---- of a grid

// A property of cells that areas are made of: whether a cell of the grid has it.
typedef struct cell_test_t {
  const fw_grid_t * grid;
  uint16_t rules;  // all of them, if not 0
  uint8_t cost;    // otherwise this cost
} cell_test_t;

static bool has_property(const cell_test_t * test, int32_t x, int32_t y)
{
  const fw_cell_t cell = fw_grid_cell(test->grid, x, y);
  return test->rules != 0 ? (test->grid->rules[cell] & test->rules) == test->rules
                          : test->grid->cost[cell] == test->cost;
}

static bool row_has_property(const cell_test_t * test, int32_t first, int32_t last, int32_t y)
{
  bool has = true;
  for (int32_t x = first; x <= last && has; ++x) {
    has = has_property(test, x, y);
  }
  return has;
}

// Adds rectangles that cover the cells with the property: runs of rows, and below each one as many rows as have it too.
static void add_rectangles(fw_world_areas_t * areas, const cell_test_t * test, fw_world_area_t area)
{
  const fw_grid_t * grid = test->grid;
  const int32_t first_area = areas->count;
  for (int32_t y = 0; y < grid->height; ++y) {
    for (int32_t x = 0; x < grid->width; ++x) {
      bool is_covered = !has_property(test, x, y);
      for (int32_t k = first_area; k < areas->count && !is_covered; ++k) {
        is_covered = contains(&areas->items[k], x, y);
      }
      if (is_covered) {
        continue;
      }
      int32_t last = x, bottom = y;
      while (last + 1 < grid->width && has_property(test, last + 1, y)) {
        ++last;
      }
      while (bottom + 1 < grid->height && row_has_property(test, x, last, bottom + 1)) {
        ++bottom;
      }
      area.x = x;
      area.y = y;
      area.width = last - x + 1;
      area.height = bottom - y + 1;
      fw__world_areas_add(areas, area);
      x = last;
    }
  }
}

static bool has_rule(const fw_grid_t * grid, uint16_t rules)
{
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    if ((grid->rules[cell] & rules) == rules) {
      return true;
    }
  }
  return false;
}

static void add_rules(fw_world_areas_t * areas, const fw_grid_t * grid)
{
  // Directions between two headings forbid four of them, the headings themselves only the three within.
  for (int32_t direction = 0; direction < DIRECTIONS; ++direction) {
    const cell_test_t test = {.grid = grid, .rules = one_way_rules(direction)};
    if (has_rule(grid, test.rules)) {
      add_rectangles(
        areas, &test, (fw_world_area_t){.kind = FW_AREA_ONE_WAY, .direction = direction, .is_there = true});
    }
  }
  const cell_test_t test = {.grid = grid, .rules = FW_RULE_NO_WAITING};
  add_rectangles(areas, &test, (fw_world_area_t){.kind = FW_AREA_NO_WAITING, .is_there = true});
}

bool fw__world_areas_add_grid(fw_world_areas_t * areas, const fw_grid_t * grid)
{
  bool has_cost[256] = {false};
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    has_cost[grid->cost[cell]] = true;
  }
  for (int32_t cost = 2; cost < 256; ++cost) {
    const cell_test_t test = {.grid = grid, .cost = (uint8_t)cost};
    if (has_cost[cost]) {
      add_rectangles(areas, &test, (fw_world_area_t){.kind = FW_AREA_COST, .cost = cost - 1, .is_there = true});
    }
  }
  if (grid->rules == NULL) {
    return true;
  }
  add_rules(areas, grid);
  bool are_equal = true;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid) && are_equal; ++cell) {
    are_equal = fw__world_areas_rules(areas, fw_grid_x(grid, cell), fw_grid_y(grid, cell)) == grid->rules[cell];
  }
  return are_equal;
}

// ---- random ones

// A rectangle inside the map, of at most this size.
static fw_world_area_t random_rectangle(
  fw_rng_t * rng, const fw_map_frame_t * frame, int32_t width_max, int32_t height_max)
{
  const int32_t width = 1 + fw__rng_below(rng, width_max < frame->width ? width_max : frame->width);
  const int32_t height = 1 + fw__rng_below(rng, height_max < frame->height ? height_max : frame->height);
  return (fw_world_area_t){
    .x = fw__rng_below(rng, frame->width - width + 1),
    .y = fw__rng_below(rng, frame->height - height + 1),
    .width = width,
    .height = height,
    .is_there = true,
  };
}

// Most lanes are one cell wide and lead along their longer side.
static void add_lane(fw_world_areas_t * areas, fw_rng_t * rng)
{
  const fw_map_frame_t * frame = &areas->frame;
  const bool is_upright = fw__rng_below(rng, 2) == 0, is_wide = fw__rng_below(rng, 4) == 0;
  fw_world_area_t area =
    random_rectangle(rng, frame, is_upright ? 1 + is_wide : frame->width, is_upright ? frame->height : 1 + is_wide);
  area.kind = FW_AREA_ONE_WAY;
  area.direction = (is_upright ? QUARTER : 0) + (fw__rng_below(rng, 2) == 0 ? DIRECTIONS / 2 : 0);
  area.direction = fw__rng_below(rng, 4) == 0 ? fw__rng_below(rng, DIRECTIONS) : area.direction;
  fw__world_areas_add(areas, area);
}

void fw__world_areas_add_random(fw_world_areas_t * areas, fw_rng_t * rng, bool has_rules)
{
  areas->are_masks = fw__rng_below(rng, 3) == 0;
  const int32_t lanes = fw__rng_below(rng, 4), no_waiting = fw__rng_below(rng, 3);
  for (int32_t k = 0; has_rules && k < lanes; ++k) {
    add_lane(areas, rng);
  }
  for (int32_t k = 0; has_rules && k < no_waiting; ++k) {
    fw_world_area_t area = random_rectangle(rng, &areas->frame, 4, 4);
    area.kind = FW_AREA_NO_WAITING;
    fw__world_areas_add(areas, area);
  }
  for (int32_t k = fw__rng_below(rng, 3); k > 0; --k) {
    fw_world_area_t area = random_rectangle(rng, &areas->frame, 6, 6);
    area.kind = FW_AREA_COST;
    area.cost = 1 + fw__rng_below(rng, fw__rng_below(rng, 3) == 0 ? 254 : 9);
    fw__world_areas_add(areas, area);
  }
  for (int32_t k = fw__rng_below(rng, 4); k > 0; --k) {
    fw_world_area_t area = random_rectangle(rng, &areas->frame, 5, 5);
    area.kind = FW_AREA_KEEPOUT;
    area.is_there = false;
    fw__world_areas_add(areas, area);
  }
}

// ---- for a controller

static fw_point_t corner(const fw_map_frame_t * frame, int32_t x, int32_t y)
{
  const double c = cos(frame->yaw), s = sin(frame->yaw), r = frame->resolution;
  return (fw_point_t){frame->origin.x + r * (c * x - s * y), frame->origin.y + r * (s * x + c * y)};
}

typedef fw_point_t corners_t[4];

static bool is_told_as_mask(const fw_world_areas_t * areas, const fw_world_area_t * area)
{
  return areas->are_masks && (area->kind == FW_AREA_KEEPOUT || area->kind == FW_AREA_COST);
}

static fw_area_t as_polygon(const fw_map_frame_t * frame, const fw_world_area_t * area, corners_t corners)
{
  static const double TURN = 6.283185307179586;
  const int32_t right = area->x + area->width, below = area->y + area->height;
  corners[0] = corner(frame, area->x, area->y);
  corners[1] = corner(frame, right, area->y);
  corners[2] = corner(frame, right, below);
  corners[3] = corner(frame, area->x, below);
  return (fw_area_t){
    .kind = area->kind,
    .name = fw_area_kind_name(area->kind),
    .points = corners,
    .point_count = 4,
    .direction = frame->yaw + TURN * area->direction / DIRECTIONS,
    .cost = area->cost,
  };
}

static fw_ret_t send_polygons(
  const fw_world_areas_t * areas, fw_controller_t * controller, int64_t now_ns, fw_error_t * error)
{
  fw_area_t * list = calloc((size_t)areas->count + 1, sizeof *list);
  corners_t * corners = calloc((size_t)areas->count + 1, sizeof *corners);
  fw_ret_t ret = FW_RET_BAD_ALLOC;
  if (list != NULL && corners != NULL) {
    int32_t count = 0;
    for (int32_t k = 0; k < areas->count; ++k) {
      if (areas->items[k].is_there && !is_told_as_mask(areas, &areas->items[k])) {
        list[count] = as_polygon(&areas->frame, &areas->items[k], corners[count]);
        count += 1;
      }
    }
    ret = fw_controller_set_areas(controller, list, count, now_ns, error);
  }
  free(list);
  free(corners);
  return ret;
}

// Keepouts and costs, each as a mask of the cells.
static fw_ret_t send_masks(
  const fw_world_areas_t * areas, fw_controller_t * controller, int64_t now_ns, fw_error_t * error)
{
  const fw_map_frame_t * frame = &areas->frame;
  const int32_t cells = frame->width * frame->height;
  int8_t * values = calloc(2 * (size_t)cells, sizeof *values);
  if (values == NULL) {
    return FW_RET_BAD_ALLOC;
  }
  for (int32_t k = 0; k < cells; ++k) {
    const int32_t x = k % frame->width, y = k / frame->width, cost = fw__world_areas_cost(areas, x, y) - 1;
    values[k] = fw__world_areas_keep_out(areas, x, y) ? 100 : 0;
    values[cells + k] = (int8_t)(cost < 100 ? cost : 100);
  }
  fw_occupancy_map_t mask = {
    .width = frame->width,
    .height = frame->height,
    .resolution = frame->resolution,
    .origin = {frame->origin, frame->yaw},
    .values = values,
  };
  fw_ret_t ret = fw_controller_set_keepout_mask(controller, &mask, now_ns, error);
  mask.values = values + cells;
  ret = ret == FW_RET_OK ? fw_controller_set_cost_mask(controller, &mask, now_ns, error) : ret;
  free(values);
  return ret;
}

fw_ret_t fw__world_areas_send(
  const fw_world_areas_t * areas, fw_controller_t * controller, int64_t now_ns, fw_error_t * error)
{
  const fw_ret_t ret = send_polygons(areas, controller, now_ns, error);
  return ret == FW_RET_OK && areas->are_masks ? send_masks(areas, controller, now_ns, error) : ret;
}
