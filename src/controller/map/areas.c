// Polygons with traffic rules on the planning grid. See areas.h.

#include "controller/map/areas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"
#include "controller/map/map.h"

const char * fw_area_kind_name(fw_area_kind_t kind)
{
  static const char * const names[] = {"one_way", "no_waiting", "keepout", "cost"};
  return kind >= FW_AREA_ONE_WAY && kind <= FW_AREA_COST ? names[kind] : "unknown";
}

// ---- lists

bool fw__area_check(const fw_area_t * area, fw_error_t * reason)
{
  const char * name = area->name == NULL ? "" : area->name;
  if (area->kind < FW_AREA_ONE_WAY || area->kind > FW_AREA_COST) {
    return fw__refuse(reason, "area '%.60s': unknown kind %d", name, (int)area->kind);
  }
  if (area->points == NULL || area->point_count < 3 || area->point_count > FW_AREA_POINTS_MAX) {
    return fw__refuse(
      reason, "area '%.60s': its polygon has %d points; it must have 3 to %d", name, area->point_count,
      FW_AREA_POINTS_MAX);
  }
  for (int32_t k = 0; k < area->point_count; ++k) {
    const fw_point_t point = area->points[k];
    if (!(fabs(point.x) <= FW_RASTER_SWEEP_MAX && fabs(point.y) <= FW_RASTER_SWEEP_MAX)) {
      return fw__refuse(reason, "area '%.60s': point %d, (%g, %g), is out of range", name, k + 1, point.x, point.y);
    }
  }
  if (area->kind == FW_AREA_ONE_WAY && !(fabs(area->direction) <= 1000.0)) {
    return fw__refuse(reason, "area '%.60s': its direction, %g, is out of range", name, area->direction);
  }
  if (area->kind == FW_AREA_COST && (area->cost < 1 || area->cost > 254)) {
    return fw__refuse(reason, "area '%.60s': its cost is %d; it must be 1 to 254", name, area->cost);
  }
  return true;
}

bool fw__area_list_init(fw_area_list_t * list, const fw_area_t * areas, int32_t count)
{
  size_t points = 0, letters = 0;
  for (int32_t k = 0; k < count; ++k) {
    points += (size_t)areas[k].point_count;
    letters += strlen(areas[k].name == NULL ? "" : areas[k].name) + 1;
  }
  *list = (fw_area_list_t){.count = count};
  list->areas = fw__calloc((size_t)count + 1, sizeof *list->areas);
  list->memory = fw__malloc(points * sizeof(fw_point_t) + letters + 1);
  if (list->areas == NULL || list->memory == NULL) {
    fw__area_list_fini(list);
    return false;
  }
  fw_point_t * point = list->memory;
  char * letter = (char *)(point + points);
  for (int32_t k = 0; k < count; ++k) {
    const char * name = areas[k].name == NULL ? "" : areas[k].name;
    list->areas[k] = areas[k];
    memcpy(point, areas[k].points, (size_t)areas[k].point_count * sizeof *point);
    memcpy(letter, name, strlen(name) + 1);
    list->areas[k].points = point;
    list->areas[k].name = letter;
    point += areas[k].point_count;
    letter += strlen(name) + 1;
  }
  return true;
}

void fw__area_list_fini(fw_area_list_t * list)
{
  free(list->areas);
  free(list->memory);
  *list = (fw_area_list_t){0};
}

static bool areas_are_equal(const fw_area_t * a, const fw_area_t * b)
{
  bool are_equal = a->kind == b->kind && a->point_count == b->point_count && a->direction == b->direction &&
                   a->cost == b->cost && strcmp(a->name, b->name) == 0;
  for (int32_t k = 0; k < a->point_count && are_equal; ++k) {
    are_equal = a->points[k].x == b->points[k].x && a->points[k].y == b->points[k].y;
  }
  return are_equal;
}

bool fw__area_lists_are_equal(const fw_area_list_t * a, const fw_area_list_t * b)
{
  bool are_equal = a->count == b->count;
  for (int32_t k = 0; k < a->count && are_equal; ++k) {
    are_equal = areas_are_equal(&a->areas[k], &b->areas[k]);
  }
  return are_equal;
}

bool fw__area_list_has(const fw_area_list_t * list, fw_area_kind_t kind)
{
  bool has_kind = false;
  for (int32_t k = 0; list != NULL && k < list->count && !has_kind; ++k) {
    has_kind = list->areas[k].kind == kind;
  }
  return has_kind;
}

// ---- polygons on a grid
//
// In cells along the grid's axes. A row of centres crosses the edges of a polygon an even number of times; between the
// first and the second crossing it is inside, and so on.

typedef struct polygon_t {
  fw_point_t points[FW_AREA_POINTS_MAX];
  int32_t count;
  double top, bottom;  // the least and the largest y
} polygon_t;

static void read_polygon(polygon_t * polygon, const fw_map_frame_t * frame, const fw_area_t * area)
{
  FW_ASSERT(area->point_count >= 3 && area->point_count <= FW_AREA_POINTS_MAX);
  polygon->count = area->point_count;
  polygon->top = INFINITY;
  polygon->bottom = -INFINITY;
  for (int32_t k = 0; k < area->point_count; ++k) {
    polygon->points[k] = fw__raster_coordinates(frame, area->points[k]);
    polygon->top = fmin(polygon->top, polygon->points[k].y);
    polygon->bottom = fmax(polygon->bottom, polygon->points[k].y);
  }
}

// An index along a side of the grid, at or beside its ends for values outside.
static int32_t index_of(double value, int32_t count) { return (int32_t)fmin(fmax(value, -1.0), (double)count); }

static int compare_numbers(const void * a, const void * b)
{
  const double one = *(const double *)a, two = *(const double *)b;
  return (one > two) - (one < two);
}

static void visit_cells(
  const fw_map_frame_t * frame, int32_t y, int32_t first, int32_t last, fw_raster_visitor_t visitor)
{
  const int32_t left = first < 0 ? 0 : first, right = last >= frame->width ? frame->width - 1 : last;
  if (y >= 0 && y < frame->height && left <= right) {
    visitor.visit_run(visitor.context, y * frame->width + left, right - left + 1);
  }
}

static void visit_row(const fw_map_frame_t * frame, const polygon_t * polygon, int32_t y, fw_raster_visitor_t visitor)
{
  double crossings[FW_AREA_POINTS_MAX];
  int32_t count = 0;
  const double centre = (double)y + 0.5;
  for (int32_t k = 0; k < polygon->count; ++k) {
    const fw_point_t a = polygon->points[k], b = polygon->points[(k + 1) % polygon->count];
    if ((a.y <= centre) != (b.y <= centre)) {
      crossings[count++] = a.x + (b.x - a.x) * (centre - a.y) / (b.y - a.y);
    }
  }
  FW_ASSERT(count % 2 == 0);
  qsort(crossings, (size_t)count, sizeof *crossings, compare_numbers);
  for (int32_t k = 0; k + 1 < count; k += 2) {
    const int32_t first = index_of(ceil(crossings[k] - 0.5 - FW_RASTER_TOUCH), frame->width);
    const int32_t last = index_of(ceil(crossings[k + 1] - 0.5 - FW_RASTER_TOUCH) - 1.0, frame->width);
    visit_cells(frame, y, first, last, visitor);
  }
}

void fw__area_visit_centres(const fw_map_frame_t * frame, const fw_area_t * area, fw_raster_visitor_t visitor)
{
  polygon_t polygon;
  read_polygon(&polygon, frame, area);
  const int32_t first = index_of(floor(polygon.top), frame->height), last = index_of(polygon.bottom, frame->height);
  for (int32_t y = first < 0 ? 0 : first; y <= last && y < frame->height; ++y) {
    visit_row(frame, &polygon, y, visitor);
  }
}

// The cells of a row that an edge goes through; it only touches those that it reaches into by less than the tolerance.
static void visit_edge(const fw_map_frame_t * frame, fw_point_t a, fw_point_t b, fw_raster_visitor_t visitor)
{
  const fw_point_t low = a.y <= b.y ? a : b, high = a.y <= b.y ? b : a;
  const int32_t first = index_of(floor(low.y + FW_RASTER_TOUCH), frame->height);
  const int32_t last = index_of(ceil(high.y - FW_RASTER_TOUCH) - 1.0, frame->height);
  for (int32_t y = first < 0 ? 0 : first; y <= last && y < frame->height; ++y) {
    const double height = high.y - low.y;
    const double from = fmax((double)y, low.y), to = fmin((double)y + 1.0, high.y);
    const double x_from = height > 0.0 ? low.x + (high.x - low.x) * (from - low.y) / height : low.x;
    const double x_to = height > 0.0 ? low.x + (high.x - low.x) * (to - low.y) / height : high.x;
    const double left = fmin(x_from, x_to), right = fmax(x_from, x_to);
    visit_cells(
      frame, y, index_of(floor(left + FW_RASTER_TOUCH), frame->width),
      index_of(ceil(right - FW_RASTER_TOUCH) - 1.0, frame->width), visitor);
  }
}

void fw__area_visit_overlaps(const fw_map_frame_t * frame, const fw_area_t * area, fw_raster_visitor_t visitor)
{
  polygon_t polygon;
  read_polygon(&polygon, frame, area);
  fw__area_visit_centres(frame, area, visitor);
  for (int32_t k = 0; k < polygon.count; ++k) {
    visit_edge(frame, polygon.points[k], polygon.points[(k + 1) % polygon.count], visitor);
  }
}

// ---- rules

typedef struct rule_run_t {
  uint16_t * rules;
  uint16_t rule;
} rule_run_t;

static void add_rule(void * context, fw_cell_t first, int32_t count)
{
  const rule_run_t * run = context;
  for (fw_cell_t cell = first; cell < first + count; ++cell) {
    run->rules[cell] |= run->rule;
  }
}

// The directions that are forbidden: those with a part against the area's.
static uint16_t rule_of(const fw_area_t * area, const fw_map_frame_t * frame)
{
  uint16_t rule = area->kind == FW_AREA_NO_WAITING ? FW_RULE_NO_WAITING : 0;
  for (int32_t heading = 0; heading < FW_HEADING_COUNT && area->kind == FW_AREA_ONE_WAY; ++heading) {
    const bool is_against = cos(fw__map_frame_yaw(frame, heading) - area->direction) < -1e-6;
    rule = (uint16_t)(rule | (is_against ? FW_RULE_ONE_WAY(heading) : 0U));
  }
  return rule;
}

void fw__area_list_write_rules(const fw_area_list_t * list, const fw_map_frame_t * frame, fw_grid_t * grid)
{
  FW_ASSERT(grid->rules != NULL && grid->width == frame->width && grid->height == frame->height);
  for (int32_t k = 0; k < list->count; ++k) {
    rule_run_t run = {.rules = grid->rules, .rule = rule_of(&list->areas[k], frame)};
    if (run.rule != 0) {
      fw__area_visit_centres(frame, &list->areas[k], (fw_raster_visitor_t){.context = &run, .visit_run = add_rule});
    }
  }
}

bool fw__grid_copy_rules(fw_grid_t * to, const fw_grid_t * from)
{
  FW_ASSERT(to->width == from->width && to->height == from->height);
  const size_t bytes = (size_t)fw_grid_cell_count(from) * sizeof *from->rules;
  if (from->rules == NULL) {
    if (to->rules != NULL) {
      memset(to->rules, 0, bytes);
    }
    return true;
  }
  if (fw_grid_init_rules(to, NULL) != FW_RET_OK) {
    return false;
  }
  memcpy(to->rules, from->rules, bytes);
  return true;
}
