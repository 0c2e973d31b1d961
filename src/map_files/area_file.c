// Reading areas. See area_file.h.

#include "map_files/area_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heap.h"
#include "map_files/yaml_file.h"

enum { NAME_SIZE = 64, AREAS_MAX = 10000 };

static const double RADIANS = 0.017453292519943295;  // in a degree

// The keys of an area.
typedef enum key_t { KEY_NAME, KEY_KIND, KEY_DIRECTION, KEY_COST, KEY_POLYGON, KEY_RECTANGLE, KEY_COUNT } key_t;
static const char * const key_names[KEY_COUNT] = {"name", "kind", "direction", "cost", "polygon", "rectangle"};

// An area that is read. Its points are in `points`.
typedef struct item_t {
  char name[NAME_SIZE];
  fw_area_kind_t kind;
  double direction;
  double cost;
  int32_t point_count;
  fw_point_t points[];
} item_t;

typedef struct reader_t {
  fw_yaml_file_t file;
  fw_error_t * error;
  item_t ** items;
  fw_area_t * areas;
  int32_t count;
  // Of the area that is read:
  const yaml_node_t * node;
  const yaml_node_t * values[KEY_COUNT];  // NULL: it has no such key
} reader_t;

static fw_ret_t fault(const reader_t * reader, const yaml_node_t * node, const char * what, const char * value)
{
  const yaml_node_t * name = reader->values[KEY_NAME];
  return fw__yaml_error(
    &reader->file, node, reader->error, "area %s%.60s%s: %.120s%.60s", name == NULL ? "" : "'",
    name == NULL ? "without a name" : fw__yaml_text(name), name == NULL ? "" : "'", what, value);
}

// ---- values

static fw_ret_t find_keys(reader_t * reader)
{
  memset(reader->values, 0, sizeof reader->values);
  if (reader->node->type != YAML_MAPPING_NODE) {
    return fault(reader, reader->node, "expected 'key: value', not ", fw__yaml_text(reader->node));
  }
  for (int32_t k = 0; k < fw__yaml_count(reader->node); ++k) {
    const yaml_node_t * value = NULL;
    const char * name = fw__yaml_pair(&reader->file, reader->node, k, &value);
    key_t key = KEY_NAME;
    while (key < KEY_COUNT && (name == NULL || strcmp(name, key_names[key]) != 0)) {
      ++key;
    }
    if (key == KEY_COUNT) {
      return fault(
        reader, value, "keys are name, kind, direction, cost, polygon and rectangle, not ",
        name == NULL ? "a list" : name);
    }
    if (reader->values[key] != NULL) {
      return fault(reader, value, "it has twice the key ", name);
    }
    reader->values[key] = value;
  }
  return FW_RET_OK;
}

static fw_ret_t read_kind(const reader_t * reader, fw_area_kind_t * kind)
{
  const yaml_node_t * node = reader->values[KEY_KIND];
  if (node == NULL) {
    return fault(reader, reader->node, "kind is missing", "");
  }
  const char * text = fw__yaml_text(node);
  if (strcmp(text, "speed") == 0) {
    return fault(reader, node, "speed limits are not supported; use kind: cost, which makes robots avoid the area", "");
  }
  for (*kind = FW_AREA_ONE_WAY; *kind <= FW_AREA_COST; ++*kind) {
    if (strcmp(text, fw_area_kind_name(*kind)) == 0) {
      return FW_RET_OK;
    }
  }
  return fault(reader, node, "kind must be one_way, no_waiting, keepout or cost, not ", text);
}

// The direction of a one-way area in degrees; others have none.
static fw_ret_t read_direction(const reader_t * reader, fw_area_kind_t kind, double * direction)
{
  const yaml_node_t * node = reader->values[KEY_DIRECTION];
  if ((node != NULL) != (kind == FW_AREA_ONE_WAY)) {
    return fault(
      reader, reader->node,
      node == NULL ? "kind one_way needs a direction, in degrees" : "only kind one_way has a direction", "");
  }
  const bool is_valid = node == NULL || (fw__yaml_number(node, direction) && fabs(*direction) <= 360.0);
  return is_valid ? FW_RET_OK
                  : fault(reader, node, "direction must be degrees from -360 to 360, not ", fw__yaml_text(node));
}

static fw_ret_t read_cost(const reader_t * reader, fw_area_kind_t kind, double * cost)
{
  const yaml_node_t * node = reader->values[KEY_COST];
  if ((node != NULL) != (kind == FW_AREA_COST)) {
    return fault(
      reader, reader->node, node == NULL ? "kind cost needs a cost, 1 to 254" : "only kind cost has a cost", "");
  }
  const bool is_valid = node == NULL || (fw__yaml_number(node, cost) && *cost >= 1.0 && *cost <= 254.0);
  return is_valid ? FW_RET_OK : fault(reader, node, "cost must be 1 to 254, not ", fw__yaml_text(node));
}

// ---- shapes

static fw_ret_t read_numbers(reader_t * reader, const yaml_node_t * list, double * numbers, int32_t count)
{
  for (int32_t k = 0; k < count; ++k) {
    const yaml_node_t * node = fw__yaml_item(&reader->file, list, k);
    if (!fw__yaml_number(node, &numbers[k])) {
      return fault(reader, node, "expected a number, not ", fw__yaml_text(node));
    }
  }
  return FW_RET_OK;
}

static bool is_list_of(const yaml_node_t * node, int32_t count)
{
  return node->type == YAML_SEQUENCE_NODE && fw__yaml_count(node) == count;
}

static fw_ret_t read_rectangle(reader_t * reader, const yaml_node_t * list, item_t * item)
{
  double n[4] = {0};
  if (!is_list_of(list, 4)) {
    return fault(reader, list, "rectangle needs four numbers, [x1, y1, x2, y2]", "");
  }
  const fw_ret_t ret = read_numbers(reader, list, n, 4);
  item->point_count = 4;
  item->points[0] = (fw_point_t){n[0], n[1]};
  item->points[1] = (fw_point_t){n[2], n[1]};
  item->points[2] = (fw_point_t){n[2], n[3]};
  item->points[3] = (fw_point_t){n[0], n[3]};
  return ret;
}

static fw_ret_t read_polygon(reader_t * reader, const yaml_node_t * list, item_t * item)
{
  item->point_count = fw__yaml_count(list);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t k = 0; k < item->point_count && ret == FW_RET_OK; ++k) {
    const yaml_node_t * point = fw__yaml_item(&reader->file, list, k);
    double n[2] = {0};
    ret = is_list_of(point, 2) ? read_numbers(reader, point, n, 2)
                               : fault(reader, point, "a point of its polygon needs two numbers, [x, y]", "");
    item->points[k] = (fw_point_t){n[0], n[1]};
  }
  return ret;
}

// ---- areas

// Memory for the area, after a look at how many points it has.
static fw_ret_t make_item(reader_t * reader, item_t ** item)
{
  const yaml_node_t * polygon = reader->values[KEY_POLYGON];
  if ((polygon == NULL) == (reader->values[KEY_RECTANGLE] == NULL)) {
    return fault(reader, reader->node, "it needs either polygon or rectangle", "");
  }
  const int32_t count = polygon == NULL ? 4 : polygon->type == YAML_SEQUENCE_NODE ? fw__yaml_count(polygon) : 0;
  if (count < 3) {
    return fault(reader, polygon, "polygon needs at least three points [x, y]", "");
  }
  if (count > FW_AREA_POINTS_MAX) {
    return fault(reader, polygon, "its polygon has too many points; at most 256 are possible", "");
  }
  *item = fw__calloc(1, sizeof **item + (size_t)count * sizeof *(*item)->points);
  return *item == NULL ? fw__error_memory(reader->error) : FW_RET_OK;
}

// Reads the area in `reader->node` and keeps it.
static fw_ret_t read_area(reader_t * reader)
{
  fw_area_kind_t kind = FW_AREA_ONE_WAY;
  double direction = 0.0, cost = 0.0;
  item_t * item = NULL;
  fw_ret_t ret = find_keys(reader);
  if (
    ret != FW_RET_OK || (ret = read_kind(reader, &kind)) != FW_RET_OK ||
    (ret = read_direction(reader, kind, &direction)) != FW_RET_OK ||
    (ret = read_cost(reader, kind, &cost)) != FW_RET_OK || (ret = make_item(reader, &item)) != FW_RET_OK) {
    return ret;
  }
  reader->items[reader->count] = item;
  const yaml_node_t * rectangle = reader->values[KEY_RECTANGLE];
  ret = rectangle != NULL ? read_rectangle(reader, rectangle, item)
                          : read_polygon(reader, reader->values[KEY_POLYGON], item);
  const yaml_node_t * name = reader->values[KEY_NAME];
  if (name != NULL && name->type == YAML_SCALAR_NODE && name->data.scalar.length > 0) {
    (void)snprintf(item->name, sizeof item->name, "%.60s", fw__yaml_text(name));
  } else {
    (void)snprintf(item->name, sizeof item->name, "area %d", reader->count + 1);
  }
  fw_area_t * area = &reader->areas[reader->count++];
  *area = (fw_area_t){
    .kind = kind,
    .name = item->name,
    .points = item->points,
    .point_count = item->point_count,
    .direction = direction * RADIANS,
    .cost = (int32_t)lround(cost),
  };
  fw_error_t reason = {0};
  if (ret == FW_RET_OK && !fw__area_check(area, &reason)) {
    ret = fw__yaml_error(&reader->file, reader->node, reader->error, "%.150s", reason.text);
  }
  return ret;
}

static fw_ret_t read_areas(reader_t * reader)
{
  const yaml_node_t * root = fw__yaml_root(&reader->file);
  const yaml_node_t * list = NULL;
  for (int32_t k = 0; k < fw__yaml_count(root); ++k) {
    const yaml_node_t * value = NULL;
    const char * key = fw__yaml_pair(&reader->file, root, k, &value);
    if (key == NULL || strcmp(key, "areas") != 0 || list != NULL) {
      return fw__yaml_error(
        &reader->file, value, reader->error, "expected 'areas:' once, not %.60s", key == NULL ? "a list" : key);
    }
    list = value;
  }
  if (list == NULL) {
    return fw__yaml_error(&reader->file, root, reader->error, "'areas:' is missing");
  }
  const bool is_empty = list->type == YAML_SCALAR_NODE && list->data.scalar.length == 0;  // nothing behind the colon
  if (list->type != YAML_SEQUENCE_NODE && !is_empty) {
    return fw__yaml_error(&reader->file, list, reader->error, "areas must be a list, each area behind '- '");
  }
  const int32_t count = fw__yaml_count(list);
  if (count > AREAS_MAX) {
    return fw__yaml_error(
      &reader->file, list, reader->error, "there are too many areas; at most %d are possible", AREAS_MAX);
  }
  reader->areas = fw__calloc((size_t)count + 1, sizeof *reader->areas);
  reader->items = fw__calloc((size_t)count + 1, sizeof *reader->items);
  if (reader->areas == NULL || reader->items == NULL) {
    return fw__error_memory(reader->error);
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t k = 0; k < count && ret == FW_RET_OK; ++k) {
    reader->node = fw__yaml_item(&reader->file, list, k);
    ret = read_area(reader);
  }
  return ret;
}

fw_ret_t fw__area_file_read(fw_area_list_t * list, const char * path, fw_error_t * error)
{
  *list = (fw_area_list_t){0};
  reader_t reader = {.error = error};
  fw_ret_t ret = fw__yaml_open(&reader.file, path, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  ret = read_areas(&reader);
  if (ret == FW_RET_OK && !fw__area_list_init(list, reader.areas, reader.count)) {
    ret = fw__error_memory(error);
  }
  for (int32_t k = 0; k < reader.count; ++k) {
    free(reader.items[k]);
  }
  free(reader.items);
  free(reader.areas);
  fw__yaml_close(&reader.file);
  return ret;
}
