// Closures: reading their messages, rasterising them onto the map, and queries. See closures.h.

#include "controller/map/closures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"

static const double SAME_PLACE = 1e-6;  // metres

bool fw__closure_sources_init(
  fw_closure_sources_t * closures, const char * const * names, int32_t count, fw_controller_site_t site)
{
  closures->site = site;
  closures->sources = fw__calloc((size_t)count + 1, sizeof *closures->sources);
  if (closures->sources == NULL) {
    return false;
  }
  closures->count = count;
  for (int32_t k = 0; k < count; ++k) {
    (void)fw__name_copy(closures->sources[k].name, names[k]);
  }
  return true;
}

void fw__closure_sources_fini(fw_closure_sources_t * closures)
{
  for (int32_t k = 0; closures->sources != NULL && k < closures->count; ++k) {
    free(closures->sources[k].waypoints);
    free(closures->sources[k].spans);
  }
  free(closures->sources);
  *closures = (fw_closure_sources_t){0};
}

// ---- rasterisation

typedef struct raster_t {
  fw_closure_source_t * source;
  fw_time_interval_t when;
} raster_t;

// Adds a span for a cell; without memory, or if there are too many, the source has failed and the span is dropped.
static void add_span(void * context, fw_cell_t cell)
{
  const raster_t * raster = context;
  fw_closure_source_t * source = raster->source;
  if (source->span_count == FW_CLOSED_SPANS_MAX) {
    source->is_too_long = true;
    return;
  }
  if (source->span_count == source->span_capacity) {
    const int32_t capacity = 2 * source->span_capacity + 64;
    fw_closed_span_t * spans = fw__realloc(source->spans, (size_t)capacity * sizeof *spans);
    if (spans == NULL) {
      source->has_failed = true;
      return;
    }
    source->spans = spans;
    source->span_capacity = capacity;
  }
  source->spans[source->span_count++] = (fw_closed_span_t){cell, raster->when.from_ns, raster->when.to_ns};
}

static int by_cell_and_time(const void * a, const void * b)
{
  const fw_closed_span_t * one = a;
  const fw_closed_span_t * two = b;
  if (one->cell != two->cell) {
    return one->cell < two->cell ? -1 : 1;
  }
  return one->from_ns < two->from_ns ? -1 : one->from_ns > two->from_ns;
}

// True if the spans of a source are sorted by cell and time and those of one cell do not touch.
static bool validate_spans(const fw_closure_source_t * source)
{
  for (int32_t k = 1; k < source->span_count; ++k) {
    const fw_closed_span_t *before = &source->spans[k - 1], *span = &source->spans[k];
    if (span->cell < before->cell || (span->cell == before->cell && span->from_ns <= before->to_ns)) {
      return false;
    }
  }
  return true;
}

// Sorts the spans and joins those of one cell that touch.
static void merge_spans(fw_closure_source_t * source)
{
  int32_t count = 0;
  if (source->span_count > 0) {
    qsort(source->spans, (size_t)source->span_count, sizeof *source->spans, by_cell_and_time);
  }
  for (int32_t k = 0; k < source->span_count; ++k) {
    const fw_closed_span_t span = source->spans[k];
    fw_closed_span_t * last = count > 0 ? &source->spans[count - 1] : NULL;
    if (last == NULL || last->cell != span.cell || span.from_ns > last->to_ns) {
      source->spans[count++] = span;
    } else if (span.to_ns > last->to_ns) {
      last->to_ns = span.to_ns;
    }
  }
  source->span_count = count;
  FW_ASSERT(validate_spans(source));
}

// False if there is no memory, or if the path closes too many cells: the source then closes nothing.
static bool rasterise(fw_closure_source_t * source, const fw_controller_site_t * site)
{
  const fw_timed_waypoint_t * waypoints = source->waypoints;
  const int32_t count = source->count;
  source->span_count = 0;
  source->has_failed = false;
  source->is_too_long = false;
  for (int32_t k = 0; k < count && !source->has_failed && !source->is_too_long; ++k) {
    const bool is_last = k == count - 1;
    const fw_timed_waypoint_t next = waypoints[is_last ? k : k + 1];
    if (is_last && k > 0 && fw__point_distance(waypoints[k - 1].point, next.point) < SAME_PLACE) {
      break;  // the object leaves
    }
    const fw_raster_sweep_t sweep = {waypoints[k].point, next.point, site->settings->closure_radius};
    raster_t raster = {source, {waypoints[k].stamp_ns, is_last ? FW_TIME_MAX_NS : next.stamp_ns}};
    // Not valid only if a waypoint is farther away than FW_RASTER_SWEEP_MAX: it is outside the map, which is a fault.
    (void)fw__raster_visit_sweep(
      &site->map->frame, &sweep, (fw_raster_visitor_t){.visit = add_span, .context = &raster});
  }
  const bool is_done = !source->has_failed && !source->is_too_long;
  source->span_count = is_done ? source->span_count : 0;
  merge_spans(source);
  return is_done;
}

// ---- paths

// A good path is finite, its stamps do not fall, and it is inside the map if there is one.
static bool check_path(
  const fw_timed_waypoint_t * waypoints, int32_t count, const fw_controller_site_t * site, fw_error_t * reason)
{
  const fw_planning_map_t * map = site->map;
  int64_t before_ns = INT64_MIN;
  if (count > FW_CLOSED_SPANS_MAX) {
    return fw__refuse(reason, "it has %d poses, and at most %d are possible", count, FW_CLOSED_SPANS_MAX);
  }
  for (int32_t k = 0; k < count; ++k) {
    const fw_point_t point = waypoints[k].point;
    if (!fw__point_is_finite(point)) {
      return fw__refuse(reason, "its pose %d is not finite", k);
    }
    if (waypoints[k].stamp_ns < before_ns) {
      return fw__refuse(reason, "the stamp of its pose %d is earlier than that of the pose before", k);
    }
    if (map->revision > 0 && fw__map_frame_cell(&map->frame, point) == FW_CELL_NONE) {
      return fw__refuse(reason, "its pose %d, (%.7g, %.7g), is outside the map", k, point.x, point.y);
    }
    before_ns = waypoints[k].stamp_ns;
  }
  return true;
}

// A copy that the caller frees. False if there is no memory.
static bool copy_path(const fw_timed_waypoint_t * waypoints, int32_t count, fw_timed_waypoint_t ** copy)
{
  *copy = fw__calloc((size_t)count + 1, sizeof **copy);
  if (*copy != NULL && count > 0) {
    memcpy(*copy, waypoints, (size_t)count * sizeof **copy);
  }
  return *copy != NULL;
}

// Sets or (empty reason) clears the fault of a source, and logs a change.
static void set_fault(const fw_closure_sources_t * closures, fw_closure_source_t * source, const fw_error_t * reason)
{
  if (strcmp(source->fault.text, reason->text) == 0) {
    return;
  }
  if (reason->text[0] != '\0') {
    fw__log(closures->site.log, FW_LOG_ERROR, "closures of %s: %s", source->name, reason->text);
  } else {
    fw__log(closures->site.log, FW_LOG_INFO, "closures of %s are valid again", source->name);
  }
  source->fault = *reason;
}

static bool is_same(const fw_closure_source_t * source, const fw_timed_waypoint_t * waypoints, int32_t count)
{
  bool is_same = source->has_path && source->count == count;
  for (int32_t k = 0; is_same && k < count; ++k) {
    is_same = source->waypoints[k].stamp_ns == waypoints[k].stamp_ns &&
              source->waypoints[k].point.x == waypoints[k].point.x &&
              source->waypoints[k].point.y == waypoints[k].point.y;
  }
  return is_same;
}

// A path as it arrived.
typedef struct closed_path_t {
  fw_timed_waypoint_t * waypoints;
  int32_t count;
} closed_path_t;

// Why a path could not be put onto the map.
static bool refuse_cells(const fw_closure_source_t * source, fw_error_t * reason)
{
  return source->is_too_long
           ? fw__refuse(reason, "its path of %d poses closes more than %d cells", source->count, FW_CLOSED_SPANS_MAX)
           : fw__refuse(reason, "out of memory for the cells of its %d poses", source->count);
}

// Replaces the path. False if that fails: the old one is still there.
static bool replace(
  fw_closure_source_t * source, closed_path_t path, const fw_controller_site_t * site, fw_error_t * reason)
{
  fw_closure_source_t new = *source;
  new.waypoints = path.waypoints;
  new.count = path.count;
  new.spans = NULL;
  new.span_capacity = 0;
  new.has_path = true;
  new.has_lost = false;
  if (site->map->revision > 0 && !rasterise(&new, site)) {
    free(new.spans);
    return refuse_cells(&new, reason);
  }
  free(source->waypoints);
  free(source->spans);
  *source = new;
  return true;
}

void fw__closure_sources_note_refused(
  fw_closure_sources_t * closures, fw_closure_source_t * source, const fw_error_t * reason)
{
  fw_error_t fault = {0};
  source->refused += 1;
  (void)fw__refuse(&fault, "path refused, the last good one stays in force: %.180s", reason->text);
  set_fault(closures, source, &fault);
}

bool fw__closure_sources_take(
  fw_closure_sources_t * closures, fw_closure_source_t * source, const fw_timed_waypoint_t * waypoints, int32_t count)
{
  FW_ASSERT(source >= closures->sources && source < closures->sources + closures->count);
  fw_timed_waypoint_t * copy = NULL;
  bool is_new = false;
  fw_error_t reason = {0};
  bool is_good = check_path(waypoints, count, &closures->site, &reason);
  if (is_good) {
    is_good = copy_path(waypoints, count, &copy) || fw__refuse(&reason, "out of memory for its %d poses", count);
  }
  if (is_good && !is_same(source, copy, count)) {
    is_new = replace(source, (closed_path_t){copy, count}, &closures->site, &reason);
    is_good = is_new;
  }
  if (!is_new) {
    free(copy);
  }
  closures->revision += is_new ? 1 : 0;
  if (is_good) {
    set_fault(closures, source, &(fw_error_t){0});
  } else {
    fw__closure_sources_note_refused(closures, source, &reason);
  }
  return is_new;
}

void fw__closure_sources_rasterise(fw_closure_sources_t * closures)
{
  const fw_planning_map_t * map = closures->site.map;
  closures->revision += 1;
  for (int32_t s = 0; map->revision > 0 && s < closures->count; ++s) {
    fw_closure_source_t * source = &closures->sources[s];
    fw_error_t reason = {0};
    if (!rasterise(source, &closures->site)) {
      fw_error_t why = {0};
      (void)refuse_cells(source, &why);
      (void)fw__refuse(&reason, "nothing is closed: %.150s", why.text);
    }
    for (int32_t k = 0; reason.text[0] == '\0' && k < source->count; ++k) {
      const fw_point_t point = source->waypoints[k].point;
      if (fw__map_frame_cell(&map->frame, point) == FW_CELL_NONE) {
        (void)fw__refuse(&reason, "its pose %d, (%.7g, %.7g), is outside the map and left out", k, point.x, point.y);
      }
    }
    if (reason.text[0] != '\0' || source->has_lost) {
      set_fault(closures, source, &reason);
    }
    source->has_lost = reason.text[0] != '\0';
  }
}

// ---- queries

// The first span on a cell that ends after `time_ns`, NULL if there is none; more of the same cell may follow it.
static const fw_closed_span_t * find_span(const fw_closure_source_t * source, fw_cell_t cell, int64_t time_ns)
{
  int32_t low = 0, high = source->span_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const fw_closed_span_t * span = &source->spans[middle];
    if (span->cell < cell || (span->cell == cell && span->to_ns <= time_ns)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < source->span_count && source->spans[low].cell == cell ? &source->spans[low] : NULL;
}

int32_t fw__closure_sources_find(const fw_closure_sources_t * closures, fw_cell_t cell, fw_time_interval_t when)
{
  for (int32_t s = 0; s < closures->count; ++s) {
    const fw_closed_span_t * span = find_span(&closures->sources[s], cell, when.from_ns);
    if (span != NULL && span->from_ns < when.to_ns) {
      return s;
    }
  }
  return -1;
}

int32_t fw__closure_sources_find_body(
  const fw_closure_sources_t * closures, const fw_grid_t * grid, fw_placed_body_t placed, fw_time_interval_t when)
{
  for (int32_t k = 0; k < fw__robot_body_cell_count(placed.body, placed.place); ++k) {
    const int32_t source =
      fw__closure_sources_find(closures, fw__robot_body_cell(placed.body, grid, placed.place, k), when);
    if (source >= 0) {
      return source;
    }
  }
  return -1;
}

int32_t fw__closure_source_count_closed(const fw_closure_source_t * source, int64_t time_ns)
{
  int32_t count = 0;
  for (int32_t k = 0; k < source->span_count; ++k) {
    count += source->spans[k].from_ns <= time_ns && time_ns <= source->spans[k].to_ns ? 1 : 0;
  }
  return count;
}

// Does a span that begins within `begin` close this cell during the stay?
static bool touches_cell(
  const fw_closure_source_t * source, fw_time_interval_t begin, fw_cell_t cell, fw_time_interval_t stay)
{
  const fw_closed_span_t * end = source->spans + source->span_count;
  const fw_closed_span_t * span = cell == FW_CELL_NONE ? NULL : find_span(source, cell, stay.from_ns);
  for (; span != NULL && span < end && span->cell == cell && span->from_ns < stay.to_ns; ++span) {
    if (begin.from_ns <= span->from_ns && span->from_ns <= begin.to_ns) {
      return true;
    }
  }
  return false;
}

// A robot is on the cells of a waypoint from when it leaves the waypoint before until it reaches the next.
static bool touches_path(
  const fw_closure_source_t * source, const fw_map_frame_t * frame, const fw_timed_path_t * timed_path,
  fw_closure_query_t query)
{
  const int64_t now_ns = query.now_ns;
  const fw_grid_t grid = {.width = frame->width, .height = frame->height};
  for (int32_t k = 0; k < timed_path->count; ++k) {
    const fw_timed_waypoint_t * waypoint = &timed_path->waypoints[k];
    const int64_t from_ns = k > 0 ? timed_path->waypoints[k - 1].stamp_ns : now_ns;
    const fw_time_interval_t stay = {
      .from_ns = from_ns > now_ns ? from_ns : now_ns,
      .to_ns = k + 1 < timed_path->count ? timed_path->waypoints[k + 1].stamp_ns : FW_TIME_MAX_NS,
    };
    // Connectivity 8 is right in either case: a waypoint has one of the headings that its plan had.
    const fw_grid_pose_t place =
      fw__robot_body_place(&timed_path->body, frame, 8, fw__timed_waypoint_pose(waypoint, frame));
    if (place.cell == FW_CELL_NONE || stay.to_ns <= now_ns) {
      continue;
    }
    for (int32_t c = 0; c < fw__robot_body_cell_count(&timed_path->body, place); ++c) {
      if (touches_cell(source, query.begin, fw__robot_body_cell(&timed_path->body, &grid, place, c), stay)) {
        return true;
      }
    }
  }
  return false;
}

bool fw__closure_source_touches(
  const fw_closure_source_t * source, const fw_map_frame_t * frame, const fw_schedule_t * schedule,
  fw_closure_query_t query)
{
  for (int32_t r = 0; source->span_count > 0 && r < schedule->robot_count; ++r) {
    if (touches_path(source, frame, &schedule->paths[r], query)) {
      return true;
    }
  }
  return false;
}

bool fw__closure_sources_touch(
  const fw_closure_sources_t * closures, const fw_schedule_t * schedule, fw_closure_query_t query)
{
  for (int32_t s = 0; s < closures->count; ++s) {
    if (fw__closure_source_touches(&closures->sources[s], &closures->site.map->frame, schedule, query)) {
      return true;
    }
  }
  return false;
}
