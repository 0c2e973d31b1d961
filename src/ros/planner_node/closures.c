#include "ros/planner_node/closures.h"

#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

#include "ros/planner_node/closed_path.h"
#include "ros/planner_node/sweep.h"

static const double SAME_PLACE = 1e-6;  // metres

bool closures_init(closures_t * closures, const ros_parameters_t * parameters, const char * logger)
{
  const rosidl_runtime_c__String__Sequence * names = &ros_parameters_value(parameters, "closures")->string_array_value;
  closures->logger = logger;
  closures->sources = calloc(names->size + 1, sizeof *closures->sources);
  if (closures->sources == NULL) {
    return false;
  }
  closures->count = (int32_t)names->size;
  for (size_t k = 0; k < names->size; ++k) {
    (void)name_copy(closures->sources[k].name, names->data[k].data);
  }
  return true;
}

void closures_fini(closures_t * closures)
{
  for (int32_t k = 0; closures->sources != NULL && k < closures->count; ++k) {
    free(closures->sources[k].waypoints);
    free(closures->sources[k].spans);
  }
  free(closures->sources);
  *closures = (closures_t){0};
}

// ---- a path onto the map

typedef struct laying_t {
  source_t * source;
  interval_t when;
} laying_t;

static bool add_span(void * context, fw_cell_t cell)
{
  const laying_t * laying = context;
  source_t * source = laying->source;
  if (source->span_count == source->span_capacity) {
    const int32_t capacity = 2 * source->span_capacity + 64;
    span_t * spans = realloc(source->spans, (size_t)capacity * sizeof *spans);
    if (spans == NULL) {
      return false;
    }
    source->spans = spans;
    source->span_capacity = capacity;
  }
  source->spans[source->span_count++] = (span_t){cell, laying->when.from_ns, laying->when.to_ns};
  return true;
}

static int by_cell_and_time(const void * a, const void * b)
{
  const span_t * one = a;
  const span_t * two = b;
  if (one->cell != two->cell) {
    return one->cell < two->cell ? -1 : 1;
  }
  return one->from_ns < two->from_ns ? -1 : one->from_ns > two->from_ns;
}

static void merge_spans(source_t * source)
{
  int32_t count = 0;
  if (source->span_count > 0) {
    qsort(source->spans, (size_t)source->span_count, sizeof *source->spans, by_cell_and_time);
  }
  for (int32_t k = 0; k < source->span_count; ++k) {
    const span_t span = source->spans[k];
    span_t * last = count > 0 ? &source->spans[count - 1] : NULL;
    if (last == NULL || last->cell != span.cell || span.from_ns > last->to_ns) {
      source->spans[count++] = span;
    } else if (span.to_ns > last->to_ns) {
      last->to_ns = span.to_ns;
    }
  }
  source->span_count = count;
}

// False if there is no memory: the source then closes nothing.
static bool lay(source_t * source, const node_settings_t * settings, const frame_t * frame)
{
  const waypoint_t * waypoints = source->waypoints;
  const int32_t count = source->count;
  bool is_fine = true;
  source->span_count = 0;
  for (int32_t k = 0; is_fine && k < count; ++k) {
    const bool is_last = k == count - 1;
    const waypoint_t next = waypoints[is_last ? k : k + 1];
    if (is_last && k > 0 && point_distance(waypoints[k - 1].point, next.point) < SAME_PLACE) {
      break;  // it is gone
    }
    const sweep_t sweep = {waypoints[k].point, next.point, settings->closure_radius};
    laying_t laying = {source, {waypoints[k].stamp_ns, is_last ? TIME_MAX : next.stamp_ns}};
    is_fine = sweep_cells(&sweep, frame, add_span, &laying);
  }
  source->span_count = is_fine ? source->span_count : 0;
  merge_spans(source);
  return is_fine;
}

// ---- messages

// An empty reason: nothing is wrong any more.
static void set_fault(const closures_t * closures, source_t * source, const fw_error_t * reason)
{
  if (strcmp(source->fault.text, reason->text) == 0) {
    return;
  }
  if (reason->text[0] != '\0') {
    RCUTILS_LOG_ERROR_NAMED(closures->logger, "closures of %s: %s", source->name, reason->text);
  } else {
    RCUTILS_LOG_INFO_NAMED(closures->logger, "closures of %s are fine again", source->name);
  }
  source->fault = *reason;
}

static bool is_same(const source_t * source, const waypoint_t * waypoints, int32_t count)
{
  bool is_same = source->is_heard && source->count == count;
  for (int32_t k = 0; is_same && k < count; ++k) {
    is_same = source->waypoints[k].stamp_ns == waypoints[k].stamp_ns &&
              source->waypoints[k].point.x == waypoints[k].point.x &&
              source->waypoints[k].point.y == waypoints[k].point.y;
  }
  return is_same;
}

// Replaces the path. False if there is no memory: the old one is still there.
static bool replace(
  source_t * source, waypoint_t * waypoints, int32_t count, const node_settings_t * settings, const map_t * map)
{
  source_t new = *source;
  new.waypoints = waypoints;
  new.count = count;
  new.spans = NULL;
  new.span_capacity = 0;
  new.is_heard = true;
  new.has_lost = false;
  if (map->revision > 0 && !lay(&new, settings, &map->frame)) {
    free(new.spans);
    return false;
  }
  free(source->waypoints);
  free(source->spans);
  *source = new;
  return true;
}

bool closures_take(
  closures_t * closures, source_t * source, const nav_msgs__msg__Path * message, const node_settings_t * settings,
  const map_t * map)
{
  const int32_t count = (int32_t)message->poses.size;
  waypoint_t * waypoints = NULL;
  bool is_new = false;
  fw_error_t reason = {0};
  fw_error_t fault = {0};
  bool is_good = closed_path_check(message, settings, map, &reason);
  if (is_good) {
    is_good = closed_path_copy(message, &waypoints) || refuse(&reason, "out of memory for its %d poses", count);
  }
  if (is_good && !is_same(source, waypoints, count)) {
    is_new = replace(source, waypoints, count, settings, map);
    is_good = is_new || refuse(&reason, "out of memory for the cells of its %d poses", count);
  }
  if (!is_new) {
    free(waypoints);
  }
  if (!is_good) {
    source->refused += 1;
    (void)refuse(&fault, "path refused, the last good one stays in force: %.180s", reason.text);
  }
  closures->revision += is_new ? 1 : 0;
  set_fault(closures, source, &fault);
  return is_new;
}

void closures_lay(closures_t * closures, const node_settings_t * settings, const map_t * map)
{
  closures->revision += 1;
  for (int32_t s = 0; map->revision > 0 && s < closures->count; ++s) {
    source_t * source = &closures->sources[s];
    fw_error_t reason = {0};
    if (!lay(source, settings, &map->frame)) {
      (void)refuse(&reason, "out of memory for its path: nothing is closed");
    }
    for (int32_t k = 0; reason.text[0] == '\0' && k < source->count; ++k) {
      const point_t point = source->waypoints[k].point;
      if (frame_cell(&map->frame, point) == FW_CELL_NONE) {
        (void)refuse(&reason, "its pose %d, (%.7g, %.7g), is outside the map and left out", k, point.x, point.y);
      }
    }
    if (reason.text[0] != '\0' || source->has_lost) {
      set_fault(closures, source, &reason);
    }
    source->has_lost = reason.text[0] != '\0';
  }
}
